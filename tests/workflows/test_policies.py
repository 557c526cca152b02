"""Rules that look at the whole merge, on small repositories."""

from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest
from tests.support import SCHEMA

from mergewright.git.repository import Repository
from mergewright.model.plan import MergePlan
from mergewright.model.resolution import Deferred, EvidenceKind, Resolved
from mergewright.testing import Sandbox, SandboxRepository
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
