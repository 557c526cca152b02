"""Feeds the history core from git: one walk for a merge, blobs read once, a store that may be absent."""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mergewright import __version__
from mergewright.git.commits import walk_touching
from mergewright.git.repository import Repository
from mergewright.history.clean import paths_of_interest
from mergewright.history.facts import MergeFacts, SideFacts
from mergewright.history.features import put_back
from mergewright.history.locate import symbol_text
from mergewright.history.merge_history import (
    PYTHON,
    HistoryDecider,
    MergeHistory,
    NewerBase,
    TakenBack,
    read_profile,
)
from mergewright.history.patches import Profile
from mergewright.history.twins import named_works
from mergewright.model.conflict import Conflict
from mergewright.model.errors import RepositoryError, UsageError
from mergewright.model.history import CommitFacts, PathChange, Standing, Twin, Verdict
from mergewright.model.merge import Answer, Question
from mergewright.model.plan import MergeSource
from mergewright.model.resolution import Decision, Evidence, EvidenceKind, Outcome
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.cascade import Rebased
from mergewright.workflows.history_store import HistoryStore, plain_verdict, read_verdict

if TYPE_CHECKING:
    from mergewright.history.stories import SymbolStory

#: Environment variable with the folder for the store of repositories that must not be written to.
CACHE_VARIABLE = "MERGEWRIGHT_CACHE"
#: The store's file below the git folder (or the cache folder).
STORE_NAME = "history.sqlite"
#: Bytes of blobs that are kept while a merge is looked at.
_KEPT_BYTES = 192 * 1024 * 1024
# Commits that are read only because a message names them.
_MAX_NAMED = 64


class TreeStates:
    """Blob ids of paths in commits; every folder of every tree is looked into once.

    Args:
        repository: Where the commits are.
    """

    def __init__(self, repository: Repository) -> None:
        self._objects = repository.objects
        self._roots: dict[str, str] = {}
        self._children: dict[tuple[str, bytes], str | None] = {}
        self._parts: dict[str, tuple[bytes, ...]] = {}

    def blob_at(self, commit: str, path: str) -> str | None:
        """The blob id of a path in a commit; ``None`` where it has no such file.

        Raises:
            RepositoryError: The commit or one of its trees is missing.
        """
        oid: str | None = self._roots.get(commit)
        if oid is None:
            oid = self._roots[commit] = self._objects.tree_id(commit)
        parts = self._parts.get(path)
        if parts is None:
            parts = self._parts[path] = tuple(os.fsencode(path).split(b"/"))
        for part in parts:
            key = (oid, part)
            if key in self._children:
                oid = self._children[key]
            else:
                oid = self._children[key] = self._child(oid, part, last=part is parts[-1])
            if oid is None:
                return None
        return oid

    def _child(self, tree: str, name: bytes, *, last: bool) -> str | None:
        for entry, mode, oid in self._objects.level(tree):
            if entry == name:
                is_folder = mode == 0o040000
                return oid if is_folder != last else None
        return None


class _Blobs:
    """Reads blobs once, within a bound on memory."""

    def __init__(self, repository: Repository) -> None:
        self._objects = repository.objects
        self._kept: dict[str, bytes] = {}
        self._size = 0

    def read(self, oid: str) -> bytes:
        data = self._kept.get(oid)
        if data is None:
            data = self._objects.blob(oid)
            if self._size + len(data) > _KEPT_BYTES:
                self._kept.clear()
                self._size = 0
            self._kept[oid] = data
            self._size += len(data)
        return data


def side_facts(
    repository: Repository,
    ours: str,
    theirs: str,
    bases: Sequence[str],
    names: set[str],
    more: Callable[[Sequence[Sequence[CommitFacts]]], Iterable[str]] | None = None,
) -> tuple[SideFacts, SideFacts]:
    """The commits of both sides; only those that touch one of the paths carry their changes.

    Args:
        repository: Where they are.
        ours: Full id of our tip.
        theirs: Full id of their tip.
        bases: Full ids whose history is left out.
        names: The paths of interest; earlier names found on the way are added to it.
        more: Gives further paths of interest from the commits of ours and of theirs.

    Raises:
        RepositoryError: History is missing.
    """
    mine, other = walk_touching(repository, [ours, theirs], hide=bases, names=names, more=more)
    return (
        SideFacts(tip=ours, commits=mine[::-1]),
        SideFacts(tip=theirs, commits=other[::-1]),
    )


