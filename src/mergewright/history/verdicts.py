"""Verdicts: what lineages and twins together say of one contested thing.

Strongest first: the exact state of one side in the other's past; twins that explain all of a side's
change; a newer common state; pieces. A class that could decide the other way too decides nothing.

The thresholds come from eleven landed main-to-dev syncs of one public repository (functions that both
sides changed; counted where the accepted result is one side's text). The accepted side was chosen by a state
in the other's past in 44 of 44, by a pull-request number in 2 of 2, by a title in 14 of 14, by likeness in 22
of 23, for clean copies (theirs taken) in 7 of 8. Single pieces were followed by a combination in 7 of 7, so
rules that take sides should ask for ``at-least similarity``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mergewright.history.lineage import Step, SymbolLineage
from mergewright.history.pieces import (
    code_key,
    contains_run,
    is_significant,
    lessened,
    pieces,
    squeeze,
    telling,
)
from mergewright.history.titles import normalise_title, read_message
from mergewright.model.history import CommitFacts, EvidenceClass, Standing, Twin, Verdict
from mergewright.model.threeway import Side, ThreeWay

#: Fewer telling pieces than this are too few to believe that they are one side's work.
MIN_PIECES = 2
#: A title of fewer words may stand in any message.
MIN_TITLE_WORDS = 3
#: Two versions of one work differ in at most so many pieces of each side to be a clean copy.
CLEAN_COPY = 2


def short(commit: str) -> str:
    """A commit id as reports give it."""
    return commit[:10]


def _listed(commits: Iterable[str], most: int = 4) -> str:
    found = list(commits)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(map(short, found[:most])) + more


class TwinIndex:
    """The twins of a merge by commit and side."""

    def __init__(self, twins: Sequence[Twin]) -> None:
        self.twins = tuple(twins)
        self._by_commit: dict[str, list[Twin]] = defaultdict(list)
        for twin in twins:
            for commit in (*twin.ours, *twin.theirs):
                self._by_commit[commit].append(twin)

    def of(self, commit: str) -> Sequence[Twin]:
        """All twins that a commit belongs to, strongest first."""
        return self._by_commit.get(commit, ())


@dataclass(frozen=True, slots=True, kw_only=True)
class Thing:
    """A contested thing with its lineages.

    Attributes:
        texts: Its three texts; ``None`` where a side does not have it.
        whole: The texts of the symbol that it is or stands in.
        ours: Lineage of that symbol along our side.
        theirs: The same along their side.
        commits: Facts of the commits of both sides, by id.
        own: The same for each side by itself.
    """

    texts: ThreeWay[bytes | None]
    whole: ThreeWay[bytes | None]
    ours: SymbolLineage
    theirs: SymbolLineage
    commits: Mapping[str, CommitFacts]
    own: Mapping[Side, Mapping[str, CommitFacts]]
    _found: dict[Side, tuple[str, ...]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def origins(self, side: Side) -> tuple[str, ...]:
        """Commits that brought what one side's text has and the base has not, or the reverse."""
        found = self._found.get(side)
        if found is None:
            origin = self.lineage(side).origin
            if not origin.added and not origin.removed:
                return ()
            after, before = (
                pieces(text or b"") for text in (self.texts.get(side), self.texts.base)
            )
            here, there = set(after), set(before)
            commits = [origin.added.get(piece) for piece in after if piece not in there]
            commits += [origin.removed.get(piece) for piece in before if piece not in here]
            found = tuple(dict.fromkeys(c for c in commits if c is not None))
            self._found[side] = found
        return found

    def lineage(self, side: Side) -> SymbolLineage:
        """The lineage along ours or theirs."""
        return self.ours if side is Side.OURS else self.theirs


def same_code(first: bytes | None, second: bytes | None) -> bool:
    """Whether two texts are the same code in two layouts."""
    if first is None or second is None:
        return first is second
    return first == second or (
        squeeze(first) == squeeze(second) and code_key(first) == code_key(second)
    )


def judge(thing: Thing, twins: TwinIndex) -> Verdict:
    """The verdict on one contested thing."""
    if same_code(thing.texts.ours, thing.texts.theirs):
        return Verdict(
            standing=Standing.SAME,
            reason="Both sides have the same code; comments or layout differ.",
            evidence=EvidenceClass.LINEAGE,
        )
    is_whole = same_code(thing.texts.ours, thing.whole.ours) and same_code(
        thing.texts.theirs, thing.whole.theirs
    )
    touching = _touching(thing, twins)
    verdict = (
        _by_state(thing)
        or (None if is_whole else _by_text(thing))
        or _by_twins(thing, twins)
        or _by_common_state(thing)
        or _deletion(thing)
        or _by_pieces(thing)
        or _rest(thing, twins, touching)
    )
    # A newer base is a base for the whole symbol only.
    return replace(
        verdict,
        twins=verdict.twins or touching,
        base=verdict.base if is_whole else None,
        proved=_is_proved(thing, verdict),
    )


