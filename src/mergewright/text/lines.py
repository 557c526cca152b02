"""Lines of bytes: splitting, line ends, the byte-order mark."""

from __future__ import annotations

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


def dominant_newline(data: bytes) -> bytes:
    r"""``\r\n`` when most lines of the data end so, else ``\n``."""
    crlf = data.count(b"\r\n")
    return b"\r\n" if crlf * 2 > data.count(b"\n") else b"\n"


def with_final_newline(data: bytes, newline: bytes) -> bytes:
    """The data with its last line ended; empty data stays empty."""
    return data if not data or data.endswith(b"\n") else data + newline


def join_pieces(pieces: list[bytes], newline: bytes) -> bytes:
    """Join pieces of whole lines; a piece without a final newline gets one unless it is last.

    Two last lines without a line end, one from each side, must not become one line.
    """
    filled = [piece for piece in pieces if piece]
    if not filled:
        return b""
    return b"".join(with_final_newline(p, newline) for p in filled[:-1]) + filled[-1]


_DIGITS = b"0123456789"
_NO_WORD = bytes(
    byte if bytes((byte,)).isalnum() or byte == ord("_") else ord(" ") for byte in range(256)
)


def words_of(data: bytes) -> set[bytes]:
    r"""The words of a text that start with a letter or underscore, as ``[A-Za-z_]\w*`` finds them."""
    found = set(data.translate(_NO_WORD).split())
    numbers = {word for word in found if word[0] in _DIGITS}
    found -= numbers
    found.update(rest for word in numbers if (rest := word.lstrip(_DIGITS)))
    return found
