"""What blobs say is kept between runs, and never changes what the audit says."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest
from tests.audit.trees import LABELS, tree, trees

from mergewright.audit import index, source, textfacts
from mergewright.audit.analysers import DiagnosticCache
from mergewright.audit.index import Index, Sources
from mergewright.audit.kept import Kept
from mergewright.audit.run import AuditOptions, audit_trees
from mergewright.audit.source import Source, read_source
from mergewright.audit.textfacts import TextFacts, read_text

OWN = [Path(module.__file__ or "") for module in (index, source, textfacts)]
TEXTS = {
    "a.py": """
        import os, sys as system
        from . import near
        from ..far import (one as uno, two)
        from pack import *

        __all__ = ["A", "\\udc80"]

        class A(near.Base, Generic[T]):
            field: int
            other: str = ""

            @staticmethod
            def f(a, /, b=1, *args, c, **kw) -> None:
                "what it does"

            def g(self):
                self.made = args.read
                setattr(self, "named", 1)
                self.f(1, c=2).h(d=3)

        parser.add_argument("--old", action="store_true", help="Deprecated, use --new")
        """,
    "b.py": "def broken(:\n",
    "c.py": "",
}


def file_of(folder: Path) -> Path:
    (found,) = folder.glob("facts-*.sqlite")
    return found


@pytest.mark.parametrize("name", [*TEXTS, *(str(path) for path in OWN)])
def test_a_kept_entry_is_what_was_read(tmp_path: Path, name: str) -> None:
    """Reading an entry back gives what reading the file gives, of any file."""
    data = (tree(TEXTS).data(name) if name in TEXTS else Path(name).read_bytes()) or b""
    writing = Kept(tmp_path)
    writing.put_source("oid", read_source(data))
    writing.put_text("oid", read_text(data))
    writing.close()
    reading = Kept(tmp_path)
    assert reading.source("oid") == read_source(data)
    assert reading.text("oid") == read_text(data)
    reading.close()


def test_the_second_run_reads_no_file_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one run read is not read by the next one, and both say the same."""
    base = {"a.py": "import os\n\ndef f(x):\n    return os.path.join(x)\n"}
    ours = {"a.py": "import os\n\ndef f(x, y):\n    return os.path.join(x, y)\n"}
    theirs = {"a.py": "import os\nimport re\n\ndef f(x):\n    return re.sub(x, os.path.join(x))\n"}
    merged = {"a.py": "import os\n\ndef f(x):\n    return os.path.join(x)\n"}
    four = trees(base, ours, theirs, merged)
    options = AuditOptions(analysers=(), cache=DiagnosticCache(tmp_path))
    first = audit_trees(four, labels=LABELS, options=options)

    def never(_: bytes) -> Source:
        raise AssertionError("read again")

    monkeypatch.setattr(index, "read_source", never)
    monkeypatch.setattr(index, "read_text", never)
    second = audit_trees(four, labels=LABELS, options=options)
    assert first.findings
    assert second.findings == first.findings
    assert first.complete
    assert second.complete


@pytest.mark.parametrize("damage", [b"no database", b"SQLite format 3\0" + b"x" * 5000])
def test_a_damaged_file_is_thrown_away(tmp_path: Path, damage: bytes) -> None:
    """A file that is no database gives nothing and is begun anew by the next run."""
    kept = Kept(tmp_path)
    kept.put_source("oid", read_source(b"x = 1\n"))
    kept.close()
    file_of(tmp_path).write_bytes(damage)
    kept = Kept(tmp_path)
    assert kept.source("oid") is None
    kept.put_source("oid", read_source(b"x = 1\n"))
    kept.close()
    again = Kept(tmp_path)
    again.put_source("oid", read_source(b"x = 1\n"))
    again.flush()
    assert again.source("oid") == read_source(b"x = 1\n")
    again.close()


@pytest.mark.parametrize("entry", ["[]", "[1, 2]", "{}", "3", "no json", '["", 0, 1, 1]'])
def test_an_entry_of_another_shape_is_none(tmp_path: Path, entry: str) -> None:
    """An entry that is not as we write it is read from its file instead."""
    import zlib

    kept = Kept(tmp_path)
    kept.put_source("oid", read_source(b"x = 1\n"))
    kept.close()
    with sqlite3.connect(file_of(tmp_path)) as connection:
        connection.execute("UPDATE entry SET data = ?", (zlib.compress(entry.encode()),))
        connection.execute("INSERT INTO entry SELECT 'text', oid, data FROM entry")
    connection.close()
    kept = Kept(tmp_path)
    assert kept.source("oid") is None
    assert kept.text("oid") is None
    one = tree({"a.py": "x = 1\n"})
    assert Index(one, Sources(kept)).source("a.py") == read_source(b"x = 1\n")
    kept.close()


def test_the_oldest_entries_go(tmp_path: Path) -> None:
    """No more than the limit is kept."""
    for start in (0, 3):
        kept = Kept(tmp_path, limit=4)
        for number in range(start, start + 3):
            kept.put("source", str(number), lambda: [1])
        kept.close()
    kept = Kept(tmp_path, limit=4)
    assert [n for n in range(6) if kept.get("source", str(n)) is not None] == [2, 3, 4, 5]
    kept.close()


def test_files_of_other_versions_go_when_they_are_old(tmp_path: Path) -> None:
    """One that was written lately may be in use."""
    for name, age in (("facts-old.sqlite", 30 * 24 * 3600), ("facts-new.sqlite", 60)):
        (tmp_path / name).write_bytes(b"")
        stamp = time.time() - age
        os.utime(tmp_path / name, (stamp, stamp))
    kept = Kept(tmp_path)
    assert kept.get("source", "oid") is None
    kept.close()
    assert not (tmp_path / "facts-old.sqlite").exists()
    assert (tmp_path / "facts-new.sqlite").exists()


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """Without a place to keep things everything is read from the files."""
    (tmp_path / "file").write_text("")
    kept = Kept(tmp_path / "file" / "folder")
    kept.put_source("oid", read_source(b"x = 1\n"))
    kept.flush()
    assert kept.source("oid") is None
    kept.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_opens_the_file_for_itself(tmp_path: Path) -> None:
    """A fork uses neither the connection nor the entries that wait in its parent."""
    kept = Kept(tmp_path)
    kept.put("source", "parent", lambda: [1])
    pid = os.fork()
    if not pid:
        try:
            kept.put("source", "child", lambda: [2])
            kept.flush()
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    assert kept.get("source", "child") == [2]
    assert kept.get("source", "parent") is None
    kept.flush()
    assert kept.get("source", "parent") == [1]
    kept.close()


def test_text_facts_are_plain_data() -> None:
    """Text facts survive JSON."""
    facts = read_text(tree(TEXTS).data("a.py") or b"")
    assert facts.reads == {"read"}
    assert facts.aliases == {"old": "new"}
    assert facts.headers == (("A", ("Base", "Generic")),)
    assert facts.top_imports("pack.inner.mod", "pack/inner/mod.py") == {
        "os", "sys", "pack.inner", "pack.inner.near", "pack.far", "pack.far.one", "pack.far.two",
        "pack",
    }  # fmt: skip
    assert TextFacts.from_plain(json.loads(json.dumps(facts.plain()))) == facts
    assert replace(facts, imports=()) != facts
