"""Where decisions stand in the result: first and last line."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import replace

from mergewright.model.merge import Contested
from mergewright.model.resolution import Decision, Outcome


def symbol_spans(decisions: Sequence[Decision], data: bytes) -> tuple[Decision, ...]:
    """The decisions with the lines of their symbols in a clean Python result.

    A decision whose symbol is not there (it was deleted, or is no definition) stays without.
    """
    if not any(decision.symbol for decision in decisions):
        return tuple(decisions)
    from mergewright.python.outline import outline

    try:
        found = outline(data)
        symbols = found.symbols
    except (RecursionError, ValueError):
        return tuple(decisions)
    breaks = [position for position, byte in enumerate(found.data) if byte == 0x0A]

    def line(offset: int) -> int:
        return bisect_right(breaks, offset - 1) + 1

    def placed(decision: Decision) -> Decision:
        symbol = symbols.get(decision.symbol)
        if symbol is None or decision.span is not None:
            return decision
        last = max(symbol.start, symbol.end - 1)
        return replace(decision, span=(line(symbol.start), line(last)))

    return tuple(placed(decision) for decision in decisions)


def marker_spans(
    decisions: Sequence[Decision], places: Sequence[Contested], rendered: bytes, size: int
) -> tuple[Decision, ...]:
    """The open decisions with the lines of their conflict markers.

    Args:
        decisions: What was decided and what was left.
        places: The open places, in order.
        rendered: The text with markers.
        size: Length of the markers; no other line of the text starts like one.
    """
    spans: dict[str, list[tuple[int, int]]] = {}
    starts = iter(places)
    start = 0
    for number, text in enumerate(rendered.split(b"\n"), 1):
        if text.startswith(b"<" * size):
            start = number
        elif text.startswith(b">" * size):
            place = next(starts, None)
            if place is not None:
                spans.setdefault(place.symbol, []).append((start, number))

    def placed(decision: Decision) -> Decision:
        waiting = spans.get(decision.symbol)
        if decision.outcome is not Outcome.DEFERRED or decision.span is not None or not waiting:
            return decision
        return replace(decision, span=waiting.pop(0))

    return tuple(placed(decision) for decision in decisions)
