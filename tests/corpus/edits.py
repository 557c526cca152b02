"""Random edits of real Python text whose right merge is known by construction.

Each edit replaces a span of the base's bytes and carries a token of its own. Edits with disjoint spans
are dealt out to ours, theirs or both; the right merge is the base with all of them. A clash is a pair
of edits that contradict each other: it must stay open. Nothing here uses the engine: spans come from
the standard library's ``ast``.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Literal

from mergewright.model.threeway import ThreeWay

Owner = Literal["ours", "theirs", "both"]


@dataclass(frozen=True, slots=True)
class Change:
    """Replace ``base[start:end]`` by ``text``; ``kind`` names the sort of edit for reports."""

    start: int
    end: int
    text: bytes
    kind: str
    token: bytes = b""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change and who makes it."""

    change: Change
    owner: Owner


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """Three texts and their right merge.

    Attributes:
        base: The text that both sides started from.
        edits: What the sides did.
        clashes: Spans that both sides changed in contradiction; each must stay open.
    """

    base: bytes
    edits: tuple[Edit, ...]
    clashes: tuple[tuple[Change, Change], ...] = ()

    @property
    def versions(self) -> ThreeWay[bytes]:
        """Base, ours, theirs."""
        return ThreeWay(base=self.base, ours=self._side("ours"), theirs=self._side("theirs"))

    def _side(self, side: Owner) -> bytes:
        changes = [e.change for e in self.edits if e.owner in (side, "both")]
        changes += [pair[0 if side == "ours" else 1] for pair in self.clashes]
        return apply(self.base, changes)

    @property
    def right(self) -> bytes:
        """The right merge; clashes are left as in base."""
        first = [e.change for e in self.edits if e.owner != "theirs"]
        return apply(self.base, [*first, *(e.change for e in self.edits if e.owner == "theirs")])

    def without(self, index: int) -> Scenario:
        """The scenario without one edit, or without one clash (counted behind the edits)."""
        if index < len(self.edits):
            kept = self.edits[:index] + self.edits[index + 1 :]
            return Scenario(base=self.base, edits=kept, clashes=self.clashes)
        at = index - len(self.edits)
        clashes = self.clashes[:at] + self.clashes[at + 1 :]
        return Scenario(base=self.base, edits=self.edits, clashes=clashes)

    def cut(self, start: int, end: int) -> Scenario | None:
        """The scenario with a span of the base removed; ``None`` when an edit touches it."""
        size = end - start

        def move(change: Change) -> Change | None:
            if change.end <= start:
                return change
            if change.start >= end:
                return Change(
                    change.start - size, change.end - size, change.text, change.kind, change.token
                )
            return None

        edits = [(move(edit.change), edit.owner) for edit in self.edits]
        pairs = [(move(a), move(b)) for a, b in self.clashes]
        if any(change is None for change, _ in edits) or any(None in pair for pair in pairs):
            return None
        return Scenario(
            base=self.base[:start] + self.base[end:],
            edits=tuple(Edit(change, owner) for change, owner in edits if change is not None),
            clashes=tuple((a, b) for a, b in pairs if a is not None and b is not None),
        )


def apply(base: bytes, changes: Sequence[Change]) -> bytes:
    """The base with changes made; insertions at one place stand in the order given."""
    out: list[bytes] = []
    at = 0
    for change in sorted(changes, key=lambda c: (c.start, c.end)):
        assert change.start >= at, "changes overlap"
        out += [base[at : change.start], change.text]
        at = change.end
    return b"".join([*out, base[at:]])


def parse(data: bytes) -> ast.Module | None:
    """The syntax tree, or ``None``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


# --- the places where a text can be edited --------------------------------------------------------


class Places:
    """Byte spans of the nodes of a text.

    Args:
        data: Python text in UTF-8 that parses, lines ended by LF.
    """

    def __init__(self, data: bytes) -> None:
        tree = parse(data)
        assert tree is not None
        self.data = data
        self.tree = tree
        self.starts = [0]
        for line in data.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.in_fstring: set[ast.AST] = set()
        self.nodes: list[ast.AST] = []
        for node in ast.walk(tree):
            self.nodes.append(node)
            if isinstance(node, ast.JoinedStr):
                self.in_fstring.update(ast.walk(node))

    def start(self, node: ast.AST) -> int:
        """First byte of a node (of a definition: of its first decorator)."""
        first = min([node, *getattr(node, "decorator_list", [])], key=lambda n: n.lineno)
        at: int = self.starts[first.lineno - 1] + first.col_offset
        return at - 1 if first is not node else at

    def end(self, node: ast.AST) -> int:
        """Byte behind a node."""
        line: int = node.end_lineno  # type: ignore[attr-defined]
        column: int = node.end_col_offset  # type: ignore[attr-defined]
        return self.starts[line - 1] + column

    def line_start(self, at: int) -> int:
        """Start of the line that a byte lies in."""
        return self.data.rfind(b"\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Start of the line behind the one that a byte lies in."""
        found = self.data.find(b"\n", at)
        return len(self.data) if found < 0 else found + 1

    def indent(self, node: ast.AST) -> bytes:
        """The blanks before a statement."""
        at = self.start(node)
        return self.data[self.line_start(at) : at]

    def alone(self, node: ast.AST) -> bool:
        """Whether a statement has its lines to itself."""
        rest = self.data[self.end(node) : self.line_end(self.end(node))]
        return not self.indent(node).strip() and not rest.strip()

    def bodies(self) -> Iterator[tuple[ast.AST, list[ast.stmt]]]:
        """All suites and what holds them."""
        for node in self.nodes:
            for field in ("body", "orelse", "finalbody"):
                body = getattr(node, field, None)
                if isinstance(body, list) and body and isinstance(body[0], ast.stmt):
                    yield node, body


Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Function = (ast.FunctionDef, ast.AsyncFunctionDef)
Simple = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Raise, ast.Assert)


