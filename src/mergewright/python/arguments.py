"""Arguments that one side changed in every call of a function: calls that the other side added follow.

``register(name, default, None)`` became ``register(name, default, False)`` in all its calls: a call that
the other side added with ``None`` does not know of it. Neither side is wrong, their merge is.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

#: How many calls must have changed alike, none of them left as it was.
LEAST_CALLS = 4

_Slot = tuple[str, int | str]


@dataclass(frozen=True, slots=True)
class ArgumentSweep:
    """In all ``calls`` calls of ``callee`` the argument in ``slot`` became ``new`` instead of ``old``.

    Attributes:
        callee: The called expression as it is written.
        slot: Position from 0, or the keyword.
        old: The argument before, as Python writes it.
        new: The argument now.
        calls: How many calls changed.
    """

    callee: str
    slot: int | str
    old: str
    new: str
    calls: int

    def __str__(self) -> str:
        where = f"argument {self.slot + 1}" if isinstance(self.slot, int) else f"`{self.slot}`"
        return f"{where} of `{self.callee}`: `{self.old}` → `{self.new}` ({self.calls} calls)"


def find_argument_sweeps(base: bytes, side: bytes) -> list[ArgumentSweep]:
    """What a side changed alike in every call of a function.

    Args:
        base: The file before.
        side: The side's file. Files that are not UTF-8 or do not parse hold none.
    """
    before, after = _values(base), _values(side)
    found = []
    for slot, values in before.items():
        now = after.get(slot, Counter())
        for old, calls in values.items():
            gained = now - values
            if calls < LEAST_CALLS or now[old] or len(gained) != 1:
                continue
            ((new, times),) = gained.items()
            if times >= LEAST_CALLS:
                found.append(ArgumentSweep(slot[0], slot[1], old, new, times))
    return found


def carry_on(result: bytes, sweep: ArgumentSweep) -> tuple[bytes, list[int]]:
    """The result with the sweep applied to the calls that still have the old argument.

    Args:
        result: A whole file.
        sweep: One side's sweep; that side has no such call left, so they are the other's.

    Returns:
        The text, and the lines (from 1) of the calls that were changed.
    """
    spans = [
        (value.lineno, value.col_offset, value.end_lineno, value.end_col_offset)
        for slot, value in _arguments(result)
        if slot == (sweep.callee, sweep.slot) and ast.unparse(value) == sweep.old
    ]
    lines = result.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    text = result
    for row, column, end_line, end_column in sorted(spans, reverse=True):
        assert end_line is not None
        assert end_column is not None
        start, end = starts[row - 1] + column, starts[end_line - 1] + end_column
        text = text[:start] + sweep.new.encode() + text[end:]
    return text, sorted(row for row, *_ in spans)


def _values(text: bytes) -> dict[_Slot, Counter[str]]:
    """What each argument of each called expression is, and how often."""
    found: dict[_Slot, Counter[str]] = defaultdict(Counter)
    for slot, value in _arguments(text):
        found[slot][ast.unparse(value)] += 1
    return found


def _arguments(text: bytes) -> Iterator[tuple[_Slot, ast.expr]]:
    """Plain arguments (constants and names) of all calls of names and attributes."""
    if not text.isascii():
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            return
    if text.startswith(b"\xef\xbb\xbf"):
        return  # columns would be counted behind the mark
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
            continue
        callee = ast.unparse(node.func)
        for n, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                break
            if isinstance(argument, ast.Constant | ast.Name | ast.Attribute):
                yield (callee, n), argument
        for keyword in node.keywords:
            if keyword.arg and isinstance(keyword.value, ast.Constant | ast.Name | ast.Attribute):
                yield (callee, keyword.arg), keyword.value
