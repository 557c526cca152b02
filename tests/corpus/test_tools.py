"""The tools around the golden cases: edits with known results, judging, fuzzing, mergiraf's examples."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from random import Random
from types import ModuleType

import pytest
from tests import fuzz
from tests.corpus.drawing import scenario
from tests.corpus.edits import Change, Edit, Scenario, apply, canonical, parse, tokens
from tests.corpus.generators import module_text
from tests.corpus.running import Result, sides_of_markers, unordered

BASE = b"import os\n\n\ndef one(a):\n    return call(a)\n"


def test_apply_keeps_the_order_of_insertions() -> None:
    """Insertions at one place stand as given; what is not touched is copied."""
    changes = [Change(9, 9, b"\nimport x", "import"), Change(9, 9, b"\nimport y", "import")]
    assert apply(BASE, changes).startswith(b"import os\nimport x\nimport y\n\n\ndef one")


def test_scenarios_hold_all_edits() -> None:
    """The right merge holds each edit's token once, each side its own ones."""
    made = 0
    for seed in range(40):
        random = Random(seed)
        found = scenario(module_text(random), random, edits=5)
        if found is None:
            continue
        made += 1
        versions = found.versions
        for edit in found.edits:
            token = edit.change.token
            if token:
                assert (token in versions.ours) == (edit.owner in ("ours", "both"))
                assert (token in versions.theirs) == (edit.owner in ("theirs", "both"))
                assert found.right.count(token) == 1
        assert all(parse(text) is not None for text in (*versions, found.right))
    assert made > 20


def test_cutting_leaves_the_edits_alone() -> None:
    """A span without edits can be cut out; one with an edit cannot."""
    at = BASE.index(b"a)\n", BASE.index(b"call"))
    edit = Edit(Change(at + 1, at + 1, b", edit_1=1", "keyword", b"edit_1"), "ours")
    whole = Scenario(base=BASE, edits=(edit,))
    smaller = whole.cut(0, 10)
    assert smaller is not None
    assert smaller.right == whole.right[10:]
    assert whole.cut(at, len(BASE)) is None


def test_canonical_sorts_only_what_has_no_order() -> None:
    """Keywords, entries and members may stand in any order; statements and arguments may not."""
    assert canonical(b"f(a=1, b=2)") == canonical(b"f( b=2, a=1 )")
    assert canonical(b"x = {'a': 1, 'b': 2}") == canonical(b"x = {'b': 2, 'a': 1}")
    assert canonical(b"f(a, b)") != canonical(b"f(b, a)")
    assert canonical(b"def f():\n    a()\n    b()\n") != canonical(b"def f():\n    b()\n    a()\n")
    assert canonical(b"f(") is None


def test_unordered_compares_members() -> None:
    """Imported names and class members are compared without their order."""
    assert unordered(b"from a import b, c\nX = 1\n") == unordered(b"X = 1\nfrom a import c, b\n")
    assert unordered(b"class A:\n    x = 1\n    y = 2\n") == unordered(
        b"class A:\n    y = 2\n    x = 1\n"
    )
    assert unordered(b"from a import b\n") != unordered(b"from a import b as c\n")


def test_sides_of_markers() -> None:
    """Markers give the three texts back; unbalanced ones give nothing."""
    text = b"a\n<<<<<<< ours\nb\n||||||| base\nc\n=======\nd\n>>>>>>> theirs\ne\n"
    sides = sides_of_markers(text)
    assert sides is not None
    assert (sides.ours, sides.base, sides.theirs) == (b"a\nb\ne\n", b"a\nc\ne\n", b"a\nd\ne\n")
    assert sides_of_markers(b"<<<<<<< ours\n") is None
    assert sides_of_markers(b">>>>>>> theirs\n") is None


def test_lost_edits_are_tokens_that_are_missing() -> None:
    """Tokens are counted edit by edit."""
    edit = Edit(Change(0, 0, b"import edit_1\n", "import", b"edit_1"), "ours")
    case = Scenario(base=BASE, edits=(edit,))
    assert tokens(case.right, case) == {b"edit_1": 1}
    assert tokens(BASE, case) == {b"edit_1": 0}


def test_fuzz_command(capsys: pytest.CaptureFixture[str]) -> None:
    """A short run ends with counts and status 0."""
    assert fuzz.main(["--merges", "5", "--seed", "3", "--lines", "40"]) == 0
    assert capsys.readouterr().out.startswith("5 merges in ")


def test_fuzz_minimises_a_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A broken engine is found out, with the smallest scenario written down."""

    def ours_always(path: str, versions: object, rules: object = None) -> Result:
        return Result(data=versions.ours, open=(), method="broken")  # type: ignore[attr-defined]

    ours_always.__wrapped__ = ours_always  # type: ignore[attr-defined]
    monkeypatch.setattr(fuzz, "run_texts", ours_always)
    arguments = ["--merges", "4", "--seed", "3", "--lines", "40", "--output", str(tmp_path)]
    assert fuzz.main(arguments) == 1
    assert "wrong" in capsys.readouterr().out
    written = sorted(tmp_path.glob("wrong-*/about.txt"))
    assert written
    assert "theirs" in written[0].read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def examples() -> ModuleType:
    """The script that runs mergiraf's examples."""
    path = Path(__file__).parents[2] / "benchmarks" / "mergiraf_examples.py"
    spec = importlib.util.spec_from_file_location("mergiraf_examples", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_mergiraf_examples(
    examples: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Expectations are compared; a folder without examples is a usage error."""
    folder = tmp_path / "working" / "both_add"
    folder.mkdir(parents=True)
    texts = {"Base": b"", "Left": b"\n\nX = 1\n", "Right": b"\n\nY = 2\n", "Expected": b"Z = 3\n"}
    for name, data in texts.items():
        (folder / f"{name}.py").write_bytes(b"import os\n" + data)
    assert examples.main([str(tmp_path)]) == 1
    assert "WORSE" in capsys.readouterr().out
    assert examples.main([str(tmp_path / "working")]) == 2
    assert examples.compare(b"f(a)\n", b"f( a )\n", clean=True) == "same tree, other layout"
