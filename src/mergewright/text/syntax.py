"""Python's own syntax tree of a text, where it has one."""

from __future__ import annotations

import ast
import warnings


def syntax_tree(data: bytes | str, path: str = "<text>") -> ast.Module | None:
    """The syntax tree of a module; ``None`` when this Python has none for it.

    What the compiler would warn of (invalid escapes in old code) is no matter here, and a text that is
    too deep for it counts as one without a tree. Nothing of it is run.

    Args:
        data: The text; bytes are decoded by their own encoding declaration.
        path: How the text is called in the tree's errors.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data, filename=path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
