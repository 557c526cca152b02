"""The Python engine's face: three texts in, settled bytes and contested places out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from mergewright.model.merge import Contested, Decider, FileMerge, Piece
from mergewright.model.threeway import ThreeWay, settle
from mergewright.python.blocks import BudgetExceeded, StructuralMerge
from mergewright.python.source import Source
from mergewright.text.lines import UTF8_BOM, with_final_newline
from mergewright.text.merge import merge_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """Switches of the engine; a rule file's ``engine:`` section sets them.

    Attributes:
        budget: Seconds for one file; when they are used up the line merge answers, and says so.
        versions: Settle version assignments that both sides raised by taking the larger.
        sweeps: Apply one side's proven mechanical substitution to the other side's text.
    """

    budget: float = 20.0
    versions: bool = True
    sweeps: bool = True


def merge_python(
    path: str,
    versions: ThreeWay[bytes | None],
    *,
    deciders: Sequence[Decider] = (),
    options: EngineOptions = EngineOptions(),
) -> FileMerge:
    """Merge three versions of a Python file per symbol.

    Args:
        path: The file's path, for the questions to ``deciders``.
        versions: The three texts; base is ``None`` when both sides added the file.
        deciders: History, policy and memory, asked in this order where two changes meet.
        options: Switches and limits.
    """
    filled = versions.map(lambda data: data or b"")
    boms = filled.map(lambda data: data.startswith(UTF8_BOM))
    bom_side = settle(boms)
    texts = filled.map(lambda data: data.removeprefix(UTF8_BOM))
    crlf = texts.map(_all_crlf)
    crlf_side = settle(
        ThreeWay(base=crlf.base if filled.base else crlf.ours, ours=crlf.ours, theirs=crlf.theirs)
    )
    to_crlf = False
    if any(crlf):
        if not all(c or b"\r" not in t for c, t in zip(crlf, texts, strict=True)):
            return merge_lines(filled)  # mixed line ends: a line is a line
        texts = texts.map(lambda data: data.replace(b"\r\n", b"\n"))
        to_crlf = bool(crlf.get(crlf_side)) if crlf_side is not None else crlf.ours
    merge = StructuralMerge(
        path, deciders, monotonic() + options.budget, versions_rule=options.versions
    )
    notes: tuple[str, ...] = ()
    method = "python"
    try:
        sources = texts.map(Source)
        pieces = merge.block(sources.map(lambda source: source.items()), "", "")
    except BudgetExceeded:
        notes = (f"the time budget of {options.budget:g} s was used up: merged by lines",)
        method, merge.decisions = "lines", []
        pieces = list(merge_lines(texts).pieces)
    except RecursionError:
        notes = ("nested too deeply for the structural merge: merged by lines",)
        method, merge.decisions = "lines", []
        pieces = list(merge_lines(texts).pieces)
    pieces = _joined(pieces)
    if to_crlf:
        pieces = [_crlf(piece) for piece in pieces]
    if bom_side is not None and boms.get(bom_side) and pieces:
        pieces = [UTF8_BOM, *pieces]
    return FileMerge(
        pieces=tuple(pieces), decisions=tuple(merge.decisions), method=method, notes=notes
    )


def _all_crlf(data: bytes) -> bool:
    return b"\r\n" in data and data.count(b"\r\n") == data.count(b"\n") == data.count(b"\r")


def _crlf(piece: Piece) -> Piece:
    if isinstance(piece, bytes):
        return piece.replace(b"\n", b"\r\n")
    return Contested(
        symbol=piece.symbol,
        kind=piece.kind,
        versions=piece.versions.map(lambda text: text.replace(b"\n", b"\r\n")),
        reason=piece.reason,
    )


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbouring bytes as one piece; every piece but the last ends its line."""
    out: list[Piece] = []
    run: list[bytes] = []
    filled = [p for p in pieces if not isinstance(p, bytes) or p]
    for index, piece in enumerate(filled):
        last = index == len(filled) - 1
        if isinstance(piece, bytes):
            run.append(piece if last else with_final_newline(piece, b"\n"))
            continue
        if run:
            out.append(b"".join(run))
            run = []
        if not last:
            piece = Contested(
                symbol=piece.symbol,
                kind=piece.kind,
                versions=piece.versions.map(lambda text: with_final_newline(text, b"\n")),
                reason=piece.reason,
            )
        out.append(piece)
    if run:
        out.append(b"".join(run))
    return out
