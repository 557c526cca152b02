"""Layout-free pieces and keys, and symbols found without a parser, against the outline."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergewright.history.locate import _headers_below, headers, symbol_text
from mergewright.history.pieces import (
    code_key,
    contains_run,
    is_significant,
    pieces,
    squeeze,
    telling,
)
from mergewright.python.outline import outline

PACKAGE = Path(__file__).parents[2] / "src" / "mergewright"
SAMPLES = sorted(PACKAGE.rglob("*.py"))[::9]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (b"f(a, b)", b"f(\n    a,\n    b,\n)"),
        (b"x = 'a'", b'x = "a"'),
        (b"x = 1  # one", b"x = 1"),
        (b"x = a + \\\n    b", b"x = a + b"),
        (b"if a:\n    f()\n", b"if a:\n        f()\n"[:0] + b"if a:\n    f( )\n"),
    ],
)
def test_equal_code(first: bytes, second: bytes) -> None:
    """Layout, comments and quotes change no key."""
    assert code_key(first) == code_key(second)
    assert squeeze(first) == squeeze(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (b"x = (1,)", b"x = (1)"),
        (b"if a:\n    f()\n    g()\n", b"if a:\n    f()\ng()\n"),
        (b"f(a)(b)", b"f(a, b)"),
        (b"x = a[b]", b"x = a(b)"),
        (b"x = 'a b'", b"x = 'ab'"),
    ],
)
def test_different_code(first: bytes, second: bytes) -> None:
    """Tuples, indentation, brackets and the blanks of strings do."""
    assert code_key(first) != code_key(second)


def test_pieces_survive_formatting() -> None:
    """A call on one line and on many has the same pieces."""
    flat = b"x = f(a, b=1, c=[2, 3])\n"
    tall = b"x = f(\n    a,\n    b=1,\n    c=[\n        2,\n        3,\n    ],\n)\n"
    assert pieces(flat) == pieces(tall)
    assert contains_run(pieces(flat), pieces(b"b=1,\nc=[2"))
    assert not contains_run(pieces(flat), pieces(b"b=2"))


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.name)
def test_symbols_are_found_as_in_the_outline(path: Path) -> None:
    """Functions and classes found by one scan are those of the parsed outline, to the byte."""
    data = path.read_bytes()
    checked = 0
    for name, symbol in outline(data).symbols.items():
        if symbol.kind not in {"function", "class"} or "#" in name:
            continue
        found = symbol_text(data, name)
        if f"{name}#2" in outline(data).symbols:
            continue
        assert found is not None, name
        assert found.strip() == symbol.text.strip(), name
        checked += 1
    assert checked or not [
        node
        for node in ast.walk(ast.parse(data))
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    ]


def test_strings_that_look_like_code() -> None:
    """A line in a string of three quotes ends no function."""
    data = b'def f():\n    """Text.\n\nclass Fake:\n    pass\n    """\n    return 1\n\n\nx = 2\n'
    assert symbol_text(data, "f") == data[: data.index(b"\n\nx")]


def test_assignments_and_decorators() -> None:
    """Assignments of modules and classes, and decorators with arguments, belong to their symbol."""
    data = (
        b"LIMITS = {\n    'a': 1,\n}\n\n\nclass C:\n    size: int = 3\n\n"
        b"    @wraps(\n        other,\n    )\n    @cached\n    def m(self):\n        return 1\n"
    )
    assert symbol_text(data, "LIMITS") == b"LIMITS = {\n    'a': 1,\n}\n"
    assert symbol_text(data, "C.size") == b"    size: int = 3\n"
    method = symbol_text(data, "C.m")
    assert method is not None
    assert method.startswith(b"    @wraps(")
    assert symbol_text(data, "C.n") is None


def test_definitions_below_conditions() -> None:
    """A definition in an ``if`` after a class or method is named as the outline names it."""
    data = (
        b"class A:\n    def m(self):\n        if self:\n            return 1\n\n"
        b"    if True:\n        def n(self):\n            return 2\n\n"
        b"if True:\n    class B:\n        def m(self):\n            return 3\n"
    )
    names = {n for n, s in outline(data).symbols.items() if s.kind in {"function", "class"}}
    assert set(headers(data).offsets) == names == {"A", "A.m", "A.n", "B", "B.m"}


@pytest.mark.parametrize("path", SAMPLES, ids=lambda p: p.name)
def test_telling_pieces_are_the_significant_ones(path: Path) -> None:
    """What is told by one scan is what the pieces one by one would give, each once."""
    data = path.read_bytes()
    assert telling(data) == set(filter(is_significant, pieces(data)))


HEADER_LINES = st.sampled_from(
    [
        b"class A:",
        b"class  B(A):",
        b"def a(self):",
        b"async def a():",
        b"async\tdef b():",
        b"def\tB():",
        b"def ab():",
        b"if a:",
        b"else:",
        b"for B in a:",
        b"x = 1",
        b"# class A:",
        b'"""def a',
        b"classA = a",
        "def aé():".encode(),
        b"",
    ]
)
TEXTS = st.lists(st.tuples(st.sampled_from([0, 0, 1, 2, 4, 8]), HEADER_LINES), max_size=12).map(
    lambda lines: b"\n".join(b" " * margin + line for margin, line in lines)
)


@given(TEXTS, st.sampled_from(["A", "B", "a", "b", "ab", "aé", "x"]))
def test_one_name_is_found_as_among_all(data: bytes, root: str) -> None:
    """The definitions of a name and of what stands below it are those of a scan of the whole text."""
    found, whole = _headers_below(data, root), headers(data)
    for name in {*found.offsets, *whole.offsets}:
        if name.partition(".")[0] == root:
            assert found.offsets.get(name) == whole.offsets.get(name)
            assert (name in found.classes) == (name in whole.classes)
