"""The repository's own formatting on what a merge composed: proved from the texts, then applied.

Settings are no more than candidates. They are used where they reproduce what stands in the versions:
a side whose text the formatter gives back unchanged is formatted with these settings. Only statements
that the merge composed are formatted, each on its own, and a result that means something else or
loses a comment is not taken.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from mergewright.model.merge import Piece
from mergewright.model.threeway import Side, ThreeWay
from mergewright.python.layout import Composed
from mergewright.python.pieces import PREFIX
from mergewright.python.source import source_of
from mergewright.text.diff import matches
from mergewright.text.syntax import COMMENTS_AND_STRINGS, syntax_tree

#: A file shorter than this, or without a statement over several lines, proves no settings.
LEAST_LINES = 30
#: Line lengths that are tried when no configuration is known, the usual ones.
USUAL_LENGTHS = (79, 80, 88, 99, 100, 110, 119, 120)
# So many of them are tried on a file at most: each costs a run of the formatter.
_MOST_GUESSES = 3
# One line in so many may differ from what the formatter gives: another version of it wrote the file.
_TOLERANCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatSettings:
    """How a repository formats its Python code.

    Attributes:
        line_length: Columns.
        quotes: What becomes of string quotes.
        magic_commas: Whether a trailing comma keeps a list on several lines.
        indent: What a block is indented with.
        indent_width: Columns of one level.
        target: Oldest Python version, as ``py311``; ``None`` leaves it to the formatter.
        docstring_code: Whether code in docstrings is formatted.
        origin: Where the settings were read, for the report.
    """

    line_length: int = 88
    quotes: Literal["double", "single", "preserve"] = "double"
    magic_commas: bool = True
    indent: Literal["space", "tab"] = "space"
    indent_width: int = 4
    target: str | None = None
    docstring_code: bool = False
    origin: str = field(default="", compare=False)

    @property
    def unit(self) -> str:
        """One level of indentation."""
        return "\t" if self.indent == "tab" else " " * self.indent_width

    def __str__(self) -> str:
        return f"{self.origin or 'settings proved by the text'} (line length {self.line_length})"


class Formatter(Protocol):
    """Formats whole modules; it reads nothing but its arguments."""

    def __call__(self, text: str, settings: FormatSettings, *, stub: bool = False) -> str | None:
        """The formatted text, or ``None`` when the formatter cannot say."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatting:
    """A formatter with what is known of the repository's settings.

    Attributes:
        run: The formatter.
        candidates: Gives the settings of the repository's configuration, the likeliest first; when
            there are none, the usual ones are tried on the texts. Called when first needed.
    """

    run: Formatter
    candidates: Callable[[], tuple[FormatSettings, ...]] = tuple


