"""Whether a change of a statement changes anything that runs.

Annotations, docstrings, ``class A(object)`` against ``class A``, ``super(A, self)`` against
``super()``, one way to format a string against another: where one side deleted or replaced a statement
and the other changed it in such ways only, nothing of the other side's work is lost with it.
"""

from __future__ import annotations

import ast
import io
import re
import string
import textwrap
import tokenize
from collections import Counter
from collections.abc import Sequence
from typing import cast

from mergewright.text.syntax import syntax_tree


def same_behaviour(base: bytes, side: bytes) -> bool:
    """Whether a side changed in a statement only what does not run.

    Annotations that it added where there was none count as such, and quotes around them. One that it
    changed does not: it tells that the values became others.

    Args:
        base: Whole lines of the base, indented as in their file.
        side: The side's.
    """
    before, after = (_tree(text, _Neutral()) for text in (base, side))
    if before is None or after is None:
        return False
    for was, now in zip(_annotated(before), _annotated(after), strict=False):
        for field in ("annotation", "returns"):
            if getattr(now, field, None) is not None:
                old = getattr(was, field, None)
                same = old is None or _unquoted(old) == _unquoted(getattr(now, field))
                setattr(now, field, old if same else getattr(now, field))
    return ast.dump(before) == ast.dump(after)


def _annotated(tree: ast.AST) -> list[ast.AST]:
    """What may bear an annotation, in an order that annotations do not change."""
    return [n for n in ast.walk(tree) if isinstance(n, (*_FUNCTIONS, ast.arg))]


def _unquoted(annotation: ast.expr) -> str:
    """An annotation as text, without the quotes that only put off its evaluation."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return annotation.value.strip()
    return ast.unparse(annotation)


def same_program(one: bytes, other: bytes) -> bool:
    """Whether two texts are one program, apart from layout, comments and the spelling of literals.

    Args:
        one: Whole lines, indented as in their file.
        other: The other version.
    """
    forms = [_form(text, ast.NodeTransformer()) for text in (one, other)]
    return forms[0] is not None and forms[0] == forms[1]


def only_respelled(base: bytes, side: bytes, other: bytes) -> bool:
    """Whether a side only wrote the same thing another way, and the other side has no trace of the old way.

    Formatting of strings (``%``, ``format``, f-strings), ``set([…])`` against ``{…}``, unittest's
    assertions against ``assert``, a needless ``pass``, ``not a in b``: the behaviour is the base's. Where
    the other side still writes it the old way, the respelling is meant for it too, and this is ``False``.
    Against a deletion docstrings count as spelling, too; against a replacement they do not, nor do
    comments: what the side wrote there would be lost.

    Args:
        base: Whole lines of the base.
        side: The side that may have respelled them.
        other: What the other side has in this place; empty when it deleted it.
    """
    deleted = not other.strip()
    forms = [_form(text, _Respelled(docstrings=deleted)) for text in (base, side)]
    if forms[0] is None or forms[0] != forms[1]:
        return False
    return deleted or set(_words(base) - _words(side)).isdisjoint(_words(other))


def comments_of(text: bytes) -> tuple[str, ...] | None:
    """The comments of a piece of code, in order; ``None`` where it is no code of its own.

    Args:
        text: Whole lines, indented as in their file.
    """
    tokens = _tokens(text)
    if tokens is None:
        return None
    return tuple(token.string for token in tokens if token.type == tokenize.COMMENT)


def _words(text: bytes) -> Counter[str]:
    """Names and strings of a text, also those inside its f-strings."""
    found: Counter[str] = Counter()
    tree = syntax_tree(_at_margin(text.decode("utf-8", "surrogateescape")))
    if tree is None:
        return found
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name"):
            word = getattr(node, field, None)
            if isinstance(word, str):
                found[word] += 1
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found[repr(node.value)] += 1
    return found


def _tokens(text: bytes) -> list[tokenize.TokenInfo] | None:
    try:
        code = textwrap.dedent(text.decode("utf-8"))
        return list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return None


def _form(text: bytes, form: ast.NodeTransformer) -> str | None:
    tree = _tree(text, form)
    return None if tree is None else ast.dump(tree)


def _tree(text: bytes, form: ast.NodeTransformer) -> ast.AST | None:
    if not text.strip():
        return None
    tree = syntax_tree(_at_margin(text.decode("utf-8", "surrogateescape")))
    try:
        return None if tree is None else cast("ast.AST", form.visit(tree))
    except RecursionError:
        return None


def _at_margin(text: str) -> str:
    """The code as a program: an indented piece becomes the suite of an ``if``, its strings untouched."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first[:1] in {" ", "\t"}:
        below = "if 1:\n" + text
        return textwrap.dedent(text) if syntax_tree(below) is None else below
    return text


