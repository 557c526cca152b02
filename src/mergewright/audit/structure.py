"""Checks across files: interfaces and implementers, import cycles, migrations, deleted files."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from mergewright.audit.index import Found, Index
from mergewright.audit.source import Function
from mergewright.audit.values import Finding, Place, Tier, Tree, Trees
from mergewright.text.syntax import syntax_tree

if TYPE_CHECKING:
    import networkx as nx

_ABSTRACT = ("abstractmethod", "abstractproperty")


_TOP = re.compile(rb"^(?:async[ \t]+def|def|class)[ \t]+(\w+)", re.MULTILINE)


class Structure:
    """Checks that need more than one file.

    Args:
        trees: The four trees.
        indexes: Indexes by name.
    """

    def __init__(self, trees: Trees, indexes: Mapping[str, Index]) -> None:
        self.trees = trees
        self.indexes = indexes

    def findings(self) -> list[Finding]:
        """All findings."""
        return [
            *self._interfaces(),
            *self._cycles(),
            *migration_findings(self.trees),
            *self._deleted_files(),
            *self._moved_names(),
        ]

    @cached_property
    def _touched(self) -> list[str]:
        """Python files of the merged tree that differ from one parent at least."""
        merged, ours, theirs = self.trees.merged, self.trees.ours, self.trees.theirs
        return [
            path
            for path in self.indexes["merged"].python_paths
            if merged.files[path] != ours.files.get(path)
            or merged.files[path] != theirs.files.get(path)
        ]

    # -- interfaces ----------------------------------------------------------------------------

    def _interfaces(self) -> Iterator[Finding]:
        """Classes that lack an abstract method, or whose override no longer fits its base."""
        merged = self.indexes["merged"]
        for path, name in self._new_pairs():
            source = merged.source(path)
            if source is None:
                continue
            for full in source.classes:
                if full == name or full.endswith(f".{name}"):
                    yield from self._class(Found(path, full))

    def _new_pairs(self) -> list[tuple[str, str]]:
        """Classes that meet a base in a version of its file that no parent has beside theirs.

        By text alone: most files of a merge are as in a parent, together with all their bases.
        """
        tree = self.trees.merged
        merged = self.indexes["merged"]
        defined: dict[str, set[str]] = defaultdict(set)
        headers: list[tuple[str, str, tuple[str, ...]]] = []
        for path in merged.python_paths:
            for name, bases in merged.sources.text(tree, path).headers:
                defined[name].add(path)
                if bases:
                    headers.append((path, name, bases))

        def together(one: str, other: str) -> bool:
            return any(
                parent.files.get(one) == tree.files[one]
                and parent.files.get(other) == tree.files[other]
                for parent in (self.trees.ours, self.trees.theirs)
            )

        return sorted(
            {
                (path, name)
                for path, name, bases in headers
                for base in bases
                for other in list(defined.get(base, ()))[:8]
                if not together(path, other)
            }
        )

    def _class(self, found: Found) -> Iterator[Finding]:
        merged = self.indexes["merged"]
        missing = missing_abstract(merged, found)
        fits = misfits(merged, found)
        if not missing and not fits:
            return
        for side in ("ours", "theirs"):
            index = self.indexes[side]
            if index.cls(found) is None:
                continue
            missing -= missing_abstract(index, found)
            for method in misfits(index, found):
                fits.pop(method, None)
        known = [s for s in ("ours", "theirs") if self.indexes[s].cls(found) is not None]
        if not known:
            return
        source = merged.source(found.path)
        cls = merged.cls(found)
        if source is None or cls is None:
            return
        if missing and not own_abstract(merged, found):
            names = ", ".join(f"`{n}`" for n in sorted(missing))
            yield Finding(
                check="interface-not-implemented",
                tier=Tier.ERROR,
                subject=f"interface:{found.name}",
                message=f"`{found.name}` does not implement {names} of its base; it cannot be made",
                places=(Place(path=found.path, line=cls.line, symbol=found.name),),
                cause="one side added the abstract method, the other side's class is without it",
                had=known[0] if len(known) == 1 else "both",
                analysers=("structure",),
            )
        for method, (base, face) in sorted(fits.items()):
            line = cls.members.get(method, cls.line)
            yield Finding(
                check="override-mismatch",
                tier=Tier.REVIEW,
                subject=f"override:{found.name}.{method}",
                message=f"`{found.name}.{method}` no longer takes what `{base}.{method}` takes: "
                f"({face})",
                places=(Place(path=found.path, line=line, symbol=f"{found.name}.{method}"),),
                cause="one side changed the interface, the other the implementer",
                analysers=("structure",),
            )

    # -- import cycles -------------------------------------------------------------------------

    def _cycles(self) -> Iterator[Finding]:
        """Import cycles at module level that neither parent has."""
        import networkx as nx

        graphs = {name: self._graph(name) for name in ("merged", "ours", "theirs")}
        old = {
            frozenset(component)
            for name in ("ours", "theirs")
            for component in nx.strongly_connected_components(graphs[name])
            if len(component) > 1
        }
        old_edges = set(graphs["ours"].edges) | set(graphs["theirs"].edges)
        for component in nx.strongly_connected_components(graphs["merged"]):
            if len(component) < 2 or any(frozenset(component) <= known for known in old):
                continue
            part = graphs["merged"].subgraph(component)
            new = [edge for edge in part.edges if edge not in old_edges]
            joins = not any(
                set(part.edges) <= set(graphs[name].edges) for name in ("ours", "theirs")
            )
            if not new and not joins:
                continue
            # In a fixed order: the id of a finding is the same in every run.
            ordered: nx.DiGraph[str] = nx.DiGraph(sorted(part.edges))
            cycle = [edge[0] for edge in nx.find_cycle(ordered, source=min(component))]
            index = self.indexes["merged"]
            path = index.module_path(min(component)) or min(component)
            shown = " → ".join([*cycle[:6], cycle[0]])
            yield Finding(
                check="import-cycle",
                tier=Tier.REVIEW,
                subject=f"cycle:{','.join(sorted(component))[:200]}",
                message=f"modules import each other at their top in a circle: {shown}",
                places=(Place(path=path),),
                cause="the imports of both sides close a circle that neither has",
                repair="import inside the function that needs it, or restore the parents' order",
                analysers=("structure",),
            )

    def _graph(self, name: str) -> nx.DiGraph[str]:
        import networkx as nx

        index = self.indexes[name]
        graph: nx.DiGraph[str] = nx.DiGraph()
        for path in index.python_paths:
            if "test" in path:
                continue
            module = index.module_of(path)
            for target in index.sources.text(index.tree, path).top_imports(module, path):
                if target != module and index.module_path(target) is not None:
                    graph.add_edge(module, target)
        return graph

    # -- files and names -----------------------------------------------------------------------

    def _deleted_files(self) -> Iterator[Finding]:
        """Files that one side deleted and that the other side's text still names."""
        merged = self.trees.merged
        gone = [
            path
            for path in self.trees.base.files
            if path not in merged.files
            and (path in self.trees.ours.files) != (path in self.trees.theirs.files)
            and "/" in path
            and len(path) > 12
        ]
        moved = set(merged.files.values())
        gone = [p for p in gone if self.trees.base.files[p] not in moved][:400]
        if not gone:
            return
        needle = re.compile(b"|".join(re.escape(p.encode("utf-8", "replace")) for p in gone))
        references: dict[str, list[Place]] = defaultdict(list)
        for path, oid in merged.files.items():
            deleter_has = {self.trees.ours.files.get(path), self.trees.theirs.files.get(path)}
            if path.endswith((".lock", ".json", ".jsonl")) or not deleter_has:
                continue
            data = merged.read(oid)
            if len(data) > 2_000_000 or not needle.search(data):
                continue
            for match in needle.finditer(data):
                target = match[0].decode("utf-8", "replace")
                side = "theirs" if target in self.trees.ours.files else "ours"
                row = data[data.rfind(b"\n", 0, match.start()) + 1 :].split(b"\n", 1)[0]
                other = (self.trees.theirs if side == "theirs" else self.trees.ours).data(path)
                if other is not None and row.strip() in {r.strip() for r in other.splitlines()}:
                    continue
                line = data.count(b"\n", 0, match.start()) + 1
                text = row.decode("utf-8", "replace").strip()
                references[target].append(Place(path=path, line=line, text=text))
        for target, places in sorted(references.items()):
            keeper = "ours" if target in self.trees.ours.files else "theirs"
            yield Finding(
                check="deleted-file-named",
                tier=Tier.REVIEW,
                subject=f"deleted:{target}",
                message=f"{target} was deleted by {'theirs' if keeper == 'ours' else 'ours'}, but "
                f"{places[0].path} still names it",
                places=tuple(places[:20]),
                had=keeper,
                repair=f"restore {target} from {keeper}, or drop the reference",
                analysers=("structure",),
            )

    def _moved_names(self) -> Iterator[Finding]:
        """Public names that left their module without being exported from there any more."""
        merged, base = self.indexes["merged"], self.indexes["base"]
        for path in self._touched:
            if "test" in path or self.trees.base.files.get(path) == self.trees.merged.files[path]:
                continue
            texts = [tree.data(path) or b"" for tree in (self.trees.base, self.trees.merged)]
            if not set(_TOP.findall(texts[0])) - set(_TOP.findall(texts[1])):
                continue
            before, now = base.source(path), merged.source(path)
            if before is None or now is None or now.error:
                continue
            gone = [
                name
                for name, line in before.names.items()
                if line
                and not name.startswith("_")
                and (name in before.functions or name in before.classes)
                and name not in now.names
            ]
            module = merged.module_of(path)
            for name in gone:
                if merged.module_has(module, name) is not False:
                    continue
                target = self._new_home(name, path)
                if target is None:
                    continue
                yield Finding(
                    check="public-name-moved",
                    tier=Tier.HINT,
                    subject=f"moved:{module}:{name}",
                    message=f"`{name}` left `{module}` for {target} and is not re-exported there",
                    places=(Place(path=path),),
                    repair=f"import it in `{module}` again where outside code may use it",
                    analysers=("structure",),
                )

    def _new_home(self, name: str, old: str) -> str | None:
        merged, base = self.indexes["merged"], self.indexes["base"]
        for path in self._touched:
            if path == old or name.encode() not in (self.trees.merged.data(path) or b""):
                continue
            source, before = merged.source(path), base.source(path)
            if source is None or (name not in source.functions and name not in source.classes):
                continue
            if before is None or name not in before.names:
                return path
        return None


