"""Imports: unions of statements that both sides added, and bindings that must not be lost."""

from __future__ import annotations

import libcst as cst

from mergewright.python.pieces import Contest, NodeMerger, _Snippet, _Unsupported


def union_statement(ours: bytes, theirs: bytes) -> bytes | None:
    """One ``from`` import with the names of both; ``None`` where the two do not go together."""
    try:
        mine = _Snippet(ours.decode(), "statement")
        other = _Snippet(theirs.decode(), "statement")
    except (cst.ParserSyntaxError, _Unsupported, UnicodeDecodeError):
        return None
    one, two = mine.node, other.node
    if not isinstance(one, cst.SimpleStatementLine) or not isinstance(two, cst.SimpleStatementLine):
        return None
    left, right = one.body[0], two.body[0]
    if not isinstance(left, cst.ImportFrom) or not isinstance(right, cst.ImportFrom):
        return None
    if isinstance(left.names, cst.ImportStar) or isinstance(right.names, cst.ImportStar):
        return None
    if len(one.body) != 1 or len(two.body) != 1:
        return None
    merger = NodeMerger()
    # A base without names: libcst refuses one, so the handler is called on the name lists.
    if merger.normal(left.module) != merger.normal(right.module) or len(left.relative) != len(
        right.relative
    ):
        return None
    comment = two.trailing_whitespace.comment
    if comment is not None and merger.normal(one.trailing_whitespace) != merger.normal(
        two.trailing_whitespace
    ):
        return None
    try:
        merged = merger.union_of_imports(left, right)
    except Contest:
        return None
    line = one.with_changes(body=[merged])
    return mine.printed(line).encode()