def _with_named(
    repository: Repository, ours: SideFacts, theirs: SideFacts
) -> tuple[SideFacts, SideFacts, frozenset[str]]:
    """The sides, with the changes of commits that are named as the work of one that is looked at.

    A squash that brings only the part of a work that touches no contested path is known in no other way.
    """
    known = {c.oid: c for side in (ours, theirs) for c in side.commits}
    named: dict[str, None] = {}
    for pair in named_works(ours.commits, theirs.commits):
        for oid, other in (pair, pair[::-1]):
            if known[oid].changes and not known[other].changes and len(named) < _MAX_NAMED:
                named[other] = None
    objects = repository.objects
    whole = {
        oid: replace(
            known[oid],
            changes=tuple(
                PathChange(
                    path=change.path,
                    old_oid=change.old.oid if change.old and change.old.is_blob else None,
                    new_oid=change.new.oid if change.new and change.new.is_blob else None,
                )
                for change in objects.changes(known[oid].parents[0], oid)
            ),
        )
        for oid in named
    }

    def with_changes(side: SideFacts) -> SideFacts:
        return replace(side, commits=tuple(whole.get(c.oid, c) for c in side.commits))

    return with_changes(ours), with_changes(theirs), frozenset(named)


def _renames(
    commits: Iterable[CommitFacts], paths: Mapping[str, Iterable[str]]
) -> dict[str, tuple[str, ...]]:
    """Contested path to all names that it had; commits come children before parents."""
    found: dict[str, dict[str, None]] = {
        path: dict.fromkeys((path, *names)) for path, names in paths.items()
    }
    for commit in commits:
        for change in commit.changes:
            if change.old_path is None:
                continue
            for names in found.values():
                if change.path in names:
                    names[change.old_path] = None
    return {path: tuple(n for n in names if n != path) for path, names in found.items()}


def gather(
    repository: Repository,
    ours: str,
    theirs: str,
    paths: Mapping[str, ThreeWay[str | None]],
    *,
    bases: Sequence[str] | None = None,
) -> MergeFacts:
    """Everything that the history core needs of one merge.

    Args:
        repository: Where the commits are; it is only read.
        ours: Full id of our tip.
        theirs: Full id of their tip.
        paths: Contested path to its names in base, ours and theirs.
        bases: Merge bases; looked up unless given.

    Raises:
        RepositoryError: History is missing.
    """
    if bases is None:
        bases = repository.merge_bases(ours, theirs)
    names = {n for path, three in paths.items() for n in (path, *three) if n is not None}
    mine, other = side_facts(repository, ours, theirs, bases, names)
    known = {p: [n for n in three if n is not None] for p, three in paths.items()}
    return _facts(repository, bases, mine, other, names, known)


def _facts(
    repository: Repository,
    bases: Sequence[str],
    ours: SideFacts,
    theirs: SideFacts,
    names: Iterable[str],
    paths: Mapping[str, Iterable[str]],
) -> MergeFacts:
    mine, other, named = _with_named(repository, ours, theirs)
    states = TreeStates(repository)
    return MergeFacts(
        bases=tuple(bases),
        ours=mine,
        theirs=other,
        read=_Blobs(repository).read,
        blob_at=states.blob_at,
        renames=_renames((*reversed(mine.commits), *reversed(other.commits)), paths),
        named=named,
        traced=frozenset(names),
    )


def store_for(
    repository: Repository,
    cache: str | os.PathLike[str] | None = None,
    *,
    keep: bool = True,
) -> HistoryStore | None:
    """The store of a repository, or ``None`` where nothing may be written.

    Args:
        repository: Whose history is kept. In its git folder, unless it is bare or read-only: those
            have a store only in a given folder.
        cache: A folder; ``MERGEWRIGHT_CACHE`` unless given.
        keep: Whether the repository may be written to: a merge in memory and a dry run write
            nothing there.
    """
    folder = cache or os.environ.get(CACHE_VARIABLE)
    if folder:
        return HistoryStore(Path(folder) / STORE_NAME)
    if not keep or repository.is_bare or not os.access(repository.common_dir, os.W_OK):
        return None
    return HistoryStore(repository.common_dir / "mergewright" / STORE_NAME)