def _abstract_of(index: Index, found: Found) -> dict[str, bool]:
    """Methods of a lineage, nearest first: whether the nearest definition is abstract."""
    out: dict[str, bool] = {}
    for owner, cls in index.lineage(found):
        source = index.source(owner.path)
        for name in cls.members:
            function = source.functions.get(f"{owner.name}.{name}") if source else None
            abstract = function is not None and any(
                d.rsplit(".", 1)[-1] in _ABSTRACT for d in function.decorators
            )
            out.setdefault(name, abstract)
        for name in cls.attributes:
            out.setdefault(name, False)
    return out


def missing_abstract(index: Index, found: Found) -> set[str]:
    """Abstract methods that a class inherits and does not implement."""
    return {name for name, abstract in _abstract_of(index, found).items() if abstract}


def own_abstract(index: Index, found: Found) -> bool:
    """Whether a class declares an abstract method itself: then it is meant to be abstract."""
    cls, source = index.cls(found), index.source(found.path)
    if cls is None or source is None:
        return False
    return any(
        d.rsplit(".", 1)[-1] in _ABSTRACT
        for name in cls.members
        if (function := source.functions.get(f"{found.name}.{name}")) is not None
        for d in function.decorators
    )


def misfits(index: Index, found: Found) -> dict[str, tuple[str, str]]:
    """Methods that override a base's and take other parameters: base and its parameters."""
    cls, source = index.cls(found), index.source(found.path)
    if cls is None or source is None:
        return {}
    lineage = [(owner, base) for owner, base in index.lineage(found) if owner != found]
    out: dict[str, tuple[str, str]] = {}
    for name in cls.members:
        mine = source.functions.get(f"{found.name}.{name}")
        if mine is None or name.startswith("__"):
            continue
        for owner, base in lineage:
            if name not in base.members:
                continue
            other = index.source(owner.path)
            theirs = other.functions.get(f"{owner.name}.{name}") if other else None
            if theirs is not None and not _accepts(mine, theirs):
                out[name] = (owner.name, ", ".join(p.name for p in theirs.params[1:]))
            break
    return out


