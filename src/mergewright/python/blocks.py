"""The structural merge: blocks of items, items of clauses, clauses of headers and blocks.

Everything that one side alone changed is copied from that side, byte for byte. The descent goes only
into what both sides changed. Where two changes meet, the deciders (history, policy, memory) are asked;
without an answer the smallest run of whole statements is left as :class:`Contested`.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import thread_time

from mergewright.model.merge import Answer, Contested, Decider, Piece, Question
from mergewright.model.resolution import Decision, Evidence, EvidenceKind, Outcome
from mergewright.model.threeway import Side, ThreeWay, settle
from mergewright.python import imports
from mergewright.python.alignment import UNMISTAKABLE, align_blocks, doubtful
from mergewright.python.arguments import ArgumentSweep
from mergewright.python.docstrings import changed_parameters, only_about
from mergewright.python.layout import compose
from mergewright.python.neutral import comments_of, only_respelled, same_behaviour, same_program
from mergewright.python.pieces import Contest, merge_snippet, notes_lost
from mergewright.python.reindent import wrapped_as
from mergewright.python.source import Item, Section, Source
from mergewright.python.sweeps import Sweep, Sweeps, apply
from mergewright.python.versions import larger_version
from mergewright.text.diff import increasing, matches
from mergewright.text.lines import join_pieces, split_lines, with_final_newline, with_line_ends
from mergewright.text.merge import chunks, merge_lines

_IMPORTS = frozenset({"import", "from"})
_HEADER_FORMS = frozenset(
    {
        "if_statement",
        "elif_clause",
        "while_statement",
        "for_statement",
        "with_statement",
        "except_clause",
        "function_definition",
        "class_definition",
    }
)


@dataclass(slots=True, eq=False)
class Slot:
    """One statement of the merge with the versions that have it."""

    base: Item | None
    ours: Item | None
    theirs: Item | None
    # The side of which cannot be told what it made of it.
    doubtful: Side | None = None

    def versions(self) -> ThreeWay[Item | None]:
        """The three items."""
        return ThreeWay(base=self.base, ours=self.ours, theirs=self.theirs)

    def get(self, side: Side) -> Item | None:
        """One side's item."""
        return self.versions().get(side)

    def any(self) -> Item:
        """One of the items, for naming."""
        item = self.ours or self.theirs or self.base
        assert item is not None
        return item


# Longer statements (tables of data) keep the layout that their parts have: dressing them takes seconds.
_DRESSED = 16_000
# Flags that say of which kind the version beside them is.
_RELEASE_FLAG = re.compile(
    r"(?i)\A_*(?:released?|is_?released?|release_?level|is_?dev|dev|final)_*\Z"
)


#: Text of at most so many bytes stands in a file by chance.
_SAYS = 20
#: And of a comment.
_SAYS_NOTE = 8


class BudgetExceeded(Exception):  # noqa: N818 - a signal, not an error
    """The time for this file is used up; the caller falls back to the cheaper method."""


