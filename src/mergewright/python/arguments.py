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


def find_argument_sweeps(base: bytes, side: bytes, other: bytes) -> list[ArgumentSweep]:
    """What a side changed alike in every call of a function, while the other side only added calls.

    Where the other side changed or deleted such calls, one that has the old argument may be its own choice
    and no unknowing one.

    Args:
        base: The file before.
        side: The side's file. Files that are not UTF-8 or do not parse hold none.
        other: The other side's file.
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
                found.append((slot, ArgumentSweep(slot[0], slot[1], old, new, times)))
    if not found:
        return []
    beside = _values(other)
    return [sweep for slot, sweep in found if not before[slot] - beside.get(slot, Counter())]


def carry_on(result: bytes, sweep: ArgumentSweep) -> tuple[bytes, list[int]]:
    """The result with the sweep applied to the calls that still have the old argument.

    Args:
        result: A whole file.
        sweep: One side's sweep; that side has no such call left, so they are the other's.

    Returns:
        The text, and the lines (from 1) of the calls that were changed.
    """
    starts = [0]
    for line in result.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    spans = []
    for slot, value in _arguments(result):
        if slot != (sweep.callee, sweep.slot) or ast.unparse(value) != sweep.old:
            continue
        assert value.end_lineno is not None
        assert value.end_col_offset is not None
        start = starts[value.lineno - 1] + value.col_offset
        end = starts[value.end_lineno - 1] + value.end_col_offset
        # Inside an f-string the places that older Pythons give are not those of the file.
        if _written(result[start:end]) == sweep.old:
            spans.append((start, end, value.lineno))
    text = result
    for start, end, _ in sorted(spans, reverse=True):
        text = text[:start] + sweep.new.encode() + text[end:]
    return text, sorted(line for *_, line in spans)


def _written(text: bytes) -> str | None:
    """An expression as Python writes it."""
    try:
        return ast.unparse(ast.parse(text.decode("utf-8"), mode="eval"))
    except (SyntaxError, ValueError, RecursionError):
        return None


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