def _accepts(override: Function, base: Function) -> bool:
    """Whether an override can be called as its base can."""
    kinds = {p.kind for p in override.params}
    if {"args", "kwargs"} <= kinds:
        return True
    names = {p.name for p in override.params}
    base_names = {p.name for p in base.params}
    lacking = [
        p.name
        for p in base.params
        if p.kind not in {"args", "kwargs"} and p.name not in names and "kwargs" not in kinds
    ]
    extra = [
        p.name
        for p in override.params
        if p.required and p.kind not in {"args", "kwargs"} and p.name not in base_names
    ]
    if any(p.kind in {"args", "kwargs"} for p in base.params):
        extra = []
    return not lacking[1 if override.bound and lacking[:1] == ["self"] else 0 :] and not extra


# -- migrations ----------------------------------------------------------------------------------


def migration_findings(trees: Trees) -> list[Finding]:
    """Two heads of Alembic or Django migrations, where each parent has one."""
    out = []
    now = _heads(trees.merged)
    before = [_heads(trees.ours), _heads(trees.theirs)]
    for folder, heads in sorted(now.items()):
        most = max((len(old.get(folder, ())) for old in before), default=0)
        if len(heads) < 2 or len(heads) <= most:
            continue
        places = tuple(Place(path=path) for _, path in sorted(heads, key=lambda item: item[1]))
        out.append(
            Finding(
                check="migration-heads",
                tier=Tier.ERROR,
                subject=f"heads:{folder}",
                message=f"{folder} has {len(heads)} migration heads: "
                f"{', '.join(name for name, _ in sorted(heads))}",
                places=places,
                cause="each side added a migration on top of the same one",
                repair="let one of them follow the other, or add a merge migration",
                analysers=("structure",),
            )
        )
    return out


