"""One side's uses of named things, put into the other side's version of a file.

A rule can take a file whole from one side although the other side's code must go on through names
that only it has. The statements that use those names are put where they stand among the statements
that both versions share; the arguments after them that read what they bind follow; and what the
taken version used instead goes. Whatever would guess is refused and said.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import accumulate

from mergewright.rules.names import tree_of
from mergewright.rules.syntax import Splice, apply
from mergewright.text.lines import dominant_newline, split_lines

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptUses:
    """What became of one file.

    Attributes:
        data: The new text.
        edits: The splices of each change with its sentence.
        refused: One sentence a use that could not be put back, or a replaced one that stays.
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
    wanted, there, before = _functions(side), _functions(result), _functions(old)
    edits: list[tuple[tuple[Splice, ...], str]] = []
    refused: list[str] = []
    for name, function in wanted.items():
        if not _mentions(function, uses):
            continue
        if any(other.startswith(f"{name}.") and _mentions(wanted[other], uses) for other in wanted):
            refused.append(f"{name} uses {_list(uses)} in a nested function; left as it is")
            continue
        target = there.get(name)
        if target is None:
            refused.append(f"{name} uses {_list(uses)} and is not there")
            continue
        work = _Carry(
            _Text(merged), _Text(source), target, function, before.get(name), frozenset(uses)
        )
        work.block(function.body, target.body)
        refused += [f"{name}: {why}" for why in work.refused]
        edits += [
            (tuple(splices), f"{name} goes on through {_list(uses)}") for splices in work.edits
        ]
    gone = [name for name in instead_of if _names(result, name) and not _names(side, name)]
    for name in gone:
        splices, why = _without(_Text(merged), result, name)
        if why:
            refused.append(f"{name} stays: {why}")
        else:
            edits.append((tuple(splices), f"{name} is no longer used"))
    splices_of = _joined([splice for splices, _ in edits for splice in splices])
    try:
        data = apply(merged, splices_of)
    except ValueError:
        return KeptUses(data=merged, refused=("the uses to keep stand inside each other",))
    return KeptUses(data=data, edits=tuple(edits), refused=tuple(refused))


def _list(names: Collection[str]) -> str:
    return ", ".join(names)


def _joined(splices: Sequence[Splice]) -> list[Splice]:
    """Insertions at one place become one, in their order."""
    inserts: dict[int, bytes] = {}
    for splice in splices:
        if splice.start == splice.end:
            inserts[splice.start] = inserts.get(splice.start, b"") + splice.text
    rest = [splice for splice in splices if splice.start < splice.end]
    return rest + [Splice(at, at, text) for at, text in inserts.items()]


# -- texts and trees -------------------------------------------------------------------------------


class _Text:
    """A text with the offsets of its lines."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.lines = split_lines(data)
        self.starts = [0, *accumulate(len(line) for line in self.lines)]

    def span(self, node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def part(self, node: ast.expr) -> bytes:
        start, end = self.span(node)
        return self.data[start:end]

    def rows(self, node: ast.stmt) -> tuple[int, int] | None:
        """The lines of a statement (from 0, end excluded) when it has them to itself."""
        decorators = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)]) - 1
        last = node.end_lineno or node.lineno
        head = self.lines[first][: node.col_offset]
        tail = self.lines[last - 1][node.end_col_offset or 0 :].strip()
        if head.strip() or (tail and not tail.startswith(b"#")):
            return None
        return first, last

    def blank(self, row: int) -> bool:
        return 0 <= row < len(self.lines) and not self.lines[row].strip()

    def indent(self, node: ast.stmt) -> bytes:
        return self.lines[node.lineno - 1][: node.col_offset]


def _functions(tree: ast.Module) -> dict[str, _Function]:
    """All functions by dotted name; of several of one name none."""
    found: dict[str, _Function | None] = {}
    stack: list[tuple[str, Sequence[ast.stmt]]] = [("", tree.body)]
    while stack:
        prefix, body = stack.pop()
        for node in body:
            if isinstance(node, ast.ClassDef | _Function):
                name = f"{prefix}{node.name}"
                if isinstance(node, _Function):
                    found[name] = None if name in found else node
                stack.append((f"{name}.", node.body))
            else:
                stack += [(prefix, block) for block in _blocks(node)]
    return {name: node for name, node in sorted(found.items()) if node is not None}


def _blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of a compound statement, in their order; empty ones too."""
    blocks: list[list[ast.stmt]] = []
    if isinstance(node, ast.ClassDef | _Function):
        return blocks
    for name in ("body", "handlers", "cases", "orelse", "finalbody"):
        value = getattr(node, name, None)
        if not isinstance(value, list):
            continue
        if name in {"handlers", "cases"}:
            blocks += [part.body for part in value]
        else:
            blocks.append(value)
    return blocks


