"""Statements at another indentation: what may be moved, and what must stay as it is.

Indentation is layout except inside string literals that span lines: those lines are copied as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import tree_sitter

from mergewright.python.source import Item, Source, block_items
from mergewright.text.diff import matches
from mergewright.text.lines import split_lines, with_final_newline

_SHELL = b"if 1:\n"


def indentation(core: bytes) -> bytes:
    """The white space that a statement's first line starts with."""
    return core[: len(core) - len(core.lstrip(b" \t\f"))]


def shifted(items: Sequence[Item], indent: bytes) -> bytes:
    """The lines of neighbouring items, with what stands above them, moved to another indentation.

    Lines that lie further out than the first statement (comments at the left margin, continued
    lines) and the inner lines of string literals stay as they are.

    Args:
        items: Neighbours of one block, at least one.
        indent: The new indentation of the first statement.
    """
    source = items[0].source
    start = items[0].lead_start
    text = source.data[start : items[-1].end]
    old = indentation(items[0].core)
    if old == indent:
        return text
    first_row = source.data.count(b"\n", 0, start)
    fixed = _string_rows(items)
    lines = split_lines(text)
    for number, line in enumerate(lines):
        if number + first_row not in fixed and line.startswith(old) and line.strip():
            lines[number] = indent + line[len(old) :]
    return b"".join(lines)


def _string_rows(items: Sequence[Item]) -> set[int]:
    """Rows of the source that begin inside a string literal."""
    rows: set[int] = set()
    stack: list[tree_sitter.Node] = [node for item in items for node in item.nodes]
    while stack:
        node = stack.pop()
        if node.start_point[0] == node.end_point[0]:
            continue
        if node.type == "string":
            rows.update(range(node.start_point[0] + 1, node.end_point[0] + 1))
        else:
            stack.extend(node.children)
    return rows


def parsed(text: bytes, parent: str) -> list[Item] | None:
    """The items of lines that stand at any one indentation; ``None`` when they do not parse.

    Args:
        text: Whole lines.
        parent: Kind of the definition around them, as in :class:`Item`.
    """
    text = with_final_newline(text, b"\n")
    first = next((line for line in split_lines(text) if line.strip()[:1] not in {b"", b"#"}), b"")
    if not indentation(first):
        source = Source(text)
        return (
            None
            if source.root.has_error
            else block_items(source, source.root, 0, len(text), parent)
        )
    # A parser wants indented lines below something.
    source = Source(_SHELL + text)
    statements = [node for node in source.root.named_children if node.type != "comment"]
    if source.root.has_error or len(statements) != 1:
        return None
    block = next((node for node in statements[0].children if node.type == "block"), None)
    if block is None:
        return None
    return block_items(source, block, len(_SHELL), len(source.data), parent)


def _in_clause(base: Sequence[Item], edited: Sequence[Item], *, few: bool) -> bool:
    """Whether the statements of a clause stand in it on the other side, too, changed perhaps.

    Args:
        base: The statements.
        edited: The clause on the other side.
        few: It is the only clause: half of them will do.
    """
    pairs = matches([i.fingerprint for i in base], [i.fingerprint for i in edited])
    if few:
        return 2 * len(pairs) >= len(base) - 1
    same = {n for n, _ in pairs}, {n for _, n in pairs}
    old, new = (
        Counter((item.kind, item.name) for n, item in enumerate(items) if n not in known)
        for items, known in zip((base, edited), same, strict=True)
    )
    return old <= new


def wrapped_as(base: Sequence[Item], ours: Item, theirs: Item) -> Item | None:
    """Statements of the base as they would stand under the header that both sides put them under.

    Args:
        base: Neighbours of one block.
        ours: The compound statement that ours has instead.
        theirs: The one that theirs has.

    Returns:
        The compound statement, or ``None`` where the two headers differ, no side only wrapped the
        statements, or the other has kept but few of them; with several clauses each must stand in the
        same one on both sides, changed perhaps.
    """
    mine, other = ours.sections(), theirs.sections()
    if not base or not mine or ours.kind != theirs.kind or ours.parent != theirs.parent:
        return None
    if [s.header_print for s in mine] != [s.header_print for s in other]:
        return None
    if any(s.body is None for s in (*mine, *other)):
        return None
    # One side wrapped only: its statements are the base's, and tell in which clause each stands.
    for sections in (mine, other):
        inner = [item.fingerprint for s in sections for item in s.items()]
        if inner == [item.fingerprint for item in base]:
            break
    else:
        return None
    edited = other if sections is mine else mine
    if any(
        not _in_clause(one.items(), two.items(), few=len(mine) == 1)
        for one, two in zip(sections, edited, strict=True)
    ):
        return None
    text, at = ours.lead, 0
    for section in sections:
        count = len(section.items())
        text += section.header
        text += shifted(base[at : at + count], indentation(section.items()[0].core))
        at += count
    found = parsed(text, ours.parent)
    return found[0] if found is not None and len(found) == 1 else None
