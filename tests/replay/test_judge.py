"""The judge's definitions, on small texts."""

import ast
from textwrap import dedent

import pytest

from mergewright.workflows.replay.judge import (
    Judge,
    SymbolVerdict,
    Verdict,
    python_table,
    split_markers,
)
from mergewright.workflows.replay.states import dump_state, load_state


def text(source: str) -> bytes:
    return dedent(source).encode()


BASE = text(
    """\
    import os

    LIMIT = 1

    def first():
        return 1

    class Box:
        size = 0

        def open(self):
            return 1
    """
)
OURS = BASE.replace(b"LIMIT = 1", b"LIMIT = 2").replace(b"    size = 0", b"    size = 1")
THEIRS = BASE.replace(b"LIMIT = 1", b"LIMIT = 3").replace(
    b"        return 1\n", b"        return 2\n"
)
ACCEPTED = OURS.replace(b"        return 1\n", b"        return 2\n")


def judge(accepted: bytes | None = ACCEPTED, base: bytes = BASE) -> Judge:
    return Judge("a.py", base, OURS, THEIRS, accepted)


def test_only_what_both_sides_changed_differently_is_contested() -> None:
    """LIMIT is contested; what one side changed is not."""
    assert judge().contested == ("=LIMIT",)


def test_equal_symbols_are_correct_and_layout_does_not_count() -> None:
    """Comments and layout aside, the accepted result is correct and ordered, not exact."""
    score = judge().score(ACCEPTED.replace(b"LIMIT = 2", b"LIMIT  =  2  # two"))
    assert (score.verdict, score.ordered, score.exact) == (Verdict.CORRECT, True, False)
    assert score.symbols == {"=LIMIT": SymbolVerdict.RIGHT}
    assert judge().score(ACCEPTED + b"").exact


def test_another_order_of_members_is_correct_and_not_ordered() -> None:
    """The order of members aside, the symbols are the same."""
    moved = text(
        """\
        import os

        def first():
            return 1

        class Box:
            def open(self):
                return 2

            size = 1

        LIMIT = 2
        """
    )
    score = judge().score(moved)
    assert (score.verdict, score.ordered, score.unordered) == (Verdict.CORRECT, False, True)


def test_a_contested_symbol_that_is_not_as_accepted_is_wrong() -> None:
    """A clean result with the other side's LIMIT is wrong."""
    score = judge().score(ACCEPTED.replace(b"LIMIT = 2", b"LIMIT = 3"))
    assert score.verdict is Verdict.WRONG
    assert score.symbols == {"=LIMIT": SymbolVerdict.WRONG}
    assert score.differing == ("=LIMIT",)


def test_one_sided_work_that_is_lost_is_wrong_and_damage() -> None:
    """A result without theirs' change of Box.open has lost it."""
    score = judge().score(OURS)
    assert score.verdict is Verdict.WRONG
    assert score.damaged == ("Box.open",)
    assert score.symbols == {"=LIMIT": SymbolVerdict.RIGHT}


def test_an_edit_beyond_both_sides_makes_a_faithful_result_extra() -> None:
    """Who merged edited an uncontested symbol further: no tool can know."""
    further = ACCEPTED.replace(b"def first():\n    return 1", b"def first():\n    return 7")
    assert judge(further).score(ACCEPTED).verdict is Verdict.EXTRA


def test_markers_leave_the_touched_symbols_open() -> None:
    """A conflict around LIMIT is open there and judged elsewhere."""
    marked = ACCEPTED.replace(
        b"LIMIT = 2\n",
        b"<<<<<<< ours\nLIMIT = 2\n||||||| base\nLIMIT = 1\n=======\nLIMIT = 3\n>>>>>>> theirs\n",
    )
    score = judge().score(marked)
    assert (score.verdict, score.hunks) == (Verdict.OPEN, 1)
    assert score.symbols == {"=LIMIT": SymbolVerdict.OPEN}
    assert score.damaged == ()


def test_damage_outside_the_markers_is_seen() -> None:
    """One-sided work lost outside the hunks of an open file is damage."""
    marked = OURS.replace(
        b"LIMIT = 2\n", b"<<<<<<< ours\nLIMIT = 2\n=======\nLIMIT = 3\n>>>>>>> theirs\n"
    )
    assert judge().score(marked).damaged == ("Box.open",)


def test_no_result_and_results_that_do_not_parse_are_crashes() -> None:
    """Nothing is open for all; a broken clean text is wrong for all."""
    nothing, broken = judge().score(None), judge().score(b"def (:\n")
    assert (nothing.verdict, nothing.count(SymbolVerdict.OPEN)) == (Verdict.CRASH, 1)
    assert (broken.verdict, broken.count(SymbolVerdict.WRONG)) == (Verdict.CRASH, 1)


def test_a_deletion_is_correct_only_where_it_was_accepted() -> None:
    """Deleting the path is right when the accepted tree does not have it."""
    gone = Judge("a.py", BASE, None, THEIRS, None)
    assert gone.score(None, deleted=True).verdict is Verdict.CORRECT
    assert gone.score(THEIRS).verdict is Verdict.WRONG
    assert judge().score(None, deleted=True).verdict is Verdict.WRONG