@dataclass(slots=True)
class StructuralMerge:
    """One file's merge.

    Attributes:
        path: The file's path, for questions.
        deciders: Asked in order where two changes meet.
        versions_rule: Settle version assignments that both sides raised.
        sweeps: Finds mechanical substitutions of a side; ``None`` switches them off.
        disabled: Names of strategies that settle nothing.
        keep_names: Names whose imports stay although one side deleted them.
        layout: Put composed statements into the layout of the side that reformatted them.
        texts: The whole file, to see whether what a side took away stands elsewhere on it.
        deadline: ``time.thread_time()`` value after which the descent stops.
        decisions: What was decided, filled as the merge goes.
    """

    path: str
    deciders: Sequence[Decider] = ()
    deadline: float = float("inf")
    versions_rule: bool = True
    keep_names: frozenset[str] = frozenset()
    sweeps: Sweeps | None = None
    disabled: frozenset[str] = frozenset()
    layout: bool = True
    texts: ThreeWay[bytes] | None = None
    decisions: list[Decision] = field(default_factory=list)
    _rows: dict[Side, Counter[bytes]] = field(default_factory=dict)
    _release_side: Side | None = None
    # The block that is being merged.
    _lists: ThreeWay[list[Slot]] | None = None
    # The function that is being merged.
    _function: Slot | None = None

    # -- blocks ---------------------------------------------------------------------------------

    def block(self, v: ThreeWay[Sequence[Item]], scope: str, parent: str) -> list[Piece]:
        """Merge three lists of items.

        Args:
            v: The items of one block in the three versions.
            scope: Dotted path of the enclosing definition.
            parent: ``class``, ``def`` or empty for the module: decides what may be reordered.
        """
        if thread_time() > self.deadline:
            raise BudgetExceeded
        slots, ours_list, theirs_list, base_list = _slots(v)
        outer, around = self._release_side, self._lists
        self._release_side = self._version_side(slots)
        self._lists = ThreeWay(base=base_list, ours=ours_list, theirs=theirs_list)
        try:
            return self._runs(self._lists, scope, parent)
        finally:
            self._release_side, self._lists = outer, around

    def _version_side(self, slots: Sequence[Slot]) -> Side | None:
        """Whose version wins in this block, when both sides raised one: its release flag follows."""
        if not self.versions_rule:
            return None
        for slot in slots:
            base, ours, theirs = slot.versions()
            if base is None or ours is None or theirs is None or ours.kind != "assign":
                continue
            texts = ThreeWay(base=base.core, ours=ours.core, theirs=theirs.core)
            if settle(texts) is None:
                picked = larger_version(texts, ours.name)
                if picked is not None:
                    return picked[0]
        return None

    def _runs(self, v: ThreeWay[list[Slot]], scope: str, parent: str) -> list[Piece]:
        base_list, ours_list, theirs_list = v
        pieces: list[Piece] = []
        ours_at = {id(s): n for n, s in enumerate(ours_list)}
        theirs_at = {id(s): n for n, s in enumerate(theirs_list)}
        to_ours = [(n, ours_at[id(s)]) for n, s in enumerate(base_list) if id(s) in ours_at]
        to_theirs = [(n, theirs_at[id(s)]) for n, s in enumerate(base_list) if id(s) in theirs_at]
        run: ThreeWay[list[Slot]] | None = None
        for chunk in chunks(len(base_list), len(ours_list), len(theirs_list), to_ours, to_theirs):
            if chunk.stable:
                slot = base_list[chunk.base.start]
                if run is not None and pieces and isinstance(pieces[-1], Contested):
                    pieces[-1] = _with_comment_behind(pieces[-1], run, slot)
                pieces.extend(self.slot(slot, scope, parent))
                run = None
            else:
                run = ThreeWay(
                    base=base_list[chunk.base.start : chunk.base.stop],
                    ours=ours_list[chunk.ours.start : chunk.ours.stop],
                    theirs=theirs_list[chunk.theirs.start : chunk.theirs.stop],
                )
                pieces.extend(self.run(run, scope, parent))
        return pieces

    def run(self, v: ThreeWay[list[Slot]], scope: str, parent: str) -> list[Piece]:
        """An unstable run: statements inserted, deleted or moved by at least one side."""
        base_ids, ours_ids, theirs_ids = v.map(lambda slots: [id(s) for s in slots])
        # One side left the run alone, statement by statement: the other side's run.
        if ours_ids == base_ids and all(_same(s.base, s.ours) for s in v.base):
            return self._take(v, Side.THEIRS, scope, parent)
        if theirs_ids == base_ids and all(_same(s.base, s.theirs) for s in v.base):
            return self._take(v, Side.OURS, scope, parent)
        for side, ids in ((Side.OURS, theirs_ids), (Side.THEIRS, ours_ids)):
            gone = {id(s) for s in v.get(side)}
            if (
                "replaced-neutral" not in self.disabled
                and ids == base_ids
                and all(s.doubtful is None for s in v.base)
                and all(
                    _same(s.base, s.get(side.other))
                    or (id(s) not in gone and _neutral(s.base, s.get(side.other)))
                    for s in v.base
                )
            ):
                replaced = [s for s in v.base if id(s) not in gone]
                plain = self._take(v, side, scope, parent)
                taken = _with_comments(plain, replaced, side.other)
                if taken is None or (
                    taken == plain
                    and any(
                        not _same(s.base, s.get(side.other))
                        and self._stands_elsewhere(s.base, s.get(side.other), side)
                        for s in replaced
                    )
                ):
                    break
                self._decided(
                    scope,
                    "replaced-neutral",
                    side,
                    f"{side.value} replaced these statements; {side.other.value} changed in them only "
                    "what does not run",
                )
                return taken
        moved = any(s.base is not None and s not in v.base for s in (*v.ours, *v.theirs))
        if not moved and _prints(v.ours, Side.OURS) == _prints(v.theirs, Side.THEIRS):
            return [_text(v.ours, Side.OURS)]
        if all(_independent(s.any(), parent) for slots in v for s in slots):
            depends = self._left_behind(v) or _field_dependence(v, parent)
            if depends is None:
                return self._independent_run(v, scope, parent)
            return self._meet(v, scope, "order", depends)
        if not v.base:
            return self._insertions(v, scope, parent)
        if set(ours_ids) <= set(base_ids) and set(theirs_ids) <= set(base_ids):
            # Both sides only deleted: what neither deleted stays, each statement on its own.
            kept = [s for s in v.base if id(s) in set(ours_ids) or id(s) in set(theirs_ids)]
            return [piece for s in kept for piece in self.slot(s, scope, parent)]
        wrapped = self._wrapped_alike(v, scope, parent)
        if wrapped is not None:
            return wrapped
        unsure = next((slot.doubtful for slot in v.base if slot.doubtful is not None), None)
        if unsure is not None:
            return self._meet(
                v,
                scope,
                "both-changed",
                "both sides changed this run of statements; which of them "
                f"{'each' if unsure is Side.BOTH else unsure.value} changed, moved or took away cannot be told",
            )
        return self._meet(v, scope, "both-changed", "both sides changed this run of statements")

    def _left_behind(self, v: ThreeWay[list[Slot]]) -> str | None:
        """Why a definition that one side added among others may belong to where the other put these, if so.

        What is added between two methods that went to another class belongs there, unless it does not.
        """
        assert self._lists is not None
        for side in (Side.OURS, Side.THEIRS):
            run, block = v.get(side), self._lists.get(side)
            code = [s for s in block if s.any().kind != "tail"]
            for n, slot in enumerate(run):
                if slot.base is not None or slot.get(side.other) is not None:
                    continue
                if slot.any().kind not in {"def", "class"}:
                    continue
                before = next((s for s in reversed(run[:n]) if s.base is not None), None)
                behind = next((s for s in run[n + 1 :] if s.base is not None), None)
                around = [s for s in (before, behind) if s is not None]
                at = code.index(slot)
                rest = code[at:] if behind is None else code[:at]
                alone = len(around) == 2 or all(s in run for s in rest)
                if (
                    around
                    and alone
                    and all(
                        s.get(side.other) is None
                        and s.base is not None
                        and s.base.kind in {"def", "class"}
                        and self._stands_elsewhere(s.base, s.base, side.other)
                        for s in around
                    )
                ):
                    return f"{side.value} added {slot.any().name} beside what {side.other.value} put elsewhere"
        return None

    def _wrapped_alike(
        self, v: ThreeWay[list[Slot]], scope: str, parent: str
    ) -> list[Piece] | None:
        """Both sides put the statements under the same header: what is in it is merged.

        The base is given the same header in thought. ``None`` where that is not what they did.
        """
        if "same-wrapper" in self.disabled or len(v.ours) != 1 or len(v.theirs) != 1:
            return None
        ours, theirs = v.ours[0].ours, v.theirs[0].theirs
        base = [slot.base for slot in v.base if slot.base is not None]
        if ours is None or theirs is None or len(base) != len(v.base):
            return None
        if any(slot.base is not None for slot in (*v.ours, *v.theirs)):
            return None
        item = wrapped_as(base, ours, theirs)
        if item is None:
            return None
        before = len(self.decisions)
        self._decided(
            scope,
            "same-wrapper",
            Side.BOTH,
            "both sides put these statements under the same header; what they changed in them merges",
        )
        pieces = self.slot(Slot(item, ours, theirs), scope, parent)
        if any(isinstance(piece, Contested) and piece.kind == "both-changed" for piece in pieces):
            # What is left of the base at such a place stands nowhere in the file.
            del self.decisions[before:]
            return None
        return pieces

    def _take(self, v: ThreeWay[list[Slot]], side: Side, scope: str, parent: str) -> list[Piece]:
        here = {id(s) for s in v.base}
        pieces: list[Piece] = []
        for slot in v.get(side):
            moved = slot.base is not None and id(slot) not in here
            if moved or (slot.base is None and slot.get(side.other) is not None):
                # Moved here by this side, or added by both at different places: both versions count.
                pieces.extend(self.slot(slot, scope, parent))
            else:
                pieces.append(_text([slot], side))
        return pieces

    def _independent_run(self, v: ThreeWay[list[Slot]], scope: str, parent: str) -> list[Piece]:
        """Definitions, imports, attributes: each on its own; ours' order, theirs after its own."""
        in_base = {id(s) for s in v.base}
        in_ours = {id(s) for s in v.ours}
        in_theirs = {id(s) for s in v.theirs}
        order = list(v.ours)
        previous: Slot | None = None
        for slot in v.theirs:
            if id(slot) not in in_ours:
                at = order.index(previous) + 1 if previous is not None else 0
                while (
                    at < len(order)
                    and id(order[at]) not in in_base
                    and id(order[at]) not in in_theirs
                    and order[at].base is None  # what ours moved here was not added here
                ):
                    at += 1
                order.insert(at, slot)
            previous = slot
        # A statement that both deleted is in neither list; one that one side deleted is decided here.
        pieces: list[Piece] = []
        for slot in order:
            pieces.extend(self.slot(slot, scope, parent))
        return pieces

    def _insertions(self, v: ThreeWay[list[Slot]], scope: str, parent: str) -> list[Piece]:
        """Plain statements inserted by both at one place: what is equal is kept once."""
        ours_prints = _prints(v.ours, Side.OURS)
        theirs_prints = _prints(v.theirs, Side.THEIRS)
        pairs = matches(ours_prints, theirs_prints)
        free = self._free_insertion(v, parent)
        if not pairs and free is not None and "insert-both" not in self.disabled:
            self._decided(scope, "insert-both", Side.BOTH, free)
            return [
                *self._take(v, Side.OURS, scope, parent),
                *self._take(v, Side.THEIRS, scope, parent),
            ]
        if not pairs:
            return self._meet(
                v, scope, "insertions", "both sides inserted statements at this place"
            )
        pieces: list[Piece] = []
        i = j = 0
        for at, to in [*pairs, (len(v.ours), len(v.theirs))]:
            ours, theirs = v.ours[i:at], v.theirs[j:to]
            if ours or theirs:
                none: list[Slot] = []
                part = ThreeWay(base=none, ours=ours, theirs=theirs)
                if all(_independent(s.any(), parent) for slots in part for s in slots):
                    pieces.extend(self._independent_run(part, scope, parent))
                elif (not ours or not theirs) and "insert-superset" not in self.disabled:
                    side = Side.OURS if ours else Side.THEIRS
                    self._decided(
                        scope,
                        "insert-superset",
                        side,
                        f"both sides inserted the same here, {side.value} more of it",
                    )
                    pieces.extend(self._take(part, side, scope, parent))
                else:
                    pieces.extend(
                        self._meet(
                            part, scope, "insertions", "both sides inserted here, differently"
                        )
                    )
            if at < len(v.ours):
                pieces.append(_text([v.ours[at]], Side.OURS))
            i, j = at + 1, to + 1
        return pieces

    @staticmethod
    def _free_insertion(v: ThreeWay[list[Slot]], parent: str) -> str | None:
        """Why two runs inserted at one place do not depend on each other, if that is so."""
        if any(s.base is not None and s.any().kind not in _IMPORTS for s in (*v.ours, *v.theirs)):
            return None  # moved here: what stood around it is not known to be free of it
        for slots, name in ((v.ours, "ours"), (v.theirs, "theirs")):
            if slots and all(_independent(s.any(), parent) for s in slots):
                return f"what {name} inserted here are only definitions and imports"
        callees = {_registration(s.any()) for s in (*v.ours, *v.theirs)}
        if len(callees) == 1 and None not in callees:
            return f"both sides added calls of {callees.pop()}, with different arguments"
        return None

    # -- one statement --------------------------------------------------------------------------

    def slot(self, slot: Slot, scope: str, parent: str) -> list[Piece]:
        """Merge one statement with what stands above it."""
        base, ours, theirs = slot.versions()
        symbol = _symbol(scope, slot.any())
        if ours is None or theirs is None:
            kept, side = (theirs, Side.THEIRS) if ours is None else (ours, Side.OURS)
            assert kept is not None
            if base is None:
                return [kept.text]
            if _same(base, kept):
                if not self._kept_import(kept):
                    return []  # deleted by the other side, unchanged here
                if "keep-import" in self.disabled:
                    return self._ask_whole(
                        slot,
                        symbol or kept.name,
                        "delete-change" if ours is None else "change-delete",
                        f"{side.other.value} deleted this import, but the result still uses it",
                    )
                self._decided(
                    symbol or kept.name,
                    "keep-import",
                    side,
                    f"{side.other.value} deleted this import, but the result still uses it",
                )
                return [kept.text]
            if kept.kind == "from" and "import-names" not in self.disabled:
                rest = self._names_added(base, kept)
                if rest is not None:
                    self._decided(
                        symbol or kept.name,
                        "import-names",
                        Side.BOTH,
                        f"{side.other.value} deleted this import; only what {side.value} added to it stays",
                    )
                    return [kept.lead + rest] if rest else []
            kind = "delete-change" if ours is None else "change-delete"
            who = (
                "ours deleted it, theirs changed it"
                if ours is None
                else "theirs deleted it, ours changed it"
            )
            if slot.doubtful is not None:
                who = f"{who}, or has it elsewhere as one of its look-alikes"
                return self._ask_whole(slot, symbol, kind, who)
            words = {*_comment_lines(kept.core)} - {*_comment_lines(base.core)}
            # Comments for themselves: new words are all there is to lose.
            if (kept.kind == "tail" and words) or self._stands_elsewhere(base, kept, side.other):
                return self._ask_whole(slot, symbol, kind, who)
            if self._comment_rewritten(slot, side.other):
                return self._ask_whole(
                    slot, symbol, kind, f"{who}; both changed the comment that stands there"
                )
            if (
                "deletion-of-annotations" not in self.disabled
                and _code_tokens(base) != _code_tokens(kept)
                and kept.kind in {"def", "class"}
                and same_behaviour(base.core, kept.core)
            ):
                self._decided(
                    symbol,
                    "deletion-of-annotations",
                    side.other,
                    f"{side.other.value} deleted it; {side.value} changed only what does not run: "
                    "annotations where there were none, docstrings, spelling of its bases",
                )
                return []
            if "deletion-of-comments" not in self.disabled and (
                _code_tokens(base) == _code_tokens(kept)
            ):
                self._decided(
                    symbol,
                    "deletion-of-comments",
                    side.other,
                    f"{side.other.value} deleted it; {side.value} changed only its comments or docstrings",
                )
                return []
            if "deletion-of-respelled" not in self.disabled and (
                only_respelled(base.core, kept.core, b"")
            ):
                self._decided(
                    symbol,
                    "deletion-of-respelled",
                    side.other,
                    f"{side.other.value} deleted it; {side.value} only wrote the same another way",
                )
                return []
            return self._ask_whole(slot, symbol, kind, who)
        if (
            self._release_side is not None
            and base is not None
            and ours.kind == "assign"
            and _RELEASE_FLAG.match(ours.name)
            and ours.core != theirs.core
        ):
            chosen = slot.get(self._release_side)
            assert chosen is not None
            self._decided(
                symbol,
                "larger-version",
                self._release_side,
                f"{ours.name} belongs to the version beside it, which is {self._release_side.value}'s",
            )
            return [chosen.text]
        if base is not None and ours.text == base.text:
            return [theirs.text]
        if (base is not None and theirs.text == base.text) or ours.text == theirs.text:
            return [ours.text]
        lead = self._lead(slot, symbol)
        core = self._core(slot, scope, symbol, parent)
        return [*lead, *core]

    def _stands_elsewhere(self, base: Item | None, edited: Item | None, mover: Side) -> bool:
        """Whether a side that took a statement away has it, or a comment that was edited, elsewhere.

        Then it was moved, and the edit may not go with the old place.
        """
        if self.texts is None or base is None or edited is None:
            return False
        for side in (Side.BASE, mover):
            if side not in self._rows:
                self._rows[side] = Counter(row.strip() for row in self.texts.get(side).split(b"\n"))
        before, there = self._rows[Side.BASE], self._rows[mover]
        if base.kind in {"def", "class"}:
            named = re.compile(
                rb"(?m)^[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+%b\b"
                % re.escape(base.name.encode("utf-8", "surrogateescape"))
            )
            kept, had = (len(named.findall(self.texts.get(side))) for side in (mover, Side.BASE))
            if kept >= had:
                return True
        rows = {row.strip() for row in base.text.split(b"\n")} - {b""}
        edits = rows - {row.strip() for row in edited.text.split(b"\n")}
        if any(
            row[:1] == b"#" and len(row) > _SAYS_NOTE and there[row] >= before[row] for row in edits
        ):
            return True
        code = {row for row in rows if row[:1] != b"#"}
        known = [row for row in code if there[row] >= before[row]]
        return 5 * len(known) >= 4 * len(code) and sum(map(len, known)) > _SAYS

    def _comment_rewritten(self, slot: Slot, deleter: Side) -> bool:
        """Whether a comment above a deleted statement was kept or rewritten there, and changed by both.

        It then speaks of more than the statement: what the other side made of it may not go with it.
        """
        base, edited = slot.base, slot.get(deleter.other)
        if base is None or edited is None or self._lists is None:
            return False
        notes = Counter(_comment_lines(base.lead))
        if notes == Counter(_comment_lines(edited.lead)):
            return False
        order, there = self._lists.base, self._lists.get(deleter)
        at = next((n for n, other in enumerate(order) if other is slot), None)
        if at is None:
            return False
        # Up to the nearest statements that the deleting side kept, what stands above the second included.
        stays = {id(s) for s in order} & {id(s) for s in there}
        before = next((id(s) for s in reversed(order[:at]) if id(s) in stays), None)
        behind = next((id(s) for s in order[at + 1 :] if id(s) in stays), None)
        others = _notes(_between(order, before, behind), Side.BASE) - notes
        return bool(_notes(_between(there, before, behind), deleter) - others)

    def _kept_import(self, item: Item) -> bool:
        """Whether an import that one side deleted is kept because the result needs a name of it."""
        if not self.keep_names or item.kind not in _IMPORTS:
            return False
        return bool(self.keep_names & imports.bound_names(item.core))

    def _names_added(self, base: Item, kept: Item) -> bytes | None:
        """What is left of a ``from`` import that the other side deleted and this one extended."""
        return imports.without_names(kept.core, base.core, self.keep_names)

    def _lead(self, slot: Slot, symbol: str) -> list[Piece]:
        """Blank lines and comments above a statement."""
        base, ours, theirs = slot.versions()
        assert ours is not None
        assert theirs is not None
        leads = ThreeWay(base=base.lead if base else b"", ours=ours.lead, theirs=theirs.lead)
        side = settle(leads)
        if side is not None:
            return [leads.get(side)]
        bare = leads.map(_comments)
        side = settle(bare)
        if side is not None:
            return [leads.get(side)]
        merge = merge_lines(leads, symbol=symbol)
        if merge.clean and "lines" not in self.disabled:
            return list(merge.pieces)
        fuller = _fuller(leads.map(_comment_lines))
        if fuller is not None and "fuller-comment" not in self.disabled:
            self._decided(
                symbol,
                "fuller-comment",
                fuller,
                f"the comment of {fuller.value} has all that {fuller.other.value} wrote",
            )
            return [leads.get(fuller)]
        return self._meet_text(leads, symbol, "comment", "both sides changed the comment above")

    def _core(self, slot: Slot, scope: str, symbol: str, parent: str) -> list[Piece]:
        base, ours, theirs = slot.versions()
        assert ours is not None
        assert theirs is not None
        if ours.core == theirs.core:
            return [ours.core]
        if base is not None:
            if base.core == ours.core:
                return [theirs.core]
            if base.core == theirs.core:
                return [ours.core]
        if ours.kind == "tail":
            return self._tail(slot, symbol)
        items = [item for item in (base, ours, theirs) if item is not None]
        deep = (
            len({item.kind for item in items}) == 1
            and all(item.sections() for item in items)
            and base is not None
            and _one_indent(items)
        )
        if not deep:
            prints = slot.versions().map(lambda item: item.fingerprint if item else None)
            side = settle(prints)
            if side is not None:
                chosen = slot.versions().get(side)
                assert chosen is not None
                if base is None or ours.fingerprint == theirs.fingerprint:
                    return [chosen.core]
                cores = ThreeWay(base=base.core, ours=ours.core, theirs=theirs.core)
                return [self._laid_out(chosen.core, "statement", cores, side.other)]
        if base is None:
            return self._both_added(slot, symbol)
        if deep:
            return self._compound(slot, scope, symbol, parent)
        return self._simple(slot, symbol)

    def _tail(self, slot: Slot, symbol: str) -> list[Piece]:
        texts = slot.versions().map(lambda item: item.core if item else b"")
        side = settle(texts.map(_comments))
        if side is not None:
            return [texts.get(side)]
        merge = merge_lines(texts, symbol=symbol)
        if merge.clean and "lines" not in self.disabled:
            return list(merge.pieces)
        return self._meet_text(
            texts, symbol, "comment", "both sides changed the comments at the end"
        )

    # -- simple statements ----------------------------------------------------------------------

    def _simple(self, slot: Slot, symbol: str) -> list[Piece]:
        base, ours, theirs = slot.versions()
        assert base is not None
        assert ours is not None
        assert theirs is not None
        texts = ThreeWay(base=base.core, ours=ours.core, theirs=theirs.core)
        reason = "both sides changed this statement"
        if self.versions_rule and ours.kind == "assign":
            # Before the parts: element by element, two raised version tuples would make a third.
            picked = larger_version(texts, ours.name)
            if picked is not None:
                side, why = picked
                self._decided(symbol, "larger-version", side, why)
                return [texts.get(side)]
        headers = _both_work(self._function) if ours.kind == "doc" else None
        if headers is not None and not _own_entries(texts, headers):
            # A docstring tells what the code does, and no side's text tells what both sides' code does.
            reason = "both sides changed this docstring, and the code that it describes"
        elif ours.kind not in {"error", "tail", "line"}:
            try:
                merged, strategy, proof = merge_snippet(
                    texts.map(_decode),
                    "statement",
                    larger_versions=self.versions_rule,
                    keep_names=self.keep_names,
                )
            except Contest as contest:
                reason = str(contest)
            else:
                text = merged.encode("utf-8", "surrogateescape")
                made = self._laid_out(text, "statement", texts)
                if not _notes_kept(made, texts):
                    reason = "both sides changed the comments in it"
                elif strategy not in self.disabled:
                    self._decided(symbol, strategy, Side.BOTH, proof)
                    return [made]
        return self._meet_text(texts, symbol, "both-changed", reason)

    def _laid_out(
        self, text: bytes, form: str, versions: ThreeWay[bytes], relaid: Side | None = None
    ) -> bytes:
        """A composed statement in the layout of the side that reformatted it."""
        if any(b"\r\n" in data for data in versions):
            # Mixed line ends: a line keeps its own, whatever the lines around it have.
            unix = versions.map(lambda data: data.replace(b"\r\n", b"\n"))
            made = self._laid_out(text.replace(b"\r\n", b"\n"), form, unix, relaid)
            return with_line_ends(made, versions)
        return (
            compose(text, form, versions, relaid) if self.layout and len(text) <= _DRESSED else text
        )

    def _both_added(self, slot: Slot, symbol: str) -> list[Piece]:
        """Both sides added it under one name."""
        ours, theirs = slot.ours, slot.theirs
        assert ours is not None
        assert theirs is not None
        if ours.kind in _IMPORTS and ours.kind == theirs.kind:
            texts = ThreeWay(base=b"", ours=ours.core, theirs=theirs.core)
            merged = self._import_union(texts)
            if merged is not None and "import-union" not in self.disabled:
                self._decided(
                    symbol, "import-union", Side.BOTH, "both sides import from this module"
                )
                return [self._laid_out(merged, "statement", texts)]
        if ours.kind == "class" == theirs.kind and ours.sections() and theirs.sections():
            mine, other = ours.sections()[0], theirs.sections()[0]
            if mine.body is not None and other.body is not None and mine.header == other.header:
                before = len(self.decisions)
                body = self.block(
                    ThreeWay(base=[], ours=mine.items(), theirs=other.items()), symbol, "class"
                )
                if "combine" not in self.disabled and all(
                    isinstance(piece, bytes) for piece in body
                ):
                    self._decided(
                        symbol,
                        "combine",
                        Side.BOTH,
                        "both sides added this class; no member differs",
                    )
                    return [mine.header, *body]
                del self.decisions[before:]
        return self._ask_whole(
            slot, symbol, "both-added", "both sides added it, differently", lead=False
        )

    @staticmethod
    def _import_union(texts: ThreeWay[bytes]) -> bytes | None:
        return imports.union_statement(texts.ours, texts.theirs)

    # -- compound statements --------------------------------------------------------------------

    def _compound(self, slot: Slot, scope: str, symbol: str, parent: str) -> list[Piece]:
        base, ours, theirs = slot.versions()
        assert base is not None
        assert ours is not None
        assert theirs is not None
        if ours.kind in {"def", "class"} and len({base.name, ours.name, theirs.name}) > 1:
            if "follow-rename" in self.disabled:
                texts = ThreeWay(base=base.core, ours=ours.core, theirs=theirs.core)
                why = "one side renamed it, the other changed it"
                return self._meet_text(texts, symbol, "both-changed", why)
            self._follows_rename(symbol, base, ours, theirs)
        inner_scope = symbol if ours.kind in {"def", "class"} else scope
        inner_parent = ours.kind if ours.kind in {"def", "class"} else parent
        sections = ThreeWay(base=base.sections(), ours=ours.sections(), theirs=theirs.sections())
        aligned = _align_sections(sections)
        mark = len(self.decisions)
        if aligned is None:
            texts = ThreeWay(base=base.core, ours=ours.core, theirs=theirs.core)
            prints = slot.versions().map(lambda item: item.fingerprint if item else None)
            side = settle(prints)
            if side is not None:
                return [texts.get(side)]
            return self._meet_text(texts, symbol, "both-changed", "both sides changed its clauses")
        pieces: list[Piece] = []
        around = self._function
        if ours.kind in {"class", "def"}:
            self._function = slot if ours.kind == "def" else None
        for triple in aligned:
            if triple.base is None or triple.ours is None or triple.theirs is None:
                taken = triple.ours or triple.theirs
                pieces.append(taken.text if taken is not None else b"")
                continue
            full = ThreeWay(base=triple.base, ours=triple.ours, theirs=triple.theirs)
            pieces.extend(self._section(full, inner_scope, symbol, inner_parent))
        self._function = around
        if ours.kind in {"def", "class"} and any(isinstance(p, Contested) for p in pieces):
            whole = slot.versions().map(lambda item: item.core if item else None)
            answer = self._ask(symbol, "symbol", whole)
            if answer is not None:
                settled = self._apply(answer, slot, scope, symbol, parent)
                if settled is not None:
                    del self.decisions[mark:]
                    self._answered(symbol, answer)
                    return settled
        return pieces

    def _follows_rename(self, symbol: str, base: Item, ours: Item, theirs: Item) -> None:
        side, new = (Side.OURS, ours.name) if ours.name != base.name else (Side.THEIRS, theirs.name)
        self._decided(
            symbol if new == ours.name else f"{symbol.rpartition('.')[0]}.{new}".lstrip("."),
            "follow-rename",
            side,
            f"{side.value} renamed {base.name} to {new}; the other side's edit follows",
        )

    def _apply(
        self, answer: Answer, slot: Slot, scope: str, symbol: str, parent: str
    ) -> list[Piece] | None:
        """What an answer makes of a whole symbol; ``None`` when it does not settle it."""
        if answer.side is not None:
            item = slot.versions().get(answer.side)
            return [item.core] if item is not None else []
        if answer.text is not None:
            return [answer.text]
        if answer.base is None:
            return None
        items = Source(answer.base).items()
        named = [item for item in items if item.kind != "tail"]
        if len(named) != 1:
            return None
        again = StructuralMerge(
            self.path,
            deadline=self.deadline,
            versions_rule=self.versions_rule,
            keep_names=self.keep_names,
            disabled=self.disabled,
            layout=self.layout,
        )
        pieces = again._core(Slot(named[0], slot.ours, slot.theirs), scope, symbol, parent)
        if any(isinstance(piece, Contested) for piece in pieces):
            return None
        return pieces

    def _section(self, v: ThreeWay[Section], scope: str, symbol: str, parent: str) -> list[Piece]:
        texts = v.map(lambda section: section.text)
        side = settle(texts)
        if side is not None:
            return [texts.get(side)]
        if any(section.body is None for section in v):
            merge = self._simple_lines(texts, symbol)
            if merge is not None:
                return merge
            return self._meet_text(texts, symbol, "both-changed", "both sides changed this clause")
        header = self._header(v, symbol)
        if v.ours.keyword == "match_statement":
            parent = "match"
        body = self.block(v.map(lambda section: section.items()), scope, parent)
        return [*header, *body]

    def _header(self, v: ThreeWay[Section], symbol: str) -> list[Piece]:
        headers = v.map(lambda section: section.header)
        side = settle(headers)
        if side is not None:
            return [headers.get(side)]
        tokens = v.map(lambda section: section.header_print)
        side = settle(tokens)
        if side is not None:
            if tokens.ours == tokens.theirs or v.ours.keyword not in _HEADER_FORMS:
                return [headers.get(side)]
            return [self._laid_out(headers.get(side), v.ours.keyword, headers, side.other)]
        reason = "both sides changed the header"
        if v.ours.keyword in _HEADER_FORMS and v.base.keyword == v.ours.keyword == v.theirs.keyword:
            try:
                merged, strategy, proof = merge_snippet(headers.map(_decode), v.ours.keyword)
            except Contest as contest:
                reason = str(contest)
            else:
                text = merged.encode("utf-8", "surrogateescape")
                made = self._laid_out(text, v.ours.keyword, headers)
                if not _notes_kept(made, headers):
                    reason = "both sides changed the comments in it"
                elif strategy not in self.disabled:
                    self._decided(symbol, strategy, Side.BOTH, proof)
                    return [made]
        return self._meet_text(headers, symbol, "header", reason)

    def _simple_lines(self, texts: ThreeWay[bytes], symbol: str) -> list[Piece] | None:
        merge = merge_lines(texts, symbol=symbol)
        settled = merge.clean and "lines" not in self.disabled
        return list(merge.pieces) if settled else None

    # -- where two changes meet -----------------------------------------------------------------

    def _meet(self, v: ThreeWay[list[Slot]], scope: str, kind: str, reason: str) -> list[Piece]:
        texts = ThreeWay(
            base=_text(v.base, Side.BASE),
            ours=_text(v.ours, Side.OURS),
            theirs=_text(v.theirs, Side.THEIRS),
        )
        return self._meet_text(texts, scope, kind, reason)

    def _ask_whole(
        self, slot: Slot, symbol: str, kind: str, reason: str, *, lead: bool = True
    ) -> list[Piece]:
        texts = slot.versions().map(
            lambda item: None if item is None else item.text if lead else item.core
        )
        filled = texts.map(lambda text: text or b"")
        alike = self._alike(filled, symbol)
        if alike is not None:
            return [filled.get(alike)]
        swept = self._swept(texts, symbol)
        if swept is not None:
            return [swept] if swept else []
        answer = self._ask(symbol, kind, texts)
        if answer is not None:
            settled = self._from_answer(answer, texts)
            if settled is not None:
                self._answered(symbol, answer)
                return [settled] if settled else []
        piece = Contested(symbol=symbol, kind=kind, versions=filled, reason=reason)
        self._left(piece)
        return [piece]

    def _meet_text(
        self, texts: ThreeWay[bytes], symbol: str, kind: str, reason: str
    ) -> list[Piece]:
        """Lines as the last step, then the deciders, then a contested place."""
        merge = merge_lines(texts, symbol=symbol)
        if (
            "lines" not in self.disabled
            and merge.clean
            and texts.base
            and self._lines_may_answer(kind, texts)
        ):
            self._decided(
                symbol, "lines", Side.BOTH, "the two sides changed different lines of this place"
            )
            return list(merge.pieces)
        alike = self._alike(texts, symbol)
        if alike is not None:
            return [texts.get(alike)]
        swept = self._swept(texts.map(lambda text: text or None), symbol)
        if swept is not None:
            return [swept]
        answer = self._ask(symbol, kind, texts.map(lambda text: text))
        if answer is not None:
            settled = self._from_answer(answer, texts.map(lambda text: text))
            if settled is not None:
                self._answered(symbol, answer)
                return [settled] if settled else []
        piece = Contested(symbol=symbol, kind=kind, versions=texts, reason=reason)
        self._left(piece)
        return [piece]

    def _alike(self, texts: ThreeWay[bytes], symbol: str) -> Side | None:
        """The side to take where the two are one program, or one side only respelled the base."""
        if not texts.ours.strip() or not texts.theirs.strip():
            return None
        ours, theirs = comments_of(texts.ours), comments_of(texts.theirs)
        if ours is None or theirs is None:
            return None
        notes = ThreeWay(base=comments_of(texts.base) or (), ours=ours, theirs=theirs)
        if "same-code" not in self.disabled and same_program(texts.ours, texts.theirs):
            side = settle(notes) or _fuller(notes)
            if side is None:
                return None
            side = side if side in {Side.OURS, Side.THEIRS} else Side.OURS
            self._decided(
                symbol,
                "same-code",
                side,
                "both sides wrote the same code; they differ in layout, comments or the spelling of "
                f"literals, and {side.value} has every comment",
            )
            return side
        if texts.base.strip() and "replaced-respelled" not in self.disabled:
            for side in (Side.OURS, Side.THEIRS):
                if _holds_all(notes, side) and only_respelled(
                    texts.base, texts.get(side.other), texts.get(side)
                ):
                    self._decided(
                        symbol,
                        "replaced-respelled",
                        side,
                        f"{side.value} replaced this; {side.other.value} only wrote the same another way",
                    )
                    return side
        return None

    @staticmethod
    def _lines_may_answer(kind: str, texts: ThreeWay[bytes]) -> bool:
        """Whether a clean line merge is enough: comments, and what has no structure to hold against."""
        return kind == "comment" or any(Source(text).root.has_error for text in texts)

    def _swept(self, texts: ThreeWay[bytes | None], symbol: str) -> bytes | None:
        """The answer where a side's whole change here is its sweep; empty for a deletion."""
        if self.sweeps is None or not texts.base:
            return None
        for side in (Side.THEIRS, Side.OURS):
            changed, other = texts.get(side), texts.get(side.other)
            if not changed:
                continue
            used = self.sweeps.explain(texts.base, changed, side)
            if used is None:
                continue
            what = ", ".join(str(sweep) for sweep in used)
            if not other:
                self._decided(
                    symbol,
                    "sweep",
                    side.other,
                    f"{side.other.value} deleted it; all that {side.value} did to it is its sweep {what}",
                )
                return b""
            result = apply(other, used)
            self._decided(
                symbol,
                "sweep",
                Side.NEITHER,
                f"all that {side.value} did here is its sweep {what}, applied to {side.other.value}'s text",
            )
            return result
        return None

    @staticmethod
    def _from_answer(answer: Answer, texts: ThreeWay[bytes | None]) -> bytes | None:
        if answer.side is not None:
            return texts.get(answer.side) or b""
        if answer.text is not None:
            return answer.text
        if answer.base is not None and texts.ours is not None and texts.theirs is not None:
            again = merge_lines(ThreeWay(base=answer.base, ours=texts.ours, theirs=texts.theirs))
            return again.text() if again.clean else None
        return None

    def _ask(self, symbol: str, kind: str, versions: ThreeWay[bytes | None]) -> Answer | None:
        question = Question(path=self.path, symbol=symbol, kind=kind, versions=versions)
        for decider in self.deciders:
            answer = decider.decide(question)
            if answer is not None:
                return answer
        return None

    # -- the record -----------------------------------------------------------------------------

    def _decided(self, symbol: str, strategy: str, side: Side, reason: str) -> None:
        self.decisions.append(decided(symbol, strategy, side, reason))

    def note_layout(self, side: Side, reason: str) -> None:
        """Record that statements were formatted."""
        self._decided("", "layout", side, reason)

    def note_imports(self, notes: Sequence[str]) -> None:
        """Record import bindings that were mended after the merge."""
        for note in dict.fromkeys(notes):
            self._decided("", "import-bindings", Side.BOTH, note)

    def note_sweep(self, side: Side, sweep: Sweep, symbols: Sequence[str]) -> None:
        """Record that a side's sweep was carried on into what the other side added."""
        for symbol in dict.fromkeys(symbols):
            self._decided(
                symbol,
                "sweep",
                Side.NEITHER,
                f"{side.value}'s sweep {sweep}, applied where {side.other.value} still used the old name",
            )

    def note_arguments(self, side: Side, sweep: ArgumentSweep, symbols: Sequence[str]) -> None:
        """Record that calls the other side added got the argument that a side gave all its calls."""
        for symbol in dict.fromkeys(symbols):
            self._decided(
                symbol,
                "sweep",
                Side.NEITHER,
                f"{side.value} changed {sweep}; the call that {side.other.value} added follows",
            )

    def _answered(self, symbol: str, answer: Answer) -> None:
        side = answer.side or (Side.BOTH if answer.base is not None else Side.NEITHER)
        self.decisions.append(answer.decision(symbol, side))

    def _left(self, piece: Contested) -> None:
        self.decisions.append(left(piece))