class _Neutral(ast.NodeTransformer):
    """Takes away what does not run; without ``docstrings`` they stay."""

    def __init__(self, *, docstrings: bool = True) -> None:
        self._docstrings = docstrings

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        node.type_comment = None
        if self._docstrings:
            _drop_docstring(node)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._function(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.bases = [b for b in node.bases if not (isinstance(b, ast.Name) and b.id == "object")]
        if self._docstrings:
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


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

_COMPARISONS: dict[str, type[ast.cmpop]] = {
    "equal": ast.Eq,
    "equals": ast.Eq,
    "notequal": ast.NotEq,
    "in": ast.In,
    "notin": ast.NotIn,
    "is": ast.Is,
    "isnot": ast.IsNot,
}


class _Respelled(_Neutral):
    """Brings the ways of writing one thing to one form."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        node.kind = None
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.value, ast.Constant) and node.value.value is None:
            node.value = None
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        inner = node.operand
        if isinstance(node.op, ast.Not) and isinstance(inner, ast.Compare) and len(inner.ops) == 1:
            turned = {ast.In: ast.NotIn, ast.Is: ast.IsNot}.get(type(inner.ops[0]))
            if turned is not None:
                inner.ops = [turned()]
                return inner
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """Unittest's and nose's assertions as ``assert``."""
        self.generic_visit(node)
        call = node.value
        if not isinstance(call, ast.Call) or call.keywords:
            return node
        func = call.func
        name = func.id if isinstance(func, ast.Name) else getattr(func, "attr", "")
        if not name.startswith("assert"):
            return node
        what = name[len("assert") :].replace("_", "").lower()
        if what in _COMPARISONS and len(call.args) == 2:
            operator = _COMPARISONS[what]()
            test: ast.expr = ast.Compare(
                left=call.args[0], ops=[operator], comparators=[call.args[1]]
            )
        elif what in {"true", ""} and len(call.args) == 1:
            test = call.args[0]
        elif what == "false" and len(call.args) == 1:
            test = ast.UnaryOp(op=ast.Not(), operand=call.args[0])
        else:
            return node
        return ast.Assert(test=test, msg=None)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.AST:
        self.generic_visit(node)
        if node.conversion == ord("s") and node.format_spec is None:
            node.conversion = -1
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        self.generic_visit(node)
        return _joined(node.values)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        left = node.left
        if (
            isinstance(node.op, ast.Mod)
            and isinstance(left, ast.Constant)
            and isinstance(left.value, str)
        ):
            return _from_percent(left.value, node.right) or node
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        super().visit_Call(node)
        func = node.func
        if (
            isinstance(func, ast.Attribute)
            and func.attr == "format"
            and isinstance(func.value, ast.Constant)
            and isinstance(func.value.value, str)
        ):
            return _from_format(func.value.value, node) or node
        if isinstance(func, ast.Name) and not node.keywords:
            return _literal(func.id, node.args) or node
        return node

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            statements = getattr(node, field, None)
            if isinstance(statements, list) and len(statements) > 1:
                running = [s for s in statements if not isinstance(s, ast.Pass)]
                setattr(node, field, running or statements[:1])
        return node


def _literal(name: str, args: Sequence[ast.expr]) -> ast.expr | None:
    """``set([…])``, ``dict(…)`` of pairs, ``list()`` as displays and comprehensions."""
    if not args:
        if name == "list":
            return ast.List(elts=[], ctx=ast.Load())
        if name == "dict":
            return ast.Dict(keys=[], values=[])
        return None
    if len(args) != 1:
        return None
    only = args[0]
    if name == "set" and isinstance(only, ast.List | ast.Tuple) and only.elts:
        return ast.Set(elts=only.elts)
    if isinstance(only, ast.ListComp | ast.GeneratorExp):
        if name == "set":
            return ast.SetComp(elt=only.elt, generators=only.generators)
        pair = only.elt
        if name == "dict" and isinstance(pair, ast.Tuple) and len(pair.elts) == 2:
            return ast.DictComp(key=pair.elts[0], value=pair.elts[1], generators=only.generators)
    return None


def _joined(values: Sequence[ast.expr]) -> ast.expr:
    """One f-string of text and values; a plain string where it holds no value."""
    parts: list[ast.expr] = []
    for value in values:
        last = parts[-1] if parts else None
        if isinstance(value, ast.Constant):
            if isinstance(last, ast.Constant):
                parts[-1] = ast.Constant(value=str(last.value) + str(value.value))
                continue
            if value.value == "":
                continue
        parts.append(value)
    if not parts:
        return ast.Constant(value="")
    if len(parts) == 1 and isinstance(parts[0], ast.Constant):
        return parts[0]
    return ast.JoinedStr(values=parts)


_PERCENT = re.compile(r"(%[sr%])")


def _from_percent(text: str, right: ast.expr) -> ast.expr | None:
    """``"%s: %r" % (a, b)`` as an f-string; only with the values written out as a tuple."""
    if not isinstance(right, ast.Tuple) or any(isinstance(e, ast.Starred) for e in right.elts):
        return None
    pieces = _PERCENT.split(text)
    if any("%" in piece for piece in pieces[::2]):
        return None
    waiting = list(right.elts)
    parts: list[ast.expr] = []
    for n, piece in enumerate(pieces):
        if n % 2 == 0 or piece == "%%":
            parts.append(ast.Constant(value="%" if piece == "%%" else piece))
            continue
        if not waiting:
            return None
        conversion = ord("r") if piece == "%r" else -1
        parts.append(
            ast.FormattedValue(value=waiting.pop(0), conversion=conversion, format_spec=None)
        )
    return None if waiting else _joined(parts)


_FIELD = re.compile(r"\A(\w*)((?:\.\w+)*)\Z")


def _from_format(text: str, call: ast.Call) -> ast.expr | None:
    """``"{}: {0.name!r}".format(a)`` as an f-string, where each value is used once and in order."""
    if any(isinstance(a, ast.Starred) for a in call.args):
        return None
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    if None in named:
        return None
    values = [*call.args, *named.values()]
    used: list[int] = []
    parts: list[ast.expr] = []
    automatic = 0
    try:
        for literal, field, spec, conversion in string.Formatter().parse(text):
            if literal:
                parts.append(ast.Constant(value=literal))
            if field is None:
                continue
            match = _FIELD.match(field)
            if match is None or "{" in (spec or ""):
                return None
            key, path = match.groups()
            if key == "":
                at, automatic = automatic, automatic + 1
            elif key.isdigit():
                at = int(key)
            else:
                at = len(call.args) + list(named).index(key)
            value = values[at]
            used.append(at)
            for name in path.split(".")[1:]:
                value = ast.Attribute(value=value, attr=name, ctx=ast.Load())
            parts.append(
                ast.FormattedValue(
                    value=value,
                    conversion=ord(conversion) if conversion and conversion != "s" else -1,
                    format_spec=ast.JoinedStr(values=[ast.Constant(value=spec)]) if spec else None,
                )
            )
    except (IndexError, ValueError):
        return None
    pure = all(isinstance(value, ast.Name | ast.Constant | ast.Attribute) for value in values)
    if not pure and used != list(range(len(values))):
        return None  # another order, or other times, of running something
    return _joined(parts) if set(used) == set(range(len(values))) else None


def _drop_docstring(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
    first = node.body[0]
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        # An empty body would not be one: a lone docstring and a lone pass are alike.
        node.body = node.body[1:] or [ast.Pass()]