def test_an_accepted_result_that_does_not_parse_is_unusable() -> None:
    """Such a case is excluded under its own name, not judged."""
    assert not judge(b"<<<<<<< a\n").usable
    assert judge().usable


@pytest.mark.parametrize(
    ("source", "keys"),
    [
        ("'''doc'''\nx = 1\n'note'\n", ["doc", "=x"]),
        ("def f(): pass\ndef f(): return 1\n", ["f", "f#1"]),
        ("class A(B):\n    x: int = 1\n    def f(self): pass\n", ["A()", "A.=x", "A.f"]),
        ("from . import a as b, c\n", ["import .:a:b", "import .:c:None"]),
        ("for i in x: pass\nwith a: pass\n", ["For", "With"]),
        ("x = y[0]; z = 1\n", ["=x", "=z"]),
        ("class A: x = 1\n", ["A()", "A.=x"]),
    ],
)
def test_leaves(source: str, keys: list[str]) -> None:
    """The leaf symbols of small texts."""
    table = python_table(source)
    assert table is not None
    assert list(table.leaves) == keys


def test_statements_are_named_by_their_condition() -> None:
    """Two ``if`` statements with different tests are different symbols."""
    table = python_table("if a: x()\nif b: x()\n")
    assert table is not None
    assert len(table.leaves) == 2
    assert all(key.startswith("If:") for key in table.leaves)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("x = 1\n", "x = 2\n"),
        ("import a\nimport b\n", "import b\nimport a\n"),
        ("import a, b\n", "import a\nimport b\n"),
        ("class A:\n    'd'\n    x = 1\n", "class A:\n    x = 1\n"),
        ("class A:\n    x = 1\ny = 2\n", "class A:\n    x = 1\n    y = 2\n"),
        ("x = 1\n'note'\n", "x = 1\n'other'\n"),
        ("class A(b, c=1): pass\n", "class A(b, c=2): pass\n"),
        ("@d\nclass A: pass\n", "class A: pass\n"),
        ("x = 1\r\ny = '''a\r\nb'''\r\n", "x = 1\ny = '''a\nc'''\n"),
    ],
)
def test_the_sequence_is_equal_exactly_when_the_trees_are(left: str, right: str) -> None:
    """The digest of all statements stands for the syntax tree, with and without a shared memo."""
    memo: dict[bytes, tuple[str, str]] = {}
    tables = [python_table(source, memo) for source in (left, right, left)]
    assert tables[0]
    assert tables[1]
    assert tables[2]
    trees = [ast.dump(ast.parse(source)) for source in (left, right)]
    assert (tables[0].sequence == tables[1].sequence) == (trees[0] == trees[1])
    assert tables[0].sequence == tables[2].sequence
    fresh = python_table(right)
    assert fresh == tables[1]


def test_a_kept_state_gives_the_same_scores() -> None:
    """The judge's state survives a round trip through bytes."""
    first = judge()
    again = Judge("a.py", BASE, OURS, THEIRS, ACCEPTED, state=load_state(dump_state(first.state())))
    for result in (ACCEPTED, OURS, THEIRS, BASE, None, b"x ="):
        assert first.score(result) == again.score(result)
    assert first.contested == again.contested


def test_markers_are_split_by_side() -> None:
    """The text before, between and after the hunks belongs to both sides."""
    marked = split_markers("a\n<<<<<<< o\nb\n||||||| x\nc\n=======\nd\ne\n>>>>>>> t\nf\n")
    assert (marked.ours, marked.theirs) == ("a\nb\nf\n", "a\nd\ne\nf\n")
    assert [(h.ours, h.theirs) for h in marked.hunks] == [((1, 2), (1, 3))]
    assert split_markers("=======\n").hunks == ()


def test_data_files_are_compared_by_value() -> None:
    """TOML and JSON by their values; every other text line by line."""
    toml = Judge(
        "p.toml", b"a = 1\nb = 1\n", b"a = 2\nb = 1\n", b"a = 1\nb = 2\n", b"b = 2\na = 2\n"
    )
    assert toml.score(b"a = 2 # x\nb = 2\n").verdict is Verdict.CORRECT
    assert toml.score(b"a = 2\nb = 1\n").verdict is Verdict.WRONG
    lines = Judge("n.md", b"a\n", b"b\n", b"c\n", b"b\nc\n")
    assert lines.score(b"b  \nc\n").verdict is Verdict.CORRECT
    assert lines.score(b"c\nb\n").verdict is Verdict.WRONG


def test_what_became_of_a_symbol() -> None:
    """Right, wrong, open, extra and damage, symbol by symbol."""
    one = judge()
    assert one.symbol_fate("=LIMIT", ACCEPTED) == "right"
    assert one.symbol_fate("=LIMIT", THEIRS) == "wrong"
    assert one.symbol_fate("Box.open", OURS) == "damage"
    assert one.symbol_fate("Box.open", ACCEPTED) == "right"
    further = ACCEPTED.replace(b"def first():\n    return 1", b"def first():\n    return 7")
    assert judge(further).symbol_fate("first", ACCEPTED) == "extra"
    marked = ACCEPTED.replace(
        b"LIMIT = 2\n", b"<<<<<<< ours\nLIMIT = 2\n=======\nLIMIT = 3\n>>>>>>> theirs\n"
    )
    assert one.symbol_fate("=LIMIT", marked) == "open"
