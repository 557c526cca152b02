"""Union of two changed texts: the lines of both sides, each once."""

from __future__ import annotations

from mergewright.model.threeway import ThreeWay
from mergewright.text.lines import dominant_newline, join_pieces, split_lines
from mergewright.text.merge import merge_lines


def union(versions: ThreeWay[bytes | None]) -> bytes:
    """Merge by lines, with the lines of ours, then those of theirs, where both changed.

    A line that one side deleted and the other left as it was stays deleted; a line that both
    sides have stands once. Blank lines are never dropped as doubles.

    Args:
        versions: The three texts; a side that does not have the thing counts as empty.
    """
    texts = versions.map(lambda text: text or b"")
    newline = dominant_newline(texts.ours or texts.theirs)
    pieces: list[bytes] = []
    for piece in merge_lines(texts).pieces:
        if isinstance(piece, bytes):
            pieces.append(piece)
            continue
        base, ours, theirs = (
            [line.rstrip(b"\r\n") for line in split_lines(text)] for text in piece.versions
        )
        old, left, right = set(base), set(ours), set(theirs)
        for raw, line in zip(split_lines(piece.versions.ours), ours, strict=True):
            if not line.strip() or line not in old or line in right:
                pieces.append(raw)
        for raw, line in zip(split_lines(piece.versions.theirs), theirs, strict=True):
            if line not in left and line not in old:
                pieces.append(raw)
    return join_pieces(pieces, newline)
