"""The merge of one text: settled bytes and contested places, in order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from mergewright.model.resolution import Decision, Evidence, Outcome, Place
from mergewright.model.threeway import Side, ThreeWay


@dataclass(frozen=True, slots=True, kw_only=True)
class Contested:
    """A place that stays open: whole lines of each version.

    Attributes:
        symbol: Dotted path of the symbol it belongs to; empty at file level.
        kind: ``both-changed``, ``both-added``, ``delete-change``, ``change-delete``, ``order`` …
        versions: The text of the three versions, whole lines; empty where a side has nothing.
        reason: One sentence for the label and the report.
    """

    symbol: str
    kind: str
    versions: ThreeWay[bytes]
    reason: str


Piece = bytes | Contested


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMerge:
    """What a merge engine makes of three texts.

    Joining the settled pieces and, at each contested place, one side's lines gives a text of that
    side's choice; nothing outside the contested places is open any more.

    Attributes:
        pieces: Settled bytes and contested places in file order.
        decisions: What was decided, symbol by symbol.
        method: Name of the engine (``python``, ``lines``, ``toml`` …).
        notes: Things a reader should know (a budget that ran out, a fallback taken).
    """

    pieces: tuple[Piece, ...]
    decisions: tuple[Decision, ...] = ()
    method: str = "lines"
    notes: tuple[str, ...] = ()

    @property
    def contested(self) -> tuple[Contested, ...]:
        """The places that stay open."""
        return tuple(piece for piece in self.pieces if isinstance(piece, Contested))

    @property
    def clean(self) -> bool:
        """Whether nothing is left open."""
        return not any(isinstance(piece, Contested) for piece in self.pieces)

    def text(self, side: Side = Side.OURS) -> bytes:
        """The whole text with one side taken at every contested place."""
        return b"".join(
            piece if isinstance(piece, bytes) else piece.versions.get(side) for piece in self.pieces
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What an engine asks when structure alone cannot settle a contested symbol.

    Attributes:
        path: The path of the file.
        symbol: Dotted path of the symbol; empty at file level.
        kind: As in :class:`Contested`.
        versions: The three texts of the symbol; ``None`` where a side does not have it.
    """

    path: str
    symbol: str
    kind: str
    versions: ThreeWay[bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What history, policy or memory says to a question. Exactly one of side, text, base speaks.

    Attributes:
        side: Take this side's text (``OURS``, ``THEIRS`` or ``BASE``); a side that does not have
            the symbol means that it is deleted.
        text: Take this text.
        base: Merge the symbol again with this text as its base (a newer common state).
        strategy: Name of the strategy, for the report.
        rule: Id of the deciding rule, if any.
        reason: One sentence.
        evidence: What it rests on.
    """

    strategy: str
    reason: str
    side: Side | None = None
    text: bytes | None = field(default=None, repr=False)
    base: bytes | None = field(default=None, repr=False)
    rule: str | None = None
    evidence: tuple[Evidence, ...] = ()
    group: str | None = None

    def decision(self, symbol: str, side: Side, place: Place | None = None) -> Decision:
        """The answer as a decision that settles a symbol.

        Args:
            symbol: What was asked about.
            side: The side that counts as taken; of an answer by text or base it depends on the place.
            place: The texts, where they are kept.
        """
        return Decision(
            symbol=symbol,
            outcome=Outcome.RESOLVED,
            strategy=self.strategy,
            side=side,
            rule=self.rule,
            reason=self.reason,
            evidence=self.evidence,
            group=self.group,
            place=place,
        )


class Decider(Protocol):
    """History, policy and memory, as an engine sees them; asked in the order of the cascade."""

    def decide(self, question: Question) -> Answer | None:
        """An answer, or ``None`` to pass the question on."""
        ...