def _is_proved(thing: Thing, verdict: Verdict) -> bool:
    side = verdict.ahead
    if side is None or verdict.evidence is None:
        return False
    if verdict.evidence is EvidenceClass.LINEAGE:
        return True
    return (
        verdict.evidence.at_least(EvidenceClass.PULL_REQUEST)
        and bool(verdict.twins)
        and all(twin.derived is side for twin in verdict.twins)
        and _holds_change(replace(thing, texts=thing.whole), side)
    )


def _touching(thing: Thing, twins: TwinIndex) -> tuple[Twin, ...]:
    mine, others = thing.origins(Side.OURS), thing.origins(Side.THEIRS)
    found = [twin for commit in (*mine, *others) for twin in twins.of(commit)]
    return tuple(dict.fromkeys(found))


def _after(lineage: SymbolLineage, step: Step) -> tuple[str, ...]:
    position = max(i for i, s in enumerate(lineage.steps) if s is step)
    return tuple(dict.fromkeys(s.commit for s in lineage.steps[position + 1 :]))


_SYNC = re.compile(
    r"\b(?:sync|merge|pull)(?:ed|s|ing)?\b.*\b(?:main|master|dev|develop|trunk|upstream|release)\b"
    r"|\b(?:main|master|dev|develop|trunk|upstream)\s*(?:in)?to\s*\w+",
    re.IGNORECASE,
)


def is_sync(commit: CommitFacts) -> bool:
    """Whether a title says that the commit brings another branch's work as a whole."""
    return _SYNC.search(commit.title) is not None


def reverts(commit: CommitFacts, made: CommitFacts) -> bool:
    """Whether a commit's message says that it reverts another one."""
    said, message = read_message(commit), read_message(made)
    return (said.reverts is not None and said.reverts == message.key) or any(
        made.oid.startswith(oid) for oid in said.reverted_ids
    )


def rolled_back(made: CommitFacts, later: Sequence[CommitFacts]) -> str | None:
    """The commit because of which an earlier state says nothing of its side's will.

    It was made by a revert, or by a sync that was reverted as a whole. (A commit that was reverted for its
    own sake is no such case: whoever reverted it knew the state and went on from it.)

    Args:
        made: The commit that made the state.
        later: The commits that changed it afterwards.
    """
    message = read_message(made)
    if message.reverts is not None:
        return made.oid
    if not is_sync(made):
        return None
    for commit in later:
        said = read_message(commit)
        if (said.reverts is not None and said.reverts == message.key) or any(
            made.oid.startswith(oid) for oid in said.reverted_ids
        ):
            return commit.oid
    return None


def replayed(commits: Mapping[str, CommitFacts], follow_ups: Sequence[str]) -> bool:
    """Whether a side went on only by commits that it had made before.

    A branch that was rebased upon itself holds its commits twice, with author, time and title unchanged. The
    second round is no follow-up: its states are the first round's, whatever stands between.

    Args:
        commits: The commits of that side by id.
        follow_ups: Full ids of those by which it went on.
    """
    again = set(follow_ups)
    made: set[tuple[str, int, str]] = set()
    for oid, commit in commits.items():
        if oid not in again:
            made.add((commit.email, commit.time, commit.title))
    return bool(again) and all(
        (commits[oid].email, commits[oid].time, commits[oid].title) in made
        for oid in again
        if oid in commits
    )


def _known_to_copy(thing: Thing, copied: str | None, follow_ups: Sequence[str]) -> str | None:
    """The follow-up that the message of the copy names: it was made with it, and came out otherwise.

    A squash lists the titles of what it holds.
    """
    copy = None if copied is None else thing.commits.get(copied)
    if copy is None:
        return None
    said = f" {normalise_title(f'{copy.title} {copy.body}')} "
    for oid in follow_ups:
        commit = thing.commits.get(oid)
        key = "" if commit is None else read_message(commit).key
        if len(key.split()) >= MIN_TITLE_WORDS and f" {key} " in said:
            return oid
    return None


