"""Merges in memory against git itself, on a real repository for each kind of conflict."""

import pytest
from git_shapes import SHAPES, Shape

from mergewright.git.merging import GIT_ENGINE, merge_commits
from mergewright.git.repository import Repository
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
