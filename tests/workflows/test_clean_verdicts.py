"""Rules by history and group also decide places that git merged cleanly (``when: always``)."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.history.shapes import PATH, Story, body

from mergewright.git.repository import Repository
from mergewright.model.errors import RuleFileError
from mergewright.rules.loading import load_rules
from mergewright.testing import build_repository
from mergewright.workflows.resolving import Settings, plan_merge
from mergewright.workflows.sources import default_sources

AHEAD = """
version: 1
rules:
  - id: follow-ups
    reason: the side that went on is taken
    match: {history: [ours-ahead, theirs-ahead], evidence: at-least similarity}
    action: take-ahead
"""
ALWAYS = AHEAD + "    when: always\n"

CORE = body("read(data)", "return sort(data)")
FIRST = body("read(data)", "cache = open_cache(data)", "cache.fill(data)", "return cache.sorted()")
LATER = FIRST.replace("cache.fill(data)", "cache.fill(data, limit=9)")
UTIL = body("one = 1", "return one", name="keep") + "\n\n" + body("return 2", name="other")
HELPER = "\n\n" + body(
    "handle = connect(path)", "handle.warm()", "return handle", name="open_cache"
)
CONFIG = "[a]\nx = 1\ny = 2\nz = 3\n\n[b]\nv = 1\nw = 2\n\n[c]\nu = 1\n"
MORE = "limit = 7\nsize = 9\nwarm = true\nname = 'cache'\n"


def _story(*, copied_late: bool = False, contested: str = PATH) -> Story:
    """Dev makes a cache in three files, main takes it over; dev gives up helper, setting and note."""
    work = {
        PATH: FIRST,
        "pkg/util.py": UTIL + HELPER,
        "conf.ini": CONFIG + MORE,
        "notes/cache.md": "The cache is filled when it is opened.\nIt is warm.\nIt is small.\n",
    }
    story = Story().commit("base", files={PATH: CORE, "pkg/util.py": UTIL, "conf.ini": CONFIG})
    story.commit("work", ["base"], work, "Fill a cache first (#11)")
    if not copied_late:
        story.commit("copy", ["base"], work, "Fill a cache first (#11) (#12)")
    story.commit(
        "later",
        ["work"],
        {
            PATH: LATER if contested == PATH else FIRST,
            "pkg/util.py": UTIL,
            "conf.ini": CONFIG.replace("x = 1", "x = 10"),
            "notes/cache.md": None,
        },
        "The cache opens itself",
    )
    if copied_late:
        story.commit("copy", ["base"], work, "Fill a cache first (#11) (#12)")
    if contested == PATH:
        # Main's own line keeps the contested file contested.
        strict = FIRST.replace("read(data)", "read(data, strict=True)")
        return story.commit("main", ["copy"], {PATH: strict}, "Strict")
    # Nothing of the work is contested: both write another file, each its own, or main none at all.
    story.commit("main", ["copy"], {contested: "a = 1\n"} if contested else {}, "Main's own")
    return story.commit("end", ["later"], {contested: "a = 2\n"} if contested else {}, "Dev's own")


def _merged(folder: Path, story: Story, rules: str, *, swap: bool = False) -> dict[str, str | None]:
    tip = "end" if "end" in story.trees else "later"
    ids = build_repository(
        folder / "repo", story.commits, branches={"dev": tip, "main": "main"}, bare=True
    )
    file = folder / "rules.yaml"
    file.write_text(rules)
    sides = (ids["main"], ids[tip]) if swap else (ids[tip], ids["main"])
    settings = Settings(rules=[file], sources=default_sources)
    with plan_merge(Repository.open(folder / "repo"), *sides, settings=settings) as planned:
        assert not [w for w in planned.plan.warnings if "gate" in w]
        found: dict[str, str | None] = {}
        for path in ("pkg/util.py", "conf.ini", "notes/cache.md"):
            text = planned.text(path)
            found[path] = None if text is None else text.decode()
        return found


@pytest.mark.parametrize("swap", [False, True])
def test_clean_places_follow_the_verdict(tmp_path: Path, swap: bool) -> None:
    """Helper, setting and file that dev gave up after main's copy stay away, whichever side is merged."""
    found = _merged(tmp_path, _story(), ALWAYS, swap=swap)
    assert found["pkg/util.py"] == UTIL
    assert found["conf.ini"] == CONFIG.replace("x = 1", "x = 10")
    assert found["notes/cache.md"] is None


@pytest.mark.parametrize("contested", ["", "z.py"])
def test_clean_places_depend_on_no_conflict(tmp_path: Path, contested: str) -> None:
    """Without a conflict, and with one that has nothing to do with the work, the same is decided."""
    found = _merged(tmp_path, _story(contested=contested), ALWAYS)
    assert found["pkg/util.py"] == UTIL
    assert found["conf.ini"] == CONFIG.replace("x = 1", "x = 10")
    assert found["notes/cache.md"] is None


def test_without_the_word_clean_files_are_gits(tmp_path: Path) -> None:
    """A rule that does not say so changes no clean file."""
    found = _merged(tmp_path, _story(), AHEAD)
    assert found["pkg/util.py"] == UTIL + HELPER
    assert found["conf.ini"] == CONFIG.replace("x = 1", "x = 10") + MORE
    assert found["notes/cache.md"] is not None


def test_a_copy_that_is_newer_is_wanted(tmp_path: Path) -> None:
    """Main took the work over after dev had given it up: it knew, so the clean places stay."""
    found = _merged(tmp_path, _story(copied_late=True), ALWAYS)
    assert found["pkg/util.py"] == UTIL + HELPER
    assert found["notes/cache.md"] is not None


def test_only_the_verdicts_that_a_rule_names_count(tmp_path: Path) -> None:
    """Ours is ahead at the clean places; a rule for theirs-ahead does not speak of them."""
    story = _story()
    rules = ALWAYS.replace("[ours-ahead, theirs-ahead]", "[theirs-ahead]")
    assert _merged(tmp_path, story, rules)["pkg/util.py"] == UTIL + HELPER


@pytest.mark.parametrize("contested", [PATH, "", "z.py"])
def test_a_group_is_decided_where_it_merged_cleanly(tmp_path: Path, contested: str) -> None:
    """One rule takes ours for the whole work of a pull request: theirs' part goes from clean files, too."""
    rules = """
version: 1
rules:
  - id: no-cache
    reason: the team does without the cache
    match: {group: "#12"}
    action: take-ours
    when: always
"""
    found = _merged(tmp_path, _story(copied_late=True, contested=contested), rules)
    assert found["pkg/util.py"] == UTIL
    assert found["conf.ini"] == CONFIG.replace("x = 1", "x = 10")
    assert found["notes/cache.md"] is None


@pytest.mark.parametrize(
    ("match", "action"),
    [
        ("{symbol: work}", "take-ours"),
        ("{history: diverged}", "merge-from-common"),
        ("{group: '#1'}", "leave"),
    ],
)
def test_other_symbol_rules_do_not_speak_for_clean_places(
    tmp_path: Path, match: str, action: str
) -> None:
    """A rule that takes no side by history or group cannot say ``when: always``."""
    file = tmp_path / "rules.yaml"
    file.write_text(
        f"version: 1\nrules:\n  - {{id: a, reason: b, match: {match}, action: {action}, when: always}}\n"
    )
    with pytest.raises(RuleFileError):
        load_rules([file])
