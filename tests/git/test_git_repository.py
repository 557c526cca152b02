"""Opening repositories, the operation in progress, and what is a clear error."""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path

import pygit2
import pytest
from git_shapes import text

from mergewright.git.merging import merge_commits
from mergewright.git.repository import Repository
from mergewright.model.conflict import ConflictKind
from mergewright.model.errors import RepositoryError
from mergewright.testing import Sandbox, SandboxRepository


def conflict_of(repo: SandboxRepository) -> tuple[str, bool, str, str]:
    """Operation, swapped, and the labels of ours and theirs; the stages must be what they say."""
    merge = Repository.open(repo.path).worktree_merge()
    source = merge.source
    assert source.engine == "index"
    for conflict in merge.conflicts:
        for name, version in zip(("base", "ours", "theirs"), conflict.versions, strict=True):
            commit = getattr(source.commits, name)
            if version is not None and commit is not None:
                oid = repo.git("rev-parse", f"{commit}:{version.path}").decode().strip()
                assert oid == version.oid, (name, version.path)
    return source.operation, source.swapped, source.labels.ours, source.labels.theirs


@pytest.fixture
def forked(sandbox: Sandbox) -> SandboxRepository:
    """Branches dev and main that changed one line differently, dev checked out."""
    repo = sandbox.repository()
    repo.three_way({"f": text("a")}, {"f": text("a", at3="x")}, {"f": text("a", at3="y")})
    repo.checkout("dev")
    return repo


def test_merge(forked: SandboxRepository) -> None:
    """A merge: ours is the branch, theirs what was merged."""
    forked.merge("main")
    assert conflict_of(forked) == ("merge", False, "dev", "main")


def test_merge_of_a_commit(forked: SandboxRepository) -> None:
    """A merge of a commit that a remote branch points to has that branch's name."""
    oid = forked.oid("main")
    forked.git("update-ref", "refs/remotes/origin/main", oid)
    forked.git("update-ref", "-d", "refs/heads/main")
    forked.git("checkout", "--quiet", "--detach")
    for options in (["-m", "my words"], []):
        forked.merge(oid, options=options)
        assert conflict_of(forked) == ("merge", False, "HEAD", "origin/main")
        forked.git("merge", "--abort")


def test_cherry_pick(forked: SandboxRepository) -> None:
    """A cherry-pick carries one commit over: the base is its parent."""
    forked.try_git("cherry-pick", "main")
    operation, swapped, ours, theirs = conflict_of(forked)
    assert (operation, swapped, ours) == ("cherry-pick", False, "dev")
    assert theirs == f"{forked.oid('main')[:9]} (theirs)"


def test_revert(forked: SandboxRepository) -> None:
    """A revert goes back: the base is the commit, theirs the state before it."""
    forked.commit("dev", {"f": text("a", at3="z")}, message="more")
    forked.checkout("dev")
    forked.try_git("revert", "--no-edit", "HEAD~1")
    operation, swapped, ours, theirs = conflict_of(forked)
    assert (operation, swapped, ours) == ("revert", False, "dev")
    assert theirs == f"parent of {forked.oid('dev~1')[:9]} (ours)"


@pytest.mark.parametrize("backend", ["--merge", "--apply"])
def test_rebase(forked: SandboxRepository, backend: str) -> None:
    """In a rebase git swaps the sides; theirs is the commit of the user's branch."""
    forked.try_git("rebase", backend, "main")
    operation, swapped, ours, theirs = conflict_of(forked)
    assert (operation, swapped, ours, theirs) == (
        "rebase",
        True,
        "main",
        f"dev: {forked.oid('dev')[:9]} (ours)",
    )
    sentence = Repository.open(forked.path).worktree_merge().operation.sentence()
    assert "rebase git swaps the sides" in sentence


@pytest.mark.parametrize("depth", [0, 1])
def test_stash_pop(forked: SandboxRepository, depth: int) -> None:
    """A popped stash leaves no state file; it is known by its content, also a deeper one."""
    forked.write("f", text("a", at3="stashed"))
    forked.git("stash")
    if depth:
        forked.write("f", text("a", at9="later"))
        forked.git("stash")
    forked.commit("dev", {"f": text("a", at3="z")})
    forked.checkout("dev")
    forked.try_git("stash", "pop" if depth == 0 else "apply", f"stash@{{{depth}}}")
    assert conflict_of(forked) == ("stash", False, "dev", f"stash@{{{depth}}}")


def test_am(forked: SandboxRepository) -> None:
    """A mailed patch that does not apply has no commit of theirs."""
    patch = forked.git("format-patch", "--stdout", "main~1..main")
    (forked.path / ".git" / "p").write_bytes(patch)
    forked.try_git("am", "--3way", ".git/p")
    assert conflict_of(forked) == ("am", False, "dev", "the applied patch")


