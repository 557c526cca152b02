"""What single blobs say, kept on disk between runs: most blobs of a merged tree are a parent's too.

An entry is a function of the blob's bytes and of the code that read them, so it never grows stale: the
file's name carries a digest of that code and the version of Python whose grammar read it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mergewright.audit import source as source_module
from mergewright.audit import textfacts as text_module
from mergewright.audit.source import Class, Fact, Function, Import, Parameter, Source, Span
from mergewright.audit.textfacts import TextFacts

#: More entries than this are not kept; the oldest go first. An entry takes some 3 kB.
LIMIT = 30_000

#: Seconds after which the file of another version goes, when nobody writes it any more.
_WEEK = 7 * 24 * 3600.0


def _identity() -> str:
    """Digest of what an entry depends on besides its blob; empty when our own code cannot be read."""
    digest = hashlib.sha256(repr(sys.version_info[:3]).encode())
    try:
        for file in (__file__, source_module.__file__, text_module.__file__):
            digest.update(Path(file).read_bytes())
    except OSError:
        return ""
    return digest.hexdigest()[:16]


class Kept:
    """Entries by kind and blob id in one SQLite file; without a folder it keeps nothing.

    A file that cannot be read or written is no error: what it does not give is found out anew. It is
    opened at first use, in the process that uses it.

    Args:
        folder: Where the file stands; ``None`` keeps nothing.
        limit: How many entries are kept.
    """

    def __init__(self, folder: Path | None, limit: int = LIMIT) -> None:
        self._folder = folder
        self._limit = limit
        self._opened: tuple[int, sqlite3.Connection | None] | None = None
        self._abandoned: list[sqlite3.Connection] = []
        self._pending: list[tuple[str, str, bytes]] = []

    def _connection(self) -> sqlite3.Connection | None:
        if self._folder is None:
            return None
        if self._opened is not None and self._opened[0] == os.getpid():
            return self._opened[1]
        if self._opened is not None and self._opened[1] is not None:
            # Of the process that forked this one: not ours to use, nor to close.
            self._abandoned.append(self._opened[1])
        self._pending = []
        self._opened = (os.getpid(), self._open(self._folder))
        return self._opened[1]

    def _open(self, folder: Path) -> sqlite3.Connection | None:
        identity = _identity()
        if not identity:
            return None
        path = folder / f"facts-{identity}.sqlite"
        try:
            if not path.exists():
                folder.mkdir(parents=True, exist_ok=True)
                for old in folder.glob("facts-*.sqlite"):
                    # Of another version, which may still be at work beside this one.
                    if time.time() - old.stat().st_mtime > _WEEK:
                        old.unlink(missing_ok=True)
            connection = sqlite3.connect(path, timeout=5, isolation_level=None)
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(
                "CREATE TABLE IF NOT EXISTS entry "
                "(kind TEXT, oid TEXT, data BLOB, PRIMARY KEY (kind, oid))"
            )
        except sqlite3.Error as error:
            self._refused(error)
            return None
        except OSError:
            return None
        return connection

    def get(self, kind: str, oid: str) -> Any:
        """A kept entry as JSON gives it; ``None`` when there is none or it cannot be read."""
        connection = self._connection()
        if connection is None:
            return None
        try:
            row = connection.execute(
                "SELECT data FROM entry WHERE kind = ? AND oid = ?", (kind, oid)
            ).fetchone()
            return None if row is None else json.loads(zlib.decompress(row[0]))
        except sqlite3.Error as error:
            self._refused(error)
        except (zlib.error, ValueError, TypeError):
            pass
        return None

    def _refused(self, error: sqlite3.Error) -> None:
        """A file that is damaged goes, so that the next run can begin a new one."""
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(
            error, sqlite3.OperationalError
        )
        if damaged and self._folder is not None:
            with suppress(OSError):
                (self._folder / f"facts-{_identity()}.sqlite").unlink(missing_ok=True)
        self._opened = (os.getpid(), None)

    def put(self, kind: str, oid: str, entry: Callable[[], object]) -> None:
        """Keep an entry, written by :meth:`flush`.

        Args:
            kind: Its kind.
            oid: Id of the blob.
            entry: Makes the entry; not called where nothing is kept.
        """
        if self._connection() is None or len(self._pending) >= self._limit:
            return
        data = json.dumps(entry(), separators=(",", ":")).encode()
        self._pending.append((kind, oid, zlib.compress(data, 1)))

    def flush(self) -> None:
        """Write what was put, in one transaction."""
        connection = self._connection()
        pending, self._pending = self._pending, []
        if connection is None or not pending:
            return
        try:
            with _transaction(connection):
                connection.executemany("INSERT OR REPLACE INTO entry VALUES (?, ?, ?)", pending)
                connection.execute(
                    "DELETE FROM entry WHERE rowid <= (SELECT max(rowid) FROM entry) - ?",
                    (self._limit,),
                )
        except sqlite3.Error as error:
            self._refused(error)

    def close(self) -> None:
        """Write what was put and close the file."""
        self.flush()
        if self._opened is not None and self._opened[1] is not None:
            self._opened[1].close()
        self._opened = None

    # -- the two kinds -------------------------------------------------------------------------

    def source(self, oid: str) -> Source | None:
        """The kept source of a blob."""
        entry = self.get("source", oid)
        try:
            return None if entry is None else _decode(entry)
        except (TypeError, ValueError, IndexError, KeyError, AttributeError):
            return None

    def put_source(self, oid: str, source: Source) -> None:
        """Keep the source of a blob."""
        self.put("source", oid, lambda: _encode(source))

    def text(self, oid: str) -> TextFacts | None:
        """The kept text facts of a blob."""
        entry = self.get("text", oid)
        try:
            return None if entry is None else TextFacts.from_plain(entry)
        except (TypeError, ValueError, IndexError, KeyError, AttributeError):
            return None

    def put_text(self, oid: str, facts: TextFacts) -> None:
        """Keep the text facts of a blob."""
        self.put("text", oid, facts.plain)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _encode(source: Source) -> list[object]:
    facts: dict[str, dict[str, dict[str, list[int]]]] = {}
    for fact, lines in source.fact_lines.items():
        facts.setdefault(fact.owner, {}).setdefault(fact.kind, {})[fact.name] = lines
    return [
        source.error,
        source.error_line,
        source.spans,
        {
            name: [
                cls.line,
                cls.bases,
                cls.members,
                cls.attributes,
                cls.decorators,
                cls.dynamic,
                cls.fields,
            ]
            for name, cls in source.classes.items()
        },
        {
            name: [function.params, function.decorators, function.line, function.bound]
            for name, function in source.functions.items()
        },
        source.names,
        source.imports,
        source.stars,
        source.exports,
        source.dynamic,
        facts,
        sorted(source.used),
    ]


def _decode(entry: list[Any]) -> Source:
    (
        error,
        error_line,
        spans,
        classes,
        functions,
        names,
        imports,
        stars,
        exports,
        dynamic,
        facts,
        used,
    ) = entry
    make = tuple.__new__
    fact_lines: dict[Fact, list[int]] = {
        make(Fact, (kind, owner, name)): lines
        for owner, kinds in facts.items()
        for kind, found in kinds.items()
        for name, lines in found.items()
    }
    counts: Counter[Fact] = Counter()
    dict.update(counts, {fact: len(lines) for fact, lines in fact_lines.items()})
    return Source(
        error=error,
        error_line=error_line,
        spans=[make(Span, span) for span in spans],
        classes={
            name: Class(
                line, tuple(bases), members, attributes, tuple(decorators), is_dynamic, fields
            )
            for name, (
                line,
                bases,
                members,
                attributes,
                decorators,
                is_dynamic,
                fields,
            ) in classes.items()
        },
        functions={
            name: Function(
                tuple([make(Parameter, param) for param in params]), tuple(decorators), line, bound
            )
            for name, (params, decorators, line, bound) in functions.items()
        },
        names=names,
        imports={name: make(Import, entry) for name, entry in imports.items()},
        stars=[make(Import, star) for star in stars],
        exports=None if exports is None else tuple(exports),
        dynamic=dynamic,
        facts=counts,
        fact_lines=fact_lines,
        used=set(used),
    )
