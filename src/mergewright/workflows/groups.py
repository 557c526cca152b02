"""Decision groups of a merge, and one decision for a whole group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mergewright.git.repository import Repository
from mergewright.history.groups import (
    DecisionGroup,
    GroupDecider,
    HalfTaken,
    decision_groups,
    half_taken,
)
from mergewright.model.conflict import Conflict
from mergewright.model.errors import UsageError
from mergewright.model.plan import MergePlan, MergeSource
from mergewright.model.resolution import Resolved
from mergewright.model.threeway import Side
from mergewright.workflows.history import LazyHistory
from mergewright.workflows.resolving import (
    DEFAULT_SETTINGS,
    Settings,
    WorktreePlan,
    plan_merge,
    plan_worktree,
)
from mergewright.workflows.sources import Sources
from mergewright.workflows.spreading import Spread, make_whole, take_back


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """The groups of a merge.

    Attributes:
        groups: Those with most open places first.
        half_taken: Works of which only a part is in the result.
    """

    groups: tuple[DecisionGroup, ...]
    half_taken: tuple[HalfTaken, ...]

    def as_data(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "format": 1,
            "groups": [
                {
                    "id": group.id,
                    "title": group.title,
                    "ours": list(group.ours),
                    "theirs": list(group.theirs),
                    "open": group.open,
                    "places": [
                        {"path": p.path, "symbol": p.symbol, "state": p.state} for p in group.places
                    ],
                }
                for group in self.groups
            ],
            "half_taken": [
                {
                    "commit": work.commit,
                    "title": work.title,
                    "side": work.side.value,
                    "present": list(work.present),
                    "missing": [
                        {
                            "path": part.path,
                            "symbol": part.symbol,
                            "text": part.text.decode("utf-8", "replace"),
                        }
                        for part in work.missing
                    ],
                }
                for work in self.half_taken
            ],
        }


class _Kept:
    """A source factory that keeps the history that it made."""

    def __init__(self, group: str | None = None, side: Side | None = None) -> None:
        self.history: LazyHistory | None = None
        self._group = group
        self._side = side

    def __call__(
        self, repository: Repository, source: MergeSource, conflicts: Sequence[Conflict]
    ) -> Sources:
        history = self.history = LazyHistory(repository, source, conflicts, reuse=False)
        if self._group is None or self._side is None:
            return Sources(
                history=lambda _: (history,),
                rebase=history.rebase,
                verdicts=history,
                clean=history.clean,
            )
        decider = GroupDecider(history, self._group, self._side)
        return Sources(
            history=lambda _: (decider, history), rebase=history.rebase, verdicts=history
        )


def _grouped(kept: _Kept, plan: MergePlan, result: Callable[[str], bytes | None]) -> Grouped:
    opened = None if kept.history is None else kept.history.opened
    if opened is None:
        return Grouped(groups=(), half_taken=())
    decisions = {entry.path: entry.outcome.decisions for entry in plan.paths}
    return Grouped(groups=decision_groups(opened, decisions), half_taken=half_taken(opened, result))


def groups_of_merge(
    repository: Repository,
    ours: str,
    theirs: str,
    *,
    result: str | None = None,
    settings: Settings = DEFAULT_SETTINGS,
) -> Grouped:
    """The groups of two commits' merge.

    Args:
        repository: Where the commits are; it is only read.
        ours: Our tip.
        theirs: Their tip.
        result: A commit that holds the merge as it was made, to look for features half taken in
            it; by default the merge as it would be made.
        settings: How to plan.

    Raises:
        RepositoryError: A revision or history is missing.
    """
    kept = _Kept()
    with plan_merge(repository, ours, theirs, settings=replace(settings, sources=kept)) as planned:
        if result is None:
            return _grouped(kept, planned.plan, planned.text)
        made = repository.resolve(result)

        def text(path: str) -> bytes | None:
            entry = repository.objects.entry(made, path)
            return (
                None if entry is None or not entry.is_blob else repository.objects.blob(entry.oid)
            )

        return _grouped(kept, planned.plan, text)


def groups_of_worktree(repository: Repository, *, settings: Settings = DEFAULT_SETTINGS) -> Grouped:
    """The groups of a worktree's conflicts, as they would be settled now.

    Raises:
        RepositoryError: There is no conflict.
    """
    kept = _Kept()
    planned = plan_worktree(repository, settings=replace(settings, sources=kept))
    return _grouped(kept, planned.plan, _worktree_text(repository, planned))


def take_group(
    repository: Repository,
    group: str,
    side: Side,
    *,
    whole: bool = False,
    settings: Settings = DEFAULT_SETTINGS,
) -> tuple[DecisionGroup, WorktreePlan]:
    """Plan a worktree's conflicts in which a group has a place, with one side taken at all of them.

    Args:
        repository: The repository; it is only read.
        group: Id of the group, or its start.
        side: ``OURS`` or ``THEIRS``.
        whole: Also take the other side's part of the work back where it merged cleanly.
        settings: How to plan.

    Returns:
        The group, and the plan for its paths; other paths are not in it.

    Raises:
        RepositoryError: There is no conflict.
        UsageError: No group, or more than one, has this id.
    """
    known = groups_of_worktree(repository, settings=settings).groups
    chosen = [item for item in known if item.id.startswith(group)]
    if len(chosen) != 1:
        names = ", ".join(item.id for item in (chosen or known)) or "none"
        raise UsageError(
            f"{group!r} names {'no' if not chosen else 'more than one'} group",
            hint=f"Groups here: {names}. resolve groups lists them.",
        )
    paths = sorted({place.path for place in chosen[0].places if place.state != "clean"})
    root = repository.require_worktree()
    kept = _Kept(chosen[0].id, side)
    planned = plan_worktree(
        repository, [root / path for path in paths], settings=replace(settings, sources=kept)
    )
    opened = None if kept.history is None else kept.history.opened
    if whole and opened is not None:
        clean = [place.path for place in chosen[0].places if place.state == "clean"]
        lost = chosen[0].theirs if side is Side.OURS else chosen[0].ours
        spread = take_back(opened, lost, clean, _index_text(repository))
        planned = _with_spread(planned, spread, f"take-{side.value}", side)
    return chosen[0], planned


def make_features_whole(
    repository: Repository, *, settings: Settings = DEFAULT_SETTINGS
) -> WorktreePlan:
    """Plan a worktree's merge so that features half taken are complete.

    Only paths without an open place are changed: what is settled and what merged cleanly.

    Raises:
        RepositoryError: There is no conflict.
    """
    kept = _Kept()
    planned = plan_worktree(repository, settings=replace(settings, sources=kept))
    opened = None if kept.history is None else kept.history.opened
    if opened is None:
        return planned
    merged = _worktree_text(repository, planned)
    fixed = {
        entry.path
        for entry in planned.plan.paths
        if not isinstance(entry.outcome, Resolved) or entry.outcome.strategy == "pinned"
    }
    for work in half_taken(opened, merged):
        spread = make_whole(opened, work, merged)
        for path in fixed & spread.texts.keys():
            spread.left[path] = "it is pinned, or has open places: settle these first"
            del spread.texts[path]
        planned = _with_spread(planned, spread, "whole-feature", work.side)
        merged = _worktree_text(repository, planned)
    return planned


def features_made_whole(
    repository: Repository,
    ours: str,
    theirs: str,
    result: str,
    *,
    settings: Settings = DEFAULT_SETTINGS,
) -> tuple[tuple[HalfTaken, Spread], ...]:
    """What a merge that was made lacks of the features it took in part, work by work.

    Args:
        repository: Where the commits are; it is only read.
        ours: Our tip.
        theirs: Their tip.
        result: A commit that holds the merge as it was made.
        settings: How to plan.

    Raises:
        RepositoryError: A revision or history is missing.
    """
    kept = _Kept()
    made = repository.resolve(result)

    def text(path: str) -> bytes | None:
        entry = repository.objects.entry(made, path)
        return None if entry is None or not entry.is_blob else repository.objects.blob(entry.oid)

    with plan_merge(repository, ours, theirs, settings=replace(settings, sources=kept)):
        opened = None if kept.history is None else kept.history.opened
        if opened is None:
            return ()
        return tuple((work, make_whole(opened, work, text)) for work in half_taken(opened, text))


def _index_text(repository: Repository) -> Callable[[str], bytes | None]:
    index = repository.index_entries()

    def text(path: str) -> bytes | None:
        entry = index.get(path)
        return None if entry is None or not entry.is_blob else repository.objects.blob(entry.oid)

    return text


def _worktree_text(repository: Repository, planned: WorktreePlan) -> Callable[[str], bytes | None]:
    outcomes = {entry.path: entry.outcome for entry in planned.plan.paths}
    index = _index_text(repository)

    def text(path: str) -> bytes | None:
        data = getattr(outcomes.get(path), "data", None)
        return data if isinstance(data, bytes) else index(path)

    return text


def _with_spread(planned: WorktreePlan, spread: Spread, strategy: str, side: Side) -> WorktreePlan:
    modes = {path: entry.mode for path, entry in planned.repository.index_entries().items()}
    known = {entry.path for entry in planned.plan.paths} - spread.texts.keys()
    kept = tuple(entry for entry in planned.plan.paths if entry.path in known)
    conflicts = {entry.path: entry.conflict for entry in planned.plan.paths}
    plans = spread.plans(strategy, side, modes, conflicts)
    warnings = tuple(
        f"{path} holds a part of the same work and is left: {why}"
        for path, why in sorted(spread.left.items())
    )
    plan = replace(
        planned.plan,
        paths=tuple(sorted((*kept, *plans), key=lambda entry: entry.path)),
        warnings=(*planned.plan.warnings, *warnings),
    )
    return replace(planned, plan=plan)
