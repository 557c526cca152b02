"""A text as the gates read it: in units, so that what nobody changed is never parsed.

A unit is a run of whole statements of the module, or of the members of one class. Texts are cut at lines
that start a statement; a cut inside a string or a bracket is found by counting and taken back. The parse
trees of a text's units, one behind the other, are the parse tree of the text. Nothing here is shared
with the engine.
"""

from __future__ import annotations

import ast
import functools
import re
import symtable
import warnings
import weakref
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mergewright.text.syntax import COMMENTS_AND_STRINGS, syntax_tree

#: A statement of the module that starts with a word or a decorator.
_START = re.compile(rb"\n(?=[A-Za-z_@\x80-\xff])")
_CLAUSE = re.compile(rb"(?:else|elif|except|finally)\b")
_LITERALS = re.compile(COMMENTS_AND_STRINGS.encode(), re.VERBOSE)
_DEFINITION = re.compile(rb"(?:async[ \t]+)?def[ \t]+(\w++)(?![\x80-\xff])")
_DEFINES = re.compile(rb"\b(?:def|class)\b")
_CLASS = re.compile(rb"class[ \t]+(\w++)(?![\x80-\xff])")
#: Cuts that may fail before a text is read in one piece: each is looked at again and again.
_MOST_FAILURES = 200
_SILENT = re.compile(rb"(?:[ \t\f]*(?:\#[^\n]*)?(?:\n|\Z))*", re.VERBOSE)
# Where the tokenizer ends a line; bytes.splitlines would also end one at a form feed.
_LINE_END = re.compile(rb"\r\n|\r|\n")
# A definition or an annotated name inside a definition; more than there are, never fewer.
_NESTED = re.compile(
    rb"(?:[\n;:])[ \t\f]*(?:(?:async[ \t]+)?(?:def|class)[ \t]+(\w+)"
    rb"|\(*(?!(?:else|try|finally|except)\b)(\w+)[\s\\)]*:(?!=))"
)
#: Methods that register something under a name.
_REGISTERING = ("add_argument", "add_option", "add_parser", "add_config_value", "add_command")
_REGISTERS = re.compile(rb"\b(?:%s)\b" % "|".join(_REGISTERING).encode())
_REGISTERED = re.compile(_REGISTERS.pattern + rb"[\s\\]*\([\s\\]*(\w*(['\"])[^'\"\n]*)")
_OWN = re.compile(rb"\b(?:self|cls)[\s\\]*\.[\s\\]*(\w+)(?![\s\\]*[.(\[])(?!\w)")
_OWN_SET = re.compile(rb"\b(?:self|cls)\.(\w+)[ \t]*=(?!=)")
_FIELD = re.compile(
    rb"[ \t]*(?!(?:else|try|finally|except)\b)(\w++)(?![\x80-\xff])[ \t]*(?::|=(?!=))"
)
#: Numbers are read so that a word behind one starts where it does for Python (``1if x``).
_WORDS = re.compile(
    rb"""([A-Za-z_]\w*)
    | 0[xX](?:_?[0-9a-fA-F])+ | 0[bB](?:_?[01])+ | 0[oO](?:_?[0-7])+
    | (?:\d(?:_?\d)*(?:\.(?:\d(?:_?\d)*)?)?|\.\d(?:_?\d)*)(?:[eE][+-]?\d(?:_?\d)*)?
    """,
    re.VERBOSE,
)
_NAMES = re.compile(rb"[A-Za-z_]\w*")
_PREFIXED = re.compile(rb"\b(?:[rR][bBfF]?|[bBfF][rR]?|[uU])(?=\0)")

_POSTPONED = "from __future__ import annotations\n"

Member = tuple[str, str]


class Unreadable(Exception):  # noqa: N818 - a signal: the text is to be read in one piece, if at all
    """A unit does not parse by itself."""


