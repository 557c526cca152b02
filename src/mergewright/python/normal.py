"""Layout-free normal forms of libcst nodes: equal for two nodes that mean the same tokens."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Hashable, Sequence

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


def comments_in(value: object) -> tuple[str, ...]:
    """Comments below a value, in order."""
    if isinstance(value, cst.Comment):
        return (value.value,)
    if isinstance(value, cst.CSTNode):
        return tuple(c for child in value.children for c in comments_in(child))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return tuple(c for item in value for c in comments_in(item))
    return ()


def is_layout(value: object) -> bool:
    """Whether a field's value is layout: white space, punctuation, parentheses."""
    if isinstance(value, _LAYOUT) or value is cst.MaybeSentinel.DEFAULT:
        return True
    return (
        isinstance(value, Sequence)
        and not isinstance(value, str)
        and bool(value)
        and all(isinstance(item, _LAYOUT) for item in value)
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
