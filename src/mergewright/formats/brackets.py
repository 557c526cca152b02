"""Bracketed containers, children separated by commas: what JSON and TOML share."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import replace

from mergewright.formats.document import UnmergeableError
from mergewright.formats.tree import Node, known


def bracketed(
    text: str,
    at: int,
    *,
    key: Hashable,
    name: str,
    lead: str,
    prefix: str,
    blank: re.Pattern[str],
    child: Callable[[int, str], tuple[Node, int]],
    rest: Callable[[int, bool], int],
    identified: Callable[[list[Node]], list[Node]],
) -> tuple[Node, int]:
    """The object, table or array that opens at a position, and where it ends.

    Args:
        text: The whole text.
        at: Position of the opening bracket.
        key: Key of the node; likewise its name and what stands before it.
        name: Its name.
        lead: Blank lines and comments before it.
        prefix: What stands before the bracket, key included.
        blank: Matches blanks, and comments where the format has them; never fails.
        child: Reads the child at a position, given its lead; gives it and its end.
        rest: Where the rest of a line ends that belongs to the child before it, from a position
            behind the child and whether a comma stands there; the position itself for none.
        identified: Gives the elements of an array their keys.

    Raises:
        UnmergeableError: Blanks or comments before a comma, or a bracket that is not closed.
    """
    is_table = text[at] == "{"
    close = "}" if is_table else "]"
    children: list[Node] = []
    cursor = at + 1
    while True:
        start = known(blank.match(text, cursor)).end()
        if start >= len(text):
            raise UnmergeableError("a bracket that the scanner does not follow")
        if text[start] == close:
            break
        node, end = child(start, text[cursor:start])
        follow = known(blank.match(text, end)).end()
        comma = text[follow] == ","
        if comma and follow != end:
            raise UnmergeableError("blanks or a comment before a comma")
        behind = end + 1 if comma else end
        cursor = rest(behind, comma)
        children.append(replace(node, comma=comma, after=text[behind:cursor]))
        if not comma:
            break
    end_at = known(blank.match(text, cursor)).end()
    if text[end_at] != close:
        raise UnmergeableError("a bracket that the scanner does not follow")
    if not is_table:
        children = identified(children)
    node = Node(
        kind="object" if is_table else "array",
        key=key,
        name=name,
        lead=lead,
        parts=(prefix, text[at]),
        value_at=1,
        children=tuple(children),
        listing="keyed" if is_table else "ordered",
        delimited=True,
        tail=text[cursor : end_at + 1],
    )
    return node, end_at + 1
