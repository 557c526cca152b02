"""The history of one merge: one object that answers for every contested thing of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from mergewright.history.facts import MergeFacts
from mergewright.history.features import nested
from mergewright.history.lineage import (
    Locate,
    PathLineage,
    SymbolLineage,
    Version,
    locator,
    path_lineage,
    symbol_lineage,
)
from mergewright.history.locate import headers, symbol_text
from mergewright.history.patches import Profile, profile
from mergewright.history.pieces import contains_run, holds, lessened, squeeze
from mergewright.history.syncs import SquashedSync, squashed_syncs
from mergewright.history.titles import read_message
from mergewright.history.twins import find_twins
from mergewright.history.verdicts import (
    Thing,
    TwinIndex,
    is_sync,
    judge,
    replayed,
    reverts,
    rolled_back,
    same_code,
    short,
)
from mergewright.model.history import (
    CommitFacts,
    EvidenceClass,
    HistorySource,
    Standing,
    Twin,
    Verdict,
)
from mergewright.model.merge import Answer, Question
from mergewright.model.resolution import Evidence, EvidenceKind
from mergewright.model.threeway import Side, ThreeWay
from mergewright.python.outline import outline

# A commit that touches more paths is a sync, an import or a sweep: it has no twin as a whole.
MAX_PATHS = 250
#: Suffixes of the files whose definitions are followed.
PYTHON = (".py", ".pyi")
#: Suffixes of the files whose changes count for twins.
TEXT_SUFFIXES = (".py", ".pyi", ".md", ".rst", ".toml", ".cfg", ".yaml", ".yml", ".sh", ".txt")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewerBase:
    """A state of a whole file that both sides had after the merge base.

    Attributes:
        blob: Its blob id.
        ours: The commit on our side that made it, or brought it by a squashed sync.
        theirs: The same on their side.
        sync: Whether it is the other side's state of a squashed sync, with work of one's own on top.
    """

    blob: str
    ours: str
    theirs: str
    sync: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenBack:
    """A place that only one side changed, to a state that the other had and took back since.

    Attributes:
        symbol: Dotted name.
        side: The side that took it back; its text is the answer.
        made: The commit by which that side once had the state.
        copied: The commit by which the other side has it.
        back: The commits by which the side went back, oldest first.
    """

    symbol: str
    side: Side
    made: str
    copied: str
    back: tuple[str, ...]

    @property
    def reason(self) -> str:
        """One sentence for the report."""
        return (
            f"{self.side.value.capitalize()} had it in {short(self.made)} and took it back in "
            f"{', '.join(map(short, self.back))}; {self.side.other.value}'s is the copy of before "
            f"({short(self.copied)})."
        )


class MergeHistory:
    """History of one merge, computed when asked and kept.

    Args:
        facts: The commits of both sides and the readers.
        paths: The contested paths; twins are looked for among the commits that touch one of them.
        names: Contested path to its names in base, ours and theirs, where they differ.
        locate: Finds a symbol's text in a blob; may come from a store.
        profiles: Gives the change of a commit; may come from a store.
        twins: Gives the twins of the merge, given how to search for them; may come from a store.
    """

    def __init__(
        self,
        facts: MergeFacts,
        paths: Iterable[str],
        *,
        names: Mapping[str, ThreeWay[str | None]] | None = None,
        locate: Locate | None = None,
        profiles: Callable[[CommitFacts], Profile] | None = None,
        twins: Callable[[Callable[[], tuple[Twin, ...]]], tuple[Twin, ...]] | None = None,
    ) -> None:
        self.facts = facts
        self.paths = tuple(dict.fromkeys(paths))
        self._names = names or {}
        self.locate = locate or locator(facts.read)
        self._find_twins = twins
        self._profile_of = profiles or self._read_profile
        self._profiles: dict[str, Profile] = {}
        self._own = {
            side: {commit.oid: commit for commit in facts.side(side).commits}
            for side in (Side.OURS, Side.THEIRS)
        }
        self.commits: dict[str, CommitFacts] = {**self._own[Side.OURS], **self._own[Side.THEIRS]}
        self._interest = self._all_names()
        self._twins: TwinIndex | None = None
        self._syncs: tuple[SquashedSync, ...] | None = None
        self._path_lineages: dict[tuple[Side, str], PathLineage] = {}
        self._symbols: dict[tuple[str, str], Thing] = {}
        self._verdicts: dict[Question, Verdict] = {}

    # -- commits and twins ------------------------------------------------------------------------

    def _all_names(self) -> frozenset[str]:
        found: set[str] = set()
        for path in self.paths:
            found.add(path)
            found.update(self.facts.renames.get(path, ()))
            found.update(name for name in self._names.get(path, ()) if name is not None)
        return frozenset(found)

    def touches(self, commit: CommitFacts) -> bool:
        """Whether a commit changed one of the contested paths, or is named as the work of one that did."""
        return commit.oid in self.facts.named or any(
            change.path in self._interest or change.old_path in self._interest
            for change in commit.changes
        )

    def profile(self, oid: str) -> Profile:
        """The change of a commit over its text files; empty for merges and unrelated commits."""
        found = self._profiles.get(oid)
        if found is None:
            commit = self.commits[oid]
            if len(commit.parents) == 1 and self.touches(commit):
                found = self._profile_of(commit)
            else:
                found = profile(())
            self._profiles[oid] = found
        return found

    def _read_profile(self, commit: CommitFacts) -> Profile:
        return read_profile(commit, self.facts.read)

    def _search(self) -> tuple[Twin, ...]:
        return find_twins(self.facts.ours.commits, self.facts.theirs.commits, self.profile)

    @property
    def twins(self) -> TwinIndex:
        """All twins of the merge."""
        if self._twins is None:
            found = self._search() if self._find_twins is None else self._find_twins(self._search)
            self._twins = TwinIndex(found)
        return self._twins

    # -- lineages ---------------------------------------------------------------------------------

    def _name(self, path: str, side: Side) -> str:
        names = self._names.get(path)
        return (names.get(side) if names is not None else None) or path

    def path_lineage(self, path: str, side: Side) -> PathLineage:
        """The versions of a contested path along one side."""
        key = (side, path)
        if key not in self._path_lineages:
            self._path_lineages[key] = path_lineage(self.facts, side, self._name(path, side))
        return self._path_lineages[key]

    def _base_blob(self, path: str) -> str | None:
        names = (self._name(path, Side.BASE), path, *self.facts.renames.get(path, ()))
        for base in self.facts.bases:
            for name in names:
                blob = self.facts.blob_at(base, name)
                if blob is not None:
                    return blob
        return None

    def newer_base(self, path: str) -> NewerBase | None:
        """The newest state of a whole file that both sides had after the merge base.

        An earlier squashed sync leaves exactly this: equal contents without common ancestry. A state that
        somebody else copied by hand is none, nor one of which a side took something away again while
        the other side went on from it.
        """
        base = self._base_blob(path)
        mine = {v.blob: v for v in _own(self.path_lineage(path, Side.OURS))}
        for version in reversed(list(_own(self.path_lineage(path, Side.THEIRS)))):
            if version.blob is None or version.blob == base:
                continue
            found = mine.get(version.blob)
            if found is not None and not self._reverted_sync(found, path, Side.OURS):
                if self._replayed(found, path, Side.OURS) or self._replayed(
                    version, path, Side.THEIRS
                ):
                    return None
                if self._by_hand(found.commit, version.commit):
                    break
                if self._lessened(path, base, version.blob):
                    return None
                return NewerBase(blob=version.blob, ours=found.commit, theirs=version.commit)
        return self._synced_base(path, base)

    def _by_hand(self, first: str, second: str) -> bool:
        """Whether a state came from one side to the other only by somebody's copying it.

        Another author's commit, no merge, no sync, no twin of the one that made the state but for the
        copied file itself: a reset, or a file taken from elsewhere. What its author thought of the rest
        is not known.
        """
        one, other = self.commits[first], self.commits[second]
        if len(one.parents) != 1 or len(other.parents) != 1 or is_sync(one) or is_sync(other):
            return False
        if one.email == other.email or one.author == other.author:
            return False
        if {first, second} & {sync.commit for sync in self._squashed()}:
            return False
        return not any(
            {first, second} <= {*twin.ours, *twin.theirs}
            for twin in self.twins.of(first)
            if {twin.evidence, *twin.others} != {EvidenceClass.BLOB}
        )

    def _lessened(self, path: str, base: str | None, common: str) -> bool:
        """Whether both sides went on from a state, one of them by taking away what the other keeps.

        Only what is contested counts: definitions that differ in all three versions.
        """
        tips = [self.path_lineage(path, side).start for side in (Side.OURS, Side.THEIRS)]
        if not path.endswith(PYTHON) or None in tips or common in tips:
            return False
        before = None if base is None else self.facts.read(base)
        state, *texts = (self.facts.read(blob) for blob in (common, *tips) if blob is not None)
        for name in headers(state).offsets:
            if "." in name:
                continue
            was = symbol_text(state, name)
            old = None if before is None else symbol_text(before, name)
            now = [symbol_text(text, name) for text in texts]
            contested = not (same_code(*now) or same_code(now[0], old) or same_code(now[1], old))
            if contested and any(lessened(was, text) for text in now):
                return True
        return False

    def _squashed(self) -> tuple[SquashedSync, ...]:
        if self._syncs is None:
            self._syncs = squashed_syncs(self.facts)
        return self._syncs

    def _synced_base(self, path: str, base: str | None) -> NewerBase | None:
        """The other side's state of a path that a squashed sync of the whole merge brought."""
        for sync in self._squashed():
            blob = self.facts.blob_at(sync.state, self._name(path, sync.side.other))
            name = self._name(path, sync.side)
            if blob is None or blob == base or name not in sync.paths:
                continue
            # A squash may touch a file for a reason of its own: then that state never was its base.
            brought = self.facts.blob_at(sync.commit, name)
            before, after = (None if b is None else self.facts.read(b) for b in (base, blob))
            if brought is None or not holds(self.facts.read(brought), before, after):
                continue
            ours, theirs = (
                (sync.commit, sync.state) if sync.side is Side.OURS else (sync.state, sync.commit)
            )
            return NewerBase(blob=blob, ours=ours, theirs=theirs, sync=True)
        return None

    def taken_back(self, path: str) -> tuple[TakenBack, ...]:
        """The places that merge cleanly and would bring back what one side took back.

        The state must have been that side's own work, not a sync's, and its copy on the other side must be
        older than the taking back: a copy that is newer knew of it and wants the thing all the same.
        """
        base_blob = self._base_blob(path)
        found: list[TakenBack] = []
        for side in (Side.OURS, Side.THEIRS):
            mine, other = self.path_lineage(path, side), self.path_lineage(path, side.other)
            copied = {version.commit for version in other.versions}
            past = [
                version.blob
                for version in mine.versions[:-1]
                if version.blob is not None
                and any(
                    copied & {*twin.ours, *twin.theirs} for twin in self.twins.of(version.commit)
                )
            ]
            if not past or mine.start is None or other.start is None:
                continue
            base = b"" if base_blob is None else self.facts.read(base_blob)
            here, there = self.facts.read(mine.start), self.facts.read(other.start)
            # Only lines that the other side has, that stood here once and stand here no more.
            lines = set(there.splitlines()) - set(base.splitlines()) - set(here.splitlines())
            lines &= {line for blob in past for line in self.facts.read(blob).splitlines()}
            if not any(line.strip() for line in lines):
                continue
            for symbol in _new_places(base, here, there, lines):
                place = self._took_back(path, symbol, side)
                if place is not None:
                    found.append(place)
        return tuple(found)

    def _took_back(self, path: str, symbol: str, side: Side) -> TakenBack | None:
        thing = self._thing(path, symbol)
        wanted = thing.whole.get(side.other)
        if wanted is None or not same_code(thing.whole.get(side), thing.whole.base):
            return None
        steps = thing.lineage(side).steps
        key = squeeze(wanted)
        at = max((n for n, step in enumerate(steps) if step.key == key), default=None)
        if at is None or steps[at].foreign or at + 1 == len(steps):
            return None
        made = self.commits[steps[at].commit]
        back = tuple(dict.fromkeys(step.commit for step in steps[at + 1 :]))
        copies = [s for s in thing.lineage(side.other).steps if s.key == key]
        if not copies or is_sync(made) or read_message(made).reverts is not None:
            return None
        # Only who says that it is taken back: a merge or a later rewrite may lose it without meaning to.
        if not any(reverts(self.commits[oid], made) for oid in back):
            return None
        copied = self.commits[copies[-1].commit]
        if not any(
            made.oid in (*twin.ours, *twin.theirs) and copied.oid in (*twin.ours, *twin.theirs)
            for twin in self.twins.of(made.oid)
        ):
            return None
        if copied.committed > max(self.commits[oid].committed for oid in back):
            return None
        return TakenBack(symbol=symbol, side=side, made=made.oid, copied=copied.oid, back=back)

    def _reverted_sync(self, version: Version, path: str, side: Side) -> bool:
        facts = self.commits[version.commit]
        versions = self.path_lineage(path, side).versions
        later = [v.commit for v in versions[versions.index(version) + 1 :]]
        return rolled_back(facts, [self.commits[c] for c in later]) is not None

    def _replayed(self, version: Version, path: str, side: Side) -> bool:
        """Whether all that a side did to a file after a state are commits that it had made before."""
        versions = self.path_lineage(path, side).versions
        later = [v.commit for v in versions[versions.index(version) + 1 :]]
        return replayed(self._own[side], later)

    def lineages(self, path: str, symbol: str) -> tuple[SymbolLineage, SymbolLineage]:
        """The states of a symbol along ours and theirs."""
        thing = self._thing(path, symbol)
        return thing.ours, thing.theirs

    def base_key(self, path: str, symbol: str) -> bytes | None:
        """Layout-free key of a symbol in the merge base, as in the steps of its lineages."""
        base = self._thing(path, symbol).whole.base
        return None if base is None else squeeze(base)

    def _thing(self, path: str, symbol: str) -> Thing:
        key = (path, symbol)
        if key not in self._symbols:
            base_blob = self._base_blob(path)
            base = None if base_blob is None else self.locate(base_blob, symbol)
            lineages: list[SymbolLineage] = []
            tips: list[bytes | None] = []
            for side in (Side.OURS, Side.THEIRS):
                lineage = self.path_lineage(path, side)
                lineages.append(symbol_lineage(lineage, self.facts.read, symbol, base, self.locate))
                blob = lineage.start
                tips.append(None if blob is None else self.locate(blob, symbol))
            whole = ThreeWay(base=base, ours=tips[0], theirs=tips[1])
            self._symbols[key] = Thing(
                texts=whole,
                whole=whole,
                ours=lineages[0],
                theirs=lineages[1],
                commits=self.commits,
                own=self._own,
            )
        return self._symbols[key]

    # -- verdicts ---------------------------------------------------------------------------------

    def verdict(self, question: Question) -> Verdict:
        """What history says of a contested symbol, of a place in it, or of a whole file."""
        found = self._verdicts.get(question)
        if found is None:
            thing = replace(self._thing(question.path, question.symbol), texts=question.versions)
            found = judge(thing, self.twins)
            if found.standing is Standing.SAME:
                found = self._by_comments(question) or found
            if found.proved and self._doubtful(question.path, thing, found):
                found = replace(found, proved=False)
            if found.base is not None and (
                self._by_hand(*found.commits[:2])
                or any(
                    lessened(found.base, text) for text in (thing.whole.ours, thing.whole.theirs)
                )
            ):
                found = replace(found, base=None)
            group = self._group(thing, found)
            found = replace(found, group=group, works=self._works(thing, group, found))
            self._verdicts[question] = found
        return found

    def _doubtful(self, path: str, thing: Thing, verdict: Verdict) -> bool:
        """Whether the state that proves a verdict is one that settles nothing for a whole file either."""
        side = verdict.ahead
        if side is None or verdict.evidence is not EvidenceClass.LINEAGE:
            return False
        state = thing.whole.get(side.other)
        if state is None:
            return False
        copies = [s for s in thing.lineage(side.other).steps if s.key == squeeze(state)]
        if copies and self._by_hand(verdict.commits[0], copies[-1].commit):
            return True
        tip = self.path_lineage(path, side.other).start
        known = {version.blob for version in self.path_lineage(path, side).versions}
        return path.endswith(PYTHON) and tip not in known and lessened(state, thing.whole.get(side))

    def _by_comments(self, question: Question) -> Verdict | None:
        """Where only comments differ: the comments of one side stood in the other's past."""
        found: list[tuple[Side, Version, tuple[str, ...]]] = []
        for side in (Side.OURS, Side.THEIRS):
            wanted = comment_lines(question.versions.get(side.other))
            mine = comment_lines(question.versions.get(side))
            if not wanted or wanted == mine or wanted == comment_lines(question.versions.base):
                continue
            lineage = self.path_lineage(question.path, side)
            later: list[str] = []
            for position in range(len(lineage.versions) - 1, -1, -1):
                version = lineage.versions[position]
                if position != lineage.tip and version.blob is not None:
                    if contains_run(comment_lines(self.facts.read(version.blob)), wanted):
                        if version.blob not in version.outside:
                            found.append((side, version, tuple(reversed(later))))
                        break
                elif version.blob is not None and contains_run(
                    comment_lines(self.facts.read(version.blob)), wanted
                ):
                    break
                later.append(version.commit)
        if len(found) != 1:
            return None
        side, version, follow_ups = found[0]
        return Verdict(
            standing=Standing.OURS_AHEAD if side is Side.OURS else Standing.THEIRS_AHEAD,
            reason=f"{side.value.capitalize()} had the comment of {side.other.value} in "
            f"{short(version.commit)} and changed it since.",
            evidence=EvidenceClass.LINEAGE,
            commits=(version.commit, *follow_ups),
            follow_ups=follow_ups,
        )

    def asked(self) -> tuple[tuple[Question, Verdict], ...]:
        """All questions so far with their verdicts."""
        return tuple(self._verdicts.items())

    def symbol_verdict(self, path: str, symbol: str) -> Verdict:
        """The verdict on a symbol as it stands at the two tips."""
        texts = self._thing(path, symbol).texts
        return self.verdict(Question(path=path, symbol=symbol, kind="symbol", versions=texts))

    def clean_verdict(self, path: str, symbol: str) -> tuple[ThreeWay[bytes | None], Verdict]:
        """The texts of a symbol that merged cleanly, and the verdict on it; it counts as no question."""
        thing = self._thing(path, symbol)
        found = judge(thing, self.twins)
        return thing.whole, replace(found, group=self._group(thing, found))

    def _group(self, thing: Thing, verdict: Verdict) -> str | None:
        """The work that brought most of the place: its twin, or the one commit of theirs or ours."""
        for commits in (
            tuple(c for t in verdict.twins for c in t.theirs),
            tuple(_weighted(thing, Side.THEIRS)),
            tuple(_weighted(thing, Side.OURS)),
        ):
            if commits:
                return short(commits[0])
        return None

    def _works(self, thing: Thing, group: str | None, verdict: Verdict) -> tuple[str, ...]:
        """The names of the works that meet at a place: their commits and pull requests.

        The place belongs to the group's work, and to the one of the other side that it meets there.
        """
        if group is None:
            return ()
        head = [oid for oid in self.commits if oid.startswith(group)]
        head += [oid for side in (Side.OURS, Side.THEIRS) for oid in _weighted(thing, side)[:1]]
        tied = [
            oid
            for twin in verdict.twins
            if set(head) & {*twin.ours, *twin.theirs}
            for oid in (*twin.ours, *twin.theirs)
        ]
        commits = dict.fromkeys((*head, *tied))
        numbers = (read_message(self.commits[oid]).own for oid in commits)
        return (*commits, *dict.fromkeys(f"#{n}" for n in numbers if n is not None))

    def decider(self) -> HistoryDecider:
        """What an engine asks: answers only where a newer common state makes a new base."""
        return HistoryDecider(self)