def decided(symbol: str, strategy: str, side: Side, reason: str) -> Decision:
    """The record of what structure settled."""
    return Decision(
        symbol=symbol,
        outcome=Outcome.RESOLVED,
        strategy=strategy,
        side=side,
        reason=reason,
        evidence=(Evidence(kind=EvidenceKind.STRUCTURE, text=reason),),
    )


def left(piece: Contested) -> Decision:
    """The record of a contested place that stays open."""
    return Decision(
        symbol=piece.symbol,
        outcome=Outcome.DEFERRED,
        strategy=piece.kind,
        side=Side.NEITHER,
        reason=piece.reason,
    )


# -- helpers ------------------------------------------------------------------------------------


def _slots(
    v: ThreeWay[Sequence[Item]],
) -> tuple[list[Slot], list[Slot], list[Slot], list[Slot]]:
    """Slots of the three versions, and the lists to run diff3 on.

    A definition that one side moved leaves the lists of base and of the side that did not move it,
    and stands as an insertion where it was moved to.
    """
    base, ours, theirs = v
    base_ours, base_theirs = align_blocks(base, ours), align_blocks(base, theirs)
    base_ours, base_theirs = (
        _not_inserted(v, base_ours, Side.OURS, base_theirs),
        _not_inserted(v, base_theirs, Side.THEIRS, base_ours),
    )
    slots: list[Slot] = [Slot(item, None, None) for item in base]
    _, base_ours, base_theirs = _without_doubtful(
        v, ThreeWay(base=[], ours=base_ours, theirs=base_theirs), slots
    )
    ours_slot: dict[int, Slot] = {}
    theirs_slot: dict[int, Slot] = {}
    for i, j in base_ours:
        slots[i].ours = ours[j]
        ours_slot[j] = slots[i]
    for i, j in base_theirs:
        slots[i].theirs = theirs[j]
        theirs_slot[j] = slots[i]
    base_slots = list(slots)
    # Named things that both added.
    added: dict[tuple[str, str], list[int]] = {}
    for j, item in enumerate(ours):
        if j not in ours_slot and _joinable(item):
            added.setdefault(item.key, []).append(j)
    for j, item in enumerate(theirs):
        if j in theirs_slot or not _joinable(item):
            continue
        waiting = added.get(item.key)
        if waiting:
            slot = Slot(None, ours[waiting[0]], item)
            ours_slot[waiting.pop(0)] = slot
            theirs_slot[j] = slot
            slots.append(slot)
    for j, item in enumerate(ours):
        if j not in ours_slot:
            ours_slot[j] = Slot(None, item, None)
            slots.append(ours_slot[j])
    for j, item in enumerate(theirs):
        if j not in theirs_slot:
            theirs_slot[j] = Slot(None, None, item)
            slots.append(theirs_slot[j])
    moved_by_ours = _moved(base_ours, slots)
    moved_by_theirs = _moved(base_theirs, slots) - moved_by_ours
    ours_list = [ours_slot[j] for j in range(len(ours))]
    theirs_list = [theirs_slot[j] for j in range(len(theirs))]
    # Both added it, at places that do not follow each other: ours' place.
    where = {id(s): n for n, s in enumerate(ours_list)}
    shared = [
        (where[id(s)], n)
        for n, s in enumerate(theirs_list)
        if s.base is None and s.ours is not None
    ]
    anchors = [
        (where[id(s)], n)
        for n, s in enumerate(theirs_list)
        if id(s) in where and id(s) not in moved_by_ours and id(s) not in moved_by_theirs
    ]
    # What stood in base keeps its place: it is what the added gave way to that is displaced.
    fixed = increasing(sorted((m, n) for m, n in anchors if theirs_list[n].base is not None))
    rows, columns = [m for m, _ in fixed], [n for _, n in fixed]
    fitting = [(m, n) for m, n in shared if bisect(rows, m) == bisect(columns, n)]
    straight = set(increasing(sorted([*fixed, *fitting])))
    displaced = {id(theirs_list[n]) for m, n in shared if (m, n) not in straight}
    base_list = [
        s for s in base_slots if id(s) not in moved_by_ours and id(s) not in moved_by_theirs
    ]
    # What one side moved and the other deleted is seen where it was moved to.
    ours_list = [s for s in ours_list if id(s) not in moved_by_theirs or s.theirs is None]
    theirs_list = [
        s
        for s in theirs_list
        if (id(s) not in moved_by_ours or s.ours is None) and id(s) not in displaced
    ]
    return slots, ours_list, theirs_list, base_list


