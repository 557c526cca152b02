"""Arguments that one side changed in every call of a function: calls that the other side added follow.

``register(name, default, None)`` became ``register(name, default, False)`` in all its calls: a call that
the other side added with ``None`` does not know of it. Neither side is wrong, their merge is.
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mergewright.python.source import source_of
from mergewright.text.syntax import expression_tree, syntax_tree

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
    parts = _what_differs(base, side)
    if parts is not None and not _changed_alike(*map(_values, parts)):
        return []
    before, after = _values(base), _values(side)
    found = _changed_alike(before, after)
    if not found:
        return []
    beside = _values(other)
    return [sweep for slot, sweep in found if not before[slot] - beside.get(slot, Counter())]


#: What may stand between a token of an argument and the comma or bracket beside it: the rest of a dotted
#: name, further parts of a text, and layout.
_BESIDE = rb"""(?:[\s\w.\\'"]|\#[^\n]*\n)*+"""


def stands_as_argument(token: bytes, text: bytes) -> bool:
    """Whether a token stands in enough places where a plain argument of a call may: a quick look.

    Args:
        token: A token of Python.
        text: A file.
    """
    if token[:1] in b"\"'":
        return True  # written in one of several ways
    found = re.finditer(rb"(?<!\w)%b(?!\w)%b[,)]" % (re.escape(token), _BESIDE), text)
    return len([*itertools.islice(found, LEAST_CALLS)]) == LEAST_CALLS


_Values = dict[_Slot, Counter[str]]


def _changed_alike(before: _Values, after: _Values) -> list[tuple[_Slot, ArgumentSweep]]:
    """Arguments that stand in enough calls, in none any more, and became one other."""
    found = []
    for slot, values in before.items():
        now = after.get(slot, Counter())
        for old, calls in values.items():
            if calls < LEAST_CALLS or now[old]:
                continue
            gained = now - values
            if len(gained) != 1:
                continue
            ((new, times),) = gained.items()
            if times >= LEAST_CALLS:
                found.append((slot, ArgumentSweep(slot[0], slot[1], old, new, times)))
    return found


def _what_differs(base: bytes, side: bytes) -> tuple[bytes, bytes] | None:
    """The statements of the module that the texts do not have in common; ``None`` if unknown.

    The calls in common statements changed nothing, and left no argument as it was: what was changed alike
    in the whole texts was changed alike in these parts.
    """
    texts = [Counter(item.text for item in source_of(data).items()) for data in (base, side)]
    old, new = (b"".join((texts[n] - texts[1 - n]).elements()) for n in (0, 1))
    if old == base or _tree(old) is None or _tree(new) is None:
        return None
    return old, new


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
    expression = expression_tree(text.decode("utf-8", "surrogateescape"))
    try:
        return None if expression is None else ast.unparse(expression)
    except RecursionError:
        return None


def _values(text: bytes) -> _Values:
    """What each argument of each called expression is, and how often."""
    found: _Values = defaultdict(Counter)
    for slot, value in _arguments(text):
        found[slot][spelled(value)] += 1
    return found


def spelled(node: ast.expr) -> str:
    """An expression as :func:`ast.unparse` writes it; quick for dotted names and texts."""
    parts: list[str] = []
    part = node
    while isinstance(part, ast.Attribute):
        parts.append(part.attr)
        part = part.value
    if isinstance(part, ast.Name):
        return ".".join([part.id, *reversed(parts)])
    if (
        part is node
        and isinstance(node, ast.Constant)
        and node.kind is None
        and (node.value is None or type(node.value) in {str, bool, int})
    ):
        return repr(node.value)
    return ast.unparse(node)


def _nodes(tree: ast.AST) -> list[Any]:
    """All nodes in the order of :func:`ast.walk`, contexts and operators left out; there may be ``None``."""
    found: list[Any] = [tree]
    for node in found:  # grows as it goes
        for name in _below(type(node)):
            below = getattr(node, name)
            if type(below) is list:
                found += below
            elif below is not None:
                found.append(below)
    return found


_known_fields: dict[type[Any], tuple[str, ...]] = {}


def _below(kind: type[Any]) -> tuple[str, ...]:
    """Names of the fields of a kind of node that may hold nodes."""
    found = _known_fields.get(kind)
    if found is None:
        found = ()
        if issubclass(kind, ast.AST) and not issubclass(kind, ast.Constant | ast.Name):
            found = tuple(name for name in kind._fields if name not in _PLAIN)
        _known_fields[kind] = found
    return found


_PLAIN = frozenset(
    {"ctx", "op", "ops", "id", "attr", "arg", "name", "names", "type_comment", "kind"}
)


@functools.lru_cache(maxsize=2)
def _tree(text: bytes) -> ast.Module | None:
    """The syntax tree of a text whose columns are those of its bytes, if it has one."""
    if not text.isascii():
        try:
            text.decode("utf-8")
        except UnicodeDecodeError:
            return None
    if text.startswith(b"\xef\xbb\xbf"):
        return None  # columns would be counted behind the mark
    return syntax_tree(text)


def _arguments(text: bytes) -> Iterator[tuple[_Slot, ast.expr]]:
    """Plain arguments (constants and names) of all calls of names and attributes."""
    tree = _tree(text)
    if tree is None:
        return
    for node in _nodes(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name | ast.Attribute):
            continue
        callee = spelled(node.func)
        for n, argument in enumerate(node.args):
            if isinstance(argument, ast.Starred):
                break
            if isinstance(argument, ast.Constant | ast.Name | ast.Attribute):
                yield (callee, n), argument
        for keyword in node.keywords:
            if keyword.arg and isinstance(keyword.value, ast.Constant | ast.Name | ast.Attribute):
                yield (callee, keyword.arg), keyword.value
