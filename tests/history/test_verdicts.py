"""What history says of a symbol that both sides changed, on sealed repositories."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.history.shapes import PATH, Story, body

from mergewright.model.history import EvidenceClass, Standing
from mergewright.model.threeway import Side

BASE = body("total = sum(data)", "return total")
ONE = body("checked = check(data)", "total = sum(checked)", "return total")
TWO = body("checked = check(data)", "total = sum(checked)", "log_the_total(total)", "return total")
THREE = body(
    "checked = check(data)",
    "total = sum(checked)",
    "log_the_total(total, level=3)",
    "return total",
)


def story(dev: list[tuple[str, str, str]], main: list[tuple[str, str, str]]) -> Story:
    """Two lines of (name, text of the file, message) from one base."""
    told = Story().commit("base", files={PATH: BASE})
    for line in (dev, main):
        parent = "base"
        for name, text, message in line:
            told.commit(name, [parent], {PATH: text}, message)
            parent = name
    return told


@pytest.mark.parametrize("flipped", [False, True], ids=["dev-ahead", "main-ahead"])
def test_squash_of_the_first_of_two_changes(tmp_path: Path, flipped: bool) -> None:
    """The side that had the other's state and went on is ahead, with the commits that prove it."""
    chain = [("pr1", ONE, "Check the data"), ("pr2", TWO, "Log the total")]
    squash = [("squash", ONE, "Something else entirely")]
    told = story(squash, chain) if flipped else story(chain, squash)
    built = (
        told.build(tmp_path, "squash", "pr2") if flipped else told.build(tmp_path, "pr2", "squash")
    )
    verdict = built.verdict("work")
    assert verdict.standing is (Standing.THEIRS_AHEAD if flipped else Standing.OURS_AHEAD)
    assert verdict.ahead is (Side.THEIRS if flipped else Side.OURS)
    assert verdict.evidence is EvidenceClass.LINEAGE
    assert built.named(verdict.commits) == ["pr1", "squash", "pr2"]
    assert built.named(verdict.follow_ups) == ["pr2"]


def test_layout_does_not_hide_a_past_state(tmp_path: Path) -> None:
    """A past state counts in any layout: quotes, line breaks, magic commas."""
    loud = ONE.replace("check(data)", "check(data, how='full')")
    black = ONE.replace("check(data)", 'check(\n        data,\n        how="full",\n    )')
    told = story(
        [
            ("pr1", loud, "Check"),
            ("pr2", loud.replace("return total", "return total + 0"), "Go on"),
        ],
        [("squash", black, "Reformatted squash")],
    )
    verdict = told.build(tmp_path, "pr2", "squash").verdict("work")
    assert verdict.standing is Standing.OURS_AHEAD


def test_indentation_is_no_layout(tmp_path: Path) -> None:
    """A statement that left its block is another state, though all its tokens are equal."""
    inside = body("if data:", "    check(data)", "    note(data)", "return data")
    outside = body("if data:", "    check(data)", "note(data)", "return data")
    told = story(
        [("pr1", inside, "In"), ("pr2", inside.replace("return data", "return None"), "On")],
        [("other", outside, "Out")],
    )
    verdict = told.build(tmp_path, "pr2", "other").verdict("work")
    assert verdict.evidence is not EvidenceClass.LINEAGE


def test_newest_common_state_is_the_base(tmp_path: Path) -> None:
    """Both went on from one newer state: diverged, with that state as base."""
    ours = ONE.replace("return total", "return total, len(checked)")
    theirs = ONE.replace("def work(data):", "def work(data, *, strict=True):")
    told = story(
        [("pr1", ONE, "Check"), ("pr2", ours, "Length")],
        [("squash", ONE, "Squashed check"), ("more", theirs, "Strict")],
    )
    built = told.build(tmp_path, "pr2", "more")
    verdict = built.verdict("work")
    assert verdict.standing is Standing.DIVERGED
    assert verdict.base is not None
    assert verdict.base.decode() == ONE
    assert built.named(verdict.commits) == ["pr1", "squash"]
    assert built.named(verdict.follow_ups) == ["pr2", "more"]


