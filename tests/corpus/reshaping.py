"""Edits that carry code along: moved, wrapped, unwrapped, extracted, split off, renamed."""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from tests.corpus.edits import Change, Function, Places
from tests.corpus.makers import Simple, is_docstring, statements

Draft = tuple[Change, ...]


def _runs(places: Places) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """Runs of one to three simple statements that have their lines to themselves."""
    for holder, body in places.bodies():
        if not isinstance(holder, Function):
            continue
        for start in range(len(body)):
            for size in (1, 2, 3):
                run = body[start : start + size]
                if len(run) == size and all(
                    isinstance(node, Simple)
                    and not isinstance(node, ast.Return)
                    and places.alone(node)
                    and not is_docstring(body, node)
                    for node in run
                ):
                    yield run[0], run[-1]


def wrapped(places: Places, number: int) -> Iterator[Draft]:
    """Statements are put under ``if``, ``with``, ``for`` or ``try``."""
    token = b"edit_%d" % number
    heads = [
        (b"if %b:\n", b""),
        (b"with %b():\n", b""),
        (b"for item in %b:\n", b""),
        (b"try:\n", b"except %b:\n%b    pass\n"),
        (b"try:\n", b"finally:\n%b    %b()\n"),
    ]
    for turn, (first, last) in enumerate(_runs(places)):
        start, end = places.lines(first, last)
        indent = places.indent(first)
        head, tail = heads[turn % len(heads)]
        if b"except" in tail:
            tail = indent + tail % (token, indent)
        elif tail:
            tail = indent + tail % (indent, token)
        else:
            head %= token
        yield (
            Change(
                start,
                end,
                indent + head,
                "wrapped",
                token,
                carry=(start, end),
                shift=4,
                tail=tail,
                cover=True,
            ),
        )


def unwrapped(places: Places, number: int) -> Iterator[Draft]:
    """The body of an ``if``, ``with`` or ``for`` stays without its header."""
    for holder, body in places.bodies():
        if not isinstance(holder, Function):
            continue
        for node in body:
            if not isinstance(node, (ast.If, ast.With, ast.For)) or getattr(node, "orelse", None):
                continue
            inner = node.body
            if not places.alone(node) or not all(places.alone(part) for part in inner):
                continue
            if any(isinstance(part, (ast.Break, ast.Continue)) for part in ast.walk(node)):
                continue
            if len(places.indent(inner[0])) != len(places.indent(node)) + 4:
                continue
            start, _end = places.lines(node, node)
            first, last = places.lines(inner[0], inner[-1])
            if b"#" in places.data[start:first]:
                continue
            yield (
                Change(start, first, b"", "unwrapped"),
                Change(first, last, b"", "unwrapped", carry=(first, last), shift=-4, cover=True),
            )


def _definitions(places: Places) -> Iterator[tuple[ast.AST, list[tuple[ast.stmt, int, int]]]]:
    """The functions of modules and classes with the lines that are theirs alone."""
    for holder, body in places.bodies():
        if isinstance(holder, (ast.Module, ast.ClassDef)):
            found = []
            for node in body:
                if isinstance(node, (*Function, ast.ClassDef)) and places.alone(node):
                    start, end = places.lines(node, node)
                    above = places.data[:start].rstrip(b" \t")
                    # Comments right above belong to it, and would stay behind.
                    if above.endswith((b"\n\n", b":\n")):
                        found.append((node, start, end))
            yield holder, found


def moved(places: Places, number: int) -> Iterator[Draft]:
    """A function goes below a later or an earlier one of its scope."""
    for holder, found in _definitions(places):
        gap = b"\n\n" if isinstance(holder, ast.Module) else b"\n"
        for at, (node, start, end) in enumerate(found):
            if not isinstance(node, Function):
                continue
            if b"#" in places.data[end : end + 2] or not places.data[end:].strip():
                continue
            # The blank lines below go with it.
            stop = end + len(places.data[end:]) - len(places.data[end:].lstrip(b"\n"))
            for to, (_, _, other) in enumerate(found):
                if abs(to - at) < 1 or to == at - 1:
                    continue
                yield (
                    Change(start, end, b"", "moved", cover=True),
                    Change(end, stop, b"", "moved"),
                    Change(other, other, gap, "moved", carry=(start, end)),
                )


def split(places: Places, number: int) -> Iterator[Draft]:
    """The last methods of a class become a class of their own behind it."""
    token = b"edit_%d" % number
    for holder, found in _definitions(places):
        if not isinstance(holder, ast.ClassDef) or holder not in places.tree.body:
            continue
        methods = [part for part in found if isinstance(part[0], Function)]
        if len(methods) < 2 or holder.body[-1] is not methods[-1][0]:
            continue
        for count in (1, 2):
            going = methods[-count:]
            if len(methods) <= count or going[0][0] not in holder.body[-count:]:
                continue
            start, end = going[0][1], going[-1][2]
            if any(
                isinstance(n, ast.Call) and getattr(n.func, "id", "") == "super"
                for n in ast.walk(holder)
            ):
                continue
            stop = places.data[:start].rstrip()
            yield (
                Change(len(stop) + 1, start, b"", "class-split"),
                Change(start, end, b"", "class-split", cover=True),
                Change(
                    end,
                    end,
                    b"\n\nclass %b:\n" % token,
                    "class-split",
                    token,
                    carry=(start, end),
                ),
            )


