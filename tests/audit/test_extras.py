"""The optional analysers, where they are installed, and what happens where they are not."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest
from tests.audit.trees import audited, checks, one

from mergewright.audit import analysers
from mergewright.audit.analysers import DiagnosticCache, Pyrefly, Ruff, extra_analyser
from mergewright.audit.run import AuditOptions

HELPER = "class Layer:\n    def record(self):\n        return 1\n\n    def run(self):\n"
USED = HELPER + "        self.record()\n        return 2\n\n\nLayer().run()\n"
UNUSED = HELPER + "        return 2\n\n\nLayer().run()\n"


def installed(name: str) -> bool:
    beside = Path(sys.executable).parent / name
    return beside.exists() or shutil.which(name) is not None


@pytest.mark.skipif(not installed("vulture"), reason="vulture is not installed")
def test_vulture_names_a_helper_that_lost_its_last_caller() -> None:
    """Dropped call sites leave a helper that nobody calls."""
    report = audited(
        {"m.py": UNUSED.replace("record", "other")},
        {"m.py": USED},
        {"m.py": UNUSED.replace("record", "other") + "X = 1\n"},
        {"m.py": UNUSED + "X = 1\n"},
        AuditOptions(analysers=(extra_analyser("vulture"),)),
    )
    assert report.complete, report.notes
    assert "`record`" in one(report, "no-caller-left").message


@pytest.mark.skipif(not installed("ty"), reason="ty is not installed")
def test_ty_agrees_on_an_undefined_name() -> None:
    """A second opinion on the same thing is the same finding."""
    report = audited(
        {"m.py": "x = 1\n"},
        {"m.py": "import os\nx = os.sep\n"},
        {"m.py": "x = 1\ny = 2\n"},
        {"m.py": "x = os.sep\ny = 2\n"},
        AuditOptions(analysers=(Ruff(), Pyrefly(), extra_analyser("ty"))),
    )
    assert report.complete, report.notes
    assert {"pyrefly", "ruff", "ty"} <= set(one(report, "undefined-name").analysers)


def test_a_missing_analyser_is_a_note_and_not_a_clean_report(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The others go on."""

    def nowhere(name: str) -> str:
        if name == "pyrefly":
            raise analysers.AnalyserError("pyrefly is not installed")
        return real(name)

    real = analysers.executable
    monkeypatch.setattr(analysers, "executable", nowhere)
    report = audited({"a.py": "x=1\n"}, {"a.py": "x=2\n"}, {"a.py": "y=1\n"}, {"a.py": "x=zz\n"})
    assert not report.complete
    assert any("pyrefly is not installed" in note for note in report.notes)
    assert "undefined-name" in checks(report)


def test_an_analyser_that_takes_too_long_is_left_out() -> None:
    """Its time limit is a note."""
    files = [{"a.py": f"x = {n}\n"} for n in range(4)]
    report = audited(*files, AuditOptions(analysers=(Pyrefly(),), timeout=0.0001))
    assert not report.complete
    assert any("took longer than" in note for note in report.notes)


def test_diagnostics_of_a_tree_are_kept_by_its_content(tmp_path: Path) -> None:
    """The second audit runs no analyser on the parents."""
    ours, theirs = {"a.py": "x = 1\ny = zz\n"}, {"a.py": "x = 2\n"}
    cache = DiagnosticCache(tmp_path)
    options = AuditOptions(analysers=(Ruff(),), cache=cache)
    first = audited({"a.py": ""}, ours, theirs, {"a.py": "x = 3\ny = qq\n"}, options)
    assert len(list(tmp_path.glob("*.json.gz"))) == 3
    second = audited({"a.py": ""}, ours, theirs, {"a.py": "x = 3\ny = qq\n"}, options)
    assert [f.id for f in first.findings] == [f.id for f in second.findings]
    for kept in tmp_path.glob("*.json.gz"):
        kept.write_bytes(b"damaged")
    third = audited({"a.py": ""}, ours, theirs, {"a.py": "x = 3\ny = qq\n"}, options)
    assert third.complete
    assert [f.id for f in third.findings] == [f.id for f in first.findings]