def read_profile(commit: CommitFacts, read: Callable[[str], bytes]) -> Profile:
    """The change of a commit over its text files; empty when it touches too many paths."""
    if len(commit.changes) > MAX_PATHS:
        return profile(())
    return profile(
        (
            read(change.old_oid) if change.old_oid is not None else None,
            read(change.new_oid) if change.new_oid is not None else None,
        )
        for change in commit.changes
        if change.path.endswith(TEXT_SUFFIXES) and change.old_oid != change.new_oid
    )


def _new_places(base: bytes, here: bytes, there: bytes, lines: set[bytes]) -> Iterable[str]:
    """Definitions and assignments that one text has as the base has them and the other has otherwise.

    Only those of which the other's text holds one of the given lines.
    """
    before, mine, other = (
        {s.path: s for s in outline(text).symbols.values() if s.kind not in {"import", "class"}}
        for text in (base, here, there)
    )
    for path, symbol in other.items():
        if "#" in path or not lines & set(symbol.text.splitlines()):
            continue
        old, own = before.get(path), mine.get(path)
        if (old is None) != (own is None):
            continue
        if old is not None and own is not None and old.fingerprint != own.fingerprint:
            continue
        if old is None or old.fingerprint != symbol.fingerprint:
            yield path


def comment_lines(text: bytes | None) -> tuple[bytes, ...]:
    """The comment lines of a text, without indentation."""
    if text is None or b"#" not in text:
        return ()
    return tuple(
        line for line in (raw.strip() for raw in text.splitlines()) if line.startswith(b"#")
    )


