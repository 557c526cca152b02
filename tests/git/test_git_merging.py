"""Merges in memory against git itself, on a real repository for each kind of conflict."""

from pathlib import Path

import pytest
from git_shapes import SHAPES, Shape, text

from mergewright.git.commits import walk
from mergewright.git.merging import GIT_ENGINE, LIBGIT2_ENGINE, Engine, merge_commits
from mergewright.git.repository import Repository
from mergewright.model.conflict import ConflictKind
from mergewright.model.errors import UsageError
from mergewright.model.threeway import ThreeWay
from mergewright.testing import Sandbox, SandboxRepository


def build(sandbox: Sandbox, shape: Shape) -> SandboxRepository:
    repo = sandbox.repository()
    repo.three_way(shape.base, shape.ours, shape.theirs)
    return repo


@pytest.mark.parametrize("name", SHAPES)
def test_kinds_in_memory(sandbox: Sandbox, name: str) -> None:
    """Each conflict has its kind, the own path of every version, and its related paths."""
    repo = build(sandbox, SHAPES[name])
    with merge_commits(Repository.open(repo.path), "dev", "main") as merge:
        found = tuple(
            (c.path, c.kind, tuple(v and v.path for v in c.versions), set(c.related))
            for c in merge.conflicts
        )
    assert found == SHAPES[name].expected
    assert merge.source.engine == GIT_ENGINE


#: What the fallback engine cannot do as git does: it still leaves a conflict, or says less.
LIBGIT2_DIFFERS = {"mode of a file that both added", "two edited files renamed to one name"}


@pytest.mark.parametrize("name", SHAPES)
def test_kinds_without_git(sandbox: Sandbox, name: str) -> None:
    """The engine that needs no git finds the same conflicts and the same clean files."""
    repo = build(sandbox, SHAPES[name])
    repository = Repository.open(repo.path)
    with (
        merge_commits(repository, "dev", "main", engine="libgit2") as merge,
        merge_commits(repository, "dev", "main", engine="git") as wanted,
    ):
        assert merge.source.engine == LIBGIT2_ENGINE
        found, expected = (
            [
                (c.path, c.kind, c.related, *(v and (v.path, v.oid) for v in c.versions))
                for c in m.conflicts
            ]
            for m in (merge, wanted)
        )
        assert (found == expected) is (name not in LIBGIT2_DIFFERS)
        if name not in LIBGIT2_DIFFERS:
            assert merge.clean_entries() == wanted.clean_entries()
            assert merge.entries().keys() == wanted.entries().keys()


@pytest.mark.parametrize("name", SHAPES)
def test_kinds_in_worktree(sandbox: Sandbox, name: str) -> None:
    """The index of a stopped ``git merge`` gives the same conflicts as the merge in memory."""
    shape = SHAPES[name]
    repo = build(sandbox, shape)
    repo.checkout("dev")
    assert repo.merge("main") == (1 if shape.expected else 0)
    if not shape.expected:
        return
    found = tuple(
        (c.path, c.kind, tuple(v and v.path for v in c.versions), set(c.related))
        for c in Repository.open(repo.path).worktree_merge().conflicts
    )

    def label(path: str) -> str:
        return path.replace("~theirs", "~main").replace("~ours", "~HEAD")

    assert found == tuple(
        (label(path), kind, own, {label(p) for p in related})
        for path, kind, own, related in shape.expected
    )


@pytest.mark.parametrize("name", SHAPES)
def test_nothing_is_written(sandbox: Sandbox, name: str) -> None:
    """A merge in memory leaves every file of the repository as it was."""
    repo = build(sandbox, SHAPES[name])
    before = {p: p.read_bytes() for p in (repo.path / ".git").rglob("*") if p.is_file()}
    with merge_commits(Repository.open(repo.path), "dev", "main") as merge:
        folder = merge.scratch.folder
        assert folder.is_dir()
    after = {p: p.read_bytes() for p in (repo.path / ".git").rglob("*") if p.is_file()}
    assert after == before
    assert not folder.exists()


def kinds(repo: SandboxRepository) -> dict[str, ConflictKind]:
    with merge_commits(Repository.open(repo.path), "dev", "main") as merge:
        return {c.path: c.kind for c in merge.conflicts}


