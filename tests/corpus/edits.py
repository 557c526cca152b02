"""Random edits of real Python text whose right merge is known by construction: the model.

Each edit replaces spans of the base's bytes and carries a token of its own. Edits with disjoint spans
are dealt out to ours, theirs or both; the right merge is the base with all of them. An edit may carry
text of the base along (a block that is moved, wrapped, split off): what other edits do to that text
goes with it. A clash is a pair of edits that contradict each other: it must stay open. A growth is a
pair of edits at one place whose union is right. Nothing here uses the engine: spans come from the
standard library's ``ast``.
"""

from __future__ import annotations

import ast
import inspect
import io
import tokenize
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from tests.corpus.dressing import PLAIN, Dress, dressed

from mergewright.model.threeway import ThreeWay

Owner = Literal["ours", "theirs", "both"]


@dataclass(frozen=True, slots=True)
class Change:
    """Replace ``base[start:end]`` by ``text``; ``kind`` names the sort of edit for reports.

    Attributes:
        start: First byte replaced.
        end: Byte behind the last one replaced.
        text: What stands there instead.
        kind: The sort of edit.
        token: Text that stands in a version exactly if it has the change; empty: none.
        carry: Span of the base that follows on ``text``, with the changes that lie in it.
        shift: Blanks to put before (or, negative, to take from) every carried line.
        tail: What follows on the carried span.
        cover: Whether other changes may lie inside the span: it is carried somewhere.
        follows: A name in ``text`` that becomes another one if the other side renames it.
    """

    start: int
    end: int
    text: bytes
    kind: str
    token: bytes = b""
    carry: tuple[int, int] | None = None
    shift: int = 0
    tail: bytes = b""
    cover: bool = False
    follows: bytes = b""

    def moved(self, by: int, behind: int) -> Change | None:
        """The change after ``-by`` bytes went at ``behind``; ``None`` when it touches them."""
        start, end = behind, behind - by  # by is negative: the span that goes

        def place(first: int, last: int, *, inner: bool) -> tuple[int, int] | None:
            if last <= start:
                return first, last
            if first >= end:
                return first + by, last + by
            return (first, last + by) if inner and first < start and end < last else None

        own = place(self.start, self.end, inner=self.cover)
        carried = place(*self.carry, inner=True) if self.carry else None
        if own is None or (self.carry and carried is None):
            return None
        return replace(self, start=own[0], end=own[1], carry=carried)


@dataclass(frozen=True, slots=True)
class Edit:
    """A change, with others that belong to it, and who makes it."""

    change: Change
    owner: Owner
    more: tuple[Change, ...] = ()

    @property
    def changes(self) -> tuple[Change, ...]:
        """All changes of the edit."""
        return (self.change, *self.more)


