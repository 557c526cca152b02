"""Answers, and why they may be believed."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from mergewright.model.threeway import Side, ThreeWay

if TYPE_CHECKING:
    from mergewright.model.merge import FileMerge


class EvidenceKind(StrEnum):
    """Classes of evidence."""

    STRUCTURE = "structure"
    COMMIT = "commit"
    RULE = "rule"
    MEMORY = "memory"
    GATE = "gate"


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Why an answer may be believed.

    Attributes:
        kind: The class of evidence.
        text: One sentence a reviewer understands.
        commits: Full ids of the commits that it rests on.
    """

    kind: EvidenceKind
    text: str
    commits: tuple[str, ...] = ()


class Outcome(StrEnum):
    """What became of a path or of a contested place."""

    RESOLVED = "resolved"
    DEFERRED = "deferred"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What an answer was about, and what it put there.

    Attributes:
        versions: The texts of the place; ``None`` or empty where a version has nothing there.
        text: What stands there in the result; ``None`` or empty when it is taken out.
    """

    versions: ThreeWay[bytes | None]
    text: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What was decided for one symbol (or for the whole path), and why.

    Attributes:
        symbol: Dotted path of the symbol; empty for the whole file.
        outcome: Resolved, or deferred when it stays a conflict.
        strategy: Name of the strategy that proposed the answer, or that gave up last.
        side: Where the text comes from.
        rule: Id of the rule of the rule file that decided, if one did.
        reason: One sentence: the structural proof, or why it was left.
        evidence: All that the answer rests on.
        span: First and last line (1-based, inclusive) in the result, if it has lines there.
        group: Id of the decision group it belongs to, if any.
        place: The texts that an answer chose from, so that a gate frees these and no others.
    """

    symbol: str
    outcome: Outcome
    strategy: str
    side: Side
    reason: str = ""
    rule: str | None = None
    evidence: tuple[Evidence, ...] = ()
    span: tuple[int, int] | None = None
    group: str | None = None
    place: Place | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """One gate's word on a candidate result."""

    gate: str
    passed: bool
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A path with its answer.

    Attributes:
        path: Where the result goes.
        data: The bytes of the result; ``None`` when the path is deleted.
        mode: Git's file mode of the result.
        strategy: What settled the path as a whole (``merge``, ``take-ours``, ``pinned`` …).
        oid: For a submodule, the commit to record; otherwise ``None`` and the blob is written.
        drop: Other paths of the conflict that the answer removes (old ends of renames).
        notes: Things a reader should know (a budget that ran out, a fallback taken).
    """

    path: str
    data: bytes | None = field(repr=False)
    mode: int
    strategy: str
    decisions: tuple[Decision, ...] = ()
    gates: tuple[GateResult, ...] = ()
    seconds: float = 0.0
    oid: str | None = None
    drop: tuple[str, ...] = ()
    outcome: Outcome = Outcome.RESOLVED
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferred:
    """A path that stays a conflict, as small as possible.

    Attributes:
        data: Text with conflict markers for the worktree; ``None`` leaves the worktree file as it is.
        reason: Why it was left; names the gate when a gate stopped it.
        open_places: How many places are left in ``data``.
        merge: Settled bytes and open places, where ``data`` was made from them.
        notes: Things a reader should know (a budget that ran out, a fallback taken).
    """

    path: str
    data: bytes | None = field(repr=False)
    mode: int
    reason: str
    strategy: str = "defer"
    decisions: tuple[Decision, ...] = ()
    gates: tuple[GateResult, ...] = ()
    seconds: float = 0.0
    open_places: int = 1
    merge: FileMerge | None = field(default=None, repr=False, compare=False)
    outcome: Outcome = Outcome.DEFERRED
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A path on which the tool itself failed; it is left as git left it."""

    path: str
    error: str
    traceback: str = field(repr=False, default="")
    seconds: float = 0.0
    decisions: tuple[Decision, ...] = ()
    gates: tuple[GateResult, ...] = ()
    outcome: Outcome = Outcome.FAILED
    notes: tuple[str, ...] = ()


PathOutcome = Resolved | Deferred | Failed
