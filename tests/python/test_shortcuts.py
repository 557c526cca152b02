"""Shortcuts say what the long way says."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergewright.model.threeway import ThreeWay
from mergewright.python import arguments, gates, normal, units
from mergewright.python.alignment import align, align_blocks
from mergewright.python.formatting import _differing, _same_program
from mergewright.python.source import Source, source_of
from mergewright.python.sweeps import count_substitutions
from mergewright.resolve.cleanmerges import broken_gates
from mergewright.resolve.moves import _defined
from mergewright.text.lines import words_of

MODULES = [Path(module.__file__ or "") for module in (ast, re, gates, units, normal)]


@given(st.binary(max_size=60))
def test_words_are_those_of_the_pattern(data: bytes) -> None:
    """The quick split into words finds what the pattern finds."""
    assert words_of(data) == set(re.findall(rb"[A-Za-z_]\w*", data))


@given(st.text(alphabet="abdefclsj_ \n.1", max_size=60))
def test_definitions_are_those_of_the_pattern(text: str) -> None:
    """A definition that the pattern finds is found; one inside of another's name is none."""
    found = _defined(text.encode())
    wanted = re.findall(rb"\b(?:def|class)\s+(\w+)", text.encode())
    assert set(wanted) <= set(found)
    assert all(re.search(rb"\b(?:def|class)\s+" + name, text.encode()) for name in found)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_names_of_units_are_those_of_the_whole_text(path: Path) -> None:
    """Undefined names are told by the units as by the symbol tables of the whole text."""
    data = path.read_bytes()
    for text in (data, data.replace(b"import re\n", b"").replace(b"import ast\n", b"")):
        whole = units.names_of(text.decode())
        assert whole is not None
        assert gates.undefined_names(text) == {
            name for name in whole.read - whole.bound - gates._BUILTINS if name[0] != "."
        }


def test_a_global_of_the_module_itself_is_told_by_the_whole_text() -> None:
    """A name declared global behind its use in the module's own block compiles in no text."""
    assert gates.undefined_names(b"x = 1\nprint(x)\nif x:\n    global x\n") is None
    assert gates.undefined_names(b"def f():\n    global y\n    y = 1\n\n\nprint(y, z)\n") == {"z"}


def test_postponed_annotations_hold_for_all_units() -> None:
    """Below the import that makes annotations texts, their names are not read."""
    late = b"import os\n\n\ndef f(x: Unknown) -> Other:\n    return os, x\n"
    assert gates.undefined_names(late) == {"Unknown", "Other"}
    assert gates.undefined_names(b"from __future__ import annotations\n" + late) == set()


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_trees_are_compared_as_their_forms(path: Path) -> None:
    """Two trees are the same where their written forms are."""
    body = ast.parse(path.read_bytes()).body
    again = ast.parse(path.read_bytes()).body
    for one, other, near in zip(body, again, [*again[1:], again[0]], strict=True):
        assert units.same_tree(one, other)
        assert units.same_tree(one, near) == (units.form_of(one) == units.form_of(near))


@pytest.mark.parametrize(
    ("one", "other"), [("1", "True"), ("1", "1.0"), ("'a'", "b'a'"), ("0.0", "-0.0"), ("f()", "f")]
)
def test_values_of_two_kinds_are_not_the_same(one: str, other: str) -> None:
    """Values that Python calls equal are told apart as their forms are."""
    assert not units.same_tree(ast.parse(one), ast.parse(other))


def test_expressions_are_spelled_as_python_spells_them() -> None:
    """The quick spelling of names and constants is that of ``ast.unparse``."""
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Name | ast.Attribute | ast.Constant):
                assert arguments.spelled(node) == ast.unparse(node)


def test_calls_are_found_in_the_order_of_the_tree() -> None:
    """The quick walk meets the calls in the order of ``ast.walk``."""
    for path in MODULES:
        tree = ast.parse(path.read_bytes())
        quick = [node for node in arguments._nodes(tree) if isinstance(node, ast.Call)]
        assert quick == [node for node in ast.walk(tree) if isinstance(node, ast.Call)]


def test_arguments_are_searched_in_what_differs() -> None:
    """A change of all calls is found among statements that both texts have."""
    same = b"".join(b"def same_%d():\n    return other(%d)\n\n\n" % (n, n) for n in range(5))
    calls = b"".join(b"register('name%d', None)\n" % n for n in range(5))
    side = same + calls.replace(b"None", b"False")
    (found,) = arguments.find_argument_sweeps(same + calls, side, same + calls)
    assert (found.callee, found.slot, found.old, found.new, found.calls) == (
        "register", 1, "None", "False", 5,
    )  # fmt: skip
    kept = same + calls + b"register('more', None)\n"
    left = side + b"register('more', None)\n"
    assert arguments.find_argument_sweeps(kept, left, kept) == []