def test_a_reverted_sync_decides_nothing(tmp_path: Path) -> None:
    """A state that came with a sync which was reverted as a whole says nothing of the side's will."""
    other = body("total = sum(data)", "note_something(total)", "return total")
    told = story(
        [
            ("sync", ONE, "Pull main into dev (#7)"),
            ("undo", BASE, 'Revert "Pull main into dev (#7)" (#8)'),
            ("pr3", other, "Note something (#9)"),
        ],
        [("check", ONE, "Check the data")],
    )
    built = told.build(tmp_path, "pr3", "check")
    verdict = built.verdict("work")
    assert verdict.ahead is None
    assert "undo" in built.named(verdict.commits)
    assert built.history().newer_base(PATH) is None


def test_a_reverted_change_is_known_to_who_reverted_it(tmp_path: Path) -> None:
    """Ours took the very change back and went another way: ours is ahead."""
    other = body("total = sum(data)", "note_something(total)", "return total")
    told = story(
        [
            ("pr1", ONE, "Check the data (#7)"),
            ("undo", BASE, 'Revert "Check the data (#7)" (#8)'),
            ("pr3", other, "Note something (#9)"),
        ],
        [("squash", ONE, "Land checks")],
    )
    assert told.build(tmp_path, "pr3", "squash").verdict("work").standing is Standing.OURS_AHEAD


def test_a_state_made_by_a_revert_decides_nothing(tmp_path: Path) -> None:
    """Going back to a state is no sign that the other side took it from here."""
    told = story(
        [
            ("pr1", TWO, "Log (#7)"),
            ("undo", ONE, 'Revert "Log (#7)" (#8)'),
            ("pr3", THREE, "Log otherwise (#9)"),
        ],
        [("check", ONE, "Check the data")],
    )
    assert told.build(tmp_path, "pr3", "check").verdict("work").ahead is None


def test_only_comments_differ(tmp_path: Path) -> None:
    """Equal code is the same, and the comment that stood in the other side's past is the older one."""
    first = ONE.replace("    total", "    # Only good values count.\n    total")
    second = ONE.replace("    total", "    # Only good values count, see the manual.\n    total")
    built = story(
        [("pr1", first, "Comment"), ("pr2", second, "Say more")], [("squash", first, "Squash")]
    ).build(tmp_path / "ahead", "pr2", "squash")
    place = "    # Only good values count{}.\n"
    said = built.ask("work", "", place.format(", see the manual"), place.format(""))
    assert said.standing is Standing.OURS_AHEAD
    alone = story([("a", first, "One")], [("b", second, "Two")]).build(tmp_path / "same", "a", "b")
    assert alone.verdict("work").standing is Standing.SAME


def test_newest_common_file_state(tmp_path: Path) -> None:
    """A squashed sync leaves equal files without common ancestry: that state is the base."""
    told = Story().commit("base", files={PATH: BASE})
    told.commit("main1", ["base"], {PATH: ONE}, "Check")
    told.commit("sync", ["base"], {PATH: ONE}, "Squashed sync of main into dev")
    told.commit("dev2", ["sync"], {PATH: TWO}, "Log")
    told.commit("main2", ["main1"], {PATH: ONE.replace("sum", "fsum")}, "Use fsum")
    built = told.build(tmp_path, "dev2", "main2")
    found = built.history().newer_base(PATH)
    assert found is not None
    assert built.named([found.ours, found.theirs]) == ["sync", "main1"]
    assert built.history().facts.read(found.blob).decode() == ONE


def test_landed_from_the_other_side(tmp_path: Path) -> None:
    """Main landed dev's pull request by number and changed it: main is ahead while dev has no more."""
    long = [f"step_{n} = prepare(data, {n})" for n in range(6)]
    mine = body(*long, "return total(step_0)")
    other = mine.replace("step_5 = prepare(data, 5)", "step_5 = finish(data)")
    told = story(
        [("pr1", mine, "Prepare in steps (#31)")], [("land", other, "Prepare in steps (#31) (#47)")]
    )
    verdict = told.build(tmp_path / "a", "pr1", "land").verdict("work")
    assert (verdict.standing, verdict.evidence) == (
        Standing.THEIRS_AHEAD,
        EvidenceClass.PULL_REQUEST,
    )
    more = mine.replace("total(step_0)", "total(step_1)")
    told = story(
        [("pr1", mine, "Prepare in steps (#31)"), ("pr2", more, "Start at one (#52)")],
        [("land", other, "Prepare in steps (#31) (#47)")],
    )
    verdict = told.build(tmp_path / "b", "pr2", "land").verdict("work")
    assert verdict.standing is Standing.OURS_AHEAD


