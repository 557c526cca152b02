"""From the conflicts of a merge to its plan: rules, engines, gates, and what needs the whole tree."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from mergewright.git.linemerge import merge_text
from mergewright.git.repository import Repository
from mergewright.git.trees import Objects, TreeEntry
from mergewright.model.conflict import MODE_REGULAR, Conflict
from mergewright.model.errors import RepositoryError
from mergewright.model.merge import Decider, FileMerge
from mergewright.model.plan import MergePlan, MergeSource, PathPlan
from mergewright.model.resolution import Deferred, Failed, PathOutcome
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.cascade import Cascade
from mergewright.resolve.engines import PYTHON_SUFFIXES, GitText, merge_file
from mergewright.resolve.planning import Spread, names_of, plan_paths, size_of
from mergewright.rules import RULE_FILE_NAME
from mergewright.rules.book import RuleBook
from mergewright.text.markers import marker_size_for
from mergewright.workflows.cleanpaths import (
    CleanPaths,
    Mended,
    clean_paths,
    mended_paths,
    rules_of,
)
from mergewright.workflows.crossfile import CrossFile, Looked, whole_commits
from mergewright.workflows.formatter import formatting_of
from mergewright.workflows.parallel import beside, spread
from mergewright.workflows.texts import time_limit

if TYPE_CHECKING:
    from mergewright.python.formatting import Formatting
    from mergewright.rules.schema import MemorySection
    from mergewright.workflows.resolving import Settings
    from mergewright.workflows.sources import Sources


#: What the files that a side changed give to read, about: a task that starts early.
_TREE_BYTES = 1_000_000


def load_book(repository: Repository, settings: Settings) -> RuleBook:
    """The rules that hold for a repository.

    Raises:
        RuleFileError: A rule file cannot be used.
    """
    root = repository.workdir
    if not settings.rules and (root is None or not os.path.lexists(root / RULE_FILE_NAME)):
        return RuleBook()  # the shipped default says nothing: no rule file is read, and no schema
    from mergewright.rules.loading import load_rules

    return load_rules(
        [Path(rule) if isinstance(rule, os.PathLike) else rule for rule in settings.rules],
        root=root,
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


def make_plan(
    repository: Repository,
    source: MergeSource,
    conflicts: Sequence[Conflict],
    book: RuleBook,
    settings: Settings,
    *,
    objects: Objects,
    merged: Mapping[str, TreeEntry],
    everything: Callable[[], Mapping[str, TreeEntry]],
    contested: Collection[str] | None,
    notes: Sequence[str] = (),
) -> MergePlan:
    """The plan of a merge.

    Args:
        repository: Where the history is.
        source: What is merged.
        conflicts: What is to be decided.
        book: The rules.
        settings: How to plan.
        objects: Where the trees and blobs are.
        merged: The cleanly merged files by path.
        everything: Gives the same, asked only where all of them are needed.
        contested: All contested paths; ``None`` when only some conflicts are to be decided, and nothing is
            said of other files.
        notes: Warnings that there are already.

    Raises:
        RepositoryError: An object is missing.
    """
    whole, jobs = contested is not None, settings.jobs
    clean = CleanPaths()
    if contested is not None:
        clean = clean_paths(book, objects, source.commits, merged, contested)
    spoken = set(clean.spoken)
    sources = settings.sources(repository, source, conflicts)
    cascade = _cascade(repository, source, sources, book, settings, objects)
    at_once: Spread = partial(spread, jobs=jobs, before=sources.share)

    def decide(conflict: Conflict) -> tuple[PathOutcome, Looked]:
        if settings.only is not None and not settings.only(conflict):
            outcome: PathOutcome = Deferred(
                path=conflict.path, data=None, mode=MODE_REGULAR, reason="It was not asked for."
            )
        else:
            outcome = cascade.resolve(conflict)
        return outcome, Looked() if ahead is None else ahead.look(conflict, outcome)

    def decided(conflicts: Sequence[Conflict]) -> Iterator[PathOutcome]:
        found = spread_paths(decide, conflicts, weight=size_of, lost=_lost)
        for conflict, (outcome, looked) in zip(conflicts, found, strict=True):
            if cross is not None and ahead is not None:
                cross.keep(conflict, looked)
            yield outcome

    commits = whole_commits(source.commits)
    cross = ahead = None
    spread_clean = spread_paths = at_once
    if commits is not None and whole:
        cross = CrossFile(repository, objects, commits, everything, cascade.resolve, book)
        if jobs > 1 and any(conflict.path.endswith(PYTHON_SUFFIXES) for conflict in conflicts):
            # In other processes everything is looked at while a path's trees are at hand; in this one
            # only what is needed then.
            ahead = cross
            both = (Side.OURS, Side.THEIRS)
            spread_clean = beside(at_once, both, cross.read, cross.keep_read, weight=_TREE_BYTES)
            spread_paths = beside(
                at_once, cross.sides(), cross.old_names, cross.keep_old_names, weight=_TREE_BYTES
            )
    mended = Mended()
    told: tuple[PathPlan, ...] = ()
    warned: tuple[str, ...] = ()
    if whole:
        left_out = clean.settled | names_of(conflicts)
        if book.speaks_for_clean_symbols:
            from mergewright.workflows.cleanverdicts import by_history

            said = by_history(book, sources.clean, objects, merged, left_out)
            spoken |= said.rules
            told, warned = said.plans, said.warnings
            left_out |= {plan.path for plan in told}
        mended = mended_paths(
            objects, source.commits, merged, left_out, cascade.resolve, spread_clean
        )
    plan = plan_paths(
        source,
        conflicts,
        decided,
        clean=(*clean.plans, *told, *mended.plans),
        progress=settings.progress,
    )
    outcomes = (entry.outcome for entry in plan.paths if entry.conflict is not None)
    spoken |= mended.spoken.union(*map(rules_of, outcomes))
    if told:
        from mergewright.workflows.readers import without_broken

        plan, refused = without_broken(plan, told, objects, everything)
        warned += refused
    warnings = (
        *notes,
        *warned,
        *mended.warnings,
        *(str(warning) for warning in book.shadowed()),
    )
    if cross is not None:
        plan = cross.carry_renamings(cross.follow_moves(plan))
    if not whole:
        # With some paths only, a rule may well speak for the others.
        return replace(plan, warnings=warnings)
    if book.rules:
        from mergewright.workflows.policies import apply_policies

        follow = apply_policies(plan, book, repository, objects, merged)
        plan, spoken = follow.plan, spoken | follow.used
    unused = book.unused(spoken)
    return replace(
        plan, warnings=(*warnings, *plan.warnings, *(str(warning) for warning in unused))
    )


def _lost(conflict: Conflict, how: str) -> tuple[PathOutcome, Looked]:
    return Failed(path=conflict.path, error=how), Looked()
