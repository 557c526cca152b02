"""Repositories built from values."""

from pathlib import Path

import pytest

from mergewright.model.errors import UsageError
from mergewright.testing import (
    EPOCH,
    CommitSpec,
    Sandbox,
    build_repository,
    executable,
    git,
    submodule,
    symlink,
)

COMMITS = [
    CommitSpec(name="start", files={"a.py": b"a = 1\n", 'odd "name"\n.txt': b"\r\n\0"}),
    CommitSpec(name="dev", parents=("start",), files={"a.py": b"a = 2\n"}, message="Éa\n\nb\n"),
    CommitSpec(name="main", parents=("start",), files={"a.py": (0o100755, b"a = 3\n")}),
    CommitSpec(name="sync", parents=("dev", "main"), files={}, time=EPOCH + 60),
]


def test_build_repository(tmp_path: Path) -> None:
    """Trees, parents, messages, modes and odd names come out as given; only branches are refs."""
    ids = build_repository(tmp_path / "r", COMMITS, branches={"dev": "dev", "sync": "sync"})
    log = git(tmp_path / "r", "log", "--format=%H %P %at %s", "sync").stdout.decode().split("\n")
    assert log[0] == f"{ids['sync']} {ids['dev']} {ids['main']} {EPOCH + 60} commit"
    assert git(tmp_path / "r", "status", "--porcelain").stdout == b""
    assert (
        git(tmp_path / "r", "show", "-s", "--format=%B", ids["dev"]).stdout == b"\xc3\x89a\n\nb\n\n"
    )
    assert b"100755" in git(tmp_path / "r", "ls-tree", ids["main"]).stdout
    assert git(tmp_path / "r", "ls-tree", "-z", "--name-only", ids["start"]).stdout == (
        b'a.py\0odd "name"\n.txt\0'
    )
    refs = git(tmp_path / "r", "for-each-ref", "--format=%(refname)").stdout
    assert refs == b"refs/heads/dev\nrefs/heads/sync\n"


def test_ids_are_reproducible(tmp_path: Path) -> None:
    """The same values give the same ids, bare or not."""
    first = build_repository(tmp_path / "a", COMMITS, branches={"dev": "dev"})
    second = build_repository(tmp_path / "b", COMMITS, branches={"dev": "dev"}, bare=True)
    assert first == second


@pytest.mark.parametrize(
    ("commits", "branches", "message"),
    [
        ([CommitSpec(name="a", files={}, parents=("z",))], {"dev": "a"}, "no earlier commit 'z'"),
        ([CommitSpec(name="a", files={})] * 2, {"dev": "a"}, "taken"),
        ([CommitSpec(name="a", files={})], {"dev": "b"}, "no commit 'b'"),
    ],
)
def test_misuse(
    tmp_path: Path, commits: list[CommitSpec], branches: dict[str, str], message: str
) -> None:
    """Unknown parents, repeated names and unknown tips are errors that name them."""
    with pytest.raises(UsageError, match=message):
        build_repository(tmp_path / "r", commits, branches=branches)


def test_sandbox_merge(tmp_path: Path) -> None:
    """A sandbox grows histories of odd names and modes and runs real merges; ids repeat."""
    ids = []
    for name in ("one", "two"):
        repo = Sandbox(tmp_path / name).repository()
        ids.append(
            repo.three_way(
                {"a.py": "x = 1\n", b"odd \xff\n": "", "link": symlink("a.py"), "d": "file"},
                {"a.py": "x = 2\n", "run": executable("#!")},
                {"a.py": "x = 3\n", "d": None, "d/e": b"\0", "s": submodule("1" * 40)},
            )
        )
        repo.checkout("dev")
        assert repo.merge("main") == 1
        assert repo.git("ls-files", "-z", "--unmerged").count(b"\0") == 3
        assert repo.read("d/e") == b"\0"
        assert (repo.path / "run").stat().st_mode & 0o100
    assert ids[0] == ids[1]
