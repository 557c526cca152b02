"""File rules that speak for paths which merged cleanly: pins, and sides taken whole."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from mergewright.git.trees import Objects, TreeEntry
from mergewright.model.conflict import (
    MODE_SUBMODULE,
    Conflict,
    ConflictKind,
    FileVersion,
)
from mergewright.model.plan import PathPlan
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.treeconflicts import whole_side
from mergewright.rules.book import PathRule, RuleBook


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanPaths:
    """What the file rules say of the paths that merged cleanly.

    Attributes:
        plans: A resolution for each path where the rule's side differs from the clean merge.
        spoken: Ids of all rules that matched, also where nothing had to change.
    """

    plans: tuple[PathPlan, ...] = ()
    spoken: frozenset[str] = frozenset()


def clean_paths(
    book: RuleBook,
    objects: Objects,
    trees: ThreeWay[str | None],
    merged: Mapping[str, TreeEntry],
    contested: Collection[str],
) -> CleanPaths:
    """Ask the file rules about each cleanly merged path that differs between the sides.

    Args:
        book: The rules.
        objects: Where the trees are.
        trees: Full ids of commits or trees; without ours or theirs nothing can be said.
        merged: The cleanly merged files by path.
        contested: Paths that are conflicts; they are left to the cascade.

    Raises:
        RepositoryError: An object is missing.
    """
    if not book.speaks_for_clean_paths or trees.ours is None or trees.theirs is None:
        return CleanPaths()
    ours = objects.entries(trees.ours)
    theirs = objects.entries(trees.theirs)
    base = {} if trees.base is None else objects.entries(trees.base)
    plans, spoken = [], set()
    for path in sorted(ours.keys() | theirs.keys()):
        if path in contested or ours.get(path) == theirs.get(path):
            continue
        entries = ThreeWay(base=base.get(path), ours=ours.get(path), theirs=theirs.get(path))
        rule = book.for_path(path, versions=entries.map(_identity))
        if rule is None:
            continue
        spoken.add(rule.id)
        if rule.side is not None and entries.get(rule.side) != merged.get(path):
            plans.append(_taken(objects, path, entries, rule, rule.side))
    return CleanPaths(plans=tuple(plans), spoken=frozenset(spoken))


def _identity(entry: TreeEntry | None) -> object:
    return None if entry is None else (entry.oid, entry.mode)


def _taken(
    objects: Objects,
    path: str,
    entries: ThreeWay[TreeEntry | None],
    rule: PathRule,
    side: Side,
) -> PathPlan:
    def version(entry: TreeEntry | None) -> FileVersion | None:
        if entry is None:
            return None
        data = objects.blob(entry.oid) if entry.mode != MODE_SUBMODULE else b""
        return FileVersion(path=path, mode=entry.mode, oid=entry.oid, data=data)

    # Only the side that is taken is read: the others may be missing in a partial clone.
    none: ThreeWay[FileVersion | None] = ThreeWay(base=None, ours=None, theirs=None)
    taken = version(entries.get(side))
    versions = ThreeWay(
        base=none.base,
        ours=taken if side is Side.OURS else none.ours,
        theirs=taken if side is Side.THEIRS else none.theirs,
    )
    conflict = Conflict(path=path, kind=ConflictKind.BOTH_MODIFIED, versions=versions)
    outcome = whole_side(
        conflict,
        side,
        strategy=str(rule.action),
        reason=rule.reason,
        rule=rule.id,
        evidence=rule.evidence,
    )
    return PathPlan(conflict=None, outcome=outcome)