@dataclass(slots=True)
class Polish:
    """One file's formatting: finds the settings, formats composed statements.

    Attributes:
        texts: The three versions of the file.
        formatting: The formatter and the candidates.
        stub: Whether it is a ``.pyi`` file.
        used: Settings that changed something.
        count: How many statements were formatted.
    """

    texts: ThreeWay[bytes]
    formatting: Formatting
    stub: bool = False
    used: FormatSettings | None = None
    count: int = 0
    _tried: dict[Side, tuple[FormatSettings, ...]] = field(default_factory=dict)
    _proved: dict[tuple[Side, FormatSettings], bool] = field(default_factory=dict)
    _known: dict[bytes, bytes] = field(default_factory=dict)

    # -- the whole file ---------------------------------------------------------------------

    def aligned(self) -> tuple[Side, FormatSettings, ThreeWay[bytes]] | None:
        """Base and one side in the formatting that the other side brought in.

        Returns:
            The side that formatted the file, with which settings, and the three texts of which base
            and the other side are formatted too; ``None`` where no side did so.
        """
        base = _decoded(self.texts.base)
        if not self.texts.base or base is None:
            return None
        for side in (Side.OURS, Side.THEIRS):
            other = _decoded(self.texts.get(side.other))
            for settings in self._candidates(side):
                if not self._reproduces(side, settings):
                    continue
                before = self._run(base, settings)
                if before is None or _near(before, base):
                    continue
                after = None if other is None else self._run(other, settings)
                if after is None or after == other or other is None:
                    continue
                if not (_same_program(base, before) and _same_program(other, after)):
                    continue
                changed = {Side.BASE: before, side.other: after}
                texts = {
                    s: changed[s].encode() if s in changed else self.texts.get(s)
                    for s in (Side.BASE, Side.OURS, Side.THEIRS)
                }
                new = ThreeWay(
                    base=texts[Side.BASE], ours=texts[Side.OURS], theirs=texts[Side.THEIRS]
                )
                return side, settings, new
        return None

    def _candidates(self, side: Side) -> tuple[FormatSettings, ...]:
        """Settings that a side's text may be formatted with."""
        if side not in self._tried:
            text = _decoded(self.texts.get(side))
            known = self.formatting.candidates() if text else ()
            self._tried[side] = known or guesses(text or "")
        return self._tried[side]

    def _reproduces(self, side: Side, settings: FormatSettings) -> bool:
        """Whether settings reproduce the whole text of a side; the formatter runs when that is asked."""
        key = side, settings
        if key not in self._proved:
            text = _decoded(self.texts.get(side))
            again = self._run(text, settings) if text else None
            self._proved[key] = again is not None and (
                _near(again, text or "") if self.formatting.candidates() else again == text
            )
        return self._proved[key]

    def _run(self, text: str, settings: FormatSettings) -> str | None:
        return self.formatting.run(text, settings, stub=self.stub)

    # -- composed statements ----------------------------------------------------------------

    def __call__(self, pieces: Sequence[Piece]) -> list[Piece]:
        """The pieces with their composed statements formatted, where settings are proved."""
        composed = [
            p
            for p in pieces
            if isinstance(p, Composed) and p not in self._known and not _plain_string(p)
        ]
        if composed and not any(b"fmt:" in text for text in self.texts):
            for piece, text in zip(composed, self._formatted(composed), strict=True):
                self._known[bytes(piece)] = text
        return [self._known.get(bytes(p), p) if isinstance(p, Composed) else p for p in pieces]

    def _formatted(self, composed: Sequence[Composed]) -> list[bytes]:
        known = self.formatting.candidates()
        if known:
            out = [bytes(piece) for piece in composed]
            for settings in known:
                open_ = [n for n, piece in enumerate(composed) if out[n] == piece]
                answers = self._under(settings, [composed[n] for n in open_])
                for n, answer in zip(open_, answers, strict=True):
                    if answer is not None and answer != composed[n]:
                        out[n] = answer
                        self.used, self.count = settings, self.count + 1
            return out
        proved = self._guessed()
        rounds = [self._under(settings, composed) for settings in proved]
        out = []
        for n, piece in enumerate(composed):
            said = {answers[n] for answers in rounds}
            # Settings that the texts cannot tell apart must agree.
            answer = said.pop() if len(said) == 1 else None
            out.append(bytes(piece) if answer is None else answer)
            if out[-1] != piece:
                self.used, self.count = proved[0], self.count + 1
        return out

    def _guessed(self) -> list[FormatSettings]:
        """Settings that reproduce the whole text of both sides."""
        both = (Side.OURS, Side.THEIRS)
        return [
            settings
            for settings in self._candidates(Side.OURS)
            if settings in self._candidates(Side.THEIRS)
            and all(self._reproduces(side, settings) for side in both)
        ]

    def _under(self, settings: FormatSettings, composed: Sequence[Composed]) -> list[bytes | None]:
        """Each statement formatted; ``None`` where its versions do not prove the settings."""
        asked: list[tuple[bytes, str]] = []
        for piece in composed:
            asked += [(text, piece.form) for text in (*piece.versions, bytes(piece))]
        texts = self._snippets(asked, settings)
        out: list[bytes | None] = []
        for n, piece in enumerate(composed):
            base, ours, theirs, whole = texts[4 * n : 4 * n + 4]
            stages = ThreeWay(base=base, ours=ours, theirs=theirs)
            out.append(_proved(piece, stages, whole, settings))
        return out

    def _snippets(
        self, asked: Sequence[tuple[bytes, str]], settings: FormatSettings
    ) -> list[bytes | None]:
        """Statements formatted in one run, each on its own below as many blocks as it stands in."""
        wrapped = [_wrapped(text, form, settings) for text, form in asked]
        order = list(dict.fromkeys(w for w in wrapped if w is not None))
        if not order:
            return [None] * len(asked)
        mark = "MERGEWRIGHT_NEXT_STATEMENT"
        while any(mark in chunk for chunk in order):
            mark += "_"
        text = self._run(f"{mark}\n".join(order), settings)
        parts = None if text is None else re.split(rf"(?m)^{mark}\n", text)
        if parts is None or len(parts) != len(order):
            return [None] * len(asked)
        done = dict(zip(order, parts, strict=True))
        return [
            None if w is None else _unwrapped(done[w], data, form, settings)
            for w, (data, form) in zip(wrapped, asked, strict=True)
        ]