def form_of(node: ast.AST) -> str:
    """A syntax tree as text, without places; ``ast.dump`` that does not recurse."""
    out: list[str] = []
    # Nodes and lists that are still to be written, and text that is.
    stack: list[ast.AST | list[object] | str] = [node]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            out.append(part)
        elif isinstance(part, list):
            out.append("[")
            stack.append("]")
            stack.extend(_written(value) for value in reversed(part))
        else:
            out.append(f"{type(part).__name__}(")
            stack.append(")")
            stack.extend(
                _written(getattr(part, name, None))
                for name in reversed(part._fields)
                if name != "ctx"  # told by the place
            )
    return "".join(out)


def same_tree(one: ast.AST, other: ast.AST) -> bool:
    """Whether two trees have one form, without writing it down."""
    stack: list[tuple[object, object]] = [(one, other)]
    while stack:
        a, b = stack.pop()
        if a is b:
            continue
        kind = type(a)
        if kind is not type(b):
            return False
        if isinstance(a, ast.AST):
            stack += [
                (getattr(a, name, None), getattr(b, name, None))
                for name in a._fields
                if name != "ctx"  # told by the place
            ]
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            stack += zip(a, b, strict=True)
        elif a != b if kind is str else repr(a) != repr(b):
            return False
    return True


def _written(value: object) -> ast.AST | list[object] | str:
    return value if isinstance(value, ast.AST | list) else f"{value!r},"


def _target(node: ast.expr) -> str:
    """What is assigned to, as it is written."""
    try:
        return ast.unparse(node)
    except RecursionError:
        return form_of(node)


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names of a text, as symbol tables tell them.

    Attributes:
        read: Names that are read and not bound around that place, below the module.
        bound: Names that the module binds, or a function for it.
        declared: Whether the module's own block says ``global``: what stands before it counts too.
    """

    read: frozenset[str]
    bound: frozenset[str]
    declared: bool = False


def names_of(text: str, path: str = "<text>") -> Names | None:
    """The names of a text; ``None`` where it does not compile to symbol tables.

    The tables are read without :class:`symtable.Symbol`: ``get_symbols`` looks for each symbol
    through all child tables, minutes for a module of some thousand functions.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            top = symtable.symtable(text, path, "exec")._table  # type: ignore[attr-defined]  # noqa: SLF001
    except (SyntaxError, ValueError, RecursionError):
        return None
    return _names_in(top)


def _names_in(top: Any) -> Names:
    """The names of a module's table."""
    read: set[str] = set()
    bound = {child.name for child in top.children}
    declared = False
    for name, flag in top.symbols.items():
        known = _facts(flag, True)  # noqa: FBT003 - a cache's key
        declared = declared or known.declared
        if known.assigned or known.imported:
            bound.add(name)
        if known.referenced and (known.at_module or not (known.assigned or known.imported)):
            read.add(name)
    stack = list(top.children)
    while stack:
        table = stack.pop()
        stack += table.children
        for name, flag in table.symbols.items():
            known = _facts(flag, False)  # noqa: FBT003 - a cache's key
            if known.at_module:
                if known.declared and known.assigned:
                    bound.add(name)
                if known.referenced:
                    read.add(name)
    return Names(read=frozenset(read), bound=frozenset(bound), declared=declared)


@dataclass(frozen=True, slots=True)
class _Facts:
    """What the flags of a symbol say."""

    referenced: bool
    at_module: bool
    declared: bool
    assigned: bool
    imported: bool


@functools.cache
def _facts(flag: int, top: bool) -> _Facts:  # noqa: FBT001 - a cache's key
    symbol = symtable.Symbol("_", flag, module_scope=top)
    return _Facts(
        symbol.is_referenced(),
        symbol.is_global(),
        symbol.is_declared_global(),
        symbol.is_assigned(),
        symbol.is_imported(),
    )


