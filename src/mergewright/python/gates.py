"""What every Python result must pass before it is believed.

The gates work on the texts alone (standard library ``ast`` and ``symtable``): they share no code with
the engine, so that a fault of the engine cannot hide itself.
"""

from __future__ import annotations

import ast
import builtins
import re
import symtable
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence

from mergewright.model.resolution import Decision, GateResult
from mergewright.model.threeway import ThreeWay

_BUILTINS = frozenset(dir(builtins)) | {
    "__file__",
    "__name__",
    "__doc__",
    "__path__",
    "__spec__",
    "__loader__",
    "__package__",
    "__builtins__",
    "__annotations__",
    "__dict__",
    "__class__",
    "__module__",
    "__qualname__",
    "WindowsError",
    "reveal_type",
}


def check(
    path: str,
    candidate: bytes,
    versions: ThreeWay[bytes | None],
    decisions: Sequence[Decision] = (),
) -> tuple[GateResult, ...]:
    """Hold a clean result against the three versions.

    Args:
        path: The file's path, for messages.
        candidate: The whole result.
        versions: The three texts.
        decisions: What was decided; a symbol settled by a rule, by history or by memory may drop what
            a side alone added to it.

    Returns:
        One result a gate: ``parse``, ``duplicate-definition``, ``undefined-name``, ``conservation``,
        ``bound-twice``, ``lost-member``, ``runtime-name``, ``given-up-name``.
        Where one of the sides does not parse, only ``parse`` speaks, and it passes.
    """
    trees = versions.map(lambda data: _parse(data, path) if data is not None else None)
    sides = [trees.ours, trees.theirs, *([trees.base] if versions.base is not None else [])]
    if any(tree is None for tree in sides):
        return (GateResult(gate="parse", passed=True, detail="a version does not parse either"),)
    result = _parse(candidate, path)
    if result is None:
        return (GateResult(gate="parse", passed=False, detail="the result does not parse"),)
    assert trees.ours is not None
    assert trees.theirs is not None
    settled = {d.symbol for d in decisions if d.rule is not None or d.strategy in _SIDED}
    return (
        GateResult(gate="parse", passed=True),
        _duplicates(result, trees.ours, trees.theirs),
        _undefined(candidate, versions, path),
        _conservation(result, candidate, trees, versions, settled),
        _twice(result, trees.ours, trees.theirs),
        _members(result, trees),
        _runtime_names(result, trees),
        _given_up_names(result, trees, settled),
    )


# Strategies that take one side on the word of history, memory or a rule.
_SIDED = frozenset(
    {
        "take-ours",
        "take-theirs",
        "history",
        "memory",
        "larger-version",
        "follow-rename",
        "follow-move",
        "sweep",
        "taken-back",
    }
)


def _parse(data: bytes, path: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data, filename=path)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# -- definitions twice ---------------------------------------------------------------------------


def _definitions(tree: ast.Module) -> Counter[str]:
    """How often each name is defined in each scope; alternatives of ``if`` and ``try`` are apart."""
    found: Counter[str] = Counter()
    stack: list[tuple[str, str, ast.stmt]] = [("", "", node) for node in tree.body]
    while stack:
        scope, branch, node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if not _repeatable(node):
                found[f"{scope}{node.name}{branch}"] += 1
            inner = f"{scope}{node.name}."
            stack.extend((inner, "", child) for child in node.body)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            if scope:
                found[f"{scope}{node.target.id}:{branch}"] += 1
        else:
            for name, block in _blocks(node):
                stack.extend(
                    (scope, f"{branch} in {type(node).__name__}:{node.lineno}.{name}", child)
                    for child in block
                )
    return found


