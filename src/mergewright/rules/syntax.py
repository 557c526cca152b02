"""Python syntax as spans of bytes: what a rule changes is cut out and put in; the rest is copied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import tree_sitter_python
from tree_sitter import Language, Node, Parser

_LANGUAGE = Language(tree_sitter_python.language())


@dataclass(frozen=True, slots=True, order=True)
class Splice:
    """Bytes ``start`` to ``end`` become ``text``."""

    start: int
    end: int
    text: bytes


def parse(data: bytes) -> Node | None:
    """The root of the syntax tree, or ``None`` when the text is not (whole) Python."""
    root = Parser(_LANGUAGE).parse(data).root_node
    return None if root.has_error else root


def walk(root: Node) -> Iterator[Node]:
    """All nodes in the order of the text, without recursion."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))


def text_of(node: Node) -> bytes:
    """The bytes of a node."""
    return node.text or b""


def joined(splices: Sequence[Splice]) -> list[Splice]:
    """Insertions at one place become one, in their order."""
    inserts: dict[int, bytes] = {}
    for splice in splices:
        if splice.start == splice.end:
            inserts[splice.start] = inserts.get(splice.start, b"") + splice.text
    rest = [splice for splice in splices if splice.start < splice.end]
    return rest + [Splice(at, at, text) for at, text in inserts.items()]


def apply(data: bytes, splices: Iterable[Splice]) -> bytes:
    """The data with all splices made.

    Raises:
        ValueError: Two splices overlap.
    """
    out: list[bytes] = []
    position = 0
    for splice in sorted(splices):
        if splice.start < position:
            raise ValueError("two changes overlap")
        out += [data[position : splice.start], splice.text]
        position = splice.end
    out.append(data[position:])
    return b"".join(out)


def line_of(data: bytes, offset: int) -> int:
    """The line of a byte offset, from 1."""
    return data.count(b"\n", 0, offset) + 1


def dotted(node: Node) -> tuple[bytes, ...] | None:
    """The names of ``a.b.c``, or ``None`` when it is not only names.

    A call or subscript inside counts as one nameless part, so that ``get().b`` is ``("", "b")``.
    """
    parts: list[bytes] = []
    while node.type == "attribute":
        name = node.child_by_field_name("attribute")
        owner = node.child_by_field_name("object")
        if name is None or owner is None:
            return None
        parts.append(text_of(name))
        node = owner
    parts.append(text_of(node) if node.type == "identifier" else b"")
    return tuple(reversed(parts))


def plain_string(node: Node) -> tuple[bytes, int, int] | None:
    """Value and span of the content of a string literal without escapes and interpolation."""
    if node.type != "string":
        return None
    content = [child for child in node.children if child.type == "string_content"]
    others = [
        c for c in node.children if c.type not in {"string_start", "string_content", "string_end"}
    ]
    if len(content) != 1 or others or content[0].children:
        return None
    prefix = text_of(node.children[0]).rstrip(b"'\"").lower()
    if set(prefix) & set(b"fb"):
        return None
    return text_of(content[0]), content[0].start_byte, content[0].end_byte
