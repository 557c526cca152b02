"""Three-way merge of sequences and of lines (diff3: Khanna, Kunal, Pierce 2007)."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from mergewright.model.merge import Contested, FileMerge, Piece
from mergewright.model.threeway import ThreeWay
from mergewright.text.diff import matches
from mergewright.text.lines import split_lines

Element = TypeVar("Element", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A run of three sequences: index ranges in base, ours and theirs.

    ``stable`` runs hold elements that all three share; the others differ on at least one side.
    """

    stable: bool
    base: range
    ours: range
    theirs: range


def chunks(
    base_length: int,
    ours_length: int,
    theirs_length: int,
    to_ours: Sequence[tuple[int, int]],
    to_theirs: Sequence[tuple[int, int]],
) -> Iterator[Chunk]:
    """Cut three sequences into stable and unstable runs, in order.

    Args:
        base_length: Elements in base; likewise for ours and theirs.
        ours_length: Elements in ours.
        theirs_length: Elements in theirs.
        to_ours: Matched (base, ours) indices, increasing in both.
        to_theirs: Matched (base, theirs) indices, increasing in both.
    """
    ours_of = dict(to_ours)
    theirs_of = dict(to_theirs)
    b = o = t = 0
    for index in range(base_length):
        if index not in ours_of or index not in theirs_of:
            continue
        at_ours, at_theirs = ours_of[index], theirs_of[index]
        if index > b or at_ours > o or at_theirs > t:
            yield Chunk(
                stable=False,
                base=range(b, index),
                ours=range(o, at_ours),
                theirs=range(t, at_theirs),
            )
        yield Chunk(
            stable=True,
            base=range(index, index + 1),
            ours=range(at_ours, at_ours + 1),
            theirs=range(at_theirs, at_theirs + 1),
        )
        b, o, t = index + 1, at_ours + 1, at_theirs + 1
    if b < base_length or o < ours_length or t < theirs_length:
        yield Chunk(
            stable=False,
            base=range(b, base_length),
            ours=range(o, ours_length),
            theirs=range(t, theirs_length),
        )


def merge_sequences(
    versions: ThreeWay[Sequence[Hashable]],
) -> Iterator[tuple[str, range, range, range]]:
    """Three-way merge of hashable sequences.

    Yields:
        ``(what, base, ours, theirs)`` index ranges in order, ``what`` being ``"ours"`` or
        ``"theirs"`` (take that side's range) or ``"conflict"``.
    """
    base, ours, theirs = versions
    for chunk in chunks(
        len(base), len(ours), len(theirs), matches(base, ours), matches(base, theirs)
    ):
        b = base[chunk.base.start : chunk.base.stop]
        o = ours[chunk.ours.start : chunk.ours.stop]
        t = theirs[chunk.theirs.start : chunk.theirs.stop]
        if chunk.stable or t in (o, b):
            what = "ours"
        elif b == o:
            what = "theirs"
        else:
            what = "conflict"
        yield what, chunk.base, chunk.ours, chunk.theirs


def merged_sequence(versions: ThreeWay[Sequence[Element]]) -> list[Element] | None:
    """The elements of the three-way merge of three sequences; ``None`` when it leaves a conflict."""
    out: list[Element] = []
    for what, _, ours, theirs in merge_sequences(
        ThreeWay(base=versions.base, ours=versions.ours, theirs=versions.theirs)
    ):
        if what == "conflict":
            return None
        source, run = (versions.ours, ours) if what == "ours" else (versions.theirs, theirs)
        out.extend(source[run.start : run.stop])
    return out


def merge_lines(versions: ThreeWay[bytes], *, symbol: str = "") -> FileMerge:
    """Merge three texts by lines.

    Args:
        versions: The three texts.
        symbol: What the contested places are labelled with.
    """
    lines = versions.map(split_lines)
    pieces: list[Piece] = []
    settled: list[bytes] = []
    for what, base, ours, theirs in merge_sequences(
        ThreeWay(base=lines.base, ours=lines.ours, theirs=lines.theirs)
    ):
        if what == "ours":
            settled.extend(lines.ours[ours.start : ours.stop])
        elif what == "theirs":
            settled.extend(lines.theirs[theirs.start : theirs.stop])
        else:
            if settled:
                pieces.append(b"".join(settled))
                settled = []
            pieces.append(
                Contested(
                    symbol=symbol,
                    kind="both-changed",
                    versions=ThreeWay(
                        base=b"".join(lines.base[base.start : base.stop]),
                        ours=b"".join(lines.ours[ours.start : ours.stop]),
                        theirs=b"".join(lines.theirs[theirs.start : theirs.stop]),
                    ),
                    reason="both sides changed these lines",
                )
            )
    if settled:
        pieces.append(b"".join(settled))
    return FileMerge(pieces=tuple(pieces), method="lines")


def merge_apart(versions: ThreeWay[bytes], *, reason: str) -> FileMerge:
    """No merge: all between the first and the last line that differ is one contested place.

    Args:
        versions: The three texts.
        reason: Why they are left apart.
    """
    lines = versions.map(split_lines)
    shortest = min(map(len, lines))
    first = 0
    while first < shortest and len({text[first] for text in lines}) == 1:
        first += 1
    last = 0
    while last < shortest - first and len({text[-1 - last] for text in lines}) == 1:
        last += 1
    place = Contested(
        symbol="",
        kind="gate",
        versions=lines.map(lambda text: b"".join(text[first : len(text) - last])),
        reason=reason,
    )
    head = b"".join(lines.base[:first])
    tail = b"".join(lines.base[len(lines.base) - last :])
    pieces: tuple[Piece, ...] = (place,)
    return FileMerge(
        pieces=((head,) if head else ()) + pieces + ((tail,) if tail else ()), method="lines"
    )
