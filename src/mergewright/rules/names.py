"""Names of a Python text: what it binds, imports, calls and uses without a binding.

The text is parsed, never run. A text that this Python cannot parse has no answer (``None``).
"""

from __future__ import annotations

import ast
import builtins
import re
import symtable
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from mergewright.python.names import bound_names
from mergewright.text.syntax import expression_tree, syntax_tree

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
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportBinding:
    """A name that an import binds at module level.

    Attributes:
        bound: The name it binds.
        module: The module, with leading dots when relative.
        name: What is taken from the module; ``None`` for ``import module``.
        line: First line of the statement, from 1.
        plain: Whether it stands at the top of the module, not inside ``try`` or ``if``.
    """

    bound: str
    module: str
    name: str | None
    line: int
    plain: bool

    @property
    def origin(self) -> tuple[str, str | None]:
        """What is imported, whatever it is called."""
        return self.module, self.name

    @property
    def statement(self) -> str:
        """The import as a statement of its own."""
        if self.name is None:
            head = f"import {self.module}"
            alias = self.bound != self.module.split(".")[0]
        else:
            head = f"from {self.module} import {self.name}"
            alias = self.bound != self.name
        return f"{head} as {self.bound}" if alias else head


@lru_cache(maxsize=64)
def tree_of(data: bytes) -> ast.Module | None:
    """The syntax tree, or ``None`` when this Python cannot parse the text."""
    return syntax_tree(data)


def compiles(data: bytes) -> bool:
    """Whether this Python takes the text, scopes included; nothing of it is run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(data, "<merged>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def string_names(text: str) -> frozenset[str]:
    """Names that a string speaks of when it is read as an expression: an export, a type, a path."""
    if len(text) > 500:
        return frozenset()
    tree = expression_tree(text.strip())
    return frozenset(
        node.id if isinstance(node, ast.Name) else node.attr
        for node in (() if tree is None else ast.walk(tree))
        if isinstance(node, ast.Name | ast.Attribute)
    )


def _statements(body: list[ast.stmt], *, plain: bool = True) -> Iterator[tuple[ast.stmt, bool]]:
    """The statements of module level, those in ``if``, ``try`` and ``with`` included."""
    for node in body:
        yield node, plain
        for name in ("body", "orelse", "finalbody"):
            if isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
                yield from _statements(getattr(node, name, []), plain=False)
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                yield from _statements(handler.body, plain=False)


def module_imports(data: bytes) -> dict[str, ImportBinding] | None:
    """The imports of module level by the name they bind; the first binding of a name counts."""
    tree = tree_of(data)
    if tree is None:
        return None
    found: dict[str, ImportBinding] = {}
    for node, plain in _statements(tree.body):
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.split(".")[0]
                binding = ImportBinding(
                    bound=bound, module=alias.name, name=None, line=node.lineno, plain=plain
                )
                found.setdefault(bound, binding)
        elif isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                bound = alias.asname or alias.name
                binding = ImportBinding(
                    bound=bound, module=module, name=alias.name, line=node.lineno, plain=plain
                )
                found.setdefault(bound, binding)
    return found


_IMPORT = re.compile(
    rb"^[ \t]*(?:"
    rb"from[ \t]+(?P<module>\.*[ \t]*[\w.]*)[ \t]+import[ \t]*"
    rb"(?P<names>\((?:[^()#]|#[^\n]*\n)*\)|(?:[^\n#;\\]|\\\r?\n)*)"
    rb"|import[ \t]+(?P<plain>(?:[^\n#;\\]|\\\r?\n)*))",
    re.MULTILINE,
)
_COMMENT = re.compile(rb"#[^\n]*")


def imported_modules(data: bytes, path: str = "") -> frozenset[str]:
    """All modules that are imported anywhere, also as ``module.name`` for names taken from them.

    Read from the lines that begin as import statements, without parsing the rest: a whole tree can
    be searched in little time. An import written in a docstring counts too.

    Args:
        data: The text.
        path: Its path in the repository, by which relative imports become absolute.
    """
    package = module_name(path).split(".") if path else []
    if package and not path.endswith(("/__init__.py", "/__init__.pyi")):
        package.pop()
    found: set[str] = set()
    for match in _IMPORT.finditer(data):
        plain = match["plain"]
        if plain is not None:
            found.update(_listed(plain))
            continue
        dotted = match["module"].decode("utf-8", "replace").replace(" ", "").replace("\t", "")
        module = dotted.lstrip(".")
        level = len(dotted) - len(module)
        if level:
            parts = package[: max(0, len(package) - level + 1)]
            module = ".".join([*parts, *([module] if module else [])])
        found.add(module)
        found.update(f"{module}.{name}" if module else name for name in _listed(match["names"]))
    return frozenset(found)


def _listed(names: bytes) -> Iterator[str]:
    """The names of an import list, without their aliases."""
    text = _COMMENT.sub(b"", names).replace(b"\\", b" ").strip(b"() \t\r\n")
    for part in text.split(b","):
        words = part.split()
        if words:
            yield words[0].decode("utf-8", "replace")


def module_name(path: str) -> str:
    """The dotted name of a file from the repository's root."""
    parts = path.removesuffix(".pyi").removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts.pop()
    return ".".join(parts)


