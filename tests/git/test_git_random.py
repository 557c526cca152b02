"""Random merges: every stage is in a conflict, every answer can be written, undo brings all back."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from git_shapes import text
from hypothesis import given, settings
from hypothesis import strategies as st

from mergewright.git.merging import merge_commits
from mergewright.git.repository import Repository
from mergewright.git.writing import undo, write_plan
from mergewright.model.conflict import Conflict
from mergewright.model.plan import MergePlan, PathPlan
from mergewright.model.resolution import Resolved
from mergewright.model.threeway import Side
from mergewright.testing import Content, Sandbox, SandboxRepository, executable, submodule, symlink

NAMES = ["a", "b", "d/x", "d/y", "d/z", "e/x", "d", "e", "A", "d~x"]
LINES = st.sampled_from(["at3", "at4", "at20"])


@st.composite
def contents(draw: st.DrawFn, name: str) -> Content:
    kind = draw(st.sampled_from(["text"] * 6 + ["run", "link", "module", "binary"]))
    if kind == "link":
        return symlink(draw(st.sampled_from(["a", "../out"])))
    if kind == "module":
        return submodule(draw(st.sampled_from("123")) * 40)
    if kind == "binary":
        return b"\0" + draw(st.sampled_from([b"1", b"2", b"3"]))
    edits = draw(st.dictionaries(LINES, st.sampled_from(["x", "y"]), max_size=2))
    data = text(name, **edits)
    return executable(data) if kind == "run" else data


@st.composite
def side(draw: st.DrawFn, base: dict[str, Content]) -> dict[str, Content]:
    """A tree made from the base's by edits, renames, deletions and additions."""
    files: dict[str, Content] = {}
    for name, content in base.items():
        what = draw(st.sampled_from(["keep", "keep", "edit", "edit", "delete", "rename", "move"]))
        if what == "delete":
            continue
        end = draw(st.sampled_from(NAMES)) if what == "rename" else name
        if what == "move" and "/" in name:
            end = "moved/" + name.partition("/")[2]
        changed = what == "edit" or draw(st.booleans())
        files[end] = draw(contents(name)) if changed else content
    if draw(st.booleans()):
        files[draw(st.sampled_from(NAMES))] = draw(contents("new"))
    return files


def whole(files: dict[str, Content]) -> dict[str, Content]:
    """Without files below other files."""
    return {
        name: content
        for name, content in files.items()
        if not any(name.startswith(other + "/") for other in files)
    }


@st.composite
def merges(draw: st.DrawFn) -> tuple[dict[str, Content], dict[str, Content], dict[str, Content]]:
    names = draw(st.lists(st.sampled_from(NAMES[:6]), unique=True, min_size=1, max_size=4))
    base = {name: draw(contents(name)) for name in names}
    return whole(base), whole(draw(side(base))), whole(draw(side(base)))


def changes(base: dict[str, Content], files: dict[str, Content]) -> dict[str | bytes, Content]:
    return {**dict.fromkeys(base), **files}


def taking(conflict: Conflict, side: Side) -> Resolved:
    version = conflict.versions.get(side)
    path = conflict.path if version is None else version.path
    own = {conflict.path, *conflict.related, *(v.path for v in conflict.versions if v)}
    module = version is not None and version.mode == 0o160000
    return Resolved(
        path=path,
        data=None if version is None or module else version.data,
        mode=0o100644 if version is None else version.mode,
        strategy="take",
        oid=version.oid if version is not None and module else None,
        drop=tuple(sorted(own - {path})),
    )


def snapshot(repo: SandboxRepository) -> tuple[object, ...]:
    files = {
        str(p): p.readlink() if p.is_symlink() else p.read_bytes() if p.is_file() else None
        for p in sorted(repo.path.rglob("*"))
        if ".git" not in p.parts
    }
    return files, (repo.path / ".git" / "index").read_bytes()


def check(root: Path, merge: tuple[dict[str, Content], ...], side: Side) -> None:
    base, ours, theirs = merge
    repo = Sandbox(root).repository()
    repo.three_way({**base, "keep": ""}, changes(base, ours), changes(base, theirs))
    repo.checkout("dev")
    status = repo.merge("main")
    repository = Repository.open(repo.path)
    stages = repository.stages()

    def named(path: str) -> str:
        return path.replace("~HEAD", "~ours").replace("~main", "~theirs")

    with merge_commits(repository, "dev", "main") as memory:
        assert {named(s.path) for s in stages} == {named(s.path) for s in memory.stages}
        _covered(memory.conflicts, memory.contested_paths)
    if status != 1 or not stages:
        return
    before = snapshot(repo)
    worktree = repository.worktree_merge()
    _covered(worktree.conflicts, worktree.contested_paths)
    plan = MergePlan(
        source=worktree.source,
        paths=tuple(PathPlan(conflict=c, outcome=taking(c, side)) for c in worktree.conflicts),
    )
    done = write_plan(repository, worktree, plan)
    left = {name for p in done.paths if p.outcome in done.deferred and p.conflict is not None
            for name in (p.path, p.conflict.path, *p.conflict.related)}  # fmt: skip
    assert {s.path for s in repository.stages()} <= left
    for outcome in done.deferred:
        assert "by hand" not in outcome.reason
    if done.resolved:
        undo(repository)
    assert snapshot(repo) == before


def _covered(conflicts: tuple[Conflict, ...], contested: frozenset[str]) -> None:
    names = [name for c in conflicts for name in {c.path, *c.related}]
    assert contested <= set(names)
    assert len({c.path for c in conflicts}) == len(conflicts)


@settings(max_examples=12, deadline=None)
@given(merge=merges(), side=st.sampled_from([Side.OURS, Side.THEIRS]))
def test_random_merges(merge: tuple[dict[str, Content], ...], side: Side) -> None:
    """Whatever two sides do to a small tree, nothing falls between the conflicts."""
    with TemporaryDirectory() as folder:
        check(Path(folder), merge, side)


@pytest.mark.long
@settings(max_examples=1500, deadline=None)
@given(merge=merges(), side=st.sampled_from([Side.OURS, Side.THEIRS]))
def test_many_random_merges(merge: tuple[dict[str, Content], ...], side: Side) -> None:
    """The same, long."""
    with TemporaryDirectory() as folder:
        check(Path(folder), merge, side)
