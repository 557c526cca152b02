"""Look-alikes: statements of a text doubled with one small difference, and edits that make such ones."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from random import Random

from tests.corpus.edits import Change, Function, Places, parse
from tests.corpus.makers import Simple, is_docstring


def _plain(places: Places) -> Iterator[ast.stmt]:
    """Statements of functions that have their lines to themselves and hold a call."""
    for holder, body in places.bodies():
        if isinstance(holder, Function):
            for node in body:
                if (
                    isinstance(node, Simple)
                    and not isinstance(node, (ast.Return, ast.Raise))
                    and places.alone(node)
                    and not is_docstring(body, node)
                ):
                    yield node


def _end_of_arguments(places: Places, node: ast.stmt) -> int | None:
    """Behind the last argument of the outermost call of a statement."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and call not in places.in_fstring:
            parts = [*call.args, *(k.value for k in call.keywords)]
            if not parts or any(isinstance(part, ast.GeneratorExp) for part in parts):
                continue
            at = max(places.end(part) for part in parts)
            if places.data[at : at + 1] in (b")", b",", b"\n"):
                return at
    return None


def _with(places: Places, node: ast.stmt, start: int, end: int, text: bytes) -> bytes:
    """The lines of a statement with a span replaced."""
    first, last = places.lines(node, node)
    return places.data[first:start] + text + places.data[end:last]


def twins_added(places: Places, number: int) -> Iterator[Change]:
    """A statement gets a look-alike below or above it: the same with one argument more."""
    token = b"edit_%d" % number
    for turn, node in enumerate(_plain(places)):
        at = _end_of_arguments(places, node)
        if at is None:
            continue
        text = _with(places, node, at, at, b", %b=1" % token)
        first, last = places.lines(node, node)
        where = (last, first)[turn % 2]
        yield Change(where, where, text, "twin-added", token)


def twinned(data: bytes, random: Random, twins: int = 3) -> bytes:
    """A text some statements of which stand there again, with a small difference or none.

    Args:
        data: Python text in UTF-8 that parses, lines ended by LF.
        random: Where the choices come from.
        twins: How many at most.
    """
    for number in range(random.randint(1, twins)):
        places = Places(data)
        nodes = list(_plain(places))
        if not nodes:
            return data
        node = random.choice(nodes)
        text = random.choice(list(_versions(places, node, number)))
        if random.random() < 0.3:
            text = places.indent(node) + random.choice([b"# Again.\n", b"# Both.\n"]) + text
        first, last = places.lines(node, node)
        where = random.choice([first, last])
        made = data[:where] + text + data[where:]
        if parse(made) is not None:
            data = made
    return data


def _versions(places: Places, node: ast.stmt, number: int) -> Iterator[bytes]:
    """The lines of a statement: as they are, with an argument more or less, with another value."""
    start, end = places.lines(node, node)
    yield places.data[start:end]
    at = _end_of_arguments(places, node)
    if at is not None:
        yield _with(places, node, at, at, b", again_%d=%d" % (number, number))
    for part in ast.walk(node):
        if part in places.in_fstring:
            continue
        if isinstance(part, ast.Constant) and type(part.value) is int:
            first, last = places.start(part), places.end(part)
            if places.data[first:last].isdigit():
                yield _with(places, node, first, last, b"%d" % (part.value + 1))
        elif isinstance(part, ast.Call) and part.keywords:
            ends = sorted(places.end(p) for p in [*part.args, *part.keywords])
            if len(ends) > 1 and places.data[ends[-2] : ends[-2] + 1] == b",":
                yield _with(places, node, ends[-2], ends[-1], b"")
