"""Paths that merged cleanly and change all the same: by a file rule, or because the text is broken."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from mergewright.git.trees import Objects, TreeEntry
from mergewright.model.conflict import (
    MODE_SUBMODULE,
    Conflict,
    ConflictKind,
    FileVersion,
)
from mergewright.model.plan import PathPlan
from mergewright.model.resolution import GateResult, PathOutcome, Resolved
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.cleanmerges import broken_gates
from mergewright.resolve.engines import PYTHON_SUFFIXES
from mergewright.resolve.planning import Spread, serially
from mergewright.resolve.treeconflicts import whole_side
from mergewright.rules.book import PathRule, RuleBook

#: Bytes of text that a file in question gives to read, about.
_USUAL_BYTES = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanPaths:
    """What the file rules say of the paths that merged cleanly.

    Attributes:
        plans: A resolution for each path where the rule's side differs from the clean merge.
        spoken: Ids of all rules that matched, also where nothing had to change.
        settled: Paths for which a rule speaks, changed or not.
    """

    plans: tuple[PathPlan, ...] = ()
    spoken: frozenset[str] = frozenset()
    settled: frozenset[str] = frozenset()


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
    plans, spoken, settled = [], set(), set()
    for path in sorted(ours.keys() | theirs.keys()):
        if path in contested or ours.get(path) == theirs.get(path):
            continue
        entries = ThreeWay(base=base.get(path), ours=ours.get(path), theirs=theirs.get(path))
        rule = book.for_path(path, versions=entries.map(_identity))
        if rule is None:
            continue
        spoken.add(rule.id)
        settled.add(path)
        if rule.side is not None and entries.get(rule.side) != merged.get(path):
            plans.append(_taken(objects, path, entries, rule, rule.side))
    return CleanPaths(plans=tuple(plans), spoken=frozenset(spoken), settled=frozenset(settled))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """What became of clean texts that are broken.

    Attributes:
        plans: A resolution for each that the cascade merges better.
        warnings: The others, each with what is wrong with it.
        spoken: Rules that spoke for one of them, whatever became of it.
    """

    plans: tuple[PathPlan, ...] = ()
    warnings: tuple[str, ...] = ()
    spoken: frozenset[str] = frozenset()


def mended_paths(
    objects: Objects,
    trees: ThreeWay[str | None],
    merged: Mapping[str, TreeEntry],
    left_out: Collection[str],
    resolve: Callable[[Conflict], PathOutcome],
    spread: Spread = serially,
) -> Mended:
    """Merge Python files anew that git merged cleanly into a text that fails a gate.

    A line merge keeps both copies of a field that both sides added at different places, or a use
    whose import the other side took away. Only where the new result passes every gate does it take
    the place of git's text; else git's text stays, with a warning.

    Args:
        objects: Where the trees are.
        trees: Full ids of commits or trees; without all three nothing is looked at.
        merged: The cleanly merged files by path.
        left_out: Paths that are conflicts, or that a rule speaks for.
        resolve: Gives a conflict's outcome.
        spread: Looks at many paths, perhaps in several processes.

    Raises:
        RepositoryError: An object is missing.
    """
    if trees.base is None or trees.ours is None or trees.theirs is None:
        return Mended()
    ours = {change.path: change for change in objects.changes(trees.base, trees.ours)}
    found: list[tuple[TreeEntry, ThreeWay[TreeEntry | None]]] = []
    for change in objects.changes(trees.base, trees.theirs):
        path = change.path
        if path not in ours or path in left_out or not path.endswith(PYTHON_SUFFIXES):
            continue
        entries = ThreeWay(base=change.old, ours=ours[path].new, theirs=change.new)
        result = merged.get(path)
        if entries.base is None or entries.ours is None or entries.theirs is None:
            continue
        if result is None or result.oid in {entries.ours.oid, entries.theirs.oid}:
            continue
        if not result.is_blob or not all(entry is not None and entry.is_blob for entry in entries):
            continue
        found.append((result, entries))

    def look(
        one: tuple[TreeEntry, ThreeWay[TreeEntry | None]],
    ) -> tuple[GateResult, PathOutcome] | None:
        """The gate that git's text fails, and what becomes of the path."""
        path = one[0].path
        versions = one[1].map(lambda entry: _version(objects, path, entry))
        texts = versions.map(lambda version: None if version is None else version.data)
        failed = broken_gates(path, objects.blob(one[0].oid), texts)
        if not failed:
            return None
        conflict = Conflict(path=path, kind=ConflictKind.BOTH_MODIFIED, versions=versions)
        return failed[0], resolve(conflict)

    plans, warnings, spoken = [], [], set()
    for (result, _), answer in zip(
        found, spread(look, found, weight=lambda _: _USUAL_BYTES), strict=True
    ):
        if answer is None:
            continue
        gate, outcome = answer
        spoken |= rules_of(outcome)
        what = f"{gate.gate}: {gate.detail}"
        if isinstance(outcome, Resolved) and outcome.data is not None:
            note = f"merged anew: the text that git merges cleanly fails the gate {what}"
            outcome = replace(outcome, mode=result.mode, notes=(*outcome.notes, note))
            plans.append(PathPlan(conflict=None, outcome=outcome))
        else:
            warnings.append(
                f"{result.path}: the text that git merges cleanly fails the gate {what}"
            )
    return Mended(plans=tuple(plans), warnings=tuple(warnings), spoken=frozenset(spoken))


def rules_of(outcome: PathOutcome) -> set[str]:
    """The rules that had a say in an outcome."""
    return {decision.rule for decision in outcome.decisions if decision.rule is not None}


def _version(objects: Objects, path: str, entry: TreeEntry | None) -> FileVersion | None:
    if entry is None:
        return None
    data = objects.blob(entry.oid) if entry.mode != MODE_SUBMODULE else b""
    return FileVersion(path=path, mode=entry.mode, oid=entry.oid, data=data)


def _identity(entry: TreeEntry | None) -> object:
    return None if entry is None else (entry.oid, entry.mode)


def _taken(
    objects: Objects,
    path: str,
    entries: ThreeWay[TreeEntry | None],
    rule: PathRule,
    side: Side,
) -> PathPlan:
    # Only the side that is taken is read: the others may be missing in a partial clone.
    none: ThreeWay[FileVersion | None] = ThreeWay(base=None, ours=None, theirs=None)
    taken = _version(objects, path, entries.get(side))
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
