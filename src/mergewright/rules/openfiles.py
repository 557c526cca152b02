"""Edits of a text that still has open places.

A step sees such a text as its two completions: ours' lines at every open place, or theirs'. What it
would do in both, at the same spot of the settled part, is done there. What it would do inside one
side's lines of an open place is done in those lines. A symbol that it replaces from end to end in
both completions takes the open places inside it along. Anything else would be true for one choice
of the person who decides and false for the other, and is left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mergewright.model.merge import Contested, FileMerge, Piece
from mergewright.model.threeway import Side, ThreeWay, settle
from mergewright.rules.syntax import Splice

#: A spot of a merge: index of a piece and an offset in it; in an open place only its start.
_Spot = tuple[int, int]
_Located = tuple[tuple[_Spot, _Spot, bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """One change that a step makes, whole or not at all.

    Attributes:
        splices: Its splices in one text.
        what: One sentence without line numbers.
        needed: Whether the text is not so already; what only one completion needs is put into both.
    """

    splices: tuple[Splice, ...]
    what: str
    needed: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """What the edits made of a merge with open places.

    Attributes:
        merge: The merge; open places whose sides became equal, or that were replaced, are settled.
        done: What was done, each thing once, in file order.
        refused: What one completion asks for and the other does not.
        survivors: For each open place that is left, its number among those before.
    """

    merge: FileMerge
    done: tuple[str, ...]
    refused: tuple[str, ...]
    survivors: tuple[int, ...]


def carry(merge: FileMerge, edits: ThreeWay[Sequence[Edit]]) -> Carried:
    """Carry edits of the completions of a merge out in the merge itself.

    Args:
        merge: Settled bytes and open places.
        edits: The edits of each completion. Those of base's are only made inside open places, so
            that the three versions shown there stay comparable.
    """
    pieces = merge.pieces
    located = {
        side: [(edit, _locate(pieces, side, edit)) for edit in edits.get(side)]
        for side in (Side.OURS, Side.THEIRS)
    }
    both = {place for _, place in located[Side.OURS] if place is not None} & {
        place for _, place in located[Side.THEIRS] if place is not None
    }
    asked: dict[_Located, str] = {}
    inside: dict[tuple[int, Side], list[Splice]] = {}
    done: list[tuple[_Spot, str]] = []
    refused: dict[str, None] = {}
    for side, found in located.items():
        for edit, place in found:
            if place in both:
                assert place is not None
                if edit.needed:
                    asked[place] = edit.what
                continue
            if not edit.needed:
                continue
            index = _inside(pieces, side, edit)
            if index is None:
                refused[edit.what] = None
                continue
            start = _starts(pieces, side)[index]
            inside.setdefault((index, side), []).extend(
                Splice(s.start - start, s.end - start, s.text) for s in edit.splices
            )
            done.append(
                ((index, 0), f"{edit.what} (in the lines of {side.value} at an open place)")
            )
    for edit in edits.base:
        index = _inside(pieces, Side.BASE, edit)
        if index is not None and edit.needed:
            start = _starts(pieces, Side.BASE)[index]
            inside.setdefault((index, Side.BASE), []).extend(
                Splice(s.start - start, s.end - start, s.text) for s in edit.splices
            )
    operations: list[tuple[_Spot, _Spot, bytes]] = []
    for place, what in sorted(asked.items()):
        if any(
            start < end_ and start_ < end
            for start, end, _ in place
            for start_, end_, _ in operations
        ):
            refused[what] = None
            continue
        operations.extend(place)
        done.append((place[0][0], what))
    changed = [_edited(piece, index, inside) for index, piece in enumerate(pieces)]
    out, survivors = _rebuilt(pieces, changed, sorted(operations))
    return Carried(
        merge=replace(merge, pieces=tuple(out)),
        done=tuple(dict.fromkeys(what for _, what in sorted(done, key=lambda pair: pair[0]))),
        refused=tuple(refused),
        survivors=tuple(survivors),
    )


def _length(piece: Piece, side: Side) -> int:
    return len(piece) if isinstance(piece, bytes) else len(piece.versions.get(side))


def _starts(pieces: Sequence[Piece], side: Side) -> list[int]:
    """Where each piece starts in a side's completion, and its end."""
    starts = [0]
    for piece in pieces:
        starts.append(starts[-1] + _length(piece, side))
    return starts


def _locate(pieces: Sequence[Piece], side: Side, edit: Edit) -> _Located | None:
    """The spots of an edit; ``None`` when one of its ends lies inside an open place."""
    starts = _starts(pieces, side)
    found = []
    for splice in sorted(edit.splices):
        # An open place that is empty on this side belongs to neither end.
        start = _spot(pieces, starts, splice.start, last=splice.start < splice.end)
        end = _spot(pieces, starts, splice.end, last=False)
        if start is None or end is None or end < start:
            return None
        found.append((start, end, splice.text))
    return tuple(found)


def _spot(pieces: Sequence[Piece], starts: list[int], offset: int, *, last: bool) -> _Spot | None:
    borders = [index for index, start in enumerate(starts) if start == offset]
    if borders:
        return (borders[-1] if last else borders[0]), 0
    index = max(index for index, start in enumerate(starts) if start < offset)
    if not isinstance(pieces[index], bytes):
        return None
    return index, offset - starts[index]


def _inside(pieces: Sequence[Piece], side: Side, edit: Edit) -> int | None:
    """The open place that holds all of an edit; ``None`` when there is none."""
    starts = _starts(pieces, side)
    for index, piece in enumerate(pieces):
        if isinstance(piece, bytes):
            continue
        low, high = starts[index], starts[index + 1]
        if all(
            low <= s.start and s.end <= high and (s.start < s.end or low < s.start < high)
            for s in edit.splices
        ):
            return index
    return None


def _edited(piece: Piece, index: int, inside: dict[tuple[int, Side], list[Splice]]) -> Piece:
    from mergewright.rules.syntax import apply

    if isinstance(piece, bytes):
        return piece
    versions = ThreeWay(
        base=apply(piece.versions.base, inside.get((index, Side.BASE), ())),
        ours=apply(piece.versions.ours, inside.get((index, Side.OURS), ())),
        theirs=apply(piece.versions.theirs, inside.get((index, Side.THEIRS), ())),
    )
    if versions == piece.versions:
        return piece
    side = settle(versions)
    return replace(piece, versions=versions) if side is None else versions.get(side)


def _rebuilt(
    pieces: Sequence[Piece],
    changed: Sequence[Piece],
    operations: Sequence[tuple[_Spot, _Spot, bytes]],
) -> tuple[list[Piece], list[int]]:
    """The pieces with the operations made, and which open places are left."""
    numbers = {
        index: number
        for number, index in enumerate(i for i, p in enumerate(pieces) if isinstance(p, Contested))
    }
    out: list[Piece] = []
    survivors: list[int] = []

    def settled(data: bytes) -> None:
        if not data:
            return
        if out and isinstance(out[-1], bytes):
            out[-1] += data
        else:
            out.append(data)

    def copy(start: _Spot, end: _Spot) -> None:
        (index, offset), (stop, rest) = start, end
        while (index, offset) < (stop, rest):
            piece = changed[index]
            if isinstance(piece, bytes):
                # An open place that became settled is only ever copied whole.
                settled(piece[offset : rest if index == stop else len(piece)])
            else:
                out.append(piece)
                survivors.append(numbers[index])
            index, offset = index + 1, 0

    at: _Spot = (0, 0)
    for start, end, text in operations:
        copy(at, start)
        settled(text)
        at = max(at, end)
    copy(at, (len(changed), 0))
    return out, survivors
