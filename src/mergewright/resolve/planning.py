"""From contested paths to the plan of one merge."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Protocol, TypeVar

from mergewright.model.conflict import Conflict
from mergewright.model.plan import MergePlan, MergeSource, PathPlan
from mergewright.model.resolution import PathOutcome

#: Resolves many conflicts, in order; several processes may stand behind it.
Decide = Callable[[Sequence[Conflict]], Iterable[PathOutcome]]

T = TypeVar("T")
R = TypeVar("R")


class Spread(Protocol):
    """What calls a function for many items, in this process or in several."""

    def __call__(
        self,
        work: Callable[[T], R],
        items: Sequence[T],
        *,
        weight: Callable[[T], int],
        lost: Callable[[T, str], R] | None = None,
    ) -> Iterator[R]:
        """The answers in the order of the items.

        Args:
            work: Called with each item; what it changes may be lost, its answer is not.
            items: The items.
            weight: About how many bytes an item gives to read.
            lost: Gives the answer for an item over which a process ended, and how it ended.
        """
        ...


def serially(
    work: Callable[[T], R],
    items: Sequence[T],
    *,
    weight: Callable[[T], int],  # noqa: ARG001 - the protocol's signature
    lost: Callable[[T, str], R] | None = None,  # noqa: ARG001
) -> Iterator[R]:
    """One item after the other, in this process."""
    return map(work, items)


def size_of(conflict: Conflict) -> int:
    """Bytes of a conflict's texts."""
    return sum(len(text) for text in conflict.texts if text is not None)


def names_of(conflicts: Sequence[Conflict]) -> frozenset[str]:
    """All paths that conflicts speak of."""
    return frozenset(name for c in conflicts for name in (c.path, *c.related))


#: Called after each path with how many are done, how many there are, and the path.
Progress = Callable[[int, int, str], None]


def _no_progress(done: int, total: int, path: str) -> None:
    """Say nothing."""


def plan_paths(
    source: MergeSource,
    conflicts: Sequence[Conflict],
    decide: Decide,
    *,
    clean: Sequence[PathPlan] = (),
    warnings: Callable[[], Sequence[str]] = tuple,
    progress: Progress = _no_progress,
) -> MergePlan:
    """Resolve each conflict and gather the plan.

    Args:
        source: What is being merged.
        conflicts: The contested paths.
        decide: Gives the outcomes of the paths, in their order; a path's own fault is its outcome.
        clean: What rules say of paths that merged cleanly.
        warnings: Asked after all paths are done (rules that matched nothing).
        progress: Told after each path.
    """
    start = time.perf_counter()
    ordered = sorted(conflicts, key=lambda c: c.path)
    paths = list(clean)
    for done, (conflict, outcome) in enumerate(zip(ordered, decide(ordered), strict=True), 1):
        paths.append(PathPlan(conflict=conflict, outcome=outcome))
        progress(done, len(ordered), conflict.path)
    return MergePlan(
        source=source,
        paths=tuple(sorted(paths, key=lambda p: p.path)),
        warnings=tuple(warnings()),
        seconds=time.perf_counter() - start,
    )
