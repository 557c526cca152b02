"""Rules that look at the whole merge, on small repositories."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
from tests.support import SCHEMA

from mergewright.git.repository import Repository
from mergewright.model.conflict import (
    MODE_EXECUTABLE,
    MODE_REGULAR,
    Conflict,
    ConflictKind,
    FileVersion,
)
from mergewright.model.merge import Contested, FileMerge
from mergewright.model.plan import MergePlan, PathPlan
from mergewright.model.resolution import (
    Deferred,
    EvidenceKind,
    GateResult,
    PathOutcome,
    Resolved,
)
from mergewright.model.threeway import ThreeWay
from mergewright.rules.stepedit import StepEdit
from mergewright.testing import Sandbox, SandboxRepository
from mergewright.workflows.edits import with_edits
from mergewright.workflows.resolving import Settings, plan_merge


def planned(repo: SandboxRepository, folder: Path, rules: str) -> MergePlan:
    file = folder / "rules.yaml"
    file.write_text(f"version: 1\nrules:\n{rules}", encoding="utf-8")
    settings = Settings(rules=(file,))
    with plan_merge(Repository.open(repo.path), "dev", "main", settings=settings) as plan:
        jsonschema.validate(plan.report(), SCHEMA)
        return plan.plan


def outcome(plan: MergePlan, path: str) -> Resolved | Deferred:
    found = next(entry.outcome for entry in plan.paths if entry.path == path)
    assert isinstance(found, Resolved | Deferred)
    return found


NEED = (
    "  - {{id: need, reason: stands unless needed, match: {{kind: [deleted-by-ours, "
    "deleted-by-theirs]}}, action: by-need, needed: {}}}\n"
)


@pytest.mark.parametrize(
    ("needed", "expected"), [("keep", b"x = 1\ny = 2\nz = 4\n"), ("leave", None)]
)
def test_deletion_against_change(
    repository: SandboxRepository, tmp_path: Path, needed: str, expected: bytes | None
) -> None:
    """The deletion stands with its commit; a file that is still imported is kept, or left."""
    text = "x = 1\ny = 2\nz = 3\n"
    repository.three_way(
        {"gone.py": text, "used.py": text, "app.py": "import used\n"},
        {"gone.py": text.replace("3", "4"), "used.py": text.replace("3", "4")},
        {"gone.py": None, "used.py": None},
    )
    plan = planned(repository, tmp_path, NEED.format(needed))
    gone = outcome(plan, "gone.py")
    assert isinstance(gone, Resolved)
    assert gone.data is None
    theirs = repository.oid("main")
    assert gone.decisions[0].evidence[-1].kind is EvidenceKind.COMMIT
    assert gone.decisions[0].evidence[-1].commits == (theirs,)
    assert "nothing in the merged tree refers to it" in gone.decisions[0].reason
    used = outcome(plan, "used.py")
    assert "needed by app.py (imports used)" in used.decisions[0].reason
    assert (used.data if isinstance(used, Resolved) else None) == expected
    assert plan.warnings == ()


@pytest.fixture
def repository(tmp_path: Path) -> SandboxRepository:
    return Sandbox(tmp_path).repository()


def test_steps_follow_a_taken_file_and_a_clean_one(
    repository: SandboxRepository, tmp_path: Path
) -> None:
    """A file taken from theirs and one that merged cleanly are both renamed; dev's own is not."""
    base = {"taken.py": "a = 1\n", "clean.py": "b = 1\n", "own.py": "c = 1\n"}
    repository.three_way(
        base,
        {"taken.py": "a = args.dynamic\n", "own.py": "c = args.hybrid\n"},
        {"taken.py": "a = args.hybrid\n", "clean.py": "b = args.hybrid\n"},
    )
    plan = planned(
        repository,
        tmp_path,
        "  - {id: take, reason: main's, match: {path: taken.py}, action: take-theirs}\n"
        "  - {id: ren, reason: old name, match: {path: '**'}, action: rename, "
        "from: args.hybrid, to: args.dynamic, forms: attribute}\n",
    )
    assert [entry.path for entry in plan.paths] == ["clean.py", "taken.py"]
    clean, taken = outcome(plan, "clean.py"), outcome(plan, "taken.py")
    assert isinstance(clean, Resolved)
    assert isinstance(taken, Resolved)
    assert (clean.data, taken.data) == (b"b = args.dynamic\n", b"a = args.dynamic\n")
    assert [d.rule for d in taken.decisions] == ["take", "ren"]
    assert clean.strategy == "rename"


