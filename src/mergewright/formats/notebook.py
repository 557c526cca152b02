"""Jupyter notebooks: cells as units, source by line, outputs and execution counts by rule.

Cells are matched by id, then by source, then by similarity. Outputs follow the source: they come
from the side whose source the result has; a cell whose source combines both sides has been run by
nobody, so its outputs are cleared.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import pairwise

from rapidfuzz import fuzz

from mergewright.formats import jsontext
from mergewright.formats.document import Merged, UnmergeableError
from mergewright.formats.options import FormatOptions
from mergewright.formats.tree import Choice, Leaf, Merger, Node, known
from mergewright.formats.versions import VersionStrategy
from mergewright.model.merge import Decider
from mergewright.model.threeway import Side, ThreeWay, settle
from mergewright.text.diff import matches

_EDITED = 60.0


def merge(
    versions: ThreeWay[str | None], path: str, options: FormatOptions, deciders: Sequence[Decider]
) -> Merged:
    """Merge three notebooks.

    Raises:
        UnmergeableError: A text is no notebook of format 4.
    """
    trees = versions.map(lambda text: None if text is None else _prepared(text))
    trees, notes = _aligned(trees)
    merger = Merger(
        path=path,
        disabled=options.disabled,
        deciders=deciders,
        strategies=(_identity, VersionStrategy(options=options)),
        united=_independent,
    )
    fragments = merger.merge(trees)
    return Merged(fragments=fragments, decisions=merger.decisions, notes=[*merger.notes, *notes])


_NAME = re.compile(r"[^\W\d]\w*")
_BOUND = re.compile(
    r"^[ \t]*(?:(?P<names>[^\W\d][\w, \t]*?)[ \t]*(?:[-+*/%@&|^]|//|\*\*|<<|>>)?=(?!=)"
    r"|(?:async[ \t]+)?(?:def|class)[ \t]+(?P<defined>\w+)"
    r"|(?:from[ \t]+[\w.]+[ \t]+)?import[ \t]+(?P<imported>[^\n]+))",
    re.MULTILINE,
)


def _independent(path: str, nodes: Sequence[Node]) -> bool:
    """Whether cells bind no name that another one of them mentions: then all of them are kept."""
    if path != "cells" or any(node.kind != "object" for node in nodes):
        return False
    cells = list({node.key: node for node in nodes}.values())
    bound: list[set[str]] = []
    used: list[set[str]] = []
    for cell in cells:
        kind = _child(cell, "cell_type")
        source = source_of(cell) if kind is not None and _string(kind) == "code" else ""
        if re.search(r"^[ \t]*[%!]", source, re.MULTILINE):
            return False
        found = {
            word
            for match in _BOUND.finditer(source)
            for group in match.groups()
            if group
            for word in _NAME.findall(group)
        }
        bound.append(found)
        used.append(set(_NAME.findall(source)))
    return not any(one & two for i, one in enumerate(bound) for j, two in enumerate(used) if i != j)


def _identity(leaf: Leaf) -> Choice | None:
    """Two ids given to one cell mean the same; ours stays."""
    parts = leaf.path.split(".")
    if len(parts) >= 3 and parts[0] == "cells" and parts[-1] == "id":
        return Choice(
            side=Side.OURS, strategy="cell-id", reason="both sides gave the same cell an id"
        )
    return None


def _prepared(text: str) -> Node:
    document = jsontext.parse(text)
    root = known((document.children or (None,))[0])
    cells = _child(root, "cells")
    if cells is None or cells.children is None or _child(root, "nbformat") is None:
        raise UnmergeableError("not a notebook of format 4")
    fresh = [_prepared_cell(cell, number) for number, cell in enumerate(cells.children)]
    return _with_cells(document, fresh)


def _prepared_cell(cell: Node, number: int) -> Node:
    source = _child(cell, "source")
    if cell.kind != "object" or source is None:
        raise UnmergeableError("a cell without a source")
    if source.children is not None:
        lines = []
        for line in source.children:
            if line.kind != "string":
                raise UnmergeableError("a source line that is no string")
            # The last line of a source has no line end; as a line it is the same.
            lines.append(replace(line, key=_string(line).rstrip("\n"), name=""))
        cell = _replaced(cell, "source", replace(source, children=tuple(lines)))
    identity = _child(cell, "id")
    key: Hashable = ("number", number)
    if identity is not None:
        key = ("id", _string(identity))
    return replace(cell, key=key, name=str(number))


def _string(node: Node) -> str:
    value = node.value
    return str(value[1]) if isinstance(value, tuple) else ""


def _child(node: Node, key: str) -> Node | None:
    return next((child for child in node.children or () if child.key == key), None)


def _replaced(node: Node, key: str, new: Node) -> Node:
    return replace(
        node,
        children=tuple(new if child.key == key else child for child in node.children or ()),
    )


def _with_cells(document: Node, cells: Sequence[Node]) -> Node:
    root = known((document.children or (None,))[0])
    old = known(_child(root, "cells"))
    root = _replaced(root, "cells", replace(old, children=tuple(cells)))
    return replace(document, children=(root,))


def _cells(document: Node | None) -> list[Node]:
    if document is None:
        return []
    root = known((document.children or (None,))[0])
    return list(known(_child(root, "cells")).children or ())


def source_of(cell: Node) -> str:
    """The source of a cell as one text."""
    source = known(_child(cell, "source"))
    if source.children is None:
        return _string(source)
    return "".join(_string(line) for line in source.children)


def _aligned(trees: ThreeWay[Node | None]) -> tuple[ThreeWay[Node | None], list[str]]:
    """Give matched cells one key and settle their outputs by the rule."""
    base, ours, theirs = (_cells(tree) for tree in trees)
    for cells in (base, ours, theirs):
        keys = [cell.key for cell in cells]
        if len(set(keys)) != len(keys):
            raise UnmergeableError("two cells share an id")
    base = [replace(cell, key=("cell", number)) for number, cell in enumerate(base)]
    originals = _cells(trees.base)
    ours = _matched(originals, base, ours, "ours")
    theirs = _matched(originals, base, theirs, "theirs")
    ours, theirs = _paired(base, ours, theirs)
    notes: list[str] = []
    by_key = {cell.key: cell for cell in base}
    there = {cell.key: number for number, cell in enumerate(theirs)}
    for number, cell in enumerate(ours):
        at = there.get(cell.key)
        if at is None:
            continue
        ours[number], theirs[at], note = _outputs(by_key.get(cell.key), cell, theirs[at])
        if note:
            notes.append(f"cell {number}: {note}")
    return (
        ThreeWay(
            base=None if trees.base is None else _with_cells(trees.base, base),
            ours=_with_cells(known(trees.ours), ours),
            theirs=_with_cells(known(trees.theirs), theirs),
        ),
        notes,
    )


def _matched(
    originals: Sequence[Node], base: Sequence[Node], side: Sequence[Node], label: str
) -> list[Node]:
    ids = {cell.key: index for index, cell in enumerate(originals) if _is_id(cell.key)}
    partner: dict[int, int] = {}
    for number, cell in enumerate(side):
        if cell.key in ids:
            partner[number] = ids[cell.key]
    free_old = [i for i in range(len(base)) if i not in partner.values()]
    free_new = [j for j in range(len(side)) if j not in partner]
    pairs = [
        (free_old[a], free_new[b])
        for a, b in matches(
            [source_of(base[i]) for i in free_old], [source_of(side[j]) for j in free_new]
        )
    ]
    partner.update({j: i for i, j in pairs})
    # What is left between two matched cells is matched by similarity.
    edges = [
        (-1, -1),
        *sorted((i, j) for j, i in partner.items()),
        (len(base), len(side)),
    ]
    for (a, b), (c, d) in pairwise(edges):
        scores = sorted(
            (
                (fuzz.ratio(source_of(base[i]), source_of(side[j])), -i, -j)
                for i in range(a + 1, c)
                for j in range(b + 1, d)
                if j not in partner and i not in partner.values()
            ),
            reverse=True,
        )
        for score, i, j in scores:
            if score >= _EDITED and -j not in partner and -i not in partner.values():
                partner[-j] = -i
    return [
        replace(cell, key=base[partner[number]].key if number in partner else (label, cell.key))
        for number, cell in enumerate(side)
    ]


def _is_id(key: Hashable) -> bool:
    return isinstance(key, tuple) and key[:1] == ("id",)


def _paired(
    base: Sequence[Node], ours: list[Node], theirs: list[Node]
) -> tuple[list[Node], list[Node]]:
    """Cells that both sides added with one id or one source are one cell."""
    old = {cell.key for cell in base}
    fresh = {
        (source_of(cell), cell.key): number
        for number, cell in enumerate(ours)
        if cell.key not in old
    }
    for number, cell in enumerate(theirs):
        if cell.key in old:
            continue
        for source, key in fresh:
            same_id = (
                isinstance(key, tuple)
                and isinstance(cell.key, tuple)
                and (_is_id(key[1]) and key[1] == cell.key[1])
            )
            if same_id or source == source_of(cell):
                theirs[number] = replace(cell, key=key)
                del fresh[source, key]
                break
    return ours, theirs


def _outputs(base: Node | None, ours: Node, theirs: Node) -> tuple[Node, Node, str]:
    """Settle outputs and execution count of one cell by the rule."""
    fields = ("outputs", "execution_count")
    if (
        all(_meaning(_child(ours, name)) == _meaning(_child(theirs, name)) for name in fields)
        or _child(ours, "outputs") is None
        or _child(theirs, "outputs") is None
    ):
        return ours, theirs, ""
    sources = ThreeWay(
        base=None if base is None else source_of(base),
        ours=source_of(ours),
        theirs=source_of(theirs),
    )
    if base is not None and any(
        all(_meaning(_child(side, name)) == _meaning(_child(base, name)) for name in fields)
        and source_of(side) == sources.base
        for side in (ours, theirs)
    ):
        return ours, theirs, ""
    side = settle(sources)
    if side is Side.THEIRS:
        return _follow(ours, theirs, fields), theirs, "outputs follow theirs, whose source it is"
    if side is Side.OURS:
        return ours, _follow(theirs, ours, fields), "outputs follow ours, whose source it is"
    note = "outputs cleared, because its source combines both sides"
    return _cleared(ours), _cleared(theirs), note


def _meaning(node: Node | None) -> Hashable:
    return None if node is None else node.meaning


def _follow(cell: Node, leader: Node, fields: Sequence[str]) -> Node:
    for name in fields:
        mine, other = _child(cell, name), _child(leader, name)
        if mine is not None and other is not None:
            cell = _replaced(cell, name, replace(other, comma=mine.comma, after=mine.after))
    return cell


def _cleared(cell: Node) -> Node:
    outputs, count = _child(cell, "outputs"), _child(cell, "execution_count")
    if outputs is not None and outputs.children is not None:
        cell = _replaced(cell, "outputs", replace(outputs, children=(), tail="]"))
    if count is not None:
        cell = _replaced(
            cell,
            "execution_count",
            replace(count, parts=(count.parts[0], "null"), value=("NoneType", "null")),
        )
    return cell
