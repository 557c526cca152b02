"""A helper that one side put in the place of an explicit check, applied to the other side's text."""

from __future__ import annotations

import ast
import re
from textwrap import dedent

from mergewright.model.threeway import Side, ThreeWay
from mergewright.text.syntax import syntax_tree


def with_abstraction(
    versions: ThreeWay[bytes | None], *, narrow: str, broad: str, side: Side
) -> bytes | None:
    """The other side's text with the helper of ``side`` instead of the explicit check.

    Only where it is proved: one side's whole change is that it calls the helper instead (compared by
    syntax tree, so that layout and parentheses do not matter), and the other side's text still makes
    the explicit check.

    Args:
        versions: The three texts of a contested place.
        narrow: Name of the function that checks one case.
        broad: Name of the helper that checks more.
        side: The side that has the helper.

    Returns:
        The text, or ``None`` when it is not proved.
    """
    base, mine, other = versions.base, versions.get(side), versions.get(side.other)
    if base is None or mine is None or other is None:
        return None
    call = re.compile(rb"(?<![\w.])" + narrow.encode() + rb"(?=\s*\()")
    helper = re.compile(rb"((?:[A-Za-z_]\w*\.)*)" + broad.encode() + rb"(?=\s*\()")
    owners = {match.group(1) for match in helper.finditer(mine)}
    if len(owners) != 1 or helper.search(other) or not call.search(other):
        return None
    new = owners.pop() + broad.encode()
    before, after = _tree(call.sub(new, base)), _tree(mine)
    if before is None or before != after:
        return None
    return call.sub(new, other)


def _tree(text: bytes) -> str | None:
    """The syntax of a piece of code, without places; the header of a block counts as a block."""
    try:
        source = dedent(text.decode()).strip()
    except UnicodeDecodeError:
        return None
    # Comment lines between belong to no tree and need no care.
    lines = [line for line in source.split("\n") if not line.lstrip().startswith("#")]
    source = "\n".join(lines).rstrip()
    if source.endswith(":"):
        source += " pass"
    if source.startswith(("elif ", "else:")):
        source = f"if x: pass\n{source}"
    tree = syntax_tree(source)
    return None if tree is None else ast.dump(tree)
