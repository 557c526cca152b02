"""A tree of files as the steps see it, and what in it refers to a file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from mergewright.model.conflict import MODE_EXECUTABLE, MODE_REGULAR
from mergewright.rules.names import imported_modules, module_names

#: Files that are searched for references; larger ones are data.
_SEARCHED = re.compile(
    r"(\.(pyi?|pyx|md|rst|txt|toml|cfg|ini|ya?ml|sh|bash|js|ts|c|cc|cpp|cu|cuh|h|hpp|in)"
    r"|(^|/)[^/.]+|/?Dockerfile[^/]*)$"
)
_MAX_SEARCHED = 1 << 20
_RELATIVE = re.compile(rb"^[ \t]*from[ \t]+\.", re.MULTILINE)


class Tree(Protocol):
    """Files by path."""

    def entries(self) -> Mapping[str, tuple[int, str]]:
        """Mode and an identity of the content (an object id) of each path."""
        ...

    def read(self, path: str) -> bytes | None:
        """The bytes of a path; ``None`` when the tree does not have it."""
        ...


def changed_paths(base: Tree, side: Tree, suffixes: tuple[str, ...]) -> list[str]:
    """The files with one of the endings that a side changed, added or deleted, sorted."""
    before, now = base.entries(), side.entries()
    return [
        path
        for path in sorted(before.keys() | now.keys())
        if path.endswith(suffixes) and before.get(path, (0, ""))[1] != now.get(path, (0, ""))[1]
    ]


@dataclass(frozen=True, slots=True)
class MemoryTree:
    """A tree from values, for tests and a pack's own cases."""

    files: Mapping[str, bytes]

    def entries(self) -> Mapping[str, tuple[int, str]]:
        """All files as regular ones; the content is its own identity."""
        return {
            path: (MODE_REGULAR, data.hex() if len(data) < 64 else str(hash(data)))
            for path, data in self.files.items()
        }

    def read(self, path: str) -> bytes | None:
        """The bytes of a path."""
        return self.files.get(path)


@dataclass(slots=True)
class Overlay:
    """A tree with some paths replaced.

    Attributes:
        below: The tree underneath.
        changes: Path to mode and content; ``None`` where the path is gone.
    """

    below: Tree
    changes: dict[str, tuple[int, bytes] | None] = field(default_factory=dict)

    def entries(self) -> Mapping[str, tuple[int, str]]:
        """The entries below, with the changes."""
        result = dict(self.below.entries())
        for path, change in self.changes.items():
            if change is None:
                result.pop(path, None)
            else:
                result[path] = (change[0], f"changed:{hash(change[1])}:{len(change[1])}")
        return result

    def read(self, path: str) -> bytes | None:
        """The bytes of a path, as changed."""
        if path in self.changes:
            change = self.changes[path]
            return None if change is None else change[1]
        return self.below.read(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A file that needs another one.

    Attributes:
        path: The file that refers.
        target: The file that it refers to.
        how: ``imports a.b.c`` or ``names a/b.txt``.
    """

    path: str
    target: str
    how: str


def references(
    tree: Tree, targets: Collection[str], *, among: Iterable[str] | None = None
) -> dict[str, tuple[Reference, ...]]:
    """What in a tree refers to files that it may not have.

    A Python module is referred to by an import, absolute or relative, or by its dotted name in a
    text; any file by its path, by its last two segments, or by its name from a file beside it.

    Args:
        tree: The tree that is searched; the targets themselves are not.
        targets: Paths of the files in question.
        among: Only these files are searched; all by default.

    Returns:
        For each target its references, sorted by path; at most ten each.
    """
    wanted = set(targets)
    found: dict[str, list[Reference]] = {target: [] for target in targets}
    if not wanted:
        return {}
    needles = {target: _needles(target) for target in wanted}
    # One scan tells whether a file can refer to anything at all.
    words = sorted({word for group in needles.values() for word in group.quick}, key=len)
    quick = re.compile(b"|".join(re.escape(word) for word in words))
    entries = tree.entries()
    for path in sorted(entries if among is None else among):
        if path in wanted or path not in entries or not _SEARCHED.search(path):
            continue
        if entries[path][0] not in (MODE_REGULAR, MODE_EXECUTABLE):
            continue
        data = tree.read(path)
        if data is None or len(data) > _MAX_SEARCHED or not quick.search(data):
            continue
        relative = _RELATIVE.search(data) is not None
        modules: frozenset[str] | None = None
        parsed = not path.endswith((".py", ".pyi"))
        for target, needle in needles.items():
            if len(found[target]) >= 10 or not needle.maybe(data, relative=relative):
                continue
            if not parsed and needle.modules:
                modules, parsed = imported_modules(data, path), True
            how = needle.how(path, data, modules)
            if how is not None:
                found[target].append(Reference(path=path, target=target, how=how))
    return {target: tuple(refs) for target, refs in found.items()}


@dataclass(frozen=True, slots=True)
class _Needle:
    target: str
    modules: tuple[str, ...]
    quick: tuple[bytes, ...]
    parent: bytes | None
    names: tuple[re.Pattern[bytes], ...]
    beside: re.Pattern[bytes]

    def maybe(self, data: bytes, *, relative: bool) -> bool:
        """Whether the words of a reference stand in a text at all; cheap."""
        if not any(word in data for word in self.quick):
            return False
        return self.parent is None or relative or self.parent in data

    def how(self, path: str, data: bytes, modules: frozenset[str] | None) -> str | None:
        for module in self.modules if modules is not None else ():
            if any(m == module or m.startswith(f"{module}.") for m in modules or ()):
                return f"imports {module}"
        for pattern in self.names:
            match = pattern.search(data)
            if match is not None:
                return f"names {match.group().decode('utf-8', 'replace')}"
        folder = path.rpartition("/")[0]
        if folder == self.target.rpartition("/")[0]:
            match = self.beside.search(data)
            if match is not None:
                return f"names {match.group().decode('utf-8', 'replace')} beside it"
        return None


def _word(text: str) -> re.Pattern[bytes]:
    raw = text.encode("utf-8", "surrogateescape")
    return re.compile(rb"(?<![\w./-])(?:\./)?" + re.escape(raw) + rb"(?![\w/-]|\.\w)")


def _needles(target: str) -> _Needle:
    name = target.rpartition("/")[2]
    names = [target]
    parts = target.split("/")
    if len(parts) > 2:
        names.append("/".join(parts[-2:]))
    quick = [name]
    modules: tuple[str, ...] = ()
    parent: bytes | None = None
    if target.endswith((".py", ".pyi")):
        modules = module_names(target)
        above, _, last = modules[-1].rpartition(".")
        quick = [last]
        # "model" stands everywhere; "legacy" beside it does not.
        parent = above.rpartition(".")[2].encode() or None
        names += [module for module in modules if "." in module]
    return _Needle(
        target=target,
        modules=modules,
        quick=tuple(word.encode("utf-8", "surrogateescape") for word in quick),
        parent=parent,
        names=tuple(_word(text) for text in names),
        beside=_word(name),
    )