class Leaf:
    """A symbol: its node, and its source lines where those say all about it."""

    __slots__ = ("_form", "_node", "_source", "unit")

    def __init__(
        self,
        node: ast.AST | None,
        source: tuple[int, bytes] | None,
        *,
        form: str | None = None,
        unit: Unit | None = None,
    ) -> None:
        #: The unit that holds this symbol and nothing else; it is parsed when that is needed.
        self.unit = unit
        self._source = source
        self._node = node
        self._form = form

    def _read(self) -> None:
        if self._node is None and self.unit is not None:
            (_, found) = self.unit.leaves_read[0]
            self._node, self._source = found._node, found._source  # noqa: SLF001 - its own kind

    @property
    def node(self) -> ast.AST:
        """The symbol's node."""
        self._read()
        assert self._node is not None
        return self._node

    @property
    def source(self) -> tuple[int, bytes] | None:
        """Column and lines, where equal lines mean an equal tree."""
        self._read()
        return self._source

    @property
    def form(self) -> str:
        """The syntax tree as text, without places."""
        if self._form is None:
            self._read()
            assert self._node is not None
            self._form = form_of(self._node)
        return self._form

    def same_form(self, other: Leaf) -> bool:
        """Whether the other symbol has the same form."""
        if self._form is None and other._form is None:
            return same_tree(self.node, other.node)
        return self.form == other.form

    def renamed(self, old: str, new: str) -> Leaf:
        """The symbol with one identifier replaced by another."""
        if self.source is not None and old.encode() not in self.source[1]:
            return self
        return Leaf(None, None, form=self.form.replace(f"'{old}'", f"'{new}'"))


