"""The judge: holds a merge result against the accepted one.

It shares no code with the resolver: the standard library's ``ast`` and plain text only. Terms:

``correct``
    Clean, and the same symbols as the accepted result, each with an equal syntax tree (the order
    of members aside).
``extra``
    Clean, and it differs only in symbols that at most one side had changed and that hold that
    side's change: whoever merged edited further there.
``wrong``
    Clean, and a contested symbol is not as accepted, or one side's work is lost.
``open``
    Conflict markers are left.
``crash``
    No result, or a clean result that does not parse.

Symbols are leaves: function, method, class header, assignment, import binding, statement.
"""

from __future__ import annotations

import ast
import hashlib
import json
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from mergewright.text.syntax import syntax_tree

#: Part of the key of every stored score: raise it when a definition changes.
JUDGE_VERSION = 1

_MARKER = 7


class Verdict(StrEnum):
    """What a result is, file by file."""

    CORRECT = "correct"
    EXTRA = "extra"
    WRONG = "wrong"
    OPEN = "open"
    CRASH = "crash"


class SymbolVerdict(StrEnum):
    """What became of one symbol that both sides changed differently."""

    RIGHT = "right"
    WRONG = "wrong"
    OPEN = "open"


@dataclass(frozen=True, slots=True)
class Leaf:
    """One leaf symbol: a digest of its syntax tree and its first and last line (1-based)."""

    digest: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Table:
    """The leaf symbols of one text, and its statements in order.

    Attributes:
        leaves: Key (dotted path with a mark of the kind) to leaf.
        sequence: Digest of all statements in order: equal for two texts with equal syntax trees.
    """

    leaves: Mapping[str, Leaf]
    sequence: str

    def digest(self, key: str) -> str | None:
        """The digest of a symbol, ``None`` where the text does not have it."""
        leaf = self.leaves.get(key)
        return None if leaf is None else leaf.digest

    @property
    def digests(self) -> dict[str, str]:
        """Key to digest."""
        return {key: leaf.digest for key, leaf in self.leaves.items()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One result held against the accepted one.

    Attributes:
        verdict: The file as a whole.
        ordered: Syntax tree equal, comments and layout aside.
        exact: The same text, white space at line ends aside.
        unordered: Syntax tree equal up to the order of statements in every block.
        symbols: The contested symbols with their verdicts.
        damaged: Symbols that one side alone changed and that are neither as accepted nor as that
            side has them.
        differing: Symbols in which a clean result and the accepted one differ.
        hunks: Conflict hunks left.
    """

    verdict: Verdict
    ordered: bool = False
    exact: bool = False
    unordered: bool = False
    symbols: Mapping[str, SymbolVerdict] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()
    hunks: int = 0

    def count(self, verdict: SymbolVerdict) -> int:
        """How many contested symbols have this verdict."""
        return sum(value is verdict for value in self.symbols.values())


class Judge:
    """Scores many results of one conflicted file; what they share is worked out once.

    Args:
        path: The path in the repository; its ending decides how texts are compared.
        base: Base version, ``None`` where the path did not exist.
        ours: Ours, ``None`` where deleted.
        theirs: Theirs, ``None`` where deleted.
        accepted: The accepted result, ``None`` where it is a deletion.
        state: What :meth:`state` of an earlier judge of the same five texts gave, to save work.
    """

    def __init__(
        self,
        path: str,
        base: bytes | None,
        ours: bytes | None,
        theirs: bytes | None,
        accepted: bytes | None,
        *,
        state: JudgeState | None = None,
    ) -> None:
        self.path = path
        self.accepted = accepted
        self._last: tuple[bytes, Table, frozenset[str]] | None = None
        self._read: Callable[[str], Table | None]
        if path.endswith((".py", ".pyi")):
            self._memo: dict[bytes, tuple[str, str]] = {} if state is None else dict(state.memo)
            self._read = self._python
        else:
            self._memo = {}
            self._read = _VALUE_READERS.get(path.rsplit(".", 1)[-1], _lines_table)
        if state is None:
            tables = [self._of(text) for text in (base, ours, theirs, accepted)]
        else:
            tables = list(state.tables)
        self._base, self._ours, self._theirs, self._accepted = tables
        none = Table({}, "")
        base_table, ours_table, theirs_table = (t or none for t in tables[:3])
        self._sides = (base_table, ours_table, theirs_table)
        self.keys = tuple(
            dict.fromkeys([*ours_table.leaves, *theirs_table.leaves, *base_table.leaves])
        )
        contested = []
        for key in self.keys:
            b, o, t = base_table.digest(key), ours_table.digest(key), theirs_table.digest(key)
            if o != t and b not in (o, t):
                contested.append(key)
        #: Symbols that both sides changed differently, in order.
        self.contested = tuple(contested)

    @property
    def usable(self) -> bool:
        """Whether the accepted result can be compared with (it parses, or is a deletion)."""
        return self.accepted is None or self._accepted is not None

    def state(self) -> JudgeState:
        """What can be kept to judge further results of the same file faster."""
        return JudgeState(
            tables=(self._base, self._ours, self._theirs, self._accepted), memo=dict(self._memo)
        )

    def score(self, result: bytes | None, *, deleted: bool = False) -> Score:
        """Hold one result against the accepted one.

        Args:
            result: The text a tool gave, with conflict markers where it left something open;
                ``None`` when it gave none.
            deleted: The tool's answer is that the path goes away.
        """
        everything = dict.fromkeys(self.contested, SymbolVerdict.OPEN)
        if deleted:
            if self.accepted is None:
                right = dict.fromkeys(self.contested, SymbolVerdict.RIGHT)
                return Score(
                    verdict=Verdict.CORRECT, ordered=True, exact=True, unordered=True, symbols=right
                )
            wrong = dict.fromkeys(self.contested, SymbolVerdict.WRONG)
            return Score(verdict=Verdict.WRONG, symbols=wrong)
        if result is None:
            return Score(verdict=Verdict.CRASH, symbols=everything)
        marked = split_markers(_decode(result))
        if self.accepted is None and not marked.hunks:
            wrong = dict.fromkeys(self.contested, SymbolVerdict.WRONG)
            return Score(verdict=Verdict.WRONG, symbols=wrong)
        table = self._read(marked.ours)
        if marked.hunks:
            theirs = self._read(marked.theirs)
            if table is None or theirs is None:
                return Score(verdict=Verdict.OPEN, symbols=everything, hunks=len(marked.hunks))
            untold = _touched(table, (hunk.ours for hunk in marked.hunks))
            untold |= _touched(theirs, (hunk.theirs for hunk in marked.hunks))
            symbols, damaged = self._symbols(table, untold)
            return Score(
                verdict=Verdict.OPEN, symbols=symbols, damaged=damaged, hunks=len(marked.hunks)
            )
        if table is None:
            wrong = dict.fromkeys(self.contested, SymbolVerdict.WRONG)
            return Score(verdict=Verdict.CRASH, symbols=wrong)
        return self._clean(result, table)

    def _clean(self, result: bytes, table: Table) -> Score:
        accepted, truth = self._accepted, self.accepted
        if accepted is None or truth is None:
            raise ValueError("the accepted result does not parse")
        ordered = table.sequence == accepted.sequence
        mine, theirs = table.digests, accepted.digests
        differing = tuple(
            key for key in dict.fromkeys([*theirs, *mine]) if mine.get(key) != theirs.get(key)
        )
        if ordered or not differing:
            verdict = Verdict.CORRECT
        elif all(
            key not in self.contested and mine.get(key) == self._one_sided(key) for key in differing
        ):
            verdict = Verdict.EXTRA
        else:
            verdict = Verdict.WRONG
        symbols, damaged = self._symbols(table, frozenset())
        unordered = ordered or (
            self._read == self._python and _unordered(_decode(result)) == _unordered(_decode(truth))
        )
        return Score(
            verdict=verdict,
            ordered=ordered,
            exact=_stripped(result) == _stripped(truth),
            unordered=unordered,
            symbols=symbols,
            damaged=damaged,
            differing=() if verdict is Verdict.CORRECT else differing,
        )

    def _one_sided(self, key: str) -> str | None:
        """The digest that the one side that changed a symbol gives it."""
        base, ours, theirs = self._sides
        b, o, t = base.digest(key), ours.digest(key), theirs.digest(key)
        return o if b == t else t

    def _symbols(
        self, table: Table, untold: frozenset[str] | set[str]
    ) -> tuple[dict[str, SymbolVerdict], tuple[str, ...]]:
        accepted = self._accepted or Table({}, "")
        contested = set(self.contested)
        verdicts: dict[str, SymbolVerdict] = {}
        damaged: list[str] = []
        for key in self.keys:
            got, want = table.digest(key), accepted.digest(key)
            if key in contested:
                if key in untold:
                    verdicts[key] = SymbolVerdict.OPEN
                else:
                    verdicts[key] = SymbolVerdict.RIGHT if got == want else SymbolVerdict.WRONG
            elif key not in untold and got not in (want, self._one_sided(key)):
                damaged.append(key)
        return verdicts, tuple(damaged)

    def symbol_fate(self, key: str, result: bytes) -> str:
        """What became of any symbol in one result.

        Gives ``right``, ``wrong``, ``open``, ``extra`` (not contested, as the one side has it, and
        accepted otherwise) or ``damage``.
        """
        table, untold = self._reading(result)
        if key in untold:
            return "open"
        got = table.digest(key)
        if got == (self._accepted.digest(key) if self._accepted else None):
            return "right"
        if key in self.contested:
            return "wrong"
        return "extra" if got == self._one_sided(key) else "damage"

    def _reading(self, result: bytes) -> tuple[Table, frozenset[str]]:
        """The symbols of a result, and those that its hunks touch; the last one is remembered."""
        if self._last is None or self._last[0] != result:
            marked = split_markers(_decode(result))
            table = self._read(marked.ours) or Table({}, "")
            theirs = (self._read(marked.theirs) if marked.hunks else None) or Table({}, "")
            untold = _touched(table, (hunk.ours for hunk in marked.hunks))
            untold |= _touched(theirs, (hunk.theirs for hunk in marked.hunks))
            self._last = (result, table, frozenset(untold))
        return self._last[1], self._last[2]

    def _of(self, text: bytes | None) -> Table | None:
        return None if text is None else self._read(_decode(text))

    def _python(self, text: str) -> Table | None:
        return python_table(text, self._memo)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeState:
    """The symbol tables of base, ours, theirs and accepted, and digests by source slice."""

    tables: tuple[Table | None, ...]
    memo: Mapping[bytes, tuple[str, str]]


# --- Python ---------------------------------------------------------------------------------------


def python_table(text: str, memo: dict[bytes, tuple[str, str]] | None = None) -> Table | None:
    """The leaf symbols of a Python text; ``None`` if it does not parse.

    Args:
        text: The source.
        memo: Digests by source slice, shared between versions of one file: equal source of a
            statement means an equal tree, and most statements are equal in all versions.
    """
    tree = syntax_tree(text)
    if tree is None:
        return None
    reader = _Reader(text, {} if memo is None else memo)
    reader.block(tree.body, "")
    return Table(reader.leaves, _digest("\n".join(reader.order)))


class _Reader:
    """Walks module and class bodies and records leaves; functions are not entered."""

    def __init__(self, text: str, memo: dict[bytes, tuple[str, str]]) -> None:
        unified = text.replace("\r\n", "\n").replace("\r", "\n")
        self._lines = unified.encode("utf-8", "surrogatepass").split(b"\n")
        self._memo = memo
        self.leaves: dict[str, Leaf] = {}
        self.order: list[str] = []

    def block(self, body: Sequence[ast.stmt], prefix: str) -> None:
        for position, node in enumerate(body):
            if isinstance(node, ast.ClassDef):
                self._class(node, prefix)
            elif isinstance(node, ast.Import | ast.ImportFrom):
                self._import(node, prefix)
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                # A bare constant: the docstring when first, a comment in disguise elsewhere.
                label, digest = self._known(node, _constant)
                self.order.append(label)
                if position == 0:
                    self._add(prefix + "doc", digest, node.lineno, node.end_lineno)
            else:
                label, digest = self._known(node, _statement)
                self.order.append(digest)
                self._add(prefix + label, digest, _first_line(node), node.end_lineno)

    def _class(self, node: ast.ClassDef, prefix: str) -> None:
        start = node.body[0]
        # The slice of the header ends where the body begins.
        last, column = _first_line(start), start.col_offset
        end = (last, column) if last == node.lineno else (last, 0)
        _, digest = self._known(node, _class_header, end)
        self.order.append(f"class {node.name} {digest}")
        self._add(
            f"{prefix}{node.name}()",
            digest,
            _first_line(node),
            max(node.lineno, start.lineno - 1),
        )
        self.block(node.body, f"{prefix}{node.name}.")
        self.order.append("end")

    def _import(self, node: ast.Import | ast.ImportFrom, prefix: str) -> None:
        self.order.append(_digest(ast.dump(node)))
        module = ""
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
        for name in node.names:
            # An import binding is there or not; a repetition is the same binding.
            key = f"{prefix}import {module}:{name.name}:{name.asname}"
            self.leaves[key] = Leaf("import", node.lineno, node.end_lineno or node.lineno)

    def _add(self, key: str, digest: str, first: int, last: int | None) -> None:
        unique, repetition = key, 0
        while unique in self.leaves:
            repetition += 1
            unique = f"{key}#{repetition}"
        self.leaves[unique] = Leaf(digest, first, first if last is None else last)

    def _known(
        self,
        node: ast.stmt,
        make: Callable[[ast.stmt], tuple[str, str]],
        end: tuple[int, int] | None = None,
    ) -> tuple[str, str]:
        decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
        start = min(
            [(node.lineno, node.col_offset)] + [(d.lineno, d.col_offset) for d in decorators]
        )
        stop = end or (node.end_lineno or node.lineno, node.end_col_offset or 0)
        first, last = start[0] - 1, stop[0] - 1
        hasher = hashlib.blake2b(type(node).__name__.encode(), digest_size=12)
        if first == last:
            hasher.update(self._lines[first][start[1] : stop[1]])
        else:
            hasher.update(self._lines[first][start[1] :])
            hasher.update(b"\n")
            hasher.update(b"\n".join(self._lines[first + 1 : last]))
            hasher.update(b"\n")
            hasher.update(self._lines[last][: stop[1]])
        key = hasher.digest()
        found = self._memo.get(key)
        if found is None:
            found = self._memo[key] = make(node)
        return found


def _statement(node: ast.stmt) -> tuple[str, str]:
    """Label (what names the statement among its neighbours) and digest."""
    digest = _digest(ast.dump(node))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name, digest
    if isinstance(node, ast.Assign):
        return "=" + ast.unparse(node.targets[0]), digest
    if isinstance(node, ast.AnnAssign):
        return "=" + ast.unparse(node.target), digest
    if isinstance(node, ast.If):
        return "If:" + _digest(ast.unparse(node.test))[:8], digest
    if isinstance(node, ast.Expr):
        return "Expr:" + _digest(ast.unparse(node.value))[:8], digest
    return type(node).__name__, digest


def _constant(node: ast.stmt) -> tuple[str, str]:
    value = node.value.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) else None  # fmt: skip
    return _digest(ast.dump(node)), _digest(repr(value))


def _class_header(node: ast.stmt) -> tuple[str, str]:
    if not isinstance(node, ast.ClassDef):
        raise TypeError("a class is wanted")
    parts = [ast.dump(base) for base in node.bases]
    parts.append("|")
    parts += [ast.dump(part) for part in (*node.keywords, *node.decorator_list)]
    parts += [ast.dump(part) for part in getattr(node, "type_params", ())]
    return node.name, _digest("\n".join(parts))


def _first_line(node: ast.stmt) -> int:
    decorators: Sequence[ast.expr] = getattr(node, "decorator_list", ())
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _unordered(text: str) -> str | None:
    """A digest of the syntax tree that does not see the order of statements in a block."""
    tree = syntax_tree(text)
    return None if tree is None else _unordered_block(tree.body)


def _unordered_block(body: Sequence[ast.AST]) -> str:
    digests = []
    for node in body:
        blocks = []
        # try:, with:, match cases and the like: blocks are taken out, digested apart.
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                keep_order = name in {"handlers", "cases"}
                inner = [_unordered_block([part]) for part in block] if keep_order else None
                blocks.append(name + (",".join(inner) if inner else _unordered_block(block)))
                setattr(node, name, [])
        digests.append(_digest(ast.dump(node) + "".join(blocks)))
    return _digest("\n".join(sorted(digests)))


# --- other texts ----------------------------------------------------------------------------------


def _lines_table(text: str) -> Table:
    """Text without a grammar: one symbol, the whole text."""
    lines = [line.rstrip() for line in text.split("\n")]
    digest = _digest("\n".join(lines))
    return Table({"text": Leaf(digest, 1, len(lines))}, digest)


def _values_table(load: Callable[[str], object]) -> Callable[[str], Table | None]:
    def read(text: str) -> Table | None:
        try:
            value = load(text)
        except (ValueError, RecursionError):
            return None
        lines = text.count("\n") + 1
        leaves = {
            key: Leaf(_digest(part), 1, lines) for key, part in sorted(_leaf_values(value, ""))
        }
        return Table(leaves, _digest(repr(value)))

    return read


def _leaf_values(value: object, prefix: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, part in value.items():
            yield from _leaf_values(part, f"{prefix}.{key}" if prefix else str(key))
    else:
        yield prefix, repr(value)


_VALUE_READERS: dict[str, Callable[[str], Table | None]] = {
    "toml": _values_table(tomllib.loads),
    "json": _values_table(json.loads),
}


# --- plain text -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Hunk:
    """A conflict hunk: where it begins (0-based) and ends in the text of ours and of theirs."""

    ours: tuple[int, int]
    theirs: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Marked:
    """A text with conflict markers, as each side reads it."""

    ours: str
    theirs: str
    hunks: tuple[Hunk, ...]


def split_markers(text: str) -> Marked:
    """Take a marked-up text apart; without markers both sides are the text itself."""
    if "<<<<<<<" not in text:
        return Marked(text, text, ())
    ours: list[str] = []
    theirs: list[str] = []
    hunks: list[Hunk] = []
    place = "outside"
    start = (0, 0)
    opened = 0
    for line in text.split("\n"):
        mark = line[:_MARKER]
        if place == "outside" and mark == "<<<<<<<":
            place, start = "ours", (len(ours), len(theirs))
            opened += 1
        elif place == "ours" and mark == "|||||||":
            place = "base"
        elif place in {"ours", "base"} and mark == "=======":
            place = "theirs"
        elif place == "theirs" and mark == ">>>>>>>":
            place = "outside"
            hunks.append(Hunk((start[0], len(ours)), (start[1], len(theirs))))
        else:
            if place in {"outside", "ours"}:
                ours.append(line)
            if place in {"outside", "theirs"}:
                theirs.append(line)
    if opened > len(hunks):  # never closed: all that follows is the hunk
        hunks.append(Hunk((start[0], len(ours)), (start[1], len(theirs))))
    return Marked("\n".join(ours), "\n".join(theirs), tuple(hunks))


def _touched(table: Table, ranges: Iterable[tuple[int, int]]) -> set[str]:
    """Symbols with a line in a hunk, or next below it: an empty side leaves no line of its own."""
    spans = list(ranges)
    return {
        key
        for key, leaf in table.leaves.items()
        if any(leaf.first <= end + 1 and leaf.last > begin for begin, end in spans)
    }


def has_markers(data: bytes) -> bool:
    """Whether a text holds a conflict hunk."""
    text = _decode(data)
    return "<<<<<<<" in text and bool(split_markers(text).hunks)


def parses(path: str, data: bytes) -> bool:
    """Whether a text can be compared by its symbols."""
    return Judge(path, None, None, None, data).usable


def _decode(data: bytes) -> str:
    return data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")


def _stripped(data: bytes) -> list[str]:
    return [line.rstrip() for line in data.decode("utf-8", "replace").split("\n")]


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
