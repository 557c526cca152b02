"""What history says of places that merged cleanly: the other half of a work that both sides brought.

Git joins two changes that do not touch. Where one side had the other's state and went on from it, that
joins what the side left behind with what it has now. Only paths that commits of both sides changed which
bring the same work are looked at; what no twin touched merges cleanly for good.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from mergewright.history.merge_history import MergeHistory
from mergewright.history.titles import read_message
from mergewright.history.verdicts import same_code
from mergewright.model.history import CommitFacts, EvidenceClass, Standing, Verdict
from mergewright.model.threeway import Side, ThreeWay
from mergewright.python.outline import outline

#: What history may say of a clean place; of the rest nothing follows.
_TELLING = frozenset({Standing.OURS_AHEAD, Standing.THEIRS_AHEAD, Standing.TWIN})
_PYTHON = (".py", ".pyi")


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanPlace:
    """A place that merged cleanly and of which history says something.

    Attributes:
        path: The file.
        symbol: Dotted name; empty for the whole file.
        versions: Its three texts.
        verdict: What history says.
    """

    path: str
    symbol: str
    versions: ThreeWay[bytes | None]
    verdict: Verdict


def works_named(commits: Iterable[CommitFacts], works: Collection[str]) -> tuple[CommitFacts, ...]:
    """The commits of named works: by pull request (``#12``), or by the start of their ids."""
    return tuple(
        commit
        for commit in commits
        for work in works
        if f"#{read_message(commit).own}" == work
        or (work[0] != "#" and commit.oid.startswith(work))
    )


def paths_of_interest(
    ours: Iterable[CommitFacts], theirs: Iterable[CommitFacts], works: Collection[str]
) -> frozenset[str]:
    """The paths whose history says something of what merged cleanly, contested or not.

    Args:
        ours: The commits of our side with all their changes.
        theirs: The commits of their side with all their changes.
        works: Works that a rule names: all of their paths count.

    Returns:
        The paths that commits of both sides changed, merges left out, and those of the named works.
    """
    sides = [
        [commit for commit in commits if len(commit.parents) == 1] for commits in (ours, theirs)
    ]
    mine, other = (
        {change.path for commit in commits for change in commit.changes} for commits in sides
    )
    named = (commit for commits in sides for commit in works_named(commits, works))
    return frozenset(mine & other | {c.path for commit in named for c in commit.changes})


def shared_paths(history: MergeHistory, left_out: Collection[str]) -> tuple[str, ...]:
    """The paths that both sides' commits of one work changed, without those left out."""
    found: set[str] = set()
    for twin in history.twins.twins:
        ours, theirs = (
            {change.path for oid in commits for change in history.commits[oid].changes}
            for commits in (twin.ours, twin.theirs)
        )
        found |= ours & theirs
    return tuple(sorted(found.difference(left_out)))


def clean_places(history: MergeHistory, path: str) -> tuple[CleanPlace, ...]:
    """The places of one file that merged cleanly and of which history says something.

    A whole file counts only where its exact state stands in the other side's past; a Python file is
    else looked at by definitions and assignments.

    Args:
        history: The history of the merge.
        path: A path that is not contested.
    """
    facts = history.facts
    blobs = [facts.blob_at(facts.side(side).tip, path) for side in (Side.OURS, Side.THEIRS)]
    if blobs[0] == blobs[1]:
        return ()
    whole = _place(history, path, "")
    if whole is not None and whole.verdict.evidence is EvidenceClass.LINEAGE:
        return (whole,)
    if not path.endswith(_PYTHON) or None in blobs:
        return ()
    texts = [outline(facts.read(blob)).symbols for blob in blobs if blob is not None]
    found: list[CleanPlace] = []
    for name in dict.fromkeys((*texts[0], *texts[1])):
        symbols = [text.get(name) for text in texts]
        kinds = {symbol.kind for symbol in symbols if symbol is not None}
        if "#" in name or kinds & {"import", "class"}:
            continue
        if len({symbol and symbol.fingerprint for symbol in symbols}) == 1:
            continue
        place = _place(history, path, name)
        if place is not None:
            found.append(place)
    return tuple(found)


def _place(history: MergeHistory, path: str, symbol: str) -> CleanPlace | None:
    versions, verdict = history.clean_verdict(path, symbol)
    side = verdict.ahead
    if verdict.standing not in _TELLING:
        return None
    if side is not None and same_code(versions.get(side), versions.base):
        # Nothing of the work is left on that side: it took it back. Whoever copied it later knew.
        steps = history.lineages(path, symbol)
        mine, other = steps if side is Side.OURS else steps[::-1]
        copied = [history.commits[step.commit] for step in other.steps if step.key == other.current]
        back = [history.commits[oid].committed for oid in verdict.follow_ups]
        if not mine.steps or not copied or not back or copied[-1].committed > max(back):
            return None
        if any(read_message(history.commits[oid]).reland for oid in verdict.commits):
            return None
    return CleanPlace(path=path, symbol=symbol, versions=versions, verdict=verdict)
