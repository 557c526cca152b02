"""Pairs of edits at one place: contradictions, which stay open, and growths, which combine."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise

from tests.corpus import makers
from tests.corpus.edits import Change, Growth, Places

Pair = tuple[Change, Change]


def _other(change: Change) -> Change:
    """The same change under the next number."""

    def next_number(text: bytes) -> bytes:
        text = text.replace(b"edit_90", b"edit_91").replace(b"7000090", b"7000091")
        return text.replace(b"edit_80", b"edit_81")

    return replace(change, text=next_number(change.text), token=next_number(change.token))


def _twice(
    maker: Callable[[Places, int], Iterator[Change]], kind: str = ""
) -> Callable[[Places], Iterator[Pair]]:
    """One edit, made by both sides in different words."""

    def pairs(places: Places) -> Iterator[Pair]:
        for change in maker(places, 90):
            first = replace(change, kind=kind or change.kind)
            yield first, _other(first)

    return pairs


def _values(places: Places) -> Iterator[Pair]:
    sets = [
        (places.start(node), places.end(node))
        for node in places.nodes
        if isinstance(node, (ast.Set, ast.List, ast.Tuple))
    ]
    for change in (*makers.constants(places, 90), *makers.attributes(places, 90)):
        # Two new names instead of one are no contradiction in a set of names.
        if not any(a <= change.start < b for a, b in sets):
            yield change, _other(change)


def _same_name(places: Places) -> Iterator[Pair]:
    """One keyword or key with two values."""
    for change in (*makers.keywords(places, 90), *makers.entries(places, 90)):
        one = replace(change, kind=f"same-{change.kind}", token=b"9000090")
        yield (
            replace(one, text=change.text[:-1] + b"9000090"),
            replace(one, text=change.text[:-1] + b"9000091", token=b"9000091"),
        )


def _functions_of(places: Places, number: int = 90) -> Iterator[tuple[Change, Change]]:
    """One new function at two neighbouring places of a scope."""
    functions = list(makers.functions(places, number))
    for _, body in places.bodies():
        ends = {places.line_end(places.end(node)) for node in body}
        head = b"\n" + places.indent(body[0]) + b"def "
        yield from pairwise([c for c in functions if c.start in ends and head in c.text])


def _same_function(places: Places) -> Iterator[Pair]:
    """One name, two bodies, two places of one scope."""
    for first, second in _functions_of(places):
        other = second.text.replace(b"return ", b"return 9000091, ")
        yield (
            replace(first, kind="same-function"),
            replace(second, text=other, kind="same-function", token=b"9000091"),
        )


def _deleted_edited(places: Places) -> Iterator[Pair]:
    """A definition or statement goes on one side, the other edits in it."""
    # A docstring or an annotation that changed does not hold a deletion up: statements only.
    added = [*makers.statements(places, 91), *makers.constants(places, 91)]
    documented = [
        (places.start(body[0]), places.end(body[0]))
        for _, body in places.bodies()
        if makers.is_docstring(body, body[0])
    ]
    for deletion in makers.deletions(places, 90):
        inside = [
            edit
            for edit in added
            if deletion.start < edit.start
            and edit.end < deletion.end
            and not any(a <= edit.start < b for a, b in documented)
        ]
        for edit in inside[:2]:
            yield deletion, edit


def _part_deleted_edited(places: Places) -> Iterator[Pair]:
    """A keyword or an entry goes on one side, the other changes its value."""
    values = list(makers.constants(places, 91))
    for deletion in makers.parts_deleted(places, 90):
        if deletion.kind in ("delete-keyword", "delete-entry"):
            for edit in values:
                if deletion.start < edit.start and edit.end <= deletion.end:
                    yield deletion, edit
                    break


def _replaced_edited(places: Places) -> Iterator[Pair]:
    """A statement gives way to another one, and the other side edits it."""
    values = list(makers.constants(places, 91))
    for change in makers.replaced(places, 90):
        for edit in values:
            if change.start < edit.start and edit.end < change.end:
                yield change, edit
                break


def _elements(places: Places) -> Iterator[Pair]:
    exported = {change.start for change in makers.exported_names(places, 90)}
    for change in makers.elements(places, 90):
        line = places.data[places.line_start(change.start) : change.start]
        # Exported names have no order.
        if change.kind == "element" and not exported and b"__all__" not in line:
            yield change, _other(change)


def _positional(places: Places) -> Iterator[Pair]:
    """Both append a parameter with a default."""
    for change in makers.parameters(places, 90):
        first = replace(change, text=b", edit_90=None", kind="positional-parameter")
        yield first, _other(first)


#: The contradictions with their weights.
CLASHES: dict[str, tuple[int, Callable[[Places], Iterator[Pair]]]] = {
    "value": (6, _values),
    "statement": (4, _twice(makers.statements)),
    "same-name": (5, _same_name),
    "same-function": (3, _same_function),
    "deleted-edited": (6, _deleted_edited),
    "part-deleted-edited": (4, _part_deleted_edited),
    "replaced-edited": (3, _replaced_edited),
    "element": (2, _elements),
    "positional": (3, _positional),
    "base": (2, _twice(makers.bases)),
    "decorator": (2, _twice(makers.decorators)),
    "annotation": (3, _twice(makers.annotations)),
    "comment": (2, _twice(makers.comment_words)),
    "docstring-line": (2, _twice(makers.docstring_lines)),
    "operand": (2, _twice(makers.operands)),
    "comprehension": (2, _twice(makers.comprehension_filters)),
    "guard": (2, _twice(makers.guards)),
}


def _grown(
    maker: Callable[[Places, int], Iterator[Change]], *kinds: str
) -> Callable[[Places], Iterator[Growth]]:
    """Both sides add the like at one place; ours stands first."""

    def growths(places: Places) -> Iterator[Growth]:
        for change in maker(places, 80):
            if not kinds or change.kind in kinds:
                one, two = (change,), (_other(change),)
                yield Growth(one, two, one + two)

    return growths


def _parameters(places: Places) -> Iterator[Growth]:
    """Both add keyword-only parameters: one star stands before them."""
    for change in makers.parameters(places, 80):
        two = _other(change)
        more = replace(two, text=two.text.replace(b" *,", b""))
        yield Growth((change,), (two,), (change, more))


def _twin_functions(places: Places) -> Iterator[Growth]:
    """Both add one function, at two places or in two layouts: it stands once."""
    for turn, (first, second) in enumerate(_functions_of(places, 80)):
        one, two = (replace(c, kind="twin-function") for c in (first, second))
        if turn % 2:
            two = replace(one, text=one.text.replace(b"(value):", b"( value ):"))
        yield Growth((one,), (two,), (one,))


def _larger_function(places: Places) -> Iterator[Growth]:
    """Both add one function, theirs with more in it: the larger one, or a conflict."""
    for change in makers.functions(places, 80):
        first = replace(change, kind="larger-function")
        at = first.text.rindex(b"\n", 0, first.text.rindex(b"return")) + 1
        indent = first.text[at : first.text.rindex(b"return")]
        more = first.text[:at] + indent + b"edit_85()\n" + first.text[at:]
        second = replace(first, text=more, token=b"edit_85")
        yield Growth((first,), (second,), (second,))


GROWTHS: dict[str, tuple[int, Callable[[Places], Iterator[Growth]]]] = {
    "keyword": (5, _grown(makers.keywords)),
    "entry": (4, _grown(makers.entries)),
    "imported-name": (4, _grown(makers.imported_names)),
    "exported-name": (3, _grown(makers.exported_names)),
    "import": (3, _grown(makers.imports)),
    "set-element": (2, _grown(makers.elements, "set-element")),
    "function": (4, _grown(makers.functions)),
    "parameter": (4, _parameters),
    "case": (2, _grown(makers.cases)),
    "branch": (2, _grown(makers.branches)),
    "assignment": (2, _grown(makers.attributes_added)),
    "twin-function": (4, _twin_functions),
    "larger-function": (2, _larger_function),
}