def _rolled_back(thing: Thing, step: Step, follow_ups: Sequence[str]) -> str | None:
    made = thing.commits.get(step.commit)
    if made is None:
        return None
    return rolled_back(made, [thing.commits[c] for c in follow_ups if c in thing.commits])


def _ahead(thing: Thing, side: Side, step: Step, what: str, evidence: EvidenceClass) -> Verdict:
    lineage = thing.lineage(side)
    follow_ups = _after(lineage, step)
    copied = next(
        (s.commit for s in reversed(thing.lineage(side.other).steps) if s.key == step.key), None
    )
    proof = (step.commit,) if copied is None else (step.commit, copied)
    reverting = _rolled_back(thing, step, follow_ups)
    if reverting is not None:
        return Verdict(
            standing=Standing.DIVERGED,
            reason=f"{side.value.capitalize()} had the {what} of {side.other.value} in "
            f"{short(step.commit)}, but a revert ({short(reverting)}) is involved.",
            evidence=evidence,
            commits=tuple(dict.fromkeys((*proof, reverting))),
            follow_ups=follow_ups,
        )
    doubt: str | None = None
    known = _known_to_copy(thing, copied, follow_ups)
    if known is not None:
        doubt = f"but {short(copied or '')} names the work of {short(known)}, by which it went on"
    elif replayed(thing.own[side], follow_ups):
        doubt = "but what followed are commits that it had made before"
    if doubt is not None:
        return Verdict(
            standing=Standing.DIVERGED,
            reason=f"{side.value.capitalize()} had the {what} of {side.other.value} in "
            f"{short(step.commit)}, {doubt}.",
            evidence=evidence,
            commits=tuple(dict.fromkeys((*proof, *follow_ups))),
            follow_ups=follow_ups,
        )
    went = f" and went on with {_listed(follow_ups)}" if follow_ups else ""
    return Verdict(
        standing=Standing.OURS_AHEAD if side is Side.OURS else Standing.THEIRS_AHEAD,
        reason=f"{side.value.capitalize()} had the {what} of {side.other.value} in "
        f"{short(step.commit)}{went}.",
        evidence=evidence,
        commits=tuple(dict.fromkeys((*proof, *follow_ups))),
        follow_ups=follow_ups,
    )


def _by_state(thing: Thing) -> Verdict | None:
    """The whole symbol of one side stands in the other side's past, and not the other way round."""
    found: list[tuple[Side, Step]] = []
    for side in (Side.OURS, Side.THEIRS):
        text = thing.whole.get(side.other)
        if text is None or same_code(text, thing.whole.base):
            continue
        step = thing.lineage(side).past().get(squeeze(text))
        if step is not None and not step.foreign and same_code(step.text, text):
            found.append((side, step))
    if len(found) != 1:
        return None
    return _ahead(thing, *found[0], "state", EvidenceClass.LINEAGE)


def _by_text(thing: Thing) -> Verdict | None:
    """The text of one side at this place stood in the other side's past, and not the reverse."""
    found: list[tuple[Side, Step]] = []
    for side in (Side.OURS, Side.THEIRS):
        text = thing.texts.get(side.other)
        if not text or same_code(text, thing.texts.base):
            continue
        part = pieces(text)
        if sum(map(is_significant, part)) < MIN_PIECES:
            continue
        lineage = thing.lineage(side)
        current = thing.whole.get(side)
        if current is not None and contains_run(pieces(current), part):
            return None
        for step in reversed(lineage.steps):
            if step.text is None or step.key == lineage.current:
                continue
            if contains_run(pieces(step.text), part):
                if not step.foreign:
                    found.append((side, step))
                break
    if len(found) != 1:
        return None
    return _ahead(thing, *found[0], "text", EvidenceClass.PIECES)


def _explained(
    thing: Thing, commits: Iterable[str], twins: TwinIndex, side: Side
) -> tuple[list[Twin], list[str]]:
    """The twins that explain commits, and the commits that none explains.

    A twin explains what a commit did here only if its counterpart touched this symbol as well.
    """
    touched = {s.commit for s in thing.lineage(side.other).steps}
    used: list[Twin] = []
    left: list[str] = []
    for commit in commits:
        found = [
            t
            for t in twins.of(commit)
            if commit in (t.ours if side is Side.OURS else t.theirs)
            and touched & set(t.theirs if side is Side.OURS else t.ours)
        ]
        # The strongest decides how far it is believed; further ones of its class are its other parts.
        used += [t for t in found if t.evidence is found[0].evidence]
        if not found:
            left.append(commit)
    return list(dict.fromkeys(used)), left


