"""Trees that do not parse, analysers that fail for real, processes that die: told, never "clean"."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest
from tests.audit.trees import LABELS, audited, checks, one, tree, trees

from mergewright.audit import analysers
from mergewright.audit.analysers import AnalyserError, Pyrefly, Ruff, export
from mergewright.audit.beside import Beside, run_stages
from mergewright.audit.run import AuditOptions, audit_trees
from mergewright.audit.values import Finding, Place, Tier, Tree

BROKEN_USE = (
    {"a.py": "import os\n", "b.py": "x = 1\n"},
    {"a.py": "import os\nx = os.sep\n", "b.py": "x = 1\n"},
    {"a.py": "import os\ny = 1\n", "b.py": "x = 2\n"},
    {"a.py": "x = os.sep\ny = 1\n", "b.py": "x = 2\n"},
)

PROGRAMS = {
    "crashes": "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n",
    "panics": "import sys\nprint('thread main panicked at src/lib.rs', file=sys.stderr)\nsys.exit(101)\n",
    "writes nonsense": "print('no json at all')\n",
    "writes a list": "print('[1, 2]')\n",
    "writes odd entries": "print('{\"errors\": [1, null]}')\n",
    "says nothing": "",
    "hangs": "import time\ntime.sleep(60)\n",
}
EXPECTED = {
    "crashes": "ended with status -11",
    "panics": "ended with status 101: thread main panicked",
    "writes nonsense": "no readable output",
    "writes a list": "gave a list for its result",
    "writes odd entries": "unreadable output",
    "says nothing": "no readable output",
    "hangs": "took longer than",
}


@pytest.mark.parametrize("how", PROGRAMS)
def test_an_analyser_that_fails_is_told_and_the_others_go_on(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real program in pyrefly's place: it crashes, hangs, or gives what cannot be read."""
    fake = tmp_path / "pyrefly"
    version = "import sys\nif '--version' in sys.argv:\n    print('pyrefly 0')\n    sys.exit()\n"
    fake.write_text(f"#!{sys.executable} -S\n{version}{PROGRAMS[how]}", encoding="utf-8")
    fake.chmod(0o755)
    real = analysers.executable
    monkeypatch.setattr(
        analysers, "executable", lambda name: str(fake) if name == "pyrefly" else real(name)
    )
    timeout = 1.5 if how == "hangs" else 60.0
    report = audited(*BROKEN_USE, AuditOptions(analysers=(Pyrefly(), Ruff()), timeout=timeout))
    assert not report.complete
    (note,) = report.notes
    assert note.startswith("pyrefly was not compared: ")
    assert EXPECTED[how] in note
    assert one(report, "undefined-name").tier is Tier.ERROR


def test_trees_that_cannot_be_read_as_python() -> None:
    """Bytes, a NUL, another encoding, deep nesting: notes or findings, no crash."""
    odd = {
        "a.py": b"\xff\xfe\x00bad",
        "b.py": b"# -*- coding: latin-1 -*-\nx = '\xe4'\n",
        "c.py": "x = " + "(" * 300 + ")" * 300 + "\n",
        "d.py": b"",
    }
    report = audited(odd, odd | {"d.py": "x = 1\n"}, odd | {"d.py": "y = 1\n"}, odd)
    assert report.complete, report.notes


def test_a_tree_of_which_no_file_parses_is_not_clean() -> None:
    """Each file that a parent had whole is an error of its own."""
    good = {f"m{n}.py": f"x = {n}\n" for n in range(3)}
    bad = dict.fromkeys(good, "def f(:\n")
    report = audited(good, good | {"o.py": "o = 1\n"}, good | {"t.py": "t = 1\n"}, bad)
    assert report.complete, report.notes
    assert {f.path for f in report.findings if f.check == "does-not-parse"} == set(good)


def test_a_blob_that_is_missing_is_told() -> None:
    """A partial clone, a damaged store: the checks that needed it failed, and the report says so."""
    four = trees(*BROKEN_USE)

    def read(oid: str) -> bytes:
        if oid == four.ours.files["a.py"]:
            raise OSError("object is missing")
        return four.ours.read(oid)

    hurt = trees(*BROKEN_USE)
    ours = Tree(files=four.ours.files, read=read)
    report = audit_trees(
        type(hurt)(base=hurt.base, ours=ours, theirs=hurt.theirs, merged=hurt.merged), labels=LABELS
    )
    assert not report.complete
    assert any("object is missing" in note for note in report.notes)


def test_hostile_paths_are_not_exported(tmp_path: Path) -> None:
    """Nothing is written outside of the folder."""
    files = {"../evil.py": "x\n", "/abs.py": "x\n", "ok/a.py": "x\n"}
    assert export(tree(files), tmp_path / "in") == 1
    assert not (tmp_path / "evil.py").exists()


def test_a_second_tree_is_written_over_the_first(tmp_path: Path) -> None:
    """Only what differs is written; a folder makes room for a file and the other way round."""
    first = tree({"a.py": "1\n", "b.py/c.py": "2\n", "d.py": "3\n", "e/f/g.py": "4\n"})
    second = tree({"a.py": "1\n", "b.py": "5\n", "d.py/h.py": "6\n", "no.txt": "7\n"})
    folder = tmp_path / "tree"
    export(first, folder)
    kept = (folder / "a.py").stat().st_mtime_ns
    assert export(second, folder, first) == 3
    there = {
        str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert there == {"a.py": "1\n", "b.py": "5\n", "d.py/h.py": "6\n"}
    assert (folder / "a.py").stat().st_mtime_ns == kept
    assert not (folder / "e").exists()


def _finding() -> Finding:
    return Finding(
        check="c", tier=Tier.HINT, subject="s", message="m", places=(Place(path=f"{os.getpid()}"),)
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_checks_in_a_second_process_give_what_they_give_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Findings come back; a check that fails there is told; a process that dies fails all of them."""
    # A thread that another test left behind, or the runner's, is no reason not to fork here.
    monkeypatch.setattr(threading, "active_count", lambda: 1)

    def fails() -> list[Finding]:
        raise ValueError("no")

    good, bad = Beside([("one", lambda: [_finding()]), ("two", fails)], fork=True).outcomes()
    assert good.findings[0].path != str(os.getpid())
    assert (bad.findings, bad.failure) == ((), "ValueError: no")
    dead = Beside([("one", lambda: os._exit(9)), ("two", list)], fork=True).outcomes()
    assert [(o.name, o.failure) for o in dead] == [
        ("one", "its process ended with status 9"),
        ("two", "its process ended with status 9"),
    ]


def test_one_process_and_two_give_the_same_report() -> None:
    """Where checks run is of no concern to what they find."""
    alone = audited(*BROKEN_USE, AuditOptions(analysers=(), fork_from=10**9))
    both = audited(*BROKEN_USE, AuditOptions(analysers=(), fork_from=0))
    assert both.complete
    assert both.findings == alone.findings
    assert checks(both)
    assert run_stages([]) == []


def test_analyser_errors_are_of_one_kind() -> None:
    """Whatever an analyser does, callers catch one exception."""
    with pytest.raises(AnalyserError, match="is not installed"):
        analysers.executable("mergewright-nowhere")