EDITS = ({"f": text("a", at3="x")}, {"f": text("a", at3="y")})


@pytest.mark.parametrize("bare", [False, True])
def test_attributes(sandbox: Sandbox, *, bare: bool) -> None:
    """The attribute files of ours decide, as in a worktree, also where there is none."""
    repo = sandbox.repository(bare=bare)
    rules = "u merge=union\nb -merge\nd/m binary\n"
    names = ("u", "b", "d/m", "f")
    repo.three_way(
        {".gitattributes": rules, **{n: text("a") for n in names}},
        {n: text("a", at3="x") for n in names},
        {n: text("a", at3="y") for n in names} | {".gitattributes": ""},
    )
    repo.git("config", "merge.renames", "true")
    assert kinds(repo) == {
        "b": ConflictKind.BINARY,
        "d/m": ConflictKind.BINARY,
        "f": ConflictKind.BOTH_MODIFIED,
    }
    with merge_commits(Repository.open(repo.path), "dev", "main", attributes=False) as merge:
        assert [c.path for c in merge.conflicts] == ["b", "d/m", "f", "u"]


@pytest.mark.parametrize("engine", ["git", "libgit2"])
def test_attributes_of_a_renamed_file(sandbox: Sandbox, engine: Engine) -> None:
    """Attributes hold for the new name of a renamed file too, with either engine."""
    repo = sandbox.repository()
    repo.three_way(
        {".gitattributes": "u2 merge=union\nb2 -merge\n", "u": text("a"), "b": text("b")},
        {"u": None, "b": None, "u2": text("a", at3="x"), "b2": text("b", at3="x")},
        {"u": text("a", at3="y"), "b": text("b", at9="y")},
    )
    with merge_commits(Repository.open(repo.path), "dev", "main", engine=engine) as merge:
        assert [c.path for c in merge.conflicts] == ["b2"]
        assert merge.read("u2") == text("a", at3="x\ny").encode()


def test_private_attributes(sandbox: Sandbox) -> None:
    """The attribute file of the repository itself counts too."""
    repo = sandbox.repository()
    repo.three_way({"f": text("a")}, *EDITS)
    (repo.path / ".git" / "info" / "attributes").write_text("f merge=union\n")
    assert kinds(repo) == {}


def test_nothing_of_the_repository_runs(sandbox: Sandbox, tmp_path: Path) -> None:
    """No merge driver, filter, hook, diff program or monitor of the repository is run."""
    repo = sandbox.repository()
    repo.three_way(
        {".gitattributes": "f merge=evil filter=evil diff=evil\n", "f": text("a")}, *EDITS
    )
    repo.checkout("dev")
    evil = tmp_path / "evil"
    evil.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nexit 0\n")
    evil.chmod(0o755)
    for name in (
        "merge.evil.driver",
        "merge.default",
        "filter.evil.clean",
        "filter.evil.smudge",
        "diff.evil.command",
        "diff.external",
        "diff.evil.textconv",
        "core.fsmonitor",
        "core.hooksPath",
        "core.pager",
        "gpg.program",
    ):
        repo.git("config", name, str(tmp_path if name == "core.hooksPath" else evil))
    repo.git("config", "log.showSignature", "true")
    assert kinds(repo) == {"f": ConflictKind.BOTH_MODIFIED}
    assert len(walk(Repository.open(repo.path), [repo.oid("dev")])) == 2
    assert not (tmp_path / "ran").exists()


def test_criss_cross(sandbox: Sandbox) -> None:
    """With several merge bases the base is git's own merge of them, and marked as virtual."""
    repo = sandbox.repository()
    root = repo.commit("main", {"f": text("a"), "g": "g\n", "k": "k\n"})
    left = repo.commit("left", {"f": text("a", at3="l"), "k": "l\n"}, parents=[root])
    right = repo.commit("right", {"f": text("a", at3="r"), "k": "l\n"}, parents=[root])
    one = repo.commit("dev", {"f": text("a", at3="1"), "k": "1\n"}, parents=[left, right])
    two = repo.commit("main", {"f": text("a", at3="2"), "k": "2\n"}, parents=[right, left])
    with merge_commits(Repository.open(repo.path), one, two) as merge:
        assert set(merge.bases) == {left, right}
        assert merge.source.commits.base is None
        bases = {c.path: c.versions.base for c in merge.conflicts}
    assert bases["f"] is not None
    assert bases["f"].virtual
    assert b"<<<<<<<" in bases["f"].data
    assert bases["k"] is not None
    assert not bases["k"].virtual