def test_missing_file_of_main_is_explained(repository: SandboxRepository, tmp_path: Path) -> None:
    """A file of main that dev deleted on purpose is not restored; the report says by which commit."""
    repository.three_way(
        {"lib.py": "x = 1\n", "app.py": "1\n"}, {"lib.py": None}, {"app.py": "import lib\n"}
    )
    rule = "  - {id: back, reason: r, match: {path: '**'}, action: restore-deleted%s}\n"
    plan = planned(repository, tmp_path, rule % "")
    (warning,) = plan.warnings
    assert "deleted it on purpose" in warning
    assert "still needed by app.py" in warning
    plan = planned(repository, tmp_path, rule % ", accidental: ours")
    restored = outcome(plan, "lib.py")
    assert isinstance(restored, Resolved)
    assert restored.data == b"x = 1\n"
    assert repository.oid("dev") in restored.decisions[0].evidence[-1].commits


def test_symbol_rules_settle_places_of_other_files(
    repository: SandboxRepository, tmp_path: Path
) -> None:
    """A version that both sides raised in a text file is the larger one, by rule."""
    repository.three_way(
        {"pins.txt": "tool==1.0\n"}, {"pins.txt": "tool==1.2\n"}, {"pins.txt": "tool==1.10\n"}
    )
    rule = "  - {id: pins, reason: newer, match: {path: pins.txt}, action: larger}\n"
    result = outcome(planned(repository, tmp_path, rule), "pins.txt")
    assert isinstance(result, Resolved)
    assert result.data == b"tool==1.10\n"
    assert [d.rule for d in result.decisions if d.rule] == ["pins"]


def test_newer_submodule(tmp_path: Path) -> None:
    """The submodule commit that contains the other is taken; unrelated ones stay a conflict."""
    from mergewright.testing import submodule

    sandbox = Sandbox(tmp_path)
    inner = sandbox.repository("inner")
    first = inner.commit("main", {"a": "1"}, message="1")
    second = inner.commit("main", {"a": "2"}, message="2")
    third = inner.commit("main", {"a": "3"}, message="3")
    outer = sandbox.repository("outer")
    modules = '[submodule "sub"]\n\tpath = sub\n\turl = ../inner\n'
    outer.three_way(
        {"sub": submodule(first), ".gitmodules": modules},
        {"sub": submodule(third)},
        {"sub": submodule(second)},
    )
    outer.checkout("dev")
    rule = "  - {id: sub, reason: contains, match: {kind: submodule}, action: newer}\n"
    plan = planned(outer, tmp_path, rule)
    assert isinstance(outcome(plan, "sub"), Deferred), "without the submodule nothing is proved"
    (outer.path / "sub").rmdir()
    inner.path.rename(outer.path / "sub")
    result = outcome(planned(outer, tmp_path, rule), "sub")
    assert isinstance(result, Resolved)
    assert result.oid == third


LABELS = ThreeWay(base="base", ours="dev", theirs="main")


def contested(
    base: FileVersion | bytes, ours: FileVersion | bytes, theirs: FileVersion | bytes
) -> Conflict:
    def wrap(some: FileVersion | bytes) -> FileVersion:
        if isinstance(some, FileVersion):
            return some
        return FileVersion(path="a.py", mode=MODE_REGULAR, oid="0" * 40, data=some)

    versions: ThreeWay[FileVersion | None] = ThreeWay(
        base=wrap(base), ours=wrap(ours), theirs=wrap(theirs)
    )
    return Conflict(path="a.py", kind=ConflictKind.BOTH_MODIFIED, versions=versions)


