"""What was read of a repository's history before, kept in one embedded database.

Everything in it can be computed again from the repository: it may be deleted at any time, and a database
that is locked, damaged or written by another version only makes the run slower. Keys are blob and commit
ids, so that nothing in it can become stale.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mergewright.history.patches import Profile
from mergewright.model.history import EvidenceClass, Standing, Twin, Verdict
from mergewright.model.threeway import Side

#: Changes with the form of what is stored; another version's tables are dropped.
FORMAT = 9
#: Size in bytes above which the oldest half of the rows goes.
MAX_BYTES = 256 * 1024 * 1024
_TIMEOUT = 5.0
_BATCH = 400

_SCHEMA = """
CREATE TABLE IF NOT EXISTS symbol (
    blob TEXT NOT NULL, name TEXT NOT NULL, body INTEGER, PRIMARY KEY (blob, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS body (id INTEGER PRIMARY KEY, digest BLOB UNIQUE NOT NULL, text BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS change (oid TEXT PRIMARY KEY, lines BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS answer (question BLOB PRIMARY KEY, found BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS twins (merge_key TEXT PRIMARY KEY, found BLOB NOT NULL) WITHOUT ROWID;
"""


def _switch_to_wal(db: sqlite3.Connection) -> None:
    """Write-ahead logging; the switch needs the file alone and does not wait by itself."""
    until = time.monotonic() + _TIMEOUT
    while True:
        try:
            if db.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
                # Trying often beats waiting long: two that wait for each other both lose.
                db.execute("PRAGMA busy_timeout=50")
                db.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            db.execute(f"PRAGMA busy_timeout={int(_TIMEOUT * 1000)}")
            return


def _is_damaged(error: Exception) -> bool:
    """Whether a file is no database, or one that cannot be read; not: locked, or not to be written."""
    code = getattr(error, "sqlite_errorcode", None)
    return code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


class HistoryStore:
    """Symbol texts by blob and name, and changes by commit; every failure means "not known".

    Safe for runs beside each other: readers never wait, writers add rows that are equal for all.

    Args:
        path: The database file; made when needed.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: sqlite3.Connection | None = None
        self._released = False
        self._symbols: dict[tuple[str, str], bytes | None] = {}
        self._changes: dict[str, Profile] = {}
        self._bodies: dict[int, bytes] = {}
        self._answers: dict[bytes, bytes] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._handle = self._open()
        except (OSError, sqlite3.Error) as error:
            self._handle = self._afresh() if _is_damaged(error) else None

    def _afresh(self) -> sqlite3.Connection | None:
        """A new database in place of a damaged one, which would be of no use to any later run either."""
        with contextlib.suppress(OSError, sqlite3.Error):
            for suffix in ("-wal", "-shm", ""):
                Path(f"{self.path}{suffix}").unlink(missing_ok=True)
            return self._open()
        return None

    @property
    def _db(self) -> sqlite3.Connection | None:
        if self._released:
            self._released = False
            with contextlib.suppress(OSError, sqlite3.Error):
                self._handle = self._open()
        return self._handle

    def release(self) -> None:
        """Write what is left and close the connection; the next question opens it again.

        A connection must not be used on both sides of a fork.
        """
        if self._handle is not None:
            self.close()
            self._released = True

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(
            self.path, timeout=_TIMEOUT, isolation_level=None, check_same_thread=False
        )
        try:
            _switch_to_wal(db)
            db.execute("PRAGMA synchronous=OFF")
            # One transaction: between the look at the version and the drop, another run may have made
            # the tables and filled them.
            db.execute("BEGIN IMMEDIATE")
            (version,) = db.execute("PRAGMA user_version").fetchone()
            if version != FORMAT:
                for table in ("symbol", "body", "change", "twins", "answer"):
                    db.execute(f"DROP TABLE IF EXISTS {table}")
            for statement in _SCHEMA.split(";"):
                if statement.strip():
                    db.execute(statement)
            db.execute(f"PRAGMA user_version={FORMAT}")
            db.execute("COMMIT")
        except sqlite3.Error:
            db.close()
            raise
        return db

    # -- symbols ----------------------------------------------------------------------------------

    def symbol(self, blob: str, name: str) -> tuple[bool, bytes | None]:
        """Whether the text of a symbol in a blob is known, and the text."""
        if self._db is None:
            return False, None
        with contextlib.suppress(sqlite3.Error, zlib.error):
            row = self._db.execute(
                "SELECT body FROM symbol WHERE blob=? AND name=?", (blob, name)
            ).fetchone()
            if row is None:
                return False, None
            if row[0] is None:
                return True, None
            text = self._bodies.get(row[0])
            if text is None:
                found = self._db.execute("SELECT text FROM body WHERE id=?", (row[0],)).fetchone()
                if found is None:
                    return False, None
                text = self._bodies[row[0]] = zlib.decompress(found[0])
            return True, text
        return False, None

    def keep_symbol(self, blob: str, name: str, text: bytes | None) -> None:
        """Remember a symbol's text; written with :meth:`flush`."""
        self._symbols[blob, name] = text
        if len(self._symbols) >= _BATCH * 10:
            self.flush()

    # -- changes ----------------------------------------------------------------------------------

    def change(self, oid: str) -> Profile | None:
        """The change of a commit, if it is known."""
        if self._db is None:
            return None
        with contextlib.suppress(sqlite3.Error, zlib.error, ValueError, TypeError):
            row = self._db.execute("SELECT lines FROM change WHERE oid=?", (oid,)).fetchone()
            if row is not None:
                added, removed = json.loads(zlib.decompress(row[0]))
                return Profile(_counter(added), _counter(removed))
        return None

    def keep_change(self, oid: str, change: Profile) -> None:
        """Remember a commit's change; written with :meth:`flush`."""
        self._changes[oid] = change

    # -- twins ------------------------------------------------------------------------------------

    def twins(self, key: str) -> tuple[Twin, ...] | None:
        """The twins of a merge, if they are known."""
        if self._db is None:
            return None
        with contextlib.suppress(sqlite3.Error, zlib.error, ValueError, TypeError, KeyError):
            row = self._db.execute("SELECT found FROM twins WHERE merge_key=?", (key,)).fetchone()
            if row is not None:
                return tuple(_twin(item) for item in json.loads(zlib.decompress(row[0])))
        return None

    def keep_twins(self, key: str, twins: Iterable[Twin]) -> None:
        """Remember the twins of a merge."""
        if self._db is None:
            return
        data = zlib.compress(json.dumps([_plain(twin) for twin in twins]).encode(), 1)
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("INSERT OR REPLACE INTO twins VALUES (?, ?)", (key, data))

    # -- answers ----------------------------------------------------------------------------------

    def answer(self, question: bytes) -> Any:
        """What was concluded on a question of one merge, as plain data; ``None`` if it is not known."""
        if self._db is None:
            return None
        with contextlib.suppress(sqlite3.Error, zlib.error, ValueError, TypeError):
            row = self._db.execute(
                "SELECT found FROM answer WHERE question=?", (question,)
            ).fetchone()
            return None if row is None else json.loads(zlib.decompress(row[0]))
        return None

    def keep_answer(self, question: bytes, found: Any) -> None:
        """Remember what was concluded; written with :meth:`flush`."""
        self._answers[question] = zlib.compress(json.dumps(found).encode(), 1)

    # -- writing ----------------------------------------------------------------------------------

    def flush(self) -> None:
        """Write what was remembered since the last time; gives up silently when it cannot."""
        symbols, changes, answers = self._symbols, self._changes, self._answers
        self._symbols, self._changes, self._answers = {}, {}, {}
        if self._db is None or not (symbols or changes or answers):
            return
        with contextlib.suppress(sqlite3.Error, OSError):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._write(symbols, changes)
                self._db.executemany("INSERT OR REPLACE INTO answer VALUES (?, ?)", answers.items())
                self._db.execute("COMMIT")
            except sqlite3.Error:
                self._db.execute("ROLLBACK")
                raise
            (pages,) = self._db.execute("PRAGMA page_count").fetchone()
            (size,) = self._db.execute("PRAGMA page_size").fetchone()
            if pages * size > MAX_BYTES:
                self._shrink()

    def _write(
        self, symbols: dict[tuple[str, str], bytes | None], changes: dict[str, Profile]
    ) -> None:
        assert self._db is not None
        numbers: dict[bytes, int] = {}
        for text in symbols.values():
            if text is None or text in numbers:
                continue
            digest = _digest(text)
            self._db.execute(
                "INSERT OR IGNORE INTO body (digest, text) VALUES (?, ?)",
                (digest, zlib.compress(text, 1)),
            )
            row = self._db.execute("SELECT id FROM body WHERE digest=?", (digest,)).fetchone()
            numbers[text] = row[0]
        self._db.executemany(
            "INSERT OR REPLACE INTO symbol VALUES (?, ?, ?)",
            (
                (blob, name, None if text is None else numbers[text])
                for (blob, name), text in symbols.items()
            ),
        )
        self._db.executemany(
            "INSERT OR REPLACE INTO change VALUES (?, ?)",
            (
                (oid, zlib.compress(json.dumps([_listed(c.added), _listed(c.removed)]).encode(), 1))
                for oid, c in changes.items()
            ),
        )

    def _shrink(self) -> None:
        assert self._db is not None
        row = self._db.execute("SELECT min(id), max(id) FROM body").fetchone()
        half = ((row[0] or 0) + (row[1] or 0)) // 2
        self._db.execute("DELETE FROM symbol WHERE body <= ? OR body IS NULL", (half,))
        self._db.execute("DELETE FROM body WHERE id <= ?", (half,))
        self._db.execute("DELETE FROM change")
        self._db.execute("DELETE FROM twins")
        self._db.execute("DELETE FROM answer")
        self._bodies.clear()
        self._db.execute("VACUUM")

    def close(self) -> None:
        """Write what is left and close the database."""
        self.flush()
        if self._db is not None:
            with contextlib.suppress(sqlite3.Error):
                self._db.close()
            self._handle = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def plain_verdict(verdict: Verdict) -> dict[str, Any]:
    """A verdict as plain data."""
    return {
        "standing": verdict.standing.value,
        "reason": verdict.reason,
        "evidence": None if verdict.evidence is None else verdict.evidence.value,
        "commits": verdict.commits,
        "follow_ups": verdict.follow_ups,
        "base": None if verdict.base is None else verdict.base.decode("latin-1"),
        "twins": [_plain(twin) for twin in verdict.twins],
        "group": verdict.group,
        "proved": verdict.proved,
        "works": verdict.works,
    }


def read_verdict(data: dict[str, Any]) -> Verdict:
    """The verdict that :func:`plain_verdict` wrote.

    Raises:
        KeyError: Something is missing.
        ValueError: A value is unknown.
    """
    return Verdict(
        standing=Standing(data["standing"]),
        reason=data["reason"],
        evidence=None if data["evidence"] is None else EvidenceClass(data["evidence"]),
        commits=tuple(data["commits"]),
        follow_ups=tuple(data["follow_ups"]),
        base=None if data["base"] is None else data["base"].encode("latin-1"),
        twins=tuple(_twin(twin) for twin in data["twins"]),
        group=data["group"],
        proved=data["proved"],
        works=tuple(data["works"]),
    )


def _plain(twin: Twin) -> dict[str, Any]:
    return {
        "ours": twin.ours,
        "theirs": twin.theirs,
        "evidence": twin.evidence.value,
        "detail": twin.detail,
        "others": [kind.value for kind in twin.others],
        "derived": None if twin.derived is None else twin.derived.value,
        "partial": twin.partial,
    }


def _twin(data: dict[str, Any]) -> Twin:
    return Twin(
        ours=tuple(data["ours"]),
        theirs=tuple(data["theirs"]),
        evidence=EvidenceClass(data["evidence"]),
        detail=data["detail"],
        others=tuple(EvidenceClass(kind) for kind in data["others"]),
        derived=None if data["derived"] is None else Side(data["derived"]),
        partial=data["partial"],
    )


def _digest(text: bytes) -> bytes:
    import hashlib

    return hashlib.blake2b(text, digest_size=20).digest()


def _listed(lines: Counter[bytes]) -> list[list[str | int]]:
    return [[line.decode("latin-1"), count] for line, count in lines.items()]


def _counter(pairs: Iterable[tuple[str, int]]) -> Counter[bytes]:
    return Counter(dict(_decoded(pairs)))


def _decoded(pairs: Iterable[tuple[str, int]]) -> Iterator[tuple[bytes, int]]:
    for line, count in pairs:
        yield line.encode("latin-1"), count