class _Reader:
    """Symbol texts and changes, from the store where it knows them."""

    def __init__(self, facts: MergeFacts, paths: Iterable[str], store: HistoryStore | None) -> None:
        self._facts = facts
        self._paths = tuple(paths)
        self._store = store
        self._known: dict[tuple[str, str], bytes | None] = {}

    def locate(self, blob: str, name: str) -> bytes | None:
        key = (blob, name)
        if key in self._known:
            return self._known[key]
        if not name:
            return self._facts.read(blob)
        known, text = (False, None) if self._store is None else self._store.symbol(blob, name)
        if not known:
            text = symbol_text(self._facts.read(blob), name)
            if self._store is not None:
                self._store.keep_symbol(blob, name, text)
        self._known[key] = text
        return text

    def twins(self, search: Callable[[], tuple[Twin, ...]]) -> tuple[Twin, ...]:
        if self._store is None:
            return search()
        # Twins depend on the commits and on the paths whose changes they are looked for in.
        digest = hashlib.blake2b(digest_size=20)
        for side in (self._facts.ours, self._facts.theirs):
            for commit in side.commits:
                digest.update(commit.oid.encode())
                digest.update(b"+" if commit.changes else b"-")
            digest.update(b"|")
        digest.update("\0".join(sorted(self._paths)).encode("utf-8", "surrogateescape"))
        key = digest.hexdigest()
        found = self._store.twins(key)
        if found is None:
            found = search()
            self._store.keep_twins(key, found)
        return found

    def profile(self, commit: CommitFacts) -> Profile:
        found = None if self._store is None else self._store.change(commit.oid)
        if found is None:
            found = read_profile(commit, self._facts.read)
            if self._store is not None:
                self._store.keep_change(commit.oid, found)
        return found


def open_history(
    repository: Repository,
    source: MergeSource,
    paths: Mapping[str, ThreeWay[str | None]],
    *,
    store: HistoryStore | None = None,
) -> MergeHistory:
    """The history of a merge.

    Args:
        repository: Where the commits are; it is only read.
        source: What is merged.
        paths: Contested path to its names in base, ours and theirs.
        store: What was read before.

    Raises:
        RepositoryError: History is missing, or what is merged are not two commits.
    """
    ours, theirs = source.commits.ours, source.commits.theirs
    if ours is None or theirs is None:
        raise RepositoryError("one of the two sides is no commit: it has no history")
    base = source.commits.base
    facts = gather(repository, ours, theirs, paths, bases=None if base is None else (base,))
    reader = _Reader(facts, paths, store)
    return MergeHistory(
        facts, paths, names=paths, locate=reader.locate, profiles=reader.profile, twins=reader.twins
    )


def clean_history(
    repository: Repository,
    source: MergeSource,
    works: Collection[str],
    *,
    store: HistoryStore | None = None,
) -> MergeHistory:
    """The history of all that both sides worked at, whatever is contested: for what merged cleanly.

    Args:
        repository: Where the commits are; it is only read.
        source: What is merged.
        works: Works by pull request or id, all of whose paths are of interest.
        store: What was read before.

    Raises:
        RepositoryError: History is missing, or what is merged are not two commits.
    """
    ours, theirs = source.commits.ours, source.commits.theirs
    if ours is None or theirs is None:
        raise RepositoryError("one of the two sides is no commit: it has no history")
    base = source.commits.base
    bases = repository.merge_bases(ours, theirs) if base is None else (base,)
    found: set[str] = set()

    def more(walks: Sequence[Sequence[CommitFacts]]) -> set[str]:
        found.update(paths_of_interest(walks[0], walks[1], works))
        return found

    names: set[str] = set()
    mine, other = side_facts(repository, ours, theirs, bases, names, more)
    paths = sorted(found)
    facts = _facts(repository, bases, mine, other, names, dict.fromkeys(paths, ()))
    reader = _Reader(facts, paths, store)
    return MergeHistory(
        facts, paths, locate=reader.locate, profiles=reader.profile, twins=reader.twins
    )


def conflict_paths(conflicts: Iterable[Conflict]) -> dict[str, ThreeWay[str | None]]:
    """Contested path to its names in the three versions."""
    return {
        conflict.path: conflict.versions.map(lambda v: None if v is None else v.path)
        for conflict in conflicts
    }


def _decision(symbol: str, strategy: str, side: Side, reason: str, *commits: str) -> Decision:
    return Decision(
        symbol=symbol,
        outcome=Outcome.RESOLVED,
        strategy=strategy,
        side=side,
        reason=reason,
        evidence=(Evidence(kind=EvidenceKind.COMMIT, text=reason, commits=commits),),
    )


def _taken_decision(place: TakenBack) -> Decision:
    return _decision(
        place.symbol, "taken-back", place.side, place.reason, place.made, place.copied, *place.back
    )


