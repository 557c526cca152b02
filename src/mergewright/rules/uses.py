"""One side's uses of named things, put into the other side's version of a file.

A rule can take a file whole from one side although the other side's code must go on through names
that only it has. The statements that use those names are put where they stand among the statements
that both versions share; the arguments after them that read what they bind follow; and what the
taken version used instead goes. Whatever would guess is refused and said.
"""

from __future__ import annotations

import ast
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from mergewright.python.names import bindings, bound_names, declared, local_names, needed, own_nodes
from mergewright.rules.names import ImportBinding, compiles, module_imports, tree_of
from mergewright.rules.replaced import without
from mergewright.rules.statements import (
    Function,
    Text,
    arguments_of,
    blocks_of,
    functions,
    head_of,
    inner,
    key_of,
    mentions,
    pairs_of,
)
from mergewright.rules.syntax import Splice, apply, joined
from mergewright.text.lines import dominant_newline


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptUses:
    """What became of one file.

    Attributes:
        data: The new text.
        edits: The splices of each change with its sentence.
        refused: One sentence a use that could not be put back, a replaced one that stays, or
            something that a use binds and only its own side reads.
    """

    data: bytes
    edits: tuple[tuple[tuple[Splice, ...], str], ...] = ()
    refused: tuple[str, ...] = ()

    @property
    def changed(self) -> tuple[str, ...]:
        """The sentences of what was changed."""
        return tuple(what for _, what in self.edits)


def keep_uses(
    merged: bytes,
    source: bytes | None,
    base: bytes | None,
    *,
    uses: Collection[str],
    instead_of: Collection[str] = (),
) -> KeptUses | None:
    """Put one side's uses of names into a text that was taken from the other side.

    Args:
        merged: The merged text.
        source: The text of the side whose uses are kept; without it nothing is.
        base: The text of the merge base; what the taken side changed since is never overwritten.
        uses: The names whose uses are kept.
        instead_of: Names whose uses go where the side has none of them.

    Returns:
        The result, or ``None`` when a text cannot be parsed.
    """
    if source is None or not any(name.encode() in source for name in uses):
        return KeptUses(data=merged)
    trees = [tree_of(text) for text in (merged, source, base or b"")]
    result, side, old = trees
    if result is None or side is None or old is None or b"\r" in merged + source:
        return None
    if not all(_is_utf8(text) for text in (merged, source)):
        return None
    gone = [name for name in instead_of if _names(result, name) and not _names(side, name)]
    modules = _Modules(
        Text(merged), Text(source), result, side, (base or b"").split(b"\n"), frozenset(uses)
    )
    cuts = {name: without(modules.text, result, name) for name in gone}
    # A use may stand in the place of what goes, not of what must stay.
    goes = frozenset(name for name, (_, why) in cuts.items() if not why)
    wanted, there, before = functions(side), functions(result), functions(old)
    edits: list[tuple[tuple[Splice, ...], str]] = []
    refused = [*modules.outside(wanted)]
    lost: list[str] = []
    for name, function in wanted.items():
        if not mentions(function, uses):
            continue
        if any(other.startswith(f"{name}.") and mentions(wanted[other], uses) for other in wanted):
            refused.append(f"{name} uses {_list(uses)} in a nested function; left as it is")
            continue
        target = there.get(name)
        if target is None:
            refused.append(f"{name} uses {_list(uses)} and is not there")
            continue
        work = _Carry(modules, target, function, before.get(name), goes)
        work.header()
        work.block(function.body, target.body, work.base.body if work.base else None)
        refused += [f"{name}: {why}" for why in work.refused]
        lost += [f"{name}: {what}" for what in work.lost]
        edits += [
            (tuple(splices), f"{name} goes on through {_list(uses)}") for splices in work.edits
        ]
    # What was used instead goes only for uses that all stand.
    waits = bool(refused)
    for name, (splices, why) in cuts.items():
        if waits:
            refused.append(f"{name} stays: not every use of {_list(uses)} was kept")
        elif why:
            refused.append(f"{name} stays: {why}")
        else:
            edits.append((tuple(splices), f"{name} is no longer used"))
    splices_of = joined([splice for splices, _ in edits for splice in splices])
    try:
        data = apply(merged, splices_of)
    except ValueError:
        return KeptUses(data=merged, refused=("the uses to keep stand inside each other",))
    if compiles(merged) and not compiles(data):
        return KeptUses(data=merged, refused=("with the uses to keep it is no Python",))
    return KeptUses(data=data, edits=tuple(edits), refused=(*refused, *lost))