def guesses(text: str) -> tuple[FormatSettings, ...]:
    """Settings that a text may have been formatted with, judged by its longest lines and quotes."""
    lines = text.splitlines()
    if len(lines) < LEAST_LINES or not any(line.strip() in {")", "]", "}"} for line in lines):
        return ()
    # Long strings and comments are not broken: they say nothing of the limit.
    code = [line for line in lines if "#" not in line and '"' not in line and "'" not in line]
    longest = max(map(len, code), default=0)
    single = re.search(r"(?<![\"'\w])'[^'\"\\\n]+'", text) is not None
    fitting = [length for length in USUAL_LENGTHS if length >= longest]
    unit: Literal["space", "tab"] = "tab" if re.search(r"(?m)^\t", text) else "space"
    return tuple(
        FormatSettings(line_length=length, quotes="preserve" if single else "double", indent=unit)
        for length in fitting[:_MOST_GUESSES]
    )


def _proved(
    piece: Composed,
    formatted: ThreeWay[bytes | None],
    whole: bytes | None,
    settings: FormatSettings,
) -> bytes | None:
    """The formatted statement, if its versions show that they are formatted so."""
    versions = piece.versions.map(_bare)
    stable = ThreeWay(
        base=formatted.base == versions.base,
        ours=formatted.ours == versions.ours,
        theirs=formatted.theirs == versions.theirs,
    )
    answer: bytes | None = None
    if piece.relaid:
        styled, other = piece.styled, piece.styled.other
        if formatted.base == versions.get(styled) and not stable.base:
            # All that this side did was to run the formatter: so it would have done to the other.
            answer = formatted.get(other)
        elif stable.get(styled):
            answer = whole
    elif (stable.ours and stable.theirs) or (stable.get(piece.styled) and not stable.base):
        answer = whole
    if answer is None:
        return None
    answer += b"\n"
    if _same_statement(bytes(piece), answer, piece.form, settings):
        return answer
    return None


def _bare(text: bytes) -> bytes:
    return text.rstrip(b"\n")


def _plain_string(text: bytes) -> bool:
    """Whether the statement is a string alone: on its own, nobody knows whether it is a docstring."""
    return re.match(rb"""[ \t]*[A-Za-z]{0,2}["']""", text) is not None


def _wrapped(text: bytes, form: str, settings: FormatSettings) -> str | None:
    """A statement as a module of its own, below as many blocks as its indentation says."""
    decoded = _decoded(text)
    if decoded is None or "\f" in decoded:
        return None
    indent = re.match(r"[ \t]*", decoded)
    space = indent.group() if indent else ""
    depth, unit = len(space) // len(settings.unit), settings.unit
    if space != unit * depth:
        return None
    before = "".join(f"{unit * level}if 1:\n" for level in range(depth))
    before += space + PREFIX[form].format(i=space) if form in PREFIX else ""
    after = "" if form == "statement" else f"{space}{unit}pass\n"
    chunk = before + decoded.rstrip("\n") + "\n" + after
    return None if syntax_tree(chunk) is None else chunk


def _unwrapped(chunk: str, text: bytes, form: str, settings: FormatSettings) -> bytes | None:
    space = len(text) - len(text.lstrip(b" \t"))
    skip = space // len(settings.unit) + (PREFIX[form].count("\n") if form in PREFIX else 0)
    lines = chunk.split("\n")
    while lines and skip:
        skip -= bool(lines.pop(0).strip())
    while lines and not lines[0].strip():
        lines.pop(0)
    while lines and not lines[-1].strip():
        lines.pop()
    if form != "statement":
        if not lines or lines.pop().strip() != "pass":
            return None
        while lines and not lines[-1].strip():
            lines.pop()
    return "\n".join(lines).encode() if lines else None