def _not_inserted(
    v: ThreeWay[Sequence[Item]],
    pairs: list[tuple[int, int]],
    side: Side,
    other_pairs: list[tuple[int, int]],
) -> list[tuple[int, int]]:
    """The pairs without statements that the other side inserted, too, under no name.

    A call like one of base that a side deleted is no edit of it where both sides have it as new: taken
    for one, it would stand twice.
    """
    base, items, others = v.base, v.get(side), v.get(side.other)
    known = {j for _, j in other_pairs}
    inserted = {
        item.fingerprint for j, item in enumerate(others) if j not in known and item.kind != "tail"
    }
    return [
        (i, j)
        for i, j in pairs
        if not inserted
        or base[i].core == items[j].core
        or base[i].key == items[j].key
        or items[j].fingerprint not in inserted
        or items[j].fingerprint == base[i].fingerprint
    ]


def _with_comment_behind(place: Contested, run: ThreeWay[list[Slot]], slot: Slot) -> Contested:
    """An open place with the comment behind it that one side put its own statement below.

    The statement behind loses the comment with that side; whoever takes the other side is to have it.
    """
    base, *items = slot.versions()
    if base is None:
        return place
    for side, mine, other in zip((Side.OURS, Side.THEIRS), items, items[::-1], strict=True):
        if mine is None or other is None or other.lead != base.lead:
            continue
        gone = Counter(_comment_lines(base.lead)) - Counter(_comment_lines(mine.lead))
        if gone and gone <= Counter(_comment_lines(_text(run.get(side), side))):
            texts = place.versions
            behind = {
                "base": texts.base + base.lead,
                side.other.value: texts.get(side.other) + base.lead,
            }
            return replace(place, versions=replace(texts, **behind))
    return place


