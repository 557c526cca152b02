"""Lineage: the states that a path, a symbol or a piece of it went through along one side.

The walk follows the commit graph, not the order of a log: at a merge a line that stands in any parent
is inherited from that parent, so that a merge commit owns only what its author added by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

from mergewright.history.facts import MergeFacts
from mergewright.history.locate import headers, symbol_text
from mergewright.history.pieces import pieces, squeeze, telling
from mergewright.model.threeway import Side


@dataclass(frozen=True, slots=True)
class Version:
    """One state of a path along a side.

    Attributes:
        commit: Full id of the commit that made it.
        blob: Blob id, ``None`` where the path does not exist.
        parents: Positions of the versions that the commit's parents had; ``-1`` for a state outside
            the walk (at or before the merge base).
        outside: Blob ids of those outside states, one for each ``-1`` in ``parents``.
    """

    commit: str
    blob: str | None
    parents: tuple[int, ...]
    outside: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class PathLineage:
    """The versions of one path along one side, parents before children; the last one is the tip's.

    Attributes:
        path: The path at the tip.
        versions: Only versions that differ from the first parent's, or that join different ones.
        tip: Position of the tip's version; ``-1`` when the side never touched the path.
        start: Blob id at the tip when the side never touched it.
    """

    path: str
    versions: tuple[Version, ...]
    tip: int
    start: str | None


def path_lineage(facts: MergeFacts, side: Side, path: str) -> PathLineage:
    """Trace one path along one side, under all names that it had.

    Args:
        facts: The merge.
        side: ``OURS`` or ``THEIRS``.
        path: The path at the tip.
    """
    names = (path, *facts.renames.get(path, ()))
    own = facts.side(side)

    def look(commit: str) -> str | None:
        for name in names:
            blob = facts.blob_at(commit, name)
            if blob is not None:
                return blob
        return None

    known = {commit.oid for commit in own.commits}
    place: dict[str, int] = {}
    blobs = _states(facts, side, names) if facts.traced.issuperset(names) else {}
    outside: dict[str, str | None] = {}
    versions: list[Version] = []
    for commit in own.commits:
        if commit.oid not in blobs:
            blobs[commit.oid] = look(commit.oid)
        blob = blobs[commit.oid]
        if len(commit.parents) == 1 and commit.parents[0] in known:
            (parent,) = commit.parents
            if blobs[parent] == blob:
                place[commit.oid] = place.get(parent, -1)
                continue
        positions: list[int] = []
        befores: list[str | None] = []
        for parent in commit.parents:
            if parent in known:
                positions.append(place.get(parent, -1))
                if positions[-1] == -1:
                    befores.append(blobs.get(parent))
            else:
                if parent not in outside:
                    outside[parent] = look(parent)
                positions.append(-1)
                befores.append(outside[parent])
        parent_blobs = [blobs[p] if p in known else outside[p] for p in commit.parents]
        if parent_blobs and all(b == blob for b in parent_blobs):
            place[commit.oid] = positions[0]
            continue
        place[commit.oid] = len(versions)
        versions.append(Version(commit.oid, blob, tuple(positions), tuple(befores)))
    if own.tip in place:
        return PathLineage(path, tuple(versions), place[own.tip], blobs[own.tip])
    return PathLineage(path, (), -1, look(own.tip))


def _states(facts: MergeFacts, side: Side, names: Sequence[str]) -> dict[str, str | None]:
    """The blob under the first of some traced names that exists, for each commit of a side."""
    own = facts.side(side)
    touched = {name: own.touched.get(name, {}) for name in names}
    changed = {oid for commits in touched.values() for oid in commits}
    states: dict[str, dict[str, str | None]] = {}
    found: dict[str, str | None] = {}
    for commit in own.commits:
        first = commit.parents[0] if commit.parents else None
        if first in found and commit.oid not in changed:
            states[commit.oid], found[commit.oid] = states[first], found[first]
            continue
        state = {} if first is None else states.get(first)
        if state is None:
            assert first is not None
            state = states[first] = {name: facts.blob_at(first, name) for name in names}
        if commit.oid in changed:
            state = dict(state)
            for name, commits in touched.items():
                change = commits.get(commit.oid)
                if change is not None:
                    state[name] = change.new_oid if change.path == name else None
        states[commit.oid] = state
        found[commit.oid] = next(filter(None, map(state.get, names)), None)
    return found


State = Hashable


@dataclass(frozen=True, slots=True)
class Step:
    """A state of a symbol and the commit that brought it.

    Attributes:
        commit: Full id.
        key: Layout-free key; ``None`` where the symbol does not exist.
        text: The symbol's text in this state.
        name: Dotted name that it had there.
        foreign: Whether a merge brought it in from outside the walk (the side did not write it).
    """

    commit: str
    key: bytes | None
    text: bytes | None
    name: str
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the difference of a side's symbol against the base comes from.

    Attributes:
        added: Piece that the side has more often than the base, to the commit that brought it;
            ``None`` where it came from before the walk.
        removed: Piece that the base has and the side has not, to the commit that took it away.
    """

    added: dict[bytes, str | None]
    removed: dict[bytes, str | None]

    @property
    def commits(self) -> tuple[str, ...]:
        """The commits, each once, in no special order but stable."""
        found = [c for c in (*self.added.values(), *self.removed.values()) if c is not None]
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class SymbolLineage:
    """The states of one symbol along one side.

    Attributes:
        steps: Distinct changes of state, oldest first.
        current: Key at the tip.
        origin: Where the difference against the base comes from.
    """

    steps: tuple[Step, ...]
    current: bytes | None
    origin: Origin

    def past(self) -> dict[bytes, Step]:
        """Earlier states (the tip's own excluded), by key; the newest step where one recurs."""
        return {s.key: s for s in self.steps if s.key is not None and s.key != self.current}