def _heads(tree: Tree) -> dict[str, set[tuple[str, str]]]:
    """Folder to its migrations that no other names as its parent: (name, path)."""
    nodes: dict[str, dict[str, str]] = defaultdict(dict)
    parents: dict[str, Counter[str]] = defaultdict(Counter)
    for path, oid in tree.files.items():
        if not path.endswith(".py"):
            continue
        folder, _, name = path.rpartition("/")
        if folder.rsplit("/", 1)[-1] not in {"versions", "migrations"}:
            continue
        found = _migration(tree.read(oid), name)
        if found is None:
            continue
        identifier, needs = found
        nodes[folder][identifier] = path
        parents[folder].update(needs)
    return {
        folder: {(name, path) for name, path in known.items() if not parents[folder][name]}
        for folder, known in nodes.items()
    }


def _migration(data: bytes, name: str) -> tuple[str, list[str]] | None:
    if b"down_revision" not in data and b"dependencies" not in data:
        return None
    tree = syntax_tree(data)
    if tree is None:
        return None
    values: dict[str, ast.expr] = {}
    body = list(tree.body)
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "Migration":
            body.extend(node.body)
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            values[node.targets[0].id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            values[node.target.id] = node.value
    if "revision" in values and "down_revision" in values:
        revision = values["revision"]
        if not isinstance(revision, ast.Constant):
            return None
        needs = [
            n.value
            for n in ast.walk(values["down_revision"])
            if isinstance(n, ast.Constant) and isinstance(n.value, str)
        ]
        return str(revision.value), needs
    if "dependencies" in values and isinstance(values["dependencies"], ast.List):
        out = [
            element.elts[1].value
            for element in values["dependencies"].elts
            if isinstance(element, ast.Tuple)
            and len(element.elts) == 2
            and isinstance(element.elts[1], ast.Constant)
            and isinstance(element.elts[1].value, str)
        ]
        return name.removesuffix(".py"), out
    return None
