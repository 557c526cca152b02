"""The order of the cascade, its gates, and the invariants that hold whatever an engine says."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mergewright.model.conflict import (
    MODE_EXECUTABLE,
    MODE_REGULAR,
    MODE_SUBMODULE,
    MODE_SYMLINK,
    Conflict,
    ConflictKind,
    FileVersion,
)
from mergewright.model.history import HistorySource
from mergewright.model.merge import Contested, Decider, FileMerge, Question
from mergewright.model.resolution import (
    Decision,
    Deferred,
    Evidence,
    EvidenceKind,
    Failed,
    GateResult,
    Outcome,
    Resolved,
)
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.cascade import BudgetExceeded, Cascade, Rebased, both_ways
from mergewright.resolve.engines import GitText, is_python, merge_by_lines

LABELS = ThreeWay(base="base", ours="dev", theirs="main")


def version(data: bytes, *, path: str = "f.txt", mode: int = MODE_REGULAR) -> FileVersion:
    return FileVersion(path=path, mode=mode, oid=f"{hash(data) & 0xFFFFFFFF:040x}", data=data)


def conflict(
    base: bytes | FileVersion | None,
    ours: bytes | FileVersion | None,
    theirs: bytes | FileVersion | None,
    *,
    kind: ConflictKind = ConflictKind.BOTH_MODIFIED,
    path: str = "f.txt",
    related: tuple[str, ...] = (),
) -> Conflict:
    def wrap(value: bytes | FileVersion | None) -> FileVersion | None:
        return version(value, path=path) if isinstance(value, bytes) else value

    return Conflict(
        path=path,
        kind=kind,
        versions=ThreeWay(base=wrap(base), ours=wrap(ours), theirs=wrap(theirs)),
        related=related,
    )


@dataclass(frozen=True)
class Rule:
    """A file rule of the tests."""

    action: str
    id: str = "r1"
    reason: str = "The team wants it so."
    evidence: tuple[Evidence, ...] = (Evidence(kind=EvidenceKind.RULE, text="rule r1"),)

    @property
    def side(self) -> Side | None:
        sides = {"take-ours": Side.OURS, "pinned": Side.OURS, "take-theirs": Side.THEIRS}
        return sides.get(self.action)


@dataclass(frozen=True)
class Book:
    """A rule book with one file rule for everything."""

    rule: Rule | None = None

    def for_path(self, conflict: Conflict) -> Rule | None:
        return self.rule

    def decider(
        self, path: str, history: HistorySource | None = None, *, groups: bool = False
    ) -> Decider:
        return Named("groups" if groups else "rules")


@dataclass(frozen=True)
class Named:
    """A decider that only has a name."""

    name: str

    def decide(self, question: Question) -> None:
        return None


CONTESTED = conflict(b"a\nb\nc\n", b"a\nB\nc\n", b"a\nX\nc\n")
PLACE = Contested(
    symbol="f",
    kind="both-changed",
    versions=ThreeWay(base=b"b\n", ours=b"B\n", theirs=b"X\n"),
    reason="both changed the statement",
)


def engine_giving(merge: FileMerge) -> object:
    return lambda path, texts, deciders: merge


def test_deciders_are_asked_in_the_order_of_the_cascade() -> None:
    """The rules on whole groups, then history, then the rule file's symbols, then memory."""
    seen: list[str] = []

    def engine(path: str, texts: ThreeWay[bytes | None], deciders: Sequence[Decider]) -> FileMerge:
        seen.extend(getattr(d, "name", "") for d in deciders)
        return FileMerge(pieces=(b"x",))

    Cascade(
        labels=LABELS,
        rules=Book(),
        history=lambda c: [Named("history")],
        memory=lambda c: [Named("memory")],
        engine=engine,
    ).resolve(CONTESTED)
    assert seen == ["groups", "history", "rules", "memory"]


@pytest.mark.parametrize(
    ("action", "data"),
    [("take-ours", b"a\nB\nc\n"), ("pinned", b"a\nB\nc\n"), ("take-theirs", b"a\nX\nc\n")],
)
def test_file_rule_speaks_before_any_engine(action: str, data: bytes) -> None:
    """A file rule takes the whole side; the rule and its reason stand in the decision."""
    outcome = Cascade(labels=LABELS, rules=Book(Rule(action))).resolve(CONTESTED)
    assert isinstance(outcome, Resolved)
    assert (outcome.data, outcome.strategy) == (data, action)
    assert (outcome.decisions[0].rule, outcome.decisions[0].reason) == (
        "r1",
        "The team wants it so.",
    )


