"""What one Python file says of itself: spans, symbols, signatures and facts; found with ``ast`` alone.

The tree of ``ast`` nodes is thrown away after one walk; what stays is small enough to keep for
every file of three trees.
"""

from __future__ import annotations

import ast
import warnings
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from mergewright.text.syntax import syntax_tree


class Fact(NamedTuple):
    """One countable statement about a file.

    Attributes:
        kind: ``def``, ``class``, ``param``, ``field``, ``global``, ``import``, ``kwarg``, ``call``,
            ``decorator``, ``base``, ``cliarg`` or ``export``.
        owner: Dotted path of the symbol that holds it; empty at file level.
        name: What it is, without layout.
    """

    kind: str
    owner: str
    name: str


class Parameter(NamedTuple):
    """One parameter of a function.

    Attributes:
        name: Its name, without stars.
        kind: ``positional`` (only), ``both``, ``keyword`` (only), ``args`` or ``kwargs``.
        required: Whether a call must give it.
    """

    name: str
    kind: str
    required: bool


class CallChange(NamedTuple):
    """How calls of one function go over to another, by the names of parameters.

    Attributes:
        before: Positional parameters of the old one, in order, without ``self``.
        after: Those of the new one.
        names: All parameters that the new one takes by name.
        required: Those that it must be given.
        known: All parameters of the old one.
        removable: Those that may be left out, as the new one is without them on purpose.
        renames: Old names of parameters that go on under new ones, with these.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    names: frozenset[str]
    required: frozenset[str]
    known: frozenset[str]
    removable: frozenset[str]
    renames: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Function:
    """A function's face.

    Attributes:
        params: Parameters in order, ``self``/``cls`` included.
        decorators: Dotted names of its decorators.
        line: Line of the ``def``.
        bound: Whether a call through an instance or class fills the first parameter.
    """

    params: tuple[Parameter, ...]
    decorators: tuple[str, ...]
    line: int
    bound: bool


@dataclass(slots=True)
class Class:
    """A class: where it comes from and what it has."""

    line: int
    bases: tuple[str, ...]
    members: dict[str, int] = field(default_factory=dict)
    attributes: dict[str, int] = field(default_factory=dict)
    decorators: tuple[str, ...] = ()
    dynamic: bool = False
    #: Annotated fields in order, with whether they have no default.
    fields: dict[str, bool] = field(default_factory=dict)


class Import(NamedTuple):
    """An import binding: ``from module import name`` or ``import module`` (name is empty)."""

    module: str
    level: int
    name: str
    line: int
    guarded: bool


class Span(NamedTuple):
    """First and last line of a symbol, decorators included."""

    start: int
    end: int
    name: str
    kind: str


@dataclass(slots=True)
class Source:
    """All that the audit keeps of one file.

    ``error`` is the reason why it does not parse; everything else is empty then.
    """

    error: str = ""
    error_line: int = 0
    spans: list[Span] = field(default_factory=list)
    classes: dict[str, Class] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    imports: dict[str, Import] = field(default_factory=dict)
    stars: list[Import] = field(default_factory=list)
    exports: tuple[str, ...] | None = None
    dynamic: bool = False
    facts: Counter[Fact] = field(default_factory=Counter)
    fact_lines: dict[Fact, list[int]] = field(default_factory=dict)
    #: Every identifier that is read (names and attributes), for "is it used".
    used: set[str] = field(default_factory=set)

    def symbol_at(self, line: int) -> str:
        """Dotted path of the innermost symbol that holds a line; empty at file level."""
        best = ""
        index = bisect_right(self.spans, (line, float("inf"), "", ""))
        for span in reversed(self.spans[:index]):
            if span.end >= line:
                best = span.name
                break
        return best

    def span_of(self, name: str) -> Span | None:
        """The span of a symbol, the last one if it is defined twice."""
        found = None
        for span in self.spans:
            if span.name == name:
                found = span
        return found


def dotted(node: ast.AST) -> str:
    """``a.b.c`` of a name or attribute chain; the chain's tail after ``?`` for other heads."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        parts.append(node.id)
    elif isinstance(node, ast.Subscript):
        parts.append(dotted(node.value))
    elif isinstance(node, ast.Call):
        parts.append(dotted(node.func) + "()")
    else:
        parts.append("?")
    return ".".join(reversed(parts))


