"""Layout-free normal forms of libcst nodes: equal for two nodes that mean the same tokens."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Hashable
from typing import Any, cast

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
_node_kinds = _Kinds((cst.CSTNode,))


def comments_in(value: object) -> tuple[str, ...]:
    """Comments below a value, in the order of the fields."""
    found: list[str] = []
    stack: list[object] = [value]
    while stack:
        part = stack.pop()
        kind: type[Any] = type(part)
        if _without_comments[kind]:
            continue
        if isinstance(part, list | tuple):
            stack += reversed(part)
        elif kind is cst.Comment:
            found.append(part.value)  # type: ignore[attr-defined]
        elif _node_kinds[kind]:
            stack += [
                getattr(part, name) for name in reversed(fields_of(cast("type[cst.CSTNode]", kind)))
            ]
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


def _without_comments_or_content(value: object) -> bool:
    """Whether a field's value is layout that cannot hold a comment, or nothing."""
    if isinstance(value, str | list | tuple):
        return not value
    return type(value) is cst.SimpleWhitespace or value is cst.MaybeSentinel.DEFAULT


class Normal:
    """Normal forms, remembered by node identity for the time of one merge."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[cst.CSTNode, Hashable]] = {}

    def __call__(self, value: object) -> Hashable:
        """The normal form of a node, a sequence of nodes, or a plain value."""
        if _node_kinds[type(value)]:
            known = self._known.get(id(value))
            if known is None:
                node = cast("cst.CSTNode", value)
                # The node is kept beside its form, so that its id stays its own.
                known = (node, self._form(node))
                self._known[id(value)] = known
            return known[1]
        if isinstance(value, list | tuple):
            return tuple([self(item) for item in value])
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
            if value is None or _without_comments_or_content(value):
                continue
            if name in _LAYOUT_FIELDS or is_layout(value):
                notes.extend(comments_in(value))
            else:
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