def test_file_is_not_taken_over_a_folder() -> None:
    """A rule that takes a file where the other side has a folder is not followed: files are lost."""
    found = Cascade(labels=LABELS, rules=Book(Rule("take-theirs"))).resolve(
        conflict(None, None, b"x", kind=ConflictKind.DIRECTORY_FILE, path="d~main")
    )
    assert isinstance(found, Deferred)
    assert "files of the folder would be lost" in found.reason


def test_leave_rule_leaves_the_path() -> None:
    """A rule that leaves a path defers it and names itself."""
    outcome = Cascade(labels=LABELS, rules=Book(Rule("leave"))).resolve(CONTESTED)
    assert isinstance(outcome, Deferred)
    assert outcome.data is None
    assert outcome.decisions[0].rule == "r1"
    assert "r1" in outcome.reason


def test_union_rule_keeps_both_sides_lines() -> None:
    """Union puts ours' lines before theirs' and adds a missing line end between."""
    outcome = Cascade(labels=LABELS, rules=Book(Rule("union"))).resolve(
        conflict(b"a\n", b"a\nours", b"a\ntheirs\n")
    )
    assert isinstance(outcome, Resolved)
    assert outcome.data == b"a\nours\ntheirs\n"
    assert outcome.decisions[-1].rule == "r1"


def test_a_crashing_engine_fails_its_path_only() -> None:
    """Our own fault is a value with its traceback, not an exception."""

    def engine(*args: object) -> FileMerge:
        raise RecursionError("too deep")

    outcome = Cascade(labels=LABELS, engine=engine).resolve(CONTESTED)
    assert isinstance(outcome, Failed)
    assert outcome.error == "RecursionError: too deep"
    assert "engine" in outcome.traceback


def test_spent_budget_falls_back_to_lines_and_says_so() -> None:
    """A file that takes too long is merged by lines, with a note."""

    def engine(*args: object) -> FileMerge:
        raise BudgetExceeded("10 s are over")

    outcome = Cascade(labels=LABELS, engine=engine).resolve(CONTESTED)
    assert isinstance(outcome, Deferred)
    assert outcome.strategy == "lines"
    assert outcome.notes == ("10 s are over; merged by lines instead",)


def test_gates_that_take_too_long_are_not_passed() -> None:
    """An answer whose gates did not come to an end becomes git's own conflict."""

    def gates(*args: object) -> tuple[GateResult, ...]:
        raise BudgetExceeded("30 s are over")

    outcome = Cascade(
        labels=LABELS,
        engine=engine_giving(FileMerge(pieces=(b"answer",))),  # type: ignore[arg-type]
        gates=gates,
    ).resolve(CONTESTED)
    assert isinstance(outcome, Deferred)
    assert outcome.reason == "gate time failed: 30 s are over"


def test_failing_gate_gives_gits_conflict_and_names_the_gate() -> None:
    """An answer that fails a gate is thrown away: git's own text, the gate named."""
    git = GitText(data=b"git's text\n", open_places=2, contested_lines=4)
    outcome = Cascade(
        labels=LABELS,
        engine=engine_giving(FileMerge(pieces=(b"answer",))),  # type: ignore[arg-type]
        git_text=lambda c: git,
        gates=lambda *args: (GateResult(gate="parses", passed=False, detail="line 3"),),
    ).resolve(CONTESTED)
    assert isinstance(outcome, Deferred)
    assert (outcome.data, outcome.open_places) == (b"git's text\n", 2)
    assert outcome.reason == "gate parses failed: line 3"
    assert not outcome.gates[0].passed


def test_larger_conflict_than_gits_is_thrown_away() -> None:
    """Never worse than git: with more contested lines than git's own conflict, git's is used."""
    git = GitText(data=b"git's text\n", open_places=1, contested_lines=1)
    outcome = Cascade(
        labels=LABELS,
        engine=engine_giving(FileMerge(pieces=(PLACE,))),  # type: ignore[arg-type]
        git_text=lambda c: git,
    ).resolve(CONTESTED)
    assert isinstance(outcome, Deferred)
    assert (outcome.data, outcome.strategy) == (b"git's text\n", "git")
    equal = replace(git, contested_lines=2)
    kept = Cascade(
        labels=LABELS,
        engine=engine_giving(FileMerge(pieces=(PLACE,))),  # type: ignore[arg-type]
        git_text=lambda c: equal,
    ).resolve(CONTESTED)
    assert isinstance(kept, Deferred)
    assert kept.data is not None
    assert b"<<<<<<< dev f: both changed the statement" in kept.data


LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n"]), max_size=6).map(b"".join)


@settings(max_examples=60)
@given(base=LINES, ours=LINES, theirs=LINES, limit=st.integers(0, 6))
def test_contested_lines_never_exceed_gits(
    base: bytes, ours: bytes, theirs: bytes, limit: int
) -> None:
    """Whatever the texts, what is left open is at most what git would leave."""
    git = GitText(data=b"git", open_places=1, contested_lines=limit)
    outcome = Cascade(labels=LABELS, git_text=lambda c: git).resolve(conflict(base, ours, theirs))
    if isinstance(outcome, Deferred) and outcome.strategy != "git":
        places = merge_by_lines(ThreeWay(base=base, ours=ours, theirs=theirs)).contested
        lines = sum(p.versions.ours.count(b"\n") + p.versions.theirs.count(b"\n") for p in places)
        assert lines <= limit


def test_marker_like_text_gets_longer_markers() -> None:
    """A file that holds marker-like lines gets markers that can be told from them."""
    outcome = Cascade(labels=LABELS).resolve(
        conflict(b"=======\nb\n", b"=======\nB\n", b"=======\nX\n")
    )
    assert isinstance(outcome, Deferred)
    assert outcome.data is not None
    assert outcome.data.startswith(b"=======\n<<<<<<<< dev")


def test_both_added_with_equal_content_is_settled() -> None:
    """Both sides added the same file: there is nothing to decide."""
    outcome = Cascade(labels=LABELS).resolve(
        conflict(None, b"same\n", b"same\n", kind=ConflictKind.BOTH_ADDED)
    )
    assert isinstance(outcome, Resolved)
    assert outcome.strategy == "same"


def test_one_sided_mode_change_follows_and_content_merges() -> None:
    """A mode changed by one side goes with the merged content."""
    outcome = Cascade(labels=LABELS).resolve(
        conflict(b"a\nb\nc\n", version(b"A\nb\nc\n", mode=MODE_EXECUTABLE), b"a\nb\nC\n")
    )
    assert isinstance(outcome, Resolved)
    assert (outcome.data, outcome.mode) == (b"A\nb\nC\n", MODE_EXECUTABLE)


def test_both_added_with_different_modes_keeps_the_mode_open() -> None:
    """The text merges, the mode is contested: the path stays open and says so."""
    outcome = Cascade(labels=LABELS).resolve(
        conflict(
            None,
            version(b"x\n", mode=MODE_EXECUTABLE),
            version(b"x\n"),
            kind=ConflictKind.BOTH_ADDED,
        )
    )
    assert isinstance(outcome, Deferred)
    assert outcome.data == b"x\n"
    assert "an executable file" in outcome.reason


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (
            conflict(b"a\n", None, b"b\n", kind=ConflictKind.DELETED_BY_OURS),
            "Ours (dev) deleted it and theirs (main) changed it.",
        ),
        (
            conflict(b"a\n", b"b\n", None, kind=ConflictKind.DELETED_BY_THEIRS),
            "Ours (dev) changed it and theirs (main) deleted it.",
        ),
        (
            conflict(b"a\0", b"b\0", b"c\0", kind=ConflictKind.BINARY),
            "Binary content cannot be combined: ours (dev) changed it and theirs (main) changed it.",
        ),
        (
            conflict(
                version(b"t", mode=MODE_SYMLINK),
                version(b"../../etc", mode=MODE_SYMLINK),
                version(b"v", mode=MODE_SYMLINK),
                kind=ConflictKind.SYMLINK,
            ),
            (
                "A symbolic link has one target: ours (dev) points to ../../etc and theirs (main) "
                "points to v."
            ),
        ),
        (
            conflict(
                b"t",
                version(b"v", mode=MODE_SYMLINK),
                b"u",
                kind=ConflictKind.SYMLINK,
            ),
            "Ours (dev) made it a symbolic link and changed it and theirs (main) changed it.",
        ),
        (
            conflict(
                version(b"a", path="old.py"),
                version(b"a", path="one.py"),
                version(b"a", path="two.py"),
                kind=ConflictKind.RENAMED_BY_BOTH,
            ),
            "Ours (dev) renamed it to one.py and theirs (main) renamed it to two.py.",
        ),
        (
            conflict(None, b"x", b"y", kind=ConflictKind.DIRECTORY_FILE),
            (
                "One side has a file where the other has a directory: ours (dev) added it as a file "
                "and theirs (main) added it as a file."
            ),
        ),
        (
            conflict(None, b"x", b"y", kind=ConflictKind.CASE_ONLY, related=("F.txt",)),
            "Names that differ in case only clash on some file systems: F.txt, f.txt.",
        ),
        (
            conflict(None, b"x", b"y", kind=ConflictKind.RENAME_COLLISION, path="a\nb"),
            (
                "Two different files want the name a\\nb: ours (dev) added it as a file and theirs "
                "(main) added it as a file."
            ),
        ),
    ],
)
def test_tree_conflicts_name_who_did_what(case: Conflict, words: str) -> None:
    """A tree conflict is left as git left it; the reason names what each side did."""
    outcome = Cascade(labels=LABELS).resolve(case)
    assert isinstance(outcome, Deferred)
    assert outcome.data is None
    assert outcome.reason == words


