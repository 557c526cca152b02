"""Edits of one Python text: a piece of another version put back where its neighbours stand.

Every edit gives the whole new text, or ``None`` where the place is not certain. Nothing here knows of
findings or trees.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mergewright.audit.source import CallChange, dotted
from mergewright.text.syntax import syntax_tree

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_IMPORTS = (ast.Import, ast.ImportFrom)

Wanted = Callable[[ast.stmt], bool]


@dataclass(frozen=True, slots=True)
class Text:
    """A parsed file with its lines."""

    data: bytes
    rows: list[bytes]
    tree: ast.Module


def parse_text(data: bytes | None) -> Text | None:
    """A text with its syntax tree; ``None`` where there is none, or it does not parse."""
    if data is None:
        return None
    tree = syntax_tree(data)
    return None if tree is None else Text(data, data.splitlines(keepends=True), tree)


# -- where things stand ------------------------------------------------------------------------------


def definition(text: Text, owner: str) -> ast.stmt | None:
    """The one function or class of a dotted path; ``None`` when there is none, or more than one."""
    body: list[ast.stmt] = text.tree.body
    found: ast.stmt | None = None
    for part in owner.split("."):
        hits = [n for n in body if isinstance(n, DEFINITIONS) and n.name == part]
        if len(hits) != 1:
            return None
        found = hits[0]
        body = hits[0].body
    return found


def scope(text: Text, owner: str) -> list[ast.stmt] | None:
    """The suite of a function or class; of the module when ``owner`` is empty."""
    if not owner:
        return text.tree.body
    found = definition(text, owner)
    return found.body if isinstance(found, DEFINITIONS) else None


def names_of(node: ast.stmt) -> set[tuple[str, str]]:
    """What a statement binds: definitions and plain names."""
    if isinstance(node, DEFINITIONS):
        return {("def", node.name)}
    if isinstance(node, ast.Assign):
        return {("name", t.id) for t in node.targets if isinstance(t, ast.Name)}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {("name", node.target.id)}
    return set()


def _inner(node: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The suites of a compound statement; a definition's are its own affair."""
    if isinstance(node, DEFINITIONS):
        return
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block:
            yield block
    for handler in getattr(node, "handlers", ()):
        yield handler.body
    for case in getattr(node, "cases", ()):
        yield case.body


def _blocks(body: list[ast.stmt]) -> list[list[ast.stmt]]:
    out = [body]
    for node in body:
        for block in _inner(node):
            out.extend(_blocks(block))
    return out


class _Step(NamedTuple):
    """One level on the way from a scope down to a statement."""

    block: list[ast.stmt]
    at: int


def _ways(body: list[ast.stmt], wanted: Wanted) -> Iterator[list[_Step]]:
    """The ways down to each wanted statement, outermost step first."""
    for index, node in enumerate(body):
        if wanted(node):
            yield [_Step(body, index)]
        for block in _inner(node):
            for below in _ways(block, wanted):
                yield [_Step(body, index), *below]


class _Unit(NamedTuple):
    """A statement with the string that documents it (the line below a field)."""

    node: ast.stmt
    last: ast.stmt


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _units(block: list[ast.stmt]) -> list[_Unit]:
    out: list[_Unit] = []
    for node in block:
        if out and _is_text(node) and isinstance(out[-1].last, (ast.Assign, ast.AnnAssign)):
            out[-1] = _Unit(out[-1].node, node)
        else:
            out.append(_Unit(node, node))
    return out


def _same(one: _Unit, other: _Unit, *, first: bool) -> bool:
    """Whether two statements are the same neighbour: one name, or one text without layout."""
    if one.node.__class__ is not other.node.__class__:
        return False
    names = names_of(one.node)
    if names:
        return names == names_of(other.node)
    if first and _is_text(one.node):
        return _is_text(other.node)
    return ast.dump(one.node) == ast.dump(other.node)