def _without_doubtful(
    v: ThreeWay[Sequence[Item]], pairs: ThreeWay[list[tuple[int, int]]], slots: Sequence[Slot]
) -> ThreeWay[list[tuple[int, int]]]:
    """The pairs of both sides without those of look-alikes that both worked at; these are noted.

    Without its pairs such a run meets as a whole, and what each side made of it is shown.
    """
    made = pairs
    for side in (Side.OURS, Side.THEIRS):
        mine, others = pairs.get(side), dict(pairs.get(side.other))
        unpaired: set[int] = set()
        for first, last in doubtful(v.base, v.get(side), mine):
            run = range(first, last + 1)
            start = others.get(first, 0)
            if any(
                others.get(i) != start + i - first
                or not _same(v.base[i], v.get(side.other)[others[i]])
                for i in run
            ):
                unpaired.update(run)
        for i in unpaired:
            slots[i].doubtful = side
        if unpaired:
            left = [(i, j) for i, j in mine if i not in unpaired]
            made = replace(made, **{side.value: left})
    crossed = _crossed(v, pairs)
    for i in crossed:
        slots[i].doubtful = Side.BOTH
    return (
        made.map(lambda found: [(i, j) for i, j in found if i not in crossed]) if crossed else made
    )


def _crossed(v: ThreeWay[Sequence[Item]], pairs: ThreeWay[list[tuple[int, int]]]) -> set[int]:
    """Statements of base that both changed, one of them into what the other side has beside it.

    Both made ``f(a, x=1)`` and ``f(a, x=2)`` of ``f(a)``: where the first is paired with it on one side and
    the second on the other, their changes would combine in what nobody wrote.
    """
    paired = pairs.map(dict)
    both = [
        (i, paired.ours[i], paired.theirs[i])
        for i in paired.ours
        if i in paired.theirs
        and v.base[i].kind not in UNMISTAKABLE
        and len({v.base[i].core, v.ours[paired.ours[i]].core, v.theirs[paired.theirs[i]].core}) == 3
    ]
    crossed: set[int] = set()
    for side in (Side.OURS, Side.THEIRS) if both else ():
        others = v.get(side.other)
        partner = {j: i for i, j in pairs.get(side.other)}
        # What the other side has there that is not of base.
        written = {
            item.fingerprint: partner.get(j)
            for j, item in enumerate(others)
            if j not in partner or item.fingerprint != v.base[partner[j]].fingerprint
        }
        for i, j, k in both:
            made = v.get(side)[j if side is Side.OURS else k].fingerprint
            theirs = others[k if side is Side.OURS else j].fingerprint
            if made in written and made not in {theirs, v.base[i].fingerprint}:
                other = written[made]
                crossed.update(
                    range(min(i, other), max(i, other) + 1) if other is not None else [i]
                )
    return crossed