class Unit:
    """A run of statements of one scope, and what they define and use; all of it found when asked for.

    Attributes:
        text: Whole lines.
        scope: ``""`` for the module, ``"Name."`` for the members of a class.
    """

    def __init__(self, text: bytes, scope: str = "", *, tree: ast.Module | None = None) -> None:
        self.text = text
        self.scope = scope
        self._tree = tree

    @functools.cached_property
    def body(self) -> list[ast.stmt]:
        """The statements.

        Raises:
            Unreadable: They do not parse.
        """
        if self._tree is not None:
            return self._tree.body
        wrapped = b"class _:\n" + self.text if self.scope else self.text
        tree = syntax_tree(wrapped.decode())
        if tree is None:
            raise Unreadable
        if not self.scope:
            return tree.body
        holder = tree.body[0]
        if len(tree.body) != 1 or not isinstance(holder, ast.ClassDef):
            raise Unreadable
        return holder.body

    @functools.cached_property
    def names(self) -> Names | None:
        """The names of the unit; ``None`` where it does not compile.

        Of members of a class, what other members bind may be among the names that are read.
        """
        text = self.text.decode("utf-8", "surrogateescape")
        found = names_of("class _:\n" + text if self.scope else text)
        if found is None:
            return None
        return self._own(replace(found, bound=found.bound - {"_"}) if self.scope else found)

    def _own(self, found: Names) -> Names:
        # What a definition declares, it declares for itself.
        if found.declared and self.definition is not None:
            return replace(found, declared=False)
        return found

    @functools.cached_property
    def postponed_names(self) -> Names | None:
        """The same below an import that makes all annotations texts."""
        found = names_of(_POSTPONED + self.text.decode("utf-8", "surrogateescape"))
        return None if found is None else self._own(found)

    @functools.cached_property
    def definition(self) -> tuple[str, str] | None:
        """``("def" or "class", name)`` when the unit is one definition and nothing else."""
        if self._tree is not None:
            return None
        text = self.text
        silent = _SILENT.match(text)
        at = _word(text, silent.end() if silent else 0)
        indent = at - (text.rfind(b"\n", 0, at) + 1)
        if bool(indent) != bool(self.scope):
            return None
        other = _other_start(indent)
        if text.startswith(b"@", at) or other.search(text, at) is not None:
            # Lines inside strings start nothing.
            text = _LITERALS.sub(_filled, text)
        while text.startswith(b"@", at):
            found = other.search(text, at)
            if found is None:
                return None
            at = found.end() - 1
        for kind, pattern in (("def", _DEFINITION), ("class", _CLASS)):
            match = pattern.match(text, at)
            if match is not None and other.search(text, match.end()) is None:
                return kind, match.group(1).decode()
        return None

    @functools.cached_property
    def mixes(self) -> bool:
        """Whether the unit is no single definition and may hold one all the same."""
        return self.definition is None and _DEFINES.search(self.text) is not None

    @property
    def label(self) -> str | None:
        """Dotted path of the definition that the unit is; ``None`` when it is something else."""
        return None if self.definition is None else self.scope + self.definition[1]

    @functools.cached_property
    def leaves(self) -> list[tuple[str, Leaf]]:
        """Functions, methods, class headers and assignments by dotted path, in order."""
        if self.definition is not None and self.definition[0] == "def":
            return [(self.scope + self.definition[1], Leaf(None, None, unit=self))]
        return self.leaves_read

    @functools.cached_property
    def leaves_read(self) -> list[tuple[str, Leaf]]:
        """The same, from the syntax tree."""
        found: list[tuple[str, Leaf]] = []
        source = self._source
        stack = [(self.scope, node) for node in reversed(self.body)]
        while stack:
            scope, node = stack.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.append((scope + node.name, Leaf(node, source(node))))
            elif isinstance(node, ast.ClassDef):
                head = ast.ClassDef(
                    name=node.name,
                    bases=node.bases,
                    keywords=node.keywords,
                    body=[],
                    decorator_list=node.decorator_list,
                )
                found.append((f"class {scope}{node.name}", Leaf(head, None)))
                stack.extend((f"{scope}{node.name}.", child) for child in reversed(node.body))
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                found.append((f"{scope}={_target(target)}", Leaf(node, source(node))))
        return found

    @functools.cached_property
    def _lines(self) -> list[bytes]:
        """Lines as the tree counts them: the wrapper of a class's members is one."""
        return [
            b"",
            *([b""] if self.scope and self._tree is None else []),
            *_LINE_END.split(self.text),
        ]

    def _source(self, node: ast.stmt) -> tuple[int, bytes]:
        """Column and lines of a statement, decorators included."""
        decorators = getattr(node, "decorator_list", ())
        first = min([node.lineno, *(d.lineno for d in decorators)])
        last = node.end_lineno or node.lineno
        return node.col_offset, b"\n".join(self._lines[first : last + 1])

    def segment(self, node: ast.AST) -> bytes:
        """How a statement or expression of the unit is written."""
        first, start = getattr(node, "lineno", 0), getattr(node, "col_offset", 0)
        last, end = getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)
        if first == last:
            return self._lines[first][start:end]
        lines = self._lines[first : last + 1]
        return b"\n".join((lines[0][start:], *lines[1:-1], lines[-1][:end]))

    @functools.cached_property
    def functions(self) -> list[tuple[str, Leaf]]:
        """Functions and methods by dotted path, also those in branches; inner ones are part of them."""
        if self.definition is not None and self.definition[0] == "def":
            return self.leaves
        found: list[tuple[str, Leaf]] = []
        if b"def" not in self.text:
            return found
        stack = [(self.scope, node) for node in self.body]
        while stack:
            scope, node = stack.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found.append((scope + node.name, Leaf(node, self._source(node))))
            elif isinstance(node, ast.ClassDef):
                stack.extend((f"{scope}{node.name}.", child) for child in node.body)
            else:
                stack.extend((scope, child) for child in _branches(node))
        return found

    @functools.cached_property
    def definitions(self) -> Counter[str]:
        """How often each name is defined in each plain scope; branches of ``if`` and ``try`` do not count."""
        found: Counter[str] = Counter()
        stack = [(self.scope, False, node) for node in self.body]
        while stack:
            scope, branch, node = stack.pop()
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                # A decorator may make repeated definitions of one name meaningful.
                if not node.decorator_list and not branch:
                    found[scope + node.name] += 1
                stack.extend((f"{scope}{node.name}.", False, child) for child in node.body)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if scope and not branch:
                    found[f"{scope}{node.target.id}:"] += 1
            else:
                stack.extend((scope, True, child) for child in _branches(node))
        return found

    @functools.cached_property
    def registrations(self) -> Counter[tuple[str, str, str]]:
        """How often each function registers each name: ``parser.add_argument("--jobs")``."""
        found: Counter[tuple[str, str, str]] = Counter()
        if _REGISTERS.search(self.text) is None:
            return found
        stack: list[tuple[str, ast.AST]] = [(self.scope, node) for node in self.body]
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
                found[scope, form_of(node.func), node.args[0].value] += 1
            stack.extend((scope, child) for child in ast.iter_child_nodes(node))
        return found

    @functools.cached_property
    def imports(self) -> Counter[str]:
        """Names bound by the imports of the module's own block."""
        if self.scope or b"import" not in self.text or self.definition is not None:
            return Counter()
        return Counter(
            (alias.asname or alias.name.split(".")[0])
            if isinstance(node, ast.ImportFrom) or alias.asname or "." not in alias.name
            else alias.name
            for node in self.body
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
            if alias.name != "*"
        )

    @functools.cached_property
    def members(self) -> tuple[frozenset[Member], frozenset[Member]]:
        """(class, member) pairs read as ``self.member``, and those that the class defines."""
        read: set[Member] = set()
        bound: set[Member] = set()
        if not self.scope and b"class" not in self.text:
            return frozenset(), frozenset()
        # The classes that a node stands in, innermost last.
        stack: list[tuple[ast.AST, tuple[str, ...]]]
        stack = [(node, (self.scope[:-1],) if self.scope else ()) for node in self.body]
        if self.scope:
            bound.update((self.scope[:-1], name) for name in _bound_by(self.body))
        while stack:
            node, holders = stack.pop()
            if isinstance(node, ast.ClassDef):
                bound.update((node.name, name) for name in _bound_by(node.body))
                holders = (*holders, node.name)
            elif (
                holders
                and isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in {"self", "cls"}
            ):
                pairs = read if isinstance(node.ctx, ast.Load) else bound
                pairs.update((holder, node.attr) for holder in holders)
            stack.extend((child, holders) for child in _children(node))
        return frozenset(read), frozenset(bound)

    @functools.cached_property
    def checking(self) -> tuple[frozenset[str], frozenset[str]]:
        """Names imported only for type checkers, and those that the module's own imports bind."""
        hidden: set[str] = set()
        bound: set[str] = set()
        if not self.scope and b"import" in self.text and self.definition is None:
            for node in self.body:
                if isinstance(node, ast.If) and "TYPE_CHECKING" in form_of(node.test):
                    for child in node.body:
                        if isinstance(child, ast.Import | ast.ImportFrom):
                            hidden.update(a.asname or a.name.split(".")[0] for a in child.names)
                elif isinstance(node, ast.Import | ast.ImportFrom):
                    bound.update(a.asname or a.name.split(".")[0] for a in node.names)
        return frozenset(hidden), frozenset(bound)

    @functools.cached_property
    def loads(self) -> frozenset[str]:
        """Names that are read where the program runs, annotations left out."""
        read: set[str] = set()
        stack: list[ast.AST] = list(self.body)
        while stack:
            current = stack.pop()
            if isinstance(current, ast.Name) and isinstance(current.ctx, ast.Load):
                read.add(current.id)
            for name in current._fields:
                if name in {"annotation", "returns"}:
                    continue
                value = getattr(current, name, None)
                if isinstance(value, list):
                    stack.extend(below for below in value if isinstance(below, ast.AST))
                elif isinstance(value, ast.AST):
                    stack.append(value)
        return frozenset(read)

    @functools.cached_property
    def parts(self) -> list[Unit]:
        """A class as its header and runs of its members; anything else as it is."""
        found = members(self)
        if found is None:
            return [self]
        name, header, runs = found
        head = unit_of(header + b" pass\n")
        return [head, *(unit_of(run, f"{name}.") for run in runs)]

    @functools.cached_property
    def code(self) -> bytes:
        """The text with a NUL for each string and nothing for a comment."""
        return _LITERALS.sub(_blank, self.text)

    @functools.cached_property
    def words(self) -> list[bytes] | None:
        """Identifiers and keywords in their order: what differs in them is not one syntax tree.

        ``None`` where one identifier may be spelled in several ways.
        """
        if not self.text.isascii():
            return None
        code = _PREFIXED.sub(b"", self.code)
        return _words(code.replace(b"elif", b"else if"))

    @functools.cached_property
    def uses(self) -> list[bytes]:
        """The words of the code and those in formatted strings: more than the names used, never fewer."""
        found = _NAMES.findall(self.code)
        for match in _LITERALS.finditer(self.text):
            if _formats(match):
                found += _NAMES.findall(match.group())
        return found

    @functools.cached_property
    def strings(self) -> bytes | None:
        """What stands in strings, blanks and quotes left out; it tells trees apart as words do.

        ``None`` where a character may be written in several ways, or code stands in a string.
        """
        literals = list(_LITERALS.finditer(self.text))
        found = b"".join(x.group() for x in literals if not x.group().startswith(b"#"))
        return (
            None
            if b"\\" in found or not found.isascii() or any(map(_formats, literals))
            else found.translate(None, b" \t\f\r\n'\"")
        )

    @functools.cached_property
    def repeats(self) -> bool:
        """Whether a name may be defined twice inside the one definition that this is."""
        names = [a or b for a, b in _NESTED.findall(self.code)]
        return len(set(names)) < len(names)

    @functools.cached_property
    def registers_twice(self) -> bool:
        """Whether a name may be registered twice in the unit."""
        names = [name for name, _ in _REGISTERED.findall(self.text)]
        return len(set(names)) < len(names) or len(names) < len(_REGISTERS.findall(self.text))

    @functools.cached_property
    def sets(self) -> frozenset[bytes]:
        """Members that the unit, a part of a class, certainly defines."""
        found = set(_OWN_SET.findall(self.code))
        if self.definition is not None:
            found.add(self.definition[1].encode())
        else:
            silent = _SILENT.match(self.text)
            field = _FIELD.match(self.text, silent.end() if silent else 0)
            if field is not None:
                found.add(field.group(1))
        return frozenset(found)

    @functools.cached_property
    def may_set(self) -> frozenset[bytes]:
        """Members that the unit, a part of a class, may define; more than it does, never fewer."""
        if self.definition is None:
            return frozenset(_words(self.code))
        return frozenset((*_OWN.findall(self.code), self.definition[1].encode()))

    def holds(self, words: Sequence[bytes]) -> bool:
        """Whether one of the words may stand in the unit; a name may be spelled in several ways."""
        return not self.text.isascii() or any(word in self.text for word in words)