def test_unknown_operation(forked: SandboxRepository) -> None:
    """Conflicts without any trace of an operation can still be read."""
    forked.merge("main")
    (forked.path / ".git" / "MERGE_HEAD").unlink()
    assert conflict_of(forked) == ("unknown", False, "dev", "theirs")


def test_octopus(forked: SandboxRepository) -> None:
    """A merge of several branches at once is refused."""
    forked.merge("main")
    head = forked.path / ".git" / "MERGE_HEAD"
    head.write_text(head.read_text() * 2)
    with pytest.raises(RepositoryError, match="3 branches at once"):
        conflict_of(forked)


def test_open_anywhere(sandbox: Sandbox, forked: SandboxRepository) -> None:
    """From a folder or a file inside, from the git folder, bare, linked, and by relative path."""
    forked.write("sub/dir/file", "x")
    inside = Repository.open(forked.path / "sub" / "dir")
    assert inside.workdir == forked.path.resolve()
    assert Repository.open(forked.path / "sub" / "dir" / "file").git_dir == inside.git_dir
    assert Repository.open(forked.path / ".git").git_dir == inside.git_dir
    forked.git("worktree", "add", "--quiet", "--detach", str(sandbox.root / "linked"))
    linked = Repository.open(sandbox.root / "linked")
    assert (linked.git_dir != inside.git_dir, linked.common_dir) == (True, inside.common_dir)
    assert linked.resolve("HEAD") == inside.resolve("HEAD")
    forked.git("clone", "--quiet", "--bare", ".", str(sandbox.root / "bare"))
    bare = Repository.open(sandbox.root / "bare")
    assert bare.is_bare
    with pytest.raises(RepositoryError, match="bare repository"):
        bare.worktree_merge()
    with merge_commits(bare, "dev", "main") as merge:
        assert [c.path for c in merge.conflicts] == ["f"]


def test_not_a_repository(tmp_path: Path) -> None:
    """A folder outside of any repository, and one that is not there."""
    with pytest.raises(RepositoryError, match="not a git repository") as caught:
        Repository.open(tmp_path)
    assert caught.value.hint
    with pytest.raises(RepositoryError, match="no such file"):
        Repository.open(tmp_path / "missing")
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    with pytest.raises(RepositoryError):
        Repository.open(tmp_path)


def test_no_conflict(forked: SandboxRepository) -> None:
    """Nothing contested, with and without a merge in progress; the hint says what to do."""
    with pytest.raises(RepositoryError, match="no conflict to resolve: the index") as caught:
        Repository.open(forked.path).worktree_merge()
    assert "git merge" in str(caught.value.hint)
    forked.merge("main")
    forked.git("add", "f")
    with pytest.raises(RepositoryError, match="the merge in progress has no unmerged") as caught:
        Repository.open(forked.path).worktree_merge()
    assert "git merge --continue" in str(caught.value.hint)


def test_unborn_branch(sandbox: Sandbox) -> None:
    """A repository without a commit."""
    repository = Repository.open(sandbox.repository().path)
    with pytest.raises(RepositoryError, match="no commit yet"):
        repository.worktree_merge()
    with pytest.raises(RepositoryError, match="no commit yet"):
        merge_commits(repository, "HEAD", "HEAD")


def test_unknown_revision(forked: SandboxRepository) -> None:
    """A revision that names nothing, and a full id that is not there."""
    repository = Repository.open(forked.path)
    with pytest.raises(RepositoryError, match="'nope' names no commit"):
        merge_commits(repository, "dev", "nope")
    with pytest.raises(RepositoryError, match="missing from the repository"):
        merge_commits(repository, "dev", "1" * 40)


def test_damaged_index(forked: SandboxRepository) -> None:
    """An index that is no index is a clear error."""
    (forked.path / ".git" / "index").write_bytes(b"DIRC nonsense")
    with pytest.raises(RepositoryError, match=r"index of .* cannot be read"):
        Repository.open(forked.path).worktree_merge()


def test_shallow_history(sandbox: Sandbox, forked: SandboxRepository) -> None:
    """A shallow clone without the common ancestor says so and how to get it."""
    where = sandbox.root / "shallow"
    forked.git(
        "clone", "--quiet", "--depth=1", "--no-single-branch", f"file://{forked.path}", str(where)
    )
    shallow = SandboxRepository(sandbox, where)
    with pytest.raises(RepositoryError, match="shallow clone") as caught:
        merge_commits(Repository.open(where), "dev", "origin/main")
    assert "--unshallow" in str(caught.value.hint)
    shallow.merge("origin/main", options=["--allow-unrelated-histories"])
    with pytest.raises(RepositoryError, match="shallow clone"):
        Repository.open(where).worktree_merge()


