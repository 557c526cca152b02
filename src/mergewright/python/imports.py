"""Imports: unions of statements that both sides added, and bindings that must not be lost."""

from __future__ import annotations

import ast
import functools
from collections import Counter

import libcst as cst

from mergewright.model.threeway import ThreeWay
from mergewright.python.pieces import Contest, NodeMerger, _Snippet, _Unsupported, bound_name
from mergewright.python.source import source_of
from mergewright.text.syntax import syntax_tree


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


def _aliases(
    text: bytes,
) -> tuple[_Snippet, cst.SimpleStatementLine, cst.Import | cst.ImportFrom] | None:
    try:
        snippet = _Snippet(text.decode(), "statement")
    except (cst.ParserSyntaxError, _Unsupported, UnicodeDecodeError):
        return None
    line = snippet.node
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return None
    statement = line.body[0]
    if not isinstance(statement, cst.Import | cst.ImportFrom) or isinstance(
        statement.names, cst.ImportStar
    ):
        return None
    return snippet, line, statement


def bound_names(text: bytes) -> frozenset[str]:
    """Names that an import statement binds; empty for a star or what does not parse."""
    found = _aliases(text)
    if found is None:
        return frozenset()
    names = found[2].names
    if isinstance(names, cst.ImportStar):
        return frozenset()
    return frozenset(bound_name(alias) for alias in names)


def without_names(text: bytes, gone: bytes, keep: frozenset[str]) -> bytes | None:
    """An import statement without the names that another one has.

    Args:
        text: The statement.
        gone: The statement whose names are taken away.
        keep: Bound names that stay all the same.

    Returns:
        The shorter statement, empty when no name is left, ``None`` where that cannot be said.
    """
    found, other = _aliases(text), _aliases(gone)
    if found is None or other is None:
        return None
    snippet, line, statement = found
    normal = NodeMerger().normal
    if not isinstance(statement, cst.ImportFrom) or isinstance(statement.names, cst.ImportStar):
        return None
    other_names = other[2].names
    if isinstance(other_names, cst.ImportStar):
        return None
    taken = {normal(alias) for alias in other_names}
    left = [a for a in statement.names if normal(a) not in taken or bound_name(a) in keep]
    if not left:
        return b""
    if len(left) == len(statement.names):
        return text
    if not statement.lpar:
        left[-1] = left[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    else:
        left[-1] = left[-1].with_changes(comma=statement.names[-1].comma)
    return snippet.printed(line.with_changes(body=[statement.with_changes(names=left)])).encode()


Binding = tuple[str, str, str]


@functools.lru_cache(maxsize=20_000)
def _bindings(text: bytes) -> tuple[Binding, ...]:
    """Bindings of an import statement: (module, name, bound name)."""
    tree = syntax_tree(text.strip())
    body = [] if tree is None else tree.body
    if len(body) != 1 or not isinstance(body[0], ast.Import | ast.ImportFrom):
        return ()
    statement = body[0]
    module = ""
    if isinstance(statement, ast.ImportFrom):
        module = "." * statement.level + (statement.module or "")
    return tuple(
        (module, alias.name, alias.asname or alias.name.split(".")[0])
        for alias in statement.names
        if alias.name != "*"
    )


def reconcile(
    result: bytes, texts: ThreeWay[bytes], keep: frozenset[str]
) -> tuple[bytes, list[str]] | None:
    """Make the module's import bindings what three-way settling of the sets gives.

    Statements are split, joined and sorted freely; a binding that one side deleted must not survive in
    another statement, and one module must not be imported from twice because each side had its own
    statement.

    Args:
        result: A clean result.
        texts: The three versions.
        keep: Bound names that stay although one side deleted them.

    Returns:
        The mended result and a sentence for each mend, or ``None`` when nothing is to be mended.
    """
    sets = texts.map(_module_bindings)
    got = _module_bindings(result)
    removed = {
        b
        for b in got
        if b in sets.base and (b not in sets.ours or b not in sets.theirs) and b[2] not in keep
    }
    twice = {b for b, n in got.items() if n > 1 and n > max(sets.ours[b], sets.theirs[b])}
    if not removed and not twice:
        return None
    notes: list[str] = []
    out: list[bytes] = []
    seen: set[Binding] = set()
    for item in source_of(result).items():
        if item.kind not in {"import", "from"}:
            out.append(item.text)
            continue
        bindings = _bindings(item.core)
        drop = {b for b in bindings if b in removed or (b in twice and b in seen)}
        seen.update(bindings)
        if not drop:
            out.append(item.text)
            continue
        shorter = _without(item.core, drop)
        if shorter is None:
            return None
        notes.extend(
            f"import of {name} stood where a side had removed it" for _, name, _ in sorted(drop)
        )
        out.append(item.lead + shorter if shorter or item.lead.strip() else b"")
    return (b"".join(out), notes) if notes else None


def _module_bindings(text: bytes) -> Counter[Binding]:
    return Counter(
        b
        for item in source_of(text).items()
        if item.kind in {"import", "from"}
        for b in _bindings(item.core)
    )


def _without(text: bytes, drop: set[Binding]) -> bytes | None:
    found = _aliases(text)
    if found is None:
        return None
    snippet, line, statement = found
    bindings = _bindings(text)
    if isinstance(statement.names, cst.ImportStar):
        return None
    names = list(statement.names)
    left = [a for a, b in zip(names, bindings, strict=True) if b not in drop]
    if not left:
        return b""
    wrapped = isinstance(statement, cst.ImportFrom) and statement.lpar
    comma = names[-1].comma if wrapped else cst.MaybeSentinel.DEFAULT
    left[-1] = left[-1].with_changes(comma=comma)
    return snippet.printed(line.with_changes(body=[statement.with_changes(names=left)])).encode()