def _formats(literal: re.Match[bytes]) -> bool:
    """Whether a string may be a formatted one that holds code."""
    before = literal.string[max(0, literal.start() - 2) : literal.start()]
    return b"{" in literal.group() and before.lower().strip(b"r")[-1:] == b"f"


def _words(code: bytes) -> list[bytes]:
    return [word for word in _WORDS.findall(code) if word]


def _blank(literal: re.Match[bytes]) -> bytes:
    return b"" if literal.group().startswith(b"#") else b"\0"


def _filled(literal: re.Match[bytes]) -> bytes:
    """A string as one word of equal length; a comment as it is."""
    found = literal.group()
    return found if found.startswith(b"#") else b"0" * len(found)


@functools.cache
def _other_start(indent: int) -> re.Pattern[bytes]:
    """A line that is not indented further and not only a comment or the end of a bracket.

    A form feed sets the indentation back to nothing.
    """
    return re.compile(rb"\n(?:[ \t]{0,%d}|[ \t]*\f[ \t\f]*)[^\s#)\]}]" % indent)


def _branches(node: ast.stmt) -> Iterator[ast.stmt]:
    """The statements below a compound statement that is no definition."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield from block
    for part in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
        yield from part.body


def _children(node: ast.AST) -> Iterator[ast.AST]:
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            for below in value:
                if isinstance(below, ast.AST):
                    yield below
        elif isinstance(value, ast.AST):
            yield value


def _bound_by(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Names that the statements of a class define."""
    for child in body:
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield child.name
        elif isinstance(child, ast.Assign | ast.AnnAssign):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            yield from (t.id for t in targets if isinstance(t, ast.Name))


