"""Python's syntax tree of a text, where it has one."""

import ast

from mergewright.text.syntax import expression_tree, syntax_tree


def test_a_text_that_does_not_parse_has_no_tree() -> None:
    """Neither syntax errors, null bytes, unknown encodings nor depth raise."""
    deep = "(" * 5_000 + ")" * 5_000
    for text in ("def", b"a = 1\0", b"# coding: none-such\n", deep):
        assert syntax_tree(text) is None
    assert syntax_tree(b"a = '\xff'\n".decode("utf-8", "surrogateescape")) is None
    assert expression_tree("a = 1") is None


def test_what_the_compiler_warns_of_is_no_matter() -> None:
    """An invalid escape of old code gives a tree and no warning."""
    tree = syntax_tree(b'a = "\\d"\n')
    assert tree is not None
    assert ast.unparse(tree) == "a = '\\\\d'"
    expression = expression_tree('"\\d"')
    assert expression is not None
    assert ast.unparse(expression) == "'\\\\d'"
