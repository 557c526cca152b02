"""Names that a piece of syntax binds, and those that it must find bound."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

_Scope = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_EXITS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def bindings(tree: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Every binding of a name anywhere inside, in nested scopes too, with the node that makes it.

    The tree's own name, where it is a function or class, counts as well.
    """
    for node in ast.walk(tree):
        name = _binding(node)
        if name is not None:
            yield name, node


def _binding(node: ast.AST) -> str | None:
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            return name
        case ast.alias(name=name, asname=alias):
            return alias or name.split(".")[0]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.ExceptHandler(name=name) | ast.MatchAs(name=name) | ast.MatchStar(name=name):
            return name
        case ast.MatchMapping(rest=name):
            return name
    if type(node).__name__ in {"TypeVar", "ParamSpec", "TypeVarTuple"}:
        return str(getattr(node, "name", ""))
    return None


def bound_names(tree: ast.AST) -> set[str]:
    """Names that are bound somewhere inside, in nested scopes too."""
    return {name for name, _ in bindings(tree)}


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the scopes inside it.

    A nested function or class is given itself, for its name; what it holds is not.
    """
    stack: list[ast.AST] = [*ast.iter_child_nodes(scope)]
    while stack:
        node = stack.pop()
        yield node
        if isinstance(node, _Scope):
            continue
        if isinstance(node, _Comprehension):
            stack += [part for part in ast.walk(node) if isinstance(part, ast.NamedExpr)]
            continue
        stack += ast.iter_child_nodes(node)


def declared(scope: ast.AST) -> set[str]:
    """Names that a scope takes from outside by ``global`` or ``nonlocal``."""
    return {
        name
        for node in own_nodes(scope)
        if isinstance(node, ast.Global | ast.Nonlocal)
        for name in node.names
    }


def local_names(scope: ast.AST) -> set[str]:
    """Names that a function, class or module binds in its own scope, its parameters included."""
    found = {name for node in own_nodes(scope) if (name := _binding(node)) is not None}
    return found - declared(scope)


def needed(statements: Sequence[ast.AST]) -> set[str]:
    """Names that statements read where they have not surely bound them themselves before."""
    found: set[str] = set()
    _run(statements, set(), found)
    return found


def _run(nodes: Sequence[ast.AST], bound: set[str], found: set[str]) -> None:
    for node in nodes:
        _step(node, bound, found)


def _step(node: ast.AST | None, bound: set[str], found: set[str]) -> None:
    """Follow one node in the order in which Python evaluates it."""
    match node:
        case None:
            return
        case ast.Name(id=name):
            if isinstance(node.ctx, ast.Store):
                bound.add(name)
            elif name not in bound:
                found.add(name)
        case ast.Assign(targets=targets, value=value):
            _run([value, *targets], bound, found)
        case ast.AugAssign(target=target, value=value):
            if isinstance(target, ast.Name) and target.id not in bound:
                found.add(target.id)
            _run([value, target], bound, found)
        case ast.AnnAssign(target=target, annotation=annotation, value=value):
            _run([annotation], bound, found)
            if value is not None or not isinstance(target, ast.Name):
                _step(value, bound, found)
                _step(target, bound, found)
        case ast.NamedExpr(target=target, value=value):
            _run([value, target], bound, found)
        case ast.For(target=target, iter=over) | ast.AsyncFor(target=target, iter=over):
            _step(over, bound, found)
            inside = set(bound)
            _run([target, *node.body], inside, found)
            _run(node.orelse, set(bound), found)
        case ast.While(test=test):
            _step(test, bound, found)
            _run(node.body, set(bound), found)
            _run(node.orelse, set(bound), found)
        case ast.If(test=test):
            _step(test, bound, found)
            _branches([node.body, node.orelse], bound, found)
        case ast.Try():
            done = set(bound)
            _run([*node.body, *node.orelse], done, found)
            ends = [] if _exits([*node.body, *node.orelse]) else [done]
            for handler in node.handlers:
                inside = set(bound) | ({handler.name} if handler.name else set())
                _step(handler.type, bound, found)
                _run(handler.body, inside, found)
                ends += [] if _exits(handler.body) else [inside]
            bound |= set.intersection(*ends) if ends else set()
            _run(node.finalbody, bound, found)
        case ast.Match(subject=subject, cases=cases):
            _step(subject, bound, found)
            for case in cases:
                inside = set(bound) | bound_names(case.pattern)
                found |= {
                    part.id
                    for part in ast.walk(case.pattern)
                    if isinstance(part, ast.Name) and part.id not in bound
                }
                _run([*([case.guard] if case.guard else []), *case.body], inside, found)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() | ast.ClassDef():
            _nested(node, bound, found)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            own = {name for part in node.generators for name in bound_names(part.target)}
            for part in ast.walk(node):
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                    found |= {part.id} - own - bound
        case _:
            own_name = _binding(node)
            if own_name is not None:
                bound.add(own_name)
            _run([*ast.iter_child_nodes(node)], bound, found)


def _branches(branches: Sequence[Sequence[ast.stmt]], bound: set[str], found: set[str]) -> None:
    """Ways of which one is gone; after them only what all bind that go on."""
    ends = []
    for branch in branches:
        inside = set(bound)
        _run(branch, inside, found)
        if not _exits(branch):
            ends.append(inside)
    bound |= set.intersection(*ends) if ends else set()


def _exits(block: Sequence[ast.stmt]) -> bool:
    return bool(block) and isinstance(block[-1], _EXITS)


def _nested(node: _Scope, bound: set[str], found: set[str]) -> None:
    """A scope inside: what it reads of the names around it counts as read where it stands."""
    if isinstance(node, ast.ClassDef):
        _run([*node.decorator_list, *node.bases, *node.keywords], bound, found)
        _run(node.body, set(bound), found)
    else:
        if not isinstance(node, ast.Lambda):
            _run(node.decorator_list, bound, found)
        outside = [*node.args.defaults, *(part for part in node.args.kw_defaults if part)]
        _run(outside, bound, found)
        own = bound_names(node) - declared(node)
        for part in ast.walk(node):
            if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Store):
                found |= {part.id} - own - bound
    if not isinstance(node, ast.Lambda):
        bound.add(node.name)