def _is_docstring(body: list[ast.stmt], node: ast.stmt) -> bool:
    return (
        node is body[0]
        and isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _constants(places: Places, number: int) -> Iterator[Change]:
    for node in places.nodes:
        if isinstance(node, ast.Constant) and node not in places.in_fstring:
            text = places.data[places.start(node) : places.end(node)]
            if type(node.value) is int and text.isdigit():
                new = str(7_000_000 + number).encode()
            elif isinstance(node.value, str) and text[:1] in (b"'", b'"') and b"\n" not in text:
                new = b"%b edit_%d%b" % (text[:1], number, text[:1])
            else:
                continue
            yield Change(places.start(node), places.end(node), new, "constant", new.strip(b"'\""))


def _names(places: Places, number: int) -> Iterator[Change]:
    for node in places.nodes:
        if isinstance(node, ast.Attribute) and node not in places.in_fstring:
            start = places.end(node) - len(node.attr.encode())
            if places.data[start : places.end(node)] == node.attr.encode():
                new = b"edit_%d" % number
                yield Change(start, places.end(node), new, "attribute", new)


def _keywords(places: Places, number: int) -> Iterator[Change]:
    for node in places.nodes:
        if isinstance(node, ast.Call) and node not in places.in_fstring:
            parts = [*node.args, *(k.value for k in node.keywords)]
            if not parts or any(isinstance(part, ast.GeneratorExp) for part in parts):
                continue
            at = max(places.end(part) for part in parts)
            if places.data[at : at + 1] in (b")", b",", b"\n"):
                new = b", edit_%d=1" % number
                yield Change(at, at, new, "keyword", b"edit_%d" % number)


def _entries(places: Places, number: int) -> Iterator[Change]:
    for node in places.nodes:
        if isinstance(node, ast.Dict) and node.keys and node not in places.in_fstring:
            at = places.end(node.values[-1])
            if places.data[at : at + 1] in (b"}", b",", b"\n"):
                yield Change(at, at, b", 'edit_%d': 1" % number, "entry", b"edit_%d" % number)


def _parameters(places: Places, number: int) -> Iterator[Change]:
    for node in places.nodes:
        if isinstance(node, Function):
            spec = node.args
            if not spec.args or spec.vararg or spec.kwonlyargs or spec.kwarg or spec.posonlyargs:
                continue
            at = max(places.end(part) for part in (spec.args[-1], *spec.defaults[-1:]))
            if places.data[at : at + 1] in (b")", b",", b"\n"):
                new = b", *, edit_%d=None" % number
                yield Change(at, at, new, "parameter", b"edit_%d" % number)


def _functions(places: Places, number: int) -> Iterator[Change]:
    for holder, body in places.bodies():
        if not isinstance(holder, (ast.Module, ast.ClassDef)):
            continue
        for node in body:
            if isinstance(node, Definition) and places.alone(node):
                at = places.line_end(places.end(node))
                if not places.data[:at].endswith(b"\n"):
                    continue
                indent = places.indent(node)
                own = b"self" if isinstance(holder, ast.ClassDef) else b"value"
                gap = b"\n" if isinstance(holder, ast.ClassDef) else b"\n\n"
                new = gap + b"".join(
                    indent + line
                    for line in (
                        b"def edit_%d(%b):\n" % (number, own),
                        b"    return %b\n" % own,
                    )
                )
                yield Change(at, at, new, "function", b"edit_%d" % number)


def _statements(places: Places, number: int) -> Iterator[Change]:
    for holder, body in places.bodies():
        if not isinstance(holder, Function):
            continue
        for node in body:
            if isinstance(node, Simple) and places.alone(node) and not isinstance(node, ast.Return):
                at = places.line_end(places.end(node))
                if places.data[:at].endswith(b"\n"):
                    new = places.indent(node) + b"edit_%d()\n" % number
                    yield Change(at, at, new, "statement", b"edit_%d" % number)


def _imports(places: Places, number: int) -> Iterator[Change]:
    for node in places.tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and places.alone(node):
            if getattr(node, "module", "") == "__future__":
                continue
            at = places.line_end(places.end(node))
            if places.data[:at].endswith(b"\n"):
                new = b"import edit_%d\n" % number
                yield Change(at, at, new, "import", b"edit_%d" % number)


def _comments(places: Places, number: int) -> Iterator[Change]:
    for _, body in places.bodies():
        for node in body:
            if places.alone(node) and not _is_docstring(body, node):
                at = places.line_start(places.start(node))
                new = places.indent(node) + b"# edit_%d\n" % number
                yield Change(at, at, new, "comment", b"edit_%d" % number)


def _decorators(places: Places, number: int) -> Iterator[Change]:
    for _, body in places.bodies():
        for node in body:
            if isinstance(node, Definition) and places.alone(node):
                at = places.line_start(places.start(node))
                new = places.indent(node) + b"@edit_%d\n" % number
                yield Change(at, at, new, "decorator", b"edit_%d" % number)


def _deletions(places: Places, number: int) -> Iterator[Change]:
    for _, body in places.bodies():
        if len(body) < 2:
            continue
        for node in body:
            if not isinstance(node, (*Definition, ast.Expr, ast.Assert)) or not places.alone(node):
                continue
            if _is_docstring(body, node):
                continue
            start = places.line_start(places.start(node))
            end = places.line_end(places.end(node))
            kind = "delete-definition" if isinstance(node, Definition) else "delete-statement"
            yield Change(start, end, b"", kind)


def _docstrings(places: Places, number: int) -> Iterator[Change]:
    for _, body in places.bodies():
        node = body[0]
        if _is_docstring(body, node):
            text = places.data[places.start(node) : places.end(node)]
            if text.endswith(b'"""') and text.startswith(b'"""') and len(text) > 8:
                at = places.start(node) + 3
                new = b"edit_%d " % number
                yield Change(at, at, new, "docstring", b"edit_%d" % number)


MAKERS: dict[str, Callable[[Places, int], Iterator[Change]]] = {
    "constant": _constants,
    "attribute": _names,
    "keyword": _keywords,
    "entry": _entries,
    "parameter": _parameters,
    "function": _functions,
    "statement": _statements,
    "import": _imports,
    "comment": _comments,
    "decorator": _decorators,
    "deletion": _deletions,
    "docstring": _docstrings,
}


def _contradictions(places: Places) -> Iterator[tuple[Change, Change]]:
    """Pairs of changes that no merge can both keep, or whose order only a person knows."""
    sets = [
        (places.start(node), places.end(node))
        for node in places.nodes
        if isinstance(node, (ast.Set, ast.List, ast.Tuple))
    ]
    for first, second in zip(_constants(places, 90), _constants(places, 91), strict=True):
        # Two new names instead of one are no contradiction in a set of names.
        if not any(a <= first.start < b for a, b in sets):
            yield first, second
    for first, second in zip(_names(places, 90), _names(places, 91), strict=True):
        if not any(a <= first.start < b for a, b in sets):
            yield first, second
    for change in _statements(places, 90):
        yield (
            change,
            replace(change, text=change.text.replace(b"edit_90", b"edit_91"), token=b"edit_91"),
        )
    for change in (*_keywords(places, 90), *_entries(places, 90)):
        one = replace(change, kind=f"same-{change.kind}", token=b"9000090")
        yield (
            replace(one, text=change.text[:-1] + b"9000090"),
            replace(one, text=change.text[:-1] + b"9000091", token=b"9000091"),
        )
    functions = list(_functions(places, 90))
    for _, body in places.bodies():
        # One name, two bodies, two places of one scope.
        ends = {places.line_end(places.end(node)) for node in body}
        head = b"\n" + places.indent(body[0]) + b"def "
        here = [c for c in functions if c.start in ends and head in c.text]
        for first, second in pairwise(here):
            other = second.text.replace(b"return ", b"return 9000091, ")
            yield (
                replace(first, kind="same-function"),
                replace(second, text=other, kind="same-function", token=b"9000091"),
            )
    deletions = [c for c in _deletions(places, 90) if c.kind == "delete-definition"]
    # A docstring or an annotation that changed does not hold a deletion up: statements only.
    added = list(_statements(places, 91))
    for deletion in deletions:
        for edit in added:
            if deletion.start < edit.start and edit.end < deletion.end:
                yield deletion, edit
                break


def scenario(
    data: bytes,
    random: Random,
    *,
    edits: int = 4,
    near: float = 0.6,
    clash: bool = False,
    clash_keys: bool = True,
) -> Scenario | None:
    """Draw edits of a text and deal them out; ``None`` when the text offers too little.

    Args:
        data: Python text in UTF-8 that parses, lines ended by LF.
        random: Where the choices come from.
        edits: How many edits at most.
        near: Share of the edits that are put next to an earlier one.
        clash: Whether one more place is changed by both in contradiction.
        clash_keys: Whether that may be the key of a dict entry.
    """
    places = Places(data)
    taken: list[tuple[int, int]] = []
    made: list[Edit] = []
    pairs: list[tuple[Change, Change]] = []

    def free(start: int, end: int) -> bool:
        # One byte between two edits at least: what touches is for a person to decide.
        return all(end < a or start > b for a, b in taken)

    kinds = list(MAKERS)
    for number in range(1, 4 * edits):
        if len(made) >= edits:
            break
        options = list(MAKERS[random.choice(kinds)](places, number))
        if not options:
            continue
        if taken and random.random() < near:
            # Close to an earlier edit: in the same statement or function where there is one.
            at = random.choice(taken)[0]
            options = sorted(options, key=lambda change: abs(change.start - at))[:3]
        change = random.choice(options)
        if not free(change.start, change.end):
            continue
        taken.append((change.start, change.end))
        owner: Owner = random.choice(["ours", "ours", "ours", "theirs", "theirs", "theirs", "both"])
        made.append(Edit(change, owner))
    if clash:
        keys = [
            (places.start(key), places.end(key))
            for node in places.nodes
            if isinstance(node, ast.Dict)
            for key in node.keys
            if key is not None
        ]
        contrary = list(_contradictions(places))
        groups = sorted({first.kind for first, _ in contrary})
        for _ in range(8):
            kind = random.choice(groups) if groups else ""
            fitting = [pair for pair in contrary if pair[0].kind == kind]
            if not fitting:
                break
            one, two = random.choice(fitting)
            if any(start <= one.start < end for start, end in keys):
                if not clash_keys:
                    continue
                one, two = replace(one, kind="key"), replace(two, kind="key")
            if free(one.start, one.end) and free(two.start, two.end):
                pairs.append((one, two) if random.random() < 0.5 else (two, one))
                break
    owners = {edit.owner for edit in made}
    if not pairs and not {"ours", "theirs"} <= owners:
        return None
    found = Scenario(base=data, edits=tuple(made), clashes=tuple(pairs))
    texts = (*found.versions, found.right)
    return found if all(parse(text) is not None for text in texts) else None


# --- judging --------------------------------------------------------------------------------------


class _Canonical(ast.NodeTransformer):
    """Sorts what may stand in any order: keyword arguments, entries, members, names in ``__all__``."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if all(keyword.arg for keyword in node.keywords):
            node.keywords.sort(key=lambda keyword: keyword.arg or "")
        return node

    def visit_Dict(self, node: ast.Dict) -> ast.AST:
        self.generic_visit(node)
        if all(node.keys):
            pairs = sorted(
                zip(node.keys, node.values, strict=True), key=lambda p: ast.dump(p[0] or p[1])
            )
            node.keys = [key for key, _ in pairs]
            node.values = [value for _, value in pairs]
        return node

    def visit_Set(self, node: ast.Set) -> ast.AST:
        self.generic_visit(node)
        node.elts.sort(key=ast.dump)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        if names == ["__all__"] and isinstance(node.value, (ast.List, ast.Tuple)):
            node.value.elts.sort(key=ast.dump)
        return node

    def visit_arguments(self, node: ast.arguments) -> ast.AST:
        self.generic_visit(node)
        order = sorted(
            zip(node.kwonlyargs, node.kw_defaults, strict=True), key=lambda pair: pair[0].arg
        )
        node.kwonlyargs = [argument for argument, _ in order]
        node.kw_defaults = [default for _, default in order]
        return node

    def _members(self, node: ast.Module | ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        node.body.sort(key=ast.dump)
        return node

    visit_Module = _members  # noqa: N815 - ast's naming
    visit_ClassDef = _members  # noqa: N815


def canonical(data: bytes) -> str | None:
    """The program apart from layout, comments and the order of what has none; ``None``: no parse."""
    tree = parse(data)
    return None if tree is None else ast.dump(_Canonical().visit(tree))


def tokens(data: bytes, of: Scenario) -> dict[bytes, int]:
    """How often the token of each edit stands in a text."""
    every = [edit.change.token for edit in of.edits if edit.change.token]
    return {token: data.count(token) for token in every}
