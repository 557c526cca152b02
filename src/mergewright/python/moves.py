"""Edits that follow code to where the other side put it.

One side takes statements away from their place and they stand, the same up to layout, in something
that it added: below a new ``if`` or ``with``, out of an old one, in a new helper, as a method of
another class. What the other side did to them meets nothing there. So the edit is made in the text of
the side that moved, and taken back in the text of the side that edited; the ordinary merge of the texts
so prepared then finds one change only at each place.

The code counts as moved when its statements are found once, in what is new on that side, and the merge
of the edit with what stands there leaves nothing open.
"""

from __future__ import annotations

import ast
import builtins
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from rapidfuzz.distance import Indel

from mergewright.model.merge import Contested, Piece
from mergewright.model.resolution import Decision, Evidence, EvidenceKind, Outcome
from mergewright.model.threeway import Side, ThreeWay
from mergewright.python.alignment import align, align_blocks
from mergewright.python.reindent import indentation, parsed, shifted
from mergewright.python.source import Item, Section, Source
from mergewright.text.lines import join_pieces
from mergewright.text.syntax import syntax_tree

#: Least share (0 to 1, of the tokens) of a run that must stand unchanged where it is taken to be now.
FOUND = 0.6
#: Least similarity for a definition of the same name to be the one that was moved.
SAME_NAME = 0.6
#: Least tokens of a run for it to be looked for where it was taken away, elsewhere in the same
#: definition (or for a definition), and in others: short ones resemble each other by chance.
NEAR, INSIDE, FAR = 4, 10, 20
#: How much better the best place must be than the next.
_CLEARLY = 0.75
#: Most tokens that an edit may put in or take away for it to be carried: a third of those of the
#: statements, at least ``SMALL`` and never more than ``LARGE``. Measured: what edits more of what the other
#: side moved was decided anew as often as not.
SMALL, LARGE = 6, 40
# More statements than this on a side that are new are not searched.
_MOST_NEW = 20_000
_DEFINITIONS = frozenset({"def", "class"})


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """A run of statements that one side added, in one block.

    Attributes:
        items: The block.
        start: First statement of the run.
        stop: Just behind its last.
        scope: Dotted path of the definition around the block.
        around: What the run is wrapped in, if not directly in the definition (``with``, ``else`` …).
        gap: Identity of the place in base that the run, or what it lies in, was put into.
        path: The file, where it is another one.
    """

    items: Sequence[Item]
    start: int
    stop: int
    scope: str
    around: str
    gap: tuple[int, int] | None
    path: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Lost:
    """Statements of base that one side took away and the other changed.

    Attributes:
        base: The run in base.
        edited: What stands for it on the other side.
        scope: Dotted path of the definition around it.
        gap: As in :class:`Place`.
    """

    base: Sequence[Item]
    edited: Sequence[Item]
    scope: str
    gap: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class Follow:
    """One edit with the place that it follows to.

    Attributes:
        base: The statements before the edit.
        edited: The statements after it.
        place: Where they stand now.
        start: First statement there.
        stop: Just behind the last one there.
    """

    base: Sequence[Item]
    edited: Sequence[Item]
    place: Place
    start: int
    stop: int

    @property
    def now(self) -> Sequence[Item]:
        """The statements as they stand at their new place."""
        return self.place.items[self.start : self.stop]

    @property
    def symbol(self) -> str:
        """Dotted path of the new place."""
        if len(self.now) == 1 and self.now[0].kind in _DEFINITIONS:
            return _join(self.place.scope, self.now[0])
        return self.place.scope


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A run that one side took away and the other edited, and where its code is now.

    Attributes:
        lost: The run.
        follows: The edits with their places.
        known: Whether what the edit brought stands in the new code already, or the new code stands for
            copies that the other side did not edit, too: then the code was not simply moved, and nothing
            is carried.
    """

    lost: Lost
    follows: tuple[Follow, ...]
    known: bool

    @property
    def where(self) -> str:
        """In words, where the code stands now."""
        return where(self.lost, self.follows[0])


#: Merges three runs of one block; ``None`` when something stays open.
#: Arguments: the runs, the scope, the kind of the definition around.
Merger = Callable[[ThreeWay[Sequence[Item]], str, str], bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """What is said of one edit that followed.

    Attributes:
        symbol: Dotted path of the new place.
        was: Dotted path of the old one.
        mover: The side that moved the code.
        reason: One sentence.
        path: The file of the new place, where it is another one.
    """

    symbol: str
    was: str
    mover: Side
    reason: str
    path: str = ""


@dataclass(slots=True)
class Survey:
    """What one side took away that the other changed, and all that is new on it.

    Attributes:
        mover: The side.
        lost: Changed by the other side, gone on this one.
        quiet: Runs that it took away and the other side left as they were.
        places: What is new on this side.
    """

    mover: Side
    lost: list[Lost] = field(default_factory=list)
    quiet: list[Sequence[Item]] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """Texts in which each edit stands where its code went.

    Attributes:
        texts: The three versions to merge instead.
        notes: What was carried.
    """

    texts: ThreeWay[bytes]
    notes: tuple[Note, ...]


def survey(sources: ThreeWay[Source], mover: Side) -> Survey:
    """Compare base with the side that may have moved code, and with the one that edited.

    Args:
        sources: The three texts.
        mover: ``OURS`` or ``THEIRS``.
    """
    found = Survey(mover)
    walk = _Walk(found)
    walk.blocks(
        sources.base.items(),
        sources.get(mover).items(),
        sources.get(mover.other).items(),
        "",
    )
    return found


def plans(found: Survey, elsewhere: Sequence[Place] = ()) -> list[Plan]:
    """The lost runs of a survey whose code is found.

    Args:
        found: The survey.
        elsewhere: Places in other files.
    """
    places = [*found.places, *elsewhere]
    if not found.lost or sum(place.stop - place.start for place in places) > _MOST_NEW:
        return []
    index = _Index(places)
    out = []
    for lost in found.lost:
        located = _locate(lost.base, lost.edited, index, lost)
        if located:
            known = any(
                index.has_edit(follow) or _stands_for_more(follow, found.quiet)
                for follow in located
            )
            out.append(Plan(lost, tuple(located), known))
    return out


def carry(
    texts: ThreeWay[bytes], mover: Side, chosen: Sequence[Plan], merge: Merger
) -> Carried | None:
    """Make the edits at their new places and take them back at the old ones.

    Args:
        texts: The three texts.
        mover: The side that moved.
        chosen: What :func:`plans` found, places of this file only.
        merge: Merges what stands at a new place with the edit.

    Returns:
        The texts, or ``None`` when no edit could be made where its code is now.
    """
    edits: list[tuple[int, int, bytes]] = []
    undone: list[tuple[int, int, bytes]] = []
    notes: list[Note] = []
    for plan in chosen:
        made = [] if plan.known else [merged_at(plan.lost, f, mover, merge) for f in plan.follows]
        for follow, text in zip(plan.follows, made, strict=False):
            if None in made or text is None:
                break
            edits.append((follow.now[0].lead_start, follow.now[-1].end, text))
            undone.append(taken_back(follow))
            notes.append(note(plan, follow, mover))
    new = spliced(texts.get(mover), edits)
    old = spliced(texts.get(mover.other), undone)
    if not notes or new is None or old is None:
        return None
    ours, theirs = (new, old) if mover is Side.OURS else (old, new)
    prepared = ThreeWay(base=texts.base, ours=ours, theirs=theirs)
    return Carried(texts=prepared, notes=tuple(notes))


def taken_back(follow: Follow) -> tuple[int, int, bytes]:
    """The splice that puts the unedited statements back where they were edited."""
    edited = follow.edited
    text = shifted(follow.base, indentation(edited[0].core))
    return edited[0].lead_start, edited[-1].end, text


def merged_at(lost: Lost, follow: Follow, mover: Side, merge: Merger) -> bytes | None:
    """What stands at the new place with the edit made in it; ``None`` when that leaves a conflict.

    Also when the edit may say something else there, in another function, or is no small one.
    """
    if _is_large(follow):
        return None
    if (follow.place.path or follow.place.scope != lost.scope) and not _means_the_same(follow):
        return None
    if _conditions(follow.place.around) and _new_conditions(follow):
        return None  # which of the two conditions holds within the other, neither side says
    now = follow.now
    indent = indentation(now[0].core)
    parent = now[0].parent
    base = parsed(shifted(follow.base, indent), parent)
    edited = parsed(shifted(follow.edited, indent), parent)
    if base is None or edited is None:
        return None
    ours, theirs = (now, edited) if mover is Side.OURS else (edited, now)
    return merge(ThreeWay(base=base, ours=ours, theirs=theirs), follow.symbol, parent)


def _is_large(follow: Follow) -> bool:
    """Whether an edit rewrites what was moved; a definition keeps its name whatever is edited in it."""
    if all(item.kind in _DEFINITIONS for item in follow.base):
        return False
    before, after = (
        [token for item in items for token in item.tokens] for items in (follow.base, follow.edited)
    )
    return Indel.distance(before, after) > min(LARGE, max(SMALL, len(before) // 3))


def _conditions(around: str) -> bool:
    return around.startswith(("if ", "elif ", "else", "while "))


def _new_conditions(follow: Follow) -> bool:
    """Whether the edit puts statements under a condition that they were not under."""
    trees = [_tree(items) for items in (follow.base, follow.edited)]
    counts = [
        sum(isinstance(n, ast.If | ast.While) for n in ast.walk(tree)) for tree in trees if tree
    ]
    return len(counts) == 2 and counts[1] > counts[0]


#: What leads out of a function, or ties its names to those around it.
_LEADS_OUT = (
    ast.Return,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.Break,
    ast.Continue,
    ast.Nonlocal,
    ast.Global,
)


def _means_the_same(follow: Follow) -> bool:
    """Whether an edit of statements does in another function what it did in its own.

    It may bring no new way out of the function, and read no name that neither the old statements nor
    those at the new place know: there it may be another one. Whole definitions bring their own scope.
    """
    if all(item.kind in _DEFINITIONS for item in follow.base):
        return True
    trees = [_tree(items) for items in (follow.base, follow.edited, follow.now)]
    if any(tree is None for tree in trees):
        return False
    base, edited, now = ([*ast.walk(tree)] for tree in trees if tree is not None)
    ways = [
        Counter(type(n) for n in nodes if isinstance(n, _LEADS_OUT)) for nodes in (base, edited)
    ]
    if ways[1] - ways[0]:
        return False
    known = {node.id for node in (*base, *now) if isinstance(node, ast.Name)}
    read = {n.id for n in edited if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    bound = {n.id for n in edited if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    return read <= known | bound | set(dir(builtins))


def _tree(items: Sequence[Item]) -> ast.Module | None:
    # In a function, for what may only stand there.
    return syntax_tree(b"async def _():\n" + shifted(items, b" "))


def _stands_for_more(follow: Follow, quiet: Sequence[Sequence[Item]]) -> bool:
    """Whether the new place stands for a copy, too, that the other side left as it was."""
    return any(
        _score(run, items, align(run, items)) >= FOUND * max(_weight(run), NEAR)
        for run in quiet
        for items in [follow.now]
        if _score(run, follow.base, align(run, follow.base)) >= FOUND * max(_weight(run), NEAR)
    )


def note(plan: Plan, follow: Follow, mover: Side) -> Note:
    """The record of one edit that followed."""
    place = where(plan.lost, follow)
    return Note(
        symbol=follow.symbol,
        was=_old(plan.lost, follow),
        mover=mover,
        reason=f"{mover.value} moved {_them(follow)} {place}; the edit of {mover.other.value} follows",
        path=follow.place.path,
    )


def _old(lost: Lost, follow: Follow) -> str:
    """Dotted path of the definition that was taken away, or of the one around the statements."""
    if len(follow.base) != 1 or follow.base[0].kind not in _DEFINITIONS:
        return lost.scope
    if follow.base[0] in lost.base:
        return _join(lost.scope, follow.base[0])
    around = [item for item in lost.base if item.start <= follow.base[0].start < item.end]
    return _join(_join(lost.scope, around[0]) if around else lost.scope, follow.base[0])


def _them(follow: Follow) -> str:
    if len(follow.base) > 1:
        return "these statements"
    return "this definition" if follow.base[0].kind in _DEFINITIONS else "this statement"


def decision(note: Note) -> Decision:
    """A note as the report shows it."""
    return Decision(
        symbol=note.symbol,
        outcome=Outcome.RESOLVED,
        strategy="follow-move",
        side=Side.BOTH,
        reason=note.reason,
        evidence=(Evidence(kind=EvidenceKind.STRUCTURE, text=note.reason),),
    )


def named(
    pieces: Sequence[Piece], decisions: Sequence[Decision], found: Sequence[Plan], mover: Side
) -> tuple[list[Piece], list[Decision]]:
    """The open places of a merge, saying where the code of each is now.

    Args:
        pieces: The merge.
        decisions: Its record.
        found: What :func:`plans` found.
        mover: The side that moved.
    """
    out: list[Piece] = []
    record = list(decisions)
    for piece in pieces:
        plan = _of(piece, found) if isinstance(piece, Contested) else None
        if plan is None or not isinstance(piece, Contested):
            out.append(piece)
            continue
        reason = f"{piece.reason}; {mover.value} moved the code {plan.where}"
        out.append(replace(piece, reason=reason))
        for n, entry in enumerate(record):
            if (entry.symbol, entry.reason) == (piece.symbol, piece.reason):
                record[n] = replace(entry, reason=reason)
                break
    return out, record


def _of(piece: Contested, found: Sequence[Plan]) -> Plan | None:
    """The plan whose run lies in a contested place."""
    for plan in found:
        if all(item.core in piece.versions.base for item in plan.lost.base):
            return plan
    return None


def where(lost: Lost, follow: Follow) -> str:
    """In words, where code stands now: ``below `with lock:``` or ``to Channel.encode in net/io.py``."""
    place = follow.place
    words = []
    if place.path:
        words.append(f"to {follow.symbol} in {place.path}" if follow.symbol else f"to {place.path}")
    elif follow.symbol != lost.scope:
        words.append(f"to {follow.symbol or 'the module'}")
    if place.around:
        words.append(f"below `{place.around}`")
    return ", ".join(words) or "out of the block around"


def spliced(data: bytes, splices: Sequence[tuple[int, int, bytes]]) -> bytes | None:
    """The data with spans replaced; ``None`` when two of them overlap."""
    out: list[bytes] = []
    at = 0
    for start, end, text in sorted(splices, key=lambda s: s[:2]):
        if start < at:
            return None
        out += [data[at:start], text]
        at = end
    out.append(data[at:])
    return join_pieces([piece for piece in out if piece], b"\n")


def added(base: Source, side: Source, path: str) -> list[Place]:
    """All that one side added to another file.

    Args:
        base: The file before; empty when the side added it.
        side: The file on that side.
        path: Its path.
    """
    found = Survey(Side.OURS)
    _Walk(found, path).blocks(base.items(), side.items(), None, "")
    return found.places


# -- comparing three versions of a block ---------------------------------------------------------


class _Walk:
    """Fills a survey."""

    def __init__(self, found: Survey, path: str = "") -> None:
        self._found = found
        self._path = path

    def blocks(
        self,
        base: Sequence[Item],
        moved: Sequence[Item],
        edited: Sequence[Item] | None,
        scope: str,
    ) -> None:
        to_moved = dict(align_blocks(base, moved))
        to_edited = {} if edited is None else dict(align_blocks(base, edited))
        back = {j: i for i, j in to_moved.items()}
        self._new(base, moved, back, scope)
        i = 0
        while i < len(base):
            j = to_moved.get(i)
            if j is None or (base[i].kind == "tail"):
                stop = i + 1
                while stop < len(base) and stop not in to_moved and base[stop].kind != "tail":
                    stop += 1
                if (
                    edited is not None
                    and base[i].kind != "tail"
                    and not _twin_beside(base, i, stop)
                ):
                    self._gone(base[i:stop], edited, to_edited, scope, (id(base), i - 1), i)
                i = stop
                continue
            k = to_edited.get(i)
            self._pair(base[i], moved[j], edited[k] if edited and k is not None else None, scope)
            i += 1

    def _new(
        self, base: Sequence[Item], moved: Sequence[Item], back: dict[int, int], scope: str
    ) -> None:
        """Runs of one block that are new, with the place of base that they were put into."""
        j = 0
        before = -1
        while j < len(moved):
            if j in back:
                before = back[j]
                j += 1
                continue
            stop = j
            while stop < len(moved) and stop not in back:
                stop += 1
            self.all_new(moved, j, stop, scope, "", (id(base), before))
            j = stop

    def all_new(
        self,
        items: Sequence[Item],
        start: int,
        stop: int,
        scope: str,
        around: str,
        gap: tuple[int, int] | None,
    ) -> None:
        """A new run, and every block below it."""
        stack = [(items, start, stop, scope, around, gap)]
        while stack:
            items, start, stop, scope, around, gap = stack.pop()
            if stop > start:
                self._found.places.append(Place(items, start, stop, scope, around, gap, self._path))
            for item in items[start:stop]:
                named = item.kind in _DEFINITIONS
                inner = _join(scope, item) if named else scope
                for section in item.sections():
                    below = section.items()
                    name = "" if named else _header(section)
                    near = None if named else gap
                    stack.append((below, 0, len(below), inner, name, near))

    def _gone(
        self,
        run: Sequence[Item],
        edited: Sequence[Item],
        to_edited: dict[int, int],
        scope: str,
        gap: tuple[int, int],
        start: int = 0,
    ) -> None:
        """A run that is gone on the moving side; of interest when the other side changed it."""
        kept = [to_edited[i] for i in range(start, start + len(run)) if i in to_edited]
        if not kept or kept != sorted(kept):
            return
        inside = range(kept[0], kept[-1] + 1)
        if any(j in inside and not start <= i < start + len(run) for i, j in to_edited.items()):
            return  # the other side moved something in between
        now = edited[kept[0] : kept[-1] + 1]
        if [item.fingerprint for item in now] != [item.fingerprint for item in run]:
            self._found.lost.append(Lost(run, now, scope, gap))
        else:
            self._found.quiet.append(run)

    def _pair(self, base: Item, moved: Item, edited: Item | None, scope: str) -> None:
        """One statement that the moving side still has."""
        if base.core == moved.core:
            return
        olds, news = base.sections(), moved.sections()
        if not olds and not news:
            return  # what differs inside a simple statement moves nothing
        named = moved.kind in _DEFINITIONS
        inner = _join(scope, moved) if named else scope
        others = [] if edited is None else edited.sections()
        to_new, to_other = _clauses(olds, news), _clauses(olds, others)
        taken = set(to_new.values())
        for n, section in enumerate(news):
            if n not in taken:
                below = section.items()
                self.all_new(below, 0, len(below), inner, _header(section), (id(base), -1))
        for n, section in enumerate(olds):
            other = others[to_other[n]].items() if n in to_other else None
            if n in to_new:
                self.blocks(section.items(), news[to_new[n]].items(), other, inner)
            elif other is not None:
                below = [item for item in section.items() if item.kind != "tail"]
                pairs = dict(align(below, other))
                if below:
                    self._gone(below, other, pairs, inner, (id(base), -1))


def _twin_beside(block: Sequence[Item], start: int, stop: int) -> bool:
    """Whether a statement of a run stands elsewhere in its block, too: which one moved cannot be told."""
    apart = _DEFINITIONS | {"tail"}
    run = {item.fingerprint for item in block[start:stop] if item.kind not in apart}
    # Definitions are never taken for a statement: what they hold is not read.
    beside = (item for item in (*block[:start], *block[stop:]) if item.kind not in apart)
    return bool(run) and any(item.fingerprint in run for item in beside)


def _clauses(one: Sequence[Section], other: Sequence[Section]) -> dict[int, int]:
    """Clauses that stand for each other: the first ones, equal headers, the closing ones."""
    found: dict[int, int] = {}
    if not one or not other:
        return found
    found[0] = 0
    keys: dict[tuple[str, bytes], int] = {}
    for n, section in enumerate(other[1:], 1):
        keys.setdefault(_key(section), n)
    for n, section in enumerate(one[1:], 1):
        to = keys.pop(_key(section), None)
        if to is not None:
            found[n] = to
    return found


def _key(section: Section) -> tuple[str, bytes]:
    if section.keyword in {"else_clause", "finally_clause"}:
        return section.keyword, b""
    return section.keyword, section.header_print


def _header(section: Section) -> str:
    """A clause's header as words, for people."""
    text = b" ".join(section.header.split()).decode("utf-8", "replace")
    return text if len(text) <= 60 else f"{text[:57]}…"