def test_partial_clone(sandbox: Sandbox, forked: SandboxRepository) -> None:
    """Missing blobs of a partial clone are an error with a hint; nothing is fetched for it."""
    forked.git("config", "uploadpack.allowFilter", "true")
    where = sandbox.root / "partial"
    forked.git(
        "clone", "--quiet", "--bare", "--filter=blob:none", f"file://{forked.path}", str(where)
    )
    before = sorted(p for p in where.rglob("*"))
    for engine in ("git", "libgit2"):
        with pytest.raises(RepositoryError, match="missing") as caught:
            merge_commits(Repository.open(where), "dev", "main", engine=engine)  # type: ignore[arg-type]
        assert "partial" in str(caught.value.hint)
    assert sorted(p for p in where.rglob("*")) == before


def test_unrelated_histories(sandbox: Sandbox) -> None:
    """Histories without a common commit are refused unless allowed."""
    repo = sandbox.repository()
    repo.commit("dev", {"f": "1\n", "g": "1\n"}, parents=())
    repo.commit("main", {"f": "2\n", "h": "1\n"}, parents=())
    repository = Repository.open(repo.path)
    with pytest.raises(RepositoryError, match="unrelated"):
        merge_commits(repository, "dev", "main")
    for engine in ("git", "libgit2"):
        with merge_commits(repository, "dev", "main", allow_unrelated=True, engine=engine) as merge:  # type: ignore[arg-type]
            assert [(c.path, c.kind) for c in merge.conflicts] == [("f", ConflictKind.BOTH_ADDED)]
            assert set(merge.clean_entries()) == {"g", "h"}


def test_merge_bases(sandbox: Sandbox) -> None:
    """All best common ancestors of a criss-cross history, one of a plain one, none of two roots."""
    repo = sandbox.repository()
    root = repo.commit("main", {"f": "0\n"})
    left = repo.commit("left", {"l": "1\n"}, parents=[root])
    right = repo.commit("right", {"r": "1\n"}, parents=[root])
    one = repo.commit("one", {"r": "1\n"}, parents=[left, right])
    two = repo.commit("two", {"l": "1\n"}, parents=[right, left])
    other = repo.commit("other", {"f": "0\n"}, parents=())
    repository = Repository.open(repo.path)
    assert set(repository.merge_bases(one, two)) == {left, right}
    assert repository.merge_bases(one, left) == (left,)
    assert repository.merge_bases(left, right) == (root,)
    assert repository.merge_bases(one, one) == (one,)
    assert repository.merge_bases(one, other) == ()


def test_index_with_odd_names(sandbox: Sandbox) -> None:
    """Paths that are no UTF-8 come through as os.fsencode wants them."""
    name = b'caf\xe9 "x"\n'
    repo = sandbox.repository()
    repo.three_way({name: "1\n"}, {name: "2\n"}, {name: "3\n"})
    repo.checkout("dev")
    repo.merge("main")
    (conflict,) = Repository.open(repo.path).worktree_merge().conflicts
    assert os.fsencode(conflict.path) == name


@pytest.fixture
def own_process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A process that does nothing but one command; libgit2's settings are put back after it."""
    monkeypatch.setattr("mergewright.git.own_process", True)
    yield
    pygit2.settings.enable_strict_hash_verification(value=True)


def damaged(repo: SandboxRepository, content: bytes) -> tuple[str, bytes]:
    """An object's id, and what is stored under it in the place of something else."""
    oid = repo.git("hash-object", "-w", "--stdin", data=b"as it was").decode().strip()
    stored = repo.path / ".git" / "objects" / oid[:2] / oid[2:]
    stored.chmod(0o644)
    stored.write_bytes(zlib.compress(b"blob %d\0" % len(content) + content))
    return oid, stored.read_bytes()


def test_ids_are_checked_beside_other_code(forked: SandboxRepository) -> None:
    """Used as a library, nothing of libgit2 is changed: what is read is held against its id."""
    oid, _ = damaged(forked, b"something else")
    with pytest.raises(RepositoryError):
        Repository.open(forked.path).objects.blob(oid)


@pytest.mark.usefixtures("own_process")
def test_objects_are_read_as_git_reads_them(forked: SandboxRepository) -> None:
    """A command reads what git reads; bytes that were damaged on the disk are an error for both."""
    oid, stored = damaged(forked, b"something else")
    objects = Repository.open(forked.path).objects
    assert objects.blob(oid) == forked.git("cat-file", "blob", oid) == b"something else"
    path = forked.path / ".git" / "objects" / oid[:2] / oid[2:]
    path.write_bytes(stored[:-1] + bytes([stored[-1] ^ 1]))
    with pytest.raises(RepositoryError):
        Repository.open(forked.path).objects.blob(oid)
