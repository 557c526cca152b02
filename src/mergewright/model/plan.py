"""All resolutions of one merge, ready to be shown or to be written."""

from __future__ import annotations

from dataclasses import dataclass

from mergewright.model.conflict import Conflict
from mergewright.model.resolution import Deferred, Failed, PathOutcome, Resolved
from mergewright.model.threeway import ThreeWay


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeSource:
    """What is being merged.

    Attributes:
        operation: ``merge``, ``cherry-pick``, ``revert``, ``rebase``, ``stash`` or ``in-memory``.
        commits: Full commit ids; base is ``None`` where there is no single merge base.
        labels: How the sides are called (branch names where known), for markers and report.
        engine: What found the contested paths: ``index``, ``libgit2`` or ``git merge-tree``.
        swapped: Whether git's ours/theirs are exchanged against what users expect (a rebase).
    """

    operation: str
    commits: ThreeWay[str | None]
    labels: ThreeWay[str]
    engine: str
    swapped: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPlan:
    """One path of the plan: the conflict and what becomes of it.

    ``conflict`` is ``None`` for a path that merged cleanly and that a rule speaks for all the same.
    """

    conflict: Conflict | None
    outcome: PathOutcome

    @property
    def path(self) -> str:
        """The path under which the outcome is reported."""
        return self.outcome.path


@dataclass(frozen=True, slots=True, kw_only=True)
class MergePlan:
    """All resolutions of one merge.

    Attributes:
        source: What is being merged.
        paths: One entry a contested path (or clean path that a rule changes), sorted by path.
        warnings: Rules that matched nothing and the like.
        notes: What rules looked at and left as it is, each with its reason (a deleted file that is
            not restored).
        seconds: Wall time of planning.
    """

    source: MergeSource
    paths: tuple[PathPlan, ...]
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def resolved(self) -> tuple[Resolved, ...]:
        """Paths with an answer."""
        return tuple(p.outcome for p in self.paths if isinstance(p.outcome, Resolved))

    @property
    def deferred(self) -> tuple[Deferred, ...]:
        """Paths that stay conflicts."""
        return tuple(p.outcome for p in self.paths if isinstance(p.outcome, Deferred))

    @property
    def failed(self) -> tuple[Failed, ...]:
        """Paths on which the tool itself failed."""
        return tuple(p.outcome for p in self.paths if isinstance(p.outcome, Failed))
