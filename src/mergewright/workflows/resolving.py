"""Joins git to the core: the conflicts of a worktree, or of two commits in memory, to a plan."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import mergewright
from mergewright.git.repository import Repository, WorktreeMerge
from mergewright.git.trees import TreeEntry
from mergewright.model.conflict import Conflict
from mergewright.model.errors import UsageError
from mergewright.model.plan import MergePlan
from mergewright.model.resolution import Deferred, Resolved
from mergewright.model.threeway import ThreeWay
from mergewright.resolve.planning import Progress, names_of
from mergewright.workflows.sources import SourceFactory, no_sources
from mergewright.workflows.texts import FILE_BUDGET

if TYPE_CHECKING:
    from mergewright.git.merging import Engine, InMemoryMerge
    from mergewright.rules.book import RuleBook


def _silent(done: int, total: int, path: str) -> None:
    """Say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a merge is planned.

    Attributes:
        rules: Rule files or names of shipped packs; without any, ``.mergewright.yaml`` at the
            root of the worktree, else the shipped default, which takes no side.
        sources: Makes history and memory for a merge.
        budget: Seconds that one file may take before it is merged by lines.
        engine: What merges two commits in memory: ``auto``, ``git`` or ``libgit2``.
        progress: Told after each path.
        jobs: Processes at most that resolve files at once (:mod:`mergewright.workflows.parallel`); the
            outcome is the same for every number.
        only: Whether a contested path is to be decided; the others stay open, unless their edits follow a
            definition to another file, and are known to history. ``None`` for all.
    """

    rules: Sequence[str | os.PathLike[str]] = ()
    sources: SourceFactory = no_sources
    budget: float = FILE_BUDGET
    engine: Engine = "auto"
    progress: Progress = _silent
    jobs: int = 1
    only: Callable[[Conflict], bool] | None = None


DEFAULT_SETTINGS = Settings()


@dataclass(kw_only=True)
class Plan:
    """A plan with what is needed to show it or write it.

    Attributes:
        plan: The resolutions.
        repository: Where it was made.
    """

    plan: MergePlan
    repository: Repository = field(repr=False)

    def report(self, **extra: Any) -> dict[str, Any]:
        """The report as plain data, as ``--json`` writes it (see ``schemas/report-v1.json``)."""
        from mergewright.resolve.reporting import report

        return report(self.plan, version=mergewright.__version__, extra=extra)


# -- two commits, in memory ------------------------------------------------------------------------


@dataclass(kw_only=True)
class InMemoryPlan(Plan):
    """The plan for two commits; nothing is written to their repository.

    Use it as a context manager, or call :meth:`close`: the scratch objects go with it.

    Attributes:
        merge: The merge that git's engine made.
    """

    merge: InMemoryMerge = field(repr=False)

    def text(self, path: str) -> bytes | None:
        """What a worktree would hold at a path after the merge; ``None`` when it has no file."""
        outcome = {entry.path: entry.outcome for entry in self.plan.paths}.get(path)
        if isinstance(outcome, Resolved):
            return outcome.data
        if isinstance(outcome, Deferred) and outcome.data is not None:
            return outcome.data
        return self.merge.read(path)

    def tree(self) -> str:
        """Id of the merged tree with all answers in it, readable through ``merge.objects``.

        Paths that stay open hold their text with conflict markers.
        """
        changes: dict[str, tuple[int, bytes] | None] = {}
        for entry in self.plan.paths:
            outcome = entry.outcome
            if isinstance(outcome, Resolved):
                changes.update(dict.fromkeys(outcome.drop))
                if outcome.oid is None:
                    changes[outcome.path] = (
                        None if outcome.data is None else (outcome.mode, outcome.data)
                    )
            elif isinstance(outcome, Deferred) and outcome.data is not None:
                changes[outcome.path] = (outcome.mode, outcome.data)
        return self.merge.tree_with(changes)

    def close(self) -> None:
        """Throw the scratch objects away."""
        self.merge.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def plan_merge(
    repository: Repository,
    ours: str,
    theirs: str,
    *,
    base: str | None = None,
    labels: ThreeWay[str] | None = None,
    settings: Settings = DEFAULT_SETTINGS,
) -> InMemoryPlan:
    """Merge two commits in memory and plan every contested path.

    Args:
        repository: Where the commits are; bare or not, it is only read.
        ours: The commit merged into: an id or any revision.
        theirs: The commit that is merged.
        base: Merge as if this were the only merge base.
        labels: How the sides are called; by default the revisions as given.
        settings: How to plan.

    Raises:
        RepositoryError: A revision or an object is missing, or there is no common ancestor.
        RuleFileError: A rule file cannot be used.
    """
    from mergewright.git.merging import merge_commits

    books: list[RuleBook] = []

    def beside() -> None:
        # What decides is as long in loading as git is in merging.
        from mergewright.workflows.planning import load_book

        books.append(load_book(repository, settings))

    merge = merge_commits(
        repository, ours, theirs, engine=settings.engine, base=base, labels=labels, beside=beside
    )
    try:
        from mergewright.workflows.planning import make_plan

        clashes = merge.case_clashes()
        plan = make_plan(
            repository,
            merge.source,
            (*merge.conflicts, *clashes),
            books[0],
            settings,
            objects=merge.objects,
            merged=merge.clean_entries(),
            everything=merge.clean_entries,
            contested=merge.contested_paths | names_of(clashes),
            notes=merge.notes,
        )
    except BaseException:
        merge.close()
        raise
    return InMemoryPlan(plan=plan, repository=repository, merge=merge)


# -- the worktree ----------------------------------------------------------------------------------


@dataclass(kw_only=True)
class WorktreePlan(Plan):
    """The plan for the conflicts of a worktree.

    Attributes:
        merge: The conflicts as the index records them.
    """

    merge: WorktreeMerge = field(repr=False)


def plan_worktree(
    repository: Repository,
    paths: Sequence[str | os.PathLike[str]] = (),
    *,
    settings: Settings = DEFAULT_SETTINGS,
) -> WorktreePlan:
    """Plan the conflicts of a worktree in which git stopped.

    Args:
        repository: The repository; it is only read.
        paths: Files, folders or glob patterns, relative to the current folder (or absolute); only
            conflicts that they name are planned. Empty means all.
        settings: How to plan.

    Raises:
        RepositoryError: There is no conflict, or the repository cannot be read.
        RuleFileError: A rule file cannot be used.
        UsageError: A path names no conflict.
    """
    from mergewright.workflows.planning import load_book, make_plan

    root = repository.require_worktree()
    merge = repository.worktree_merge()
    book = load_book(repository, settings)
    clashes = repository.case_clashes(merge)
    conflicts: Sequence[Conflict] = (*merge.conflicts, *clashes)
    merged: Mapping[str, TreeEntry] = {}
    contested: frozenset[str] | None = None
    if paths:
        conflicts = _selected(conflicts, paths, root)
    else:
        merged = repository.index_entries()
        contested = merge.contested_paths | names_of(clashes)
    plan = make_plan(
        repository,
        merge.source,
        conflicts,
        book,
        settings,
        objects=repository.objects,
        merged=merged,
        everything=repository.index_entries,
        contested=contested,
    )
    return WorktreePlan(plan=plan, repository=repository, merge=merge)


def _selected(
    conflicts: Sequence[Conflict], paths: Sequence[str | os.PathLike[str]], root: Path
) -> list[Conflict]:
    """The conflicts that files, folders and patterns name.

    Raises:
        UsageError: One of them names none.
    """
    chosen: dict[str, Conflict] = {}
    for given in paths:
        pattern = _relative(given, root)
        found = [
            conflict
            for conflict in conflicts
            if any(_names(pattern, name) for name in (conflict.path, *conflict.related))
        ]
        if not found:
            raise UsageError(
                f"no conflicted path matches {os.fspath(given)!r}",
                hint="git status lists the conflicted paths.",
            )
        chosen.update((conflict.path, conflict) for conflict in found)
    return list(chosen.values())


def _relative(given: str | os.PathLike[str], root: Path) -> str:
    text = os.fspath(given)
    absolute = os.path.normpath(Path.cwd() / text)
    try:
        relative = Path(absolute).relative_to(root.resolve())
    except ValueError:
        try:
            relative = Path(os.path.realpath(absolute)).relative_to(root.resolve())
        except ValueError:
            raise UsageError(f"{text!r} is outside of the worktree {root}") from None
    return relative.as_posix()


def _names(pattern: str, path: str) -> bool:
    if pattern in (".", path) or path.startswith(pattern + "/"):
        return True
    return any(char in pattern for char in "*?[") and fnmatch.fnmatchcase(path, pattern)
