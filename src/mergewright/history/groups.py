"""Decision groups: contested and clean places that hang on the same work, and features half taken."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from mergewright.history.locate import headers
from mergewright.history.merge_history import MergeHistory
from mergewright.history.pieces import is_significant, pieces
from mergewright.history.verdicts import is_sync
from mergewright.model.history import CommitFacts, HistorySource
from mergewright.model.merge import Answer, Question
from mergewright.model.resolution import Decision, Evidence, EvidenceKind, Outcome
from mergewright.model.threeway import Side

PlaceState = Literal["open", "settled", "clean"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place of a group.

    Attributes:
        path: The file.
        symbol: Dotted name; empty at file level and for a file that merged cleanly.
        state: ``open``, ``settled`` by an answer, or ``clean``: merged without a question.
    """

    path: str
    symbol: str
    state: PlaceState


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionGroup:
    """What one work brought, across files: one decision.

    Attributes:
        id: Short id of a commit of the work; names the group in commands and rules.
        title: That commit's title.
        ours: Full ids of the work's commits on our side.
        theirs: Full ids of those on their side.
        places: Its places; contested ones first.
    """

    id: str
    title: str
    ours: tuple[str, ...]
    theirs: tuple[str, ...]
    places: tuple[Place, ...]

    @property
    def open(self) -> int:
        """How many places are open."""
        return sum(place.state == "open" for place in self.places)


def decision_groups(
    history: MergeHistory, decisions: Mapping[str, Iterable[Decision]]
) -> tuple[DecisionGroup, ...]:
    """The groups of a merge, those with most open places first.

    Args:
        history: The history, after the merge was planned: what was asked are the contested places.
        decisions: What was decided, by path.
    """
    open_places = {
        (path, decision.symbol)
        for path, found in decisions.items()
        for decision in found
        if decision.outcome is Outcome.DEFERRED
    }
    undecided = {path for path, symbol in open_places if not symbol}
    asked: dict[str, dict[tuple[str, str], None]] = {}
    works: dict[str, dict[str, None]] = {}
    for question, verdict in history.asked():
        if verdict.group is None:
            continue
        asked.setdefault(verdict.group, {})[question.path, question.symbol] = None
        names = works.setdefault(verdict.group, {})
        for twin in verdict.twins:
            names.update(dict.fromkeys((*twin.ours, *twin.theirs)))
    ours = {c.oid for c in history.facts.ours.commits}
    groups: list[DecisionGroup] = []
    for name, contested in asked.items():
        head = next(oid for oid in history.commits if oid.startswith(name))
        commits = [head, *(c for c in works[name] if c != head)]
        places = [
            Place(
                path=path,
                symbol=symbol,
                state="open" if (path, symbol) in open_places or path in undecided else "settled",
            )
            for path, symbol in sorted(contested)
        ]
        touched = {c.path for oid in commits for c in history.commits[oid].changes}
        places += [
            Place(path=path, symbol="", state="clean")
            for path in sorted(touched - set(history.paths))
        ]
        groups.append(
            DecisionGroup(
                id=name,
                title=history.commits[head].title,
                ours=tuple(c for c in commits if c in ours),
                theirs=tuple(c for c in commits if c not in ours),
                places=tuple(places),
            )
        )
    return tuple(sorted(groups, key=lambda g: (-g.open, -len(g.places), g.id)))


