"""Rules for conflicts about a path rather than its text, on real repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from mergewright.git.repository import Repository
from mergewright.model.resolution import Deferred, Resolved
from mergewright.testing import Changes, Sandbox, executable, submodule, symlink
from mergewright.workflows.resolving import Settings, plan_merge

A = "".join(f"a {number}\n" for number in range(30))
B = "".join(f"b {number}\n" for number in range(30))
X, Y = A.replace("a 3\n", "x\n"), A.replace("a 3\n", "y\n")
FILE, EXECUTABLE, LINK, MODULE = 0o100644, 0o100755, 0o120000, 0o160000

Tree = dict[str, tuple[int, str]]


def merged(
    tmp_path: Path, rule: str, base: Changes, ours: Changes, theirs: Changes
) -> tuple[Tree, list[Resolved | Deferred]]:
    """The merged tree and the outcomes that the rule gave."""
    repository = Sandbox(tmp_path).repository()
    repository.three_way({**base, "keep": "k\n"}, ours, theirs)
    file = tmp_path / "rules.yaml"
    file.write_text(
        f"version: 1\nrules:\n  - {{id: tree, reason: we want it so, {rule}}}\n", encoding="utf-8"
    )
    settings = Settings(rules=(file,))
    with plan_merge(Repository.open(repository.path), "dev", "main", settings=settings) as plan:
        outcomes = [
            entry.outcome
            for entry in plan.plan.paths
            if isinstance(entry.outcome, Resolved | Deferred)
        ]
        entries = plan.merge.objects.entries(plan.tree())
        oids = {o.path: o.oid for o in outcomes if isinstance(o, Resolved) and o.oid is not None}
        tree = {
            path: (
                entry.mode,
                oids.get(path, entry.oid)
                if entry.mode == MODULE
                else plan.merge.objects.blob(entry.oid).decode(),
            )
            for path, entry in entries.items()
            if path != "keep"
        }
        return tree, outcomes


def by_kind(kind: str, action: str) -> str:
    return f"match: {{kind: {kind}}}, action: {action}, wholesale: true"


#: Kind, base, ours, theirs, the tree when ours is taken, and when theirs is.
CASES: dict[str, tuple[str, Changes, Changes, Changes, Tree, Tree]] = {
    "renamed to two names": (
        "renamed-by-both",
        {"f": A},
        {"f": None, "g": X},
        {"f": None, "h": Y},
        {"g": (FILE, X)},
        {"h": (FILE, Y)},
    ),
    "renamed and deleted": (
        "rename-delete",
        {"f": A},
        {"f": None, "g": X},
        {"f": None},
        {"g": (FILE, X)},
        {},
    ),
    "two files renamed to one name": (
        "rename-collision",
        {"f": A, "g": B},
        {"f": None, "h": A},
        {"g": None, "h": B},
        {"h": (FILE, A)},
        {"h": (FILE, B)},
    ),
    "renamed by ours, both edited": (
        "renamed-by-ours",
        {"f": A},
        {"f": None, "g": X},
        {"f": Y},
        {"g": (FILE, X)},
        {"f": (FILE, Y)},
    ),
    "renamed by theirs, both edited": (
        "renamed-by-theirs",
        {"f": A},
        {"f": X},
        {"f": None, "g": Y},
        {"f": (FILE, X)},
        {"g": (FILE, Y)},
    ),
    "mode of an added file": (
        "mode",
        {},
        {"g": executable("1\n")},
        {"g": "1\n"},
        {"g": (EXECUTABLE, "1\n")},
        {"g": (FILE, "1\n")},
    ),
    "two targets of a link": (
        "symlink",
        {"l": symlink("a")},
        {"l": symlink("b")},
        {"l": symlink("c")},
        {"l": (LINK, "b")},
        {"l": (LINK, "c")},
    ),
    "a file made a link, and edited": (
        "symlink",
        {"f": A},
        {"f": symlink("keep")},
        {"f": Y},
        {"f": (LINK, "keep")},
        {"f": (FILE, Y)},
    ),
    "submodule moved by both": (
        "submodule",
        {"s": submodule("1" * 40)},
        {"s": submodule("2" * 40)},
        {"s": submodule("3" * 40)},
        {"s": (MODULE, "2" * 40)},
        {"s": (MODULE, "3" * 40)},
    ),
    "submodule and file": (
        "submodule",
        {},
        {"s": submodule("2" * 40)},
        {"s": "text\n"},
        {"s": (MODULE, "2" * 40)},
        {"s": (FILE, "text\n")},
    ),
    "deleted and edited": (
        "deleted-by-ours",
        {"f": A},
        {"f": None},
        {"f": Y},
        {},
        {"f": (FILE, Y)},
    ),
    "binary": (
        "binary",
        {"f": b"\0a"},
        {"f": b"\0b"},
        {"f": b"\0c"},
        {"f": (FILE, "\0b")},
        {"f": (FILE, "\0c")},
    ),
}


@pytest.mark.parametrize("name", sorted(CASES))
@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_rule_takes_a_side_of_a_tree_conflict(tmp_path: Path, name: str, side: str) -> None:
    """The whole path comes from the side, under its name and mode; the other ends are gone."""
    kind, base, ours, theirs, of_ours, of_theirs = CASES[name]
    tree, outcomes = merged(tmp_path, by_kind(kind, f"take-{side}"), base, ours, theirs)
    assert all(isinstance(outcome, Resolved) for outcome in outcomes)
    assert {decision.rule for outcome in outcomes for decision in outcome.decisions} == {"tree"}
    links = {path for path, (mode, _) in tree.items() if mode == MODULE}
    expected = of_ours if side == "ours" else of_theirs
    if links or any(mode == MODULE for mode, _ in expected.values()):
        # The recorded commit stands in the plan; the trees of a dry run hold files.
        (outcome,) = outcomes
        assert isinstance(outcome, Resolved)
        wanted = expected["s"]
        assert outcome.path == "s"
        assert (outcome.mode, outcome.oid or (outcome.data or b"").decode()) == wanted
        return
    assert tree == expected


RENAMED: Changes = {"old/a": None, "old/b": None, "new/a": A, "new/b": B}


@pytest.mark.parametrize("mover", ["ours", "theirs"])
def test_a_file_follows_its_directory(tmp_path: Path, mover: str) -> None:
    """A file added to a directory that the other side renamed goes along, or stays, by rule."""
    base: Changes = {"old/a": A, "old/b": B}
    added: Changes = {"old/c": "c\n"}
    sides = (RENAMED, added) if mover == "ours" else (added, RENAMED)
    rest = {"new/a": (FILE, A), "new/b": (FILE, B)}
    tree, outcomes = merged(
        tmp_path / "1", by_kind("directory-rename", "follow")[:-17], base, *sides
    )
    assert tree == {**rest, "new/c": (FILE, "c\n")}
    assert [outcome.decisions[0].rule for outcome in outcomes] == ["tree"]
    other = "theirs" if mover == "ours" else "ours"
    stays, _ = merged(tmp_path / "2", by_kind("directory-rename", f"take-{other}"), base, *sides)
    assert stays == {**rest, "old/c": (FILE, "c\n")}
    _, (lost,) = merged(tmp_path / "3", by_kind("directory-rename", f"take-{mover}"), base, *sides)
    assert isinstance(lost, Deferred), "the file that the other side added is not thrown away"
    assert "would be lost" in lost.reason


def test_a_file_in_the_place_of_a_folder_is_never_taken(tmp_path: Path) -> None:
    """Taking the file would delete the other side's folder; taking the folder keeps all of it."""
    base: Changes = {"x": "x\n"}
    sides: tuple[Changes, Changes] = ({"d": "1\n"}, {"d/x": "1\n"})
    _, (left,) = merged(tmp_path / "1", by_kind("directory-file", "take-ours"), base, *sides)
    assert isinstance(left, Deferred)
    tree, _ = merged(tmp_path / "2", by_kind("directory-file", "take-theirs"), base, *sides)
    assert tree == {"x": (FILE, "x\n"), "d/x": (FILE, "1\n")}


def test_leave_names_the_rule(tmp_path: Path) -> None:
    """``leave`` keeps a tree conflict for a person, with the rule's reason."""
    kind, base, ours, theirs, *_ = CASES["renamed to two names"]
    _, outcomes = merged(tmp_path, by_kind(kind, "leave")[:-17], base, ours, theirs)
    (left,) = [outcome for outcome in outcomes if isinstance(outcome, Deferred)]
    assert "Rule tree leaves it: we want it so" in left.reason