def test_equal_title_with_other_content_is_no_twin(tmp_path: Path) -> None:
    """A title alone ties nothing together."""
    told = story(
        [("a", body("total = fold(data, start)", "return total"), "[Dev] Rework the totals (#11)")],
        [("b", body("return statistics.fsum(values(data))"), "Rework the totals (#12)")],
    )
    verdict = told.build(tmp_path, "a", "b").verdict("work")
    assert verdict.standing is Standing.UNKNOWN
    assert not verdict.twins


def test_nothing_in_common_is_unknown(tmp_path: Path) -> None:
    """Independent changes are left alone."""
    told = story(
        [("a", BASE.replace("sum(data)", "max(data)"), "Use max")],
        [("b", BASE.replace("sum(data)", "min(data)"), "Use min")],
    )
    verdict = told.build(tmp_path, "a", "b").verdict("work")
    assert verdict.standing is Standing.UNKNOWN
    assert verdict.base is None


def test_identical_small_changes_by_chance(tmp_path: Path) -> None:
    """One equal line in two commits of different people makes no twins."""
    told = Story().commit("base", files={PATH: BASE, "v.py": "VERSION = 1\n"})
    told.commit(
        "a",
        ["base"],
        {PATH: BASE.replace("sum(data)", "max(data)"), "v.py": "VERSION = 2\n"},
        "Use max",
        "Ada Example <ada@example.org>",
    )
    told.commit(
        "b",
        ["base"],
        {PATH: BASE.replace("sum(data)", "min(data)"), "v.py": "VERSION = 2\n"},
        "Use min",
        "Bob Example <bob@example.org>",
    )
    built = told.build(tmp_path, "a", "b")
    assert built.history().twins.twins == ()


def test_symbol_renamed_on_one_side(tmp_path: Path) -> None:
    """The lineage of a symbol goes on under its earlier name."""
    long = [f"step_{n} = prepare(data, {n})" for n in range(6)]
    old = body(*long, "return total(step_0)", name="work")
    renamed = old.replace("def work", "def compute")
    told = Story().commit("base", files={PATH: BASE})
    told.commit("pr1", ["base"], {PATH: BASE + "\n\n" + old.replace("work", "extra")}, "Add extra")
    told.commit("pr2", ["pr1"], {PATH: BASE + "\n\n" + renamed}, "Name it compute")
    told.commit(
        "pr3", ["pr2"], {PATH: BASE + "\n\n" + renamed.replace("step_0)", "step_5)")}, "Fix it"
    )
    told.commit("main1", ["base"], {PATH: BASE + "\n\n" + renamed}, "Land compute")
    built = told.build(tmp_path, "pr3", "main1")
    verdict = built.verdict("compute")
    assert verdict.standing is Standing.OURS_AHEAD
    ours, _ = built.history().lineages(PATH, "compute")
    assert [(built.names[s.commit], s.name) for s in ours.steps] == [
        ("pr1", "extra"),
        ("pr2", "compute"),
        ("pr3", "compute"),
    ]


def test_file_renamed_on_one_side(tmp_path: Path) -> None:
    """The lineage of a symbol goes on under the file's earlier name."""
    filler = "".join(f"\n\ndef part_{n}(x):\n    return x * {n}\n" for n in range(8))
    told = Story().commit("base", files={"pkg/old.py": BASE + filler})
    told.commit("pr1", ["base"], {"pkg/old.py": ONE + filler}, "Check")
    told.commit("move", ["pr1"], {"pkg/old.py": None, PATH: ONE + filler}, "Move the module")
    told.commit("pr2", ["move"], {PATH: TWO + filler}, "Log")
    told.commit("squash", ["base"], {"pkg/old.py": ONE + filler}, "Squashed")
    verdict = told.build(tmp_path, "pr2", "squash").verdict("work")
    assert verdict.standing is Standing.OURS_AHEAD


def test_a_merge_owns_only_what_was_typed_in_it(tmp_path: Path) -> None:
    """What a sync merge brought from main is not dev's own work."""
    told = Story().commit("base", files={PATH: BASE})
    told.commit("main1", ["base"], {PATH: ONE}, "Check on main")
    told.commit("dev1", ["base"], {"other.py": "x = 1\n"}, "Dev work")
    told.commit("sync", ["dev1", "main1"], {PATH: ONE}, "Merge main into dev")
    told.commit("dev2", ["sync"], {PATH: TWO}, "Log on dev")
    told.commit("main2", ["main1"], {PATH: ONE.replace("sum", "fsum")}, "Use fsum")
    built = told.build(tmp_path, "dev2", "main2")
    ours, theirs = built.history().lineages(PATH, "work")
    assert built.named([s.commit for s in ours.steps if not s.foreign]) == ["dev2"]
    assert built.named(ours.origin.commits) == ["dev2"]
    assert built.named(theirs.origin.commits) == ["main2"]