def test_submodule_moved_by_both_names_the_commits() -> None:
    """A submodule moved by both is left, a rule can take one side's commit."""

    def sub(oid: str) -> FileVersion:
        return FileVersion(path="sub", mode=MODE_SUBMODULE, oid=oid * 40, data=b"")

    case = conflict(sub("1"), sub("2"), sub("3"), kind=ConflictKind.SUBMODULE, path="sub")
    outcome = Cascade(labels=LABELS).resolve(case)
    assert isinstance(outcome, Deferred)
    assert "222222222222" in outcome.reason
    assert "333333333333" in outcome.reason
    taken = Cascade(labels=LABELS, rules=Book(Rule("take-theirs"))).resolve(case)
    assert isinstance(taken, Resolved)
    assert (taken.oid, taken.data, taken.mode) == ("3" * 40, None, MODE_SUBMODULE)


def test_taking_the_side_that_deleted_deletes() -> None:
    """A rule that takes the deleting side removes the path."""
    case = conflict(b"a\n", None, b"b\n", kind=ConflictKind.DELETED_BY_OURS)
    outcome = Cascade(labels=LABELS, rules=Book(Rule("take-ours"))).resolve(case)
    assert isinstance(outcome, Resolved)
    assert outcome.data is None
    assert outcome.oid is None


def test_rename_merges_under_the_new_name_and_drops_the_old() -> None:
    """Ours renamed, theirs changed: the merged text goes to the new name."""
    case = conflict(
        version(b"a\nb\nc\n", path="old.txt"),
        version(b"A\nb\nc\n", path="new.txt"),
        version(b"a\nb\nC\n", path="old.txt"),
        kind=ConflictKind.RENAMED_BY_OURS,
        path="new.txt",
        related=("old.txt",),
    )
    outcome = Cascade(labels=LABELS).resolve(case)
    assert isinstance(outcome, Resolved)
    assert (outcome.path, outcome.data, outcome.drop) == ("new.txt", b"A\nb\nC\n", ("old.txt",))


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("a.py", b"", True),
        ("a.pyi", b"", True),
        ("tool", b"#!/usr/bin/env python3\n", True),
        ("tool", b"#!/bin/sh\n", False),
        ("tool.txt", b"#!/usr/bin/env python3\n", False),
        ("tool", b"", False),
    ],
)
def test_python_is_known_by_suffix_or_first_line(path: str, text: bytes, expected: bool) -> None:
    """Scripts without a suffix are Python when their first line says so."""
    assert is_python(path, ThreeWay(base=None, ours=text, theirs=text)) is expected


@pytest.mark.parametrize(
    ("gate", "ours", "theirs", "holds"),
    [
        ("parse", "", "bad", False),
        ("duplicate-definition", "defined twice: f", "", False),
        ("undefined-name", "undefined: x", "", True),
        ("undefined-name", "undefined: x, y", "undefined: y", False),
        ("conservation", "lost: theirs_f", "lost: ours_f", True),
        ("conservation", "", "", True),
    ],
)
def test_gates_of_an_open_merge_judge_what_was_settled(
    gate: str, ours: str, theirs: str, holds: bool
) -> None:
    """With open places both completions are tested; what only one lacks may still come."""

    def word(detail: str) -> tuple[GateResult, ...]:
        return (GateResult(gate=gate, passed=not detail, detail=detail),)

    assert both_ways(word(ours), word(theirs))[0].passed is holds