def _repeatable(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether a decorator makes repeated definitions of one name meaningful."""
    return bool(node.decorator_list)


def _blocks(node: ast.stmt) -> Iterator[tuple[str, list[ast.stmt]]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield name, block
    for index, handler in enumerate(getattr(node, "handlers", ())):
        yield f"handler{index}", handler.body
    for index, case in enumerate(getattr(node, "cases", ())):
        yield f"case{index}", case.body


def _duplicates(result: ast.Module, ours: ast.Module, theirs: ast.Module) -> GateResult:
    # Branch places hold line numbers, which differ between versions: compare only plain scopes.
    def plain(tree: ast.Module) -> Counter[str]:
        return Counter({k: n for k, n in _definitions(tree).items() if " in " not in k})

    mine, other, found = plain(ours), plain(theirs), plain(result)
    twice = sorted(k for k, n in found.items() if n > 1 and n > max(mine[k], other[k]))
    return GateResult(
        gate="duplicate-definition",
        passed=not twice,
        detail="" if not twice else f"defined twice: {', '.join(twice[:5])}",
    )


# -- names ---------------------------------------------------------------------------------------


def undefined_names(data: bytes, path: str = "<text>") -> frozenset[str] | None:
    """Names that are read somewhere and bound nowhere they could be read from.

    Args:
        data: A Python text.
        path: For messages.

    Returns:
        The names, or ``None`` when the text does not compile to symbol tables or imports a star.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            top = symtable.symtable(data.decode("utf-8-sig"), path, "exec")
    except (SyntaxError, ValueError, RecursionError, UnicodeDecodeError):
        return None
    bound = {s.get_name() for s in _symbols(top) if s.is_assigned() or s.is_imported()}
    bound.update(child.get_name() for child in top.get_children())
    read: set[str] = set()
    stack = [top]
    while stack:
        table = stack.pop()
        stack.extend(table.get_children())
        for symbol in _symbols(table):
            name = symbol.get_name()
            if symbol.is_declared_global() and symbol.is_assigned():
                bound.add(name)
            if symbol.is_referenced() and (
                symbol.is_global()
                or (table is top and not symbol.is_assigned() and not symbol.is_imported())
            ):
                read.add(name)
    return frozenset(name for name in read - bound - _BUILTINS if not name.startswith("."))


def _symbols(table: symtable.SymbolTable) -> Iterator[symtable.Symbol]:
    """The symbols of a table, without the namespaces behind them.

    ``get_symbols`` looks for each symbol through all child tables: minutes for a module of some
    thousand functions.
    """
    flags: dict[str, int] = table._table.symbols  # type: ignore[attr-defined]  # noqa: SLF001
    at_top = table.get_type() == "module"
    for name, flag in flags.items():
        yield symtable.Symbol(name, flag, module_scope=at_top)


def _undefined(candidate: bytes, versions: ThreeWay[bytes | None], path: str) -> GateResult:
    found = undefined_names(candidate, path)
    if not found:
        return GateResult(gate="undefined-name", passed=True)
    known: set[str] = set()
    for data in (versions.ours, versions.theirs):
        names = undefined_names(data or b"", path)
        if names is not None:
            known |= names
    new = sorted(found - known)
    return GateResult(
        gate="undefined-name",
        passed=not new,
        detail="" if not new else f"no longer bound: {', '.join(new[:5])}",
    )


# -- nothing lost --------------------------------------------------------------------------------


class _Leaf:
    """A symbol: its node, and its source lines where those say all about it."""

    def __init__(self, node: ast.AST, source: tuple[int, bytes] | None) -> None:
        self.source = source
        self._node = node
        self._form: str | None = None

    @property
    def form(self) -> str:
        """The syntax tree as text, without places."""
        if self._form is None:
            self._form = ast.dump(self._node)
        return self._form


def _leaves(tree: ast.Module | None, data: bytes | None) -> dict[str, _Leaf]:
    """Functions, methods, class headers, assignments by dotted path; repeated names numbered."""
    found: dict[str, _Leaf] = {}
    if tree is None or data is None:
        return found
    lines = _LINE_END.split(data)

    def add(key: str, node: ast.AST, source: tuple[int, bytes] | None) -> None:
        unique, count = key, 1
        while unique in found:
            count += 1
            unique = f"{key}#{count}"
        found[unique] = _Leaf(node, source)

    def source(node: ast.stmt) -> tuple[int, bytes]:
        decorators = getattr(node, "decorator_list", ())
        first = min([node.lineno, *(d.lineno for d in decorators)])
        return node.col_offset, b"\n".join(lines[first - 1 : node.end_lineno])

    stack: list[tuple[str, ast.stmt]] = [("", node) for node in reversed(tree.body)]
    while stack:
        scope, node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            add(scope + node.name, node, source(node))
        elif isinstance(node, ast.ClassDef):
            head = ast.ClassDef(
                name=node.name,
                bases=node.bases,
                keywords=node.keywords,
                body=[],
                decorator_list=node.decorator_list,
            )
            add(f"class {scope}{node.name}", head, None)
            stack.extend((f"{scope}{node.name}.", child) for child in reversed(node.body))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            add(f"{scope}={ast.unparse(targets[0])}", node, source(node))
    return found


# Where the tokenizer ends a line; bytes.splitlines would also end one at a form feed.
_LINE_END = re.compile(rb"\r\n|\r|\n")


def _conservation(
    result: ast.Module,
    candidate: bytes,
    trees: ThreeWay[ast.Module | None],
    versions: ThreeWay[bytes | None],
    settled: set[str],
) -> GateResult:
    """Every symbol that one side alone added or changed stands in the result as that side has it."""
    base = _leaves(trees.base, versions.base)
    ours = _leaves(trees.ours, versions.ours)
    theirs = _leaves(trees.theirs, versions.theirs)
    merged = _leaves(result, candidate)
    # The same bytes are the same text only under the same encoding.
    plain = not any(b"coding" in (data or b"")[:400] for data in (*versions, candidate))
    lost: list[str] = []
    for key in dict.fromkeys([*ours, *theirs, *base]):
        leaves = [table.get(key) for table in (base, ours, theirs, merged)]
        sources = {None if leaf is None else leaf.source for leaf in leaves}
        if plain and len(sources) == 1 and None not in sources:
            continue  # the same lines everywhere; dumping the trees of all would take seconds
        b, o, t, m = (None if leaf is None else leaf.form for leaf in leaves)
        if o == t:
            want = o
        elif b == o:
            want = t
        elif b == t:
            want = o
        else:
            continue
        if m != want and not _covered(key, settled):
            lost.append(key)
    return GateResult(
        gate="conservation",
        passed=not lost,
        detail=""
        if not lost
        else f"not as the one side that changed it has it: {', '.join(lost[:5])}",
    )


def _covered(key: str, settled: set[str]) -> bool:
    name = key.removeprefix("class ").replace("=", "").split("#")[0]
    return any(name == s or name.startswith(f"{s}.") for s in settled if s)


# -- what a class calls on itself ----------------------------------------------------------------


def _dangling_members(tree: ast.Module) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """(class, member) pairs read as ``self.member``, and those that the class defines."""
    read: set[tuple[str, str]] = set()
    bound: set[tuple[str, str]] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        for child in node.body:
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                bound.add((node.name, child.name))
            elif isinstance(child, ast.Assign | ast.AnnAssign):
                targets = child.targets if isinstance(child, ast.Assign) else [child.target]
                bound.update((node.name, t.id) for t in targets if isinstance(t, ast.Name))
        for inner in ast.walk(node):
            if (
                isinstance(inner, ast.Attribute)
                and isinstance(inner.value, ast.Name)
                and inner.value.id in {"self", "cls"}
            ):
                pair = (node.name, inner.attr)
                (read if isinstance(inner.ctx, ast.Load) else bound).add(pair)
    return read, bound


def _members(result: ast.Module, trees: ThreeWay[ast.Module | None]) -> GateResult:
    """No ``self.member`` is left whose definition only the other side had taken away or renamed."""
    read, bound = _dangling_members(result)
    loose = read - bound
    once: set[tuple[str, str]] = set()
    for tree in (trees.ours, trees.theirs):
        if tree is None:
            continue
        side_read, side_bound = _dangling_members(tree)
        loose -= side_read - side_bound
        once |= side_bound
    lost = sorted(loose & once)
    return GateResult(
        gate="lost-member",
        passed=not lost,
        detail=""
        if not lost
        else "used and no longer defined: " + ", ".join(f"{c}.{m}" for c, m in lost[:5]),
    )


# -- registered twice ----------------------------------------------------------------------------

_REGISTERING = frozenset(
    {"add_argument", "add_option", "add_parser", "add_config_value", "add_command"}
)


def _registrations(tree: ast.Module) -> Counter[tuple[str, str, str]]:
    """How often each function registers each name: ``parser.add_argument("--jobs")``."""
    found: Counter[tuple[str, str, str]] = Counter()
    stack: list[tuple[str, ast.AST]] = [("", tree)]
    while stack:
        scope, node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            scope = f"{scope}{node.name}."
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in _REGISTERING
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, str)
        ):
            found[scope, ast.unparse(node.func), node.args[0].value] += 1
        stack.extend((scope, child) for child in ast.iter_child_nodes(node))
    return found


