"""Texts in units: joined they are the text, and the gates say the same of units as of whole texts."""

import ast
import dataclasses
import enum
import textwrap
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.corpus.drawing import scenario
from tests.fuzz import pieces

from mergewright.model.resolution import GateResult
from mergewright.model.threeway import Side, ThreeWay
from mergewright.python import gates
from mergewright.python.units import Unit, cut, form_of
from mergewright.text.merge import merge_lines
from mergewright.text.syntax import syntax_tree

SOURCES = [Path(module.__file__ or "").read_bytes() for module in (dataclasses, enum, textwrap)]
STATEMENTS = [
    b"import os\n",
    b'"""Words.\n\nclass Fake:\n    pass\n"""\n',
    b"@wrap(\n    1,\n)\n@other\ndef f(a, b=')'):\n    # note\n    return a\n",
    (
        b"class A(B):  # why\n    # first\n\n    x: int = 1\n\n    def m(self):\n        self.y = 2\n"
        b"\n    @p\n    def n(self): return '''\nclass C: pass\n'''\n"
    ),
    b"try:\n    import a\nexcept ImportError:\n    a = None\nelse:\n    b = 1\n",
    b"x = [\n    1,\n]\n(y) = 2\n",
    b"z = 1 + \\\n  2\n",
    b"async def g(\n    a,\n):\n    def f(): pass\n    async with a as b: pass\n",
    b"class D: z = 1\n",
    b"if x:\n    class A: pass\n",
]


def trees(units: list[Unit]) -> list[str]:
    return [ast.dump(node) for unit in units for node in unit.body]


@pytest.mark.parametrize("data", SOURCES)
def test_trees_of_units_are_the_tree_of_the_text(data: bytes) -> None:
    """A real module is cut at its statements, and a class at its members."""
    units = cut(data)
    assert units is not None
    assert b"".join(unit.text for unit in units) == data
    tree = syntax_tree(data)
    assert tree is not None
    assert trees(list(units)) == [ast.dump(node) for node in tree.body]
    classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
    for unit in units:
        if len(unit.parts) > 1 and unit.definition is not None:
            members = trees([part for part in unit.parts if part.scope])
            assert members == [ast.dump(node) for node in classes[unit.definition[1]].body]


@settings(max_examples=150)
@given(st.lists(st.sampled_from(STATEMENTS), max_size=6))
def test_any_statements_are_cut_so_that_their_trees_stay(statements: list[bytes]) -> None:
    """Decorators, clauses, strings and brackets that reach the first column are kept whole."""
    data = b"".join(statements)
    units = cut(data)
    tree = syntax_tree(data)
    assert units is not None
    assert tree is not None
    assert trees(list(units)) == [ast.dump(node) for node in tree.body]
    for unit in units:
        assert unit.leaves == unit.leaves_read or [key for key, _ in unit.leaves] == [
            key for key, _ in unit.leaves_read
        ]


def test_what_cannot_be_cut_is_left_whole() -> None:
    """An encoding other than UTF-8 may be declared, lines may end in CR: such texts are not cut."""
    assert cut(b"# coding: latin-1\nx = 1\n") is None
    assert cut(b"x = 1\ry = 2\n") is None
    assert cut(b"x = (\n1\n") is None


def results(candidate: bytes, versions: ThreeWay[bytes | None]) -> list[GateResult]:
    return list(gates.check("m.py", candidate, versions))


