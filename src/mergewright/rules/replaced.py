"""A name's uses and its import taken out of a text, where nothing else can need what they did.

Only three forms are known to be safe to lose: a statement that is the call alone, an assignment of
the call to a local name that nothing reads, and one that puts the call around the name itself
(``it = Alt(it)``, ``it = iter(Alt(it))``), after which the name still holds what it held. Each must
compute nothing else. Everything else is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from mergewright.python.names import bindings, declared, local_names
from mergewright.rules.names import string_names
from mergewright.rules.statements import Function, Text, blocks_of
from mergewright.rules.syntax import Splice

_PLAIN = (
    ast.Name, ast.Attribute, ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.keyword, ast.UnaryOp,
    ast.BinOp, ast.BoolOp, ast.Compare, ast.expr_context, ast.operator, ast.unaryop, ast.boolop,
    ast.cmpop,
)  # fmt: skip
#: Functions that only look.
_LOOKING = {"getattr", "hasattr", "isinstance", "len", "bool"}
#: Functions that see every name around them.
_SEEING = {"locals", "vars", "eval", "exec"}

_Parents = dict[ast.AST, ast.AST]


class _KeptError(Exception):
    """Why the name's uses stay."""


def without(text: Text, tree: ast.Module, name: str) -> tuple[list[Splice], str]:
    """The splices that take a name's uses and import out, or why they cannot.

    Args:
        text: The text.
        tree: Its syntax tree.
        name: The name.
    """
    parents: _Parents = {
        child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)
    }
    try:
        _strings(tree, parents, name)
        return list(_splices(text, tree, parents, name)), ""
    except _KeptError as why:
        return [], str(why)


def _strings(tree: ast.Module, parents: _Parents, name: str) -> None:
    """A string can be an export, a forward annotation or the path of a patch."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and not isinstance(parents[node], ast.Expr)
            and name in string_names(node.value)
        ):
            raise _KeptError(f"line {node.lineno} has it as a string")


def _splices(text: Text, tree: ast.Module, parents: _Parents, name: str) -> Iterator[Splice]:
    gone: set[ast.stmt] = set()
    names: list[tuple[ast.Import | ast.ImportFrom, Splice]] = []
    modules = {word for word, node in bindings(tree) if isinstance(node, ast.alias)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == name:
            gone.add(_use(node, parents, name))
        elif isinstance(node, ast.Attribute) and node.attr == name:
            if isinstance(node.value, ast.Name) and node.value.id in modules:
                raise _KeptError(f"line {node.lineno} uses it through its module")
        elif isinstance(node, ast.Import | ast.ImportFrom):
            if not any((alias.asname or alias.name) == name for alias in node.names):
                continue
            if any(isinstance(above, ast.Try) for above in _above(node, parents)):
                raise _KeptError(f"line {node.lineno} imports it under a condition")
            if len(node.names) == 1:
                gone.add(node)
            else:
                names.append((node, _one_of(text, node, name)))
    for word, binding in bindings(tree):
        if word == name and not isinstance(binding, ast.alias):
            raise _KeptError(f"line {getattr(binding, 'lineno', 0)} binds it")
    _around(gone, parents)
    outermost = [node for node in gone if not any(a in gone for a in _above(node, parents))]
    for statement in sorted(outermost, key=lambda node: node.lineno):
        rows = text.rows(statement)
        if rows is None:
            raise _KeptError(f"line {statement.lineno} has other code in it")
        yield _cut(text, rows, whole=not isinstance(statement, ast.Import | ast.ImportFrom))
    for node, splice in names:
        if not any(above in gone for above in _above(node, parents)):
            yield splice


def _above(node: ast.AST, parents: _Parents) -> Iterator[ast.AST]:
    while node in parents:
        node = parents[node]
        yield node


def _use(node: ast.Name, parents: _Parents, name: str) -> ast.stmt:
    """The statement of a use, when it may go."""
    holder = next(above for above in _above(node, parents) if isinstance(above, ast.stmt))
    needed = f"line {node.lineno} needs it"
    match holder:
        case ast.Expr(value=ast.Call() as call) if _is_plain_call(call, name):
            return holder
        case (
            ast.Assign(targets=[ast.Name(id=target)], value=ast.Call() as call)
            | ast.AnnAssign(target=ast.Name(id=target), value=ast.Call() as call)
        ):
            pass
        case _:
            raise _KeptError(needed)
    wrapped = call
    if isinstance(call.func, ast.Name) and call.func.id == "iter" and len(call.args) == 1:
        inside = call.args[0]
        if call.keywords or not isinstance(inside, ast.Call):
            raise _KeptError(needed)
        wrapped = inside
    if not _is_plain_call(wrapped, name):
        raise _KeptError(needed)
    if isinstance(holder, ast.AnnAssign) and name in {
        part.id for part in ast.walk(holder.annotation) if isinstance(part, ast.Name)
    }:
        raise _KeptError(needed)
    scope = next(
        above
        for above in _above(holder, parents)
        if isinstance(above, Function | ast.Module | ast.ClassDef)
    )
    lost = f"line {holder.lineno} binds {target}, which is read"
    if not isinstance(scope, Function):
        raise _KeptError(f"line {holder.lineno} binds {target}, which can be read from outside")
    if target not in local_names(scope) or any(
        target in declared(inner) for inner in ast.walk(scope) if isinstance(inner, Function)
    ):
        raise _KeptError(lost)
    reads = [
        part
        for part in ast.walk(scope)
        if isinstance(part, ast.Name)
        and (part.id == target or part.id in _SEEING)
        and not isinstance(part.ctx, ast.Store)
    ]
    around_itself = bool(wrapped.args) and (
        isinstance(wrapped.args[0], ast.Name) and wrapped.args[0].id == target
    )
    if not around_itself:
        if reads:
            raise _KeptError(lost)
        return holder
    if not any(word == target and part not in _targets(holder) for word, part in bindings(scope)):
        raise _KeptError(lost)
    for part in reads:
        above = parents[part]
        if isinstance(above, ast.Attribute) and above.value is part:
            raise _KeptError(f"line {part.lineno} reads an attribute of what it made")
    return holder


def _targets(holder: ast.Assign | ast.AnnAssign) -> list[ast.expr]:
    return holder.targets if isinstance(holder, ast.Assign) else [holder.target]


def _is_plain_call(call: ast.Call, name: str) -> bool:
    """Whether a call of the name computes nothing else: no call, no walrus, nothing used up."""
    return (
        isinstance(call.func, ast.Name)
        and call.func.id == name
        and all(_is_plain(part, besides=name) for part in [*call.args, *call.keywords])
    )


def _is_plain(tree: ast.AST, *, besides: str = "") -> bool:
    """Whether nothing but reading happens in an expression; reading the name besides is not."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if not (isinstance(node.func, ast.Name) and node.func.id in _LOOKING):
                return False
        elif not isinstance(node, _PLAIN) or (isinstance(node, ast.Name) and node.id == besides):
            return False
    return True


