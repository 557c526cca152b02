"""Rules that need more than one path: what follows once every contested path has its outcome.

Deletions against changes are settled by who deleted a file and what still needs it; submodules by
ancestry; then the steps (renames, callers, imports, sources, restored files) work on the merged
tree. All ends in the plan, so that a dry run shows it and writing stays one step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from mergewright.git.commits import walk
from mergewright.git.repository import Repository
from mergewright.git.trees import Objects, TreeEntry
from mergewright.model.conflict import MODE_SUBMODULE, Conflict, ConflictKind
from mergewright.model.errors import RepositoryError
from mergewright.model.plan import MergePlan, PathPlan
from mergewright.model.resolution import (
    Deferred,
    Evidence,
    EvidenceKind,
    Failed,
)
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.treeconflicts import whole_side
from mergewright.rules.book import PathRule, RuleBook
from mergewright.rules.deleted import Deletion, need
from mergewright.rules.schema import NeedRule
from mergewright.rules.steps import run_steps
from mergewright.rules.trees import Overlay, references
from mergewright.rules.words import Action
from mergewright.workflows.edits import with_edits
from mergewright.workflows.gittrees import GitTree, merged_tree

#: Decides between two submodule commits: whether the first contains the second, or ``None``.
Contains = Callable[[str, str, str], bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """What the rules made of a plan.

    Attributes:
        plan: The plan with all that followed.
        used: Ids of the rules that spoke.
    """

    plan: MergePlan
    used: frozenset[str]


def has_policies(book: RuleBook) -> bool:
    """Whether any rule of the book works beyond its own path."""
    return bool(book.steps()) or any(
        loaded.rule.action in {Action.BY_NEED, Action.NEWER, Action.COUPLED}
        for loaded in book.rules
    )


def apply_policies(
    plan: MergePlan,
    book: RuleBook,
    repository: Repository,
    objects: Objects,
    merged: Mapping[str, TreeEntry],
    *,
    contains: Contains | None = None,
) -> Policies:
    """Apply the rules that look at the whole merge.

    Args:
        plan: The plan so far.
        book: The rules.
        repository: Where the history is.
        objects: Where the merged tree's blobs are.
        merged: The cleanly merged files by path.
        contains: Whether a submodule commit contains another (path, container, contained); by
            default the checked-out submodules are asked.

    Raises:
        RepositoryError: An object or commit is missing.
    """
    commits = plan.source.commits
    if not has_policies(book) or commits.ours is None or commits.theirs is None:
        return Policies(plan=plan, used=frozenset())
    sides = ThreeWay(
        base=GitTree(objects, {} if commits.base is None else objects.entries(commits.base)),
        ours=GitTree(objects, objects.entries(commits.ours)),
        theirs=GitTree(objects, objects.entries(commits.theirs)),
    )
    history = _History(repository, commits)
    used: set[str] = set()
    tree = merged_tree(plan, objects, merged)
    paths = _decide_needs(plan, book, tree, history, used)
    paths = _decide_submodules(paths, plan, book, contains or _contains(repository), used)
    plan = replace(plan, paths=paths)
    tree = merged_tree(plan, objects, merged)
    result = run_steps(
        book,
        tree,
        ThreeWay(base=sides.base, ours=sides.ours, theirs=sides.theirs),
        open_paths=_open_paths(plan),
        open_merges={
            entry.outcome.path: entry.outcome.merge
            for entry in plan.paths
            if isinstance(entry.outcome, Deferred) and entry.outcome.merge is not None
        },
        deletions=lambda path: history.deletions(Side.OURS, path),
    )
    used |= result.used
    done = {(d.rule, edit.path, d.reason) for edit in result.edits for d in edit.decisions}
    notes = tuple(
        str(note)
        for note in result.notes
        if not note.warning and (note.rule, note.path, note.text) not in done
    )
    warnings = tuple(str(note) for note in result.notes if note.warning)
    return Policies(
        plan=replace(
            plan,
            paths=with_edits(plan.paths, result.edits, plan.source.labels),
            notes=(*plan.notes, *notes),
            warnings=(*plan.warnings, *warnings),
        ),
        used=frozenset(used),
    )


def _open_paths(plan: MergePlan) -> frozenset[str]:
    found: set[str] = set()
    for entry in plan.paths:
        if isinstance(entry.outcome, Deferred | Failed):
            found.add(entry.outcome.path)
            if entry.conflict is not None:
                found.update(entry.conflict.related)
    return frozenset(found)


@dataclass(slots=True)
class _History:
    """The commits of a side that deleted a path."""

    repository: Repository
    commits: ThreeWay[str | None]

    def deletions(self, side: Side, path: str) -> tuple[Deletion, ...]:
        """The deletions since the sides parted, newest first; empty when history is cut off."""
        tip = self.commits.get(side)
        if tip is None:
            return ()
        hidden = [oid for oid in (self.commits.base, self.commits.get(side.other)) if oid]
        try:
            found = walk(self.repository, [tip], hide=hidden, paths=[path])
        except RepositoryError:
            return ()
        return tuple(
            Deletion(
                commit=commit.oid,
                title=commit.title,
                author=commit.author,
                date=datetime.fromtimestamp(commit.committed, UTC).strftime("%Y-%m-%d"),
                parents=len(commit.parents),
            )
            for commit in found
            if any(
                (change.path == path and change.new_oid is None) or change.old_path == path
                for change in commit.changes
            )
        )


def _undecided(
    paths: Sequence[PathPlan], book: RuleBook, action: Action
) -> list[tuple[int, Conflict, PathRule]]:
    """Open conflicts whose path rule has the action, with their position."""
    found: list[tuple[int, Conflict, PathRule]] = []
    for index, entry in enumerate(paths):
        if entry.conflict is None or not isinstance(entry.outcome, Deferred):
            continue
        rule = book.for_path(entry.conflict)
        if rule is not None and rule.action is action:
            found.append((index, entry.conflict, rule))
    return found


_DELETERS = {
    ConflictKind.DELETED_BY_OURS: Side.OURS,
    ConflictKind.DELETED_BY_THEIRS: Side.THEIRS,
}


def _decide_needs(
    plan: MergePlan, book: RuleBook, tree: Overlay, history: _History, used: set[str]
) -> tuple[PathPlan, ...]:
    paths = list(plan.paths)
    asked = _undecided(paths, book, Action.BY_NEED)
    if not asked:
        return tuple(paths)
    found = references(tree, [conflict.path for _, conflict, _ in asked])
    for index, conflict, rule in asked:
        used.add(rule.id)
        side = _DELETERS[conflict.kind]
        loaded = rule.loaded.rule
        keep = isinstance(loaded, NeedRule) and loaded.needed == "keep"
        label = plan.source.labels.get(side)
        who = side.value if label in {"", side.value} else f"{side.value} ({label})"
        answer = need(
            who,
            history.deletions(side, conflict.path),
            found[conflict.path],
            keep_when_needed=keep,
        )
        reason = f"{rule.reason}: {answer.reason}"
        evidence = rule.evidence
        if answer.commits:
            evidence += (
                Evidence(kind=EvidenceKind.COMMIT, text=answer.reason, commits=answer.commits),
            )
        if answer.keep is None:
            paths[index] = _deferred_by(paths[index], rule, reason, evidence)
            continue
        outcome = whole_side(
            conflict,
            side.other if answer.keep else side,
            strategy=Action.BY_NEED.value,
            reason=reason,
            rule=rule.id,
            evidence=evidence,
        )
        paths[index] = replace(paths[index], outcome=outcome)
    return tuple(paths)


def _deferred_by(
    entry: PathPlan, rule: PathRule, reason: str, evidence: tuple[Evidence, ...]
) -> PathPlan:
    outcome = entry.outcome
    if not isinstance(outcome, Deferred):
        return entry
    decisions = tuple(
        replace(decision, rule=rule.id, reason=reason, evidence=evidence)
        for decision in outcome.decisions
    )
    return replace(entry, outcome=replace(outcome, reason=reason, decisions=decisions))


def _contains(repository: Repository) -> Contains:
    """Ask the submodules that are checked out in the worktree."""

    def contains(path: str, container: str, contained: str) -> bool | None:
        if repository.is_bare:
            return None
        folder = repository.workdir / path
        try:
            inner = Repository.open(folder)
            if inner.is_bare or inner.workdir.resolve() != folder.resolve():
                return None  # an empty folder: what was opened is the repository around it
            return contained in inner.merge_bases(container, contained)
        except (RepositoryError, OSError):
            return None

    return contains


def _decide_submodules(
    paths: Sequence[PathPlan],
    plan: MergePlan,
    book: RuleBook,
    contains: Contains,
    used: set[str],
) -> tuple[PathPlan, ...]:
    out = list(paths)
    for index, conflict, rule in _undecided(out, book, Action.NEWER):
        used.add(rule.id)
        ours, theirs = conflict.versions.ours, conflict.versions.theirs
        if ours is None or theirs is None:
            continue
        if not ours.mode == theirs.mode == MODE_SUBMODULE:
            continue
        if contains(conflict.path, ours.oid, theirs.oid):
            side, newer, older = Side.OURS, ours.oid, theirs.oid
        elif contains(conflict.path, theirs.oid, ours.oid):
            side, newer, older = Side.THEIRS, theirs.oid, ours.oid
        else:
            reason = (
                f"{rule.reason}: neither {ours.oid[:12]} nor {theirs.oid[:12]} is known to contain "
                "the other"
            )
            out[index] = _deferred_by(out[index], rule, reason, rule.evidence)
            continue
        label = plan.source.labels.get(side)
        reason = f"{rule.reason}: {newer[:12]} of {label} contains {older[:12]}"
        outcome = whole_side(
            conflict,
            side,
            strategy=Action.NEWER.value,
            reason=reason,
            rule=rule.id,
            evidence=rule.evidence,
        )
        out[index] = replace(out[index], outcome=outcome)
    return tuple(out)
