"""Layout-free normal forms of libcst nodes: equal for two nodes that mean the same tokens."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Hashable, Sequence
from typing import Any

import libcst as cst

# Punctuation and white space nodes: layout, except for the comments inside them. The dots of a relative
# import are no layout: their number names the package.
_LAYOUT: tuple[type[cst.CSTNode], ...] = (
    cst.BaseParenthesizableWhitespace,
    cst.TrailingWhitespace,
    cst.EmptyLine,
    cst.Newline,
    cst.Comma,
    cst.Semicolon,
    cst.Colon,
    cst.AssignEqual,
    cst.LeftParen,
    cst.RightParen,
    cst.LeftSquareBracket,
    cst.RightSquareBracket,
    cst.LeftCurlyBrace,
    cst.RightCurlyBrace,
)
_STRING = re.compile(r"""(?s)\A([A-Za-z]*)('''|\"""|'|")(.*)\2\Z""")


@functools.cache
def fields_of(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    """Names of a node type's fields, in source order."""
    return tuple(f.name for f in dataclasses.fields(kind))


# Values below which no comment can stand; most fields of most nodes are such.
_WITHOUT_COMMENTS = (str, bool, int, type(None), cst.SimpleWhitespace, cst.MaybeSentinel)


class _Kinds(dict[type[Any], bool]):
    """Whether a type is one of some, remembered: the check of an abstract base is slow."""

    def __init__(self, wanted: tuple[type[Any], ...]) -> None:
        super().__init__()
        self._wanted = wanted

    def __missing__(self, kind: type[Any]) -> bool:
        found = self[kind] = issubclass(kind, self._wanted)
        return found


_without_comments = _Kinds(_WITHOUT_COMMENTS)
_layout_kinds = _Kinds(_LAYOUT)


def comments_in(value: object) -> tuple[str, ...]:
    """Comments below a value, in the order of the fields."""
    found: list[str] = []
    stack: list[object] = [value]
    while stack:
        part = stack.pop()
        kind: type[Any] = type(part)
        if _without_comments[kind]:
            continue
        if isinstance(part, cst.Comment):
            found.append(part.value)
        elif isinstance(part, cst.CSTNode):
            stack += [getattr(part, name) for name in reversed(fields_of(type(part)))]
        elif isinstance(part, Sequence):
            stack += reversed(part)
    return tuple(found)


def is_layout(value: object) -> bool:
    """Whether a field's value is layout: white space, punctuation, parentheses."""
    if _layout_kinds[type(value)] or value is cst.MaybeSentinel.DEFAULT:
        return True
    return (
        isinstance(value, list | tuple)
        and bool(value)
        and all(_layout_kinds[type(item)] for item in value)
    )


_LAYOUT_FIELDS = frozenset(
    {"lpar", "rpar", "comma", "semicolon", "leading_lines", "lines_after_decorators"}
)


class Normal:
    """Normal forms, remembered by node identity for the time of one merge."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[cst.CSTNode, Hashable]] = {}

    def __call__(self, value: object) -> Hashable:
        """The normal form of a node, a sequence of nodes, or a plain value."""
        if isinstance(value, cst.CSTNode):
            known = self._known.get(id(value))
            if known is None:
                # The node is kept beside its form, so that its id stays its own.
                known = (value, self._form(value))
                self._known[id(value)] = known
            return known[1]
        if isinstance(value, Sequence) and not isinstance(value, str):
            return tuple(self(item) for item in value)
        if value is None or isinstance(value, str | bool | int | cst.MaybeSentinel):
            return value
        return repr(value)

    def _form(self, node: cst.CSTNode) -> Hashable:
        if isinstance(node, cst.SimpleString):
            return ("str", _string_form(node.value))
        if isinstance(node, cst.Comment):
            return ("#", node.value)
        form: list[Hashable] = [type(node).__name__]
        notes: list[str] = []
        for name in fields_of(type(node)):
            value = getattr(node, name)
            if name in _LAYOUT_FIELDS or is_layout(value):
                notes.extend(comments_in(value))
            elif value is not None and not (isinstance(value, Sequence) and len(value) == 0):
                form.append((name, self(value)))
        if notes:
            form.append(("comments", tuple(notes)))
        return tuple(form)


def _string_form(text: str) -> str:
    match = _STRING.match(text)
    if match is None:
        return text
    prefix, quote, content = match.groups()
    prefix = prefix.lower().replace("u", "")
    if "\\" in content or "'" in content or '"' in content:
        return prefix + quote + content
    return f'{prefix}"{content}"'