def _is_utf8(data: bytes) -> bool:
    """Whether offsets of the syntax tree are those of the bytes."""
    if data.startswith(BOM_UTF8):
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"coding" not in b"".join(data.split(b"\n", 2)[:2]) or b"utf" in data.lower()


def _names(tree: ast.Module, name: str) -> bool:
    return any(
        (isinstance(part, ast.Name) and part.id == name)
        or (isinstance(part, ast.alias) and (part.asname or part.name) == name)
        for part in ast.walk(tree)
    )


def _list(names: Collection[str]) -> str:
    return ", ".join(names)


# -- uses that are kept ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Modules:
    """The taken text and that of the side whose uses are kept.

    Attributes:
        text: The taken text.
        source: The side's text.
        tree: The taken text's tree.
        side: The side's tree.
        base: The lines of the merge base.
        uses: The names whose uses are kept.
    """

    text: Text
    source: Text
    tree: ast.Module
    side: ast.Module
    base: Sequence[bytes]
    uses: frozenset[str]

    def outside(self, wanted: dict[str, Function]) -> Iterator[str]:
        """What is said of uses that stand in no function, or in one of several of a name."""
        known = {*wanted.values()}
        for node in ast.walk(self.side):
            if isinstance(node, Function) and node not in known and mentions(node, self.uses):
                yield f"{node.name} (line {node.lineno}) uses {_list(self.uses)} and is there twice"
        known_here = Counter(dump for _, dump in self._qualified(self.tree))
        for line, dump in self._qualified(self.side):
            known_here[dump] -= 1
            if known_here[dump] < 0:
                yield f"line {line} uses {_list(self.uses)} through its module; left as it is"
        there = Counter(dump for _, dump in self._outside(self.tree))
        for line, dump in self._outside(self.side):
            there[dump] -= 1
            if there[dump] < 0:
                yield f"line {line} uses {_list(self.uses)} outside of functions; left as it is"

    def _qualified(self, tree: ast.Module) -> Iterator[tuple[int, str]]:
        """The uses through an imported module."""
        modules = {name for name, node in bindings(tree) if isinstance(node, ast.alias)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in self.uses:
                root: ast.expr = node
                while isinstance(root, ast.Attribute):
                    root = root.value
                if isinstance(root, ast.Name) and root.id in modules:
                    yield node.lineno, ast.dump(node)

    def _outside(self, tree: ast.Module) -> Iterator[tuple[int, str]]:
        """The statements in no function that use the names, without what their blocks hold."""
        stack: list[ast.stmt] = [*tree.body]
        while stack:
            node = stack.pop(0)
            if isinstance(node, Function):
                continue
            if any(mentions(part, self.uses) for part in head_of(node)):
                yield node.lineno, " ".join(map(ast.dump, head_of(node)))
            blocks = [node.body] if isinstance(node, ast.ClassDef) else blocks_of(node)
            stack += [child for block in blocks for child in block]

    def foreign(self, names: Collection[str], local: Collection[str]) -> str | None:
        """Which of the names a function reads from outside would not be the same thing here.

        Args:
            names: Names that the side's function reads and does not bind.
            local: What the taken function binds itself.
        """
        ours, theirs = module_imports(self.source.data), module_imports(self.text.data)
        assert ours is not None
        assert theirs is not None
        bound, here = _outer_names(self.side), _outer_names(self.tree)
        for name in sorted(names):
            if name in local:
                return f"it reads {name}, which is something else in the function"
            if name not in bound:
                continue
            if name in ours:
                if name in here and not _same(ours[name], theirs.get(name)):
                    return f"it reads {name}, which is something else there"
            elif name not in here:
                return f"it reads {name}, which is not there"
            elif name in theirs:
                return f"it reads {name}, which is something else there"
        return None


def _same(one: ImportBinding, two: ImportBinding | None) -> bool:
    return two is not None and one.origin == two.origin


def _outer_names(tree: ast.Module) -> set[str]:
    """Names that are bound at module level or in a function that holds others."""
    found = local_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, Function):
            if any(isinstance(part, Function) for part in own_nodes(node)):
                found |= local_names(node)
            found |= declared(node)
    return found