def _join(scope: str, item: Item) -> str:
    name = item.name.split(".", 1)[0]
    return f"{scope}.{name}" if scope else name


# -- finding the place ----------------------------------------------------------------------------


class _Index:
    """Places by what stands in them."""

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = places
        self._by_print: dict[bytes, list[int]] = {}
        self._by_name: dict[tuple[str, str], list[int]] = {}
        for n, place in enumerate(places):
            for item in place.items[place.start : place.stop]:
                if item.kind == "tail":
                    continue
                self._by_print.setdefault(item.fingerprint, []).append(n)
                if item.kind in _DEFINITIONS:
                    self._by_name.setdefault(item.key, []).append(n)

    def candidates(self, run: Sequence[Item]) -> Iterator[Place]:
        """Places that hold a statement of a run, or a definition of its name."""
        seen: set[int] = set()
        for item in run:
            seen.update(self._by_print.get(item.fingerprint, ()))
            if item.kind in _DEFINITIONS:
                seen.update(self._by_name.get(item.key, ()))
        for n in sorted(seen):
            yield self._places[n]

    def has_edit(self, follow: Follow) -> bool:
        """Whether what the edit brought stands in the new code already: then it is no simple move."""
        known = {item.fingerprint for item in follow.base}
        return any(
            item.fingerprint in self._by_print
            for item in follow.edited
            if item.fingerprint not in known
        )


