"""Finds one named symbol in many versions of a file without parsing the whole file.

A merge looks at hundreds of versions of a file but only at a few of its symbols, so the headers are
found by one scan and only the wanted symbol's text is read token by token.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from mergewright.history.pieces import block_end

# Statements with a suite matter too: what follows a class inside a later "if" is no part of the class.
# A line end to start with, and the first letters, are what the scan looks for fast.
_HEADER = re.compile(
    rb"\n([ \t]*)(?=[acdefitw])(?:(async[ \t]+def|def|class)[ \t]+([^\W\d]\w*)"
    rb"|(?:if|elif|else|try|except|finally|with|for|while)\b)"
)
# A command line's options stand above its function, a line or more for each.
_MAX_DECORATOR_LINES = 1000
_NAME = re.compile(r"^[^\W\d]\w*$")


@dataclass(frozen=True, slots=True)
class Headers:
    """The definitions of one text: dotted name to the offsets of their headers, in file order."""

    offsets: dict[str, tuple[int, ...]]
    classes: frozenset[str]


@lru_cache(maxsize=512)
def headers(data: bytes) -> Headers:
    """All definitions of a text by dotted name."""
    # With a line end in front, a match starts where its line starts in the text itself.
    return _dotted(_HEADER.finditer(b"\n" + data))


def _dotted(matches: Iterable[re.Match[bytes]]) -> Headers:
    offsets: dict[str, list[int]] = {}
    classes: set[str] = set()
    stack: list[tuple[int, str]] = []
    for match in matches:
        indent = len(match.group(1).expandtabs(8))
        while stack and stack[-1][0] >= indent:
            stack.pop()
        if match.group(2) is None:
            continue
        name = match.group(3).decode("utf-8", "replace")
        dotted = f"{stack[-1][1]}.{name}" if stack else name
        stack.append((indent, dotted))
        offsets.setdefault(dotted, []).append(match.start())
        if match.group(2) == b"class":
            classes.add(dotted)
    return Headers({k: tuple(v) for k, v in offsets.items()}, frozenset(classes))


_BEFORE_NAME = re.compile(rb"([ \t]*)(?:async[ \t]+def|def|class)[ \t]+")
_WORD = re.compile(rb"\w")


@lru_cache(maxsize=1024)
def _headers_below(data: bytes, root: str) -> Headers:
    """What :func:`headers` says of one outermost name and of all below it, without reading the rest.

    A header at the margin ends whatever stood open, so the definitions below it are known without what
    comes before.
    """
    if not root.isascii():
        return headers(data)
    name = root.encode()
    starts: list[int] = []
    at = data.find(name)
    while at >= 0:
        line = data.rfind(b"\n", 0, at) + 1
        before = _BEFORE_NAME.fullmatch(data, line, at)
        if before is not None and not _WORD.match(data, at + len(name)):
            if before.group(1):
                # In an "if", or below another definition.
                return headers(data)
            starts.append(line)
        at = data.find(name, at + 1)
    framed = b"\n" + data if starts else b""

    def matches() -> Iterator[re.Match[bytes]]:
        for start in starts:
            for match in _HEADER.finditer(framed, start):
                if match.start() > start and not match.group(1):
                    break
                yield match

    return _dotted(matches())


_NEXT: dict[int, re.Pattern[bytes]] = {}


def _block_end(data: bytes, start: int) -> int:
    """Offset where the statement that starts at a line start ends, its indented suite included.

    The suite ends at the first line that is not indented deeper, starts with neither a closing bracket nor
    a comment, and does not stand inside a string.
    """
    margin = 0
    while data[start + margin : start + margin + 1] in (b" ", b"\t"):
        margin += 1
    pattern = _NEXT.get(margin)
    if pattern is None:
        pattern = _NEXT[margin] = re.compile(
            rb"^[ \t]{0,%d}(?![ \t\r\n\f#)\]}])" % margin, re.MULTILINE
        )
    found = (
        pattern.search(data, data.find(b"\n", start) + 1) if data.find(b"\n", start) >= 0 else None
    )
    end = len(data) if found is None else found.start()
    # A line in a string, or a quote sign in one, is told apart only by reading all tokens.
    if any(data.count(quote, start, end) % 2 for quote in (b'"""', b"'''")):
        end = block_end(data, start)
    return _trimmed(data, start, end, margin)


def _trimmed(data: bytes, start: int, end: int, margin: int) -> int:
    """The end without blank lines, and without comments that are not indented deeper."""
    while end > start:
        line_start = data.rfind(b"\n", start, end - 1) + 1
        line = data[line_start:end]
        bare = line.lstrip(b" \t")
        if line_start <= start or (bare.strip() and not bare.startswith(b"#")):
            return end
        if bare.startswith(b"#") and len(line) - len(bare) > margin:
            return end
        end = line_start
    return end


def _with_decorators(data: bytes, start: int) -> int:
    """Offset of the first decorator above a header, or of the header itself."""
    indent = re.match(rb"[ \t]*", data[start : start + 400])
    margin = indent.group() if indent else b""
    best = start
    position = start
    for _ in range(_MAX_DECORATOR_LINES):
        if position == 0:
            break
        line_start = data.rfind(b"\n", 0, position - 1) + 1
        line = data[line_start : position - 1]
        if not line.strip() or not line.startswith(margin):
            break
        rest = line[len(margin) :]
        if rest.startswith(b"@"):
            best = line_start
        elif not rest.startswith((b" ", b"\t", b")", b"#")):
            break
        position = line_start
    return best


def symbol_text(data: bytes, dotted: str) -> bytes | None:
    """The text of a function, class or assignment with its decorators; ``None`` if it is not there.

    Args:
        data: The whole file.
        dotted: Dotted path, as in an outline. Of a name defined more than once, all definitions
            joined.
    """
    found = _headers_below(data, dotted.partition(".")[0]).offsets.get(dotted)
    if found:
        return b"".join(
            data[_with_decorators(data, start) : _block_end(data, start)] for start in found
        )
    return _assignment(data, dotted)


def _assignment(data: bytes, dotted: str) -> bytes | None:
    parent, _, name = dotted.rpartition(".")
    if not _NAME.match(name):
        return None
    if parent:
        above = _headers_below(data, dotted.partition(".")[0])
        scope = symbol_text(data, parent) if parent in above.classes else None
        if scope is None:
            return None
    else:
        scope = data
    pattern = re.compile(
        rb"^("
        + (rb"[ \t]+" if parent else rb"")
        + rb")"
        + re.escape(name.encode())
        + rb"[ \t]*(?::[^=\n]*)?[+|]?=(?!=)",
        re.MULTILINE,
    )
    parts = [scope[m.start() : _block_end(scope, m.start())] for m in pattern.finditer(scope)]
    return b"".join(parts) if parts else None
