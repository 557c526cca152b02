"""What history says of a contested thing: commits, twins, verdicts and the strength of evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from mergewright.model.merge import Question
from mergewright.model.threeway import Side


class Standing(StrEnum):
    """How the two sides of a contested thing stand to each other.

    The value is the key that rules use (``match: {history: …}``).
    """

    #: Ours had what theirs has, and went on from there.
    OURS_AHEAD = "ours-ahead"
    #: Theirs had what ours has, and went on from there.
    THEIRS_AHEAD = "theirs-ahead"
    #: The same content by layout-free comparison.
    SAME = "same"
    #: The changes of both sides come from twins of each other; neither side has a follow-up.
    TWIN = "twin"
    #: Both went on; there may be a newer common state than the merge base.
    DIVERGED = "diverged"
    UNKNOWN = "unknown"


class EvidenceClass(StrEnum):
    """Classes of historical evidence, strongest first.

    The value is the key that rules use (``match: {evidence: at-least …}``).
    """

    #: The exact layout-free content of the symbol stands in the other side's past.
    LINEAGE = "lineage"
    #: A cherry-pick trailer names the commit.
    TRAILER = "trailer"
    #: The pull-request number of the other commit stands in subject or body.
    PULL_REQUEST = "pull-request"
    #: Equal patch-id of the net change, of a commit or of a chain of commits.
    PATCH_ID = "patch-id"
    #: The touched paths hold equal blobs at some point of both sides.
    BLOB = "blob"
    #: Equal titles after tags and numbers are dropped, by the same author.
    TITLE = "title"
    #: The changed lines are alike beyond the threshold.
    SIMILARITY = "similarity"
    #: All pieces that one side adds stand in the other side's past, not the other way round. A hint:
    #: in the measured syncs the accepted result was mostly a combination.
    PIECES = "pieces"

    @property
    def rank(self) -> int:
        """Position in the order of strength; 0 is the strongest."""
        return _RANKS[self]

    def at_least(self, other: EvidenceClass) -> bool:
        """Whether this class is as strong as ``other`` or stronger."""
        return self.rank <= other.rank


_RANKS = {kind: position for position, kind in enumerate(EvidenceClass)}


@dataclass(frozen=True, slots=True, kw_only=True)
class PathChange:
    """One path that a commit changed against its first parent.

    Attributes:
        path: The path after the commit; of a deletion, the path that was deleted.
        old_path: The path before, when the commit renamed it; otherwise ``None``.
        old_oid: Hexadecimal blob id before; ``None`` when the path was added.
        new_oid: Hexadecimal blob id after; ``None`` when the path was deleted.
    """

    path: str
    old_path: str | None = None
    old_oid: str | None
    new_oid: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitFacts:
    """What the history core needs to know of one commit.

    Attributes:
        oid: Full hexadecimal id.
        parents: Full ids of the parents, first parent first.
        author: Name of the author.
        email: Address of the author, as recorded.
        time: Author time, seconds since the epoch.
        committed: Commit time, seconds since the epoch.
        title: First line of the message.
        body: The rest of the message, trailers included.
        changes: Paths changed against the first parent (for a root commit, all its paths).
    """

    oid: str
    parents: tuple[str, ...]
    author: str
    email: str
    time: int
    committed: int
    title: str
    body: str = field(default="", repr=False)
    changes: tuple[PathChange, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Twin:
    """Commits of the two sides that bring the same work.

    Attributes:
        ours: Full ids of the commits on our side, oldest first (more than one: a chain).
        theirs: Full ids of the commits on their side, oldest first.
        evidence: The strongest class of evidence that ties them.
        detail: One sentence that says what was found.
        others: Further classes that were found too.
        derived: The side whose commits name the other's as their source (by trailer or number).
        partial: Whether a member brings more than the other has (a part of a chain, a squash with
            additions).
    """

    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    evidence: EvidenceClass
    detail: str
    others: tuple[EvidenceClass, ...] = ()
    derived: Side | None = None
    partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What history says of one contested thing.

    Attributes:
        standing: How the sides stand to each other.
        reason: One sentence for the report; it names the commits shortly.
        evidence: The class that the standing rests on; ``None`` when unknown.
        commits: Full ids of the commits that prove it.
        follow_ups: Full ids of the commits by which the side that is ahead goes beyond the other
            (of ``DIVERGED``: those of ours, then those of theirs).
        base: Text of the newest common state, when it is newer than the merge base.
        twins: The twins that touch the contested thing.
        group: Id of the decision group that it belongs to.
        proved: Whether a side may be taken without a rule: the exact state stood in its past, or its
            own commits name all of the other's as their source and it holds all that those did.
        works: How the work may be called: short ids of its commits and ``#N`` of their pull requests.
    """

    standing: Standing
    reason: str
    evidence: EvidenceClass | None = None
    commits: tuple[str, ...] = ()
    follow_ups: tuple[str, ...] = ()
    base: bytes | None = field(default=None, repr=False)
    twins: tuple[Twin, ...] = ()
    group: str | None = None
    proved: bool = False
    works: tuple[str, ...] = ()

    @property
    def ahead(self) -> Side | None:
        """The side that is ahead, or ``None``."""
        return {Standing.OURS_AHEAD: Side.OURS, Standing.THEIRS_AHEAD: Side.THEIRS}.get(
            self.standing
        )


class HistorySource(Protocol):
    """History, as rules see it: one instance for one merge."""

    def verdict(self, question: Question) -> Verdict:
        """What history says of a contested symbol, or of the whole file (``symbol`` empty)."""
        ...