def read_source(data: bytes) -> Source:
    """Read one file. A file that does not parse gives a source with ``error``; nothing is raised."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except SyntaxError as error:
        return Source(error=error.msg or "does not parse", error_line=error.lineno or 0)
    except (ValueError, RecursionError, MemoryError, LookupError) as error:
        return Source(error=f"does not parse: {error}", error_line=0)
    reader = _Reader()
    try:
        reader.body(tree.body, "", None)
    except RecursionError:
        return Source(error="nested too deeply to read")
    source = reader.source
    source.spans.sort()
    if "__getattr__" in source.functions:
        source.dynamic = True
    return source


def signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[Parameter, ...]:
    """The parameters of a function in order."""
    args = node.args
    positional = [*args.posonlyargs, *args.args]
    first_default = len(positional) - len(args.defaults)
    out = [
        Parameter(
            arg.arg,
            "positional" if index < len(args.posonlyargs) else "both",
            index < first_default,
        )
        for index, arg in enumerate(positional)
    ]
    if args.vararg:
        out.append(Parameter(args.vararg.arg, "args", required=False))
    out.extend(
        Parameter(arg.arg, "keyword", default is None)
        for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)
    )
    if args.kwarg:
        out.append(Parameter(args.kwarg.arg, "kwargs", required=False))
    return tuple(out)


#: Expressions that a statement holds itself; those of its suites and handlers come apart.
_PARTS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Expr: ("value",),
    ast.Return: ("value",),
    ast.Assign: ("value", "targets"),
    ast.AnnAssign: ("target", "value", "annotation"),
    ast.AugAssign: ("target", "value"),
    ast.Delete: ("targets",),
    ast.Raise: ("exc", "cause"),
    ast.Assert: ("test", "msg"),
    ast.If: ("test",),
    ast.While: ("test",),
    ast.For: ("iter", "target"),
    ast.AsyncFor: ("iter", "target"),
    ast.Match: ("subject",),
}

#: Statements without a suite.
_SIMPLE = frozenset(
    {
        ast.Expr,
        ast.Return,
        ast.Assign,
        ast.AnnAssign,
        ast.AugAssign,
        ast.Delete,
        ast.Raise,
        ast.Assert,
        ast.Pass,
        ast.Break,
        ast.Continue,
        ast.Global,
        ast.Nonlocal,
    }
)


class _Children(dict[type[ast.AST], tuple[str, ...]]):
    """Fields of a node class that can hold expressions; contexts and operators cannot."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        plain = {
            "ctx",
            "op",
            "ops",
            "id",
            "attr",
            "arg",
            "kind",
            "conversion",
            "is_async",
            "str",
            "type_comment",
        }
        fields = tuple(name for name in kind._fields if name not in plain)
        self[kind] = fields
        return fields


_CHILDREN = _Children()