@dataclass(frozen=True, slots=True)
class Growth:
    """What both sides add at one place, and the right union; a conflict is no fault."""

    ours: tuple[Change, ...]
    theirs: tuple[Change, ...]
    right: tuple[Change, ...]

    @property
    def kind(self) -> str:
        """The sort of growth."""
        return self.ours[0].kind

    def moved(self, by: int, behind: int) -> Growth | None:
        """As for a change."""
        parts = [
            [change.moved(by, behind) for change in changes]
            for changes in (self.ours, self.theirs, self.right)
        ]
        done = [tuple(change for change in part if change is not None) for part in parts]
        if any(len(a) != len(b) for a, b in zip(done, parts, strict=True)):
            return None
        return Growth(*done)


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """Three texts and their right merge.

    Attributes:
        base: The text that both sides started from.
        edits: What the sides did.
        clashes: Spans that both sides changed in contradiction; each must stay open.
        growths: What both sides added at one place.
        dress: Layout, line ends and encoding that the texts are given at the end.
    """

    base: bytes
    edits: tuple[Edit, ...]
    clashes: tuple[tuple[Change, Change], ...] = ()
    growths: tuple[Growth, ...] = ()
    dress: Dress = PLAIN

    @cached_property
    def plain(self) -> ThreeWay[bytes]:
        """Base, ours, theirs before they are dressed."""
        return ThreeWay(base=self.base, ours=self._side("ours"), theirs=self._side("theirs"))

    @cached_property
    def versions(self) -> ThreeWay[bytes]:
        """Base, ours, theirs."""
        base, ours, theirs = self.plain
        return ThreeWay(
            base=dressed(base, self.dress.base),
            ours=dressed(ours, self.dress.ours),
            theirs=dressed(theirs, self.dress.theirs),
        )

    def changes(self, side: Owner) -> list[Change]:
        """The changes of one side, its part of clashes and growths included."""
        made = [c for e in self.edits if e.owner in (side, "both") for c in e.changes]
        made += [pair[0 if side == "ours" else 1] for pair in self.clashes]
        made += [c for g in self.growths for c in (g.ours if side == "ours" else g.theirs)]
        return made

    def _side(self, side: Owner) -> bytes:
        return apply(self.base, self.changes(side))

    @cached_property
    def right(self) -> bytes:
        """The right merge; clashes are left as in base."""
        made = [c for e in self.edits if e.owner != "theirs" for c in e.changes]
        made += [c for e in self.edits if e.owner == "theirs" for c in e.changes]
        made += [c for g in self.growths for c in g.right]
        names = {self.base[c.start : c.end]: c.text for c in made if c.kind.startswith("renamed-")}
        made = [
            replace(c, text=c.text.replace(c.follows, names[c.follows]))
            if c.follows in names
            else c
            for c in made
        ]
        return dressed(apply(self.base, made), self.dress.right)

    @property
    def kinds(self) -> list[str]:
        """The sorts of what happens, with the dress."""
        names = [f"{edit.owner}:{edit.change.kind}" for edit in self.edits]
        names += [f"clash:{pair[0].kind}" for pair in self.clashes]
        names += [f"growth:{growth.kind}" for growth in self.growths]
        return sorted(names) + self.dress.names

    @property
    def size(self) -> int:
        """How many parts :meth:`without` can leave out."""
        return len(self.edits) + len(self.clashes) + len(self.growths) + (self.dress != PLAIN)

    def without(self, index: int) -> Scenario:
        """The scenario without one edit, clash, growth or its dress (counted in this order)."""
        parts: list[list[object]] = [[*self.edits], [*self.clashes], [*self.growths]]
        for part in parts:
            if index < len(part):
                del part[index]
                break
            index -= len(part)
        else:
            return replace(self, dress=PLAIN)
        edits, clashes, growths = (tuple(part) for part in parts)
        return replace(self, edits=edits, clashes=clashes, growths=growths)  # type: ignore[arg-type]

    def cut(self, start: int, end: int) -> Scenario | None:
        """The scenario with a span of the base removed; ``None`` when an edit touches it."""
        by = start - end
        edits: list[Edit] = []
        for edit in self.edits:
            changes = [change.moved(by, start) for change in edit.changes]
            first, *more = changes
            if first is None or None in more:
                return None
            edits.append(Edit(first, edit.owner, tuple(c for c in more if c is not None)))
        clashes: list[tuple[Change, Change]] = []
        for pair in self.clashes:
            one, two = (change.moved(by, start) for change in pair)
            if one is None or two is None:
                return None
            clashes.append((one, two))
        growths = [growth.moved(by, start) for growth in self.growths]
        if None in growths:
            return None
        return replace(
            self,
            base=self.base[:start] + self.base[end:],
            edits=tuple(edits),
            clashes=tuple(clashes),
            growths=tuple(growth for growth in growths if growth is not None),
        )


def apply(base: bytes, changes: Sequence[Change]) -> bytes:
    """The base with changes made; insertions at one place stand in the order given."""
    return _render(base, 0, len(base), changes)


def _render(base: bytes, start: int, end: int, changes: Sequence[Change]) -> bytes:
    out: list[bytes] = []
    at = start
    covered = False
    for change in sorted(changes, key=lambda c: (c.start, c.end)):
        if change.start < at:
            assert covered, "changes overlap"
            assert change.end < at, "changes overlap"
            continue
        out += [base[at : change.start], change.text]
        if change.carry is not None:
            first, last = change.carry
            inner = [c for c in changes if first < c.start and c.end < last]
            out += [shifted(_render(base, first, last, inner), change.shift), change.tail]
        at, covered = change.end, change.cover
    return b"".join([*out, base[at:end]])


def shifted(block: bytes, by: int) -> bytes:
    """Whole lines with blanks put before them or taken away, but not within a string."""
    if not by:
        return block
    head = b"if 1:\n" if block[:1] in b" \t" else b""
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO((head + block).decode()).readline):
        if token.type == tokenize.STRING or token.string.endswith(('"""', "'''")):
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    lines = (head + block).splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        if number in inside or not line.strip() or (head and number == 1):
            continue
        if by > 0:
            lines[number - 1] = b" " * by + line
        else:
            lines[number - 1] = line[min(-by, len(line) - len(line.lstrip(b" "))) :]
    return b"".join(lines[bool(head) :])


