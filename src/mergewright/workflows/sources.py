"""What a merge may ask beyond its texts: history and memory. The place where both plug in."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mergewright.git.repository import Repository
from mergewright.model.conflict import Conflict
from mergewright.model.history import HistorySource
from mergewright.model.merge import Decider
from mergewright.model.plan import MergeSource
from mergewright.resolve.cascade import Rebased

if TYPE_CHECKING:
    from mergewright.history.merge_history import MergeHistory


def _nobody(conflict: Conflict) -> Sequence[Decider]:  # noqa: ARG001 - the signature of a source
    return ()


def _as_it_is(conflict: Conflict) -> Rebased:
    return Rebased(conflict=conflict)


def _nothing() -> None:
    pass


def _unknown(works: Collection[str]) -> MergeHistory | None:  # noqa: ARG001
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Deciders beside structure and rules, for one merge.

    Attributes:
        history: Deciders for one conflict that are asked before the rules.
        rebase: Gives a newer state of the whole file that both sides had.
        memory: Deciders for one conflict that are asked after the rules.
        verdicts: What history says, for rules that match on it.
        clean: The history of what merged cleanly and of the works that are named to it, for rules that
            also speak of that; ``None`` where it is not known.
        share: Called before processes are forked that ask all these: reads what they have in common, and
            lets go of what a fork may not use.
    """

    history: Callable[[Conflict], Sequence[Decider]] = _nobody
    rebase: Callable[[Conflict], Rebased] = _as_it_is
    memory: Callable[[Conflict], Sequence[Decider]] = _nobody
    verdicts: HistorySource | None = None
    clean: Callable[[Collection[str]], MergeHistory | None] = _unknown
    share: Callable[[], None] = _nothing


#: Makes the sources of one merge; called once, before the first path is resolved.
SourceFactory = Callable[[Repository, MergeSource, Sequence[Conflict]], Sources]


def no_sources(
    repository: Repository,  # noqa: ARG001 - the signature of a factory
    source: MergeSource,  # noqa: ARG001
    conflicts: Sequence[Conflict],  # noqa: ARG001
) -> Sources:
    """Structure and rules alone."""
    return Sources()


def default_sources(
    repository: Repository,
    source: MergeSource,
    conflicts: Sequence[Conflict],
    *,
    keep: bool = True,
) -> Sources:
    """What the commands use: history, walked when the first question comes.

    Args:
        repository: Where the commits are.
        source: What is merged.
        conflicts: The contested paths.
        keep: Whether what is read of the history may be kept in the git folder.
    """
    from mergewright.workflows.history import LazyHistory

    history = LazyHistory(repository, source, conflicts, keep=keep)
    return Sources(
        history=lambda _: (history,),
        rebase=history.rebase,
        verdicts=history,
        clean=history.clean,
        share=history.share,
    )
