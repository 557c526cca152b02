"""Edits of two spans that leave all parts in the text: swapped, moved within a suite, put into a call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import pairwise

from tests.corpus.edits import Change, Function, Places
from tests.corpus.makers import Simple, is_docstring

Draft = tuple[Change, ...]

_WRAPPED = (ast.Name, ast.Attribute, ast.Call, ast.Constant, ast.List, ast.Dict)


def _suites(places: Places) -> Iterator[list[ast.stmt]]:
    """The runs of plain statements of functions, each with its lines to itself."""
    for holder, body in places.bodies():
        if not isinstance(holder, Function):
            continue
        run: list[ast.stmt] = []
        for node in body:
            plain = isinstance(node, Simple) and not isinstance(node, (ast.Return, ast.Raise))
            if plain and places.alone(node) and not is_docstring(body, node):
                run.append(node)
                continue
            yield run
            run = []
        yield run


def swapped(places: Places, number: int) -> Iterator[Draft]:
    """Two neighbouring statements change places."""
    for run in _suites(places):
        for one, two in pairwise(run):
            first, second = places.lines(one, one), places.lines(two, two)
            # Equal ones change nothing.
            if first[1] == second[0] and places.text(one) != places.text(two):
                yield (
                    Change(*first, b"", "swapped", carry=second, cover=True),
                    Change(*second, b"", "swapped", carry=first, cover=True),
                )


def carried(places: Places, number: int) -> Iterator[Draft]:
    """A statement goes below a later one of its suite."""
    for run in _suites(places):
        for at, node in enumerate(run):
            for other in run[at + 2 :]:
                if places.text(node) in map(places.text, run[at + 1 :]):
                    continue
                span = places.lines(node, node)
                to = places.line_end(places.end(other))
                yield (
                    Change(*span, b"", "statement-moved", cover=True),
                    Change(to, to, b"", "statement-moved", carry=span),
                )


def keywords_swapped(places: Places, number: int) -> Iterator[Draft]:
    """Two neighbouring keyword arguments change places."""
    for node in places.nodes:
        if isinstance(node, ast.Call) and node not in places.in_fstring:
            for one, two in pairwise(node.keywords):
                if one.arg and two.arg:
                    first = places.start(one), places.end(one)
                    second = places.start(two), places.end(two)
                    if b"#" not in places.data[first[1] : second[0]]:
                        yield (
                            Change(*first, b"", "keywords-swapped", carry=second, cover=True),
                            Change(*second, b"", "keywords-swapped", carry=first, cover=True),
                        )


def values_wrapped(places: Places, number: int) -> Iterator[Draft]:
    """A value becomes the argument of a call."""
    new = b"edit_%d" % number
    for node in places.nodes:
        if isinstance(node, (ast.Assign, ast.Return, ast.keyword)) and isinstance(
            node.value, _WRAPPED
        ):
            if node.value in places.in_fstring:
                continue
            start, end = places.start(node.value), places.end(node.value)
            if places.data[end : end + 1] in (b"\n", b",", b")"):
                yield (
                    Change(start, start, new + b"(", "value-wrapped", new),
                    Change(end, end, b")", "value-wrapped"),
                )


def drafts(
    maker: Callable[[Places, int], Iterator[Change]],
) -> Callable[[Places, int], Iterator[Draft]]:
    """A maker of single changes as one of drafts."""
    return lambda places, number: ((change,) for change in maker(places, number))


#: The kinds with their weights.
PAIRING: dict[str, tuple[int, Callable[[Places, int], Iterator[Draft]]]] = {
    "swapped": (3, swapped),
    "statement-moved": (3, carried),
    "keywords-swapped": (3, keywords_swapped),
    "value-wrapped": (4, values_wrapped),
}
