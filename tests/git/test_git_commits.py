"""Commits as values, with git and without; trees and blobs."""

import pytest
from git_shapes import text

from mergewright.git import commits
from mergewright.git.commits import file_history, walk, walk_touching
from mergewright.git.repository import Repository
from mergewright.git.trees import TreeEntry
from mergewright.model.errors import RepositoryError
from mergewright.model.history import CommitFacts
from mergewright.testing import Sandbox, SandboxRepository, executable, submodule, symlink

ODD = 'odd "name"\n\udcff.py'


@pytest.fixture(params=["git", "libgit2"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "libgit2":
        monkeypatch.setattr(commits, "git_version", lambda: None)
    return str(request.param)


@pytest.fixture
def repo(sandbox: Sandbox) -> SandboxRepository:
    """A history with a rename, a merge, odd names and messages, and a root of its own."""
    repo = sandbox.repository()
    root = repo.commit(
        "main", {"f": text("a"), ODD: "1\n"}, message="root\n\nbody\x02\n\x01\x1f x\n"
    )
    repo.branch("dev", root)
    repo.commit("dev", {"f": None, "d/g": text("a", at3="x")}, message="[dev] rename (#1)")
    repo.commit(
        "dev", {"d/g": text("a", at3="y"), ODD: None},
        message="feat: edit\n\nCo-authored-by: B <b@example.org>\n(cherry picked from commit 1)\n",
        author="Zoë <zoe@example.org>", date=1_700_000_000,
    )  # fmt: skip
    repo.commit("main", {"h": "h\n"}, message="")
    repo.commit("main", {"h": "h\n", "f": None, "d/g": text("a", at3="y")}, message="merge",
                parents=[repo.oid("main"), repo.oid("dev")])  # fmt: skip
    return repo


def one_line(facts: CommitFacts) -> tuple[str, list[tuple[str, str | None, bool, bool]]]:
    return facts.title, [
        (c.path, c.old_path, c.old_oid is None, c.new_oid is None) for c in facts.changes
    ]


@pytest.mark.usefixtures("engine")
def test_walk(repo: SandboxRepository) -> None:
    """All facts of all commits, children first; a merge counts against its first parent."""
    found = walk(Repository.open(repo.path), [repo.oid("main")])
    position = {facts.oid: number for number, facts in enumerate(found)}
    assert all(position[p] > position[f.oid] for f in found for p in f.parents)
    by_title = {facts.title: facts for facts in found}
    assert dict(one_line(f) for f in found) == {
        "merge": [("d/g", "f", False, False)],
        "": [("h", None, True, False)],
        "feat: edit": [("d/g", None, False, False), (ODD, None, False, True)],
        "[dev] rename (#1)": [("d/g", "f", False, False)],
        "root": [("f", None, True, False), (ODD, None, True, False)],
    }
    edit = by_title["feat: edit"]
    assert (edit.author, edit.email, edit.time) == ("Zoë", "zoe@example.org", 1_700_000_000)
    assert edit.body == "Co-authored-by: B <b@example.org>\n(cherry picked from commit 1)"
    assert edit.oid == repo.oid("dev")
    assert by_title["root"].body == "body\x02\n\x01\x1f x"
    assert by_title["merge"].parents == (repo.oid("main~1"), repo.oid("dev"))
    assert edit.changes[0].new_oid == repo.oid("dev:d/g")


@pytest.mark.usefixtures("engine")
def test_ranges(repo: SandboxRepository) -> None:
    """Hidden history, first parents, limits and paths cut the walk."""
    repository = Repository.open(repo.path)
    main, dev, root = repo.oid("main"), repo.oid("dev"), repo.oid("dev~2")

    def titles(**options: object) -> list[str]:
        return sorted(f.title for f in walk(repository, [main], **options))  # type: ignore[arg-type]

    assert titles(hide=[dev]) == ["", "merge"]
    assert titles(hide=[root], changes=False) == ["", "[dev] rename (#1)", "feat: edit", "merge"]
    assert titles(first_parent=True) == ["", "merge", "root"]
    assert titles(limit=1) == ["merge"]
    assert titles(paths=["h"]) == [""]
    assert titles(paths=["d"])[:2] == ["[dev] rename (#1)", "feat: edit"]
    assert titles(paths=[ODD]) == ["feat: edit", "root"]
    many = [f"{'long' * 20}/{number}" for number in range(4_000)]
    assert titles(paths=[*many, "h"]) == [""]
    assert walk(repository, []) == ()
    assert walk(repository, [main], hide=[main]) == ()
    (only,) = walk(repository, [main], paths=["h"], changes=False)
    assert only.changes == ()


@pytest.mark.usefixtures("engine")
def test_missing_commit(repo: SandboxRepository) -> None:
    """A tip that is not there is a clear error."""
    with pytest.raises(RepositoryError):
        walk(Repository.open(repo.path), ["1" * 40])


@pytest.mark.usefixtures("engine")
def test_file_history(repo: SandboxRepository) -> None:
    """A file's history goes on under its name before a rename, on each side of a merge."""
    repository = Repository.open(repo.path)
    dev = walk(repository, [repo.oid("dev")])
    assert [(f.title, c.path) for f, c in file_history(dev, repo.oid("dev"), "d/g")] == [
        ("feat: edit", "d/g"),
        ("[dev] rename (#1)", "d/g"),
        ("root", "f"),
    ]
    main = walk(repository, [repo.oid("main")])
    found = file_history(main, repo.oid("main"), "d/g")
    assert [f.title for f, _ in found] == ["merge", "feat: edit", "[dev] rename (#1)", "root"]
    assert file_history(main, repo.oid("main"), "nothing") == ()


def test_engines_agree(repo: SandboxRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """With and without git the facts are the same."""
    repository = Repository.open(repo.path)
    with_git = walk(repository, [repo.oid("main")])
    monkeypatch.setattr(commits, "git_version", lambda: None)
    without = walk(repository, [repo.oid("main")])
    assert sorted(with_git, key=lambda f: f.oid) == sorted(without, key=lambda f: f.oid)


def test_trees(sandbox: Sandbox) -> None:
    """Files of a tree by path, with every mode; folders and missing paths are no files."""
    repo = sandbox.repository(bare=True)
    one = repo.commit(
        "main",
        {
            "a": "1",
            "d/e/x": executable("2"),
            "d/l": symlink("a"),
            "s": submodule("1" * 40),
            ODD: "3",
        },
    )
    two = repo.commit("main", {"a": None, "d/e/x": None, "a/b": "1", "s": submodule("2" * 40)})
    objects = Repository.open(repo.path).objects
    assert {p: e.mode for p, e in objects.entries(one).items()} == {
        "a": 0o100644,
        "d/e/x": 0o100755,
        "d/l": 0o120000,
        ODD: 0o100644,
        "s": 0o160000,
    }
    assert list(objects.entries(one, "d")) == ["d/e/x", "d/l"]
    assert objects.entries(one, "a") == objects.entries(one, "none") == {}
    assert objects.entry(one, "d/e") is None
    assert objects.entry(one, "a/b") is None
    assert objects.is_directory(one, "d/e")
    link = objects.entry(one, "d/l")
    assert link is not None
    assert objects.blob(link.oid) == b"a"
    changes = {c.path: (c.old is not None, c.new is not None) for c in objects.changes(one, two)}
    assert changes == {
        "a": (True, False),
        "a/b": (False, True),
        "d/e/x": (True, False),
        "s": (True, True),
    }
    assert len(objects.changes(None, one)) == 5
    assert objects.tree_id(two) == repo.oid("main^{tree}")
    repo.git("tag", "-m", "t", "v1", one)
    assert objects.tree_id(repo.oid("v1")) == objects.tree_id(one)
    assert isinstance(objects.entry(one, "s"), TreeEntry)
    with pytest.raises(RepositoryError, match="missing"):
        objects.blob("1" * 40)
    with pytest.raises(RepositoryError, match="not a blob"):
        objects.blob(objects.tree_id(one))
    with pytest.raises(RepositoryError, match="has no tree"):
        objects.entries(link.oid)


@pytest.mark.usefixtures("engine")
def test_a_path_that_begins_as_a_record_does(sandbox: Sandbox) -> None:
    """A name may hold any byte but NUL: the records around it are told apart all the same."""
    repo = sandbox.repository()
    root = repo.commit("main", {"a": "1\n"}, message="root")
    odd = f"\x01{root}\x1f\x1fx"
    repo.commit("main", {"a": "1\n", "\x01odd": "1\n", odd: "2\n", "z": "3\n"}, message="odd")
    repo.commit("main", {"a": "1\n", "\x01odd": "1\n", odd: "2\n", "z": "3\n"}, message="empty")
    repo.commit("main", {"a": "2\n", "\x01odd": "1\n", odd: "2\n", "z": "3\n"}, message="last")
    (found,) = walk_touching(Repository.open(repo.path), [repo.oid("main")], names={"a", "\x01odd"})
    assert [(f.title, {c.path for c in f.changes}) for f in found] == [
        ("last", {"a"}),
        ("empty", set()),
        ("odd", {"\x01odd", odd, "z"}),
        ("root", {"a"}),
    ]