def _own(lineage: PathLineage) -> Iterable[Version]:
    """Versions that the side made itself, not those that a merge brought from outside."""
    for version in lineage.versions:
        if version.blob not in version.outside:
            yield version


def _weighted(thing: Thing, side: Side) -> list[str]:
    """Commits behind one side's difference, the one with most pieces first."""
    origin = thing.lineage(side).origin
    counts: dict[str, int] = {}
    for commit in (*origin.added.values(), *origin.removed.values()):
        if commit is not None:
            counts[commit] = counts.get(commit, 0) + 1
    return sorted(counts, key=lambda c: (-counts[c], c))


@dataclass(frozen=True, slots=True)
class HistoryDecider:
    """Merges a symbol again from the newest state that both sides had; it prefers no side.

    Where that state is one side's own current text, the other side's text is what the merge gives: it has
    all of the first and more. Everything that is less than the exact state (twins, copies, pieces) is for
    rules, which read the verdicts (``match: {history: …}``).
    """

    history: HistorySource

    def decide(self, question: Question) -> Answer | None:
        """A new base for a whole symbol, the side that had the other's state, or ``None``."""
        verdict = self.history.verdict(question)
        if verdict.proved:
            return Answer(
                strategy="history",
                reason=verdict.reason,
                side=verdict.ahead,
                evidence=_evidence(verdict),
                group=verdict.group,
            )
        whole = self._feature(question, verdict)
        if whole is not None:
            return whole
        if verdict.standing is not Standing.DIVERGED or verdict.base is None:
            return None
        return Answer(
            strategy="newest-common-state",
            reason=verdict.reason,
            base=verdict.base,
            evidence=_evidence(verdict),
            group=verdict.group,
        )

    def _feature(self, question: Question, verdict: Verdict) -> Answer | None:
        """The place with both edits, where one of them is the part of a half-taken feature.

        The other side brought a part of the same work elsewhere, so the work stays whole; what the
        other side changed here stands inside it.
        """
        if verdict.standing is not Standing.DIVERGED or not verdict.twins:
            return None
        here = set(verdict.commits)
        parts = {
            side: twin
            for twin in verdict.twins
            if twin.partial and twin.evidence.at_least(EvidenceClass.TITLE)
            for side, commits in ((Side.OURS, twin.ours), (Side.THEIRS, twin.theirs))
            if here & set(commits)
        }
        if len(parts) != 1:
            return None
        ((side, twin),) = parts.items()
        text = nested(question.versions, side)
        if text is None:
            return None
        mine, other = (twin.ours, twin.theirs) if side is Side.OURS else (twin.theirs, twin.ours)
        reason = (
            f"{side.other.value.capitalize()} has a part of {short(mine[0])} already "
            f"({short(other[0])}); the feature stays whole, with {side.other.value}'s change in it."
        )
        return Answer(
            strategy="whole-feature",
            reason=reason,
            text=text,
            evidence=(Evidence(kind=EvidenceKind.COMMIT, text=reason, commits=(*mine, *other)),),
            group=verdict.group,
        )


def _evidence(verdict: Verdict) -> tuple[Evidence, ...]:
    return (Evidence(kind=EvidenceKind.COMMIT, text=verdict.reason, commits=verdict.commits),)
