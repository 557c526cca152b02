"""Steps on files that still have open places."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergewright.git.repository import Repository
from mergewright.model.merge import Contested, FileMerge
from mergewright.model.resolution import Deferred, Outcome, Resolved
from mergewright.model.threeway import Side, ThreeWay
from mergewright.rules.openfiles import Edit, carry
from mergewright.rules.rename import rename_splices
from mergewright.rules.schema import RenameRule
from mergewright.rules.syntax import Splice, apply
from mergewright.testing import File, Sandbox
from mergewright.text.markers import marker_size_for, read, render
from mergewright.workflows.resolving import Settings, plan_merge

RENAME = (
    "  - {id: ren, reason: old name, match: {path: '**'}, action: rename, from: args.hybrid, "
    "to: args.dynamic, forms: attribute}\n"
)
LABELS = ThreeWay(base="base", ours="ours", theirs="theirs")


def outcome(
    tmp_path: Path, rules: str, base: str, ours: str, theirs: str, **others: str
) -> tuple[Resolved | Deferred, tuple[str, ...]]:
    """What becomes of ``a.py``, and the warnings about it."""
    repository = Sandbox(tmp_path).repository()
    first: dict[str | bytes, str | bytes | File | None] = {"a.py": dedent(base), "z.py": "1\n"}
    first.update(others)
    repository.three_way(first, {"a.py": dedent(ours)}, {"a.py": dedent(theirs), "z.py": "2\n"})
    file = tmp_path / "rules.yaml"
    file.write_text(f"version: 1\nrules:\n{rules}", encoding="utf-8")
    settings = Settings(rules=(file,))
    with plan_merge(Repository.open(repository.path), "dev", "main", settings=settings) as plan:
        found = next(entry.outcome for entry in plan.plan.paths if entry.path == "a.py")
        assert isinstance(found, Resolved | Deferred)
        return found, tuple(w for w in plan.plan.warnings if w.startswith("a.py"))


def sides(data: bytes | None) -> tuple[str, str]:
    """A text with markers as ours and as theirs would have it."""
    texts: ThreeWay[bytes | None] = ThreeWay(base=None, ours=None, theirs=None)
    merge = read(data or b"", texts)
    assert merge is not None
    return merge.text(Side.OURS).decode(), merge.text(Side.THEIRS).decode()


def test_a_name_is_renamed_around_and_inside_an_open_place(tmp_path: Path) -> None:
    """The settled part and both sides' lines get the new name; the place stays open."""
    base = "a = args.hybrid\nb = 1\nc = 1\n"
    found, warnings = outcome(
        tmp_path,
        RENAME,
        base,
        base.replace("b = 1", "b = args.hybrid or 2"),
        base.replace("b = 1", "b = args.hybrid or 3"),
    )
    assert isinstance(found, Deferred)
    assert found.data is not None
    assert b"args.hybrid" not in found.data
    assert sides(found.data) == (
        "a = args.dynamic\nb = args.dynamic or 2\nc = 1\n",
        "a = args.dynamic\nb = args.dynamic or 3\nc = 1\n",
    )
    assert {d.rule for d in found.decisions if d.outcome is Outcome.RESOLVED} == {"ren"}
    (left,) = [d for d in found.decisions if d.outcome is Outcome.DEFERRED]
    assert left.span == (2, 8)
    assert warnings == ()


def test_a_place_that_was_about_the_name_alone_is_settled(tmp_path: Path) -> None:
    """Where ours' whole edit was the rename, theirs' edit stands, with the new name."""
    found, _ = outcome(
        tmp_path,
        RENAME,
        "b = f(args.hybrid)\n",
        "b = f(args.dynamic)\n",
        "b = f(args.hybrid or 3)\n",
    )
    assert isinstance(found, Resolved)
    assert found.data == b"b = f(args.dynamic or 3)\n"
    assert all(gate.passed for gate in found.gates)


KEEP = "  - {{id: keep, reason: ours is broader, match: {{path: a.py, symbol: {}}}, action: {}}}\n"


def test_a_kept_symbol_takes_its_open_places_along(tmp_path: Path) -> None:
    """``keep-ours`` settles what is open inside the symbol and leaves what is open elsewhere."""
    base = "def f(x):\n    y = x\n    return y\n\n\nz = 1\n"
    ours = base.replace("y = x", "y = one(x)").replace("z = 1", "z = 2")
    theirs = base.replace("y = x", "y = two(x)").replace("z = 1", "z = 3")
    found, _ = outcome(tmp_path, KEEP.format("f", "keep-ours"), base, ours, theirs)
    assert isinstance(found, Deferred)
    assert found.open_places == 1
    mine, other = sides(found.data)
    assert mine == ours
    assert other == ours.replace("z = 2", "z = 3")
    assert [d.symbol for d in found.decisions if d.outcome is Outcome.DEFERRED] == ["z"]