def test_substitutions_of_given_words_are_counted_as_among_all() -> None:
    """What replaced one of the words counts as it does when everything is counted."""
    base = b"".join(b"old_name(%d)\nother = %d\n" % (n, n) for n in range(9))
    side = base.replace(b"old_name", b"new_name").replace(b"other = 3", b"another = 3")
    some = count_substitutions(base, side, frozenset({b"old_name"}))
    pair = ((b"old_name",), (b"new_name",))
    assert some[pair] == count_substitutions(base, side)[pair]


def test_blocks_are_aligned_once() -> None:
    """The second answer for two blocks is the first one, and a copy."""
    base, side = source_of(b"a = 1\nb = 2\n").items(), source_of(b"b = 2\na = 1\n").items()
    first = align_blocks(base, side)
    assert first == align(base, side)
    first.clear()
    assert align_blocks(base, side) == align(base, side)


def test_tokens_of_equal_statements_are_their_own() -> None:
    """Tokens that are known from another text are those that the statement has."""
    for text in (b"x = f(1, 2)  # note\n", b"x = f(\n    1,\n    2,\n)  # note\n"):
        one, other = Source(text).items()[0], Source(b"import os\n" + text).items()[1]
        assert one.tokens == other._read_tokens() == other.tokens


def test_formatted_texts_are_compared_where_they_differ() -> None:
    """One other statement in a long text is seen, whatever else only changed its layout."""
    filler = "".join(
        f"def f{n}(a, b):\n    # note\n    return [a, b, {n}]\n\n\n" for n in range(99)
    )
    spread = filler.replace("[a, b, 7]", "[\n        a,\n        b,\n        7,\n    ]")
    pairs = _differing(filler, spread)
    assert pairs is not None
    assert len(pairs) == 1
    assert _same_program(filler, spread)
    assert not _same_program(filler, spread.replace("a,\n        b,", "b,\n        a,"))
    assert not _same_program(filler, spread.replace("# note", "# another note", 1))
    assert not _same_program(filler, spread + "x = 1\n")


def test_clean_texts_are_held_by_what_differs() -> None:
    """Sound clean merges end early; a use without its import and a method twice do not."""
    base = b"import os\nimport re\n\n\ndef a():\n    return os, re\n\n\ndef b():\n    return 1\n"
    ours = base.replace(b"return 1", b"return 2")
    theirs = base.replace(b"return os, re", b"return os, re, 1")
    merged = ours.replace(b"return os, re", b"return os, re, 1")
    texts: ThreeWay[bytes | None] = ThreeWay(base=base, ours=ours, theirs=theirs)
    assert gates.clean_text_holds(merged, texts)
    assert broken_gates("a.py", merged, texts) == ()
    without = merged.replace(b"import re\n", b"")
    assert not gates.clean_text_holds(without, texts)
    assert [gate.gate for gate in broken_gates("a.py", without, texts)] == ["undefined-name"]
    twice = merged + b"\n\ndef b():\n    return 3\n"
    assert not gates.clean_text_holds(twice, texts)
    assert [gate.gate for gate in broken_gates("a.py", twice, texts)] == ["duplicate-definition"]
    torn = merged.replace(b"return 2", b"return (2")
    assert not gates.clean_text_holds(torn, texts)
    assert [gate.gate for gate in broken_gates("a.py", torn, texts)] == ["parse"]


@pytest.mark.parametrize(
    ("token", "text", "may"),
    [
        (b"None", b"f(1, None)\ng(None, 2)\nh(\n    None  # why\n)\nk(a=None)\n", True),
        (b"None", b"f(a.None.b, 1)\n" * 4, True),
        (b"None", b"f(None)\n" * 3 + b"x = None\n", False),
        (b"join", b"a.join(b)\n" * 9, False),
        (b"None", b"f(NoneType)\n" * 9, False),
        (b"'x'", b"", True),
    ],
)
def test_what_may_be_an_argument(token: bytes, text: bytes, may: bool) -> None:
    """A token before a comma or a closing bracket, in as many places as a sweep needs; texts always."""
    assert arguments.stands_as_argument(token, text) is may
