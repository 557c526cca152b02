"""Public names that a merge takes away: moved, no longer exported, kept in `__all__` alone, starred."""

from __future__ import annotations

from tests.audit.trees import Files, audited, checks, facts_only, one

from mergewright.audit.analysers import Pyrefly, Ruff
from mergewright.audit.run import AuditOptions
from mergewright.audit.values import AuditReport, Tier

LIB = "def keep(): ...\n\n\ndef gone(): ...\n"
LESS = "def keep(): ...\n"
ALL = '__all__ = ["keep", "gone"]\n\n\n'
STAR = "from pkg.more import *\n\n\n"
BASE: Files = {"pkg/lib.py": LIB, "use.py": "x = 1\n"}
MOVED: Files = {**BASE, "pkg/lib.py": LESS, "pkg/other.py": "def gone(): ...\n"}


def both_analysers(*files: Files) -> AuditReport:
    base, ours, theirs, merged = files
    return audited(base, ours, theirs, merged, AuditOptions(analysers=(Ruff(), Pyrefly())))


def test_an_entry_of_all_whose_definition_moved_away() -> None:
    """Theirs moved the function, ours kept the list: the export names nothing."""
    ours: Files = {"pkg/lib.py": ALL + LIB}
    theirs: Files = {"pkg/lib.py": LESS, "pkg/other.py": "def gone(): ...\n"}
    merged: Files = {**theirs, "pkg/lib.py": ALL + LESS}
    found = one(both_analysers({"pkg/lib.py": LIB}, ours, theirs, merged), "undefined-export")
    assert found.tier is Tier.ERROR
    assert "gone" in found.message


def test_a_function_that_moved_while_others_still_import_it() -> None:
    """Theirs moved it, ours imports it from where it was."""
    use: Files = {"use.py": "from pkg.lib import gone\ngone()\n"}
    report = both_analysers(BASE, {**BASE, **use}, MOVED, {**MOVED, **use})
    found = one(report, "missing-name")
    assert found.tier is Tier.ERROR
    assert found.had == "ours"


def test_a_star_import_hands_a_name_on() -> None:
    """What a module has through a star is there; when its source loses it, it is not."""
    base: Files = {"pkg/lib.py": STAR + LESS, "pkg/more.py": "def extra(): ...\n", "use.py": "\n"}
    use: Files = {"use.py": "from pkg.lib import extra\nextra()\n"}
    same: Files = {**base, "pkg/lib.py": STAR + LIB}
    assert checks(both_analysers(base, {**base, **use}, same, {**same, **use})) == []
    theirs: Files = {**base, "pkg/more.py": "def other(): ...\n"}
    report = both_analysers(base, {**base, **use}, theirs, {**theirs, **use})
    assert one(report, "missing-name").had == "ours"


def test_a_public_name_that_left_its_module_is_a_hint_unless_it_is_exported_there() -> None:
    """Outside code may import it from where it was."""
    merged: Files = {**MOVED, "use.py": "x = 2\n"}
    found = one(facts_only(BASE, {**BASE, "use.py": "x = 2\n"}, MOVED, merged), "public-name-moved")
    assert found.tier is Tier.HINT
    assert "pkg/other.py" in found.message
    again: Files = {**merged, "pkg/lib.py": f"from pkg.other import gone\n{LESS}"}
    assert "public-name-moved" not in checks(facts_only(BASE, BASE, again, again))


def test_files_of_both_that_were_taken_whole_are_named() -> None:
    """One hint a side."""
    report = facts_only({"a.md": "1\n"}, {"a.md": "2\n"}, {"a.md": "3\n"}, {"a.md": "3\n"})
    (found,) = [f for f in report.findings if f.check == "taken-whole"]
    assert found.subject == "theirs"
    assert found.tier is Tier.HINT