def _inner(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements inside a statement, at any depth."""
    for block in _blocks(node):
        for child in block:
            yield child
            yield from _inner(child)


def _key(node: ast.stmt) -> str:
    """What makes two versions of a statement the same one, whatever it holds."""
    match node:
        case ast.Assign(targets=targets, value=ast.Call(func=func)):
            return f"= {' '.join(map(ast.dump, targets))} {ast.dump(func)}"
        case ast.Assign(targets=targets):
            return f"= {' '.join(map(ast.dump, targets))}"
        case ast.Expr(value=ast.Call(func=func)):
            return f"call {ast.dump(func)}"
        case ast.If(test=test) | ast.While(test=test):
            return f"{type(node).__name__} {ast.dump(test)}"
        case ast.For(target=target, iter=over) | ast.AsyncFor(target=target, iter=over):
            return f"for {ast.dump(target)} {ast.dump(over)}"
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return f"with {' '.join(map(ast.dump, items))}"
        case ast.Try():
            return "try"
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return f"def {name}"
    return ast.dump(node)


def _pairs(ours: Sequence[ast.stmt], others: Sequence[ast.stmt]) -> dict[int, int]:
    """Which statement of one block is which of the other, by index; order kept."""
    matcher = SequenceMatcher(None, [*map(_key, ours)], [*map(_key, others)], autojunk=False)
    return {
        block.a + step: block.b + step
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    }


def _mentions(node: ast.AST, names: Collection[str]) -> bool:
    return any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node))


def _names(tree: ast.Module, name: str) -> bool:
    return any(
        (isinstance(part, ast.Name) and part.id == name)
        or (isinstance(part, ast.alias) and (part.asname or part.name) == name)
        for part in ast.walk(tree)
    )


def _bound(node: ast.AST) -> set[str]:
    """Names that are bound somewhere inside."""
    found = {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    found |= {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    for part in ast.walk(node):
        if isinstance(part, ast.alias):
            found.add((part.asname or part.name).split(".")[0])
        elif part is not node and isinstance(
            part, ast.ExceptHandler | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ):
            found.add(part.name or "")
    return found


def _read(node: ast.AST) -> set[str]:
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)
    }


def _arguments(call: ast.Call) -> dict[int | str, ast.expr]:
    """The arguments of a call by position or keyword, up to the first starred one."""
    found: dict[int | str, ast.expr] = {}
    for number, value in enumerate(call.args):
        if isinstance(value, ast.Starred):
            break
        found[number] = value
    return found | {word.arg: word.value for word in call.keywords if word.arg is not None}


# -- uses that are kept ----------------------------------------------------------------------------


@dataclass(slots=True)
class _Carry:
    """One function: its version of the side whose uses are kept, put into the taken version."""

    text: _Text
    source: _Text
    target: _Function
    function: _Function
    base: _Function | None
    uses: frozenset[str]
    edits: list[list[Splice]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def block(self, ours: Sequence[ast.stmt], others: Sequence[ast.stmt]) -> None:
        """Work on a block that both versions have."""
        pairs = _pairs(ours, others)
        for index, node in enumerate(ours):
            if not _mentions(node, self.uses):
                continue
            if index not in pairs:
                self._insert(ours, others, pairs, index)
                continue
            other = others[pairs[index]]
            mine, theirs = _blocks(node), _blocks(other)
            if len(mine) != len(theirs):
                self.refused.append(f"line {node.lineno}: its blocks differ")
                continue
            for one, two in zip(mine, theirs, strict=True):
                if any(_mentions(child, self.uses) for child in one):
                    self.block(one, two)

    def _insert(
        self,
        ours: Sequence[ast.stmt],
        others: Sequence[ast.stmt],
        pairs: dict[int, int],
        index: int,
    ) -> None:
        node = ours[index]
        why = self._doubt(node)
        place = self._place(ours, others, pairs, index)
        rows = self.source.rows(node)
        if why is None and (place is None or rows is None):
            why = "its place is not known"
        if why is not None or place is None or rows is None:
            self.refused.append(f"line {node.lineno} is not put in: {why}")
            return
        at, indent = place
        lines = self._lines(node, rows, indent)
        if lines is None:
            self.refused.append(f"line {node.lineno} is not put in: a string spans its lines")
            return
        splices = [Splice(at, at, b"".join(lines))]
        bound = _bound(node)
        follow = [(ours[i], others[k]) for i, k in pairs.items() if i > index]
        problems: list[str] = []
        for mine, other in follow:
            self._follow(mine, other, bound, splices, problems)
        if problems:
            self.refused += [f"line {node.lineno} is not put in: {what}" for what in problems]
            return
        self.edits.append(splices)

    def _doubt(self, node: ast.stmt) -> str | None:
        """Why a statement may not simply be put in."""
        if self.base is None:
            return "the merge base does not have the function"
        if _key(node) in {_key(child) for child in _inner_of(self.base)}:
            return "the side changed it, it did not add it"
        parts = {ast.dump(child) for child in _inner_of(self.base)}
        for child in _inner(node):
            plain = isinstance(child, ast.Pass | ast.Break | ast.Continue)
            if not plain and ast.dump(child) in parts:
                return f"it takes in line {child.lineno}, which was there before"
        local = _bound(self.function)
        missing = (_read(node) & local) - _bound(node) - _bound(self.target)
        if missing:
            return f"it reads {_list(sorted(missing))}, which the function does not have"
        return None

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
        while first and self.source.lines[first - 1].lstrip().startswith(b"#"):
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
        if isinstance(mine, ast.stmt) and isinstance(other, ast.stmt) and _blocks(mine):
            for one, two in zip(_blocks(mine), _blocks(other), strict=False):
                for i, k in _pairs(one, two).items():
                    self._follow(one[i], two[k], bound, splices, problems)
            return
        if isinstance(mine, ast.Call) and isinstance(other, ast.Call):
            if ast.dump(mine.func) != ast.dump(other.func):
                return
            given = _arguments(other)
            for place, value in _arguments(mine).items():
                now = given.get(place)
                if now is None or ast.dump(now) == ast.dump(value):
                    continue
                if not _read(value) & bound:
                    self._follow(value, now, bound, splices, problems)
                elif not self._as_before(mine.func, place, now):
                    problems.append(f"line {now.lineno} passes something new as {place}")
                else:
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
            and place in _arguments(part)
            and ast.dump(_arguments(part)[place]) == ast.dump(value)
            for part in ast.walk(self.base)
        )


def _inner_of(function: _Function) -> Iterator[ast.stmt]:
    for node in function.body:
        yield node
        yield from _inner(node)


# -- what was used instead -------------------------------------------------------------------------


def _without(text: _Text, tree: ast.Module, name: str) -> tuple[list[Splice], str]:
    """The splices that take a name's uses and import out, or why they cannot."""
    parents: dict[ast.AST, ast.AST] = {
        child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
    }
    gone: dict[ast.stmt, ast.stmt] = {}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Name) and node.id == name):
            continue
        holder: ast.AST = node
        while not isinstance(holder, ast.stmt):
            holder = parents[holder]
        if not isinstance(holder, _SIMPLE) or not isinstance(node.ctx, ast.Load):
            return [], f"line {node.lineno} needs it"
        scope: ast.AST = holder
        while not isinstance(scope, _Function | ast.Module):
            scope = parents[scope]
        elsewhere: set[str] = set()
        for other in ast.walk(scope):
            if isinstance(other, ast.arg):
                elsewhere.add(other.arg)
            elif isinstance(other, ast.stmt) and isinstance(other, _SIMPLE) and other is not holder:
                elsewhere |= _bound(other)
        lost = _bound(holder) - elsewhere
        if lost & {word for other in ast.walk(scope) for word in _read(other)}:
            return [], f"line {holder.lineno} binds {_list(sorted(lost))}, which is read"
        outer = _outer(holder, parents)
        if outer is None:
            return [], f"line {holder.lineno} is all that its block holds"
        gone[holder] = outer
    splices = []
    for outer in dict.fromkeys(gone.values()):
        rows = text.rows(outer)
        if rows is None:
            return [], f"line {outer.lineno} has other code in it"
        splices.append(_cut(text, rows))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            cut = _import_without(text, node, name)
            splices += [] if cut is None else [cut]
    return splices, ""