def _same_statement(one: bytes, other: bytes, form: str, settings: FormatSettings) -> bool:
    chunks = [_wrapped(text, form, settings) for text in (one, other)]
    if chunks[0] is None or chunks[1] is None:
        return False
    return _same_program(chunks[0], chunks[1])


def _same_program(one: str, other: str) -> bool:
    """Whether two texts have one syntax tree (docstrings up to indentation) and the same comments."""
    pairs = _differing(one, other) if len(one) > _SHORT else None
    if pairs is None:
        pairs = [(one, other, True)]
    if not all(_same_tree(before, after, first=first) for before, after, first in pairs):
        return False
    return _comments([pair[0] for pair in pairs]) == _comments([pair[1] for pair in pairs])


def _differing(one: str, other: str) -> list[tuple[str, str, bool]] | None:
    """The statements of two modules that are not the same text, side by side, and which are the first.

    ``None`` where the statements do not stand for each other one by one.
    """
    sources = [source_of(text.encode("utf-8", "surrogatepass")) for text in (one, other)]
    before, after = (source.items() for source in sources)
    if any(source.root.has_error for source in sources) or (
        [item.kind for item in before] != [item.kind for item in after]
    ):
        return None
    return [
        (a.text.decode("utf-8", "surrogatepass"), b.text.decode("utf-8", "surrogatepass"), n == 0)
        for n, (a, b) in enumerate(zip(before, after, strict=True))
        if a.text != b.text
    ]


def _same_tree(one: str, other: str, *, first: bool) -> bool:
    """Whether two texts have one syntax tree; ``first``: a string at their start is a docstring."""
    trees = syntax_tree(one), syntax_tree(other)
    if trees[0] is None or trees[1] is None:
        return False
    # Docstrings are told by the place: a definition's first statement.
    docs = {id(statement) for statement in trees[0].body[:1]} if first else set()
    stack: list[tuple[Any, Any]] = [trees]
    while stack:
        a, b = stack.pop()
        kind = type(a)
        if kind is not type(b):
            return False
        if kind is list:
            if len(a) != len(b):
                return False
            stack += zip(a, b, strict=True)
        elif not isinstance(a, ast.AST):
            if a != b:
                return False
        else:
            if isinstance(a, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                docs.add(id(a.body[0]))
            elif isinstance(a, ast.Expr) and id(a) in docs:
                texts = [_text(node.value) for node in (a, b)]
                if None not in texts:
                    if texts[0] != texts[1]:
                        return False
                    continue
            for name in kind._fields:
                if name not in _TOLD:
                    stack.append((getattr(a, name, None), getattr(b, name, None)))
    return True


#: Fields that say what the prefix of a text, or the place of a name, says.
_TOLD = frozenset({"kind", "ctx"})
# Texts shorter than this are compared as a whole.
_SHORT = 4_000


def _text(node: ast.expr) -> str | None:
    """A docstring up to its indentation; ``None`` for other expressions."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return inspect.cleandoc(node.value).strip()
    return None


_COMMENTS_AND_STRINGS = re.compile(COMMENTS_AND_STRINGS, re.VERBOSE)


def _comments(texts: Sequence[str]) -> Counter[str]:
    """The comments of texts that parse."""
    return Counter(
        found.lstrip("#! ").rstrip()
        for text in texts
        if "#" in text
        for found in _COMMENTS_AND_STRINGS.findall(text)
        if found.startswith("#")
    )


def _near(one: str, other: str) -> bool:
    """Whether two texts are equal but for a line in a hundred."""
    if one == other:
        return True
    a, b = one.splitlines(), other.splitlines()
    least = max(len(a), len(b)) - max(len(a), len(b)) // _TOLERANCE
    # What stands in both, in whatever order, is no less than what matches.
    return (Counter(a) & Counter(b)).total() >= least and len(matches(a, b)) >= least


def _decoded(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def relaid(pieces: Iterable[Piece]) -> bool:
    """Whether a side changed nothing but the layout of a statement that the other side changed."""
    return any(isinstance(p, Composed) and p.relaid for p in pieces)
