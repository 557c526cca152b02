"""Packages whose ``__init__.py`` imports a module before the name that this module wants of the package.

Such a circle is harmless as long as the order is right; a merge, or a tool that sorts imports, turns
it round, and then the package cannot be imported any more.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from mergewright.audit.index import Index
from mergewright.audit.textfacts import TextFacts, absolute
from mergewright.audit.values import Finding, Place, Tier
from mergewright.text.syntax import syntax_tree

#: Gives the imports at the top of a file.
_Imports = Callable[[str], TextFacts]


class TooEarly(NamedTuple):
    """A module that is loaded by its package before the package has a name that it imports."""

    package: str
    module: str
    name: str


def order_findings(indexes: Mapping[str, Index]) -> list[Finding]:
    """Modules that are loaded too early in the merged tree and in neither parent.

    Args:
        indexes: Indexes of ``ours``, ``theirs`` and ``merged``.
    """
    merged = indexes["merged"]
    out = []
    for package in _circular(merged):
        path = merged.module_path(package)
        now = _confirmed(merged, package)
        if path is None or not now:
            continue
        known = set(_confirmed(indexes["ours"], package))
        known |= set(_confirmed(indexes["theirs"], package))
        for entry, line in now.items():
            if entry in known:
                continue
            out.append(
                Finding(
                    check="import-order",
                    tier=Tier.ERROR,
                    subject=f"order:{entry.module}:{entry.name}",
                    message=f"`{package}` loads `{entry.module}` before it has `{entry.name}`, "
                    "which that module imports from it: the package cannot be imported",
                    places=(
                        Place(path=path, line=line),
                        Place(path=merged.module_path(entry.module) or path),
                    ),
                    cause="the order of imports of one side, the import of the other",
                    repair=f"import `{entry.name}` first, or import it in `{entry.module}` from "
                    "where it is defined",
                    analysers=("structure",),
                )
            )
    return out


def _circular(index: Index) -> list[str]:
    """Packages from which a module below them imports a name at its top level."""
    found: set[str] = set()
    for path in index.python_paths:
        text = index.sources.text(index.tree, path)
        if not text.froms:
            continue
        module = index.module_of(path)
        for target, _ in text.from_imports(module, path):
            if module.startswith(f"{target}.") and target not in found:
                own = index.module_path(target)
                if own is not None and own.endswith("/__init__.py"):
                    found.add(target)
    return sorted(found)


def _confirmed(index: Index, package: str) -> dict[TooEarly, int]:
    """What a package loads too early, with the line of its ``__init__.py`` that does it.

    The text of the files says it quickly, but takes a line of a docstring for an import as well: what it
    says is looked for once more in the parsed files.
    """

    def text(path: str) -> TextFacts:
        return index.sources.text(index.tree, path)

    def parsed(path: str) -> TextFacts:
        statements = _statements(index.tree.data(path) or b"")
        return replace(
            text(path),
            froms=tuple(
                (node.level, node.module or "", tuple(alias.name for alias in node.names))
                for node in statements
                if isinstance(node, ast.ImportFrom)
            ),
            imports=tuple(
                alias.name
                for node in statements
                if isinstance(node, ast.Import)
                for alias in node.names
            ),
        )

    if not _too_early(index, package, text):
        return {}
    return _too_early(index, package, parsed)


def _too_early(index: Index, package: str, imports: _Imports) -> dict[TooEarly, int]:
    path = index.module_path(package)
    statements = [] if path is None else _statements(index.tree.data(path) or b"")
    out: dict[TooEarly, int] = {}
    bound: set[str] = set()
    later = [_bound(statement) for statement in statements]
    if path is None or any("__getattr__" in names for names in later):
        return out
    last = {name: number for number, names in enumerate(later) for name in names}
    loaded = {package}
    for number, statement in enumerate(statements):
        for module in _loads(index, package, statement, loaded, imports):
            source = index.module_path(module)
            if source is None:
                continue
            for target, names in imports(source).from_imports(module, source):
                if target != package or "*" in bound:
                    continue
                for name in names:
                    early = name not in bound and last.get(name, -1) >= number
                    if early and index.module_path(f"{package}.{name}") is None:
                        out.setdefault(TooEarly(package, module, name), statement.lineno)
        bound |= later[number]
    return out


def _loads(
    index: Index, package: str, statement: ast.stmt, loaded: set[str], imports: _Imports
) -> Iterator[str]:
    """Modules below a package that a statement of its ``__init__.py`` loads first, and what they load."""
    if not isinstance(statement, (ast.Import, ast.ImportFrom)):
        return
    if isinstance(statement, ast.Import):
        waiting = [alias.name for alias in statement.names]
    else:
        base = absolute(package, statement.level, statement.module or "")
        waiting = [base, *(f"{base}.{alias.name}" for alias in statement.names)]
    while waiting:
        module = waiting.pop()
        if not module.startswith(f"{package}."):
            continue
        parts = module.split(".")
        for cut in range(package.count(".") + 2, len(parts) + 1):
            name = ".".join(parts[:cut])
            source = index.module_path(name)
            if name in loaded or source is None:
                continue
            loaded.add(name)
            yield name
            waiting.extend(imports(source).top_imports(name, source))


def _statements(data: bytes) -> list[ast.stmt]:
    tree = syntax_tree(data)
    return [] if tree is None else tree.body


def _bound(statement: ast.stmt) -> set[str]:
    """Names that a statement binds, with what stands in its branches; ``*`` for a star import."""
    out: set[str] = set()
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            out.add(node.name)
            continue
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            out.update(alias.asname or alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            out.add(node.id)
        stack.extend(ast.iter_child_nodes(node))
    return out