def _first_row(node: ast.stmt, text: Text, floor: int) -> int:
    """First row (0-based) of a statement with its decorators and the comments right above."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    start = min([node.lineno, *(d.lineno for d in decorators)]) - 1
    while start > floor and text.rows[start - 1].strip().startswith(b"#"):
        above = text.rows[start - 1]
        if len(above) - len(above.lstrip()) != node.col_offset:
            break
        start -= 1
    return start


# -- statements --------------------------------------------------------------------------------------


def insert_statement(
    merged: Text,
    source: Text,
    owner: str,
    wanted: Wanted,
    *,
    far: bool = False,
    shown: Callable[[ast.stmt], str] | None = None,
) -> bytes | None:
    """The merged text with a statement of the source put back beside a neighbour that stands.

    When the neighbours in its own suite are gone because the whole compound statement is, that goes
    back with it.

    Args:
        merged: The text that lacks it.
        source: The text that has it, once.
        owner: Dotted path of the scope that holds it.
        wanted: Tells the statement.
        far: Siblings that are gone as well may stand between (order is of no concern to
            definitions).
        shown: Text to put instead of the statement's own lines.
    """
    theirs, mine = scope(source, owner), scope(merged, owner)
    if theirs is None or mine is None:
        return None
    ways = list(_ways(theirs, wanted))
    if len(ways) != 1:
        return None
    way = ways[0]
    for depth in range(len(way) - 1, -1, -1):
        step = way[depth]
        node = step.block[step.at]
        if depth < len(way) - 1 and any(
            _header(other) == _header(node) for block in _blocks(mine) for other in block
        ):
            # It stands there, with other things in it: where inside is not known.
            return None
        made = _insert(merged, source, mine, step, far=far, shown=shown)
        if made is not None:
            return made
    return None


def _header(node: ast.stmt) -> str:
    """A compound statement without its suites."""
    parts = [node.__class__.__name__]
    for name in ("test", "target", "iter", "subject", "items"):
        part = getattr(node, name, None)
        items = part if isinstance(part, list) else [part]
        parts.extend(ast.dump(item) for item in items if isinstance(item, ast.AST))
    return "\0".join(parts) if any(_inner(node)) else f"{id(node)}"


def _insert(
    merged: Text,
    source: Text,
    mine: list[ast.stmt],
    step: _Step,
    *,
    far: bool,
    shown: Callable[[ast.stmt], str] | None,
) -> bytes | None:
    units = _units(step.block)
    index = next(n for n, unit in enumerate(units) if unit.node is step.block[step.at])
    node, last = units[index]
    floor = (units[index - 1].last.end_lineno or 0) if index else 0
    start, end = _first_row(node, source, floor), last.end_lineno or 0
    piece = source.rows[start:end]
    if shown is not None:
        piece = [b" " * node.col_offset + shown(node).encode() + b"\n"]
    if not piece:
        return None
    if not piece[-1].endswith((b"\n", b"\r")):
        piece[-1] += b"\n"
    targets = [_units(block) for block in _blocks(mine)]
    for step_size in (1, -1):
        at = index - step_size
        while 0 <= at < len(units):
            anchor = units[at]
            hits = [
                (target, position)
                for target in targets
                for position, other in enumerate(target)
                if other.node.col_offset == node.col_offset
                and _same(anchor, other, first=at == 0 and position == 0)
            ]
            if len(hits) == 1:
                target, position = hits[0]
                if step_size == 1:
                    return _put_after(merged, source, target[position], piece, start)
                before = (target[position - 1].last.end_lineno or 0) if position else 0
                row = _first_row(target[position].node, merged, before)
                blank = _blank_rows(source.rows[end:])
                return b"".join([*merged.rows[:row], *piece, *blank, *merged.rows[row:]])
            if hits or not far:
                break
            at -= step_size
    return None


def _put_after(merged: Text, source: Text, anchor: _Unit, piece: list[bytes], start: int) -> bytes:
    """A piece after a statement, with the blank lines that stood before it in its source."""
    rows = list(merged.rows)
    at = anchor.last.end_lineno or 0
    if rows and not rows[at - 1].endswith((b"\n", b"\r")):
        rows[at - 1] += b"\n"
    blank = _blank_rows(reversed(source.rows[:start]))
    rows[at:at] = [*blank, *piece]
    return b"".join(rows)


def _blank_rows(rows: Iterator[bytes] | Sequence[bytes]) -> list[bytes]:
    out = []
    for row in rows:
        if row.strip():
            break
        out.append(b"\n")
    return out


def statement_with_call(callee: str) -> Wanted:
    """Tells a simple statement in which a function is called."""

    def wanted(node: ast.stmt) -> bool:
        return not any(_inner(node)) and not isinstance(node, DEFINITIONS) and _calls_it(node)

    def _calls_it(node: ast.stmt) -> bool:
        return any(
            isinstance(inner, ast.Call) and dotted(inner.func) == callee for inner in ast.walk(node)
        )

    return wanted


def statement_with_argument(flag: str) -> Wanted:
    """Tells the statement that adds a command-line argument."""

    def wanted(node: ast.stmt) -> bool:
        return isinstance(node, (ast.Expr, ast.Assign)) and any(
            isinstance(inner, ast.Call)
            and dotted(inner.func).endswith("add_argument")
            and any(isinstance(a, ast.Constant) and a.value == flag for a in inner.args)
            for inner in ast.walk(node)
        )

    return wanted


def rebinds(merged: Text, owner: str, node: ast.stmt) -> bool:
    """Whether a scope binds already what an assignment binds: then its place is another question."""
    if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
        return False
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    shown = {ast.unparse(target) for target in targets}
    return any(
        ast.unparse(target) in shown
        for block in _blocks(scope(merged, owner) or [])
        for other in block
        if isinstance(other, (ast.Assign, ast.AnnAssign, ast.AugAssign))
        for target in (other.targets if isinstance(other, ast.Assign) else [other.target])
    )


def find_statement(text: Text, owner: str, wanted: Wanted) -> ast.stmt | None:
    """The one statement of a scope that is wanted."""
    ways = list(_ways(scope(text, owner) or [], wanted))
    return ways[0][-1].block[ways[0][-1].at] if len(ways) == 1 else None


def remove_double(merged: Text, owner: str, name: str) -> bytes | None:
    """A class without the later of two equal fields and the string that documents it."""
    body = scope(merged, owner)
    found = [u for u in _units(body or []) if ("name", name) in names_of(u.node)]
    if len(found) != 2 or ast.dump(found[0].node) != ast.dump(found[1].node):
        return None
    first, second = found
    texts = [None if u.last is u.node else ast.dump(u.last) for u in (first, second)]
    if texts[1] is not None and texts[0] != texts[1]:
        return None
    start, end = second.node.lineno - 1, second.last.end_lineno or 0
    end += len(_blank_rows(merged.rows[end:]))
    return b"".join([*merged.rows[:start], *merged.rows[end:]])


def effects(text: Text, owner: str, call: str) -> list[ast.Expr]:
    """Statements of a function that are one call and nothing else, by the call's text."""
    return [
        node
        for block in _blocks(scope(text, owner) or [])
        for node in block
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and ast.unparse(node.value) == call
    ]