def extracted(places: Places, number: int) -> Iterator[Draft]:
    """Statements become a function of their own above, and a call of it."""
    token = b"edit_%d" % number
    functions = [n for n in places.tree.body if isinstance(n, Function) and places.alone(n)]
    for first, last in _runs(places):
        for node in functions:
            if first not in node.body or len(node.body) < 3:
                continue
            start, end = places.lines(first, last)
            at = places.line_start(places.start(node))
            if places.data[:at].rstrip(b" ")[-2:] != b"\n\n":
                continue
            yield (
                Change(
                    at,
                    at,
                    b"def %b():\n" % token,
                    "extracted",
                    token,
                    carry=(start, end),
                    tail=b"\n\n",
                ),
                Change(start, end, b"    %b()\n" % token, "extracted", cover=True),
            )


def _renamings(places: Places, number: int) -> Iterator[tuple[bytes, list[int], str]]:
    """Names that stand only as code, each bound once, with all their places."""
    spots: dict[bytes, list[int]] = {}
    kinds: dict[bytes, str] = {}

    def spot(name: str, at: int) -> None:
        if places.data[at : at + len(name)] == name.encode():
            spots.setdefault(name.encode(), []).append(at)

    for node in places.nodes:
        if node in places.in_fstring:
            continue
        if isinstance(node, (*Function, ast.ClassDef)):
            at = places.starts[node.lineno - 1] + node.col_offset
            spot(node.name, places.data.index(node.name.encode(), at + 3))
            inside = any(
                node in getattr(h, "body", []) for h in places.nodes if isinstance(h, ast.ClassDef)
            )
            sort = "class" if isinstance(node, ast.ClassDef) else "function"
            kinds[node.name.encode()] = "method" if inside else sort
        elif isinstance(node, ast.Name):
            spot(node.id, places.start(node))
        elif isinstance(node, ast.Attribute):
            spot(node.attr, places.end(node) - len(node.attr.encode()))
        elif isinstance(node, ast.arg):
            spot(node.arg, places.start(node))
            if node.annotation is None and node.arg not in ("self", "cls"):
                kinds.setdefault(node.arg.encode(), "parameter")
    for name, sort in kinds.items():
        if len(name) < 3 or name.startswith(b"__") or keyword.iskeyword(name.decode()):
            continue
        every = [m.start() for m in re.finditer(rb"\b%b\b" % re.escape(name), places.data)]
        if sorted(spots.get(name, [])) != every or not 2 <= len(every) <= 12:
            continue
        if sort != "parameter" or any(
            places.start(node) < every[0] and every[-1] < places.end(node)
            for node in places.nodes
            if isinstance(node, Function)
        ):
            yield name, every, sort


def renamed(places: Places, number: int) -> Iterator[Draft]:
    """A function, class, method or parameter gets another name, with all its uses."""
    new = b"edit_%d" % number
    for name, every, sort in _renamings(places, number):
        yield tuple(
            Change(at, at + len(name), new, f"renamed-{sort}", new if at == every[0] else b"")
            for at in every
        )


#: The kinds with their weights.
RESHAPING: dict[str, tuple[int, Callable[[Places, int], Iterator[Draft]]]] = {
    "wrapped": (5, wrapped),
    "unwrapped": (3, unwrapped),
    "moved": (5, moved),
    "class-split": (3, split),
    "extracted": (3, extracted),
    "renamed": (6, renamed),
}


def used_again(places: Places, draft: Draft, number: int) -> Iterator[Change]:
    """Statements that the other side adds with a name that one side renames: it follows.

    Args:
        places: The text.
        draft: The renaming.
        number: Of the added statement.
    """
    old = places.data[draft[0].start : draft[0].end]
    inner = places.data[places.line_start(draft[0].start) :][:1] in b" \t"
    if inner and draft[0].kind in ("renamed-function", "renamed-class"):
        return  # what is defined in a function is not known everywhere
    call = {"renamed-parameter": b"(%b)", "renamed-method": b"(self.%b)"}
    text = call.get(draft[0].kind, b"(%b())") % old
    for change in statements(places, number):
        # A parameter is known in its own function only.
        if draft[0].kind == "renamed-parameter" and not (
            draft[0].start < change.start < draft[-1].end
        ):
            continue
        if draft[0].kind == "renamed-method" and not any(
            method.name.encode() == old and places.start(method) < c.start < places.end(method)
            for c in draft
            for method in _class_around(places, change.start)
        ):
            continue
        yield replace(
            change, text=change.text.replace(b"()", text), kind="old-name-used", follows=old
        )


def _class_around(places: Places, at: int) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The methods of the innermost class that holds a place."""
    around = [
        node
        for node in places.nodes
        if isinstance(node, ast.ClassDef) and places.start(node) < at < places.end(node)
    ]
    inner = max(around, key=places.start, default=None)
    return [n for n in inner.body if isinstance(n, Function)] if inner is not None else []
