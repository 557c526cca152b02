"""A symbol index of one tree: modules, classes with their bases, functions; read lazily, file by file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mergewright.audit.analysers import PYTHON_SUFFIXES, import_roots
from mergewright.audit.kept import Kept
from mergewright.audit.source import Class, Function, Import, Parameter, Source, read_source
from mergewright.audit.textfacts import TextFacts, absolute, package_of, read_text
from mergewright.audit.values import Tree


class Sources:
    """Sources by blob id, shared by all trees: a file that did not change is read once.

    Args:
        kept: Where they are kept between runs.
    """

    def __init__(self, kept: Kept | None = None) -> None:
        self.kept = kept or Kept(None)
        self._kept: dict[str, Source] = {}
        self._texts: dict[str, TextFacts] = {}

    def get(self, tree: Tree, path: str) -> Source | None:
        """The source of a path; ``None`` where the tree does not have it."""
        oid = tree.files.get(path)
        if oid is None:
            return None
        kept = self._kept.get(oid)
        if kept is None:
            kept = self.kept.source(oid)
            if kept is None:
                kept = read_source(tree.read(oid))
                self.kept.put_source(oid, kept)
            self._kept[oid] = kept
        return kept

    def text(self, tree: Tree, path: str) -> TextFacts:
        """What the text of a path says; the tree must have it."""
        oid = tree.files[path]
        found = self._texts.get(oid)
        if found is None:
            found = self.kept.text(oid)
            if found is None:
                found = read_text(tree.read(oid))
                self.kept.put_text(oid, found)
            self._texts[oid] = found
        return found


@dataclass(frozen=True, slots=True)
class Found:
    """A class or function and where it is defined."""

    path: str
    name: str


class Index:
    """Answers about the symbols of one tree.

    Args:
        tree: The tree.
        sources: The shared sources.
    """

    def __init__(self, tree: Tree, sources: Sources) -> None:
        self.tree = tree
        self.sources = sources
        self._named: dict[str, list[Found]] = {}

    @cached_property
    def python_paths(self) -> list[str]:
        """Paths of Python files, sorted."""
        return sorted(path for path in self.tree.files if path.endswith(PYTHON_SUFFIXES))

    @cached_property
    def _roots(self) -> list[str]:
        return import_roots(self.python_paths)

    @cached_property
    def _modules(self) -> dict[str, str]:
        roots = [root for root in self._roots if root != "."]
        modules: dict[str, str] = {}
        for path in self.python_paths:
            stem = path.rsplit(".", 1)[0].removesuffix("/__init__")
            names = [stem, *(stem[len(r) + 1 :] for r in roots if stem.startswith(r + "/"))]
            for name in names:
                modules.setdefault(name.replace("/", "."), path)
        return modules

    @cached_property
    def top_level(self) -> frozenset[str]:
        """First components of all modules: what counts as first-party."""
        return frozenset(name.split(".", 1)[0] for name in self._modules)

    def module_path(self, module: str) -> str | None:
        """The file of a module."""
        return self._modules.get(module)

    def is_package(self, module: str) -> bool:
        """Whether a module is a package, with or without ``__init__.py``."""
        return module in self._packages

    @cached_property
    def _packages(self) -> frozenset[str]:
        out: set[str] = set()
        for name in self._modules:
            parts = name.split(".")
            out.update(".".join(parts[:cut]) for cut in range(1, len(parts)))
        return frozenset(out)

    def module_of(self, path: str) -> str:
        """The shortest module name of a path."""
        stem = path.rsplit(".", 1)[0].removesuffix("/__init__")
        best = stem.replace("/", ".")
        for root in self._roots:
            if root != "." and stem.startswith(root + "/"):
                candidate = stem[len(root) + 1 :].replace("/", ".")
                if self._modules.get(candidate) == path and len(candidate) < len(best):
                    best = candidate
        return best

    def source(self, path: str) -> Source | None:
        """The source of a path."""
        return self.sources.get(self.tree, path)

    def absolute(self, path: str, entry: Import) -> str:
        """The absolute module that an import names."""
        if entry.level == 0:
            return entry.module
        return absolute(package_of(self.module_of(path), path), entry.level, entry.module)

    def module_has(self, module: str, name: str, depth: int = 0) -> bool | None:
        """Whether a module binds a name; ``None`` when that cannot be known."""
        path = self.module_path(module)
        if path is None:
            return None if not self.is_package(module) else self._submodule(module, name)
        source = self.source(path)
        if source is None or source.error:
            return None
        if name in source.names or self._submodule(module, name):
            return True
        if source.dynamic:
            return None
        for star in source.stars:
            target = self.absolute(path, star)
            if self.module_path(target) is None or depth > 8:
                return None
            below = self.module_has(target, name, depth + 1)
            if below or below is None:
                return below
        return False

    def _submodule(self, module: str, name: str) -> bool:
        return f"{module}.{name}" in self._modules or self.is_package(f"{module}.{name}")

    def find_in_module(self, module: str, name: str, depth: int = 0) -> Found | None:
        """Where a dotted name of a module is defined, through imports and re-exports."""
        path = self.module_path(module)
        if path is None or depth > 12:
            return None
        return self.find(path, name, depth)

    def find(self, path: str, name: str, depth: int = 0) -> Found | None:
        """Where a dotted name, as seen at the top of a file, is defined."""
        source = self.source(path)
        if source is None or depth > 12:
            return None
        if name in source.classes or name in source.functions:
            return Found(path, name)
        head, _, rest = name.partition(".")
        entry = source.imports.get(head)
        if entry is not None:
            module = self.absolute(path, entry)
            if entry.name:
                as_module = f"{module}.{entry.name}" if module else entry.name
                if rest and self.module_path(as_module):
                    return self._through(as_module, rest, depth)
                return self.find_in_module(
                    module, f"{entry.name}.{rest}" if rest else entry.name, depth + 1
                )
            return self._through(module, rest, depth) if rest else None
        if head in source.classes and rest:
            owner = Found(path, head)
            for found, cls in self.lineage(owner):
                if rest in cls.members:
                    return Found(found.path, f"{found.name}.{rest}")
        for star in source.stars:
            found_star = self.find_in_module(self.absolute(path, star), name, depth + 1)
            if found_star is not None:
                return found_star
        return None

    def _through(self, module: str, rest: str, depth: int) -> Found | None:
        while rest:
            head, _, tail = rest.partition(".")
            if tail and self._submodule(module, head):
                module, rest = f"{module}.{head}", tail
                continue
            return self.find_in_module(module, rest, depth + 1)
        return None

    def qualified(self, dotted: str) -> Found | None:
        """Where a fully dotted name (``package.module.Class.method``) is defined."""
        parts = dotted.split(".")
        for cut in range(len(parts) - 1, 0, -1):
            module = ".".join(parts[:cut])
            if module in self._modules:
                return self.find_in_module(module, ".".join(parts[cut:]))
        return None

    def cls(self, found: Found) -> Class | None:
        """The class of a find."""
        source = self.source(found.path)
        return None if source is None else source.classes.get(found.name)

    def function(self, found: Found) -> Function | None:
        """The function of a find; the ``__init__`` when it is a class that has one."""
        source = self.source(found.path)
        if source is None:
            return None
        function = source.functions.get(found.name)
        if function is None and found.name in source.classes:
            for owner, _ in self.lineage(found):
                below = self.source(owner.path)
                init = below.functions.get(f"{owner.name}.__init__") if below else None
                if init is not None:
                    return init
            return self._fields_as_function(found)
        return function

    def _fields_as_function(self, found: Found) -> Function | None:
        """The ``__init__`` that a dataclass or a named tuple gets from its fields."""
        lineage = list(self.lineage(found))
        if not any(
            d.rsplit(".", 1)[-1] in {"dataclass", "define", "attrs", "frozen"}
            for _, cls in lineage
            for d in cls.decorators
        ) and not any(
            base.rsplit(".", 1)[-1] in {"NamedTuple", "BaseModel"}
            for _, cls in lineage
            for base in cls.bases
        ):
            return None
        params = [Parameter("self", "both", required=True)]
        for _, cls in reversed(lineage):
            known = {param.name for param in params}
            params.extend(
                Parameter(name, "both", required)
                for name, required in cls.fields.items()
                if name not in known
            )
        return Function(tuple(params), (), lineage[0][1].line, bound=True)

    def lineage(self, found: Found) -> Iterator[tuple[Found, Class]]:
        """A class and its first-party bases, nearest first, each once."""
        seen: set[Found] = set()
        queue = [found]
        while queue:
            current = queue.pop(0)
            if current in seen or len(seen) > 200:
                continue
            seen.add(current)
            cls = self.cls(current)
            if cls is None:
                continue
            yield current, cls
            for base in cls.bases:
                target = self.find(current.path, base.split("[")[0])
                if target is not None:
                    queue.append(target)

    def class_has(self, found: Found, name: str) -> Found | None:
        """The class in a lineage that has a member or instance attribute."""
        for owner, cls in self.lineage(found):
            if name in cls.members or name in cls.attributes:
                return owner
        return None

    def classes_named(self, short: str) -> list[Found]:
        """All classes of a short name, tests last."""
        known = self._named.get(short)
        if known is None:
            known = self._named[short] = self._classes_named(short)
        return known

    def _classes_named(self, short: str) -> list[Found]:
        needle = re.compile(
            rb"^[ \t]*class[ \t]+" + re.escape(short.encode()) + rb"\b", re.MULTILINE
        )
        plain = short.encode()
        out: list[Found] = []
        for path in self.python_paths:
            data = self.tree.data(path) or b""
            if plain in data and needle.search(data):
                source = self.source(path)
                if source is not None:
                    out.extend(
                        Found(path, name)
                        for name in source.classes
                        if name == short or name.endswith("." + short)
                    )
        return sorted(out, key=lambda f: ("test" in f.path, f.path))

    def readers(self, word: str) -> list[str]:
        """Python files in which a word stands."""
        needle = re.compile(rb"\b" + re.escape(word.encode()) + rb"\b")
        plain = word.encode()
        out = []
        for path in self.python_paths:
            data = self.tree.data(path) or b""
            if plain in data and needle.search(data):
                out.append(path)
        return out