def _weight(items: Sequence[Item]) -> int:
    return sum(len(item.tokens) for item in items if item.kind != "tail")


def _locate(
    base: Sequence[Item], edited: Sequence[Item], index: _Index, lost: Lost
) -> list[Follow] | None:
    """Where a run went: as a whole, or each changed statement or clause for itself."""
    whole = _window(base, edited, index, lost)
    if whole is not None:
        return [whole]
    pairs = align(base, edited)
    if len(pairs) != len(base) or len(base) != len(edited) or any(i != j for i, j in pairs):
        return None
    out: list[Follow] = []
    for one, other in zip(base, edited, strict=True):
        if one.fingerprint == other.fingerprint:
            continue
        if sum(item.fingerprint == one.fingerprint for item in base) > 1:
            return None  # which of the equal ones it was there, only the whole run tells
        found = _one(one, other, index, lost, alone=len(base) == 1)
        if found is None:
            return None
        out += found
    return out


def _one(
    base: Item, edited: Item, index: _Index, lost: Lost, *, alone: bool
) -> list[Follow] | None:
    """Where one changed statement went, or the clauses of it that were changed."""
    if not alone:
        found = _window([base], [edited], index, lost)
        if found is not None:
            return [found]
    mine, other = base.sections(), edited.sections()
    if not mine or [s.keyword for s in mine] != [s.keyword for s in other]:
        return None
    out: list[Follow] = []
    for section, changed in zip(mine, other, strict=True):
        if section.header_print != changed.header_print:
            return None
        if section.body is None or changed.body is None:
            if section.text != changed.text:
                return None
            continue
        one = [item for item in section.items() if item.kind != "tail"]
        two = [item for item in changed.items() if item.kind != "tail"]
        if [i.fingerprint for i in one] == [i.fingerprint for i in two]:
            continue
        below = _locate(one, two, index, lost)
        if below is None:
            return None
        out += below
    return out


