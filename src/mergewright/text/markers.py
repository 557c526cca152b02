"""Conflict markers, as git writes them."""

from __future__ import annotations

from typing import Literal

from mergewright.model.merge import Contested, FileMerge
from mergewright.model.threeway import ThreeWay
from mergewright.text.lines import dominant_newline, split_lines, with_final_newline

MARKER_SIZE = 7


def marker_size_for(texts: ThreeWay[bytes | None], minimum: int = MARKER_SIZE) -> int:
    """A marker size that no line of the texts can be taken for.

    A text that holds marker-like lines (a test of a merge tool, an RST heading underlined by seven
    ``=``) gets longer markers, so that ours can be told from its own.
    """
    size = minimum
    for text in texts:
        if not text:
            continue
        for char in b"<|=>":
            run = bytes((char,)) * size
            while text.startswith(run) or b"\n" + run in text:
                size += 1
                run += bytes((char,))
    return size


def render(
    merge: FileMerge,
    labels: ThreeWay[str],
    *,
    size: int = MARKER_SIZE,
    style: Literal["diff3", "merge"] = "diff3",
) -> bytes:
    """The text of a merge with markers around its contested places.

    Args:
        merge: What the engine made.
        labels: How base, ours and theirs are called behind the markers.
        size: Characters a marker is long.
        style: ``diff3`` shows base's lines too, ``merge`` does not.
    """
    newline = dominant_newline(merge.text())
    out: list[bytes] = []
    last = len(merge.pieces) - 1
    for index, piece in enumerate(merge.pieces):
        if isinstance(piece, bytes):
            out.append(piece if index == last else with_final_newline(piece, newline))
        else:
            out.append(_marked(piece, labels, size, style, newline))
    return b"".join(out)


def read(data: bytes, texts: ThreeWay[bytes | None]) -> FileMerge | None:
    """The merge that a text with git's diff3 markers shows; ``None`` when it is no such text.

    Args:
        data: The text.
        texts: The three versions; no line of theirs is taken for a marker.
    """
    size = marker_size_for(texts)
    pieces: list[bytes | Contested] = []
    settled: list[bytes] = []
    parts: list[list[bytes]] = []
    for line in split_lines(data):
        mark = line[:size]
        char = mark[:1] if mark == mark[:1] * size and line[size : size + 1] in _BEHIND else b""
        if char == b"<" and not parts:
            if settled:
                pieces.append(b"".join(settled))
                settled = []
            parts = [[]]
        elif (char == b"|" and len(parts) == 1) or (char == b"=" and len(parts) == 2):
            parts.append([])
        elif char == b">" and len(parts) == 3:
            ours, base, theirs = (b"".join(part) for part in parts)
            pieces.append(
                Contested(
                    symbol="",
                    kind="both-changed",
                    versions=ThreeWay(base=base, ours=ours, theirs=theirs),
                    reason="",
                )
            )
            parts = []
        elif char in _MARKS:
            return None
        else:
            (parts[-1] if parts else settled).append(line)
    if parts:
        return None
    if settled:
        pieces.append(b"".join(settled))
    return FileMerge(pieces=tuple(pieces), method="lines")


_MARKS = (b"<", b"|", b"=", b">")
#: What may stand behind a marker.
_BEHIND = (b"", b" ", b"\n", b"\r")


def _marked(
    piece: Contested, labels: ThreeWay[str], size: int, style: str, newline: bytes
) -> bytes:
    note = ": ".join(part for part in (piece.symbol, piece.reason) if part)
    ours_label = f"{labels.ours} {note}".strip()

    def marker(char: str, label: str) -> bytes:
        # A label is one line: nothing in a name may end the marker's line early.
        text = char * size + (f" {label}" if label else "")
        return " ".join(text.splitlines()).encode("utf-8", "surrogateescape") + newline

    parts = [marker("<", ours_label), with_final_newline(piece.versions.ours, newline)]
    if style == "diff3":
        parts += [marker("|", labels.base), with_final_newline(piece.versions.base, newline)]
    parts += [
        marker("=", ""),
        with_final_newline(piece.versions.theirs, newline),
        marker(">", labels.theirs),
    ]
    return b"".join(parts)