def _around(gone: set[ast.stmt], parents: _Parents) -> None:
    """Where a block would be left empty, the ``if`` around it goes too, when it is only that.

    An ``if`` that computes something, that has an ``else``, or that is an ``elif`` cannot go, and
    no other statement can lose all of a block.
    """
    waiting = [*gone]
    while waiting:
        node = waiting.pop()
        parent = parents[node]
        block = next((b for b in _holders(parent) if node in b), [])
        if isinstance(parent, ast.Module) or not all(child in gone for child in block):
            continue
        if parent in gone:
            continue
        alone = (
            isinstance(parent, ast.If)
            and block is parent.body
            and not parent.orelse
            and _is_plain(parent.test)
        )
        above = parents.get(parent)
        if not alone or (isinstance(above, ast.If) and above.orelse == [parent]):
            raise _KeptError(f"line {node.lineno} is all that its block holds")
        assert isinstance(parent, ast.If)
        gone.add(parent)
        waiting.append(parent)


def _holders(node: ast.AST) -> Iterable[list[ast.stmt]]:
    if isinstance(node, ast.Module | ast.ClassDef | Function | ast.ExceptHandler | ast.match_case):
        return [node.body]
    return blocks_of(node) if isinstance(node, ast.stmt) else []


def _cut(text: Text, rows: tuple[int, int], *, whole: bool) -> Splice:
    first, last = rows
    if whole and text.blank(first - 1) and text.blank(last):
        last += 1
    return Splice(text.starts[first], text.starts[last], b"")


def _one_of(text: Text, node: ast.Import | ast.ImportFrom, name: str) -> Splice:
    """One name of an import of several, with its comma."""
    index = next(i for i, alias in enumerate(node.names) if (alias.asname or alias.name) == name)
    if index + 1 < len(node.names):
        start = text.span(node.names[index])[0]
        return Splice(start, text.span(node.names[index + 1])[0], b"")
    return Splice(text.span(node.names[index - 1])[1], text.span(node.names[index])[1], b"")
