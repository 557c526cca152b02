"""Lines of bytes: splitting, line ends, the byte-order mark."""

from __future__ import annotations

from collections.abc import Callable

from mergewright.model.threeway import ThreeWay, settle

UTF8_BOM = b"\xef\xbb\xbf"


def split_lines(data: bytes) -> list[bytes]:
    r"""Split at ``\n``, line ends kept; joining gives the data back.

    Only ``\n`` ends a line, as for git: a lone ``\r``, a form feed or U+2028 is part of its line.
    """
    lines = data.split(b"\n")
    last = lines.pop()
    result = [line + b"\n" for line in lines]
    if last:
        result.append(last)
    return result


def common_ends(one: bytes, other: bytes) -> tuple[int, int]:
    """How many bytes two texts have in common: in whole lines at the start, and at the end behind those."""
    start = _common(min(len(one), len(other)), lambda a, b: one[a:b] == other[a:b])
    if start < len(one) or start < len(other):
        start = one.rfind(b"\n", 0, start) + 1
    width, height = len(one), len(other)
    end = _common(
        min(width, height) - start,
        lambda a, b: one[width - b : width - a] == other[height - b : height - a],
    )
    if end:
        # What is in common may begin within a line.
        line = one.find(b"\n", width - end) + 1
        end = width - line if line else 0
    return start, end


def _common(most: int, equal: Callable[[int, int], bool]) -> int:
    """How far two texts are equal, told by comparing large parts of them."""
    least = 0
    while least < most:
        middle = (least + most + 1) // 2
        if equal(least, middle):
            least = middle
        else:
            most = middle - 1
    return least


def dominant_newline(data: bytes) -> bytes:
    r"""``\r\n`` when most lines of the data end so, else ``\n``."""
    crlf = data.count(b"\r\n")
    return b"\r\n" if crlf * 2 > data.count(b"\n") else b"\n"


def with_final_newline(data: bytes, newline: bytes) -> bytes:
    """The data with its last line ended; empty data stays empty."""
    return data if not data or data.endswith(b"\n") else data + newline


def with_line_ends(data: bytes, versions: ThreeWay[bytes]) -> bytes:
    r"""A text composed of lines of three versions, each line ended as it is there.

    Lines are told by their text, indentation aside. One that stands in no version, or has several ends in
    one, is ended as the line above it.

    Args:
        data: The text, whatever its line ends.
        versions: What it was composed of; ``\n`` and ``\r\n`` may be mixed.
    """
    ends = versions.map(_line_ends)
    lines = split_lines(data.replace(b"\r\n", b"\n"))
    above = dominant_newline(versions.ours)
    for number, line in enumerate(lines):
        if not line.endswith(b"\n"):
            continue
        row = line.strip()
        found = ThreeWay(
            base=ends.base.get(row, _NO_END),
            ours=ends.ours.get(row, _NO_END),
            theirs=ends.theirs.get(row, _NO_END),
        )
        different = found.base | found.ours | found.theirs
        if len(different) > 1:
            side = settle(found)
            different = found.get(side) if side is not None else found.ours
        if len(different) == 1:
            (above,) = different
        lines[number] = line[:-1] + above
    return b"".join(lines)


_NO_END: frozenset[bytes] = frozenset()


def _line_ends(data: bytes) -> dict[bytes, frozenset[bytes]]:
    found: dict[bytes, frozenset[bytes]] = {}
    for line in split_lines(data):
        if line.endswith(b"\n"):
            end = b"\r\n" if line.endswith(b"\r\n") else b"\n"
            row = line.strip()
            found[row] = found.get(row, _NO_END) | {end}
    return found


def join_pieces(pieces: list[bytes], newline: bytes) -> bytes:
    """Join pieces of whole lines; a piece without a final newline gets one unless it is last.

    Two last lines without a line end, one from each side, must not become one line.
    """
    filled = [piece for piece in pieces if piece]
    if not filled:
        return b""
    return b"".join(with_final_newline(p, newline) for p in filled[:-1]) + filled[-1]


_DIGITS = b"0123456789"
_BEHIND_DIGITS = b":"
_NO_WORD = bytes(
    byte if bytes((byte,)).isalnum() or byte == ord("_") else ord(" ") for byte in range(256)
)


def words_of(data: bytes) -> set[bytes]:
    r"""The words of a text that start with a letter or underscore, as ``[A-Za-z_]\w*`` finds them."""
    found = set(data.translate(_NO_WORD).split())
    # In ASCII all digits stand before all letters.
    numbers = {word for word in found if word < _BEHIND_DIGITS}
    found -= numbers
    found.update(rest for word in numbers if (rest := word.lstrip(_DIGITS)))
    return found
