"""Texts by their statements: spans of lines, blocks, and which statement of two versions is which."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import accumulate

from mergewright.text.lines import split_lines

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Text:
    """A text with the offsets of its lines."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.lines = split_lines(data)
        self.starts = [0, *accumulate(len(line) for line in self.lines)]

    def span(self, node: ast.expr | ast.stmt | ast.alias) -> tuple[int, int]:
        """Where a node starts and ends, in bytes."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def part(self, node: ast.expr) -> bytes:
        """The bytes of an expression."""
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
        """Whether there is a line of that number (from 0) and it is blank."""
        return 0 <= row < len(self.lines) and not self.lines[row].strip()

    def indent(self, node: ast.stmt) -> bytes:
        """What stands before a statement in its line."""
        return self.lines[node.lineno - 1][: node.col_offset]


def functions(tree: ast.Module) -> dict[str, Function]:
    """All functions by dotted name; of several of one name none."""
    found: dict[str, Function | None] = {}
    stack: list[tuple[str, Sequence[ast.stmt]]] = [("", tree.body)]
    while stack:
        prefix, body = stack.pop()
        for node in body:
            if isinstance(node, ast.ClassDef | Function):
                name = f"{prefix}{node.name}"
                if isinstance(node, Function):
                    found[name] = None if name in found else node
                stack.append((f"{name}.", node.body))
            else:
                stack += [(prefix, block) for block in blocks_of(node)]
    return {name: node for name, node in sorted(found.items()) if node is not None}


def blocks_of(node: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of a compound statement, in their order; empty ones too."""
    blocks: list[list[ast.stmt]] = []
    if isinstance(node, ast.ClassDef | Function):
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


def head_of(node: ast.stmt) -> list[ast.AST]:
    """The parts of a statement without the blocks that it holds."""
    if isinstance(node, ast.ClassDef | Function):
        return [part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.stmt)]
    if not any(blocks_of(node)):
        return [node]
    found: list[ast.AST] = []
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.ExceptHandler):
            found += [part.type] if part.type else []
        elif isinstance(part, ast.match_case):
            found += [part.pattern, *([part.guard] if part.guard else [])]
        elif not isinstance(part, ast.stmt):
            found.append(part)
    return found


def inner(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements inside a statement, at any depth."""
    for block in blocks_of(node):
        for child in block:
            yield child
            yield from inner(child)


def key_of(node: ast.stmt) -> str:
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


def pairs_of(ours: Sequence[ast.stmt], others: Sequence[ast.stmt]) -> dict[int, int]:
    """Which statement of one block is which of the other, by index; order kept."""
    matcher = SequenceMatcher(None, [*map(key_of, ours)], [*map(key_of, others)], autojunk=False)
    return {
        block.a + step: block.b + step
        for block in matcher.get_matching_blocks()
        for step in range(block.size)
    }


def mentions(node: ast.AST, names: Collection[str]) -> bool:
    """Whether one of the names stands anywhere inside."""
    return any(isinstance(part, ast.Name) and part.id in names for part in ast.walk(node))


def arguments_of(call: ast.Call) -> dict[int | str, ast.expr]:
    """The arguments of a call by position or keyword, up to the first starred one."""
    found: dict[int | str, ast.expr] = {}
    for number, value in enumerate(call.args):
        if isinstance(value, ast.Starred):
            break
        found[number] = value
    return found | {word.arg: word.value for word in call.keywords if word.arg is not None}
