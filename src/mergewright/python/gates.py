"""What every Python result must pass before it is believed.

The gates work on the texts alone (standard library ``ast`` and ``symtable``): they share no code with
the engine, so that a fault of the engine cannot hide itself.
"""

from __future__ import annotations

import ast
import builtins
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
        One result a gate: ``parse``, ``duplicate-definition``, ``undefined-name``, ``conservation``.
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
        _conservation(result, trees, settled),
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
    bound = {
        s.get_name()
        for s in top.get_symbols()
        if s.is_assigned() or s.is_imported() or s.is_namespace()
    }
    read: set[str] = set()
    stack = [top]
    while stack:
        table = stack.pop()
        stack.extend(table.get_children())
        for symbol in table.get_symbols():
            name = symbol.get_name()
            if symbol.is_declared_global() and symbol.is_assigned():
                bound.add(name)
            if symbol.is_referenced() and (
                symbol.is_global()
                or (table is top and not symbol.is_assigned() and not symbol.is_imported())
            ):
                read.add(name)
    return frozenset(name for name in read - bound - _BUILTINS if not name.startswith("."))


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


def _leaves(tree: ast.Module) -> dict[str, ast.AST]:
    """Functions, methods, class headers, assignments by dotted path; repeated names numbered."""
    found: dict[str, ast.AST] = {}

    def add(key: str, node: ast.AST) -> None:
        unique, count = key, 1
        while unique in found:
            count += 1
            unique = f"{key}#{count}"
        found[unique] = node

    stack: list[tuple[str, ast.stmt]] = [("", node) for node in reversed(tree.body)]
    while stack:
        scope, node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            add(scope + node.name, node)
        elif isinstance(node, ast.ClassDef):
            head = ast.ClassDef(
                name=node.name,
                bases=node.bases,
                keywords=node.keywords,
                body=[],
                decorator_list=node.decorator_list,
            )
            add(f"class {scope}{node.name}", head)
            stack.extend((f"{scope}{node.name}.", child) for child in reversed(node.body))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            add(f"{scope}={ast.unparse(targets[0])}", node)
    return found


def _conservation(
    result: ast.Module, trees: ThreeWay[ast.Module | None], settled: set[str]
) -> GateResult:
    """Every symbol that one side alone added or changed stands in the result as that side has it."""
    base = _leaves(trees.base) if trees.base is not None else {}
    ours = _leaves(trees.ours) if trees.ours is not None else {}
    theirs = _leaves(trees.theirs) if trees.theirs is not None else {}
    merged = _leaves(result)
    known: dict[int, str] = {}

    def form(node: ast.AST | None) -> str | None:
        if node is None:
            return None
        text = known.get(id(node))
        if text is None:
            text = known[id(node)] = ast.dump(node)
        return text

    lost: list[str] = []
    for key in dict.fromkeys([*ours, *theirs, *base]):
        b, o, t = form(base.get(key)), form(ours.get(key)), form(theirs.get(key))
        if o == t:
            want = o
        elif b == o:
            want = t
        elif b == t:
            want = o
        else:
            continue
        if form(merged.get(key)) != want and not _covered(key, settled):
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