def _joinable(item: Item) -> bool:
    """Whether two items added under one name are the same thing."""
    if item.kind in {"def", "class", "from", "import"}:
        return True
    if item.kind == "assign":
        return item.parent != "def"
    return item.kind == "tail"


def _moved(pairs: list[tuple[int, int]], slots: list[Slot]) -> set[int]:
    straight = set(increasing(pairs))
    return {id(slots[i]) for i, j in pairs if (i, j) not in straight}


def _field_dependence(v: ThreeWay[list[Slot]], parent: str) -> str | None:
    """Why attributes that both sides added to a class at one place depend on each other, if so."""
    if parent != "class":
        return None
    added = ThreeWay(
        base=[],
        ours=[s.ours for s in v.ours if s.base is None and s.theirs is None and s.ours],
        theirs=[s.theirs for s in v.theirs if s.base is None and s.ours is None and s.theirs],
    )
    fields = added.map(lambda items: [i for i in items if i.kind == "assign"])
    if not fields.ours or not fields.theirs:
        return None
    values = fields.map(lambda items: [_field_value(i) for i in items])
    if None in values.ours or None in values.theirs:
        return "both sides added fields without default: their order is their position"
    numbers = values.map(lambda found: {x for x in found if x is not None and x.isdigit()})
    if numbers.ours & numbers.theirs:
        return "both sides added members of the same value"
    return None