def test_a_file_whose_last_place_a_step_settles_is_resolved(tmp_path: Path) -> None:
    """With nothing open any more the file goes through the gates and is settled."""
    base = "def f(x):\n    y = x\n    return y\n\n\nz = 1\n"
    found, _ = outcome(
        tmp_path,
        KEEP.format("f", "keep-theirs"),
        base,
        base.replace("y = x", "y = one(x)"),
        base.replace("y = x", "y = two(x)"),
    )
    assert isinstance(found, Resolved)
    assert found.data == base.replace("y = x", "y = two(x)").encode()


def test_a_dropped_symbol_goes_from_theirs_lines(tmp_path: Path) -> None:
    """``drop`` takes a legacy function out, while another place stays open."""
    base = "def f(x):\n    return x\n\n\nz = 1\n"
    theirs = "def f(x):\n    return x\n\n\ndef legacy(x):\n    return x\n\n\nz = 3\n"
    found, _ = outcome(
        tmp_path, KEEP.format("legacy", "drop"), base, base.replace("z = 1", "z = 2"), theirs
    )
    assert isinstance(found, Deferred)
    assert sides(found.data) == (
        base.replace("z = 1", "z = 2"),
        base.replace("z = 1", "z = 3"),
    )


CALLERS = """\
  - id: call
    reason: renamed
    match: {path: '**'}
    action: patch-callers
    interface: lib.py
    table: [{call: old_name, becomes: new_name}]
"""


def test_callers_are_patched_in_an_open_file(tmp_path: Path) -> None:
    """A call in the settled part and one in a side's lines are written for the interface."""
    base = "import lib\n\nx = 0\n\n\ndef f(o):\n    return o\n"
    found, warnings = outcome(
        tmp_path,
        CALLERS,
        base,
        base.replace("x = 0", "x = 1"),
        base.replace("x = 0", "x = lib.old_name(2)").replace("return o", "return o.old_name()"),
        **{"lib.py": "def new_name(x=0):\n    return x\n"},
    )
    assert isinstance(found, Deferred)
    mine, other = sides(found.data)
    assert mine.endswith("return o.new_name()\n")
    assert "x = lib.new_name(2)" in other
    assert "old_name" not in mine + other
    assert warnings == ()


USES = (
    "  - {id: uses, reason: r, match: {path: a.py}, action: keep-uses, side: ours, uses: Wrap, "
    "instead-of: Alt}\n"
)


def test_what_was_used_instead_stays_where_only_one_choice_has_the_kept_use(
    tmp_path: Path,
) -> None:
    """Ours' lines have the use, theirs' would not get it: then neither loses what theirs used."""
    base = "def f(a):\n    x = 1\n    return a\n\n\ndef g(a):\n    go(a)\n    return a\n"
    ours = base.replace("x = 1", "x = Wrap(2)")
    theirs = base.replace("x = 1", "x = 3").replace("go(a)\n", "go(a)\n    Alt(a)\n")
    found, warnings = outcome(tmp_path, USES, base, ours, theirs)
    assert isinstance(found, Deferred)
    assert all("Alt(a)" in text for text in sides(found.data))
    assert any("only where one side is taken" in warning for warning in warnings)


IMPORTS = "  - {id: imp, reason: lost, match: {path: '**'}, action: restore-imports}\n"


def test_an_import_that_one_choice_needs_is_only_said(tmp_path: Path) -> None:
    """A name used in one side's lines alone is no reason to change the settled part."""
    base = "import os\n\nx = os.sep\n"
    found, warnings = outcome(
        tmp_path,
        IMPORTS + "  - {id: none, reason: r, match: {path: a.py, symbol: zzz}, action: drop}\n",
        base,
        "x = 1\n",
        "import os\n\nx = os.sep * 2\n",
    )
    if isinstance(found, Deferred) and found.merge is not None:
        text = found.merge.text(Side.THEIRS)
        assert b"import os" in text or any("only where one side is taken" in w for w in warnings)


@pytest.mark.parametrize("newline", ["\r\n"])
def test_other_line_ends_are_not_touched(tmp_path: Path, newline: str) -> None:
    """An open file with other line ends is left, with a word."""
    base = "a = args.hybrid\nb = 1\n".replace("\n", newline)
    found, warnings = outcome(
        tmp_path, RENAME, base, base.replace("b = 1", "b = 2"), base.replace("b = 1", "b = 3")
    )
    assert isinstance(found, Deferred)
    assert found.data is not None
    assert b"args.hybrid" in found.data
    assert "other line ends" in warnings[0]


