"""Features kept whole: one side built a place into a feature, the other changed what stands in it."""

from __future__ import annotations

import ast

from mergewright.model.threeway import Side, ThreeWay
from mergewright.python.names import bound_names
from mergewright.python.outline import outline
from mergewright.text.syntax import syntax_tree

# What binds as tight as a name, so that it can stand wherever the base's expression stood.
_TIGHT = (ast.Name, ast.Attribute, ast.Call, ast.Subscript, ast.Constant)


def nested(versions: ThreeWay[bytes | None], outer: Side) -> bytes | None:
    """One statement in which a side put the base's expression into a larger one, with both edits.

    Args:
        versions: The three texts of one statement that has a value.
        outer: The side with the larger expression.

    Returns:
        That side's text with the other side's expression where the base's stands in it; ``None`` where
        the edits do not nest so, or in more than one way.
    """
    base, text, source = versions.base, versions.get(outer), versions.get(outer.other)
    if base is None or text is None or source is None:
        return None
    statements = [_statement(version) for version in (base, text, source)]
    if any(statement is None for statement in statements):
        return None
    before, larger, other = (s for s in statements if s is not None)
    return _put(before, larger, text, other, source)


def _statement(text: bytes) -> ast.stmt | None:
    """The only statement of a text that may be indented; its lines are counted from 2."""
    lead = b"if 1:\n" if text[:1] in (b" ", b"\t") else b"\n"
    tree = syntax_tree(lead + text)
    if tree is None:
        return None
    body = tree.body
    if lead != b"\n" and len(body) == 1 and isinstance(body[0], ast.If):
        body = body[0].body
    return body[0] if len(body) == 1 else None


def _value(statement: ast.stmt) -> ast.expr | None:
    value = getattr(statement, "value", None)
    return value if isinstance(value, ast.expr) else None


def _rest(statement: ast.stmt) -> tuple[str, ...]:
    """What a statement has beside its value."""
    return tuple(
        ast.dump(node)
        for name, value in ast.iter_fields(statement)
        if name != "value"
        for node in (value if isinstance(value, list) else [value])
        if isinstance(node, ast.AST)
    )


def _put(
    base: ast.stmt, outer: ast.stmt, text: bytes, inner: ast.stmt, source: bytes
) -> bytes | None:
    values = [_value(statement) for statement in (base, outer, inner)]
    if any(value is None for value in values):
        return None
    before, larger, other = (value for value in values if value is not None)
    if len({(type(s), _rest(s)) for s in (base, outer, inner)}) != 1:
        return None
    places, around = _places(larger, before)
    if len(places) != 1 or places[0] is larger:
        return None
    _, around_other = _places(other, before)
    if around & around_other:
        return None  # both put it into the same: it would stand in it twice
    if bound_names(larger) & (_names(before) | _names(other)):
        return None  # the name may mean something else there
    start, end = _span(text, places[0])
    low, high = _span(source, other)
    new = source[low:high]
    if not isinstance(other, _TIGHT):
        new = b"(" + new + b")"
    return text[:start] + new + text[end:]


def _places(tree: ast.expr, wanted: ast.expr) -> tuple[list[ast.expr], set[str]]:
    """Where an expression stands in a tree, and what it stands in there."""
    form = ast.dump(wanted)
    found: list[ast.expr] = []
    around: set[str] = set()
    stack: list[tuple[ast.AST, frozenset[str]]] = [(tree, frozenset())]
    while stack:
        node, holders = stack.pop()
        if isinstance(node, ast.expr) and ast.dump(node) == form:
            found.append(node)
            around |= holders
        stack.extend((child, holders | {_wrap(node)}) for child in ast.iter_child_nodes(node))
    return found, around


def _wrap(node: ast.AST) -> str:
    """An expression that holds others, by what it is besides them."""
    kind = type(node).__name__
    told = getattr(node, "func", None) or getattr(node, "op", None)
    if isinstance(told, ast.AST):
        return f"{kind} {ast.dump(told)}"
    return f"{kind} {getattr(node, 'attr', '')}"


def _names(tree: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _span(text: bytes, node: ast.expr) -> tuple[int, int]:
    lines = [0]
    for line in text.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return (
        lines[node.lineno - 2] + node.col_offset,
        lines[node.end_lineno - 2] + node.end_col_offset,
    )


def put_back(text: bytes, base: bytes, symbol: str) -> bytes:
    """A text with one of its symbols as the base has it; without it where the base has none.

    Args:
        text: The whole text, with line feeds as line ends.
        base: The base's whole text.
        symbol: Dotted path of the symbol.
    """
    here, before = outline(text), outline(base).symbols.get(symbol)
    found = here.symbols.get(symbol)
    if found is None:
        return text
    data = here.data
    if before is None:
        return data[: found.lead_start] + data[found.end :]
    return data[: found.start] + before.text + data[found.end :]