def parse(data: bytes) -> ast.Module | None:
    """The syntax tree, or ``None``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


# --- the places where a text can be edited --------------------------------------------------------


_SUITES = ("body", "orelse", "finalbody")


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
        self._bodies: list[tuple[ast.AST, list[ast.stmt]]] | None = None
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

    def text(self, node: ast.AST) -> bytes:
        """The bytes of a node."""
        return self.data[self.start(node) : self.end(node)]

    def line_start(self, at: int) -> int:
        """Start of the line that a byte lies in."""
        return self.data.rfind(b"\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Start of the line behind the one that a byte lies in."""
        found = self.data.find(b"\n", at)
        return len(self.data) if found < 0 else found + 1

    def lines(self, first: ast.AST, last: ast.AST) -> tuple[int, int]:
        """Span of the whole lines from one statement to another."""
        return self.line_start(self.start(first)), self.line_end(self.end(last))

    def indent(self, node: ast.AST) -> bytes:
        """The blanks before a statement."""
        at = self.start(node)
        return self.data[self.line_start(at) : at]

    def alone(self, node: ast.AST) -> bool:
        """Whether a statement has its lines to itself."""
        rest = self.data[self.end(node) : self.line_end(self.end(node))]
        return not self.indent(node).strip() and not rest.strip() and rest[-1:] == b"\n"

    def bodies(self) -> list[tuple[ast.AST, list[ast.stmt]]]:
        """All suites and what holds them."""
        if self._bodies is None:
            self._bodies = [
                (node, body)
                for node in self.nodes
                for body in (getattr(node, field, None) for field in _SUITES)
                if isinstance(body, list) and body and isinstance(body[0], ast.stmt)
            ]
        return self._bodies


# --- judging --------------------------------------------------------------------------------------

Definition = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
Function = (ast.FunctionDef, ast.AsyncFunctionDef)
Unordered = (*Definition, ast.Import, ast.ImportFrom)


class _Canonical(ast.NodeTransformer):
    """Sorts what may stand in any order: keyword arguments, entries, definitions, imports."""

    def __init__(self, *, docstrings: bool) -> None:
        self.docstrings = docstrings

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if all(keyword.arg for keyword in node.keywords):
            node.keywords.sort(key=lambda keyword: keyword.arg or "")
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        node.kind = None
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

    def _names(self, node: ast.Import | ast.ImportFrom) -> ast.AST:
        node.names.sort(key=ast.dump)
        return node

    visit_Import = _names  # noqa: N815 - ast's naming
    visit_ImportFrom = _names  # noqa: N815

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

    def _docstring(self, node: ast.AST) -> None:
        body = node.body  # type: ignore[attr-defined]
        if self.docstrings or not body or not isinstance(body[0], ast.Expr):
            return
        value = body[0].value
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            lines = inspect.cleandoc(value.value).strip().split("\n")
            value.value = "\n".join(line.rstrip() for line in lines)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self.generic_visit(node)
        self._docstring(node)
        return node

    visit_FunctionDef = _function  # noqa: N815
    visit_AsyncFunctionDef = _function  # noqa: N815

    def _members(self, node: ast.Module | ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        self._docstring(node)
        # What is executed keeps its order; definitions and imports are held apart from it.
        free = [part for part in node.body if isinstance(part, Unordered)]
        bound = [part for part in node.body if not isinstance(part, Unordered)]
        node.body = [*sorted(free, key=ast.dump), *bound]
        return node

    visit_Module = _members  # noqa: N815
    visit_ClassDef = _members  # noqa: N815


def canonical(data: bytes, *, docstrings: bool = True) -> str | None:
    """The program apart from layout, comments and the order of what has none; ``None``: no parse.

    Args:
        data: Python text.
        docstrings: Whether the blanks of docstrings count; a formatter strips them.
    """
    tree = parse(data)
    return None if tree is None else ast.dump(_Canonical(docstrings=docstrings).visit(tree))


def tokens(data: bytes, of: Scenario) -> dict[bytes, int]:
    """How often the token of each edit stands in a text."""
    every = [c.token for edit in of.edits for c in edit.changes if c.token]
    every += [c.token for growth in of.growths for c in growth.right if c.token]
    return {token: data.count(token) for token in every}