def without(text: Text, node: ast.stmt) -> bytes | None:
    """A text without one statement; ``None`` when its suite or its lines hold nothing else, or more.

    Args:
        text: The text.
        node: The statement, of the text's own tree.
    """
    suites = (
        block
        for holder in ast.walk(text.tree)
        for _, block in ast.iter_fields(holder)
        if isinstance(block, list)
    )
    suite = next((block for block in suites if any(item is node for item in block)), None)
    if suite is None or len(suite) < 2:
        return None
    start, end = node.lineno - 1, node.end_lineno or 0
    tail = text.rows[end - 1][node.end_col_offset or 0 :].strip()
    if text.rows[start][: node.col_offset].strip() or (tail and not tail.startswith(b"#")):
        return None
    return b"".join([*text.rows[:start], *text.rows[end:]])


def without_second_argument(text: Text, flag: str) -> bytes | None:
    """A file that adds a command-line argument once, where two statements add the same one."""
    wanted = statement_with_argument(flag)
    found = [node for node in ast.walk(text.tree) if isinstance(node, ast.stmt) and wanted(node)]
    found.sort(key=lambda node: node.lineno)
    if len(found) != 2 or ast.dump(found[0]) != ast.dump(found[1]):
        return None
    return without(text, found[1]) if isinstance(found[1], ast.Expr) else None


def between(text: Text, owner: str, first: ast.stmt, second: ast.stmt) -> list[ast.stmt] | None:
    """The statements between two of one suite; ``None`` when they do not stand in one."""
    suite = next((b for b in _blocks(scope(text, owner) or []) if first in b), [])
    if second not in suite:
        return None
    return suite[suite.index(first) + 1 : suite.index(second)]


def disturbs(nodes: Sequence[ast.AST], call: ast.Call) -> bool:
    """Whether a method call may mean or do another thing after statements than before them.

    So it may where they name what the method is called on, call anything on what holds that or give it
    away, bind or change a name that the call reads, or let other tasks run.

    Args:
        nodes: The statements.
        call: The call, of a method.
    """
    assert isinstance(call.func, ast.Attribute)
    target, root = dotted(call.func.value), _root(call.func)
    if root is None:
        return True
    names = {node.id for node in ast.walk(call) if isinstance(node, ast.Name)}
    walked = [inner for node in nodes for inner in ast.walk(node)]
    heads = {id(node.value) for node in walked if isinstance(node, ast.Attribute)}
    for node in walked:
        match node:
            case ast.Name():
                bare = node.id == root and id(node) not in heads
                if bare or (node.id in names and not isinstance(node.ctx, ast.Load)):
                    return True
            case ast.Attribute() | ast.Subscript():
                shown = f"{dotted(node)}."
                if not isinstance(node.ctx, ast.Load) and _root(node) in names - {root}:
                    return True
                if shown.startswith(f"{target}.") or f"{target}.".startswith(shown):
                    return True
            case ast.Call(func=func):
                if _root(func) in names:
                    return True
            case ast.Await() | ast.Yield() | ast.YieldFrom() | ast.AsyncFor() | ast.AsyncWith():
                return True
            case ast.keyword() | ast.Constant() | ast.arg():
                pass
            case _:
                # Imports, definitions, handlers and patterns bind names that are no nodes.
                if any(v in names for _, v in ast.iter_fields(node) if isinstance(v, str)):
                    return True
    return False


def _root(node: ast.AST) -> str | None:
    """The name that a chain of attributes, items and calls starts with."""
    while not isinstance(node, ast.Name):
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return None
    return node.id


def same_function(one: Text, other: Text | None, owner: str) -> bool:
    """Whether two texts have a function that is the same without layout."""
    mine = definition(one, owner)
    theirs = None if other is None else definition(other, owner)
    return mine is not None and theirs is not None and ast.dump(mine) == ast.dump(theirs)


def callers(text: Text, method: str) -> set[str]:
    """The functions of a file that call or name a method, of whatever class, by dotted paths.

    Code outside of functions is the path ``""``.
    """
    found: set[str] = set()
    waiting: list[tuple[str, ast.AST]] = [("", text.tree)]
    while waiting:
        owner, holder = waiting.pop()
        for node in ast.iter_child_nodes(holder):
            path = f"{owner}.{node.name}".lstrip(".") if isinstance(node, DEFINITIONS) else owner
            if isinstance(node, _FUNCTIONS):
                if any(_names(inner, method) for inner in ast.walk(node)):
                    found.add(path)
            elif _names(node, method):
                found.add("")
            else:
                waiting.append((path, node))
    return found


