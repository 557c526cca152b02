"""Names that other files import and that a rule's word on a clean file would take away."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from mergewright.audit.index import Index, Sources
from mergewright.audit.textfacts import absolute, package_of
from mergewright.audit.values import Tree
from mergewright.git.trees import Objects, TreeEntry
from mergewright.model.plan import MergePlan, PathPlan
from mergewright.model.resolution import Resolved
from mergewright.resolve.engines import PYTHON_SUFFIXES
from mergewright.rules.names import tree_of


def without_broken(
    plan: MergePlan,
    spoken: Collection[PathPlan],
    objects: Objects,
    merged: Callable[[], Mapping[str, TreeEntry]],
) -> tuple[MergePlan, tuple[str, ...]]:
    """The plan without those changes of clean files that take a name from under another file's import.

    Args:
        plan: The plan, every contested path decided or left open.
        spoken: Its changes of files that merged cleanly, by rules on history and groups.
        objects: Where the blobs are.
        merged: The cleanly merged files by path.

    Returns:
        The plan, in which such files are as git merged them, and a warning for each.

    Raises:
        RepositoryError: An object is missing.
    """
    waiting = {
        entry.path: entry.outcome.data
        for entry in spoken
        if isinstance(entry.outcome, Resolved) and entry.path.endswith(PYTHON_SUFFIXES)
    }
    if not waiting:
        return plan, ()
    blobs = {path: entry.oid for path, entry in merged().items() if entry.is_blob}
    others: dict[str, bytes | None] = {}
    ours = {id(entry) for entry in spoken}
    for entry in plan.paths:
        outcome = entry.outcome
        if id(entry) in ours and entry.path in waiting:
            continue
        if isinstance(outcome, Resolved):
            others.update(dict.fromkeys(outcome.drop))
            if outcome.oid is None:
                others[outcome.path] = outcome.data
    tree = Tree(files=blobs, read=objects.blob).overlaid(others)
    before = Index(tree, Sources())
    found: list[str] = []
    while waiting:
        after = Index(tree.overlaid(waiting), before.sources)
        broken = _broken(before, after, sorted(waiting))
        if not broken:
            break
        for path, why in broken.items():
            del waiting[path]
            rule = next(
                (d.rule for e in spoken if e.path == path for d in e.outcome.decisions), None
            )
            found.append(f"{path}: rule {rule} speaks of what merged cleanly, but {why}")
    gone = {
        id(entry)
        for entry in spoken
        if entry.path.endswith(PYTHON_SUFFIXES) and entry.path not in waiting
    }
    if not found:
        return plan, ()
    paths = tuple(entry for entry in plan.paths if id(entry) not in gone)
    return replace(plan, paths=paths), tuple(found)


def _broken(before: Index, after: Index, paths: Sequence[str]) -> dict[str, str]:
    """Changed file to the reader that it would break, and by which name."""
    lost: dict[str, set[str]] = {}
    for path in paths:
        names = _names(before, path) - _names(after, path)
        if before.source(path) is not None and after.source(path) is None:
            # The module itself is imported by its own name, too.
            names.add(before.module_of(path).rpartition(".")[2])
        if names:
            lost[path] = names
    if not lost:
        return {}
    words = "|".join(sorted({re.escape(n) for names in lost.values() for n in names}))
    needle = re.compile(rf"\b(?:{words})\b".encode())
    found: dict[str, str] = {}
    for reader in after.python_paths:
        data = after.tree.data(reader) or b""
        if not needle.search(data):
            continue
        for module, name in _imported(after, reader, data):
            source = _taken_from(before, module, name, lost)
            if source is None or source == reader:
                continue
            if name:
                stands = after.module_has(module, name) is True
            else:
                stands = after.module_path(module) is not None
            if not stands:
                what = name or module
                found.setdefault(source, f"{reader} imports `{what}`, which is not there then")
    return found


def _names(index: Index, path: str) -> set[str]:
    source = index.source(path)
    return set() if source is None else set(source.names)


def _taken_from(
    before: Index, module: str, name: str, lost: Mapping[str, Collection[str]]
) -> str | None:
    """The changed file on which an import rests, at first hand or through star imports."""
    path = before.module_path(module)
    if not name:
        return path if path in lost else None
    if before.module_has(module, name) is not True:
        return None
    if path is not None and name in lost.get(path, ()):
        return path
    below = before.module_path(f"{module}.{name}")
    if below is None:
        there = before.find_in_module(module, name)
        below = None if there is None else there.path
    return below if below in lost else None


def _imported(index: Index, path: str, data: bytes) -> set[tuple[str, str]]:
    """What a file imports, or reads of a module that it imports: modules with names, or alone."""
    tree = tree_of(data)
    if tree is None:
        return set()
    package = package_of(index.module_of(path), path)
    found: set[tuple[str, str]] = set()
    #: Dotted text that stands for a module in this file.
    bound: dict[str, str] = {}
    stars: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found.add((alias.name, ""))
                bound[alias.asname or alias.name] = alias.name
        elif isinstance(node, ast.ImportFrom):
            target = absolute(package, node.level, node.module or "")
            found.add((target, ""))
            for alias in node.names:
                if alias.name == "*":
                    stars.add(target)
                    continue
                found.add((target, alias.name))
                bound[alias.asname or alias.name] = f"{target}.{alias.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            target = bound.get(ast.unparse(node.value), "")
            if target:
                found.add((target, node.attr))
        elif isinstance(node, ast.Name):
            found.update((star, node.id) for star in stars)
    return found
