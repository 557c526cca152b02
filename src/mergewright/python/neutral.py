"""Whether a change of a definition changes anything that runs.

Annotations, docstrings, ``class A(object)`` against ``class A``, ``super(A, self)`` against
``super()``: a definition that one side deleted and the other changed in such ways only may go, since
nothing of the other side's work is lost with it.
"""

from __future__ import annotations

import ast
import textwrap


def same_behaviour(one: bytes, other: bytes) -> bool:
    """Whether two versions of a statement differ only in what does not run.

    Args:
        one: Whole lines of the statement, indented as in their file.
        other: The other version.
    """
    forms = [_form(text) for text in (one, other)]
    return forms[0] is not None and forms[0] == forms[1]


def _form(text: bytes) -> str | None:
    try:
        tree = ast.parse(textwrap.dedent(text.decode("utf-8")))
    except (SyntaxError, ValueError, RecursionError):
        return None
    return ast.dump(_Neutral().visit(tree))


class _Neutral(ast.NodeTransformer):
    """Takes away what does not run."""

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        node.returns = None
        node.type_comment = None
        arguments = node.args
        for argument in (
            *arguments.posonlyargs,
            *arguments.args,
            *arguments.kwonlyargs,
            *(a for a in (arguments.vararg, arguments.kwarg) if a is not None),
        ):
            argument.annotation = None
        _drop_docstring(node)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.bases = [b for b in node.bases if not (isinstance(b, ast.Name) and b.id == "object")]
        _drop_docstring(node)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if (
            isinstance(node.func, ast.Name)
            and node.func.id == "super"
            and len(node.args) == 2
            and isinstance(node.args[1], ast.Name)
            and node.args[1].id in {"self", "cls"}
        ):
            node.args = []
        return self.generic_visit(node)


def _drop_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
    first = node.body[0]
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        # An empty body would not be one: a lone docstring and a lone pass are alike.
        node.body = node.body[1:] or [ast.Pass()]