# -- cutting ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=8)
def cut(data: bytes) -> tuple[Unit, ...] | None:
    """A text in runs of statements of its module; ``None`` where that cannot be said.

    The runs, joined, are the text. A run parses by itself when the text does.
    """
    if b"\r" in data and data.count(b"\r\n") != data.count(b"\r"):
        return None
    if b"coding" in data[:400] or data.startswith(b"\xef\xbb\xbf") or b"\0" in data:
        return None
    runs = _gathered(data, [m.end() for m in _START.finditer(data)])
    return None if runs is None else tuple(unit_of(run) for run in runs)


def _gathered(data: bytes, starts: Sequence[int]) -> list[bytes] | None:
    """The text cut at those starts where nothing is open."""
    out: list[bytes] = []
    begin = resume = failures = 0
    after_decorator = data.startswith(b"@", _word(data, 0))
    for start in starts:
        if start < resume:
            continue  # inside a string
        word = _word(data, start)
        if not after_decorator and _CLAUSE.match(data, word) is None:
            if _closed(data[begin:start]):
                out.append(data[begin:start])
                begin = start
            else:
                resume = _string_end(data, begin, start)
                failures += 1
                if failures > _MOST_FAILURES:
                    return None
                if resume > start:
                    continue
        after_decorator = data.startswith(b"@", word)
    if begin < len(data):
        if not _closed(data[begin:]):
            return None
        out.append(data[begin:])
    return out