def _names(node: ast.AST, method: str) -> bool:
    if isinstance(node, ast.Constant):
        return bool(node.value == method)
    return isinstance(node, ast.Attribute) and node.attr == method


# -- imports -----------------------------------------------------------------------------------------


def import_fact(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    """The name under which the facts of a file count an import."""
    shown = alias.name if isinstance(node, ast.Import) else f":{alias.name}"
    if isinstance(node, ast.ImportFrom):
        shown = "." * node.level + (node.module or "") + shown
    return shown + (f" as {alias.asname}" if alias.asname else "")


def _import_line(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str:
    shown = alias.name + (f" as {alias.asname}" if alias.asname else "")
    if isinstance(node, ast.Import):
        return f"import {shown}"
    return f"from {'.' * node.level}{node.module or ''} import {shown}"


def restore_import(merged: Text, source: Text, owner: str, fact: str) -> bytes | None:
    """The merged text with a lost import of a scope put back."""
    for block in _blocks(scope(source, owner) or []):
        for node in block:
            if not isinstance(node, _IMPORTS):
                continue
            for alias in node.names:
                if import_fact(node, alias) != fact:
                    continue
                if block is source.tree.body:
                    return add_import(merged, source, node, alias)
                return _nested_import(merged, source, owner, node, alias)
    return None


def _nested_import(
    merged: Text, source: Text, owner: str, node: ast.Import | ast.ImportFrom, alias: ast.alias
) -> bytes | None:
    """An import inside of a function, a class, ``try`` or ``if TYPE_CHECKING``."""
    joins = [
        other
        for block in _blocks(scope(merged, owner) or [])
        for other in block
        if isinstance(other, ast.ImportFrom)
        and isinstance(node, ast.ImportFrom)
        and (other.module, other.level) == (node.module, node.level)
        and other.col_offset == node.col_offset
    ]
    if len(joins) == 1:
        return _join_import(merged, joins[0], alias)
    line = _import_line(node, alias)
    return insert_statement(
        merged, source, owner, lambda other: other is node, shown=lambda _: line, far=True
    )


def add_import(
    merged: Text, source: Text, node: ast.Import | ast.ImportFrom, alias: ast.alias
) -> bytes | None:
    """The merged text with one import binding of the source's top put back.

    It joins a ``from`` import of the same module when there is one; else it stands after the
    import that it followed in its parent, or after the last import at the top.
    """
    if isinstance(node, ast.ImportFrom):
        for other in merged.tree.body:
            if (
                isinstance(other, ast.ImportFrom)
                and (other.module, other.level) == (node.module, node.level)
                and other.names[0].name != "*"
            ):
                return _join_import(merged, other, alias)
    line = _import_line(node, alias).encode() + b"\n"
    imports = [n for n in merged.tree.body if isinstance(n, _IMPORTS)]
    if not imports:
        return None
    body = source.tree.body
    at = imports[-1].end_lineno or 0
    for previous in reversed(body[: body.index(node)]):
        if isinstance(previous, _IMPORTS):
            hits = [n for n in imports if _module(n) == _module(previous)]
            if len(hits) == 1:
                at = hits[0].end_lineno or at
                break
    rows = list(merged.rows)
    rows[at:at] = [line]
    return b"".join(rows)


def _module(node: ast.Import | ast.ImportFrom) -> tuple[int, str]:
    if isinstance(node, ast.Import):
        return (-1, node.names[0].name)
    return (node.level, node.module or "")


def _join_import(merged: Text, node: ast.ImportFrom, alias: ast.alias) -> bytes | None:
    shown = alias.name + (f" as {alias.asname}" if alias.asname else "")
    last = node.names[-1]
    rows = list(merged.rows)
    row = (last.end_lineno or last.lineno) - 1
    end = last.end_col_offset or 0
    head, tail = rows[row][:end], rows[row][end:]
    if node.lineno not in (node.end_lineno, last.lineno):
        rows[row] = head + b"," + tail.lstrip(b",")
        rows[row + 1 : row + 1] = [_indent(rows[row]) + shown.encode() + b"," + _ending(rows[row])]
    else:
        rows[row] = head + b", " + shown.encode() + tail
    return b"".join(rows)


def _indent(row: bytes) -> bytes:
    return row[: len(row) - len(row.lstrip())]


def _ending(row: bytes) -> bytes:
    return b"\r\n" if row.endswith(b"\r\n") else b"\n"


# -- items of bracketed lists ------------------------------------------------------------------------


class _Span(NamedTuple):
    """Where an item stands: 1-based lines, byte columns."""

    line: int
    column: int
    end_line: int
    end_column: int


def _span(node: ast.expr | ast.arg | ast.keyword) -> _Span:
    return _Span(
        node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or 0
    )


def segment(text: Text, span: _Span) -> str:
    """The source between two places; the library's own way splits the whole file each time."""
    rows = text.rows[span.line - 1 : span.end_line]
    if not rows:
        return ""
    rows[-1] = rows[-1][: span.end_column]
    rows[0] = rows[0][span.column :]
    return b"".join(rows).decode("utf-8", "replace")


def _after(merged: Text, last: _Span, first_line: int, item: str) -> bytes | None:
    """An item put after another of a bracketed list, on a line of its own where that has one."""
    rows = list(merged.rows)
    row = last.end_line - 1
    head, tail = rows[row][: last.end_column], rows[row][last.end_column :]
    rest = re.match(rb"[ \t]*(,?)([ \t]*#.*)?[ \t]*(?:\r?\n)?$", tail)
    if last.end_line > first_line and rest is not None:
        ending = _ending(rows[row])
        rows[row] = head + b"," + (rest[2] or b"").rstrip() + ending
        rows[row + 1 : row + 1] = [_indent_of(rows, last) + item.encode() + b"," + ending]
    elif tail.lstrip().startswith((b")", b",", b"]", b":")):
        rows[row] = head + b", " + item.encode() + tail
    else:
        return None
    return b"".join(rows)


def _indent_of(rows: list[bytes], span: _Span) -> bytes:
    return _indent(rows[span.line - 1])


def _before(merged: Text, first: _Span, item: str) -> bytes:
    """An item put before another of a bracketed list."""
    rows = list(merged.rows)
    row = rows[first.line - 1]
    if not row[: first.column].strip():
        rows[first.line - 1 : first.line - 1] = [
            row[: first.column] + item.encode() + b"," + _ending(row)
        ]
    else:
        rows[first.line - 1] = row[: first.column] + item.encode() + b", " + row[first.column :]
    return b"".join(rows)


def _into_empty(merged: Text, line: int, pattern: bytes, item: str) -> bytes | None:
    """An item between empty brackets; ``pattern`` ends before the closing one."""
    rows = list(merged.rows)
    match = re.search(pattern, rows[line - 1])
    if match is None:
        return None
    rows[line - 1] = rows[line - 1][: match.end()] + item.encode() + rows[line - 1][match.end() :]
    return b"".join(rows)


def _among(
    merged: Text, first_line: int, wanted: list[tuple[str, str]], there: dict[str, _Span], name: str
) -> bytes | None:
    """A named item put back in the order that its source has.

    Args:
        merged: The text.
        first_line: Line of the opening bracket.
        wanted: Names and texts in the source's order.
        there: Places of those that stand.
        name: The one to put back.
    """
    names = [n for n, _ in wanted]
    at = names.index(name)
    item = wanted[at][1]
    if "\n" in item:
        return None
    for before in reversed(names[:at]):
        if before in there:
            return _after(merged, there[before], first_line, item)
    for after in names[at + 1 :]:
        if after in there:
            return _before(merged, there[after], item)
    return None


def add_export(merged: Text, source: Text, name: str) -> bytes | None:
    """``__all__`` with a lost name."""
    wanted, mine = _all_list(source, name), _all_list(merged, None)
    if wanted is None or mine is None:
        return None
    items = [(_text(e), segment(source, _span(e))) for e in wanted.elts]
    there = {_text(e): _span(e) for e in mine.elts}
    return _among(merged, mine.lineno, items, there, name)


def _all_list(text: Text, name: str | None) -> ast.List | ast.Tuple | None:
    """The list of names, the one that holds a name where there are several (``+=``)."""
    found = []
    for node in text.tree.body:
        if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if not any(isinstance(t, ast.Name) and t.id == "__all__" for t in targets):
            continue
        if isinstance(node.value, (ast.List, ast.Tuple)):
            found.append(node.value)
    if name is not None:
        found = [value for value in found if any(_text(e) == name for e in value.elts)]
    return found[0] if len(found) == 1 else None


def _text(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def add_base(merged: Text, source: Text, owner: str, name: str) -> bytes | None:
    """A class with a lost base."""
    theirs, mine = definition(source, owner), definition(merged, owner)
    if not isinstance(theirs, ast.ClassDef) or not isinstance(mine, ast.ClassDef):
        return None
    items = [(dotted(base), segment(source, _span(base))) for base in theirs.bases]
    if name not in dict(items):
        return None
    there = {dotted(base): _span(base) for base in mine.bases}
    made = _among(merged, mine.lineno, items, there, name)
    if made is not None or there:
        return made
    item = dict(items)[name]
    if mine.keywords:
        return _before(merged, _span(mine.keywords[0]), item)
    after = _into_empty(merged, mine.lineno, rb"class[ \t]+\w+[ \t]*\(", item)
    return after or _into_empty(merged, mine.lineno, rb"class[ \t]+\w+(?=[ \t]*:)", f"({item})")


def add_decorator(merged: Text, source: Text, owner: str, name: str) -> bytes | None:
    """A function or class with a lost decorator, in the order that the source has."""
    theirs, mine = definition(source, owner), definition(merged, owner)
    if not isinstance(theirs, DEFINITIONS) or not isinstance(mine, DEFINITIONS):
        return None

    def called(node: ast.expr) -> str:
        return dotted(node.func if isinstance(node, ast.Call) else node)

    order = [called(d) for d in theirs.decorator_list]
    if order.count(name) != 1:
        return None
    at = order.index(name)
    wanted = theirs.decorator_list[at]
    piece = source.rows[wanted.lineno - 1 : wanted.end_lineno]
    there = {called(d): d for d in mine.decorator_list}
    row = min([mine.lineno, *(d.lineno for d in mine.decorator_list)]) - 1
    for before in reversed(order[:at]):
        if before in there:
            row = there[before].end_lineno or row
            break
    indent = _indent(merged.rows[mine.lineno - 1])
    if _indent(piece[0]) != indent:
        return None
    return b"".join([*merged.rows[:row], *piece, *merged.rows[row:]])


# -- parameters and arguments ------------------------------------------------------------------------


class _Param(NamedTuple):
    """A parameter with its text: ``*`` and ``**`` are part of it."""

    name: str
    kind: str
    span: _Span
    optional: bool


def _params(node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[_Param]:
    args = node.args
    out: list[_Param] = []

    def add(arg: ast.arg, kind: str, default: ast.expr | None, stars: int = 0) -> None:
        first, last = _span(arg), _span(default) if default is not None else _span(arg)
        span = _Span(first.line, first.column - stars, last.end_line, last.end_column)
        out.append(_Param(arg.arg, kind, span, default is not None))

    positional = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
    for arg, default in zip(positional, defaults, strict=True):
        add(arg, "positional", default)
    if args.vararg:
        add(args.vararg, "args", None, 1)
    for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True):
        add(arg, "keyword", default)
    if args.kwarg:
        add(args.kwarg, "kwargs", None, 2)
    return out


def declaration(text: Text, owner: str, name: str) -> tuple[str, str] | None:
    """Annotation and default of a function's parameter or of a class's field, without layout."""
    node = definition(text, owner)
    body = node.body if isinstance(node, ast.ClassDef) else []
    for field in body:
        if isinstance(field, ast.AnnAssign) and names_of(field) == {("name", name)}:
            return _shown(field.annotation), _shown(field.value)
    if not isinstance(node, _FUNCTIONS):
        return None
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    defaults = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
    for arg, default in zip(
        [*positional, *args.kwonlyargs], [*defaults, *args.kw_defaults], strict=True
    ):
        if arg.arg == name:
            return _shown(arg.annotation), _shown(default)
    return None


def _shown(node: ast.expr | None) -> str:
    return "" if node is None else ast.dump(node)


def add_parameter(
    merged: Text, source: Text, other: Text | None, owner: str, name: str
) -> bytes | None:
    """A function with a lost parameter where its callers expect it.

    A positional parameter goes back before others only when the other parent, whose callers count
    positions as well, has it there too or does not have the function.

    Args:
        merged: The text.
        source: The parent that has the parameter.
        other: The other parent's text.
        owner: Dotted path of the function.
        name: The parameter.
    """
    theirs, mine = definition(source, owner), definition(merged, owner)
    if not isinstance(theirs, _FUNCTIONS) or not isinstance(mine, _FUNCTIONS):
        return None
    wanted, there = _params(theirs), _params(mine)
    lost = next((p for p in wanted if p.name == name), None)
    if lost is None or any(p.name == name for p in there):
        return None
    item = segment(source, lost.span)
    if "\n" in item:
        return None
    if lost.kind == "keyword":
        return _add_keyword_only(merged, mine, wanted, there, lost, item)
    if lost.kind != "positional":
        return None
    standing = [p for p in there if p.kind == "positional"]
    order = [p.name for p in wanted if p.kind == "positional"]
    before = [p for p in standing if p.name in order[: order.index(name)]]
    later = standing[standing.index(before[-1]) + 1 :] if before else standing
    if later and not _counts_alike(other, owner, name):
        if not lost.optional or order[-1] != name:
            return None
        # Its own callers give it last or by name; what the other side added stays in its place.
        before, later = standing, []
    if before:
        return _after(merged, before[-1].span, mine.lineno, item)
    if there:
        return _before(merged, there[0].span, item)
    return _into_empty(merged, mine.lineno, rb"def[ \t]+\w+[ \t]*\(", item)


def _counts_alike(other: Text | None, owner: str, name: str) -> bool:
    """Whether the other parent's callers have no other idea of the positions."""
    node = None if other is None else definition(other, owner)
    return not isinstance(node, _FUNCTIONS) or any(p.name == name for p in _params(node))


def _add_keyword_only(
    merged: Text,
    mine: ast.FunctionDef | ast.AsyncFunctionDef,
    wanted: list[_Param],
    there: list[_Param],
    lost: _Param,
    item: str,
) -> bytes | None:
    spans = {p.name: p.span for p in there if p.kind in {"args", "keyword"}}
    if spans:
        names = [p.name for p in wanted if p.kind in {"args", "keyword"}]
        for before in reversed(names[: names.index(lost.name)]):
            if before in spans:
                return _after(merged, spans[before], mine.lineno, item)
        first = next((p for p in there if p.kind == "keyword"), None)
        if first is not None:
            return _before(merged, first.span, item)
        return _after(merged, next(iter(spans.values())), mine.lineno, item)
    if any(p.kind == "kwargs" for p in there) or not there:
        return None
    return _after(merged, there[-1].span, mine.lineno, f"*, {item}")


def _calls(body: list[ast.stmt], callee: str) -> list[ast.Call]:
    found = [
        node
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and dotted(node.func) == callee
    ]
    return sorted(found, key=lambda call: (call.lineno, call.col_offset))


def add_keyword(merged: Text, source: Text, owner: str, name: str) -> bytes | None:
    """The calls of a scope with a lost keyword argument.

    A call gets it that is the source's call but for the argument. Where other arguments changed as
    well, all calls that lack it get it, when the source has as many that give it, or when each of
    its calls gives the same.
    """
    callee, _, keyword = name.removesuffix("=)").rpartition("(")
    theirs, mine = scope(source, owner), scope(merged, owner)
    if theirs is None or mine is None:
        return None
    givers = [
        (call, segment(source, _span(k.value)))
        for call in _calls(theirs, callee)
        for k in call.keywords
        if k.arg == keyword
    ]
    every = _calls(mine, callee)
    calls = [c for c in every if all(k.arg != keyword for k in c.keywords)]
    values = [value for _, value in givers]
    if not values or not calls or any("\n" in value for value in values):
        return None
    twins = [[c for c in calls if _bare(c, keyword) == _bare(g, keyword)] for g, _ in givers]
    if all(len(found) == 1 for found in twins):
        calls = [found[0] for found in twins]
    elif len(calls) != len(values):
        # Some calls never had it; which, is only certain when no call has it now and all had it.
        if len(set(values)) != 1 or len(_calls(theirs, callee)) != len(values):
            return None
        values = [values[0]] * len(calls)
    elif len(every) != len(calls) and len(set(values)) != 1:
        return None
    text: Text | None = merged
    # From the last to the first, so that the places of those before stay as they are.
    pairs = sorted(zip(calls, values, strict=True), key=lambda p: (p[0].lineno, p[0].col_offset))
    for call, value in reversed(pairs):
        if text is None:
            return None
        made = _give(text, call, f"{keyword}={value}")
        text = parse_text(made)
    return None if text is None else text.data


def _bare(call: ast.Call, keyword: str) -> str:
    """A call's arguments without one keyword, as text without layout."""
    kept = [k for k in call.keywords if k.arg != keyword]
    return ast.dump(ast.Call(func=call.func, args=call.args, keywords=kept))


def _give(merged: Text, call: ast.Call, item: str) -> bytes | None:
    items: list[_Span] = [_span(a) for a in call.args]
    items += [_span(k) for k in call.keywords]
    if items:
        return _after(
            merged, max(items, key=lambda s: (s.end_line, s.end_column)), call.lineno, item
        )
    rows = list(merged.rows)
    row, column = (call.end_lineno or call.lineno) - 1, (call.end_col_offset or 1) - 1
    rows[row] = rows[row][:column] + item.encode() + rows[row][column:]
    return b"".join(rows)


def rename_calls(
    merged: Text, lines: frozenset[int], old: str, new: str, change: CallChange | None
) -> bytes | None:
    """A file in which ``.old(…)`` at some lines is ``.new(…)``, with its arguments mapped.

    Arguments that the new one does not take are left out where leaving them out has no effect of its
    own (names and constants). ``None`` when a call cannot be mapped for sure.

    Args:
        merged: The text.
        lines: Where the calls are.
        old: Name of the method that is gone.
        new: Its new name.
        change: How arguments go over; ``None`` keeps them as they are.
    """
    found = [
        node
        for node in ast.walk(merged.tree)
        if isinstance(node, ast.Attribute)
        and node.attr == old
        and (node.lineno in lines or node.end_lineno in lines)
    ]
    callees = {id(n.func): n for n in ast.walk(merged.tree) if isinstance(n, ast.Call)}
    edits: list[tuple[_Span, str]] = []
    for node in found:
        end = node.end_col_offset or 0
        line = node.end_lineno or node.lineno
        edits.append((_Span(line, end - len(old.encode()), line, end), new))
        if change is None:
            continue
        call = callees.get(id(node))
        if call is None:
            return None  # handed on as a value: with which arguments it is called is not seen
        arguments = _mapped(merged, call, change)
        if arguments is None:
            return None
        edits.extend(arguments)
    return _edited(merged, edits) if edits else None


def change_calls(
    merged: Text, lines: frozenset[int], short: str, change: CallChange
) -> bytes | None:
    """A file in which the calls of a function at some lines have their arguments mapped.

    ``None`` when a call cannot be mapped for sure, or a line does not tell which call it means.

    Args:
        merged: The text.
        lines: Lines of the calls or of their arguments.
        short: The last name of the function.
        change: How arguments go over.
    """
    calls = [
        node
        for node in ast.walk(merged.tree)
        if isinstance(node, ast.Call) and dotted(node.func).rsplit(".", 1)[-1] == short
    ]
    edits: list[tuple[_Span, str]] = []
    done: set[int] = set()
    for line in sorted(lines):
        hits = [c for c in calls if c.lineno <= line <= (c.end_lineno or c.lineno)]
        if len(hits) != 1:
            return None
        if id(hits[0]) in done:
            continue
        done.add(id(hits[0]))
        arguments = _mapped(merged, hits[0], change)
        if not arguments:
            return None
        edits.extend(arguments)
    return _edited(merged, edits) if edits else None


def reads(text: Text, owner: str, name: str) -> bool:
    """Whether a function's body reads a name."""
    node = definition(text, owner)
    return isinstance(node, _FUNCTIONS) and any(
        isinstance(inner, ast.Name) and inner.id == name
        for statement in node.body
        for inner in ast.walk(statement)
    )


def keywords_reading(text: Text, owner: str, name: str) -> list[str]:
    """Keyword arguments in a function's calls whose value reads a name, as ``callee(keyword=)``."""
    node = definition(text, owner)
    if not isinstance(node, _FUNCTIONS):
        return []
    return [
        f"{dotted(call.func)}({keyword.arg}=)"
        for statement in node.body
        for call in ast.walk(statement)
        if isinstance(call, ast.Call)
        for keyword in call.keywords
        if keyword.arg is not None
        and any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(keyword.value))
    ]


def parameters(text: Text, owner: str) -> list[str]:
    """Names of a function's parameters; of a class's annotated fields; empty for anything else."""
    node = definition(text, owner)
    if isinstance(node, _FUNCTIONS):
        return [param.name for param in _params(node)]
    if isinstance(node, ast.ClassDef):
        return [
            s.target.id
            for s in node.body
            if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Name)
        ]
    return []


def _mapped(merged: Text, call: ast.Call, change: CallChange) -> list[tuple[_Span, str]] | None:
    """Edits that map a call's arguments; empty when they stay, ``None`` when that is not sure."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    ):
        return None
    if len(call.args) > len(change.before) or any(
        keyword.arg not in change.known for keyword in call.keywords
    ):
        return None
    renames = dict(change.renames)
    given: list[tuple[str, ast.expr, bool]] = [
        (change.before[n], arg, True) for n, arg in enumerate(call.args)
    ]
    given += [(k.arg or "", k.value, False) for k in call.keywords]
    kept = [
        (target, value, positional)
        for name, value, positional in given
        if (target := renames.get(name, name)) in change.names
    ]
    if any(
        name not in change.removable or not _idle(value)
        for name, value, _ in given
        if renames.get(name, name) not in change.names
    ):
        return None
    if change.required - {name for name, _, _ in kept}:
        return None
    if len({name for name, _, _ in kept}) < len(kept):
        return None
    shown = []
    in_row = True
    for number, (name, value, positional) in enumerate(kept):
        fits = number < len(change.after) and change.after[number] == name
        in_row = in_row and positional and fits
        text = segment(merged, _span(value))
        shown.append(text if in_row else f"{name}={text}")
    before = [
        segment(merged, _span(v)) if positional else f"{name}={segment(merged, _span(v))}"
        for name, v, positional in given
    ]
    if shown == before:
        return []
    spans = [_span(a) for a in call.args] + [_span(k) for k in call.keywords]
    first = min(spans, key=lambda s: (s.line, s.column))
    last = max(spans, key=lambda s: (s.end_line, s.end_column))
    whole = _Span(first.line, first.column, last.end_line, last.end_column)
    if "#" in segment(merged, whole):
        return None  # a comment among the arguments would be lost
    joint = ", "
    if first.line != last.line:
        joint = ",\n" + _indent(merged.rows[first.line - 1]).decode("utf-8", "replace")
        if any(s.line == first.line for s in spans if s != first):
            joint = ", "
    return [(whole, joint.join(shown))]


def _idle(node: ast.expr) -> bool:
    """Whether leaving an expression out changes nothing else."""
    return not any(
        isinstance(inner, (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom))
        for inner in ast.walk(node)
    )


def rename_attributes(
    merged: Text, lines: frozenset[int], holder: str, old: str, new: str
) -> bytes | None:
    """A file in which ``holder.old`` at some lines is ``holder.new``."""
    edits = [
        (
            _Span(n.end_lineno or n.lineno, end - len(old.encode()), n.end_lineno or n.lineno, end),
            new,
        )
        for n in ast.walk(merged.tree)
        if isinstance(n, ast.Attribute)
        and n.attr == old
        and isinstance(n.value, ast.Name)
        and n.value.id == holder
        and n.lineno in lines
        and (end := n.end_col_offset or 0)
    ]
    return _edited(merged, edits) if edits else None


def _edited(merged: Text, edits: Sequence[tuple[_Span, str]]) -> bytes | None:
    """The text with places replaced; ``None`` where one lies inside of another."""
    rows = list(merged.rows)
    ordered = sorted(edits, key=lambda e: (e[0].line, e[0].column))
    for (one, _), (other, _) in itertools.pairwise(ordered):
        if (one.end_line, one.end_column) > (other.line, other.column):
            return None
    # Later places first, so that those before them stay.
    for span, text in reversed(ordered):
        head = rows[span.line - 1][: span.column]
        tail = rows[span.end_line - 1][span.end_column :]
        rows[span.line - 1 : span.end_line] = [head + text.encode() + tail]
    return b"".join(rows)
