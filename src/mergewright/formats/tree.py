"""The merge that all structured formats share: a tree of spans, merged by key or by order.

A parser cuts a text into nodes so that joining their spans gives the text back. What a node means
(its value without layout) is kept apart from how it is written, so a side that only reformatted
does not compete with a side that changed something. Nothing is printed anew: the result is made of
spans of the three texts, plus commas and line ends where an insertion needs them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal, TypeVar

from mergewright.formats.document import Fragment, Open, UnmergeableError
from mergewright.model.merge import Answer, Decider, Question
from mergewright.model.resolution import Decision, Evidence, EvidenceKind, Outcome, Place
from mergewright.model.threeway import Side, ThreeWay, settle
from mergewright.text.diff import matches
from mergewright.text.merge import chunks, merge_sequences

#: How the children of a container stand to each other: named (order is taste), a list whose order
#: means something, or a list that means a set (insertions of both sides are all kept).
Listing = Literal["keyed", "ordered", "set"]

T = TypeVar("T")
_SINGLE = frozenset({Side.BASE, Side.OURS, Side.THEIRS})


@dataclass(frozen=True, kw_only=True)
class Node:
    """A span of a text and its structure.

    Attributes:
        kind: What it is (``table``, ``pair``, ``array`` …); nodes of different kinds do not merge.
        key: Identity among its siblings: unique in a keyed container; in a list, elements with one
            key are taken for versions of one element.
        name: Its part of the dotted path; empty adds nothing.
        lead: Blank lines, comments and indentation before it.
        parts: Its own text (all of it for a leaf, the opening of a container) in comparable pieces.
        value: Meaning of a leaf without layout.
        value_at: Index in ``parts`` of the text that ``value`` stands for.
        children: Sub-nodes of a container; ``None`` for a leaf.
        listing: How the children stand to each other.
        delimited: Whether the children are separated by commas.
        tail: Text after the last child (a closing bracket, trailing comments).
        comma: Whether a comma followed it (in a delimited container).
        after: The rest of the line behind it and its comma: blanks and a comment.
        comments: Comment marker of the format, to tell comments from blanks in leads and tails.
        sorted_hint: Sort key, for lists that are kept sorted; ``None`` when it has none.
        rank: Comparable; where the ranked children of both sides fall, newcomers keep them falling
            (the versions of a changelog).
        layout: Layout that must be equal for children of one version to stand in another.
    """

    kind: str
    key: Hashable
    name: str = ""
    lead: str = ""
    parts: tuple[str, ...] = ()
    value: Hashable = None
    value_at: int = 0
    children: tuple[Node, ...] | None = None
    listing: Listing = "keyed"
    delimited: bool = False
    tail: str = ""
    comma: bool = False
    after: str = ""
    sorted_hint: str | None = None
    rank: Any = None
    layout: Hashable = None

    @cached_property
    def body(self) -> str:
        """Its text without lead, comma and the rest of the line."""
        inner = "" if self.children is None else "".join(child.text for child in self.children)
        return "".join(self.parts) + inner + self.tail

    @cached_property
    def text(self) -> str:
        """Its whole text."""
        return self.lead + self.body + ("," if self.comma else "") + self.after

    @cached_property
    def meaning(self) -> Hashable:
        """What it says, whatever the layout; comments apart."""
        if self.children is None:
            return (self.kind, self.key, self.value)
        inner = [child.meaning for child in self.children]
        if self.listing == "keyed":
            return (self.kind, self.key, self.value, frozenset(inner))
        return (self.kind, self.key, self.value, tuple(inner))

    @cached_property
    def remarks(self) -> tuple[str, ...]:
        """All words of it that are neither value nor layout: its comments, in order."""
        own = [part.strip() for part in self.parts[self.value_at + 1 :]]
        found = [*_lines(self.lead), *(part for part in own if part)]
        for child in self.children or ():
            found.extend(child.remarks)
        found.extend(_lines(self.tail))
        if self.after.strip():
            found.append(self.after.strip())
        return tuple(found)

    @cached_property
    def layout_free(self) -> Hashable:
        """Meaning and comments together: equal when only the layout differs."""
        return (self.meaning, self.remarks)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A contested leaf, as a format's own strategy sees it.

    Attributes:
        path: Dotted path of the leaf.
        nodes: The three leaves; base is ``None`` where both sides added it.
    """

    path: str
    nodes: ThreeWay[Node | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A strategy's answer for a contested leaf: a side, or a new text for the value part.

    ``whole`` takes what stands beside the value from the same side (a comment that names it).
    """

    side: Side
    strategy: str
    reason: str
    value_text: str | None = None
    whole: bool = False


LeafStrategy = Callable[[Leaf], Choice | None]


@dataclass(kw_only=True)
class Merger:
    """One merge of three trees.

    Attributes:
        path: The file's path, for questions.
        deciders: Asked about what structure and the format's strategies cannot settle.
        strategies: The format's own answers for contested leaves, in order.
        united: Says of a run of list elements (dotted path, all nodes of the three versions)
            whether they are independent, so that both sides' insertions and deletions are all
            kept; only asked for lists that are not sets.
        edits_known: Whether an edited element has its base's key, so that an element that is gone
            was removed and never replaced.
        by_lines: Whether a contested leaf of several lines is cut down to the contested lines.
        separator: Joins names to dotted paths.
        disabled: Names of strategies that settle nothing.
    """

    path: str
    disabled: frozenset[str] = frozenset()
    deciders: Sequence[Decider] = ()
    strategies: Sequence[LeafStrategy] = ()
    united: Callable[[str, Sequence[Node]], bool] = lambda *_: False
    edits_known: bool = False
    by_lines: bool = False
    separator: str = "."
    decisions: list[Decision] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    # -- nodes ---------------------------------------------------------------------------------

    def merge(self, versions: ThreeWay[Node | None], path: str = "") -> list[Fragment]:
        """Merge one node that both sides have: its lead and body, without comma and line rest."""
        ours, theirs = _both(versions)
        base = versions.base
        side = settle(versions.map(lambda node: None if node is None else node.lead + node.body))
        if side is not None:
            chosen = known(versions.get(side))
            self._note_settled(versions, side, path)
            return [chosen.lead + chosen.body]
        return [*self._lead(versions, path), *self._body(base, ours, theirs, path)]

    def _body(self, base: Node | None, ours: Node, theirs: Node, path: str) -> list[Fragment]:
        versions: ThreeWay[Node | None] = ThreeWay(base=base, ours=ours, theirs=theirs)
        side = settle(versions.map(lambda node: None if node is None else node.body))
        if side is not None:
            chosen = known(versions.get(side))
            self._note_settled(versions, side, path)
            return [chosen.body]
        containers = ours.children is not None and theirs.children is not None
        same = ours.kind == theirs.kind and ours.listing == theirs.listing
        if (
            containers
            and same
            and (base is None or (base.kind == ours.kind and base.children is not None))
        ):
            return self._container(base, ours, theirs, path)
        if (
            ours.children is None
            and theirs.children is None
            and same
            and (base is None or base.children is None)
        ):
            return self._leaf(base, ours, theirs, path)
        return self._ask(
            versions, path, "both-changed", "both sides changed it, one of them in kind"
        )

    def _note_settled(self, versions: ThreeWay[Node | None], side: Side, path: str) -> None:
        base = versions.base
        ours, theirs = _both(versions)
        if base is not None and ours.body == base.body and theirs.body == base.body:
            return
        if ours.body == theirs.body:
            reason = "both sides say the same"
            if base is None:
                reason = "both sides added the same"
            self._decide(path, "same-on-both", Side.OURS, reason)
        else:
            self._decide(path, "one-side", side, f"only {side.value} changed it")

    def _decide(self, path: str, strategy: str, side: Side, reason: str) -> None:
        self.decisions.append(
            Decision(
                symbol=path,
                outcome=Outcome.RESOLVED,
                strategy=strategy,
                side=side,
                reason=reason,
                evidence=(Evidence(kind=EvidenceKind.STRUCTURE, text=reason),),
            )
        )

    def _lead(self, versions: ThreeWay[Node | None], path: str) -> list[Fragment]:
        """Merge what stands before a node; comments of both sides are kept or contested."""
        ours, theirs = _both(versions)
        leads = versions.map(lambda node: None if node is None else node.lead)
        return self.trivia(ThreeWay(base=leads.base, ours=ours.lead, theirs=theirs.lead), path)

    def trivia(self, texts: ThreeWay[str | None], path: str) -> list[Fragment]:
        """Merge blank lines and comments; where comments compete they stay contested."""
        ours, theirs = texts.ours or "", texts.theirs or ""
        side = settle(texts)
        if side is None:
            side = settle(texts.map(lambda text: None if text is None else tuple(_lines(text))))
        if side is not None:
            return [texts.get(side) or ""]
        base = texts.base or ""
        lines = {
            Side.BASE: base.splitlines(keepends=True),
            Side.OURS: ours.splitlines(keepends=True),
            Side.THEIRS: theirs.splitlines(keepends=True),
        }
        stripped = {key: [line.strip() for line in value] for key, value in lines.items()}
        out: list[Fragment] = []
        for chunk in chunks(
            len(lines[Side.BASE]),
            len(lines[Side.OURS]),
            len(lines[Side.THEIRS]),
            matches(stripped[Side.BASE], stripped[Side.OURS]),
            matches(stripped[Side.BASE], stripped[Side.THEIRS]),
        ):
            texts_here = ThreeWay(
                base=lines[Side.BASE][chunk.base.start : chunk.base.stop],
                ours=lines[Side.OURS][chunk.ours.start : chunk.ours.stop],
                theirs=lines[Side.THEIRS][chunk.theirs.start : chunk.theirs.stop],
            )
            here = settle(
                texts_here, key=lambda part: [line.strip() for line in part if line.strip()]
            )
            if here is not None:
                out.append("".join(texts_here.get(here)))
                continue
            reason = "both sides changed the comment"
            self._deferred(path, reason)
            out.append(
                Open(
                    symbol=path,
                    kind="both-changed",
                    versions=texts_here.map("".join),
                    reason=reason,
                )
            )
        return out

    def _leaf(self, base: Node | None, ours: Node, theirs: Node, path: str) -> list[Fragment]:
        versions: ThreeWay[Node | None] = ThreeWay(base=base, ours=ours, theirs=theirs)
        counts = {len(node.parts) for node in versions if node is not None}
        if len(counts) != 1:
            return self._ask(versions, path, _kind(base), _reason(base))
        choice: Choice | None = None
        side = settle(versions.map(lambda node: None if node is None else node.value))
        if side is None:
            for strategy in self.strategies:
                choice = strategy(Leaf(path=path, nodes=versions))
                if choice is not None and choice.strategy in self.disabled:
                    choice = None
                if choice is not None:
                    break
            if choice is None:
                return self._ask(versions, path, _kind(base), _reason(base))
            side = choice.side
        out: list[str] = []
        if choice is not None and choice.whole:
            self._decide(path, choice.strategy, choice.side, choice.reason)
            return ["".join(known(versions.get(choice.side)).parts)]
        for index in range(counts.pop()):
            if index == ours.value_at:
                chosen = known(versions.get(side)) if side in _SINGLE else ours
                if choice is not None and choice.value_text is not None:
                    out.append(choice.value_text)
                else:
                    # Where the meaning is settled for ours but only theirs' layout moved, the
                    # layout follows the side that touched it.
                    texts = versions.map(lambda node: None if node is None else node.parts[index])  # noqa: B023
                    exact = settle(texts) if choice is None else None
                    source = chosen
                    if exact is not None:
                        candidate = versions.get(exact)
                        if candidate is not None and candidate.value == chosen.value:
                            source = candidate
                    out.append(source.parts[index])
                continue
            texts = versions.map(lambda node: None if node is None else node.parts[index])  # noqa: B023
            at = settle(texts)
            if at is None:
                at = settle(texts.map(lambda text: None if text is None else "".join(text.split())))
            if at is None:
                return self._ask(
                    versions, path, _kind(base), "both sides changed what stands beside the value"
                )
            out.append(texts.get(at) or "")
        if choice is not None:
            self._decide(path, choice.strategy, choice.side, choice.reason)
        else:
            self._decide(path, "one-side", side, f"only {side.value} changed the value")
        return ["".join(out)]

    # -- containers ----------------------------------------------------------------------------

    def _container(self, base: Node | None, ours: Node, theirs: Node, path: str) -> list[Fragment]:
        versions: ThreeWay[Node | None] = ThreeWay(base=base, ours=ours, theirs=theirs)
        counts = {len(node.parts) for node in versions if node is not None}
        if len({node.layout for node in versions if node is not None}) != 1:
            return self._ask(
                versions, path, _kind(base), "both sides changed it, one of them its indentation"
            )
        heads = versions.map(lambda node: None if node is None else node.parts)
        out: list[Fragment] = []
        side = settle(heads)
        if side is None:
            side = settle(
                heads.map(
                    lambda parts: (
                        None if parts is None else tuple("".join(part.split()) for part in parts)
                    )
                )
            )
        if side is not None:
            out.append("".join(heads.get(side) or ()))
        elif len(counts) == 1:
            # The opening as a leaf of its own: same strategies, same small contested place.
            bare = versions.map(
                lambda node: None if node is None else replace(node, children=None, tail="")
            )
            bare_ours, bare_theirs = _both(bare)
            out.extend(self._leaf(bare.base, bare_ours, bare_theirs, path))
        else:
            return self._ask(versions, path, _kind(base), "both sides changed its opening")
        inner = self.children(versions, path)
        if ours.layout is not None and not any(inner):
            # A block without entries is no empty collection: it would say something else.
            return self._ask(
                versions, path, _kind(base), "both sides' removals leave nothing of it"
            )
        out.extend(inner)
        tails = versions.map(lambda node: None if node is None else node.tail)
        tail_side = settle(tails)
        if tail_side is None:
            out.extend(self._tail(tails, path))
        else:
            out.append(tails.get(tail_side) or "")
        return out

    def _tail(self, tails: ThreeWay[str | None], path: str) -> list[Fragment]:
        """Trailing comments and a closing bracket; a bracket's line is not cut into pieces."""
        return self.trivia(tails, path)

    def children(self, versions: ThreeWay[Node | None], path: str) -> list[Fragment]:
        """Merge the children of three containers."""
        ours, theirs = _both(versions)
        lists = ThreeWay(
            base=() if versions.base is None else versions.base.children or (),
            ours=ours.children or (),
            theirs=theirs.children or (),
        )
        if ours.listing == "keyed":
            entries = self._keyed(lists, path)
        else:
            entries = self._listed(lists, path, ours.listing)
        if ours.delimited:
            return _delimit(entries, versions, lists)
        out: list[Fragment] = []
        top = True
        for index, entry in enumerate(entries):
            fragments = entry.fragments()
            if fragments and isinstance(fragments[0], str) and any(fragments):
                if isinstance(ours.layout, tuple):
                    _indent(fragments, ours.layout, first=index == 0)
                else:
                    fragments[0] = _separated(entry, fragments[0], lists, first=top)
            elif isinstance(ours.layout, tuple):
                _indent(fragments, ours.layout, first=index == 0)
            top = top and not any(fragments)
            out.extend(fragments)
        return out

    def child_path(self, path: str, node: Node) -> str:
        """The dotted path of a child."""
        if not node.name:
            return path
        return f"{path}{self.separator}{node.name}" if path else node.name

    def _keyed(self, lists: ThreeWay[tuple[Node, ...]], path: str) -> list[Entry]:
        indexed = lists.map(_by_key)
        _refuse_renames(indexed)
        out: list[Entry] = []
        for key in _order(lists):
            nodes = indexed.map(lambda index: index.get(key))  # noqa: B023
            entry = self._entry(nodes, path)
            if entry is not None:
                out.append(entry)
        return out

    def _entry(self, nodes: ThreeWay[Node | None], path: str) -> Entry | None:
        """One key of a keyed container; ``None`` when the result does not have it."""
        base, ours, theirs = nodes
        some = known(base or ours or theirs)
        name = self.child_path(path, some)
        if ours is not None and theirs is not None:
            pieces = self.merge(nodes, name)
            opens = [piece for piece in pieces if isinstance(piece, Open)]
            rest = "".join(piece for piece in pieces if isinstance(piece, str))
            if base is None and len(opens) == 1 and not rest.strip():
                # Base has nothing of it, so its version of the place is empty, comma included.
                return Entry(
                    node=ours,
                    pieces=[],
                    after="",
                    side=Side.BOTH,
                    nodes=ThreeWay(base=(), ours=(ours,), theirs=(theirs,)),
                    symbol=opens[0].symbol,
                    kind=opens[0].kind,
                    reason=opens[0].reason,
                )
            return Entry(node=ours, pieces=pieces, after=self._after(nodes), side=Side.OURS)
        if ours is None and theirs is None:
            if base is not None:
                self._decide(name, "same-on-both", Side.BOTH, "both sides removed it")
            return None
        side = Side.OURS if ours is not None else Side.THEIRS
        present = known(ours or theirs)
        if base is None and "insertion" not in self.disabled:
            self._decide(
                name,
                "insertion",
                side,
                f"{side.value} added it, {side.other.value} has no such key",
            )
            return Entry(
                node=present, pieces=[present.lead + present.body], after=present.after, side=side
            )
        unchanged = base is not None and base.layout_free == present.layout_free
        if unchanged and "deletion" not in self.disabled:
            self._decide(
                name,
                "deletion",
                side.other,
                f"{side.other.value} removed it and {side.value} left it unchanged",
            )
            return None
        kind = "change-delete" if side is Side.OURS else "delete-change"
        reason = f"{side.value} changed it, {side.other.value} removed it"
        if base is None:
            kind, reason = "both-added", f"{side.value} added it"
        elif unchanged:
            reason = f"{side.other.value} removed it"
        return self._contest(
            ThreeWay(
                base=() if base is None else (base,),
                ours=() if ours is None else (ours,),
                theirs=() if theirs is None else (theirs,),
            ),
            name,
            kind,
            reason,
        )

    def _after(self, nodes: ThreeWay[Node | None]) -> str:
        texts = nodes.map(lambda node: None if node is None else node.after)
        side = settle(texts)
        if side is None:
            side = settle(texts.map(lambda text: None if text is None else text.strip()))
        if side is not None:
            return texts.get(side) or ""
        raise UnmergeableError("both sides changed the comment behind one element")

    def _contest(
        self, nodes: ThreeWay[tuple[Node, ...]], path: str, kind: str, reason: str
    ) -> Entry | None:
        """A place of a container that stays open unless a decider speaks."""
        answer = self.answer(nodes.map(_joined_or_none), path, kind)
        if answer is not None:
            if answer.side is not None:
                chosen = nodes.get(answer.side)
                if not chosen:
                    return None
                return Entry(
                    node=chosen[0],
                    pieces=[],
                    after="",
                    side=answer.side,
                    nodes=ThreeWay(base=chosen, ours=chosen, theirs=chosen),
                )
            if answer.text is not None:
                some = nodes.ours or nodes.theirs or nodes.base
                text = answer.text.decode("utf-8").replace("\r\n", "\n")
                return Entry(node=some[0], pieces=[text], after="", side=Side.NEITHER)
        self._deferred(path, reason)
        some = nodes.ours or nodes.theirs or nodes.base
        return Entry(
            node=some[0],
            pieces=[],
            after="",
            side=Side.BOTH,
            nodes=nodes,
            symbol=path,
            kind=kind,
            reason=reason,
        )

    # -- lists ---------------------------------------------------------------------------------

    def _listed(
        self, lists: ThreeWay[tuple[Node, ...]], path: str, listing: Listing
    ) -> list[Entry]:
        tokens = lists.map(lambda nodes: [node.key for node in nodes])
        unique = all(len(set(keys)) == len(keys) for keys in tokens)
        out: list[Entry] = []
        sorts = _sorting(lists) if unique else None
        for chunk in chunks(
            len(tokens.base),
            len(tokens.ours),
            len(tokens.theirs),
            matches(tokens.base, tokens.ours),
            matches(tokens.base, tokens.theirs),
        ):
            here = ThreeWay(
                base=tuple(lists.base[chunk.base.start : chunk.base.stop]),
                ours=tuple(lists.ours[chunk.ours.start : chunk.ours.stop]),
                theirs=tuple(lists.theirs[chunk.theirs.start : chunk.theirs.stop]),
            )
            if chunk.stable:
                out.extend(
                    Entry(
                        node=o,
                        pieces=self.merge(
                            ThreeWay(base=b, ours=o, theirs=t), self.child_path(path, b)
                        ),
                        after=self._after(ThreeWay(base=b, ours=o, theirs=t)),
                        side=Side.OURS,
                    )
                    for b, o, t in zip(*here, strict=True)
                )
                continue
            out.extend(self._chunk(here, path, listing, sort=sorts))
        return out

    def _chunk(
        self,
        here: ThreeWay[tuple[Node, ...]],
        path: str,
        listing: Listing,
        sort: Callable[[Node], str] | None,
    ) -> Iterable[Entry]:
        base, ours, theirs = here
        frees = here.map(lambda nodes: tuple(node.layout_free for node in nodes))
        side = settle(frees)
        if side is not None:
            chosen = here.get(side)
            if chosen or base:
                first = (chosen or base)[0]
                where = path if first.name.isdigit() else self.child_path(path, first)
                if frees.ours == frees.theirs:
                    self._decide(
                        where, "same-on-both", Side.OURS, "both sides made the same change"
                    )
                else:
                    self._decide(
                        where, "one-side", side, f"only {side.value} changed the list here"
                    )
            return [_taken(node, side) for node in chosen]
        keys = here.map(lambda nodes: [node.key for node in nodes])
        united = self._united(here, keys, path, listing, sort)
        if united is not None:
            return united
        pairs = self._pairs(here)
        if pairs is not None:
            return [
                Entry(
                    node=known(nodes.ours),
                    pieces=self.merge(
                        nodes, self.child_path(path, known(nodes.base or nodes.ours))
                    ),
                    after=self._after(nodes),
                    side=Side.OURS,
                )
                for nodes in pairs
            ]
        # Equal elements at both ends of the sides' runs are no part of the quarrel.
        head: list[Entry] = []
        last: list[Entry] = []
        ours_left, theirs_left = list(ours), list(theirs)
        if not base:
            while (
                ours_left and theirs_left and ours_left[0].layout_free == theirs_left[0].layout_free
            ):
                head.append(_taken(ours_left.pop(0), Side.OURS))
                theirs_left.pop(0)
            while (
                ours_left
                and theirs_left
                and ours_left[-1].layout_free == theirs_left[-1].layout_free
            ):
                last.insert(0, _taken(ours_left.pop(), Side.OURS))
                theirs_left.pop()
        kind = "both-added" if not base else "both-changed"
        reason = (
            "both sides added here, and the order may matter"
            if not base
            else "both sides changed these elements"
        )
        entry = self._contest(
            ThreeWay(base=base, ours=tuple(ours_left), theirs=tuple(theirs_left)),
            self.child_path(path, base[0]) if len(base) == 1 else path,
            kind,
            reason,
        )
        return [*head, *([] if entry is None else [entry]), *last]

    @staticmethod
    def _pairs(here: ThreeWay[tuple[Node, ...]]) -> list[ThreeWay[Node | None]] | None:
        """The elements of a run as versions of each other, where that is beyond doubt."""
        base, ours, theirs = here
        keys = here.map(lambda nodes: [node.key for node in nodes])
        if len(base) == len(ours) == len(theirs) == 1:
            if base[0].kind == ours[0].kind == theirs[0].kind:
                return [ThreeWay(base=base[0], ours=ours[0], theirs=theirs[0])]
            return None
        if len(base) == len(ours) == len(theirs):
            # As many as before, and each changed by one side at most: edits, element by element.
            triples = [
                ThreeWay(base=b, ours=o, theirs=t)
                for b, o, t in zip(base, ours, theirs, strict=True)
            ]
            if all(settle(triple, key=lambda node: node.layout_free) for triple in triples):
                return [ThreeWay(base=x.base, ours=x.ours, theirs=x.theirs) for x in triples]
        if not base and keys.ours == keys.theirs and len(set(keys.ours)) == len(keys.ours):
            return [
                ThreeWay(base=None, ours=o, theirs=t) for o, t in zip(ours, theirs, strict=True)
            ]
        return None

    def _united(
        self,
        here: ThreeWay[tuple[Node, ...]],
        keys: ThreeWay[list[Hashable]],
        path: str,
        listing: Listing,
        sort: Callable[[Node], str] | None,
    ) -> list[Entry] | None:
        """All of both sides' insertions and deletions of a run, if they cannot contradict."""
        if "union" in self.disabled:
            return None
        base, ours, theirs = here
        old = set(keys.base)
        added_ours = [node for node in ours if node.key not in old]
        added_theirs = [node for node in theirs if node.key not in old]
        free_old = {node.key: node for node in base}
        gone_ours = old - set(keys.ours)
        gone_theirs = old - set(keys.theirs)
        if any(len(set(k)) != len(k) for k in keys):
            return None
        if listing != "set" and not self.united(path, (*base, *ours, *theirs)):
            return None
        # An edited element shows as one gone and one added; if the other side touched the same
        # element, keeping both additions would keep two versions of one thing.
        if not self.edits_known and (gone_ours & gone_theirs) and (added_ours or added_theirs):
            return None
        if self.edits_known:
            if (gone_ours & gone_theirs) and added_ours and added_theirs:
                # Both may have rewritten it beyond recognition.
                return None
            gone_ours, gone_theirs = set(), set()
        if (gone_ours and added_ours and self._touched(theirs, free_old, gone_ours)) or (
            gone_theirs and added_theirs and self._touched(ours, free_old, gone_theirs)
        ):
            return None
        kept_ours = {node.key: node for node in ours}
        kept_theirs = {node.key: node for node in theirs}
        out: list[Entry] = []
        for key in _order(here):
            nodes = ThreeWay(
                base=free_old.get(key), ours=kept_ours.get(key), theirs=kept_theirs.get(key)
            )
            entry = self._entry(nodes, path)
            if entry is not None:
                out.append(entry)
        if sort is not None:
            out = _sorted_entries(out, sort)
        self._decide(
            path, "union", Side.BOTH, "both sides added different elements to a list; all are kept"
        )
        return out

    @staticmethod
    def _touched(
        other: Sequence[Node], old: dict[Hashable, Node], keys: Iterable[Hashable]
    ) -> bool:
        there = {node.key: node for node in other}
        return any(key in there and there[key].layout_free != old[key].layout_free for key in keys)

    # -- answers -------------------------------------------------------------------------------

    def answer(self, texts: ThreeWay[str | None], path: str, kind: str) -> Answer | None:
        """Ask the deciders, in order."""
        question = Question(
            path=self.path,
            symbol=path,
            kind=kind,
            versions=texts.map(lambda text: None if text is None else text.encode("utf-8")),
        )
        for decider in self.deciders:
            answer = decider.decide(question)
            if answer is None or (answer.side is None and answer.text is None):
                continue
            text = answer.text if answer.side is None else question.versions.get(answer.side)
            place = Place(versions=question.versions, text=text)
            self.decisions.append(answer.decision(path, answer.side or Side.NEITHER, place))
            return answer
        return None

    def _ask(
        self, versions: ThreeWay[Node | None], path: str, kind: str, reason: str
    ) -> list[Fragment]:
        """A node that both sides have and nothing could settle: a decider's answer, or open."""
        texts = versions.map(lambda node: None if node is None else node.body)
        answer = self.answer(texts, path, kind)
        if answer is not None:
            if answer.side is not None:
                return [texts.get(answer.side) or ""]
            return [known(answer.text).decode("utf-8").replace("\r\n", "\n")]
        self._deferred(path, reason)
        if self.by_lines and versions.base is not None and "combine-lines" not in self.disabled:
            lines = texts.map(lambda text: (text or "").splitlines(keepends=True))
            return _contested_lines(lines, path, kind, reason)
        return [
            Open(symbol=path, kind=kind, versions=texts.map(lambda text: text or ""), reason=reason)
        ]

    def _deferred(self, path: str, reason: str) -> None:
        self.decisions.append(
            Decision(
                symbol=path,
                outcome=Outcome.DEFERRED,
                strategy="defer",
                side=Side.BOTH,
                reason=reason,
            )
        )


@dataclass(kw_only=True)
class Entry:
    """A child of the result, or a contested run of children.

    Attributes:
        node: A node to read the layout from.
        pieces: Lead and body, merged.
        after: What follows its comma on the line.
        side: Where it comes from.
        nodes: For a contested run, each side's nodes; else ``None``. A run whose three sides are
            the same nodes is settled.
    """

    node: Node
    pieces: list[Fragment]
    after: str
    side: Side
    nodes: ThreeWay[tuple[Node, ...]] | None = None
    symbol: str = ""
    kind: str = ""
    reason: str = ""

    def fragments(self) -> list[Fragment]:
        """The text in a container without separators."""
        if self.nodes is None:
            return [*self.pieces, self.after]
        return [
            Open(
                symbol=self.symbol,
                kind=self.kind,
                versions=self.nodes.map(lambda nodes: "".join(node.text for node in nodes)),
                reason=self.reason,
            )
        ]


def _contested_lines(
    lines: ThreeWay[list[str]], path: str, kind: str, reason: str
) -> list[Fragment]:
    out: list[Fragment] = []
    for what, base, ours, theirs in merge_sequences(
        ThreeWay(base=lines.base, ours=lines.ours, theirs=lines.theirs)
    ):
        run = ThreeWay(
            base="".join(lines.base[base.start : base.stop]),
            ours="".join(lines.ours[ours.start : ours.stop]),
            theirs="".join(lines.theirs[theirs.start : theirs.stop]),
        )
        if what == "conflict":
            out.append(Open(symbol=path, kind=kind, versions=run, reason=reason))
        else:
            out.append(run.ours if what == "ours" else run.theirs)
    if not any(isinstance(part, Open) for part in out):
        # It is asked about for what lines do not tell.
        whole = lines.map("".join)
        return [Open(symbol=path, kind=kind, versions=whole, reason=reason)]
    return out


def _taken(node: Node, side: Side) -> Entry:
    return Entry(node=node, pieces=[node.lead + node.body], after=node.after, side=side)


def _both(versions: ThreeWay[Node | None]) -> tuple[Node, Node]:
    return known(versions.ours), known(versions.theirs)


def known(value: T | None) -> T:
    """A value that is there by construction; a fault here falls back to lines, never to harm."""
    if value is None:
        raise UnmergeableError("internal: a version is missing")
    return value


def _kind(base: Node | None) -> str:
    return "both-added" if base is None else "both-changed"


def _reason(base: Node | None) -> str:
    if base is None:
        return "both sides added it with different values"
    return "both sides changed it to different values"


def _joined_or_none(nodes: tuple[Node, ...]) -> str | None:
    return "".join(node.text for node in nodes) if nodes else None


def _by_key(nodes: Sequence[Node]) -> dict[Hashable, Node]:
    index: dict[Hashable, Node] = {}
    for node in nodes:
        if node.key in index:
            raise UnmergeableError(f"{node.name or node.key!r} stands twice in one version")
        index[node.key] = node
    return index


def _refuse_renames(indexed: ThreeWay[dict[Hashable, Node]]) -> None:
    """Refuse a key that both sides gave another name: keeping both names would double its value."""
    base, ours, theirs = indexed
    gone = [node for key, node in base.items() if key not in ours and key not in theirs]
    if not gone:
        return
    fresh_ours = [node for key, node in ours.items() if key not in base and key not in theirs]
    fresh_theirs = [node for key, node in theirs.items() if key not in base and key not in ours]
    for node in gone:
        said = _said(node)
        if (
            said is not None
            and any(_said(new) == said for new in fresh_ours)
            and any(_said(new) == said for new in fresh_theirs)
        ):
            raise UnmergeableError(f"both sides renamed {node.name or node.key!r}")


def _said(node: Node) -> Hashable:
    """What a named child says under its name; ``None`` where that is nothing to know it by."""
    if node.children is not None:
        return tuple(child.meaning for child in node.children) or None
    return node.value if len(str(node.value)) > 8 else None


def _order(lists: ThreeWay[tuple[Node, ...]]) -> list[Hashable]:
    """The keys of both sides in the order of the result.

    The order of the common keys is the side's that changed it (ours when both did). An insertion
    stands behind its own predecessor; at one place ours come first, then theirs. If all three
    versions were sorted, insertions go where sorting puts them.
    """
    keys = lists.map(lambda nodes: [node.key for node in nodes])
    in_ours, in_theirs, in_base = set(keys.ours), set(keys.theirs), set(keys.base)
    common = in_ours & in_theirs & in_base
    shared = keys.map(lambda some: tuple(key for key in some if key in common))
    backbone, other = keys.ours, keys.theirs
    if shared.ours == shared.base and shared.theirs != shared.base:
        backbone, other = keys.theirs, keys.ours
    result = list(backbone)
    placed = set(result)
    other_first = other is keys.ours
    sorter = _sorting(lists)
    nodes = {node.key: node for node in (*lists.base, *lists.theirs, *lists.ours)}
    additions = [key for key in other if key not in placed]
    if sorter is not None:
        for key in additions:
            at = next(
                (i for i, k in enumerate(result) if sorter(nodes[k]) > sorter(nodes[key])),
                len(result),
            )
            result.insert(at, key)
        return result
    position = {key: index for index, key in enumerate(other)}
    falling = _falling(lists)
    for key in additions:
        rank = nodes[key].rank
        if falling and rank is not None:
            lower = (
                i
                for i, k in enumerate(result)
                if nodes[k].rank is not None and nodes[k].rank < rank
            )
            ranked = [i for i, k in enumerate(result) if nodes[k].rank is not None]
            result.insert(next(lower, ranked[-1] + 1 if ranked else len(result)), key)
            placed.add(key)
            continue
        anchor: Hashable | None = None
        found = False
        for index in range(position[key] - 1, -1, -1):
            if other[index] in placed:
                anchor, found = other[index], True
                break
        at = result.index(anchor) + 1 if found else 0
        if not other_first and not (found and anchor not in in_ours):
            # Behind ours' own insertions at the same anchor.
            while at < len(result) and result[at] not in in_theirs and result[at] not in in_base:
                at += 1
        result.insert(at, key)
        placed.add(key)
    return result


def _falling(lists: ThreeWay[tuple[Node, ...]]) -> bool:
    """Whether the ranked children of both sides fall, with at least one of them on each side."""
    for nodes in (lists.ours, lists.theirs):
        ranks = [node.rank for node in nodes if node.rank is not None]
        if not ranks or any(a <= b for a, b in pairwise(ranks)):
            return False
    return True


def _sorting(lists: ThreeWay[tuple[Node, ...]]) -> Callable[[Node], str] | None:
    """The sort key that all three versions of a list follow, if they do and it is no accident."""
    for fold in (str.casefold, str):
        hints = lists.map(lambda nodes: [node.sorted_hint for node in nodes])
        if any(hint is None for some in hints for hint in some):
            return None
        folded = hints.map(lambda some: [fold(hint or "") for hint in some])  # noqa: B023
        if min(len(folded.ours), len(folded.theirs)) < 3:
            return None
        if all(some == sorted(some) for some in folded):
            return lambda node: fold(node.sorted_hint or "")
    return None


def _sorted_entries(entries: list[Entry], sort: Callable[[Node], str]) -> list[Entry]:
    if any(entry.nodes is not None for entry in entries):
        return entries
    return sorted(entries, key=lambda entry: sort(entry.node))


def _indent(fragments: list[Fragment], layout: tuple[Any, ...], *, first: bool) -> None:
    """Where the first child stands behind a dash, indent whoever ceased to be first."""
    column, inline = layout
    if not inline or not fragments:
        return
    start = fragments[0]
    if isinstance(start, Open):
        if first:
            raise UnmergeableError("the first key behind a dash is contested")
        for text in start.versions:
            if text and not text.startswith(" "):
                raise UnmergeableError("the first key behind a dash is contested")
        return
    blank = " " * column
    if first:
        if start.startswith(blank):
            fragments[0] = start[column:]
        elif start.lstrip(" ").startswith(("#", "\n")):
            raise UnmergeableError("a comment where a key stands behind a dash")
    elif not start.startswith((" ", "#", "\n")):
        fragments[0] = blank + start


def _separated(entry: Entry, text: str, lists: ThreeWay[tuple[Node, ...]], *, first: bool) -> str:
    """Keep blank lines between entries when a change of the others moves one to or from the top.

    What stands first often has other blank lines before it than what follows (none at the top of a
    file, one below a heading), and they belong to the place, not to the entry.
    """
    lead = entry.node.lead
    if lead.strip() or not text.startswith(lead):
        return text
    if entry.side not in {Side.OURS, Side.THEIRS}:
        return text
    was_first = [_first(nodes) is entry.node for nodes in lists]
    if any(entry.node in nodes for nodes in lists) and any(was_first) == first:
        return text
    wanted = _lead_of(lists, first=first)
    if wanted is None:
        wanted = "" if first or entry.node.kind in _TIGHT else lead
    return wanted + text[len(lead) :]


#: Kinds that may follow each other without a blank line.
_TIGHT = frozenset({"bullet", "row", "line", "option", "pair", "requirement", "owner"})


def _first(nodes: tuple[Node, ...]) -> Node | None:
    return next((node for node in nodes if node.text), None)


def _lead_of(lists: ThreeWay[tuple[Node, ...]], *, first: bool) -> str | None:
    """The blank lines before the first child, or before the others, of ours, theirs or base."""
    for nodes in (lists.ours, lists.theirs, lists.base):
        top = _first(nodes)
        if top is None:
            continue
        leads = [node.lead for node in nodes if node.text and (node is top) == first]
        blank = [lead for lead in leads if not lead.strip()]
        if blank:
            return Counter(blank).most_common(1)[0][0]
    return None


# -- separators ------------------------------------------------------------------------------


def _delimit(
    entries: list[Entry],
    versions: ThreeWay[Node | None],
    lists: ThreeWay[tuple[Node, ...]],
) -> list[Fragment]:
    """Join the children of a bracketed container with commas.

    Whether a comma follows a child depends on what follows it in the result, so it is decided here
    for each side's choice; where the choices differ the comma is part of the contested place.
    """
    trailing = _trailing(versions, lists)
    sides = (Side.BASE, Side.OURS, Side.THEIRS)
    # Does any child follow, by side?
    later = dict.fromkeys(sides, False)
    follows: list[dict[Side, bool]] = []
    for entry in reversed(entries):
        follows.insert(0, dict(later))
        for side in sides:
            if entry.nodes is None or entry.nodes.get(side):
                later[side] = True
    layout = _layout(versions)
    out: list[Fragment] = []
    for index, entry in enumerate(entries):
        commas = {side: follows[index][side] or trailing for side in sides}
        if entry.nodes is None:
            pieces = list(entry.pieces)
            if pieces and isinstance(pieces[0], str):
                pieces[0] = _fit_lead(entry, pieces[0], layout, lists, first=index == 0)
            out.extend(pieces)
            out.extend(_comma(commas))
            out.append(entry.after)
            continue
        texts: dict[Side, str] = {}
        for side in sides:
            nodes = entry.nodes.get(side)
            text = ""
            for at, node in enumerate(nodes):
                last = at == len(nodes) - 1
                comma = commas[side] if last else True
                text += node.lead + node.body + ("," if comma else "") + node.after
            texts[side] = text
        out.append(
            Open(
                symbol=entry.symbol,
                kind=entry.kind,
                versions=ThreeWay(
                    base=texts[Side.BASE], ours=texts[Side.OURS], theirs=texts[Side.THEIRS]
                ),
                reason=entry.reason,
            )
        )
    return out


def _comma(commas: dict[Side, bool]) -> list[Fragment]:
    texts = {side: "," if comma else "" for side, comma in commas.items()}
    if len(set(texts.values())) == 1:
        return [texts[Side.OURS]]
    return [
        Open(
            symbol="",
            kind="",
            versions=ThreeWay(
                base=texts[Side.BASE], ours=texts[Side.OURS], theirs=texts[Side.THEIRS]
            ),
            reason="",
        )
    ]


def _trailing(versions: ThreeWay[Node | None], lists: ThreeWay[tuple[Node, ...]]) -> bool:
    flags = lists.map(lambda nodes: nodes[-1].comma if nodes else None)
    if versions.base is None:
        return bool(flags.ours if flags.ours is not None else flags.theirs)
    base = flags.base if flags.base is not None else (flags.ours or flags.theirs)
    ours = base if flags.ours is None else flags.ours
    theirs = base if flags.theirs is None else flags.theirs
    settled = ThreeWay(base=base, ours=ours, theirs=theirs)
    return bool(settled.get(settle(settled) or Side.OURS))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """How children of the result are laid out: before the first, and before the others."""

    multiline: bool
    first: str
    other: str


def _layout(versions: ThreeWay[Node | None]) -> _Layout:
    """The layout of the side that changed it, else of ours; of theirs where ours has no children."""

    def read(node: Node | None) -> _Layout | None:
        if node is None or not node.children:
            return None
        leads = [child.lead for child in node.children]
        other = next((lead for lead in leads[1:] if not lead.strip()), None)
        multiline = all("\n" in lead for lead in leads)
        if other is None:
            other = leads[0] if multiline and not leads[0].strip() else " "
        blank = "" if leads[0].strip() else leads[0]
        return _Layout(
            multiline=multiline, first=blank or (other if multiline else ""), other=other
        )

    layouts = versions.map(read)
    if layouts.ours is None or layouts.theirs is None:
        chosen = layouts.ours or layouts.theirs
    else:
        side = settle(layouts.map(lambda some: None if some is None else some.multiline))
        chosen = layouts.get(side or Side.OURS) or layouts.ours
    return chosen or _Layout(multiline=False, first="", other=" ")


def _fit_lead(
    entry: Entry,
    text: str,
    layout: _Layout,
    lists: ThreeWay[tuple[Node, ...]],
    *,
    first: bool,
) -> str:
    """Give an element of the other layout, or one that became first or ceased to be, a fit lead."""
    lead = entry.node.lead
    if lead.strip() or not text.startswith(lead) or entry.side not in _SINGLE:
        return text
    siblings = lists.get(entry.side)
    was_first = bool(siblings) and siblings[0] is entry.node
    multiline = all("\n" in node.lead for node in siblings)
    if was_first == first and multiline == layout.multiline:
        return text
    if was_first == first and ("\n" in lead) == layout.multiline:
        return text
    return (layout.first if first else layout.other) + text[len(lead) :]