def _unique(thing: Thing) -> tuple[frozenset[bytes], frozenset[bytes]]:
    """Pieces that only ours has, and pieces that only theirs has."""
    ours, theirs = (
        frozenset() if text is None else telling(text)
        for text in (thing.texts.ours, thing.texts.theirs)
    )
    return ours - theirs, theirs - ours


def _holds_change(thing: Thing, side: Side) -> bool:
    """Whether a side's text holds all that the other added and nothing that the other removed."""
    added, removed = _change(thing.texts.base, thing.texts.get(side.other))
    state = set(pieces(thing.texts.get(side) or b""))
    return added <= state and not removed & state


def _took_away(thing: Thing, side: Side, twins: Sequence[Twin]) -> bool:
    """Whether a side took something of a work away again after the work came, which no origin shows."""
    work = {commit for twin in twins for commit in (*twin.ours, *twin.theirs)}
    came = next((s for s in reversed(thing.lineage(side).steps) if s.commit in work), None)
    return came is not None and lessened(came.text, thing.whole.get(side))


def _derived(used: Sequence[Twin]) -> Side | None:
    """The side that landed all of it from the other side, by its own messages."""
    sides = {twin.derived for twin in used}
    return sides.pop() if len(sides) == 1 else None


def _alike(twin: Twin) -> bool:
    """Whether the contents themselves are nearly one, whatever the messages say."""
    contents = {EvidenceClass.PATCH_ID, EvidenceClass.SIMILARITY}
    return twin.evidence in contents or bool(contents & set(twin.others))


def _by_twins(thing: Thing, twins: TwinIndex) -> Verdict | None:
    ours, theirs = thing.origins(Side.OURS), thing.origins(Side.THEIRS)
    if not ours or not theirs:
        return None
    ours_twins, ours_left = _explained(thing, ours, twins, Side.OURS)
    theirs_twins, theirs_left = _explained(thing, theirs, twins, Side.THEIRS)
    if not ours_twins and not theirs_twins:
        return None
    only_ours, only_theirs = _unique(thing)
    present = thing.texts.ours is not None and thing.texts.theirs is not None
    used = tuple(dict.fromkeys((*theirs_twins, *ours_twins)))
    standing = Standing.DIVERGED
    follow_ups: tuple[str, ...] = (*ours_left, *theirs_left)
    how = "both sides have more"
    if ours_left and not theirs_left and not _took_away(thing, Side.THEIRS, theirs_twins):
        standing, follow_ups = Standing.OURS_AHEAD, tuple(ours_left)
        used = tuple(theirs_twins)
        how = f"ours went on with {_listed(ours_left)}"
    elif theirs_left and not ours_left and not _took_away(thing, Side.OURS, ours_twins):
        standing, follow_ups = Standing.THEIRS_AHEAD, tuple(theirs_left)
        used = tuple(ours_twins)
        how = f"theirs went on with {_listed(theirs_left)}"
    elif present and only_ours and not only_theirs and _holds_change(thing, Side.OURS):
        standing, how = Standing.OURS_AHEAD, "ours holds all of theirs and more"
    elif present and only_theirs and not only_ours and _holds_change(thing, Side.THEIRS):
        standing, how = Standing.THEIRS_AHEAD, "theirs holds all of ours and more"
    elif present and not ours_left and not theirs_left and _derived(used) is not None:
        later = _derived(used)
        standing = Standing.OURS_AHEAD if later is Side.OURS else Standing.THEIRS_AHEAD
        how = f"{later} landed it from the other side and changed it on the way"
    elif (
        present
        and not ours_left
        and not theirs_left
        and max(len(only_ours), len(only_theirs)) <= CLEAN_COPY
        and all(_alike(twin) for twin in used)
    ):
        standing, how = Standing.TWIN, "a copy without follow-ups on either side"
    if standing is Standing.DIVERGED:
        common = _by_common_state(thing)
        if common is not None:
            known = (*common.commits, *(c for t in used for c in (*t.ours, *t.theirs)))
            return replace(common, twins=used, commits=tuple(dict.fromkeys(known)))
    weakest = max((t.evidence for t in used), key=lambda kind: kind.rank)
    pairs = "; ".join(
        f"{'+'.join(map(short, t.ours))} ~ {'+'.join(map(short, t.theirs))} ({t.evidence.value})"
        for t in used[:3]
    )
    commits = dict.fromkeys((*(c for t in used for c in (*t.ours, *t.theirs)), *follow_ups))
    return Verdict(
        standing=standing,
        reason=f"The same work on both sides ({pairs}); {how}.",
        evidence=weakest,
        commits=tuple(commits),
        follow_ups=follow_ups,
        twins=used,
    )