@dataclass(frozen=True, slots=True)
class GroupDecider:
    """Takes one side at every contested place of a group; every other question is passed on.

    Attributes:
        history: Knows the groups.
        group: Id of the group, or its start.
        side: The side to take.
    """

    history: HistorySource
    group: str
    side: Side

    def decide(self, question: Question) -> Answer | None:
        """The side, if the place belongs to the group."""
        found = self.history.verdict(question).group
        if found is None or not found.startswith(self.group):
            return None
        reason = f"Group {found} was decided as a whole: {self.side.value}."
        return Answer(
            strategy=f"take-{self.side.value}",
            reason=reason,
            side=self.side,
            evidence=(Evidence(kind=EvidenceKind.RULE, text=reason),),
            group=found,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A definition that a commit brought.

    Attributes:
        path: The file.
        symbol: Dotted name.
        text: Its text at the side's tip.
    """

    path: str
    symbol: str
    text: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HalfTaken:
    """A work of which a part is in the result and a part is not.

    Attributes:
        commit: Full id.
        title: Its title.
        side: The side that has it.
        missing: Definitions that are not in the result.
        present: Paths in which something of it is.
    """

    commit: str
    title: str
    side: Side
    missing: tuple[Part, ...]
    present: tuple[str, ...]


def half_taken(
    history: MergeHistory, result: Callable[[str], bytes | None]
) -> tuple[HalfTaken, ...]:
    """Works that came into a result only in part.

    A definition counts as missing if its side still has it and no file that the work touched defines it in
    the result. One that the other side had and removed by a commit of its own is no loss.

    Args:
        history: The history of the merge.
        result: Gives the text of a path after the merge; ``None`` where it has none.
    """
    found: list[HalfTaken] = []
    for side in (Side.OURS, Side.THEIRS):
        for commit in history.facts.side(side).commits:
            if len(commit.parents) != 1 or not commit.changes or is_sync(commit):
                continue
            work = _half(history, commit, side, result)
            if work is not None:
                found.append(work)
    return tuple(found)


def _half(
    history: MergeHistory,
    commit: CommitFacts,
    side: Side,
    result: Callable[[str], bytes | None],
) -> HalfTaken | None:
    facts = history.facts
    tip = facts.side(side).tip
    added: list[tuple[str, str]] = []
    pieces_of: dict[str, set[bytes]] = {}
    for change in commit.changes:
        if change.new_oid is None or not change.path.endswith((".py", ".pyi")):
            continue
        after = facts.read(change.new_oid)
        before = b"" if change.old_oid is None else facts.read(change.old_oid)
        known = headers(after)
        # What stands inside a function is no part of its own: a rewritten function has other helpers.
        names = {
            name
            for name in known.offsets.keys() - headers(before).offsets.keys()
            if "." not in name or name.rpartition(".")[0] in known.classes
        }
        added += [(change.path, name) for name in sorted(names)]
        pieces_of[change.path] = {
            p for p in set(pieces(after)) - set(pieces(before)) if is_significant(p)
        }
    if not added:
        return None
    texts = {path: result(path) for path in pieces_of}
    defined = {
        name.rpartition(".")[2]
        for text in texts.values()
        if text is not None
        for name in headers(text).offsets
    }
    missing: list[Part] = []
    for path, name in added:
        text = texts[path]
        if text is not None and name in headers(text).offsets:
            continue
        if text is None or name.rpartition(".")[2] in defined:
            continue
        blob = facts.blob_at(tip, path)
        mine = None if blob is None else history.locate(blob, name)
        if mine is None or _removed_by_other(history, path, name, side):
            continue
        missing.append(Part(path=path, symbol=name, text=mine))
    # A method is missing with its class, once.
    lost = {(part.path, part.symbol) for part in missing}
    missing = [p for p in missing if (p.path, p.symbol.rpartition(".")[0]) not in lost]
    present = tuple(
        path
        for path, own in sorted(pieces_of.items())
        if (text := texts[path]) is not None and own & set(pieces(text))
    )
    if not missing or not present:
        return None
    return HalfTaken(
        commit=commit.oid,
        title=commit.title,
        side=side,
        missing=tuple(missing),
        present=present,
    )


def _removed_by_other(history: MergeHistory, path: str, name: str, side: Side) -> bool:
    other = history.facts.side(side.other)
    blob = history.facts.blob_at(other.tip, path)
    if blob is not None and history.locate(blob, name) is not None:
        return False
    lineages = history.lineages(path, name)
    theirs = lineages[1] if side is Side.OURS else lineages[0]
    return any(step.key is not None for step in theirs.steps)