def _string_end(data: bytes, begin: int, at: int) -> int:
    """Where the string ends that a byte stands in; 0 when it stands in none."""
    for match in _LITERALS.finditer(data, begin):
        if match.start() >= at:
            return 0
        if match.end() > at:
            return match.end()
    return 0


def _word(data: bytes, start: int) -> int:
    """Where the first character of a line stands that is no blank."""
    while data[start : start + 1] in {b" ", b"\t"}:
        start += 1
    return start


@functools.lru_cache(maxsize=8192)
def _closed(text: bytes) -> bool:
    """Whether no string, bracket or line is left open at the end, and something is said."""
    code = _LITERALS.sub(b"", text)
    if b"'" in code or b'"' in code or code.endswith((b"\\\n", b"\\\r\n", b"\\")):
        return False
    return (
        code.count(b"(") == code.count(b")")
        and code.count(b"[") == code.count(b"]")
        and code.count(b"{") == code.count(b"}")
    )


_known: weakref.WeakValueDictionary[tuple[bytes, str], Unit] = weakref.WeakValueDictionary()


def unit_of(text: bytes, scope: str = "") -> Unit:
    """The unit of a text: one object as long as it is used somewhere."""
    unit = _known.get((text, scope))
    if unit is None:
        unit = _known[text, scope] = Unit(text, scope)
    return unit


def members(unit: Unit) -> tuple[str, bytes, list[bytes]] | None:
    """A class definition as name, header lines and runs of its members.

    ``None`` when the unit is not one class with a body of its own lines.
    """
    text = unit.text
    if unit.definition is None or unit.definition[0] != "class":
        return None
    end = _header_end(text)
    if end is None:
        return None
    silent = _SILENT.match(text, end)
    first = silent.end() if silent else end
    word = _word(text, first)
    indent = text[first:word]
    if not indent:
        return None
    pattern = re.compile(rb"\n(?=" + re.escape(indent) + rb"[A-Za-z_@\x80-\xff])")
    # Above the first member stand comments at most: they go with it.
    starts = [m.end() - end for m in pattern.finditer(text, word)]
    runs = _gathered(text[end:], starts)
    if runs is None:
        return None
    return unit.definition[1], text[:end], runs


def _header_end(text: bytes) -> int | None:
    """Where the line of a class's colon ends, if nothing but a comment stands behind the colon."""
    end = -1
    while True:
        end = text.find(b"\n", end + 1)
        if end < 0:
            return None
        code = _LITERALS.sub(b"", text[: end + 1]).rstrip()
        if code.endswith(b":") and _closed(text[: end + 1]):
            return end + 1
        if end > 4000:
            return None