@pytest.mark.parametrize("seed", range(12))
def test_gates_say_the_same_of_units_as_of_whole_texts(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Right results, sides and damaged results of random edits: nothing is missed or made up."""
    random = Random(seed)
    text = pieces(random.choice(SOURCES), random, 250)
    case = None
    while case is None:
        case = scenario(text, random, edits=6, clash=seed % 3 == 0)
    sides = case.versions
    versions: ThreeWay[bytes | None] = ThreeWay(
        base=sides.base if seed % 4 else None, ours=sides.ours, theirs=sides.theirs
    )
    lines = case.right.split(b"\n")
    starts = [
        n for n, x in enumerate(lines) if x.lstrip().startswith((b"def ", b"import ", b"class "))
    ]
    candidates = [case.right, sides.ours, merge_lines(sides).text(Side.THEIRS)]
    for _ in range(4):
        n = random.choice(starts or [0])
        end = n + 1
        depth = len(lines[n]) - len(lines[n].lstrip())
        while end < len(lines) and (not lines[end] or lines[end][: depth + 1].isspace()):
            end += 1
        candidates.append(b"\n".join(lines[:n] + lines[end:]))
        candidates.append(b"\n".join(lines[:end] + lines[n:end] + lines[end:]))
        gone = b"\n".join(lines[n:end]).replace(b"self.", b"self.gone_", 1)
        candidates.append(b"\n".join([*lines[:n], gone, *lines[end:]]))
    cut_up = [results(candidate, versions) for candidate in candidates]
    monkeypatch.setattr(gates, "in_units", lambda *_: None)
    assert cut_up == [results(candidate, versions) for candidate in candidates]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ('def f():\n    return """\nSELECT a\n"""\n', "def f():\n    return 2\n"),
        ('class C:\n    """Doc\nat column\n"""\n    a = 1\n', "class C:\n    b = 2\n"),
        ("def f():\n    return 1\n(1)\n", "def f():\n    return 2\n"),
        ("def f():\n    return 1\n\n\fdef g():\n    return 1\n", "def g():\n    return 2\n"),
    ],
    ids=["string", "docstring", "tuple", "form-feed"],
)
def test_a_definition_twice_is_seen_however_it_is_written(ours: str, theirs: str) -> None:
    """Whether a copy stands in a unit of its own name or not, both copies are counted."""
    base = "x = 1\n\ny = 2\n"
    versions = ThreeWay(
        base=base, ours=f"x = 1\n\n{ours}\ny = 2\n", theirs=f"x = 1\n\n{theirs}\ny = 2\n"
    ).map(str.encode)
    for first, last in ((ours, theirs), (theirs, ours)):
        both = f"x = 1\n\n{first}\n{last}\ny = 2\n".encode()
        failed = {g.gate for g in results(both, versions) if not g.passed}  # type: ignore[arg-type]
        assert "duplicate-definition" in failed


def test_shifted_overloads_are_kept() -> None:
    """An overload that one side adds before a definition that the other changes loses nothing."""

    def text(*overloads: str, body: str) -> str:
        return "".join(f"@overload\ndef f(a: {x}) -> {x}: ...\n" for x in overloads) + (
            f"def f(a):\n    return {body}\n"
        )

    def failed(candidate: str) -> set[str]:
        versions = ThreeWay(
            base=text("int", body="a"),
            ours=text("int", "str", body="a"),
            theirs=text("int", body="-a"),
        ).map(str.encode)
        return {g.gate for g in results(candidate.encode(), versions) if not g.passed}  # type: ignore[arg-type]

    assert failed(text("int", "str", body="-a")) == set()
    assert failed(text("int", "str", body="a")) == {"conservation"}
    assert failed(text("int", body="-a")) == {"conservation"}
    assert failed(text("str", "int", body="-a")) == {"conservation"}


def test_additions_to_a_renamed_class_stand_under_its_new_name() -> None:
    """A method added to a class that the other side renamed is kept; a lost one is still missed."""
    base = "class Old:\n    def f(self):\n        return 1\n"
    ours = base.replace("Old", "New")
    added = "    def g(self):\n        return Old()\n"
    versions = ThreeWay(base=base, ours=ours, theirs=base + added).map(str.encode)

    def failed(candidate: str) -> set[str]:
        return {g.gate for g in results(candidate.encode(), versions) if not g.passed}  # type: ignore[arg-type]

    assert failed(ours + added.replace("Old", "New")) == set()
    assert failed(ours) == {"conservation"}
    assert failed(ours + added.replace("Old()", "None")) == {"conservation"}


def test_deep_trees_are_told_apart_without_recursion() -> None:
    """A chain of six hundred calls is compared like any other statement."""
    chain = "x = a" + "".join(f".f({n})" for n in range(600)) + "\n"
    one, other = (
        Unit(text.encode()).leaves[0][1] for text in (chain, chain.replace("(7)", "(-7)"))
    )
    assert one.form != other.form
    assert one.form == Unit(chain.replace("(7)", "( 7 )").encode()).leaves[0][1].form


def test_form_tells_what_the_dump_tells() -> None:
    """Two statements have one form exactly where their dumps are equal."""
    texts = [
        "x = 1",
        "x = 1.0",
        "x = True",
        "x = '1'",
        "x = u'1'",
        "x = None",
        "x = [None]",
        "x = []",
    ]
    texts += [
        "f(a)",
        "f(*a)",
        "f(a=a)",
        "x: int",
        "x: int = 1",
        "def f(a, /, b=1, *, c): ...",
        "x = (1)",
    ]
    texts += [
        "def f(a, b=1, /, *, c): ...",
        "async def f(a, /, b=1, *, c): ...",
        "x = b'1'",
        "x=-1",
    ]
    nodes = [ast.parse(text).body[0] for text in texts]
    for a in nodes:
        for b in nodes:
            assert (form_of(a) == form_of(b)) == (ast.dump(a) == ast.dump(b))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"return 1 if a else 2", b"return 1if a else 2"),
        (b"return 0xf or a", b"return 0xfor a"),
        (b"return x1.b", b"return x1 .b"),
        (b"return 1.0.real", b"return (1.0).real"),
        (b"return 1.if a else 1.e5", b"return 1. if a else 1e5"),
        (b"return f'{(a)}'", b"return f'{a}'"),
        (b"return f'{a:{(b)}}'", b"return f'{a:{b}}'"),
        (b"return rf'{1_0}{a}'", b"return rf'{10}{a}'"),
    ],
)
def test_spellings_of_one_tree_are_the_same_code(one: bytes, other: bytes) -> None:
    """A result that has one side's code in another spelling has that side's code."""
    base, ours, result = (b"def f(a):\n    " + text + b"\n" for text in (b"return 3", one, other))
    trees_of = [syntax_tree(data) for data in (ours, result)]
    assert len({form_of(tree) for tree in trees_of if tree is not None}) == 1
    for mine, spelled in ((ours, result), (result, ours)):
        versions: ThreeWay[bytes | None] = ThreeWay(base=base, ours=mine, theirs=base)
        assert all(gate.passed for gate in gates.check("a.py", spelled, versions))


def test_an_import_under_another_name_gives_the_name_up() -> None:
    """Theirs calls what it imports anew by another name; ours adds a use of the old one."""
    base = b"def f(a):\n    b = y(a)\n    c = 1\n    d = 2\n    return b, c, d\n"
    ours = base.replace(b"d = 2", b"d = y(2)")
    theirs = base.replace(b"    b = y(a)", b"    from m import y as z\n\n    b = z(a)")
    merged = theirs.replace(b"d = 2", b"d = y(2)")
    versions: ThreeWay[bytes | None] = ThreeWay(base=base, ours=ours, theirs=theirs)
    failed = [gate.gate for gate in gates.check("a.py", merged, versions) if not gate.passed]
    assert failed == ["given-up-name"]
