"""An earlier sync that was squashed is the base of the whole merge."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.history.shapes import PATH, Story, body

from mergewright.history.syncs import squashed_syncs
from mergewright.model.resolution import Resolved
from mergewright.workflows.resolving import Settings, plan_merge
from mergewright.workflows.sources import default_sources

LINES = ("first = one()", "second = two()", "third = three()", "return first")
SMALL = {f"pkg/{name}.py": body(f"return '{name}'", name=name) for name in "abc"}
LATER = {path: text.replace("return", "return 2 *") for path, text in SMALL.items()}


def changed(**lines: str) -> str:
    """The contested file with some of its four lines exchanged."""
    names = ("first", "second", "third", "last")
    return body(*(lines.get(name, line) for name, line in zip(names, LINES, strict=True)))


MAIN = {"first": "first = one(1)", "third": "third = three(3)"}
DEV = {"second": "second = two(fast)"}


def story(*, small: dict[str, str], undone: bool = False) -> Story:
    """Main changes four files; dev, with work of its own, squashes that; both go on."""
    told = Story().commit("base", files={PATH: changed(), **SMALL})
    told.commit("d0", ["base"], {PATH: changed(**DEV)}, "Second by the fast way")
    a, b, c = LATER
    told.commit("m0", ["base"], {a: LATER[a], PATH: changed(first=MAIN["first"])}, "One of one")
    told.commit("m1", ["m0"], {b: LATER[b], c: LATER[c], PATH: changed(**MAIN)}, "Three of three")
    told.commit("sync", ["d0"], {PATH: changed(**DEV, **MAIN), **small}, "Bring work over")
    last = "sync"
    if undone:
        told.commit("back", ["sync"], {PATH: changed(**DEV), **SMALL}, 'Revert "Bring work over"')
        told.commit("again", ["back"], {PATH: changed(**DEV, **MAIN)}, "Some of it")
        last = "again"
    told.commit("d2", [last], {PATH: changed(**DEV, **MAIN, last="return first + second")}, "Add")
    told.commit(
        "m2", ["m1"], {PATH: changed(third=MAIN["third"], first="first = one(1, more)")}, "More"
    )
    return told


@pytest.mark.parametrize("flipped", [False, True], ids=["dev", "main"])
def test_a_squashed_sync_is_the_base_also_of_a_file_with_local_work(
    tmp_path: Path, flipped: bool
) -> None:
    """No state of the function ever was equal; the three equal files tell where the sync stood."""
    sides = ("m2", "d2") if flipped else ("d2", "m2")
    built = story(small=LATER).build(tmp_path, *sides)
    (sync,) = squashed_syncs(built.history().facts)
    assert built.named([sync.commit, sync.state]) == ["sync", "m1"]
    assert (sync.equal, sync.files) == (3, 4)
    with plan_merge(
        built.repository, "dev", "main", settings=Settings(sources=default_sources)
    ) as planned:
        (entry,) = planned.plan.paths
        assert isinstance(entry.outcome, Resolved)
        assert (
            entry.outcome.data
            == changed(
                first="first = one(1, more)",
                **DEV,
                third=MAIN["third"],
                last="return first + second",
            ).encode()
        )
        assert entry.outcome.decisions[0].strategy == "newest-common-state"


@pytest.mark.parametrize(
    "told",
    [story(small={}), story(small=LATER, undone=True)],
    ids=["too-few-files", "reverted-as-a-whole"],
)
def test_what_is_no_sync_or_was_taken_back_is_no_base(tmp_path: Path, told: Story) -> None:
    """One shared file is no sync, and a sync that was reverted leaves the merge base as it is."""
    built = told.build(tmp_path, "d2", "m2")
    assert squashed_syncs(built.history().facts) == ()
    with plan_merge(
        built.repository, "dev", "main", settings=Settings(sources=default_sources)
    ) as planned:
        strategies = {d.strategy for e in planned.plan.paths for d in e.outcome.decisions}
        assert "newest-common-state" not in strategies


def limits(low: int, high: int) -> str:
    return f"low = {low}\nname = 'a'\nhigh = {high}\n"


@pytest.mark.parametrize("path", ["limits.conf", "pkg/limits.py"])
@pytest.mark.parametrize("flipped", [False, True], ids=["dev", "main"])
def test_a_squash_that_only_touched_a_file_did_not_bring_its_state(
    tmp_path: Path, flipped: bool, path: str
) -> None:
    """The other side's limit is not in the squash, so the limits are contested as they ever were."""
    told = Story().commit("base", files={path: limits(10, 0), **SMALL})
    a, b, c = LATER
    told.commit("m0", ["base"], {a: LATER[a], path: limits(98, 0)}, "Raise the limit")
    told.commit("m1", ["m0"], {b: LATER[b], c: LATER[c], path: limits(99, 0)}, "Raise it more")
    told.commit("sync", ["base"], {**LATER, path: limits(5, 0)}, "Port some, lower the limit")
    told.commit("m2", ["m1"], {path: limits(99, 1)}, "Raise the other limit")
    built = told.build(tmp_path, *(("m2", "sync") if flipped else ("sync", "m2")))
    with plan_merge(
        built.repository, "dev", "main", settings=Settings(sources=default_sources)
    ) as planned:
        (entry,) = planned.plan.paths
        assert not isinstance(entry.outcome, Resolved)
    assert built.history().newer_base(path) is None


def test_a_text_without_definitions_is_not_settled_by_a_sync_alone(tmp_path: Path) -> None:
    """What conflicts against the merge base stays open: no gate would see what is lost."""
    path = "limits.conf"
    told = Story().commit("base", files={path: limits(10, 0), **SMALL})
    a, b, c = LATER
    told.commit("d0", ["base"], {path: limits(10, 7)}, "Another high")
    told.commit("m0", ["base"], {a: LATER[a], path: limits(98, 0)}, "Raise the limit")
    told.commit("m1", ["m0"], {b: LATER[b], c: LATER[c], path: limits(99, 0)}, "Raise it more")
    told.commit("sync", ["d0"], {**LATER, path: limits(99, 7)}, "Bring work over")
    told.commit("m2", ["m1"], {path: limits(50, 0)}, "Lower the limit")
    built = told.build(tmp_path, "sync", "m2")
    newer = built.history().newer_base(path)
    assert newer is not None
    assert newer.sync
    with plan_merge(
        built.repository, "dev", "main", settings=Settings(sources=default_sources)
    ) as planned:
        (entry,) = planned.plan.paths
        assert not isinstance(entry.outcome, Resolved)
