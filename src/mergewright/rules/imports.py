"""Imports that a merge lost though their names are still used."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import accumulate

from mergewright.model.threeway import Side
from mergewright.rules.names import ImportBinding, module_imports, tree_of, unbound_names
from mergewright.text.lines import dominant_newline, split_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoredImport:
    """An import that was put back.

    Attributes:
        name: The name it binds.
        side: The side that has it; ``BOTH`` when both have.
        statement: The statement.
        line: Where the name is used, in the text before.
    """

    name: str
    side: Side
    statement: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoredImports:
    """What became of one file.

    Attributes:
        data: The new text.
        restored: What was put back.
        refused: One sentence a name that is missing but could not be restored.
        insertions: Where each statement was put: its number in ``restored`` to (offset, line).
    """

    data: bytes
    restored: tuple[RestoredImport, ...] = ()
    refused: tuple[str, ...] = ()
    insertions: tuple[tuple[int, bytes], ...] = ()


def restore_imports(
    merged: bytes, ours: bytes | None, theirs: bytes | None
) -> RestoredImports | None:
    """Put back imports whose names the merged text uses and nothing binds.

    Only names that a side imports at module level are looked at. Sides that import different
    things under the name, and imports inside ``try`` or ``if``, are left to a person.

    Args:
        merged: The merged text.
        ours: Ours' text, if it has the file.
        theirs: Theirs' text, if it has the file.

    Returns:
        The result, or ``None`` when the merged text cannot be parsed.
    """
    missing = unbound_names(merged)
    tree = tree_of(merged)
    if missing is None or tree is None:
        return None
    if not missing:
        return RestoredImports(data=merged)
    known = {
        side: module_imports(text) or {}
        for side, text in ((Side.OURS, ours), (Side.THEIRS, theirs))
        if text is not None
    }
    restored: list[RestoredImport] = []
    refused: list[str] = []
    chosen: list[tuple[ImportBinding, bytes]] = []
    for name, line in sorted(missing.items(), key=lambda item: (item[1], item[0])):
        found = {side: names[name] for side, names in known.items() if name in names}
        if not found:
            continue
        if len({binding.origin for binding in found.values()}) > 1:
            ways = " and ".join(f"{side} '{b.statement}'" for side, b in found.items())
            refused.append(f"'{name}' (line {line}) is missing and imported in two ways: {ways}")
            continue
        side, binding = next(iter(found.items()))
        if not binding.plain:
            refused.append(
                f"'{name}' (line {line}) is missing; {side} imports it under a condition"
            )
            continue
        restored.append(
            RestoredImport(
                name=name,
                side=Side.BOTH if len(found) > 1 else side,
                statement=binding.statement,
                line=line,
            )
        )
        text = ours if side is Side.OURS else theirs
        chosen.append((binding, text or b""))
    data, insertions = _insert(merged, tree, chosen)
    return RestoredImports(
        data=data,
        restored=tuple(restored),
        refused=tuple(refused),
        insertions=tuple(insertions),
    )


def _insert(
    merged: bytes, tree: ast.Module, chosen: list[tuple[ImportBinding, bytes]]
) -> tuple[bytes, list[tuple[int, bytes]]]:
    """Insert each statement after the import that stood before it on its side, else after all."""
    if not chosen:
        return merged, []
    lines = split_lines(merged)
    newline = dominant_newline(merged)
    plain = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    additions: dict[int, list[bytes]] = {}
    placed: list[tuple[int, bytes]] = []
    ends = [0, *accumulate(len(line) for line in lines)]
    for binding, source in chosen:
        at = _after_predecessor(binding, source, plain)
        if at is None:
            at = max((node.end_lineno or node.lineno for node in plain), default=None)
        if at is None:
            at = _after_docstring(tree)
        statement = binding.statement.encode() + newline
        additions.setdefault(at, []).append(statement)
        placed.append((ends[at], statement))
    out: list[bytes] = list(additions.get(0, []))
    for number, line in enumerate(lines, 1):
        extra = additions.get(number, [])
        if extra and not line.endswith(b"\n"):
            line += newline
        out += [line, *extra]
    return b"".join(out), placed


def _after_docstring(tree: ast.Module) -> int:
    first = tree.body[0] if tree.body else None
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return first.end_lineno or first.lineno
    return 0 if first is None else first.lineno - 1


def _key(node: ast.Import | ast.ImportFrom) -> str:
    if isinstance(node, ast.Import):
        return node.names[0].name
    return "." * node.level + (node.module or "")


def _after_predecessor(
    binding: ImportBinding, source: bytes, plain: list[ast.Import | ast.ImportFrom]
) -> int | None:
    """End line, in the merged text, of the nearest import that precedes the binding on its side."""
    tree = tree_of(source)
    if tree is None:
        return None
    ends = {_key(node): node.end_lineno or node.lineno for node in plain}
    future = ends.get("__future__", 0)
    before = [
        _key(node)
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom) and node.lineno <= binding.line
    ]
    for key in reversed(before):
        if key in ends:
            return max(ends[key], future)
    return None