def _without(conflict: Conflict, taken: Sequence[TakenBack]) -> Conflict:
    """The conflict as if the other side had not brought what one side took back."""
    versions = conflict.versions
    base = versions.base
    if not taken or base is None:
        return conflict
    for place in taken:
        version = versions.get(place.side.other)
        assert version is not None
        data = put_back(version.data, base.data, place.symbol)
        versions = replace(versions, **{place.side.other.value: replace(version, data=data)})
    return replace(conflict, versions=versions)


class LazyHistory:
    """History of one merge, walked when the first question comes.

    Missing history is no error here: every verdict is then unknown, and says why.

    Args:
        repository: Where the commits are.
        source: What is merged.
        conflicts: The contested paths.
        keep: Whether what is read may be kept in the repository's git folder; never for a merge in
            memory, which writes nothing there.
        reuse: Whether what an earlier run of the same merge concluded counts; without it every
            question is worked out, and :attr:`opened` knows all that were asked.
    """

    def __init__(
        self,
        repository: Repository,
        source: MergeSource,
        conflicts: Sequence[Conflict],
        *,
        keep: bool = True,
        reuse: bool = True,
    ) -> None:
        self._repository = repository
        self._reuse = reuse
        self._asked_store = False
        self._merge: bytes | None = None
        self._source = source
        self._keep = keep and source.operation != "in-memory"
        self._paths = conflict_paths(conflicts)
        self._lock = threading.RLock()
        self._history: MergeHistory | None = None
        self._store: HistoryStore | None = None
        self._trouble: str | None = None

    def _open(self) -> MergeHistory | None:
        if self._history is None and self._trouble is None:
            try:
                self._history = open_history(
                    self._repository, self._source, self._paths, store=self._opened_store()
                )
            except RepositoryError as error:
                self._trouble = error.message
        return self._history

    @property
    def opened(self) -> MergeHistory | None:
        """The history itself; ``None`` when it is not known."""
        with self._lock:
            try:
                return self._open()
            except RepositoryError as error:
                self._trouble = error.message
                return None

    def clean(self, works: Collection[str]) -> MergeHistory | None:
        """The history of what merged cleanly (:func:`clean_history`); ``None`` when it is not known."""
        with self._lock:
            try:
                return clean_history(
                    self._repository, self._source, works, store=self._opened_store()
                )
            except RepositoryError as error:
                self._trouble = error.message
                return None

    def _opened_store(self) -> HistoryStore | None:
        if not self._asked_store:
            self._asked_store = True
            self._store = store_for(self._repository, keep=self._keep)
        return self._store

    def share(self) -> None:
        """Walk the history before processes are forked that ask it, unless the store knows the answers.

        Each process opens the store for itself.
        """
        with self._lock:
            try:
                if any(self._known(self._key("clean", path)) is None for path in self._paths):
                    history = self._open()
                    if history is not None:
                        _ = history.twins
            except RepositoryError as error:
                self._trouble = error.message
            if self._store is not None:
                self._store.release()

    def _key(self, what: str, *parts: str | bytes | None) -> bytes:
        """A question of this merge in a few bytes: what is merged, what is asked, by which version."""
        if self._merge is None:
            digest = hashlib.blake2b(digest_size=20)
            commits = self._source.commits
            for part in (__version__, *map(str, commits)):
                digest.update(part.encode() + b"\0")
            for path, names in sorted(self._paths.items()):
                for part in (path, *map(str, names)):
                    digest.update(part.encode("utf-8", "surrogateescape") + b"\0")
            self._merge = digest.digest()
        digest = hashlib.blake2b(self._merge, digest_size=20)
        for item in (what, *parts):
            data = item.encode("utf-8", "surrogateescape") if isinstance(item, str) else item
            digest.update(b"-" if data is None else b"%d " % len(data) + data)
        return digest.digest()

    def _known(self, key: bytes) -> Any:
        """What an earlier run of this merge concluded."""
        if not self._reuse:
            return None
        store = self._opened_store()
        return None if store is None else store.answer(key)

    def _keep_answer(self, key: bytes, found: Any) -> None:
        if self._store is not None:
            self._store.keep_answer(key, found)
            self._store.flush()

    def verdict(self, question: Question) -> Verdict:
        """What history says of a contested thing."""
        with self._lock:
            key = self._key("verdict", question.path, question.symbol, *question.versions)
            known = self._known(key)
            if known is not None:
                with contextlib.suppress(KeyError, ValueError, TypeError):
                    return read_verdict(known)
            try:
                history = self._open()
                if history is not None and question.path in self._paths:
                    found = history.verdict(question)
                    self._keep_answer(key, plain_verdict(found))
                    return found
            except RepositoryError as error:
                self._trouble = error.message
                self._history = None
            return Verdict(
                standing=Standing.UNKNOWN,
                reason=f"History is not known: {self._trouble or 'the path is not contested'}.",
            )

    def _clean_places(self, path: str) -> tuple[NewerBase | None, tuple[TakenBack, ...]] | None:
        """The newer base of a file, and what merges cleanly and ought not to; ``None``: not known."""
        key = self._key("clean", path)
        known = self._known(key)
        if known is not None:
            with contextlib.suppress(KeyError, ValueError, TypeError):
                base, places = known
                return (
                    None if base is None else NewerBase(**base),
                    tuple(
                        TakenBack(**{**p, "side": Side(p["side"]), "back": tuple(p["back"])})
                        for p in places
                    ),
                )
        history = self._open()
        if history is None:
            return None
        newer = history.newer_base(path)
        taken = history.taken_back(path) if path.endswith(PYTHON) else ()
        self._keep_answer(
            key,
            (
                None if newer is None else asdict(newer),
                [{**asdict(place), "side": place.side.value} for place in taken],
            ),
        )
        return newer, taken

    def rebase(self, conflict: Conflict) -> Rebased:
        """The conflict with the newest state of the whole file that both sides had as its base."""
        if any(version is None for version in conflict.versions):
            return Rebased(conflict=conflict)
        with self._lock:
            try:
                found = self._clean_places(conflict.path)
                if found is None:
                    return Rebased(conflict=conflict)
                newer, taken = found
                data = None if newer is None else self._repository.objects.blob(newer.blob)
            except RepositoryError as error:
                self._trouble = error.message
                return Rebased(conflict=conflict)
        settled = tuple(_taken_decision(place) for place in taken)
        if newer is None or data is None:
            return Rebased(conflict=_without(conflict, taken), settled=settled)
        base = conflict.versions.base
        assert base is not None
        versions = replace(conflict.versions, base=replace(base, oid=newer.blob, data=data))
        how = "An earlier sync that was squashed" if newer.sync else "Both sides had"
        what = "brought the file from the other side" if newer.sync else "the whole file alike"
        reason = (
            f"{how} {what} ({newer.ours[:10]} in ours, {newer.theirs[:10]} in theirs): merged from "
            "that state."
        )
        decision = _decision("", "newest-common-state", Side.BOTH, reason, newer.ours, newer.theirs)
        return Rebased(
            conflict=replace(conflict, versions=versions),
            decision=decision,
            settled=settled,
            sync=newer.sync,
        )

    def decide(self, question: Question) -> Answer | None:
        """A newer common state as base, where there is one."""
        return HistoryDecider(self).decide(question)