def after_steps(
    conflict: Conflict, before: FileMerge, after: bytes, *gates: GateResult
) -> PathOutcome:
    """What becomes of an open file when the steps of the rules settle all that is open in it."""
    opened = Deferred(
        path=conflict.path,
        data=b"",
        mode=MODE_REGULAR,
        reason="1 place left",
        merge=before,
        gates=gates,
    )
    merge = FileMerge(pieces=(after,), method=before.method)
    edit = StepEdit(path="a.py", mode=MODE_REGULAR, data=after, decisions=(), merge=merge)
    (entry,) = with_edits([PathPlan(conflict=conflict, outcome=opened)], [edit], LABELS)
    return entry.outcome


def place(base: bytes, ours: bytes, theirs: bytes) -> Contested:
    versions = ThreeWay(base=base, ours=ours, theirs=theirs)
    return Contested(symbol="x", kind="both-changed", versions=versions, reason="both changed it")


def test_a_gate_that_failed_before_the_steps_excuses_nothing_when_all_is_settled() -> None:
    """A file that the steps settle stays open while a gate fails, also one that failed before."""
    versions = [b"y = 1\nx = 1\n", b"y = 1\nx = 2\n", b"y = 1\nx = 3\n"]
    before = FileMerge(pieces=(b"y = gone\n", place(b"x = 1\n", b"x = 2\n", b"x = 3\n")))
    found = after_steps(contested(*versions), before, b"y = gone\nx = 3\n")
    assert isinstance(found, Deferred)
    assert "undefined-name" in found.notes[-1]
    found = after_steps(contested(*versions), before, b"y = 1\nx = 3\n")
    assert isinstance(found, Resolved)


def test_a_gate_that_counts_additions_holds_when_all_is_settled() -> None:
    """A step that settles a file may not lose what a side added elsewhere."""
    base = b"def f():\n    return 1\n\n\nx = 1\n"
    ours = base.replace(b"x = 1", b"x = 2").replace(b"def f", b"def g():\n    return 2\n\n\ndef f")
    theirs = base.replace(b"x = 1", b"x = 3")
    before = FileMerge(pieces=(base[:-6], place(b"x = 1\n", b"x = 2\n", b"x = 3\n")))
    found = after_steps(contested(base, ours, theirs), before, theirs)
    assert isinstance(found, Deferred)
    assert "conservation" in found.notes[-1]


def test_a_file_that_a_gate_held_back_is_not_settled_by_steps() -> None:
    """The gate's word on the file is not forgotten when the steps leave nothing open."""
    before = FileMerge(pieces=(place(b"x = 1\n", b"x = 2\n", b"x = 3\n"),))
    gate = GateResult(gate="given-up-name", passed=False, detail="f: ours added uses of y")
    found = after_steps(contested(b"x = 1\n", b"x = 2\n", b"x = 3\n"), before, b"x = 3\n", gate)
    assert isinstance(found, Deferred)
    assert found.gates == (gate,)
    assert "gate given-up-name holds the file back" in found.notes[-1]


def test_a_contested_mode_stays_open_when_the_steps_settle_the_text() -> None:
    """Both sides chose another mode: the text is settled, the path is left with that reason."""
    texts = (b"x = 1\n", b"x = 2\n", b"x = 3\n")
    modes = (0o120000, MODE_REGULAR, MODE_EXECUTABLE)
    versions = [
        FileVersion(path="a.py", mode=mode, oid="0" * 40, data=data)
        for mode, data in zip(modes, texts, strict=True)
    ]
    before = FileMerge(pieces=(place(*texts),))
    found = after_steps(contested(*versions), before, texts[2])
    assert isinstance(found, Deferred)
    assert (found.data, found.open_places) == (texts[2], 1)
    assert "executable" in found.reason


def test_the_old_name_goes_when_the_steps_settle_a_renamed_file() -> None:
    """A file that one side renamed does not stay under its old name."""
    texts = (b"x = 1\n", b"x = 2\n", b"x = 3\n")
    versions = [
        FileVersion(path=path, mode=MODE_REGULAR, oid="0" * 40, data=data)
        for path, data in zip(("old.py", "a.py", "old.py"), texts, strict=True)
    ]
    before = FileMerge(pieces=(place(*texts),))
    found = after_steps(contested(*versions), before, texts[2])
    assert isinstance(found, Resolved)
    assert found.drop == ("old.py",)
