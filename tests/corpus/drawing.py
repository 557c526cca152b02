"""Draws merges whose right result is known."""

from __future__ import annotations

import ast
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random

from tests.corpus.dressing import PLAIN, draw_dress
from tests.corpus.edits import Change, Edit, Growth, Owner, Places, Scenario, parse
from tests.corpus.makers import SIMPLE
from tests.corpus.pairing import PAIRING, Draft, drafts
from tests.corpus.pairs import CLASHES, GROWTHS
from tests.corpus.reshaping import RESHAPING, used_again
from tests.corpus.twins import twins_added

#: All simple edits, as drafts.
MAKERS: dict[str, tuple[int, Callable[[Places, int], Iterator[Draft]]]] = {
    **{kind: (weight, drafts(maker)) for kind, (weight, maker) in SIMPLE.items()},
    "twin-added": (4, drafts(twins_added)),
    **PAIRING,
}

OWNERS: list[Owner] = ["ours", "ours", "ours", "theirs", "theirs", "theirs", "both"]


class _Spans:
    """What is taken: two edits do not touch, unless one carries the other's text along."""

    def __init__(self) -> None:
        self.taken: list[tuple[int, int, bool]] = []

    def free(self, changes: Sequence[Change]) -> bool:
        # One byte between two edits at least: what touches is for a person to decide.
        return all(self._apart(change, other) for change in changes for other in self.taken)

    @staticmethod
    def _apart(change: Change, other: tuple[int, int, bool]) -> bool:
        start, end, cover = other
        if change.end < start or change.start > end:
            return True
        if cover and not change.cover and change.carry is None:
            return start < change.start and change.end < end
        return change.cover and not cover and change.start < start and end < change.end

    def take(self, changes: Sequence[Change]) -> None:
        self.taken += [(change.start, change.end, change.cover) for change in changes]


def scenario(
    data: bytes,
    random: Random,
    *,
    edits: int = 4,
    near: float = 0.6,
    reshape: float = 0.0,
    clash: bool = False,
    clash_keys: bool = True,
    growth: bool = False,
    dress: bool = False,
) -> Scenario | None:
    """Draw edits of a text and deal them out; ``None`` when the text offers too little.

    Args:
        data: Python text in UTF-8 that parses, lines ended by LF.
        random: Where the choices come from.
        edits: How many edits at most.
        near: Share of the edits that are put next to an earlier one.
        reshape: Chance of an edit that moves, wraps, splits or renames.
        clash: Whether one more place is changed by both in contradiction.
        clash_keys: Whether that may be the key of a dict entry.
        growth: Whether both add the like at one more place.
        dress: Whether the texts may get another layout, line ends or encoding.
    """
    places = Places(data)
    spans = _Spans()
    made: list[Edit] = []
    pairs: list[tuple[Change, Change]] = []
    grown: list[Growth] = []
    if clash:
        keys = [
            (places.start(key), places.end(key))
            for node in places.nodes
            if isinstance(node, ast.Dict)
            for key in node.keys
            if key is not None
        ]
        for kind in _kinds(CLASHES, random, 8):
            contrary = list(CLASHES[kind][1](places))
            if not contrary:
                continue
            one, two = random.choice(contrary)
            if kind == "value" and any(start <= one.start < end for start, end in keys):
                if not clash_keys:
                    continue
                one, two = replace(one, kind="key"), replace(two, kind="key")
            pairs.append((one, two) if random.random() < 0.5 else (two, one))
            spans.take(pairs[-1])
            break
    if growth:
        for kind in _kinds(GROWTHS, random, 8):
            found = list(GROWTHS[kind][1](places))
            if found and spans.free((chosen := random.choice(found)).ours + chosen.theirs):
                grown.append(chosen)
                spans.take(chosen.ours + chosen.theirs)
                break
    if random.random() < reshape:
        for number, kind in enumerate(_kinds(RESHAPING, random, 6), 60):
            drafts = list(RESHAPING[kind][1](places, number))
            if not drafts:
                continue
            draft = random.choice(drafts)
            if not spans.free(draft):
                continue
            spans.take(draft)
            owner: Owner = random.choice(["ours", "theirs"])
            made.append(Edit(draft[0], owner, draft[1:]))
            if kind == "renamed" and random.random() < 0.4:
                uses = [c for c in used_again(places, draft, number + 10) if spans.free([c])]
                if uses:
                    again = random.choice(uses)
                    spans.take([again])
                    other: Owner = "theirs" if owner == "ours" else "ours"
                    made.append(Edit(again, other))
            break
    for number, kind in enumerate(_kinds(MAKERS, random, 3 * edits), 101):
        if len(made) >= edits:
            break
        options = list(MAKERS[kind][1](places, number))
        if not options:
            continue
        if spans.taken and random.random() < near:
            # Close to an earlier edit: in the same statement or function where there is one.
            at = random.choice(spans.taken)
            middle = (at[0] + at[1]) // 2
            options = sorted(options, key=lambda draft: abs(draft[0].start - middle))[:3]
        change, *more = random.choice(options)
        renamed = [data[c.start : c.end] for e in made for c in e.changes if "renamed" in c.kind]
        if change.kind == "twin-added" and any(name in change.text for name in renamed):
            continue  # the look-alike follows the renaming, or stays open
        split = [c.carry for e in made for c in e.changes if c.carry and c.kind == "class-split"]
        if change.kind == "function" and any(a < change.start < b for a, b in split):
            continue  # it may belong to either of the two classes
        if spans.free([change, *more]):
            spans.take([change, *more])
            made.append(Edit(change, random.choice(OWNERS), tuple(more)))
    owners = {edit.owner for edit in made}
    if not pairs and not grown and not {"ours", "theirs"} <= owners:
        return None
    case = Scenario(base=data, edits=tuple(made), clashes=tuple(pairs), growths=tuple(grown))
    if dress:
        case = replace(case, dress=draw_dress(random, data.count(b"\n")))
    return case if sound(case) else None


def _kinds(table: dict[str, tuple[int, object]], random: Random, count: int) -> list[str]:
    return random.choices(list(table), [weight for weight, *_ in table.values()], k=count)


def apart(case: Scenario) -> bool:
    """Whether no two edits touch, as in :func:`scenario`."""
    spans = _Spans()
    groups = [
        *(pair for pair in case.clashes),
        *(growth.ours + growth.theirs for growth in case.growths),
        *(edit.changes for edit in case.edits),
    ]
    for changes in sorted(groups, key=lambda group: not any(c.cover for c in group)):
        if not spans.free(changes):
            return False
        spans.take(changes)
    return True


def sound(case: Scenario) -> bool:
    """Whether all texts parse, and the dress leaves the program as it is."""
    try:
        texts = (*case.versions, case.right)
    except (ValueError, SyntaxError, tokenize.TokenError):
        return False
    if any(parse(text) is None for text in texts):
        return False
    if not {"tabs", "two blanks"} & set(case.dress.right):
        return True  # the others are known to leave the program alone
    plain = parse(replace(case, dress=PLAIN).right)
    other = parse(case.right)
    return plain is not None and other is not None and ast.dump(plain) == ast.dump(other)