def _window(
    base: Sequence[Item], edited: Sequence[Item], index: _Index, lost: Lost
) -> Follow | None:
    """The one stretch of new code that is this run."""
    weight = _weight(base)
    if weight < NEAR or not edited:
        return None
    named = all(item.kind in _DEFINITIONS for item in base)
    scored: list[tuple[float, Follow]] = []
    for place in index.candidates(base):
        near = place.gap == lost.gap
        inside = named or place.scope == lost.scope
        if not near and weight < (INSIDE if inside else FAR):
            continue
        run = place.items[place.start : place.stop]
        pairs = align(base, run)
        score = _score(base, run, pairs)
        if score < FOUND * weight:
            continue
        start = place.start + min(j for _, j in pairs)
        stop = place.start + max(j for _, j in pairs) + 1
        scored.append((score + near * 0.01, Follow(base, edited, place, start, stop)))
    if not scored:
        return None
    scored.sort(key=lambda pair: -pair[0])
    best = scored[0]
    if len(scored) > 1 and scored[1][0] > _CLEARLY * best[0]:
        return None
    return best[1]


def _score(base: Sequence[Item], run: Sequence[Item], pairs: Sequence[tuple[int, int]]) -> float:
    """How many tokens of a run stand in another: whole statements, and definitions of one name."""
    score = 0.0
    for i, j in pairs:
        one, other = base[i], run[j]
        if one.kind == "tail":
            continue
        if one.fingerprint == other.fingerprint:
            score += len(one.tokens)
        elif one.kind in _DEFINITIONS and one.key == other.key:
            like = float(Indel.normalized_similarity(one.tokens, other.tokens))
            if like >= SAME_NAME:
                score += like * len(one.tokens)
    return score
