"""Texts that git merged cleanly and that are broken all the same: held against the gates.

A line merge keeps both copies of what both sides added at two places, and joins a use with the removal
of its definition. Such a text is no conflict, so nobody looks at it; the gates do.
"""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Iterator

from mergewright.model.resolution import GateResult
from mergewright.model.threeway import ThreeWay
from mergewright.python.gates import check, undefined_names

#: The gates that say that a text is broken; the others also speak of choices that a line merge may make.
BREAKING = frozenset({"parse", "duplicate-definition", "bound-twice", "undefined-name"})


def broken_gates(
    path: str, merged: bytes, versions: ThreeWay[bytes | None]
) -> tuple[GateResult, ...]:
    """Gates that a cleanly merged Python text fails, although both sides alone pass them.

    Args:
        path: The file's path.
        merged: Git's clean text.
        versions: The three versions.
    """
    if not _suspect(path, merged):
        return ()
    return tuple(
        gate for gate in check(path, merged, versions) if not gate.passed and gate.gate in BREAKING
    )


def _suspect(path: str, data: bytes) -> bool:
    """A quick look at the text alone; nearly all texts end here."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True
    return any(_repeats(body) for body in _scopes(tree.body)) or bool(undefined_names(data, path))


def _scopes(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    yield body
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _scopes(node.body)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.body


def _repeats(body: list[ast.stmt]) -> bool:
    """Whether one name is defined or imported twice, or one name registered twice, in a suite."""
    names: Counter[str] = Counter()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names[node.name] += 1
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names[node.target.id] += 1
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name for alias in node.names)
        elif (
            isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Call)
            and node.value.args
            and isinstance(node.value.args[0], ast.Constant)
        ):
            names[f"{ast.unparse(node.value.func)}({node.value.args[0].value!r})"] += 1
    return any(count > 1 for count in names.values())
