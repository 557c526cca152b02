"""Which items of two versions of a block stand for each other.

In turn: equal text, then name, then equal tokens, then similar tokens. Text is compared first because
almost everything is unchanged; names carry definitions over moves; similarity finds renamed
definitions and edited statements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import pairwise

from rapidfuzz.distance import Indel

from mergewright.python.source import Item
from mergewright.text.diff import increasing, matches

#: Least similarity (0 to 1, of the token sequences) for two statements to be versions of one.
SIMILAR = 0.55
#: Least similarity for a definition to be taken for a renamed one.
RENAMED = 0.72
# Gaps larger than this product are not searched for similar statements.
_GAP_LIMIT = 3_000
_NAMED = frozenset({"def", "class"})
#: Told by what they are called or by where they stand, however much they resemble each other.
UNMISTAKABLE = frozenset({"def", "class", "import", "from", "doc", "tail", "error"})
#: Similarities that differ by no more do not tell which of two definitions a renamed one comes from.
_TIE = 0.05
_KEYED = frozenset({"def", "class", "assign", "import", "from", "doc", "tail"})


def align_blocks(base: Sequence[Item], side: Sequence[Item]) -> list[tuple[int, int]]:
    """:func:`align` for two blocks of whole texts: the search for moved code compares them, too."""
    if not base or not side:
        return []
    known = base[0].source.aligned
    key = (id(base), id(side))
    if key not in known:
        known[key] = (base, side, align(base, side))
    return list(known[key][2])


def align(base: Sequence[Item], side: Sequence[Item]) -> list[tuple[int, int]]:
    """Pairs of indices, sorted by the first; they may cross where definitions have moved."""
    cores, side_cores = [item.core for item in base], [item.core for item in side]
    pairs = matches(cores, side_cores)
    if _ambiguous(cores, side_cores, pairs) and len(base) * len(side) <= _GAP_LIMIT:
        # Equal statements in a row: which of them a side changed is told by their neighbours only,
        # so all are weighed together instead of taking the first equal pair.
        whole = _similar(base, side, list(range(len(base))), list(range(len(side))))
        pairs = [(i, j) for i, j in whole if cores[i] == side_cores[j]]
        pairs += [(i, j) for i, j in whole if cores[i] != side_cores[j]]
        pairs.sort()
    # A bare ``pass`` or ``return`` that equals another by chance is no anchor for definitions,
    # but it does no harm: unnamed items are matched in order only.
    used_base = {i for i, _ in pairs}
    used_side = {j for _, j in pairs}
    found = list(pairs)
    _by_name(base, side, found, used_base, used_side)
    _in_gaps(base, side, found, used_base, used_side)
    _moved_bindings(base, side, found, used_base, used_side)
    _renamed(base, side, found, used_base, used_side)
    found.sort()
    return [(i, j) for i, j in found if not _one_holds_other(base[i], side[j])]


def doubtful(
    base: Sequence[Item], side: Sequence[Item], pairs: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """Runs of look-alikes of which cannot be told which one the side changed and which it took away.

    ``f(a, x=1)`` and ``f(a, x=2)``, of which the side has ``f(a, x=2)`` and ``f(a, x=3)``: it took the first
    away and added one, or it changed both. What the other side did to one of them has no certain place.

    Returns:
        First and last index into ``base`` of each run.
    """
    straight = increasing(sorted(pairs))
    gone = _left_over(len(base), [i for i, _ in straight], {i for i, _ in pairs})
    new = _left_over(len(side), [j for _, j in straight], {j for _, j in pairs})
    # Definitions of one name are never mistaken for others: what they hold is not read.
    edited = {
        (i, j)
        for i, j in pairs
        if not (base[i].kind in _NAMED and base[i].key == side[j].key)
        and not _same_code(base[i], side[j])
    }
    if len(edited) < 2 and not any(gone) and not any(new):
        return []
    runs = _renamed_like_others(base, side, edited, gone, new)
    # What the side has letter for letter elsewhere is moved, not gone.
    added = [side[y] for row in new for y in row] if any(gone) else []
    moved = {item.fingerprint for item in added if item.kind not in _NAMED}
    runs += [
        (x, x)
        for row in gone
        for x in row
        if base[x].kind not in UNMISTAKABLE and base[x].fingerprint in moved
    ]
    # What the side has letter for letter, but paired with something else.
    astray = {side[j].fingerprint: i for i, j in edited}
    for at, (i, j) in enumerate(straight):
        # Changed and on the other side of this pair: one of the two has moved.
        runs += [
            (min(i, x), max(i, x))
            for rows, others in ((gone[at], new[at + 1]), (gone[at + 1], new[at]))
            for x in rows
            if base[x].kind not in UNMISTAKABLE and any(_alike(base[x], side[y]) for y in others)
        ]
        if base[i].kind in UNMISTAKABLE:
            continue
        if (i, j) in edited:
            other = astray.get(base[i].fingerprint)
            if other is not None:
                runs.append((min(i, other), max(i, other)))
            rivals = [x for x in (*gone[at], *gone[at + 1]) if _alike(base[x], side[j])]
            if rivals or any(_alike(base[i], side[y]) for y in (*new[at], *new[at + 1])):
                runs.append((min(i, *rivals, i), max(i, *rivals, i)))
        else:
            runs += _shifted(base, side, straight, at, gone, new)
    return runs


def _shifted(
    base: Sequence[Item],
    side: Sequence[Item],
    straight: list[tuple[int, int]],
    at: int,
    gone: list[list[int]],
    new: list[list[int]],
) -> Iterator[tuple[int, int]]:
    """The runs in which what is left over before equal statements may be these, and these what is behind."""
    if not gone[at] and not new[at]:
        return
    i, j = straight[at]
    # Equal ones in a row are passed over together.
    end = at
    while (
        end + 1 < len(straight)
        and straight[end + 1] == (straight[end][0] + 1, straight[end][1] + 1)
        and base[straight[end + 1][0]].fingerprint == base[i].fingerprint
    ):
        end += 1
    last_i, last_j = straight[end]
    if any(_alike(base[last_i], side[y]) for y in new[end + 1]):
        first = min((x for x in gone[at] if _alike(base[x], side[j])), default=None)
        if first is not None:
            yield first, last_i
    if any(_alike(base[i], side[y]) for y in new[at]):
        last = max((x for x in gone[end + 1] if _alike(base[x], side[last_j])), default=None)
        if last is not None:
            yield i, last


def _renamed_like_others(
    base: Sequence[Item],
    side: Sequence[Item],
    edited: set[tuple[int, int]],
    gone: list[list[int]],
    new: list[list[int]],
) -> list[tuple[int, int]]:
    """Definitions one of which was renamed: a name says nothing where it was changed."""
    runs: list[tuple[int, int]] = []
    for i, j in sorted(edited):
        if base[i].kind not in _NAMED or base[i].name == side[j].name:
            continue
        least = max(similarity(base[i], side[j]) - _TIE, RENAMED)
        rivals = [x for row in gone for x in row if similarity(base[x], side[j]) >= least]
        if rivals or any(similarity(base[i], side[y]) >= least for row in new for y in row):
            runs += [(x, x) for x in (i, *rivals)]
    return runs


def _same_code(one: Item, other: Item) -> bool:
    return one.core == other.core or one.fingerprint == other.fingerprint


def _left_over(length: int, fixed: list[int], used: set[int]) -> list[list[int]]:
    """The places before, between and behind fixed ones that are not used."""
    bounds = [-1, *fixed, length]
    return [[n for n in range(start + 1, end) if n not in used] for start, end in pairwise(bounds)]


def _alike(one: Item, other: Item) -> bool:
    """Whether an item may be an edited version of another one that bears the same name, if any.

    Of a call the last part of its name counts: what it is called on may have been renamed.
    """
    if one.kind != other.kind or similarity(one, other) < SIMILAR:
        return False
    calls = one.kind == "call"
    names = [item.name.rpartition(".")[2] if calls else item.name for item in (one, other)]
    return names[0] == names[1]


def _one_holds_other(one: Item, other: Item) -> bool:
    """Whether a statement was put into another of its kind, or taken out: they are not two versions.

    ``if a: x`` wrapped as ``if b: y`` / ``else: if a: x`` has the keywords of its wrapper.
    """
    if one.kind in _NAMED or one.core == other.core or one.fingerprint == other.fingerprint:
        return False
    return _within(one, other) or _within(other, one)


def _within(inner: Item, outer: Item, depth: int = 3) -> bool:
    for section in outer.sections():
        if section.body is None:
            continue
        for item in section.items():
            if item.kind == inner.kind and item.fingerprint == inner.fingerprint:
                return True
            if depth > 1 and item.kind not in _NAMED and _within(inner, item, depth - 1):
                return True
    return False


def _ambiguous(base: Sequence[bytes], side: Sequence[bytes], pairs: list[tuple[int, int]]) -> bool:
    """Whether a repeated statement is left over on a side: it could be any of its twins."""
    if len(pairs) == len(base) and len(pairs) == len(side):
        return False
    count = Counter(base)
    repeated = {text for text, n in count.items() if n > 1}
    if not repeated:
        return False
    left = Counter(base) - Counter(base[i] for i, _ in pairs)
    return any(text in repeated for text in left)


def _by_name(
    base: Sequence[Item],
    side: Sequence[Item],
    found: list[tuple[int, int]],
    used_base: set[int],
    used_side: set[int],
) -> None:
    """Definitions by name, wherever they stand; repeated names in their order."""
    places: dict[tuple[str, str], list[int]] = {}
    for j, item in enumerate(side):
        if j not in used_side and item.kind in _NAMED:
            places.setdefault(item.key, []).append(j)
    for i, item in enumerate(base):
        if i in used_base or item.kind not in _NAMED:
            continue
        waiting = places.get(item.key)
        if waiting:
            j = waiting.pop(0)
            found.append((i, j))
            used_base.add(i)
            used_side.add(j)


def _moved_bindings(
    base: Sequence[Item],
    side: Sequence[Item],
    found: list[tuple[int, int]],
    used_base: set[int],
    used_side: set[int],
) -> None:
    """Imports and assignments to other places of the block: what the other side did to them follows.

    Only where one statement alone has the key on either side.
    """
    left = _sole([(i, item) for i, item in enumerate(base) if i not in used_base])
    right = _sole([(j, item) for j, item in enumerate(side) if j not in used_side])
    for key, i in left.items():
        j = right.get(key)
        if j is not None:
            found.append((i, j))
            used_base.add(i)
            used_side.add(j)


def _sole(items: list[tuple[int, Item]]) -> dict[tuple[str, str], int]:
    """Places of the imports, and of the named things outside functions, that stand once."""
    places: dict[tuple[str, str], list[int]] = {}
    for at, item in items:
        attribute = item.kind == "assign" or (item.kind == "string" and item.name)
        if item.kind in {"import", "from"} or (attribute and item.parent != "def"):
            places.setdefault(item.key, []).append(at)
    return {key: found[0] for key, found in places.items() if len(found) == 1}


def _gaps(
    found: list[tuple[int, int]], base_length: int, side_length: int
) -> list[tuple[int, int, int, int]]:
    """Ranges between neighbouring matches (those that do not cross)."""
    straight = increasing(sorted(found))
    gaps = []
    i = j = 0
    for at, to in [*straight, (base_length, side_length)]:
        if at > i and to > j:
            gaps.append((i, at, j, to))
        i, j = at + 1, to + 1
    return gaps


def _in_gaps(
    base: Sequence[Item],
    side: Sequence[Item],
    found: list[tuple[int, int]],
    used_base: set[int],
    used_side: set[int],
) -> None:
    for lo, hi, low, high in _gaps(found, len(base), len(side)):
        left = [i for i in range(lo, hi) if i not in used_base]
        right = [j for j in range(low, high) if j not in used_side]
        if not left or not right:
            continue
        # Equal tokens first: a reformatted statement.
        pairs = matches([base[i].fingerprint for i in left], [side[j].fingerprint for j in right])
        pairs = _fill(pairs, left, right, lambda ls, rs: _keyed(base, side, ls, rs))
        pairs = _fill(pairs, left, right, lambda ls, rs: _similar(base, side, ls, rs))
        for x, y in pairs:
            found.append((left[x], right[y]))
            used_base.add(left[x])
            used_side.add(right[y])


def _fill(
    pairs: list[tuple[int, int]],
    left: list[int],
    right: list[int],
    step: Callable[[list[int], list[int]], list[tuple[int, int]]],
) -> list[tuple[int, int]]:
    """Run ``step`` between neighbouring pairs and add what it finds."""
    result = list(pairs)
    i = j = 0
    for at, to in [*pairs, (len(left), len(right))]:
        if at > i and to > j:
            result.extend((i + x, j + y) for x, y in step(left[i:at], right[j:to]))
        i, j = at + 1, to + 1
    return sorted(result)


def _keyed(
    base: Sequence[Item], side: Sequence[Item], left: list[int], right: list[int]
) -> list[tuple[int, int]]:
    """Equal names in order."""

    def key(item: Item, unique: Hashable) -> Hashable:
        named = item.kind in _KEYED or (item.kind == "string" and item.name)
        return item.key if named else unique

    return matches(
        [key(base[i], ("base", i)) for i in left],
        [key(side[j], ("side", j)) for j in right],
    )


def similarity(one: Item, other: Item) -> float:
    """0 to 1: how many tokens two items share, in order."""
    if one.kind != other.kind:
        return 0.0
    return float(Indel.normalized_similarity(one.tokens, other.tokens))


def _similar(
    base: Sequence[Item], side: Sequence[Item], left: list[int], right: list[int]
) -> list[tuple[int, int]]:
    """The in-order pairing of largest total similarity (Needleman and Wunsch)."""
    if len(left) * len(right) > _GAP_LIMIT:
        return []
    rows, columns = len(left), len(right)
    score = [[0.0] * columns for _ in range(rows)]
    for x, i in enumerate(left):
        for y, j in enumerate(right):
            value = similarity(base[i], side[j])
            if base[i].kind in _NAMED:
                value = value if value >= RENAMED else 0.0
            elif base[i].kind in {"import", "from"}:
                value = value if value >= 0.8 else 0.0
            score[x][y] = value if value >= SIMILAR else 0.0
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for x in range(rows - 1, -1, -1):
        for y in range(columns - 1, -1, -1):
            best[x][y] = max(
                best[x + 1][y],
                best[x][y + 1],
                best[x + 1][y + 1] + score[x][y] if score[x][y] else 0.0,
            )
    pairs = []
    x = y = 0
    while x < rows and y < columns:
        if score[x][y] and best[x][y] == best[x + 1][y + 1] + score[x][y]:
            pairs.append((x, y))
            x += 1
            y += 1
        elif best[x][y] == best[x + 1][y]:
            x += 1
        else:
            y += 1
    return pairs


def _renamed(
    base: Sequence[Item],
    side: Sequence[Item],
    found: list[tuple[int, int]],
    used_base: set[int],
    used_side: set[int],
) -> None:
    """A definition that is gone and a new one of nearly the same tokens: renamed, maybe moved."""
    gone = [i for i, item in enumerate(base) if i not in used_base and item.kind in _NAMED]
    new = [j for j, item in enumerate(side) if j not in used_side and item.kind in _NAMED]
    if not gone or not new or len(gone) * len(new) > _GAP_LIMIT:
        return
    scores = [
        (similarity(base[i], side[j]), i, j) for i in gone for j in new if len(base[i].tokens) >= 20
    ]
    for value, i, j in sorted(scores, key=lambda s: (-s[0], s[1], s[2])):
        if value < 0.85:
            break
        if base[i].name.startswith("test") and value < 0.95:
            continue  # tests of one thing resemble each other without being renamed
        if i in used_base or j in used_side:
            continue
        found.append((i, j))
        used_base.add(i)
        used_side.add(j)