def test_open_merge_that_fails_a_gate_becomes_gits_conflict() -> None:
    """Also what is settled beside an open place must pass the gates."""
    merge = FileMerge(pieces=(b"broken(\n", PLACE), method="python")
    outcome = Cascade(
        labels=LABELS,
        engine=engine_giving(merge),  # type: ignore[arg-type]
        git_text=lambda c: GitText(data=b"git", open_places=1, contested_lines=9),
    ).resolve(conflict(b"b = 1\n", b"B = 1\n", b"X = 1\n", path="a.py"))
    assert isinstance(outcome, Deferred)
    assert (outcome.data, outcome.strategy) == (b"git", "gate-parse")


def test_gates_that_only_one_completion_reaches_are_heard() -> None:
    """A completion that does not parse has one gate, the other all: the text is not believed."""
    parsed = (GateResult(gate="parse", passed=True), GateResult(gate="names", passed=True))
    broken = (GateResult(gate="parse", passed=False, detail="no"),)
    assert [g.passed for g in both_ways(parsed, broken)] == [False, True]
    assert [g.passed for g in both_ways(broken, parsed)] == [False, True]


def test_path_left_by_a_gate_shows_markers_where_git_has_none() -> None:
    """Git's text is clean, ours failed a gate: the worktree must show that the path is contested."""
    texts = (b"import os\na = 1\nend\n", b"import os\nb = 1\nend\n", b"import os\na = 1\nc\nend\n")
    outcome = Cascade(
        labels=LABELS,
        engine=engine_giving(FileMerge(pieces=(b"answer",))),  # type: ignore[arg-type]
        git_text=lambda c: GitText(data=b"b = 1\nc\n", open_places=0, contested_lines=0),
        gates=lambda *args: (GateResult(gate="names", passed=False, detail="a is gone"),),
    ).resolve(conflict(*texts))
    assert isinstance(outcome, Deferred)
    assert outcome.open_places == 1
    assert outcome.data is not None
    lines = outcome.data.split(b"\n")
    assert lines[0] == b"import os"
    assert lines[1].startswith(b"<<<<<<< ")
    assert b"a is gone" in lines[1]
    assert lines[-2:] == [b"end", b""]
    assert b"\nb = 1\n|||||||" in outcome.data
    assert b"=======\na = 1\nc\n>>>>>>>" in outcome.data


@pytest.mark.parametrize(
    ("held", "wanted"),
    [
        ({"old", "new"}, "plain = 1\n"),  # the merge from the merge base holds against both
        ({"old"}, None),  # the newer base forbids it: a person decides
    ],
)
def test_two_bases_must_agree_on_a_clean_text(held: set[str], wanted: str | None) -> None:
    """Where the newer base's text fails against the merge base, the plain merge stands if both bear it."""
    old, new = b"old = 1\n", b"new = 1\n"
    contested = conflict(old, b"ours = 1\n", b"theirs = 1\n", path="f.py")
    rebased = replace(
        contested, versions=replace(contested.versions, base=version(new, path="f.py"))
    )

    def engine(path: str, texts: ThreeWay[bytes | None], deciders: Sequence[Decider]) -> FileMerge:
        del path, deciders
        text = b"plain = 1\n" if texts.base == old else b"rebased = 1\n"
        return FileMerge(pieces=(text,), method="python")

    def gates(
        path: str, text: bytes, texts: ThreeWay[bytes | None], decisions: Sequence[Decision]
    ) -> tuple[GateResult, ...]:
        del path, decisions
        base = "old" if texts.base == old else "new"
        passed = base == "new" if text == b"rebased = 1\n" else base in held
        return (GateResult(gate="conservation", passed=passed, detail=base),)

    said = Decision(
        symbol="",
        outcome=Outcome.RESOLVED,
        strategy="newest-common-state",
        side=Side.BOTH,
        reason="Both sides had it.",
        evidence=(),
    )
    outcome = Cascade(
        labels=LABELS,
        rebase=lambda _: Rebased(conflict=rebased, decision=said),
        engine=engine,
        gates=gates,
    ).resolve(contested)
    if wanted is None:
        assert isinstance(outcome, Deferred)
        assert outcome.strategy == "gate-conservation"
    else:
        assert isinstance(outcome, Resolved)
        assert outcome.data == wanted.encode()
        assert not outcome.decisions
