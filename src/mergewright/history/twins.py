"""Twins: commits of the two sides that bring the same work, singly or in chains.

Every class of evidence is looked for by an index, so that the search stays near-linear in the number of
commits. A name (a title, a number) alone never makes twins: the contents must share something too.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from mergewright.history.patches import (
    MIN_TELLING,
    Profile,
    containment,
    likeness,
    net,
    profile,
    shared_additions,
    word_likeness,
)
from mergewright.history.titles import Message, read_message
from mergewright.model.history import CommitFacts, EvidenceClass, Twin
from mergewright.model.threeway import Side

#: A title names twins only if the changes are at least this alike (Dice, or one inside the other).
TITLE_LIKENESS = 0.3
#: Small changes of one author under one title may differ in every line, but then in few words.
TITLE_WORDS = 0.7
#: Likeness alone, without any name: the changes are nearly one.
SIMILARITY_LIKENESS = 0.8
#: A commit belongs to a chain if this share of its change stands in the squash.
CHAIN_SHARE = 0.6
#: A name by number or trailer needs only a trace of common content.
NAMED_LIKENESS = 0.05
# Lines that stand in more commits of a side than this say nothing of kinship.
_MAX_POSTING = 12
# "Bump version" is called so by everybody; such titles say nothing.
_MIN_TITLE_WORDS = 3
_MAX_CHAIN = 12
_MIN_INDEX_LINE = 8

_NAMING = (EvidenceClass.TRAILER, EvidenceClass.PULL_REQUEST)

Profiles = Callable[[str], Profile]


@dataclass(slots=True)
class _Candidate:
    by_number: bool = False
    by_trailer: bool = False
    by_title: bool = False
    by_author: bool = False
    by_content: bool = False
    by_blob: str | None = None
    named_by: set[Side] = field(default_factory=set)


def _same_author(first: CommitFacts, second: CommitFacts) -> bool:
    return first.author == second.author or (bool(first.email) and first.email == second.email)


class _Index:
    """The commits of one side by number, id, title and telling lines."""

    def __init__(self, commits: Sequence[CommitFacts], profiles: Profiles) -> None:
        self.commits = {c.oid: c for c in commits}
        self.order = {c.oid: position for position, c in enumerate(commits)}
        self.messages: dict[str, Message] = {c.oid: read_message(c) for c in commits}
        self.by_number: dict[int, list[str]] = defaultdict(list)
        self.by_title: dict[str, list[str]] = defaultdict(list)
        self.by_line: dict[bytes, list[str]] = defaultdict(list)
        self.ids = sorted(self.commits)
        for commit in commits:
            message = self.messages[commit.oid]
            if message.own is not None:
                self.by_number[message.own].append(commit.oid)
            if len(message.key.split()) >= _MIN_TITLE_WORDS and message.reverts is None:
                self.by_title[message.key].append(commit.oid)
            for line in profiles(commit.oid).added:
                if len(line) >= _MIN_INDEX_LINE:
                    self.by_line[line].append(commit.oid)

    def starting_with(self, prefix: str) -> list[str]:
        """Commits by (possibly short) id."""
        if len(prefix) == 40:
            return [prefix] if prefix in self.commits else []
        return [oid for oid in self.ids if oid.startswith(prefix)]


def named_works(
    ours: Sequence[CommitFacts], theirs: Sequence[CommitFacts]
) -> tuple[tuple[str, str], ...]:
    """Pairs of commits of the two sides of which one message names the other's work.

    By pull-request number or trailer; told from the messages alone, whatever the commits touched.
    """
    nothing = profile(())
    mine = _Index(_plain(ours), lambda _: nothing)
    theirs_index = _Index(_plain(theirs), lambda _: nothing)
    found: dict[tuple[str, str], None] = {}
    for first, second, flipped in ((mine, theirs_index, False), (theirs_index, mine, True)):
        for oid, message in first.messages.items():
            if message.reverts is not None:
                continue
            others = _named(message, second)
            for prefix in message.picked:
                others.update(second.starting_with(prefix))
            for other in sorted(others):
                found[(other, oid) if flipped else (oid, other)] = None
    return tuple(found)


def _plain(commits: Iterable[CommitFacts]) -> list[CommitFacts]:
    return [c for c in commits if len(c.parents) == 1]


def find_twins(
    ours: Sequence[CommitFacts], theirs: Sequence[CommitFacts], profiles: Profiles
) -> tuple[Twin, ...]:
    """All twins between two sides; merge commits have none.

    Args:
        ours: Commits of our side, parents before children.
        theirs: Commits of their side, parents before children.
        profiles: The change of a commit by its id, over the paths of interest.
    """
    mine = _Index(_plain(ours), profiles)
    others = _Index(_plain(theirs), profiles)
    pairs: dict[tuple[str, str], _Candidate] = defaultdict(_Candidate)
    for first, second, flipped in ((mine, others, False), (others, mine, True)):
        for oid, commit in first.commits.items():
            message = first.messages[oid]
            if message.reverts is not None:
                continue
            namer = Side.THEIRS if flipped else Side.OURS
            for other in _named(message, second):
                pair = pairs[(other, oid) if flipped else (oid, other)]
                pair.by_number = True
                if second.messages[other].own != message.own:
                    pair.named_by.add(namer)
            for prefix in message.picked:
                for other in second.starting_with(prefix):
                    pair = pairs[(other, oid) if flipped else (oid, other)]
                    pair.by_trailer = True
                    pair.named_by.add(namer)
            if not flipped:
                for other in second.by_title.get(message.key, ()):
                    pair = pairs[oid, other]
                    pair.by_title = True
                    pair.by_author = _same_author(commit, second.commits[other])
    made: dict[tuple[str, str], list[str]] = defaultdict(list)
    for oid, commit in mine.commits.items():
        for change in commit.changes:
            if change.new_oid is not None:
                made[change.path, change.new_oid].append(oid)
    for oid, commit in others.commits.items():
        for change in commit.changes:
            if change.new_oid is not None:
                for first_oid in made.get((change.path, change.new_oid), ()):
                    pairs[first_oid, oid].by_blob = change.path
    for alike in _content_pairs(mine, others, profiles):
        pairs[alike].by_content = True
    return _settle(mine, others, pairs, profiles)


def _named(message: Message, second: _Index) -> set[str]:
    found: set[str] = set()
    for number in (*message.titled, *message.named):
        found.update(second.by_number.get(number, ()))
    # The same own number on both sides: one pull request landed twice.
    if message.own is not None:
        found.update(second.by_number.get(message.own, ()))
    return {oid for oid in found if second.messages[oid].reverts is None}


def _content_pairs(mine: _Index, others: _Index, profiles: Profiles) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for oid in others.commits:
        change = profiles(oid)
        # A member of a chain may be small; whether it is twin of anything is settled on the whole.
        if change.size < MIN_TELLING // 2:
            continue
        shared: Counter[str] = Counter()
        for line in change.added:
            posting = mine.by_line.get(line, ())
            if len(posting) <= _MAX_POSTING:
                shared.update(posting)
        for other, count in shared.most_common(_MAX_CHAIN):
            if count >= MIN_TELLING // 2:
                found.append((other, oid))
    return found


def _settle(
    mine: _Index,
    others: _Index,
    pairs: dict[tuple[str, str], _Candidate],
    profiles: Profiles,
) -> tuple[Twin, ...]:
    twins: dict[tuple[tuple[str, ...], tuple[str, ...]], Twin] = {}
    by_theirs: dict[str, list[str]] = defaultdict(list)
    by_ours: dict[str, list[str]] = defaultdict(list)
    for (first, second), candidate in pairs.items():
        by_theirs[second].append(first)
        by_ours[first].append(second)
        twin = _single(mine, first, second, candidate, profiles)
        if twin is not None:
            twins[twin.ours, twin.theirs] = twin
    for squash, parts in by_theirs.items():
        chain = _chain(parts, squash, mine, profiles)
        if chain is not None:
            members, evidence, detail, partial = chain
            twins.setdefault(
                (members, (squash,)),
                Twin(
                    ours=members,
                    theirs=(squash,),
                    evidence=evidence,
                    detail=detail,
                    partial=partial,
                ),
            )
    for squash, parts in by_ours.items():
        chain = _chain(parts, squash, others, profiles)
        if chain is not None:
            members, evidence, detail, partial = chain
            twins.setdefault(
                ((squash,), members),
                Twin(
                    ours=(squash,),
                    theirs=members,
                    evidence=evidence,
                    detail=detail,
                    partial=partial,
                ),
            )
    order = sorted(
        twins.values(),
        key=lambda t: (t.evidence.rank, others.order[t.theirs[0]], mine.order[t.ours[0]]),
    )
    return tuple(order)


def _single(
    mine: _Index,
    first: str,
    second: str,
    candidate: _Candidate,
    profiles: Profiles,
) -> Twin | None:
    ours, theirs = profiles(first), profiles(second)
    alike = likeness(ours, theirs)
    inside = max(containment(ours, theirs), containment(theirs, ours))
    equal = not ours.empty and ours.patch_id == theirs.patch_id
    found: list[tuple[EvidenceClass, str]] = []
    # A change outside the paths of interest cannot be compared; then only a trailer is believed.
    comparable = not ours.empty and not theirs.empty
    title_first = mine.commits[first].title
    if candidate.by_trailer and (inside >= NAMED_LIKENESS or not comparable):
        found.append((EvidenceClass.TRAILER, "a cherry-pick trailer names the other commit"))
    if candidate.by_number and inside >= NAMED_LIKENESS:
        found.append(
            (EvidenceClass.PULL_REQUEST, "the message gives the other's pull-request number")
        )
    if equal and (ours.size >= MIN_TELLING or candidate.by_title or candidate.by_author):
        found.append((EvidenceClass.PATCH_ID, f"equal change of {ours.size} lines"))
    if (
        candidate.by_blob is not None
        and inside >= TITLE_LIKENESS
        # Small files (a version, a list of names) become equal by chance.
        and shared_additions(ours, theirs) >= MIN_TELLING
    ):
        found.append((EvidenceClass.BLOB, f"{candidate.by_blob} is equal after both"))
    if candidate.by_title and (
        alike >= TITLE_LIKENESS
        or (candidate.by_author and word_likeness(ours, theirs) >= TITLE_WORDS)
        or (inside >= SIMILARITY_LIKENESS and min(ours.size, theirs.size) >= MIN_TELLING)
    ):
        by = " by the same author" if candidate.by_author else ""
        found.append(
            (EvidenceClass.TITLE, f"equal title{by} ({title_first!r}), likeness {alike:.2f}")
        )
    if alike >= SIMILARITY_LIKENESS and min(ours.size, theirs.size) >= MIN_TELLING:
        found.append((EvidenceClass.SIMILARITY, f"likeness of the changed lines {alike:.2f}"))
    if not found:
        return None
    found.sort(key=lambda item: item[0].rank)
    return Twin(
        ours=(first,),
        theirs=(second,),
        evidence=found[0][0],
        detail=found[0][1],
        others=tuple(kind for kind, _ in found[1:]),
        derived=(
            next(iter(candidate.named_by))
            if len(candidate.named_by) == 1 and found[0][0] in _NAMING
            else None
        ),
        partial=not equal,
    )


def _chain(
    parts: Sequence[str], squash: str, index: _Index, profiles: Profiles
) -> tuple[tuple[str, ...], EvidenceClass, str, bool] | None:
    """Several commits whose net change is one commit of the other side, or a part of it."""
    whole = profiles(squash)
    if whole.size < MIN_TELLING:
        return None
    members = [p for p in parts if containment(profiles(p), whole) >= CHAIN_SHARE]
    if len(members) < 2:
        return None
    members.sort(key=index.order.__getitem__)
    members = members[:_MAX_CHAIN]
    for start in range(len(members)):
        for end in range(len(members), start + 1, -1):
            if net(map(profiles, members[start:end])).patch_id == whole.patch_id:
                return (
                    tuple(members[start:end]),
                    EvidenceClass.PATCH_ID,
                    f"the net change of {end - start} commits equals the squash",
                    False,
                )
    total = net(map(profiles, members))
    alike = likeness(total, whole)
    if alike >= SIMILARITY_LIKENESS:
        return (
            tuple(members),
            EvidenceClass.SIMILARITY,
            f"likeness of the net change of {len(members)} commits {alike:.2f}",
            True,
        )
    return None