#: Gives a symbol's text in a blob (the whole blob for an empty name); ``None`` if it is not there.
Locate = Callable[[str, str], bytes | None]

_RENAME_LIKENESS = 0.75


def locator(read: Callable[[str], bytes]) -> Locate:
    """A :data:`Locate` that reads blobs and remembers its answers."""
    known: dict[tuple[str, str], bytes | None] = {}

    def locate(blob: str, name: str) -> bytes | None:
        place = (blob, name)
        if place not in known:
            data = read(blob)
            known[place] = symbol_text(data, name) if name else data
        return known[place]

    return locate


def _renamed_from(before: bytes, after: bytes, name: str, text: bytes) -> str | None:
    """The name under which a symbol that is new in ``after`` stood in ``before``, if it was renamed."""
    old, new = headers(before).offsets, headers(after).offsets
    parent = name.rpartition(".")[0]
    mine = set(pieces(text)[1:])
    if len(mine) < 3:
        return None
    best, score = None, _RENAME_LIKENESS
    for candidate in old:
        if candidate in new or candidate.count(".") != name.count("."):
            continue
        # A member follows its class, or moves inside its own class only.
        other_parent = candidate.rpartition(".")[0]
        if other_parent != parent and other_parent in new:
            continue
        body = symbol_text(before, candidate)
        if body is None:
            continue
        theirs = set(pieces(body)[1:])
        likeness = 2 * len(mine & theirs) / max(1, len(mine) + len(theirs))
        if likeness > score:
            best, score = candidate, likeness
    return best