def test_case_clashes(sandbox: Sandbox) -> None:
    """Names that differ only in case, one added by each side, are named; one side's own are not."""
    repo = sandbox.repository()
    repo.three_way(
        {"f": "", "own": "", "Own": ""},
        {"readme": "a\n", "a/x": "1", "two": "1", "Two": "2"},
        {"README": "b\n", "A/x": "2"},
    )
    repository = Repository.open(repo.path)
    with merge_commits(repository, "dev", "main") as merge:
        assert not merge.conflicts
        clashes = merge.case_clashes()
    assert [(c.path, c.related, c.kind) for c in clashes] == [
        ("a/x", ("A/x",), ConflictKind.CASE_ONLY),
        ("readme", ("README",), ConflictKind.CASE_ONLY),
    ]
    assert [v and v.path for v in clashes[1].versions] == [None, "readme", "README"]


def test_explicit_base(sandbox: Sandbox) -> None:
    """With a given base only the change since then is carried over, as in a cherry-pick."""
    repo = sandbox.repository()
    repo.three_way({"f": text("a")}, {"g": "g\n"}, {"f": text("a", at3="y")})
    picked = repo.commit("main", {"f": text("a", at3="y", at20="z")})
    with merge_commits(Repository.open(repo.path), "dev", "main", base="main~1") as merge:
        assert not merge.conflicts
        assert merge.read("f") == text("a", at20="z").encode()
        assert merge.source.commits == ThreeWay(
            base=repo.oid("main~1"), ours=repo.oid("dev"), theirs=picked
        )


def test_tree_with_answers(sandbox: Sandbox) -> None:
    """A tree with answers put in has exactly those changes; folders come and go."""
    repo = sandbox.repository()
    repo.three_way({"f": text("a"), "d/e/f": "1", "g": "g"}, *EDITS)
    with merge_commits(Repository.open(repo.path), "dev", "main") as merge:
        tree = merge.tree_with(
            {
                "f": (0o100755, b"settled"),
                "d/e/f": None,
                "new/x": (0o100644, b"x"),
                "new.py": (0o100644, b"y"),
                "s": (0o160000, b"1" * 40),
            }
        )
        found = {
            p: (e.mode, e.is_blob and merge.objects.blob(e.oid))
            for p, e in merge.objects.entries(tree).items()
        }
    assert found == {
        "f": (0o100755, b"settled"),
        "g": (0o100644, b"g"),
        "new.py": (0o100644, b"y"),
        "new/x": (0o100644, b"x"),
        "s": (0o160000, False),
    }


def test_tree_with_a_file_for_a_folder(sandbox: Sandbox) -> None:
    """Removing a name never removes a folder, and no file takes the place of one with files."""
    repo = sandbox.repository()
    repo.three_way({"f": text("a"), "d/x": "1"}, *EDITS)
    with merge_commits(Repository.open(repo.path), "dev", "main") as merge:
        assert merge.tree_with({"d": None}) == merge.tree
        with pytest.raises(UsageError, match="folder that holds files"):
            merge.tree_with({"d": (0o100644, b"")})
        tree = merge.tree_with({"d/x": None, "f": None, "f/y": (0o100644, b"")})
        assert list(merge.objects.entries(tree)) == ["f/y"]


def test_directory_rename_without_a_majority(sandbox: Sandbox) -> None:
    """Git's warning about a split directory is no contested path, but it is passed on."""
    repo = sandbox.repository()
    repo.three_way(
        {f"o/{n}": text(n) for n in "abc"},
        {f"o/{n}": None for n in "abc"} | {"n/a": text("a"), "m/b": text("b"), "q/c": text("c")},
        {"o/d": "new"},
    )
    with merge_commits(Repository.open(repo.path), "dev", "main") as merge:
        assert merge.conflicts == ()
        assert [m.paths for m in merge.messages if "split" in m.type] == [("o",)]