class _Reader:
    """One walk over a module; recursion follows statements, expressions are walked flat."""

    def __init__(self) -> None:
        self.source = Source()
        self._guards = 0
        self._receiver: tuple[str, Class] | None = None

    def fact(self, kind: str, owner: str, name: str, line: int) -> None:
        fact = Fact(kind, owner, name)
        self.source.facts[fact] += 1
        self.source.fact_lines.setdefault(fact, []).append(line)

    def body(self, statements: list[ast.stmt], owner: str, cls: Class | None) -> None:
        for statement in statements:
            self.statement(statement, owner, cls)

    def statement(self, node: ast.stmt, owner: str, cls: Class | None) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.function(node, owner, cls)
        elif isinstance(node, ast.ClassDef):
            self.class_(node, owner, cls)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self.import_(node, owner, cls)
        else:
            self.plain(node, owner, cls)

    def function(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str, cls: Class | None
    ) -> None:
        name = f"{owner}.{node.name}" if owner else node.name
        start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        self.source.spans.append(Span(start, node.end_lineno or node.lineno, name, "def"))
        self.fact("def", owner, node.name, node.lineno)
        decorators = tuple(dotted(_head(d)) for d in node.decorator_list)
        for decorator, expression in zip(decorators, node.decorator_list, strict=True):
            self.fact("decorator", name, decorator, expression.lineno)
            self.expressions(expression, owner, cls)
        params = signature(node)
        for param in params:
            if param.name not in {"self", "cls"}:
                self.fact("param", name, param.name, node.lineno)
        for part in (*node.args.defaults, *node.args.kw_defaults, node.returns):
            if part is not None:
                self.expressions(part, name, None)
        for arg in (
            *node.args.posonlyargs,
            *node.args.args,
            *node.args.kwonlyargs,
            node.args.vararg,
            node.args.kwarg,
        ):
            if arg is not None and arg.annotation is not None:
                self.expressions(arg.annotation, name, None)
        bound = cls is not None and not any(d.endswith("staticmethod") for d in decorators)
        self.source.functions[name] = Function(params, decorators, node.lineno, bound)
        if cls is not None:
            cls.members.setdefault(node.name, node.lineno)
            if node.name in {"__getattr__", "__getattribute__"}:
                cls.dynamic = True
        elif not owner:
            self.source.names.setdefault(node.name, node.lineno)
        outer = self._receiver
        if cls is not None:
            # Nested functions keep the receiver of the method that they stand in.
            self._receiver = (params[0].name, cls) if params and bound else None
        self.body(node.body, name, None)
        self._receiver = outer

    def class_(self, node: ast.ClassDef, owner: str, cls: Class | None) -> None:
        name = f"{owner}.{node.name}" if owner else node.name
        start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        self.source.spans.append(Span(start, node.end_lineno or node.lineno, name, "class"))
        self.fact("class", owner, node.name, node.lineno)
        bases = tuple(dotted(base) for base in node.bases)
        for base in bases:
            self.fact("base", name, base, node.lineno)
        decorators = tuple(dotted(_head(d)) for d in node.decorator_list)
        for decorator in decorators:
            self.fact("decorator", name, decorator, node.lineno)
        for part in (*node.bases, *node.decorator_list, *(k.value for k in node.keywords)):
            self.expressions(part, owner, None)
        inner = Class(node.lineno, bases, decorators=decorators)
        if not owner:
            self.source.names.setdefault(node.name, node.lineno)
        if cls is not None:
            cls.members.setdefault(node.name, node.lineno)
        previous = self.source.classes.get(name)
        if previous is not None:
            inner.members = {**previous.members}
            inner.fields = {**previous.fields}
        self.source.classes[name] = inner
        self.body(node.body, name, inner)

    def import_(self, node: ast.Import | ast.ImportFrom, owner: str, cls: Class | None) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.split(".")[0]
                suffix = f" as {alias.asname}" if alias.asname else ""
                self.fact("import", owner, f"{alias.name}{suffix}", node.lineno)
                entry = Import(
                    alias.name if alias.asname else bound, 0, "", node.lineno, self._guards > 0
                )
                if not owner:
                    self.source.imports.setdefault(bound, entry)
                    self.source.names.setdefault(bound, node.lineno)
                elif cls is not None:
                    cls.members.setdefault(bound, node.lineno)
            return
        module = node.module or ""
        for alias in node.names:
            shown = "." * node.level + module
            suffix = f" as {alias.asname}" if alias.asname else ""
            self.fact("import", owner, f"{shown}:{alias.name}{suffix}", node.lineno)
            entry = Import(module, node.level, alias.name, node.lineno, self._guards > 0)
            if alias.name == "*":
                self.source.stars.append(entry)
            elif not owner:
                self.source.imports.setdefault(alias.asname or alias.name, entry)
                self.source.names.setdefault(alias.asname or alias.name, node.lineno)
            elif cls is not None:
                cls.members.setdefault(alias.asname or alias.name, node.lineno)

    def plain(self, node: ast.stmt, owner: str, cls: Class | None) -> None:
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
            self.assignment(node, owner, cls)
        elif isinstance(node, (ast.For, ast.AsyncFor)) and not owner:
            for name in _target_names(node.target):
                self.source.names.setdefault(name, node.lineno)
        for attribute in _PARTS.get(node.__class__, ()):
            part = getattr(node, attribute)
            if part.__class__ is list:
                for item in part:
                    self.expressions(item, owner, cls)
            elif part is not None:
                self.expressions(part, owner, cls)
        if node.__class__ in _SIMPLE:
            return
        if isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                self.expressions(item.context_expr, owner, cls)
                if item.optional_vars is not None and not owner:
                    for name in _target_names(item.optional_vars):
                        self.source.names.setdefault(name, node.lineno)
        self._guards += isinstance(node, (ast.Try, ast.TryStar))
        for attribute in ("body", "orelse", "finalbody"):
            part = getattr(node, attribute, None)
            if isinstance(part, list):
                self.body(part, owner, cls)
        for handler in getattr(node, "handlers", ()):
            if handler.type is not None:
                self.expressions(handler.type, owner, cls)
            self.body(handler.body, owner, cls)
        self._guards -= isinstance(node, (ast.Try, ast.TryStar))
        for case in getattr(node, "cases", ()):
            if case.guard is not None:
                self.expressions(case.guard, owner, cls)
            self.body(case.body, owner, cls)

    def assignment(
        self, node: ast.Assign | ast.AnnAssign | ast.AugAssign, owner: str, cls: Class | None
    ) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            for name in _target_names(target):
                if cls is not None:
                    cls.members.setdefault(name, node.lineno)
                    self.fact("field", owner, name, node.lineno)
                    if isinstance(node, ast.AnnAssign) and "ClassVar" not in dotted(
                        node.annotation
                    ):
                        cls.fields.setdefault(name, node.value is None)
                elif not owner:
                    self.source.names.setdefault(name, node.lineno)
                    if name == "__all__":
                        self.exports(node)
                    elif not isinstance(node, ast.AugAssign):
                        self.fact("global", "", name, node.lineno)

    def exports(self, node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> None:
        value = node.value
        if not isinstance(value, (ast.List, ast.Tuple)):
            return
        names = tuple(
            e.value for e in value.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)
        )
        for name in names:
            self.fact("export", "", name, node.lineno)
        self.source.exports = (self.source.exports or ()) + names

    def expressions(self, root: ast.expr, owner: str, cls: Class | None) -> None:
        """Walk an expression flat; the hot loop of the audit, so no generic visitor."""
        del cls
        used = self.source.used
        receiver = self._receiver
        stack: list[ast.AST] = [root]
        while stack:
            node = stack.pop()
            kind = node.__class__
            if kind is ast.Constant:
                continue
            if kind is ast.Name:
                used.add(node.id)  # type: ignore[attr-defined]
                continue
            if kind is ast.Attribute:
                assert isinstance(node, ast.Attribute)
                used.add(node.attr)
                value = node.value
                if (
                    receiver
                    and value.__class__ is ast.Name
                    and value.id == receiver[0]
                    and node.ctx.__class__ is ast.Store
                ):
                    receiver[1].attributes.setdefault(node.attr, node.lineno)
                stack.append(value)
                continue
            if kind is ast.Call:
                assert isinstance(node, ast.Call)
                self.call(node, owner)
                if receiver:
                    _registered(node, receiver[0], receiver[1])
                stack.append(node.func)
                stack.extend(node.args)
                stack.extend([keyword.value for keyword in node.keywords])
                continue
            for name in _CHILDREN[kind]:
                part = getattr(node, name)
                if part.__class__ is list:
                    stack.extend([item for item in part if item is not None])
                elif part is not None:
                    stack.append(part)

    def call(self, node: ast.Call, owner: str) -> None:
        callee = dotted(node.func)
        self.fact("call", owner, callee, node.lineno)
        for keyword in node.keywords:
            if keyword.arg is not None:
                line = keyword.value.lineno
                self.fact("kwarg", owner, f"{callee}({keyword.arg}=)", line)
        if callee.endswith("add_argument"):
            for arg in node.args:
                if isinstance(arg, ast.Constant) and isinstance(arg.value, str):
                    self.fact("cliarg", owner, arg.value, node.lineno)


