"""What a side's edit of a docstring speaks about."""

from __future__ import annotations

import ast
import re
from difflib import SequenceMatcher

from mergewright.text.syntax import syntax_tree

#: ``name``, ``name (int):``, ``name : int``, ``:param int name:``, ``@param name:``, ``*args:``.
_ENTRY = re.compile(
    r"[ \t]*(?:[-*][ \t]+)?(?:[:@]param[ \t]+(?:[\w.\[\], ]+?[ \t]+)?)?"
    r"[`*]*(?P<name>\w+)[`*]*[ \t]*(?:\([^)]*\)[ \t]*)?(?::|$)"
)

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def changed_parameters(base: bytes, side: bytes) -> frozenset[str]:
    """Names of the parameters that a side added or changed.

    Args:
        base: The header of a function, from its decorators to the colon.
        side: The other version of it.

    Returns:
        Their names; none where a header does not parse.
    """
    before, after = _parameters(base), _parameters(side)
    if before is None or after is None:
        return frozenset()
    return frozenset(name for name, form in after.items() if before.get(name) != form)


def _parameters(header: bytes) -> dict[str, str] | None:
    blank = header[: len(header) - len(header.lstrip(b" \t"))]
    above = b"if 1:\n" if blank else b""
    tree = syntax_tree(above + header.rstrip() + b"\n" + blank + b" pass\n")
    if tree is None:
        return None
    function = next((n for n in ast.walk(tree) if isinstance(n, _FUNCTIONS)), None)
    if function is None:
        return None
    given = function.args
    placed = [*given.posonlyargs, *given.args]
    defaults: list[ast.expr | None] = [None] * (len(placed) - len(given.defaults))
    pairs = [
        *zip(placed, [*defaults, *given.defaults], strict=True),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
        *((star, None) for star in (given.vararg, given.kwarg) if star is not None),
    ]
    return {
        arg.arg: f"{ast.dump(arg)} = {ast.dump(default) if default else ''}"
        for arg, default in pairs
    }


def only_about(base: bytes, side: bytes, names: frozenset[str]) -> bool:
    """Whether a side changed in a docstring only the entries of some parameters.

    Args:
        base: The docstring, as it stands in the file.
        side: The other version of it.
        names: The parameters.
    """
    before, after = (text.decode("utf-8", "replace").splitlines() for text in (base, side))
    about = [_within(before, names), _within(after, names)]
    return all(
        about[n][at]
        for tag, i, j, k, m in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if tag != "equal"
        for n, lines, start, stop in ((0, before, i, j), (1, after, k, m))
        for at in range(start, stop)
        if lines[at].strip(" \t\"'")
    )


def _within(lines: list[str], names: frozenset[str]) -> list[bool]:
    """For each line whether it belongs to the entry of one of the parameters."""
    found = []
    depth: int | None = None
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if line.strip() and (depth is None or indent <= depth):
            entry = _ENTRY.match(line)
            depth = indent if entry is not None and entry["name"] in names else None
        found.append(depth is not None)
    return found