def _bindings(tree: ast.Module) -> Counter[str]:
    """Names bound by the imports of the module's own block."""
    return Counter(
        (alias.asname or alias.name.split(".")[0])
        if isinstance(node, ast.ImportFrom) or alias.asname or "." not in alias.name
        else alias.name
        for node in tree.body
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if alias.name != "*"
    )


def _twice(result: ast.Module, ours: ast.Module, theirs: ast.Module) -> GateResult:
    """Nothing is registered or imported under one name more often than a side did."""
    found: list[str] = []
    many = _registrations(result)
    repeated = {key for key, n in many.items() if n > 1}
    if repeated:
        mine, other = _registrations(ours), _registrations(theirs)
        found += [key[2] for key in sorted(repeated) if many[key] > max(mine[key], other[key])]
    bound = _bindings(result)
    again = {name for name, n in bound.items() if n > 1}
    if again:
        one, two = _bindings(ours), _bindings(theirs)
        found += [name for name in sorted(again) if bound[name] > max(one[name], two[name])]
    return GateResult(
        gate="bound-twice",
        passed=not found,
        detail="" if not found else f"registered or imported twice: {', '.join(found[:5])}",
    )


# -- names that only type checkers see ------------------------------------------------------------


def _checking_only(tree: ast.Module) -> set[str]:
    """Names bound only below ``if TYPE_CHECKING`` and read where the program runs."""
    hidden: set[str] = set()
    bound: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            for child in node.body:
                if isinstance(child, ast.Import | ast.ImportFrom):
                    hidden.update(a.asname or a.name.split(".")[0] for a in child.names)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound.update(a.asname or a.name.split(".")[0] for a in node.names)
    hidden -= bound
    if not hidden:
        return set()
    read: set[str] = set()
    stack: list[ast.AST] = [tree]
    while stack:
        current = stack.pop()
        if isinstance(current, ast.Name) and isinstance(current.ctx, ast.Load):
            read.add(current.id)
        for name, value in ast.iter_fields(current):
            if name in {"annotation", "returns"}:
                continue
            children = value if isinstance(value, list) else [value]
            stack.extend(below for below in children if isinstance(below, ast.AST))
    return hidden & read