def _head(node: ast.expr) -> ast.expr:
    return node.func if isinstance(node, ast.Call) else node


def _target_names(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, (ast.Tuple, ast.List)):
        for element in node.elts:
            yield from _target_names(element)
    elif isinstance(node, ast.Starred):
        yield from _target_names(node.value)


#: Methods of ``torch.nn.Module`` that create an attribute named by their first argument.
_REGISTERING = frozenset({"register_buffer", "register_parameter", "add_module", "register_module"})


def _registered(node: ast.Call, receiver: str, cls: Class) -> None:
    """Attributes that a call creates: ``setattr(self, …)``, ``self.register_buffer(…)``."""
    function = node.func
    if isinstance(function, ast.Name):
        if function.id != "setattr" or len(node.args) < 2:
            return
        owner, name = node.args[0], node.args[1]
        if not isinstance(owner, ast.Name) or owner.id != receiver:
            return
        if isinstance(name, ast.Constant) and isinstance(name.value, str):
            cls.attributes.setdefault(name.value, node.lineno)
        else:
            cls.dynamic = True
    elif (
        isinstance(function, ast.Attribute)
        and function.attr in _REGISTERING
        and isinstance(function.value, ast.Name)
        and function.value.id == receiver
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and isinstance(node.args[0].value, str)
    ):
        cls.attributes.setdefault(node.args[0].value, node.lineno)


def function_tokens(data: bytes, name: str, limit: int = 400) -> tuple[str, ...]:
    """Names and constants of a function's body without layout; empty when it is not there."""
    tree = syntax_tree(data)
    if tree is None:
        return ()
    scope: list[ast.stmt] = tree.body
    node: ast.AST | None = None
    for part in name.split("."):
        node = next(
            (
                s
                for s in scope
                if isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
                and s.name == part
            ),
            None,
        )
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return ()
        scope = node.body
    return _tokens(scope, limit)


def _tokens(body: list[ast.stmt], limit: int) -> tuple[str, ...]:
    out: list[str] = []
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name):
                out.append(node.id)
            elif isinstance(node, ast.Attribute):
                out.append(node.attr)
            elif isinstance(node, ast.Constant):
                if isinstance(node.value, str) and len(node.value) > 60:
                    continue
                out.append(repr(node.value))
            else:
                out.append(type(node).__name__)
            if len(out) >= limit:
                return tuple(out)
    return tuple(out)