def _field_value(item: Item) -> bytes | None:
    """What a class attribute is set to; ``None`` for a bare annotation."""
    code = item.core.split(b"#", 1)[0]
    return code.split(b"=", 1)[1].strip() if b"=" in code else None


def _same(one: Item | None, other: Item | None) -> bool:
    """Equal up to layout, comments above included."""
    if one is None or other is None:
        return one is other
    if one.core == other.core:
        return _comments(one.lead) == _comments(other.lead)
    return one.fingerprint == other.fingerprint and _comments(one.lead) == _comments(other.lead)


def _with_comments(
    pieces: list[Piece], replaced: Sequence[Slot], other: Side
) -> list[Piece] | None:
    """What one side put in the place of statements, with the comments that the other side reworded.

    Comments that went with the statements are gone. Where the side kept a comment that the other one
    changed, the change follows; ``None`` when it does not fit.
    """
    for slot in replaced:
        base, edited = slot.base, slot.get(other)
        if base is None or edited is None:
            continue
        if base.kind == "tail":
            return None  # comments for themselves: nothing stands in their place
        notes = _counted(base.text)
        written = _counted(edited.text)
        gone, added = notes - written, written - notes
        kept = sum((_counted(piece) for piece in pieces if isinstance(piece, bytes)), Counter())
        if not gone & kept:
            if added - kept:
                return None  # a note of the other side, which nothing takes up
            continue
        if gone & kept - _counted(base.lead):
            return None
        texts = [
            _reworded(piece, base.lead, edited.lead) if isinstance(piece, bytes) else None
            for piece in pieces
        ]
        if sum(text is not None for text in texts) != 1:
            return None
        pieces = [
            piece if text is None else text for piece, text in zip(pieces, texts, strict=True)
        ]
    return pieces


def _reworded(text: bytes, old: bytes, new: bytes) -> bytes | None:
    """A text with other comments in the place of some; ``None`` unless these stand there once, by themselves.

    Args:
        text: Whole lines.
        old: The comment lines that are replaced, at any indentation.
        new: What stands there then, whole lines at any indentation.
    """
    wanted = [line.strip() for line in split_lines(old) if line.strip()]
    lines = split_lines(text)
    bare = [line.strip() for line in lines]
    places = [n for n in range(len(lines)) if wanted and bare[n : n + len(wanted)] == wanted]
    if len(places) != 1:
        return None
    (at,) = places
    first = lines[at]
    before = first[: len(first) - len(first.lstrip())]
    # Each line has the end that it has where it was written.
    written = [before + line.lstrip(b" \t") for line in split_lines(new) if line.strip()]
    made = b"".join([*lines[:at], *written, *lines[at + len(wanted) :]])
    # Within a string it is no comment.
    right = _counted(made) == _counted(text) - _counted(old) + _counted(new)
    return made if right else None


def _counted(text: bytes) -> Counter[str]:
    """The comments of a piece of code; none where it is no code of its own."""
    return Counter(comments_of(text) or ())


def _notes_kept(text: bytes, versions: ThreeWay[bytes]) -> bool:
    """Whether a composed statement has the comments that a side wrote in it or both left.

    A comment hangs on the white space of a part, which may have been taken from one side as layout.
    """
    if all(b"#" not in data for data in versions):
        return True
    return not notes_lost(_counted(text), versions.map(_counted))


def _neutral(base: Item | None, side: Item | None) -> bool:
    """Whether a side changed only comments, docstrings, annotations of a statement."""
    if base is None or side is None:
        return False
    return _code_tokens(base) == _code_tokens(side) or same_behaviour(base.core, side.core)


