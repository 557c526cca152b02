"""What a changelog asks for beyond its sections and entries: one change is told once.

A change that is ported between release branches is often written down in both, under different
releases. Keeping both entries tells it twice, which either side alone never did.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence

from rapidfuzz import fuzz, process

from mergewright.formats.document import Fragment, Open
from mergewright.formats.tree import Node
from mergewright.model.resolution import Decision, Outcome
from mergewright.model.threeway import Side, ThreeWay

#: Shorter entries ("*", "Bug fixes") are no statement that could be told twice.
_WORDS = 25
#: Two entries that are at least this similar tell the same change.
_SAME = 90.0


def entries(
    node: Node, at: int = 0, section: tuple[Hashable, ...] = ()
) -> Iterator[tuple[tuple[Hashable, ...], Node, int]]:
    """The blocks of a document: keys of the sections they stand in, the block, and where it begins.

    Args:
        node: A section or a document.
        at: Offset of the node in the text.
        section: Keys of the sections around it.
    """
    here = (*section, node.key) if node.kind == "section" else section
    if node.children is None:
        yield here, node, at + len(node.lead)
        return
    at += len(node.lead) + len("".join(node.parts))
    for child in node.children:
        yield from entries(child, at, here)
        at += len(child.text)


def leave_doubled(
    fragments: Sequence[Fragment], trees: ThreeWay[Node | None], result: Node
) -> tuple[list[Fragment], list[Decision]]:
    """Leave open, where ours has it, an entry that both sides added under different headings.

    Args:
        fragments: The merged text.
        trees: The three versions.
        result: The merged text with ours' words at the open places, cut like the versions.

    Returns:
        The fragments and the decisions that go with the places that became open.
    """
    told = trees.map(_told)
    counts = told.map(lambda some: Counter(words for words, _ in some))
    old = counts.base
    added = told.map(lambda some: {words: section for words, section in some if not old[words]})
    doubled = {
        words: (section, mate)
        for words, section in added.ours.items()
        if counts.ours[words] == 1
        and (mate := _mate(words, added.theirs, counts.ours)) is not None
        and added.theirs[mate] != section
    }
    out = list(fragments)
    decisions: list[Decision] = []
    if not doubled:
        return out, decisions
    found = Counter(str(block.value) for _, block, _ in entries(result))
    # From the end, so that earlier offsets stay what they are.
    for section, block, at in reversed(list(entries(result))):
        words = str(block.value)
        where, mate = doubled.get(words, (None, words))
        if where != section or found[words] + (found[mate] if mate != words else 0) < 2:
            continue
        reason = "both sides added this entry, under different headings"
        place = Open(
            symbol=block.name,
            kind="both-added",
            versions=ThreeWay(base="", ours=block.body, theirs=""),
            reason=reason,
        )
        if _cut(out, at, len(block.body), place):
            decisions.append(
                Decision(
                    symbol=block.name,
                    outcome=Outcome.DEFERRED,
                    strategy="defer",
                    side=Side.BOTH,
                    reason=reason,
                )
            )
    return out, decisions[::-1]


def _mate(words: str, others: Mapping[str, tuple[Hashable, ...]], ours: Counter[str]) -> str | None:
    """The entry of the other side that says the same, in the same or nearly the same words."""
    if words in others:
        return words
    best = process.extractOne(
        words, [other for other in others if not ours[other]], scorer=fuzz.ratio, score_cutoff=_SAME
    )
    return None if best is None else best[0]


def _told(tree: Node | None) -> list[tuple[str, tuple[Hashable, ...]]]:
    if tree is None:
        return []
    return [
        (str(block.value), section)
        for section, block, _ in entries(tree)
        if section and len(str(block.value)) >= _WORDS and block.kind in {"bullet", "paragraph"}
    ]


def _cut(fragments: list[Fragment], at: int, length: int, place: Open) -> bool:
    """Put an open place where a run of settled text stands; false where that is not settled."""
    start = 0
    for index, fragment in enumerate(fragments):
        text = fragment if isinstance(fragment, str) else fragment.versions.ours
        if start <= at and at + length <= start + len(text) and isinstance(fragment, str):
            offset = at - start
            fragments[index : index + 1] = [
                text[:offset],
                place,
                text[offset + length :],
            ]
            return True
        start += len(text)
    return False
