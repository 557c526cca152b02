"""Symbol rules for the open places of engines that ask no questions (lines, formats)."""

from __future__ import annotations

from dataclasses import replace

from mergewright.model.merge import Answer, Contested, Decider, FileMerge, Piece, Question
from mergewright.model.resolution import Decision, Outcome, Place
from mergewright.model.threeway import Side, ThreeWay
from mergewright.text.lines import dominant_newline, with_final_newline
from mergewright.text.merge import merge_lines


def settle_places(path: str, merge: FileMerge, decider: Decider) -> FileMerge:
    """Ask about each open place of a merge; what gets an answer is settled.

    Args:
        path: The path of the file.
        merge: What an engine made of it.
        decider: The rules for the path.
    """
    if merge.clean:
        return merge
    pieces: list[Piece] = []
    decisions = list(merge.decisions)
    settled = False
    last = len(merge.pieces) - 1
    for index, piece in enumerate(merge.pieces):
        if isinstance(piece, bytes):
            pieces.append(piece)
            continue
        # An empty text of base is a place that both sides added; of a side, one it deleted.
        versions: ThreeWay[bytes | None] = ThreeWay(
            base=piece.versions.base, ours=piece.versions.ours, theirs=piece.versions.theirs
        )
        answer = decider.decide(
            Question(path=path, symbol=piece.symbol, kind=piece.kind, versions=versions)
        )
        text = None if answer is None else _text(piece, answer)
        if answer is None or text is None:
            pieces.append(piece)
            if answer is not None and answer.strategy == "leave":
                pieces[-1] = replace(piece, reason=f"Rule {answer.rule} leaves it: {answer.reason}")
            continue
        if index != last:
            text = with_final_newline(text, dominant_newline(piece.versions.ours or text))
        pieces.append(text)
        settled = True
        _decide(decisions, piece, answer, Place(versions=versions, text=text))
    if not settled:
        return replace(merge, pieces=tuple(pieces))
    return replace(merge, pieces=tuple(pieces), decisions=tuple(decisions))


def _text(piece: Contested, answer: Answer) -> bytes | None:
    if answer.side is not None:
        return piece.versions.get(answer.side)
    if answer.text is not None:
        return answer.text
    if answer.base is not None:
        again = merge_lines(replace(piece.versions, base=answer.base))
        return again.text() if again.clean else None
    return None


def _decide(decisions: list[Decision], piece: Contested, answer: Answer, place: Place) -> None:
    decision = answer.decision(piece.symbol, answer.side or Side.BOTH, place)
    for index, old in enumerate(decisions):
        if old.outcome is Outcome.DEFERRED and old.symbol == piece.symbol:
            decisions[index] = decision
            return
    decisions.append(decision)