def _code_tokens(item: Item) -> list[bytes]:
    """The item's tokens without its comments and docstrings."""
    code = [token for token in item.tokens if not token.startswith(b"#")]
    return [
        token
        for n, token in enumerate(code)
        # A string right behind the start of a block is its docstring.
        if not (n and code[n - 1] == b"\1" and token.lstrip(b"rbuRBU")[:1] in {b'"', b"'"})
    ]


def _both_work(function: Slot | None) -> ThreeWay[bytes] | None:
    """The headers of a function whose code both sides changed; ``None`` where that is not so."""
    if function is None:
        return None
    items = function.versions()
    if settle(items.map(lambda item: _code_tokens(item) if item else [])) is not None:
        return None
    return items.map(lambda item: item.sections()[0].header if item else b"")


def _own_entries(texts: ThreeWay[bytes], headers: ThreeWay[bytes]) -> bool:
    """Whether each side changed in the docstring only what it says of parameters that this side changed."""
    return all(
        only_about(texts.base, texts.get(side), changed_parameters(headers.base, headers.get(side)))
        for side in (Side.OURS, Side.THEIRS)
    )


def _fuller(notes: ThreeWay[tuple[str, ...]]) -> Side | None:
    """The side whose comments hold all that both wrote, and nothing that either deleted.

    None where one side took away all comments that the other one changed.
    """
    wrote = {*notes.ours, *notes.theirs} - {*notes.base}
    if notes.base and wrote and not (notes.ours and notes.theirs):
        return None
    return next((side for side in (Side.OURS, Side.THEIRS) if _holds_all(notes, side)), None)


def _holds_all(notes: ThreeWay[tuple[str, ...]], side: Side) -> bool:
    mine, other = Counter(notes.get(side)), Counter(notes.get(side.other))
    base = Counter(notes.base)
    wrote, deleted = other - base, base - other
    return not wrote - mine and not mine & deleted and _in_order(other & mine, notes, side)


def _in_order(common: Counter[str], notes: ThreeWay[tuple[str, ...]], side: Side) -> bool:
    """Whether the comments that both have stand in one order on both sides."""
    ours, theirs = (
        [note for note in notes.get(one) if note in common] for one in (side, side.other)
    )
    return ours == theirs


def _between(slots: Sequence[Slot], before: int | None, behind: int | None) -> Sequence[Slot]:
    """The part of a list behind one slot and up to another one, by their ids; ``None``: its ends."""
    places = {id(slot): n for n, slot in enumerate(slots)}
    start = 0 if before is None else places[before] + 1
    return slots[start:] if behind is None else slots[start : places[behind] + 1]


def _notes(slots: Sequence[Slot], side: Side) -> Counter[str]:
    """The comments that stand for themselves above statements."""
    found: Counter[str] = Counter()
    for slot in slots:
        item = slot.get(side)
        if item is not None:
            found.update(_comment_lines(item.text if item.kind == "tail" else item.lead))
    return found


def _comment_lines(lead: bytes) -> tuple[str, ...]:
    """The comment lines of a lead as text."""
    return tuple(_comments(lead).decode("utf-8", "surrogateescape").splitlines())


def _comments(lead: bytes) -> bytes:
    """The comment lines of a lead, without blank lines and indentation."""
    return b"\n".join(line.strip() for line in lead.splitlines() if line.strip())


def _text(slots: Sequence[Slot], side: Side) -> bytes:
    texts = []
    for slot in slots:
        item = slot.versions().get(side)
        if item is not None:
            texts.append(item.text)
    return join_pieces(texts, b"\n")


def _prints(slots: Sequence[Slot], side: Side) -> list[bytes]:
    found = []
    for slot in slots:
        item = slot.versions().get(side)
        if item is not None:
            found.append(item.fingerprint + _comments(item.lead))
    return found


def _independent(item: Item, parent: str) -> bool:
    """Whether the item's place among its neighbours means nothing.

    Definitions and imports everywhere; assignments and attribute docstrings in classes; in a module
    only assignments of literals, because another may read a name that stands above it.
    """
    if item.kind in {"def", "class"}:
        return parent != "def"
    if item.kind in _IMPORTS:
        return True
    if item.kind == "tail":
        return True
    if parent == "class":
        return item.kind in {"assign", "string"}
    return False


# Not ``filterwarnings``: the last filter that fits wins, so the order of two has a meaning.
_REGISTRATION = re.compile(r"\.add_(?:argument|option|parser|config_value)$")


def _registration(item: Item) -> str | None:
    """The callee, when the statement only registers something (``parser.add_argument(…)``)."""
    if item.kind == "call" and _REGISTRATION.search(item.name):
        return item.name
    return None


def _one_indent(items: Sequence[Item]) -> bool:
    """Whether the items stand at one indentation and indent their bodies alike."""
    seen = set()
    for item in items:
        first = next((s.items()[0] for s in item.sections() if s.items()), None)
        head = _indent(item.core)
        seen.add((head, _indent(first.core) if first is not None else None))
    bodies = {body for _, body in seen if body is not None}
    return len({head for head, _ in seen}) == 1 and len(bodies) <= 1


def _indent(core: bytes) -> bytes:
    return core[: len(core) - len(core.lstrip(b" \t\f"))]


def _align_sections(
    v: ThreeWay[list[Section]],
) -> list[ThreeWay[Section | None]] | None:
    """Clauses side by side; ``None`` where their order does not tell what belongs together.

    The first clause and the closing ones stand for themselves; ``elif`` and ``except`` clauses are
    matched by their headers.
    """
    keywords = v.map(lambda sections: [s.keyword for s in sections])
    if keywords.base == keywords.ours == keywords.theirs:
        return [
            ThreeWay(base=b, ours=o, theirs=t)
            for b, o, t in zip(v.base, v.ours, v.theirs, strict=True)
        ]
    keys = v.map(lambda sections: [_clause_key(s, n) for n, s in enumerate(sections)])
    if any(len(set(k)) != len(k) for k in keys):
        return None
    out: list[ThreeWay[Section | None]] = []
    for chunk in chunks(
        len(v.base),
        len(v.ours),
        len(v.theirs),
        _clause_pairs(keys.base, keys.ours),
        _clause_pairs(keys.base, keys.theirs),
    ):
        if chunk.stable:
            out.append(
                ThreeWay(
                    base=v.base[chunk.base.start],
                    ours=v.ours[chunk.ours.start],
                    theirs=v.theirs[chunk.theirs.start],
                )
            )
            continue
        b = v.base[chunk.base.start : chunk.base.stop]
        o = v.ours[chunk.ours.start : chunk.ours.stop]
        t = v.theirs[chunk.theirs.start : chunk.theirs.stop]
        texts = ThreeWay(base=b, ours=o, theirs=t).map(lambda run: [s.text for s in run])
        side = settle(texts)
        if side is None:
            return None
        run = o if side is Side.OURS else t
        out.extend(ThreeWay(base=None, ours=s, theirs=s) for s in run)
    return out


def _clause_pairs(
    base: list[tuple[str, bytes]], side: list[tuple[str, bytes]]
) -> list[tuple[int, int]]:
    """Clauses of equal key, and between them as many of one kind as stand on either side."""
    pairs = matches(base, side)
    found = list(pairs)
    i = j = 0
    for at, to in [*pairs, (len(base), len(side))]:
        if at - i == to - j and all(base[i + k][0] == side[j + k][0] for k in range(at - i)):
            found.extend((i + k, j + k) for k in range(at - i))
        i, j = at + 1, to + 1
    return sorted(found)


def _clause_key(section: Section, index: int) -> tuple[str, bytes]:
    if index == 0:
        return "first", b""
    if section.keyword in {"else_clause", "finally_clause"}:
        return section.keyword, b""
    return section.keyword, b" ".join(section.header.split())


def _symbol(scope: str, item: Item) -> str:
    if item.kind in {"def", "class"}:
        name = item.name.split(".", 1)[0]
        return f"{scope}.{name}" if scope else name
    if item.kind == "assign" and item.parent != "def":
        return f"{scope}.{item.name}" if scope else item.name
    return scope


def _decode(text: bytes) -> str:
    return with_final_newline(text, b"\n").decode("utf-8", "surrogateescape")
