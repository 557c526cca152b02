"""Joins git to the core: the conflicts of a worktree, or of two commits in memory, to a plan."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import mergewright
from mergewright.git.linemerge import merge_text
from mergewright.git.repository import Repository, WorktreeMerge
from mergewright.git.trees import Objects, TreeEntry
from mergewright.model.conflict import Conflict
from mergewright.model.errors import RepositoryError, UsageError
from mergewright.model.merge import Decider, FileMerge
from mergewright.model.plan import MergePlan, MergeSource
from mergewright.model.resolution import Deferred, Failed, PathOutcome, Resolved
from mergewright.model.threeway import ThreeWay
from mergewright.resolve.cascade import Cascade
from mergewright.resolve.engines import GitText, merge_file
from mergewright.resolve.planning import Mapper, Progress, Spread, plan_paths, size_of
from mergewright.resolve.reporting import report
from mergewright.text.markers import marker_size_for
from mergewright.workflows.cleanpaths import (
    CleanPaths,
    Mended,
    clean_paths,
    mended_paths,
    rules_of,
)
from mergewright.workflows.cleanverdicts import Spoken, by_history
from mergewright.workflows.crossfile import carry_renamings, follow_moves
from mergewright.workflows.formatter import formatting_of
from mergewright.workflows.parallel import spread
from mergewright.workflows.policies import apply_policies
from mergewright.workflows.readers import without_broken
from mergewright.workflows.sources import SourceFactory, Sources, no_sources
from mergewright.workflows.texts import FILE_BUDGET, time_limit

if TYPE_CHECKING:
    from mergewright.git.merging import Engine, InMemoryMerge
    from mergewright.python.formatting import Formatting
    from mergewright.rules.book import RuleBook
    from mergewright.rules.schema import MemorySection


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
        mapper: Resolves the contested paths in place of those processes: ``map``, or a pool's.
    """

    rules: Sequence[str | os.PathLike[str]] = ()
    sources: SourceFactory = no_sources
    budget: float = FILE_BUDGET
    engine: Engine = "auto"
    progress: Progress = _silent
    jobs: int = 1
    mapper: Mapper | None = None


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
        return report(self.plan, version=mergewright.__version__, extra=extra)


def load_book(repository: Repository, settings: Settings) -> RuleBook:
    """The rules that hold for a repository.

    Raises:
        RuleFileError: A rule file cannot be used.
    """
    from mergewright.rules.loading import load_rules

    return load_rules(
        [Path(rule) if isinstance(rule, os.PathLike) else rule for rule in settings.rules],
        root=repository.workdir,
    )


def git_text(conflict: Conflict, labels: ThreeWay[str]) -> GitText | None:
    """Git's own conflict for a path; ``None`` when there is no git, or it does not merge it."""
    texts = conflict.texts
    size = marker_size_for(texts)
    try:
        data, _ = merge_text(texts, labels, style="diff3", marker_size=size)
    except RepositoryError:
        return None
    return measured(data, size)


def measured(data: bytes, size: int) -> GitText:
    """Count the conflicts in a diff3 text whose markers are of a size that no other line has."""
    places = lines = 0
    inside: bytes | None = None
    for line in data.splitlines(keepends=True):
        mark = line[:size]
        if (
            len(mark) == size
            and len(set(mark)) == 1
            and mark[:1] in b"<|=>"
            and line[size : size + 1] in (b" ", b"\n", b"\r")
        ):
            inside = None if mark[:1] == b">" else mark[:1]
            places += mark[:1] == b"<"
        elif inside in (b"<", b"="):
            lines += bool(line.strip())
    return GitText(data=data, open_places=places, contested_lines=lines)


def _cascade(
    repository: Repository,
    source: MergeSource,
    sources: Sources,
    book: RuleBook,
    settings: Settings,
    objects: Objects,
) -> Cascade:
    def guard() -> AbstractContextManager[None]:
        return time_limit(settings.budget)

    return Cascade(
        labels=source.labels,
        rules=book,
        history=sources.history,
        rebase=sources.rebase,
        memory=sources.memory if book.memory is None else _memory(repository, book.memory),
        verdicts=sources.verdicts,
        git_text=lambda conflict: git_text(conflict, source.labels),
        guard=guard,
        engine=partial(_by_rules, book, formatting_of(objects, source.commits)),
        disabled=book.disabled,
    )


def _by_rules(
    book: RuleBook,
    formatting: Callable[[str], Formatting],
    path: str,
    versions: ThreeWay[bytes | None],
    deciders: Sequence[Decider],
) -> FileMerge:
    """The merge of one file with the switches that the rules set for it."""
    return merge_file(
        path,
        versions,
        deciders,
        options=book.engine_options(path),
        formats=book.format_options(path),
        formatting=formatting,
    )