def module_names(path: str) -> tuple[str, ...]:
    """The dotted names under which a file may be imported: from the root, and from ``src``."""
    name = module_name(path)
    root, _, rest = name.partition(".")
    return (name, rest) if root in {"src", "lib", "python"} and rest else (name,)


def defined_names(data: bytes) -> frozenset[str] | None:
    """Every function, method and class, and every name or attribute that is assigned anywhere."""
    tree = tree_of(data)
    if tree is None:
        return None
    return frozenset(bound_names(tree)) | {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
    }


def defined_helpers(data: bytes) -> frozenset[str] | None:
    """Names of all functions and methods that the text defines."""
    tree = tree_of(data)
    if tree is None:
        return None
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def called_helpers(data: bytes) -> dict[str, int] | None:
    """Names called as ``name(…)``, ``self.name(…)`` or ``cls.name(…)``, with the first line."""
    tree = tree_of(data)
    if tree is None:
        return None
    found: dict[str, int] = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name):
            found.setdefault(function.id, node.lineno)
        elif isinstance(function, ast.Attribute) and (
            isinstance(function.value, ast.Name) and function.value.id in {"self", "cls"}
        ):
            found.setdefault(function.attr, node.lineno)
    return found


def unbound_names(data: bytes) -> dict[str, int] | None:
    """Names that are used but bound nowhere that they could be seen, with the first line.

    Names are looked for as Python does it: per scope, globals in the module, then builtins. With
    a star import nothing can be said and the answer is empty.
    """
    tree = tree_of(data)
    if tree is None:
        return None
    if b"*" in data and any(
        isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n, _ in _statements(tree.body)
    ):
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            top = symtable.symtable(data.decode("utf-8-sig"), "<merged>", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    bound = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    free: set[str] = set()
    tables = [top]
    while tables:
        table = tables.pop()
        tables.extend(table.get_children())
        for symbol in table.get_symbols():
            name = symbol.get_name()
            if symbol.is_global() and symbol.is_assigned():
                bound.add(name)
            if symbol.is_referenced() and (symbol.is_global() or table is top):
                free.add(name)
    # Postponed annotations are no references for the compiler, but they are for readers and tools.
    anywhere: set[str] = set()
    if _postpones(tree):
        anywhere = {name for node in ast.walk(tree) for name in _annotation_names(node)}
        anywhere -= bound_names(tree)
    missing = {name for name in free | anywhere if name not in bound and name not in _BUILTINS}
    if not missing:
        return {}
    lines: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in missing:
            lines[node.id] = min(node.lineno, lines.get(node.id, node.lineno))
    return lines


def _postpones(tree: ast.Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in tree.body
    )


def _annotation_names(node: ast.AST) -> Iterator[str]:
    roots: list[ast.expr | None] = []
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        roots = [node.returns]
    elif isinstance(node, ast.arg | ast.AnnAssign):
        roots = [node.annotation]
    for root in roots:
        if root is not None:
            for part in ast.walk(root):
                if isinstance(part, ast.Name):
                    yield part.id