def _outer(node: ast.stmt, parents: dict[ast.AST, ast.AST]) -> ast.stmt | None:
    """The statement to take out: the ``if`` around it when it holds nothing else."""
    while True:
        parent = parents[node]
        block = next((b for b in _holders(parent) if node in b), [])
        if len(block) > 1:
            return node
        if not (isinstance(parent, ast.If) and block is parent.body and not parent.orelse):
            return None
        above = parents[parent]
        if isinstance(above, ast.If) and above.orelse == [parent]:
            return None
        node = parent


def _holders(node: ast.AST) -> list[list[ast.stmt]]:
    if isinstance(node, ast.Module | ast.ClassDef | _Function | ast.ExceptHandler | ast.match_case):
        return [node.body]
    return _blocks(node) if isinstance(node, ast.stmt) else []


def _cut(text: _Text, rows: tuple[int, int]) -> Splice:
    first, last = rows
    if text.blank(first - 1) and text.blank(last):
        last += 1
    return Splice(text.starts[first], text.starts[last], b"")


def _import_without(text: _Text, node: ast.Import | ast.ImportFrom, name: str) -> Splice | None:
    index = next(
        (i for i, alias in enumerate(node.names) if (alias.asname or alias.name) == name), None
    )
    if index is None:
        return None
    if len(node.names) == 1:
        rows = text.rows(node)
        return None if rows is None else Splice(text.starts[rows[0]], text.starts[rows[1]], b"")
    if index + 1 < len(node.names):
        start = text.span(node.names[index])[0]
        return Splice(start, text.span(node.names[index + 1])[0], b"")
    return Splice(text.span(node.names[index - 1])[1], text.span(node.names[index])[1], b"")
