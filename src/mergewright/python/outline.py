"""The symbols of a Python text: dotted paths, byte spans, layout-free fingerprints."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from mergewright.python.source import Item, Section, source_of
from mergewright.text.lines import UTF8_BOM


class Symbol:
    """A named piece of a module.

    Attributes:
        path: Dotted path; a repeated name gets ``#2``, ``#3`` … behind it.
        kind: ``function``, ``class``, ``assignment`` or ``import``.
        start: Byte offset of its first line (decorators included, comments above not).
        end: Byte offset just behind its last line.
        lead_start: Byte offset where the comments and blank lines above it start.
    """

    __slots__ = ("_item", "end", "kind", "lead_start", "path", "start")

    def __init__(self, path: str, kind: str, item: Item) -> None:
        self.path = path
        self.kind = kind
        self.start = item.start
        self.end = item.end
        self.lead_start = item.lead_start
        self._item = item

    @property
    def fingerprint(self) -> str:
        """Digest of its tokens without layout; comments inside it count, those above do not."""
        return self._item.fingerprint.hex()

    @property
    def tokens(self) -> tuple[bytes, ...]:
        """Its tokens without layout."""
        return tuple(self._item.tokens)

    @property
    def text(self) -> bytes:
        """Its lines."""
        return self._item.core

    def statements(self) -> tuple[tuple[str, bytes], ...]:
        """Fingerprint and lines of each statement of its own body; empty for a one-liner."""
        return tuple(
            (item.fingerprint.hex(), item.core)
            for section in self._item.sections()
            for item in section.items()
            if item.kind != "tail"
        )

    def __repr__(self) -> str:
        return f"Symbol({self.path!r}, {self.kind}, {self.start}:{self.end})"


_KINDS = {
    "def": "function",
    "class": "class",
    "assign": "assignment",
    "import": "import",
    "from": "import",
}


class Outline:
    """All symbols of a text, computed when first asked for.

    Attributes:
        data: The text the spans point into (without a byte-order mark).
    """

    def __init__(self, data: bytes) -> None:
        self.data = data.removeprefix(UTF8_BOM)
        self._source = source_of(self.data)

    @cached_property
    def symbols(self) -> Mapping[str, Symbol]:
        """Dotted path to symbol, in file order.

        Definitions at every depth (also those below ``if`` and ``try``), assignments and imports of
        the module and of classes. Imports are called ``import NAME`` and ``from MODULE``.
        """
        found: dict[str, Symbol] = {}
        stack: list[tuple[str, Item]] = [("", item) for item in reversed(self._source.items())]
        while stack:
            scope, item = stack.pop()
            inner = scope
            kind = _KINDS.get(item.kind)
            if kind is not None and (kind in {"function", "class"} or item.parent != "def"):
                name = item.name if kind != "import" else f"{item.kind} {item.name}"
                path = f"{scope}.{name}" if scope else name
                unique, count = path, 1
                while unique in found:
                    count += 1
                    unique = f"{path}#{count}"
                found[unique] = Symbol(unique, kind, item)
                if kind in {"function", "class"}:
                    inner = unique
            below: list[Section] = item.sections()
            stack.extend(
                (inner, child) for section in reversed(below) for child in reversed(section.items())
            )
        return found


def outline(data: bytes) -> Outline:
    r"""The outline of a Python text (line ends ``\\n``; other bytes as they are)."""
    return Outline(data)
