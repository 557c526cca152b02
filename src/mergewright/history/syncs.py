"""Earlier syncs that were squashed: the other side's whole state, taken over without common ancestry."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from mergewright.history.facts import MergeFacts
from mergewright.history.titles import read_message
from mergewright.model.history import CommitFacts
from mergewright.model.threeway import Side

#: Fewer equal files than this may be chance, or one shared change.
MIN_FILES = 3
#: A squash counts as a sync if this share of the files that it touched is then as on the other side.
MIN_SHARE = 0.6
# So many states of the other side are looked into for one commit.
_MAX_STATES = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class SquashedSync:
    """A commit that brought the other side's state as a whole, without a merge.

    Attributes:
        side: The side that squashed it.
        commit: Full id of the squash.
        state: Full id of the other side's commit whose state it brought.
        equal: How many of its files were then as in that state.
        files: How many files it touched.
        paths: The files that it touched.
    """

    side: Side
    commit: str
    state: str
    equal: int
    files: int
    paths: frozenset[str]


def squashed_syncs(facts: MergeFacts) -> tuple[SquashedSync, ...]:
    """The newest squashed sync of each side, told by the contents of the files that it touched.

    Only commits that carry their changes are looked at: those that touch a path of interest.
    """
    found = (_newest(facts, side) for side in (Side.OURS, Side.THEIRS))
    return tuple(sync for sync in found if sync is not None)


def _newest(facts: MergeFacts, side: Side) -> SquashedSync | None:
    other = facts.side(side.other).commits
    made: dict[tuple[str, str | None], list[int]] = defaultdict(list)
    for position, commit in enumerate(other):
        for change in commit.changes:
            made[change.path, change.new_oid].append(position)
    own = facts.side(side).commits
    for number in range(len(own) - 1, -1, -1):
        commit = own[number]
        if len(commit.parents) != 1 or len(commit.changes) < MIN_FILES:
            continue
        sync = _of(facts, side, commit, made, other)
        if sync is not None:
            return None if _reverted(commit, own[number + 1 :]) else sync
    return None


def _reverted(sync: CommitFacts, later: tuple[CommitFacts, ...]) -> bool:
    message = read_message(sync)
    return any(
        (said.reverts is not None and said.reverts == message.key)
        or any(sync.oid.startswith(oid) for oid in said.reverted_ids)
        for said in map(read_message, later)
    )


def _of(
    facts: MergeFacts,
    side: Side,
    commit: CommitFacts,
    made: dict[tuple[str, str | None], list[int]],
    other: tuple[CommitFacts, ...],
) -> SquashedSync | None:
    wanted = {change.path: change.new_oid for change in commit.changes}
    known = {path: made[path, oid] for path, oid in wanted.items() if (path, oid) in made}
    needed = max(MIN_FILES, MIN_SHARE * len(wanted))
    if len(known) < needed:
        return None
    # The state is at or after the last of the files' own changes; one commit is no sync of a branch.
    positions = sorted({p for places in known.values() for p in places}, reverse=True)
    if len({places[-1] for places in known.values()}) < 2:
        return None
    for position in positions[:_MAX_STATES]:
        state = other[position].oid
        equal = sum(facts.blob_at(state, path) == oid for path, oid in wanted.items())
        if equal >= needed:
            return SquashedSync(
                side=side,
                commit=commit.oid,
                state=state,
                equal=equal,
                files=len(wanted),
                paths=frozenset(wanted),
            )
    return None
