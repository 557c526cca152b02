"""Rules by history and group also decide places that git merged cleanly (``when: always``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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

GROUP = """
version: 1
rules:
  - id: no-cache
    reason: the team does without the cache
    match: {group: "#12"}
    action: take-ours
    when: always
"""

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


def _merged(
    folder: Path,
    story: Story,
    rules: str,
    *,
    swap: bool = False,
    warnings: list[str] | None = None,
    paths: Sequence[str] = ("pkg/util.py", "conf.ini", "notes/cache.md"),
) -> dict[str, str | None]:
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
        if warnings is not None:
            warnings += planned.plan.warnings
        found: dict[str, str | None] = {}
        for path in paths:
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


IMPORTS = [
    "from pkg.util import keep, open_cache\n\nCACHE = open_cache('a')\n",
    "from pkg import util\n\nCACHE = util.open_cache('a')\n",
    "import pkg.util as u\n\nCACHE = u.open_cache('a')\n",
    "def run():\n    from .util import open_cache\n    return open_cache('a')\n",
    "from pkg.util import *\n\nCACHE = open_cache('a')\n",
]


def _read_by(story: Story, text: str, name: str = "pkg/use.py") -> Story:
    """Main goes on with a file of its own."""
    story.commits[-1] = replace(story.commits[-1], name="before")
    story.trees["before"] = story.trees["main"]
    return story.commit("main", ["before"], {name: text, "pkg/__init__.py": ""}, "Use it")


def test_a_name_that_goes_through_a_star_import_is_not_taken_away(tmp_path: Path) -> None:
    """The package passes on all that the file has."""
    story = _read_by(_story(), "from pkg import open_cache\n")
    story.commits[-1] = replace(story.commits[-1], name="use")
    story.trees["use"] = story.trees["main"]
    story.commit("main", ["use"], {"pkg/__init__.py": "from pkg.util import *\n"}, "Pass on")
    assert _merged(tmp_path, story, ALWAYS)["pkg/util.py"] == UTIL + HELPER


def test_a_module_that_another_file_imports_is_not_taken_away(tmp_path: Path) -> None:
    """Dev gave the whole file up, main uses its copy elsewhere."""
    text = HELPER.lstrip() + "\n\n" + UTIL
    story = Story().commit("base", files={"pkg/__init__.py": "", "a.py": "a = 1\n"})
    story.commit("work", ["base"], {"pkg/cache.py": text}, "A cache of its own (#21)")
    story.commit("copy", ["base"], {"pkg/cache.py": text}, "A cache of its own (#21) (#22)")
    story.commit("later", ["work"], {"pkg/cache.py": None}, "No cache any more")
    story.commit("main", ["copy"], {"pkg/use.py": "import pkg.cache\n"}, "Use it")
    rules = GROUP.replace("#12", "#22")
    for name, use in (("unused", None), ("used", "import pkg.cache\n")):
        (tmp_path / name).mkdir()
        told = Story([*story.commits], {**story.trees})
        told.commits.pop()
        told.commit("main", ["copy"], {"pkg/use.py": use, "b.py": "b = 1\n"}, "Main's own")
        for rule in (ALWAYS, rules):
            folder = tmp_path / name / ("history" if rule is ALWAYS else "group")
            folder.mkdir()
            found = _merged(folder, told, rule, paths=("pkg/cache.py",))
            assert found == {"pkg/cache.py": text if use else None}


@pytest.mark.parametrize("use", IMPORTS)
@pytest.mark.parametrize("rules", [ALWAYS, GROUP])
def test_a_name_that_another_file_imports_is_not_taken_away(
    tmp_path: Path, use: str, rules: str
) -> None:
    """The file stays as git merged it, with a warning; the others follow the rule."""
    warnings: list[str] = []
    found = _merged(tmp_path, _read_by(_story(), use), rules, warnings=warnings)
    assert found["pkg/util.py"] == UTIL + HELPER
    assert found["notes/cache.md"] is None
    (warning,) = [text for text in warnings if text.startswith("pkg/util.py: ")]
    assert "pkg/use.py imports `open_cache`" in warning


@pytest.mark.parametrize(
    "use",
    [
        "from pkg.util import keep\n\nOPEN = keep(1)  # no open_cache\n",
        "from pkg.other import open_cache\n",
        "def open_cache(a): ...\n\nCACHE = open_cache('a')\n",
    ],
)
def test_a_name_of_its_own_is_no_reader(tmp_path: Path, use: str) -> None:
    """Only an import of what goes away keeps it."""
    assert _merged(tmp_path, _read_by(_story(), use), ALWAYS)["pkg/util.py"] == UTIL


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
    found = _merged(tmp_path, _story(copied_late=True, contested=contested), GROUP)
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
