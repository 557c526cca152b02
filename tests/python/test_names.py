"""Names that syntax binds, and those that it must find bound."""

from __future__ import annotations

import ast

import pytest

from mergewright.python.names import bound_names, declared, local_names, needed


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a, (b, *c) = d", "a b c"),
        ("a.b = c[d] = 1", ""),
        ("import a.b, c as d\nfrom e import f as g, h", "a d g h"),
        ("try: pass\nexcept E as e: pass", "e"),
        ("with a as b: pass\nfor c in d: pass", "b c"),
        ("match a:\n case B.c: pass\n case [d, *e]: pass\n case {'f': 1, **g}: pass\n case H(i=j) as k: pass",
         "d e g j k"),
        ("def f(a, *b, c=1, **d): e = 1", "f a b c d e"),
        ("class A:\n b = 1", "A b"),
        ("[a for b in c if (d := b)]", "b d"),
        ("lambda a: b", "a"),
        ("del a", ""),
    ],
)  # fmt: skip
def test_bound_names(text: str, names: str) -> None:
    """Every way to bind a name, at any depth; attributes and items are no names."""
    assert bound_names(ast.parse(text)) == {*names.split()}


def test_local_names_are_those_of_the_scope_alone() -> None:
    """Nested scopes and comprehensions keep theirs, a walrus does not; globals are not local."""
    function = ast.parse(
        "def f(a):\n global g, h\n g = b = [c for c in (d := a)]\n def e(x): y = 1\n class K: z = 1\n"
    ).body[0]
    assert local_names(function) == {"a", "b", "d", "e", "K"}
    assert declared(function) == {"g", "h"}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a = 1\nb = a", ""),
        ("a = a + 1", "a"),
        ("a += b", "a b"),
        ("a: int\nb = a", "int a"),
        ("a: int = b\nb = a", "int b"),
        ("if c:\n a = 1\nb = a", "c a"),
        ("if c:\n a = 1\nelse:\n a = 2\nb = a", "c"),
        ("if c:\n a = 1\nelse:\n raise E\nb = a", "c E"),
        ("for a in a:\n b = a\nc = b", "a b"),
        ("while c:\n a = 1\nb = a", "c a"),
        ("try:\n a = f()\nexcept E as e:\n a = e\nb = a", "f E"),
        ("try:\n a = f()\nexcept E:\n pass\nb = a", "f E a"),
        ("with f() as a:\n b = a\nc = b", "f"),
        ("match a:\n case K.v: pass\n case [b, c] if b: d = c\ne = d", "a K d"),
        ("a = [b for b in c if b > d]\ne = b", "c d b"),
        ("def f(a, b=c):\n return a + d\nf()", "c d"),
        ("a = lambda b: b + c", "c"),
        ("class A(B):\n c = d\n e = c\nA()", "B d"),
        ("(a := b) + a", "b"),
        ("import a\na.b()", ""),
        ("del a", "a"),
    ],
)
def test_needed_names(text: str, names: str) -> None:
    """What is read before it is surely bound, in the order of evaluation."""
    assert needed(ast.parse(text).body) == {*names.split()}