def _memory(
    repository: Repository, section: MemorySection
) -> Callable[[Conflict], Sequence[Decider]]:
    """Earlier decisions, on the terms of a rule file."""
    from mergewright.workflows.memory import memory_decider

    root = repository.workdir
    decider = memory_decider(
        repository,
        expire_days=section.expire_days,
        agreeing=section.agreeing,
        shared=[] if root is None else [Path(root) / name for name in section.shared],
    )
    deciders: Sequence[Decider] = () if decider is None else (decider,)
    return lambda _: deciders


def _plan(
    repository: Repository,
    source: MergeSource,
    conflicts: Sequence[Conflict],
    book: RuleBook,
    clean: CleanPaths,
    settings: Settings,
    *,
    objects: Objects,
    merged: Mapping[str, TreeEntry],
    everything: Callable[[], Mapping[str, TreeEntry]],
    whole: bool = True,
    notes: Sequence[str] = (),
) -> MergePlan:
    spoken = set(clean.spoken)
    sources = settings.sources(repository, source, conflicts)
    cascade = _cascade(repository, source, sources, book, settings, objects)
    at_once: Spread = partial(spread, jobs=settings.jobs, before=sources.share)
    mended, said = Mended(), Spoken()
    if whole:
        left_out = clean.settled | names_of(conflicts)
        said = by_history(book, sources.clean, objects, merged, left_out)
        spoken |= said.rules
        left_out |= {plan.path for plan in said.plans}
        mended = mended_paths(objects, source.commits, merged, left_out, cascade.resolve, at_once)
    plan = plan_paths(
        source,
        conflicts,
        cascade.resolve,
        clean=(*clean.plans, *said.plans, *mended.plans),
        progress=settings.progress,
        mapper=settings.mapper or partial(at_once, weight=size_of, lost=_lost),
    )
    decided = (entry.outcome for entry in plan.paths if entry.conflict is not None)
    spoken |= mended.spoken.union(*map(rules_of, decided))
    plan, refused = without_broken(plan, said.plans, objects, everything)
    warnings = (
        *notes,
        *said.warnings,
        *refused,
        *mended.warnings,
        *(str(warning) for warning in book.shadowed()),
    )
    if whole:
        plan = follow_moves(plan, repository, objects, everything, cascade.resolve, book, at_once)
        if book.engine_options().sweeps:
            plan = carry_renamings(plan, objects, everything, cascade.resolve, book, at_once)
    if not whole:
        # With some paths only, a rule may well speak for the others.
        return replace(plan, warnings=warnings)
    follow = apply_policies(plan, book, repository, objects, merged)
    unused = book.unused(spoken | follow.used)
    return replace(
        follow.plan,
        warnings=(*warnings, *follow.plan.warnings, *(str(warning) for warning in unused)),
    )


def _lost(conflict: Conflict, how: str) -> PathOutcome:
    return Failed(path=conflict.path, error=how)


def names_of(conflicts: Sequence[Conflict]) -> frozenset[str]:
    """All paths that conflicts speak of."""
    return frozenset(name for c in conflicts for name in (c.path, *c.related))


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

    book = load_book(repository, settings)
    merge = merge_commits(
        repository, ours, theirs, engine=settings.engine, base=base, labels=labels
    )
    try:
        merged = merge.clean_entries()
        clashes = merge.case_clashes()
        contested = merge.contested_paths | names_of(clashes)
        clean = clean_paths(book, merge.objects, merge.source.commits, merged, contested)
        plan = _plan(
            repository,
            merge.source,
            (*merge.conflicts, *clashes),
            book,
            clean,
            settings,
            objects=merge.objects,
            merged=merged,
            everything=merge.clean_entries,
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
    root = repository.require_worktree()
    merge = repository.worktree_merge()
    book = load_book(repository, settings)
    clashes = repository.case_clashes(merge)
    conflicts: Sequence[Conflict] = (*merge.conflicts, *clashes)
    clean = CleanPaths()
    merged: Mapping[str, TreeEntry] = {}
    if paths:
        conflicts = _selected(conflicts, paths, root)
    else:
        merged = repository.index_entries()
        contested = merge.contested_paths | names_of(clashes)
        clean = clean_paths(book, repository.objects, merge.source.commits, merged, contested)
    plan = _plan(
        repository,
        merge.source,
        conflicts,
        book,
        clean,
        settings,
        objects=repository.objects,
        merged=merged,
        everything=repository.index_entries,
        whole=not paths,
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