def symbol_story(
    repository: Repository,
    ours: str,
    theirs: str,
    path: str,
    symbol: str,
    *,
    base: str | None = None,
) -> SymbolStory:
    """The story of one symbol between two commits.

    Args:
        repository: Where the commits are; it is only read.
        ours: Our tip: an id or any revision.
        theirs: Their tip.
        path: The file, as ours or theirs call it.
        symbol: Dotted name; empty for the whole file.
        base: Merge base; looked up unless given.

    Raises:
        RepositoryError: A revision or history is missing.
        UsageError: Neither side has the path, or no version of it has the symbol.
    """
    from mergewright.history.stories import tell  # brings a graph library along

    tips = (repository.resolve(ours), repository.resolve(theirs))
    bases = None if base is None else (repository.resolve(base),)
    paths: dict[str, ThreeWay[str | None]] = {path: ThreeWay(base=None, ours=None, theirs=None)}
    facts = gather(repository, *tips, paths, bases=bases)
    store = store_for(repository)
    reader = _Reader(facts, paths, store)
    history = MergeHistory(
        facts, paths, locate=reader.locate, profiles=reader.profile, twins=reader.twins
    )
    names = (path, *facts.renames.get(path, ()))
    if not any(facts.blob_at(tip, name) for tip in (*facts.bases, *tips) for name in names):
        raise UsageError(f"neither side has {path!r}")
    story = tell(history, path, symbol)
    if symbol and story.base == "-" and not story.steps:
        raise UsageError(
            f"no version of {path!r} has {symbol!r}",
            hint="Give functions, classes and assignments by their dotted names.",
        )
    if store is not None:
        store.close()
    return story
