"""Opens a repository or worktree, says what operation is in progress, reads its conflicts."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pygit2

from mergewright import git
from mergewright.git.grouping import Grouper, Stage, case_clashes
from mergewright.git.operations import Operation, detect_operation, operation_name
from mergewright.git.trees import Objects, TreeEntry, missing_object
from mergewright.model.conflict import Conflict
from mergewright.model.errors import RepositoryError
from mergewright.model.plan import MergeSource
from mergewright.model.threeway import ThreeWay


@dataclass(frozen=True, slots=True, kw_only=True)
class WorktreeMerge:
    """The conflicts of a worktree, as its index records them.

    Attributes:
        source: What is being merged.
        operation: What git was doing.
        conflicts: The contested paths, sorted.
        stages: The unmerged index entries.
    """

    source: MergeSource
    operation: Operation
    conflicts: tuple[Conflict, ...]
    stages: tuple[Stage, ...]

    @property
    def contested_paths(self) -> frozenset[str]:
        """All index paths with unmerged stages."""
        return frozenset(stage.path for stage in self.stages)


class Repository:
    """A repository, opened for reading; :mod:`mergewright.git.writing` writes.

    Args:
        handle: An open pygit2 repository; use :meth:`open` outside this package.
    """

    def __init__(self, handle: pygit2.Repository) -> None:
        self.handle = handle
        self.git_dir = Path(handle.path)
        self.common_dir = _common_dir(self.git_dir)
        self.workdir = None if handle.workdir is None else Path(handle.workdir)
        self.objects = Objects(handle)

    @classmethod
    def open(cls, path: str | os.PathLike[str] = ".") -> Repository:
        """Open the repository that a path lies in: a worktree, a linked worktree or a bare one.

        Args:
            path: A folder or file inside the worktree, or the git folder itself.

        Raises:
            RepositoryError: There is none, or it cannot be read.
        """
        start = Path(path)
        if not start.exists():
            raise RepositoryError(f"no such file or directory: {start}")
        if git.own_process:
            # As git does: the checksum of the packing tells a damaged object; to compute its id again at
            # each reading takes as long as the reading itself.
            pygit2.settings.enable_strict_hash_verification(value=False)
        try:
            found = pygit2.discover_repository(str(start.absolute()))
        except (KeyError, pygit2.GitError) as error:
            raise _not_opened(start, error) from error
        if found is None:
            raise RepositoryError(
                f"not a git repository (nor any folder above it): {start}",
                hint="Run the command inside a repository, or name one with -C.",
            )
        try:
            return cls(pygit2.Repository(found))
        except (KeyError, pygit2.GitError) as error:
            raise _not_opened(start, error) from error

    @property
    def objects_dir(self) -> Path:
        """The folder of the object store."""
        return self.common_dir / "objects"

    @property
    def is_bare(self) -> bool:
        """Whether there is no worktree."""
        return self.workdir is None

    @property
    def is_shallow(self) -> bool:
        """Whether the history is cut off."""
        return (self.common_dir / "shallow").is_file()

    def require_worktree(self) -> Path:
        """The worktree's folder.

        Raises:
            RepositoryError: The repository is bare.
        """
        if self.workdir is None:
            raise RepositoryError(
                f"{self.git_dir} is a bare repository: it has no worktree to resolve",
                hint="Use resolve merge OURS THEIRS, which needs none.",
            )
        return self.workdir

    def settings(self, names: Sequence[str]) -> dict[str, str]:
        """The values of configuration entries; those that are not set are left out."""
        config = self.handle.config
        return {name: str(config[name]) for name in names if name in config}

    def resolve(self, revision: str) -> str:
        """The full id of the commit that a revision names.

        Raises:
            RepositoryError: It names nothing, several things, or no commit.
        """
        try:
            found = self.handle.revparse_single(revision)
            return str(found.peel(pygit2.Commit).id)
        except (KeyError, ValueError, pygit2.GitError, pygit2.InvalidSpecError) as error:
            if revision == "HEAD" and self.handle.head_is_unborn:
                raise self._unborn() from error
            if re.fullmatch(r"[0-9a-f]{40}", revision):
                raise RepositoryError(
                    f"commit {revision} is missing from the repository",
                    hint="The clone may be shallow, or the commit was never fetched.",
                ) from error
            raise RepositoryError(
                f"{revision!r} names no commit: {error}",
                hint="Give a branch, a tag or a commit id; fetch it first if it is elsewhere.",
            ) from error

    def commit(self, oid: str) -> pygit2.Commit:
        """The commit of a full id, for use inside this package.

        Raises:
            RepositoryError: It is not there.
        """
        try:
            return self.handle[oid].peel(pygit2.Commit)
        except (KeyError, ValueError, pygit2.GitError) as error:
            raise missing_object(oid) from error

    def merge_bases(self, ours: str, theirs: str) -> tuple[str, ...]:
        """Full ids of all best common ancestors, newest first; empty when there is none.

        Raises:
            RepositoryError: A commit on the way is missing.
        """
        try:
            found = _merge_bases(self.handle, ours, theirs)
        except (KeyError, ValueError, pygit2.GitError) as error:
            raise RepositoryError(
                f"the common ancestor of {ours[:12]} and {theirs[:12]} cannot be found: {error}",
                hint="History may be missing: git fetch --unshallow.",
            ) from error
        return found

    def no_common_ancestor(self, ours: str, theirs: str) -> RepositoryError:
        """The error for two commits that share no history."""
        said = f"{ours[:12]} and {theirs[:12]} have no common ancestor"
        if self.is_shallow:
            return RepositoryError(
                f"{said} in this shallow clone",
                hint="Fetch the history: git fetch --unshallow, or --deepen=N.",
            )
        return RepositoryError(f"{said}: their histories are unrelated")

    # -- the worktree's conflict ---------------------------------------------------------------

    def worktree_merge(self) -> WorktreeMerge:
        """The conflicts in the index, and the operation they come from.

        Raises:
            RepositoryError: Bare, unborn branch, no conflict, unreadable index, missing objects.
        """
        self.require_worktree()
        if self.handle.head_is_unborn:
            raise self._unborn()
        stages = self.stages()
        if not stages:
            raise self._no_conflict()
        operation = self.operation(stages)
        trees = ThreeWay(base=operation.base, ours=operation.ours, theirs=operation.theirs)
        any_base = operation.bases[0] if operation.bases else None
        grouper = Grouper(
            self.objects,
            ThreeWay(base=any_base, ours=operation.ours, theirs=operation.theirs),
            bases=operation.bases,
        )
        conflicts = grouper.conflicts(stages)
        return WorktreeMerge(
            source=MergeSource(
                operation=operation.name,
                commits=trees,
                labels=operation.labels,
                engine="index",
                swapped=operation.swapped,
            ),
            operation=operation,
            conflicts=conflicts,
            stages=stages,
        )

    def case_clashes(self, merge: WorktreeMerge) -> tuple[Conflict, ...]:
        """Paths of the index that differ only in case because each side added one of them.

        Raises:
            RepositoryError: The index or an object cannot be read.
        """
        operation = merge.operation
        trees = ThreeWay(
            base=operation.bases[0] if operation.bases else None,
            ours=operation.ours,
            theirs=operation.theirs,
        )
        return case_clashes(self.objects, trees, self.index_entries(), merge.contested_paths)

    def stages(self) -> tuple[Stage, ...]:
        """The unmerged entries of the index; empty when nothing is contested.

        Raises:
            RepositoryError: The index cannot be read.
        """
        return tuple(index_stages(self.read_index()))

    def read_index(self) -> pygit2.Index:
        """The index as it is on the disk now.

        Raises:
            RepositoryError: It cannot be read.
        """
        try:
            index: pygit2.Index = self.handle.index
            index.read(True)  # noqa: FBT003 - "force"
        except (OSError, pygit2.GitError) as error:
            raise RepositoryError(
                f"the index of {self.git_dir} cannot be read: {error}",
                hint="A split or sparse index must be made whole first: git update-index "
                "--no-split-index, git sparse-checkout reapply --no-sparse-index.",
            ) from error
        return index

    def index_entries(self) -> dict[str, TreeEntry]:
        """The files of the index that are no conflicts, by path.

        Raises:
            RepositoryError: The index cannot be read.
        """
        index = self.read_index()
        contested = {stage.path for stage in index_stages(index)}
        return {
            entry.path: TreeEntry(entry.path, int(entry.mode), str(entry.id))
            for entry in index
            if entry.path not in contested
        }

    def operation(self, stages: Sequence[Stage] = ()) -> Operation:
        """What git was doing when it stopped, told by its state files.

        Args:
            stages: The unmerged entries; they tell which stash was popped.

        Raises:
            RepositoryError: The branch is unborn, or a recorded commit is missing.
        """
        return detect_operation(self, stages)

    def head_name(self) -> str:
        """The short name of the current branch; ``HEAD`` when detached."""
        if self.handle.head_is_detached:
            return "HEAD"
        return self.handle.head.shorthand

    def _unborn(self) -> RepositoryError:
        return RepositoryError(
            "the current branch has no commit yet",
            hint="Make the first commit, or check out a branch that has one.",
        )

    def _no_conflict(self) -> RepositoryError:
        state = self.operation_name()
        if state is None:
            return RepositoryError(
                "there is no conflict to resolve: the index has no unmerged path",
                hint="Start a merge first (git merge BRANCH), or merge in memory: "
                "resolve merge OURS THEIRS.",
            )
        return RepositoryError(
            f"there is no conflict to resolve: the {state} in progress has no unmerged path",
            hint=f"Go on with git {state} --continue.",
        )

    def operation_name(self) -> str | None:
        """The operation that a state file tells of; ``None`` when there is no such file."""
        return operation_name(self.git_dir)


def index_stages(index: pygit2.Index) -> Iterable[Stage]:
    """The unmerged entries of an index."""
    # None when clean; and iterating the index itself repeats contested paths.
    for versions in index.conflicts or ():
        for number, entry in enumerate(versions, start=1):
            if entry is not None:
                yield Stage(entry.path, number, int(entry.mode), str(entry.id))


def _merge_bases(handle: pygit2.Repository, ours: str, theirs: str) -> tuple[str, ...]:
    """All maximal common ancestors; pygit2 itself gives only one of them.

    The last step of any path from ours down to a maximal common ancestor starts at a commit that
    ours alone has (else that commit would be a greater one), and the same holds for theirs. So the
    candidates are the commits at which both sides' own commits end.
    """
    left, right = pygit2.Oid(hex=ours), pygit2.Oid(hex=theirs)
    if handle.merge_base(left, right) is None:
        return ()
    candidates = _own_ends(handle, left, right) & _own_ends(handle, right, left)
    best = [
        oid
        for oid in candidates
        if not any(other != oid and handle.descendant_of(other, oid) for other in candidates)
    ]
    best.sort(key=lambda oid: (-handle[oid].peel(pygit2.Commit).commit_time, str(oid)))
    return tuple(str(oid) for oid in best)


def _own_ends(handle: pygit2.Repository, tip: pygit2.Oid, other: pygit2.Oid) -> set[pygit2.Oid]:
    """The commits of ``other``'s history at which the commits that ``tip`` alone has end."""
    walker = handle.walk(tip)
    walker.hide(other)
    own, ends = set(), {tip}
    for commit in walker:
        own.add(commit.id)
        ends.update(commit.parent_ids)
    return ends - own


def _common_dir(git_dir: Path) -> Path:
    """The shared git folder of a linked worktree; the folder itself otherwise."""
    pointer = git_dir / "commondir"
    try:
        target = os.fsdecode(pointer.read_bytes()).rstrip("\n")
    except OSError:
        return git_dir
    return Path(os.path.normpath(git_dir / target))


def _not_opened(path: Path, error: Exception) -> RepositoryError:
    said = str(error)
    if "not owned by" in said:
        return RepositoryError(
            f"the repository at {path} belongs to another user: {said}",
            hint="git config --global --add safe.directory FOLDER, if you trust it.",
        )
    return RepositoryError(f"the repository at {path} cannot be opened: {said}")
