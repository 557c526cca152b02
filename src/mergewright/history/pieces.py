"""Layout-free pieces of source text: what lineages and similarities are counted in.

A piece is what stands between two commas, opening brackets or line ends, without white space, closing
brackets, comments and the style of quotes. Breaking a line at a comma or bracket moves no boundary.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache

from mergewright.text.diff import matches

#: Larger texts are lock files and data: nobody wrote their lines, so only their whole states are compared.
MAX_READ = 500_000

_TOKEN = re.compile(
    rb"""(?P<string>(?:[rRbBuUfF]{0,2})(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))"""
    rb"""|(?P<comment>\#[^\n]*)|(?P<join>\\\r?\n)|(?P<newline>\r?\n)|(?P<space>[ \t\f\r]+)"""
    rb"""|(?P<word>[\w.]+)|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<comma>,)|(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_WORD_END = re.compile(rb"[\w]$")
_WORD_START = re.compile(rb"^[\w]")


def _plain_string(token: bytes) -> bytes:
    quote = token.lstrip(b"rRbBuUfF")
    prefix = token[: len(token) - len(quote)].lower()
    triple = quote[:3] in (b'"""', b"'''")
    inner = quote[3:-3] if triple else quote[1:-1]
    return prefix + b'"' + b" ".join(inner.split()) + b'"'


_COMMENT = re.compile(rb"#[^\n]*")
_QUOTES = bytes.maketrans(b"'", b'"')
_BRACKETS = b"()[]{}"
# What opens a bracket parts like a comma: a formatter may break the line there.
_PARTING = bytes.maketrans(b"',([{", b'"\n\n\n\n')


def _parted(text: bytes) -> bytes:
    """The text with a line end at each border of a piece."""
    bare = _COMMENT.sub(b"", text) if b"#" in text else text
    return bare.replace(b"\\\n", b"").translate(_PARTING, b" \t\r\f)]}")


def pieces(text: bytes) -> tuple[bytes, ...]:
    """The pieces of a text in order.

    A piece is approximate on purpose (a ``#`` or a comma inside a string parts it): it is compared only
    with pieces made the same way. What must be exact uses :func:`code_key`.
    """
    found = _pieces.get(text)
    if found is None:
        if len(_pieces) >= _MAX_KEPT:
            _pieces.clear()
        found = _pieces[text] = tuple(filter(None, _parted(text).split(b"\n")))
    return found


_pieces: dict[bytes, tuple[bytes, ...]] = {}
_MAX_KEPT = 20_000


def squeeze(text: bytes) -> bytes:
    """A digest that does not change with layout; a cheap first look before :func:`code_key`.

    Of a text above :data:`MAX_READ` bytes its layout counts.
    """
    if len(text) > MAX_READ:
        return hashlib.blake2b(text, digest_size=16).digest()
    bare = _COMMENT.sub(b"", text) if b"#" in text else text
    return hashlib.blake2b(
        bare.translate(_QUOTES, b" \t\r\n\f\\," + _BRACKETS), digest_size=16
    ).digest()


def is_significant(piece: bytes) -> bool:
    """Whether a piece is telling: it holds a word of its own, not only ``else:`` or ``return``."""
    return len(piece) >= _MIN_PIECE and piece not in _COMMON


@lru_cache(maxsize=512)
def telling(text: bytes) -> frozenset[bytes]:
    """The pieces of a text that are telling (see :func:`is_significant`), each once.

    A text above :data:`MAX_READ` bytes has none.
    """
    if len(text) > MAX_READ:
        return frozenset()
    return frozenset(_LONG.findall(_parted(text))) - _COMMON


_MIN_PIECE = 4
_LONG = re.compile(rb"[^\n]{%d,}" % _MIN_PIECE)
_COMMON = frozenset(
    b"else: try: finally: return pass break continue None True False self raise except: return None "
    b"return True return False".split(b" ")
) | {b"return None", b"return True", b"return False", b"super.__init__"}


def contains_run(whole: tuple[bytes, ...], part: tuple[bytes, ...]) -> bool:
    """Whether the pieces of ``part`` stand in ``whole`` in one run."""
    if not part:
        return False
    size = len(part)
    first = part[0]
    return any(
        whole[start] == first and whole[start : start + size] == part
        for start in range(len(whole) - size + 1)
    )


def holds(text: bytes | None, old: bytes | None, new: bytes | None) -> bool:
    """Whether a text has all that a change adds, and nothing of what it takes away.

    Args:
        text: The text that may have the change.
        old: What stood before the change; ``None`` for nothing.
        new: What it made; a deletion is held by no text.
    """
    if text is None or new is None:
        return False
    here, before, after = (set(pieces(part or b"")) for part in (text, old, new))
    added, removed = after - before, before - after
    return added <= here and not removed & here


def lessened(state: bytes | None, now: bytes | None) -> bool:
    """Whether somewhere in a text something telling was taken away and nothing put in its place.

    Args:
        state: The text before.
        now: What became of it; where it is gone as a whole, nothing is lessened.
    """
    if state is None or now is None:
        return False
    before, after = pieces(state), pieces(now)
    last = (-1, -1)
    for pair in (*matches(before, after), (len(before), len(after))):
        if pair[1] == last[1] + 1 and any(map(is_significant, before[last[0] + 1 : pair[0]])):
            return True
        last = pair
    return False


@lru_cache(maxsize=4096)
def code_key(text: bytes) -> bytes:
    """A key that two texts share only if they are the same code in two layouts.

    Brackets and relative indentation count, unlike in :func:`pieces`; white space inside lines, comments,
    magic trailing commas, line joins and the style of quotes do not.
    """
    result: list[bytes] = []
    depth = 0
    at_start = True
    first_indent: int | None = None
    indent = 0
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        token = match.group()
        if kind == "space":
            if at_start and depth == 0:
                indent = len(token.expandtabs(8))
            continue
        if kind in ("comment", "join"):
            continue
        if kind == "newline":
            if depth == 0:
                at_start, indent = True, 0
            continue
        if at_start and depth == 0:
            first_indent = indent if first_indent is None else first_indent
            result.append(b"\n%d " % (indent - first_indent))
        at_start = False
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
            # A trailing comma before a bracket is layout, but in "(x,)" it makes the tuple.
            if result and result[-1] == b"," and not (token == b")" and _lone_tuple(result)):
                result.pop()
        elif kind == "string":
            token = _plain_string(token)
        if result and _WORD_END.search(result[-1]) and _WORD_START.search(token):
            result.append(b" ")
        result.append(token)
    return b"".join(result)


def _lone_tuple(tokens: list[bytes]) -> bool:
    depth = 0
    for position in range(len(tokens) - 2, -1, -1):
        token = tokens[position]
        if token in (b")", b"]", b"}"):
            depth += 1
        elif token in (b"(", b"[", b"{"):
            if depth == 0:
                called = position > 0 and (_WORD_END.search(tokens[position - 1]) is not None)
                return token == b"(" and not called
            depth -= 1
        elif token == b"," and depth == 0:
            return False
    return False


def block_end(data: bytes, start: int) -> int:
    """Offset where the block of a statement that starts at a line start ends, read token by token.

    Args:
        data: The whole text.
        start: Offset of the first byte of the statement's first line.
    """
    margin: int | None = None
    depth = 0
    at_start = True
    indent = 0
    line = start
    for match in _TOKEN.finditer(data, start):
        kind = match.lastgroup
        if kind == "newline":
            if depth == 0:
                at_start, indent, line = True, 0, match.end()
            continue
        if kind == "space":
            if at_start and depth == 0:
                indent = len(match.group().expandtabs(8))
            continue
        if kind in ("comment", "join"):
            continue
        if at_start and depth == 0:
            if margin is None:
                margin = indent
            elif indent <= margin:
                return line
        at_start = False
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
    return len(data)