@dataclass(slots=True)
class _Carry:
    """One function: its version of the side whose uses are kept, put into the taken version."""

    modules: _Modules
    target: Function
    function: Function
    base: Function | None
    gone: frozenset[str]
    edits: list[list[Splice]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    put: Counter[str] = field(default_factory=Counter)
    given: set[str] = field(default_factory=set)

    @property
    def text(self) -> Text:
        return self.modules.text

    @property
    def source(self) -> Text:
        return self.modules.source

    @property
    def uses(self) -> frozenset[str]:
        return self.modules.uses

    def header(self) -> None:
        """Uses in decorators, defaults and annotations are not carried."""
        if self._fewer(head_of(self.function), head_of(self.target)):
            self.refused.append(f"line {self.function.lineno}: its header uses {_list(self.uses)}")

    def _fewer(self, mine: Sequence[ast.AST], theirs: Sequence[ast.AST]) -> bool:
        """Whether the other version of something has not all of its uses."""
        count = [
            Counter(
                part.id
                for node in nodes
                for part in ast.walk(node)
                if isinstance(part, ast.Name) and part.id in self.uses
            )
            for nodes in (mine, theirs)
        ]
        return not count[0] <= count[1]

    def block(
        self,
        ours: Sequence[ast.stmt],
        others: Sequence[ast.stmt],
        old: Sequence[ast.stmt] | None,
    ) -> None:
        """Work on a block that both versions have; ``old`` is the merge base's, if known."""
        pairs = pairs_of(ours, others)
        before = {} if old is None else pairs_of(ours, old)
        for index, node in enumerate(ours):
            if not mentions(node, self.uses):
                continue
            if index not in pairs:
                self._insert(
                    ours,
                    others,
                    pairs,
                    index,
                    _gap(others, pairs, index),
                    None if old is None else _gap(old, before, index),
                )
                continue
            other = others[pairs[index]]
            if self._fewer(head_of(node), head_of(other)):
                self.refused.append(f"line {node.lineno} is not put in: the side changed it")
            mine, theirs = blocks_of(node), blocks_of(other)
            was = None if old is None or index not in before else blocks_of(old[before[index]])
            if len(mine) != len(theirs):
                self.refused.append(f"line {node.lineno}: its blocks differ")
                continue
            for number, (one, two) in enumerate(zip(mine, theirs, strict=True)):
                if any(mentions(child, self.uses) for child in one):
                    known = was is not None and len(was) == len(mine)
                    self.block(one, two, was[number] if was is not None and known else None)

    def _insert(
        self,
        ours: Sequence[ast.stmt],
        others: Sequence[ast.stmt],
        pairs: dict[int, int],
        index: int,
        gap: Sequence[ast.stmt],
        old: Sequence[ast.stmt] | None,
    ) -> None:
        node = ours[index]
        place = self._place(ours, others, pairs, index)
        why = self._doubt(node) or self._replaces(gap, old) or self._order(node, gap)
        rows = self.source.rows(node)
        if why is None and (place is None or rows is None):
            why = "its place is not known"
        if why is None and place is not None:
            why = self._scope(node, place[0])
        if why is not None or place is None or rows is None:
            self.refused.append(f"line {node.lineno} is not put in: {why}")
            return
        at, indent = place
        ending = b"" if self.text.data[:at].endswith(b"\n") or not at else b"\n"
        lines = self._lines(node, rows, indent)
        if lines is None:
            self.refused.append(f"line {node.lineno} is not put in: a string spans its lines")
            return
        splices = [Splice(at, at, ending + b"".join(lines))]
        bound = bound_names(node)
        follow = [(ours[i], others[k]) for i, k in pairs.items() if i > index]
        problems: list[str] = []
        self.given = set()
        for mine, other in follow:
            self._follow(mine, other, bound, splices, problems)
        unread = self._unread(node, bound)
        if not problems and unread and unread == self._read_later(node, bound):
            problems.append("nothing there reads what it binds")
        if problems:
            self.refused += [f"line {node.lineno} is not put in: {what}" for what in problems]
            return
        if unread:
            names = _list(sorted(unread))
            self.lost.append(f"line {node.lineno} is put in; nothing there reads its {names}")
        self.put += self._keys([node])
        self.edits.append(splices)

    def _doubt(self, node: ast.stmt) -> str | None:
        """Why a statement may not simply be put in."""
        if self.base is None:
            return "the merge base does not have the function"
        if key_of(node) in {key_of(child) for child in _inner_of(self.base)}:
            return "the side changed it, it did not add it"
        parts = {
            ast.dump(child) for version in (self.base, self.target) for child in _inner_of(version)
        }
        for child in inner(node):
            plain = isinstance(child, ast.Pass | ast.Break | ast.Continue)
            if not plain and ast.dump(child) in parts:
                return f"it takes in line {child.lineno}, which was there before"
        # The taken side may have the use itself, in another block.
        there = self._keys(self.target.body) + self.put
        wanted = self._keys(self.function.body)
        for key, count in self._keys([node]).items():
            if there[key] and there[key] + count > wanted[key]:
                return f"{_list(self.uses)} is used there already"
        return None

    def _keys(self, body: Sequence[ast.stmt]) -> Counter[str]:
        """The statements that use the names, without what their blocks hold, and how often."""
        return Counter(
            key_of(node)
            for statement in body
            for node in (statement, *inner(statement))
            if any(mentions(part, self.uses) for part in head_of(node))
        )

    def _replaces(self, gap: Sequence[ast.stmt], old: Sequence[ast.stmt] | None) -> str | None:
        """Why a statement is no addition: it stands where the side took something out.

        What is used instead of it goes anyway, and what the other side took out as well is gone.
        """
        left = [node for node in gap if not mentions(node, self.gone)]
        if not left or (old is not None and all(mentions(node, self.gone) for node in old)):
            return None
        return f"the side has it in the place of line {left[0].lineno}, it did not add it"

    def _scope(self, node: ast.stmt, at: int) -> str | None:
        """Why the names of a statement would not mean there what they mean on its side."""
        mine, theirs = local_names(self.function), local_names(self.target)
        reads = needed([node])
        given = {part.arg for part in ast.walk(self.target.args) if isinstance(part, ast.arg)}
        earlier = given | {
            name
            for part in own_nodes(self.target)
            if getattr(part, "lineno", None) is not None
            for name in _bound_by(part)
            if self.text.starts[part.lineno - 1] < at  # type: ignore[attr-defined]
        }
        missing = (reads & mine) - (earlier & theirs)
        if missing:
            return f"it reads {_list(sorted(missing))}, which the function does not have"
        foreign = self.modules.foreign(reads - mine, theirs)
        if foreign is not None:
            return foreign
        bound = bound_names(node)
        moved = bound & (declared(self.function) ^ declared(self.target))
        if moved:
            return f"it binds {_list(sorted(moved))}, which is from outside in one version"
        waits = any(
            isinstance(part, ast.Await | ast.AsyncFor | ast.AsyncWith) for part in ast.walk(node)
        )
        if waits and not isinstance(self.target, ast.AsyncFunctionDef):
            return "it awaits, and the function is not async"
        assert self.base is not None
        known = {ast.dump(child) for child in _inner_of(self.function)}
        fresh = bound - local_names(self.base) - {"_"}
        for child in _inner_of(self.target):
            if ast.dump(child) in known:
                continue
            taken = {name for part in head_of(child) for name in _all_names(part)}
            taken |= _bound_by(child)
            if fresh & taken:
                return (
                    f"it binds {_list(sorted(fresh & taken))}, "
                    f"which line {child.lineno} has for itself"
                )
        return None

    def _order(self, node: ast.stmt, gap: Sequence[ast.stmt]) -> str | None:
        """Why it matters whether a statement stands before or after what the other side has there."""
        mine, binds = _all_names(node), bound_names(node)
        for other in gap:
            if mentions(other, self.gone):
                continue
            leaves = any(
                isinstance(part, ast.Return | ast.Raise | ast.Break | ast.Continue)
                for part in ast.walk(other)
            )
            if leaves or bound_names(other) & mine or _all_names(other) & binds:
                return f"whether it comes before or after line {other.lineno} is not known"
        return None

    def _read_later(self, node: ast.stmt, bound: set[str]) -> set[str]:
        """What a statement binds and the rest of its function reads."""
        start, end = self.source.span(node)
        return {
            part.id
            for part in ast.walk(self.function)
            if isinstance(part, ast.Name)
            and isinstance(part.ctx, ast.Load)
            and part.id in bound
            and not start <= self.source.span(part)[0] < end
        }

    def _unread(self, node: ast.stmt, bound: set[str]) -> set[str]:
        """What the side reads of what a statement binds, and the taken version would not."""
        reads = {
            part.id
            for part in ast.walk(self.target)
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
        }
        return self._read_later(node, bound) - reads - self.given

    def _place(
        self,
        ours: Sequence[ast.stmt],
        others: Sequence[ast.stmt],
        pairs: dict[int, int],
        index: int,
    ) -> tuple[int, bytes] | None:
        """Where a statement goes: after the nearest earlier one of both, else before the next."""
        for earlier in range(index - 1, -1, -1):
            if earlier in pairs:
                other = others[pairs[earlier]]
                rows = self.text.rows(other)
                return (
                    None if rows is None else (self.text.starts[rows[1]], self.text.indent(other))
                )
        for later in range(index + 1, len(ours)):
            if later in pairs:
                other = others[pairs[later]]
                rows = self.text.rows(other)
                return (
                    None if rows is None else (self.text.starts[rows[0]], self.text.indent(other))
                )
        return None

    def _lines(self, node: ast.stmt, rows: tuple[int, int], indent: bytes) -> list[bytes] | None:
        """The lines to put in: with the comment above, and the blank line before it."""
        first, last = rows
        while first and self._is_own_comment(self.source.lines[first - 1]):
            first -= 1
        lines = self.source.lines[first:last]
        old = self.source.indent(node)
        if old != indent:
            if any(
                isinstance(part, ast.Constant | ast.JoinedStr) and part.lineno != part.end_lineno
                for part in ast.walk(node)
            ):
                return None
            lines = [
                indent + line.removeprefix(old) if line.strip() else line.lstrip(b" \t")
                for line in lines
            ]
        newline = dominant_newline(self.text.data)
        if not lines[-1].endswith(b"\n"):
            lines[-1] += newline
        return [newline, *lines] if self.source.blank(first - 1) else lines

    def _is_own_comment(self, line: bytes) -> bool:
        """Whether a line is a comment that came with the statement."""
        bare = line.strip()
        return bare.startswith(b"#") and not any(bare == old.strip() for old in self.modules.base)

    def _follow(
        self,
        mine: ast.AST,
        other: ast.AST,
        bound: set[str],
        splices: list[Splice],
        problems: list[str],
    ) -> None:
        """Arguments that read what a kept statement binds, in calls that both versions make."""
        if type(mine) is not type(other) or ast.dump(mine) == ast.dump(other):
            return
        if isinstance(mine, ast.JoinedStr):
            return  # where its parts stand is not told rightly by every Python
        if isinstance(mine, ast.stmt) and isinstance(other, ast.stmt) and blocks_of(mine):
            for one, two in zip(blocks_of(mine), blocks_of(other), strict=False):
                for i, k in pairs_of(one, two).items():
                    self._follow(one[i], two[k], bound, splices, problems)
            return
        if isinstance(mine, ast.Call) and isinstance(other, ast.Call):
            if ast.dump(mine.func) != ast.dump(other.func):
                return
            given = arguments_of(other)
            for place, value in arguments_of(mine).items():
                now = given.get(place)
                if now is None or ast.dump(now) == ast.dump(value):
                    continue
                if not needed([value]) & bound:
                    self._follow(value, now, bound, splices, problems)
                elif not self._as_before(mine.func, place, now):
                    problems.append(f"line {now.lineno} passes something new as {place}")
                elif (needed([value]) - bound) & local_names(self.function) - local_names(
                    self.target
                ):
                    problems.append(f"line {now.lineno} does not have all that {place} reads")
                else:
                    self.given |= _all_names(value)
                    splices.append(Splice(*self.text.span(now), self.source.part(value)))
            return
        children = zip(ast.iter_child_nodes(mine), ast.iter_child_nodes(other), strict=False)
        for part, there in children:
            self._follow(part, there, bound, splices, problems)

    def _as_before(self, func: ast.expr, place: int | str, value: ast.expr) -> bool:
        """Whether the taken side left an argument as the merge base has it."""
        return self.base is not None and any(
            isinstance(part, ast.Call)
            and ast.dump(part.func) == ast.dump(func)
            and place in arguments_of(part)
            and ast.dump(arguments_of(part)[place]) == ast.dump(value)
            for part in ast.walk(self.base)
        )


def _inner_of(function: Function) -> Iterator[ast.stmt]:
    for node in function.body:
        yield node
        yield from inner(node)


def _gap(others: Sequence[ast.stmt], pairs: dict[int, int], index: int) -> Sequence[ast.stmt]:
    """The other version's statements between the neighbours of a statement that it has not."""
    start = max((k + 1 for i, k in pairs.items() if i < index), default=0)
    end = min((k for i, k in pairs.items() if i > index), default=len(others))
    return others[start:end]


def _bound_by(node: ast.AST) -> set[str]:
    """What a node binds itself; a statement only in its own head."""
    if isinstance(node, ast.stmt):
        found = {name for part in head_of(node) for name in bound_names(part)}
        named = isinstance(node, Function | ast.ClassDef)
        return {node.name} if named else found  # type: ignore[attr-defined]
    return {name for name, part in bindings(node) if part is node}


def _all_names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