# -- the pieces ------------------------------------------------------------------------------------


def place(base: bytes, ours: bytes, theirs: bytes) -> Contested:
    versions = ThreeWay(base=base, ours=ours, theirs=theirs)
    return Contested(symbol="", kind="both-changed", versions=versions, reason="")


def test_what_only_one_completion_asks_for_is_refused() -> None:
    """An edit of the settled part that one choice alone needs is not made."""
    merge = FileMerge(pieces=(b"one\n", place(b"b\n", b"o\n", b"t\n"), b"two\n"))
    edit = Edit(splices=(Splice(0, 3, b"ONE"),), what="one becomes ONE")
    done = carry(merge, ThreeWay(base=(), ours=(edit,), theirs=()))
    assert done.merge == merge
    assert done.refused == ("one becomes ONE",)
    both = carry(merge, ThreeWay(base=(), ours=(edit,), theirs=(edit,)))
    assert both.merge.text() == b"ONE\no\ntwo\n"
    assert both.survivors == (0,)


def test_an_edit_across_an_open_place_swallows_it() -> None:
    """What is replaced from end to end in both completions takes the place along."""
    merge = FileMerge(
        pieces=(b"one\n", place(b"", b"o\n", b"tt\n"), b"two\n", place(b"b\n", b"x\n", b"y\n"))
    )
    ours = Edit(splices=(Splice(0, 10, b"all\n"),), what="all")
    theirs = Edit(splices=(Splice(0, 11, b"all\n"),), what="all")
    done = carry(merge, ThreeWay(base=(), ours=(ours,), theirs=(theirs,)))
    assert done.merge.text(Side.THEIRS) == b"all\ny\n"
    assert done.survivors == (1,)


LINE = st.sampled_from(
    [b"x = args.hybrid\n", b"y = 1\n", b"f(args.hybrid, 2)\n", b"# args.hybrid\n"]
)
LINES = st.lists(LINE, max_size=3).map(b"".join)


@given(st.lists(st.tuples(LINES, LINES, LINES, LINES), min_size=1, max_size=3), LINES)
def test_a_rename_of_an_open_file_is_the_rename_of_its_completions(
    runs: list[tuple[bytes, bytes, bytes, bytes]], last: bytes
) -> None:
    """Whatever is decided later, the text is the one that renaming after the decision would give."""
    pieces: list[bytes | Contested] = []
    for settled, base, ours, theirs in runs:
        if settled:
            pieces.append(settled)
        pieces.append(place(base, ours, theirs))
    if last:
        pieces.append(last)
    merge = FileMerge(pieces=tuple(pieces))
    rule = RenameRule.model_validate(
        {
            "id": "r",
            "reason": "r",
            "action": "rename",
            "match": {"path": "**"},
            "from": "args.hybrid",
            "to": "args.dynamic",
            "forms": "attribute",
        }
    )
    edits = {
        side: [Edit(splices=(s,), what="r") for s in found[0]] if found is not None else []
        for side in (Side.BASE, Side.OURS, Side.THEIRS)
        for found in [rename_splices(merge.text(side), rule)]
    }
    done = carry(
        merge,
        ThreeWay(base=edits[Side.BASE], ours=edits[Side.OURS], theirs=edits[Side.THEIRS]),
    )
    settled_by_name = len(done.survivors) < len(merge.contested)
    for side in (Side.OURS, Side.THEIRS):
        renamed = rename_splices(merge.text(side), rule)
        assert renamed is not None
        if not settled_by_name:
            assert done.merge.text(side) == apply(merge.text(side), renamed[0])
        assert b"(args.hybrid" not in done.merge.text(side)
    assert done.refused == ()


def test_markers_are_read_back() -> None:
    """A text with markers gives the merge that was rendered; a broken one gives nothing."""
    merge = FileMerge(pieces=(b"one\n", place(b"", b"<<<<<<< o\n", b"t\n"), b"two\n"))
    texts = ThreeWay(base=merge.text(Side.BASE), ours=merge.text(), theirs=merge.text(Side.THEIRS))
    versions: ThreeWay[bytes | None] = ThreeWay(
        base=texts.base, ours=texts.ours, theirs=texts.theirs
    )
    shown = render(merge, LABELS, size=marker_size_for(versions))
    assert read(shown, versions) == merge
    assert (
        read(b"<<<<<<< o\na\n=======\nb\n>>>>>>> t\n", ThreeWay(base=None, ours=None, theirs=None))
        is None
    )