def symbol_lineage(
    lineage: PathLineage,
    read: Callable[[str], bytes],
    symbol: str,
    base_text: bytes | None,
    locate: Locate,
) -> SymbolLineage:
    """The states of one symbol along one side, and the origin of its difference against the base.

    Args:
        lineage: The path's versions.
        read: Reads a blob (asked only where a renamed symbol is looked for).
        symbol: Dotted name at the tip; empty for the whole file.
        base_text: The symbol's text in the merge base; ``None`` if it is not there.
        locate: Finds a symbol's text in a blob.
    """
    base_pieces = _telling(base_text)
    names: dict[int, str] = {}
    # Backwards once for the names: a rename is seen where the newer name is missing in a parent.
    for position in range(len(lineage.versions) - 1, -1, -1):
        version = lineage.versions[position]
        name = names.setdefault(position, symbol)
        if not symbol or version.blob is None:
            continue
        text = locate(version.blob, name)
        for parent in version.parents:
            if parent < 0 or parent in names:
                continue
            names[parent] = name
            before = lineage.versions[parent].blob
            if text is None or before is None or locate(before, name) is not None:
                continue
            old = _renamed_from(read(before), read(version.blob), name, text)
            if old is not None:
                names[parent] = old
    # The origin is asked of the tip alone, so only its pieces are followed through the states before.
    tip_blob = lineage.start if lineage.tip < 0 else lineage.versions[lineage.tip].blob
    tip_pieces = _telling(None if tip_blob is None else locate(tip_blob, symbol))
    wanted, unwanted = tip_pieces - base_pieces, base_pieces - tip_pieces
    texts: dict[int, bytes | None] = {}
    keys: dict[int, bytes | None] = {}
    added: dict[int, dict[bytes, str | None]] = {}
    removed: dict[int, dict[bytes, str | None]] = {}
    steps: list[Step] = []

    def text_of(blob: str | None, name: str) -> bytes | None:
        return None if blob is None else locate(blob, name)

    for position, version in enumerate(lineage.versions):
        name = names.get(position, symbol)
        text = texts[position] = text_of(version.blob, name)
        first = version.parents[0] if version.parents else -1
        if first >= 0 and texts[first] == text:
            key = keys[first]
        else:
            key = None if text is None else squeeze(text)
        keys[position] = key
        befores = iter(version.outside)
        parent_keys: list[bytes | None] = []
        parent_added: list[dict[bytes, str | None]] = []
        parent_removed: list[dict[bytes, str | None]] = []
        outside_parent: list[bool] = []
        for parent in version.parents:
            outside_parent.append(parent < 0)
            if parent >= 0:
                parent_keys.append(keys[parent])
                parent_added.append(added[parent])
                parent_removed.append(removed[parent])
                continue
            earlier = text_of(next(befores), name)
            parent_keys.append(None if earlier is None else squeeze(earlier))
            before_pieces = _telling(earlier)
            parent_added.append(dict.fromkeys(wanted & before_pieces))
            parent_removed.append(dict.fromkeys(unwanted - before_pieces))
        if parent_keys and key == parent_keys[0] and all(k == key for k in parent_keys):
            added[position], removed[position] = parent_added[0], parent_removed[0]
            continue
        mine = _telling(text)
        added[position] = _brought(wanted & mine, parent_added, version.commit)
        removed[position] = _brought(unwanted - mine, parent_removed, version.commit)
        inherited = key in parent_keys
        foreign = inherited and all(
            outside for outside, k in zip(outside_parent, parent_keys, strict=True) if k == key
        )
        if not inherited or foreign:
            steps.append(Step(version.commit, key, text, name, foreign))
    if lineage.tip < 0:
        start = text_of(lineage.start, symbol)
        key = None if start is None else squeeze(start)
        return SymbolLineage((), key, Origin({}, {}))
    return SymbolLineage(
        tuple(steps), keys[lineage.tip], Origin(added[lineage.tip], removed[lineage.tip])
    )


def _brought(
    wanted: Iterable[bytes], parents: Sequence[dict[bytes, str | None]], commit: str
) -> dict[bytes, str | None]:
    """What brought each piece: as the first parent says that knows it, else the commit itself."""
    found: dict[bytes, str | None] = dict.fromkeys(wanted, commit)
    for known in reversed(parents):
        found.update((piece, known[piece]) for piece in found.keys() & known.keys())
    return found


def _telling(text: bytes | None) -> frozenset[bytes]:
    return frozenset() if text is None else telling(text)
