"""Python's own syntax tree of a text, where it has one."""

from __future__ import annotations

import ast
import warnings
from typing import Any

#: Comments and strings in Python code (verbose): no ``#`` or quote outside of a match starts one.
COMMENTS_AND_STRINGS = r"""(?s)\#[^\n]*
    |'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''
    |\"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*\"""
    |'[^'\\\n]*(?:\\.[^'\\\n]*)*'
    |"[^"\\\n]*(?:\\.[^"\\\n]*)*"
    """


def syntax_tree(data: bytes | str, path: str = "<text>") -> ast.Module | None:
    """The syntax tree of a module; ``None`` when this Python has none for it.

    What the compiler would warn of (invalid escapes in old code) is no matter here, and a text that is
    too deep for it counts as one without a tree. Nothing of it is run.

    Args:
        data: The text; bytes are decoded by their own encoding declaration. A string with surrogates, for
            bytes that are no UTF-8, has no tree.
        path: How the text is called in the tree's errors.
    """
    tree: ast.Module | None = _parsed(data, path, "exec")
    return tree


def expression_tree(text: str) -> ast.expr | None:
    """The syntax tree of an expression, as :func:`syntax_tree` gives that of a module."""
    tree: ast.Expression | None = _parsed(text, "<text>", "eval")
    return None if tree is None else tree.body


def _parsed(data: bytes | str, path: str, mode: str) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data, filename=path, mode=mode)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