def newest_common(thing: Thing) -> tuple[Step, Step] | None:
    """The newest state that both sides went through after the merge base, as steps of ours, theirs."""
    base = None if thing.whole.base is None else squeeze(thing.whole.base)
    mine = {s.key: s for s in thing.ours.steps if s.key is not None and not s.foreign}
    for step in reversed(thing.theirs.steps):
        if step.key is None or step.foreign or step.key == base or step.key not in mine:
            continue
        if same_code(mine[step.key].text, step.text):
            return mine[step.key], step
    return None


def _by_common_state(thing: Thing) -> Verdict | None:
    common = newest_common(thing)
    if common is None:
        return None
    mine, other = common
    return Verdict(
        standing=Standing.DIVERGED,
        reason=f"Both sides had one newer state ({short(mine.commit)} in ours, "
        f"{short(other.commit)} in theirs) and went on from it.",
        evidence=EvidenceClass.LINEAGE,
        commits=(mine.commit, other.commit),
        follow_ups=tuple(dict.fromkeys((*_after(thing.ours, mine), *_after(thing.theirs, other)))),
        base=other.text,
    )


def _change(base: bytes | None, side: bytes | None) -> tuple[frozenset[bytes], frozenset[bytes]]:
    before, after = (frozenset() if text is None else telling(text) for text in (base, side))
    return after - before, before - after


def _by_pieces(thing: Thing) -> Verdict | None:
    """One side's change stood piece by piece in the other's past: a hint, and no more."""
    if thing.texts.ours is None or thing.texts.theirs is None:
        return None
    found: list[tuple[Side, Step]] = []
    for side in (Side.OURS, Side.THEIRS):
        added, removed = _change(thing.texts.base, thing.texts.get(side.other))
        if len(added) < MIN_PIECES:
            continue
        lineage = thing.lineage(side)
        for step in reversed(lineage.steps):
            if step.foreign or step.text is None or step.key == lineage.current:
                continue
            state = set(pieces(step.text))
            if added <= state and not removed & state:
                found.append((side, step))
                break
    if len(found) != 1:
        return None
    side, step = found[0]
    follow_ups = _after(thing.lineage(side), step)
    return Verdict(
        standing=Standing.OURS_AHEAD if side is Side.OURS else Standing.THEIRS_AHEAD,
        reason=f"All pieces that {side.other.value} changed stood in {side.value} at "
        f"{short(step.commit)}; it went on with {_listed(follow_ups)}.",
        evidence=EvidenceClass.PIECES,
        commits=tuple(dict.fromkeys((step.commit, *follow_ups))),
        follow_ups=follow_ups,
    )


def _deletion(thing: Thing) -> Verdict | None:
    """Removed by a named commit on one side, changed on the other: diverged, with the commit."""
    for side in (Side.OURS, Side.THEIRS):
        if thing.texts.get(side) is not None or thing.texts.base is None:
            continue
        lineage = thing.lineage(side)
        removal = next((s for s in reversed(lineage.steps) if s.key is None), None)
        if removal is None:
            return None
        changed = thing.origins(side.other)
        return Verdict(
            standing=Standing.DIVERGED,
            reason=f"{side.value.capitalize()} removed it in {short(removal.commit)}; "
            f"{side.other.value} changed it in {_listed(changed) or 'no commit of the range'}.",
            evidence=EvidenceClass.LINEAGE,
            commits=tuple(dict.fromkeys((removal.commit, *changed))),
            follow_ups=changed,
        )
    return None


def _rest(thing: Thing, twins: TwinIndex, touching: Sequence[Twin]) -> Verdict:
    del twins
    ours, theirs = thing.origins(Side.OURS), thing.origins(Side.THEIRS)
    if touching:
        return Verdict(
            standing=Standing.DIVERGED,
            reason="A part of one change has a twin, but not at this place.",
            evidence=touching[0].evidence,
            commits=tuple(dict.fromkeys((*ours, *theirs))),
        )
    return Verdict(
        standing=Standing.UNKNOWN,
        reason="No commit ties the two changes together.",
        commits=tuple(dict.fromkeys((*ours, *theirs))),
    )
