"""Features kept whole, and places that one side took back."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.history.shapes import PATH, Story

from mergewright.history.features import nested, put_back
from mergewright.model.resolution import Resolved
from mergewright.model.threeway import Side, ThreeWay
from mergewright.workflows.resolving import Settings, plan_merge
from mergewright.workflows.sources import default_sources

BASE = """\
class Client:
    retries = 3

    def connect(self, host):
        return open_socket(host, self.port)

    def close(self):
        self.socket.close()
"""
FEATURE = BASE.replace(
    "    retries = 3\n", "    retries = 3\n    timeout_of_connections = 10.0\n"
).replace("self.port)", "self.port, timeout=self.timeout_of_connections)")
OTHER = BASE.replace("(host, self.port)", "(first_address(host), self.port)")


def merged(tmp_path: Path, told: Story, ours: str, theirs: str) -> bytes | None:
    """The result of merging two commits of a story; ``None`` where something stays open."""
    built = told.build(tmp_path, ours, theirs)
    with plan_merge(
        built.repository, "dev", "main", settings=Settings(sources=default_sources)
    ) as planned:
        (entry,) = planned.plan.paths
        return entry.outcome.data if isinstance(entry.outcome, Resolved) else None


def story(*order: str, title: str = "Connections get a timeout (#7)") -> Story:
    """Dev has the feature, takes it back and goes on; main copies it; in the given order."""
    steps = {
        "feature": ("base", FEATURE, title),
        "copy": ("base", FEATURE, f"{title} (#9)"),
        "back": ("feature", BASE, f'Revert "{title}"'),
        "on": ("back", OTHER, "Connect to the first address"),
    }
    told = Story().commit("base", files={PATH: BASE})
    for name in order:
        parent, text, message = steps[name]
        told.commit(name, [parent], {PATH: text}, message)
    return told


@pytest.mark.parametrize("flipped", [False, True], ids=["dev", "main"])
def test_what_was_taken_back_stays_away_where_it_would_merge_cleanly(
    tmp_path: Path, flipped: bool
) -> None:
    """The copy's attribute merges cleanly, and is dropped with the rest of what was reverted."""
    told = story("feature", "copy", "back", "on")
    sides = ("copy", "on") if flipped else ("on", "copy")
    assert merged(tmp_path, told, *sides) == OTHER.encode()


def test_a_copy_that_is_newer_than_the_revert_is_wanted(tmp_path: Path) -> None:
    """Whoever copies a thing after it was taken back wants it: nothing is dropped."""
    result = merged(tmp_path, story("feature", "back", "on", "copy"), "on", "copy")
    assert result is None or b"timeout_of_connections = 10.0" in result


def test_a_sync_that_was_taken_back_says_nothing(tmp_path: Path) -> None:
    """A whole sync that was reverted is no word on a single place of it."""
    told = story("feature", "copy", "back", "on", title="Sync main into dev, all of it (#7)")
    result = merged(tmp_path, told, "on", "copy")
    assert result is None or b"timeout_of_connections = 10.0" in result


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "result"),
    [
        (
            b"    part = lib.Plain\n",
            b"    part = lib.Fast if fast else lib.Plain\n",
            b"    part = lib.Plain.build()\n",
            b"    part = lib.Fast if fast else lib.Plain.build()\n",
        ),
        (b"return a\n", b"return f(a)\n", b"return a + 1\n", b"return f((a + 1))\n"),
        (b"return a\n", b"return f(a, a)\n", b"return b\n", None),
        (b"x = a\n", b"x = retry(a)\n", b"x = retry(a, times=3)\n", None),
        (b"x = a\n", b"x = f(retry(a))\n", b"x = retry(g(a))\n", None),
        (b"x = a\n", b"x = a if b else c\n", b"x = a if d else e\n", None),
        (b"x = a\n", b"x = a + 1\n", b"x = a + 2\n", None),
        (b"x = a\n", b"x = [a for a in b]\n", b"x = a.c\n", None),
        (b"x = a\n", b"x = lambda c: c + a\n", b"x = c\n", None),
        (b"x = a\n", b"x = (b := 1) + a\n", b"x = b\n", None),
        (b"return a\n", b"return a\n", b"return b\n", None),
        (b"x = a\n", b"y = f(a)\n", b"x = b\n", None),
        (b"x = a\n", b"x = f(a)\n", b"x = (\n", None),
        (None, b"x = f(a)\n", b"x = b\n", None),
        (
            b"x = '\xc3\xa9' + a\n",
            b"x = g('\xc3\xa9' + a)\n",
            b"x = '\xc3\xa9'\n",
            b"x = g('\xc3\xa9')\n",
        ),
    ],
)
def test_nested_edits(base: bytes | None, ours: bytes, theirs: bytes, result: bytes | None) -> None:
    """The other side's expression stands where the base's did, if there is just one such place."""
    versions = ThreeWay(base=base, ours=ours, theirs=theirs)
    assert nested(versions, Side.OURS) == result
    assert nested(versions.swapped(), Side.THEIRS) == result


def test_put_back() -> None:
    """A symbol becomes what the base has, or goes away with the comment above it."""
    base = b"def f():\n    return 1\n"
    text = b"def f():\n    return 2\n\n\n# Why.\nLIMIT = 3\n"
    assert put_back(text, base, "f") == b"def f():\n    return 1\n\n\n# Why.\nLIMIT = 3\n"
    assert put_back(text, base, "LIMIT") == b"def f():\n    return 2\n"
    assert put_back(text, base, "absent") == text