def _runtime_names(result: ast.Module, trees: ThreeWay[ast.Module | None]) -> GateResult:
    found = _checking_only(result)
    for tree in (trees.ours, trees.theirs):
        if tree is not None and found:
            found -= _checking_only(tree)
    return GateResult(
        gate="runtime-name",
        passed=not found,
        detail=""
        if not found
        else f"read at run time, imported for type checkers only: {', '.join(sorted(found)[:5])}",
    )


# -- names that one side gave up -------------------------------------------------------------------


def _given_up_names(
    result: ast.Module, trees: ThreeWay[ast.Module | None], settled: set[str]
) -> GateResult:
    """In one function a side took away every use of a name, and the other added uses of it.

    Each edit is at its own place, so they merge; but the new code relies on what the other side was
    moving away from. Measured: such results are wrong twice as often as right.
    """
    gate = "given-up-name"
    assert trees.ours is not None
    assert trees.theirs is not None
    if trees.base is None:
        return GateResult(gate=gate, passed=True)
    functions = [_functions(tree) for tree in (trees.base, trees.ours, trees.theirs, result)]
    base, ours, theirs, merged = functions
    for path, now in merged.items():
        if path in settled or not (path in base and path in ours and path in theirs):
            continue
        versions = [base[path], ours[path], theirs[path]]
        if len({ast.dump(node) for node in versions}) < 3:
            continue
        before, mine, other, after = (_used_names(node) for node in (*versions, now))
        for side, quit_by, by in (("ours", other, mine), ("theirs", mine, other)):
            for name, times in before.items():
                if not quit_by[name] and after[name] and by[name] > times:
                    giver = "theirs" if side == "ours" else "ours"
                    return GateResult(
                        gate=gate,
                        passed=False,
                        detail=f"{path}: {side} added uses of {name}, {giver} took all of them away",
                    )
    return GateResult(gate=gate, passed=True)


def _functions(tree: ast.Module) -> dict[str, ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions and methods by dotted path, those whose path stands once; inner ones are part of them."""
    found: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    stack: list[tuple[str, ast.stmt]] = [("", node) for node in tree.body]
    while stack:
        scope, node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found.setdefault(scope + node.name, []).append(node)
        elif isinstance(node, ast.ClassDef):
            stack.extend((f"{scope}{node.name}.", child) for child in node.body)
        else:
            for _, block in _blocks(node):
                stack.extend((scope, child) for child in block)
    return {path: nodes[0] for path, nodes in found.items() if len(nodes) == 1}


def _used_names(function: ast.AST) -> Counter[str]:
    """Names, attributes, parameters and keywords of a function, and how often each stands there."""
    found: Counter[str] = Counter()
    for node in ast.walk(function):
        for field in ("id", "attr", "arg"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                found[name] += 1
        if isinstance(node, ast.alias):
            found.update((node.asname or node.name).split("."))
        if isinstance(node, ast.ImportFrom) and node.module:
            found.update(node.module.split("."))
    for name in _BUILTINS:
        del found[name]
    return found