@pytest.mark.parametrize("flipped", [False, True], ids=["ours-deleted", "theirs-deleted"])
def test_deletion_names_the_commit(tmp_path: Path, flipped: bool) -> None:
    """Deleted on one side, changed on the other: nobody is ahead, and the deletion has an id."""
    kept = "\n\ndef keep(x):\n    return x\n"
    told = Story().commit("base", files={PATH: BASE + kept})
    told.commit("gone", ["base"], {PATH: kept.lstrip()}, "Remove work")
    told.commit("edit", ["base"], {PATH: ONE + kept}, "Check the data")
    built = told.build(tmp_path, *(("edit", "gone") if flipped else ("gone", "edit")))
    verdict = built.verdict("work")
    assert verdict.standing is Standing.DIVERGED
    assert built.named(verdict.commits) == ["gone", "edit"]


def test_place_inside_a_symbol(tmp_path: Path) -> None:
    """A place follows its symbol: the whole state proves the side that is ahead."""
    built = story(
        [("pr1", ONE, "Check"), ("pr2", TWO, "Log"), ("pr3", THREE, "Level")],
        [("squash", TWO, "Squash of two")],
    ).build(tmp_path, "pr3", "squash")
    verdict = built.ask(
        "work", "", "    log_the_total(total, level=3)\n", "    log_the_total(total)\n"
    )
    assert verdict.standing is Standing.OURS_AHEAD
    assert verdict.base is None


def made_again() -> Story:
    """Ours goes on by three commits, then by one with the title of the second; theirs has the third."""
    first = body("one(data)", "two(data)", "return three(data)")
    second = first.replace("two(data)", "two(data, depth=4)")
    third = second.replace("return three(data)", "return three(data, order='name')")
    return (
        Story()
        .commit("base", files={PATH: body("return data")})
        .commit("a", ["base"], {PATH: first}, "Write it in three steps")
        .commit("b", ["a"], {PATH: second}, "Go four levels deep")
        .commit("c", ["b"], {PATH: third}, "Sort what comes out")
        .commit("again", ["c"], {PATH: second}, "Go four levels deep")
        .commit("t", ["base"], {PATH: third}, "Three steps, sorted")
    )


def test_a_branch_that_was_rebased_upon_itself_did_not_go_on(tmp_path: Path) -> None:
    """Commits with author, time and title of earlier ones of the same side are no follow-ups."""
    story = made_again()
    again = next(spec for spec in story.commits if spec.name == "again")
    made = next(spec for spec in story.commits if spec.name == "b")
    story.commits[story.commits.index(again)] = replace(again, time=made.time)
    verdict = story.build(tmp_path, "again", "t").verdict("work")
    assert verdict.standing is Standing.DIVERGED
    assert "made before" in verdict.reason


def test_the_same_title_at_another_time_is_a_follow_up(tmp_path: Path) -> None:
    """A second commit of one title, made later, is work of its own."""
    told = made_again().build(tmp_path, "again", "t")
    assert told.verdict("work").standing is Standing.OURS_AHEAD


def test_a_squash_that_names_the_follow_up_knew_it(tmp_path: Path) -> None:
    """Its message lists the follow-up's title: what it left out it left out knowingly."""
    first = body("one(data)", "two(data)", "return three(data)")
    second = first.replace("two(data)", "two(data, depth=4)")
    for number, message in enumerate(
        (
            "Three steps\n\n* write it in three steps\n* go four levels deep",
            "Three steps\n\n* write it in three steps",
        )
    ):
        told = (
            Story()
            .commit("base", files={PATH: body("return data")})
            .commit("a", ["base"], {PATH: first}, "Write it in three steps")
            .commit("b", ["a"], {PATH: second}, "Go four levels deep")
            .commit("t", ["base"], {PATH: first}, message)
            .build(tmp_path / str(number), "b", "t")
        )
        wanted = Standing.OURS_AHEAD if number else Standing.DIVERGED
        assert told.verdict("work").standing is wanted
