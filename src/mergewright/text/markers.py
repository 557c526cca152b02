"""Conflict markers, as git writes them."""

from __future__ import annotations

from typing import Literal

from mergewright.model.merge import Contested, FileMerge
from mergewright.model.threeway import ThreeWay
from mergewright.text.lines import dominant_newline, with_final_newline

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
