"""Decision memory beside a repository: learnt from its accepted merges, shown, forgotten, shared."""

from __future__ import annotations

import contextlib
import fnmatch
import os
import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from mergewright.git.commits import walk
from mergewright.git.merging import merge_commits
from mergewright.git.repository import Repository
from mergewright.history.memory import (
    FORMAT,
    Memory,
    MemoryDecider,
    accepted_answer,
    from_text,
    key_of,
)
from mergewright.model.errors import RepositoryError, UsageError
from mergewright.model.history import CommitFacts
from mergewright.model.merge import Question
from mergewright.model.threeway import Side
from mergewright.resolve.engines import is_python, merge_file
from mergewright.workflows.history import CACHE_VARIABLE

STORE_NAME = "memory.sqlite"
_TIMEOUT = 10.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS memory (
    key TEXT NOT NULL, path TEXT NOT NULL, symbol TEXT NOT NULL, kind TEXT NOT NULL, side TEXT,
    text BLOB, merge_id TEXT NOT NULL, time INTEGER NOT NULL, author TEXT NOT NULL, title TEXT NOT NULL,
    PRIMARY KEY (key, merge_id, path)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS memory_merge ON memory (merge_id);
"""
_COLUMNS = "key, path, symbol, kind, side, text, merge_id, time, author, title"


def memory_file(repository: Repository, file: str | os.PathLike[str] | None = None) -> Path:
    """Where the memory of a repository lies.

    Args:
        repository: Whose memory it is.
        file: A file of one's own.

    Raises:
        UsageError: Nothing may be written beside the repository, and no other place is given.
    """
    if file is not None:
        return Path(file)
    cache = os.environ.get(CACHE_VARIABLE)
    if cache:
        return Path(cache) / STORE_NAME
    if repository.is_bare:
        raise UsageError(
            "a bare repository is only read: its memory needs a place of its own",
            hint=f"Give --file, or set {CACHE_VARIABLE}.",
        )
    return repository.common_dir / "mergewright" / STORE_NAME


class MemoryStore:
    """The memory database.

    Args:
        path: The file; made when it is not there.

    Raises:
        RepositoryError: It cannot be opened, or another version wrote it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, timeout=_TIMEOUT, check_same_thread=False)
            (version,) = self._db.execute("PRAGMA user_version").fetchone()
            if version not in (0, FORMAT):
                raise RepositoryError(f"{path} was written by another version of mergewright")
            self._db.executescript(_SCHEMA + f"PRAGMA user_version={FORMAT};")
        except (OSError, sqlite3.Error) as error:
            raise RepositoryError(f"the memory {path} cannot be opened: {error}") from error

    @contextlib.contextmanager
    def _errors(self) -> Iterator[sqlite3.Connection]:
        try:
            with self._db:
                yield self._db
        except sqlite3.Error as error:
            raise RepositoryError(f"the memory {self.path} cannot be used: {error}") from error

    def add(self, memories: Iterable[Memory]) -> int:
        """Remember; what is known already is replaced. Gives the number of new ones."""
        with self._errors() as db:
            before: int = db.execute("SELECT count(*) FROM memory").fetchone()[0]
            db.executemany(
                f"INSERT OR REPLACE INTO memory ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?)",  # noqa: S608 - constant
                (
                    (
                        m.key,
                        m.path,
                        m.symbol,
                        m.kind,
                        None if m.side is None else m.side.value,
                        m.text,
                        m.merge,
                        m.time,
                        m.author,
                        m.title,
                    )
                    for m in memories
                ),
            )
            after: int = db.execute("SELECT count(*) FROM memory").fetchone()[0]
        return after - before

    def find(self, key: str) -> tuple[Memory, ...]:
        """The memories of a key."""
        return self._select("WHERE key=?", (key,))

    def all(self, pattern: str = "") -> tuple[Memory, ...]:
        """All memories whose path, symbol (``PATH::SYMBOL``), key or merge fits a pattern.

        Args:
            pattern: A glob over ``PATH`` or ``PATH::SYMBOL``, or the start of a key or merge id;
                empty for all.
        """
        found = self._select("", ())
        return tuple(m for m in found if not pattern or _fits(m, pattern))

    def forget(
        self, pattern: str = "", *, before: int | None = None, everything: bool = False
    ) -> int:
        """Forget the memories that fit; gives their number.

        Raises:
            UsageError: Neither a pattern nor an age is given.
        """
        if not (pattern or before is not None or everything):
            raise UsageError("say what to forget: a pattern, --older-than, or --all")
        gone = [
            m for m in self.all("" if everything else pattern) if before is None or m.time < before
        ]
        with self._errors() as db:
            db.executemany(
                "DELETE FROM memory WHERE key=? AND merge_id=? AND path=?",
                ((m.key, m.merge, m.path) for m in gone),
            )
        return len(gone)

    def _select(self, where: str, values: Sequence[str]) -> tuple[Memory, ...]:
        with self._errors() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM memory {where} ORDER BY path, symbol, time",  # noqa: S608 - constant
                values,
            ).fetchall()
        return tuple(
            Memory(
                key=row[0],
                path=row[1],
                symbol=row[2],
                kind=row[3],
                side=None if row[4] is None else Side(row[4]),
                text=row[5],
                merge=row[6],
                time=row[7],
                author=row[8],
                title=row[9],
            )
            for row in rows
        )

    def close(self) -> None:
        """Close the database."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _fits(memory: Memory, pattern: str) -> bool:
    name = f"{memory.path}::{memory.symbol}"
    return (
        fnmatch.fnmatchcase(memory.path, pattern)
        or fnmatch.fnmatchcase(name, pattern)
        or (
            len(pattern) >= 7
            and (memory.key.startswith(pattern) or memory.merge.startswith(pattern))
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Learnt:
    """What a range taught.

    Attributes:
        merges: Merges looked at.
        places: Contested places in them.
        memories: The accepted answers.
        skipped: Full ids of merges that could not be made again, with the reason.
    """

    merges: int
    places: int
    memories: tuple[Memory, ...]
    skipped: tuple[tuple[str, str], ...]


class _Listener:
    """A decider that answers nothing and keeps the questions."""

    def __init__(self) -> None:
        self.heard: list[Question] = []

    def decide(self, question: Question) -> None:
        """Keep the question."""
        self.heard.append(question)


def learn(repository: Repository, revisions: str, *, limit: int | None = None) -> Learnt:
    """Make the merges of a range again and note what was accepted at each contested place.

    A merge inside a pull request (a sync's own merge commit) is held against what the pull request landed, so
    that later repairs in it count.

    Args:
        repository: Whose merges; it is only read.
        revisions: ``FROM..TO``, or one revision for all that it reaches.
        limit: Look at the newest so many merges only.

    Raises:
        RepositoryError: A revision is not there.
    """
    start, separator, end = revisions.partition("..")
    tip = repository.resolve((end if separator else start) or "HEAD")
    hide = [repository.resolve(start)] if separator and start else []
    merges = [
        commit
        for commit in walk(repository, [tip], hide=hide, changes=False)
        if len(commit.parents) == 2
    ][:limit]
    landed = _landings(repository, merges)
    places = 0
    memories: list[Memory] = []
    skipped: list[tuple[str, str]] = []
    for commit in reversed(merges):
        try:
            asked, found = _learn_merge(repository, commit, landed.get(commit.oid, commit))
        except RepositoryError as error:
            skipped.append((commit.oid, error.message))
            continue
        places += asked
        memories += found
    return Learnt(
        merges=len(merges), places=places, memories=tuple(memories), skipped=tuple(skipped)
    )


def _landings(repository: Repository, merges: Sequence[CommitFacts]) -> dict[str, CommitFacts]:
    """Merge inside a pull request to the merge that landed it, the nearest one; merges newest first."""
    by_id = {commit.oid: commit for commit in merges}
    found: dict[str, CommitFacts] = {}
    for landing in reversed(merges):
        first, second = landing.parents
        for inner in walk(repository, [second], hide=[first], changes=False):
            if inner.oid in by_id:
                found.setdefault(inner.oid, landing)
    return found


def _learn_merge(
    repository: Repository, commit: CommitFacts, landed: CommitFacts
) -> tuple[int, list[Memory]]:
    asked = 0
    found: dict[str, Memory] = {}
    with merge_commits(repository, *commit.parents) as merge:
        for conflict in merge.conflicts:
            texts = conflict.texts
            if not is_python(conflict.path, texts):
                continue
            entry = repository.objects.entry(landed.oid, conflict.path)
            if entry is None or not entry.is_blob:
                continue
            accepted = repository.objects.blob(entry.oid)
            listener = _Listener()
            merge_file(conflict.path, texts, [listener])
            for question in listener.heard:
                asked += 1
                answer = accepted_answer(question, accepted)
                if answer is None:
                    continue
                memory = Memory(
                    key=key_of(question),
                    path=conflict.path,
                    symbol=question.symbol,
                    kind=question.kind,
                    side=answer[0],
                    text=answer[1],
                    merge=landed.oid,
                    time=landed.committed,
                    author=landed.author,
                    title=landed.title,
                )
                found[memory.key] = memory
    return asked, list(found.values())


def memory_decider(
    repository: Repository,
    *,
    expire_days: int | None,
    agreeing: int,
    shared: Sequence[Path] = (),
    now: int | None = None,
) -> MemoryDecider | None:
    """What the engine asks, or ``None`` when nothing is remembered.

    Args:
        repository: Whose memory.
        expire_days: Memories older than this decide nothing.
        agreeing: So many accepted merges must agree.
        shared: Text files of memories beside the database.
        now: The time to measure age from; now unless given.

    Raises:
        RepositoryError: The database cannot be read.
        UsageError: A text file cannot be read.
    """
    known: dict[str, list[Memory]] = {}
    for file in shared:
        try:
            text = file.read_text(encoding="utf-8")
        except OSError as error:
            raise UsageError(f"the memory file {file} cannot be read: {error}") from error
        for memory in from_text(text):
            known.setdefault(memory.key, []).append(memory)
    with contextlib.suppress(UsageError):
        path = memory_file(repository)
        if path.exists():
            with MemoryStore(path) as store:
                for memory in store.all():
                    known.setdefault(memory.key, []).append(memory)
    if not known:
        return None
    return MemoryDecider(
        find=lambda key: known.get(key, ()),
        now=int(time.time()) if now is None else now,
        expire_days=expire_days,
        agreeing=agreeing,
    )
