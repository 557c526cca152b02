"""Sweeps: one mechanical substitution that a side made in many places.

A renamed identifier, a moved module, an upgraded call: the same few tokens replaced by the same few
tokens, again and again. Where such substitutions explain all that a side did to a contested place,
that side's intent is known, and the substitution is applied to the other side's text (or, where the
other side deleted the place, nothing of the sweep is lost by the deletion).
"""

from __future__ import annotations

import ast
import functools
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mergewright.model.threeway import Side, ThreeWay
from mergewright.python.arguments import (
    LEAST_CALLS,
    ArgumentSweep,
    find_argument_sweeps,
    stands_as_argument,
)
from mergewright.python.source import Source, raw_tokens, source_of, string_token
from mergewright.text.diff import matches
from mergewright.text.lines import split_lines, words_of
from mergewright.text.syntax import syntax_tree

#: How many places of the file a substitution must stand in, beside the contested one.
LEAST_PLACES = 4
#: Identifiers shorter than this are too common to be carried on into another side's text.
_SHORT = 4
#: Places a renamed attribute must stand in to be carried on into what the other side added.
_MANY = 8
#: Longest side of a substitution, in tokens.
LONGEST = 8
# Above this many bytes a file is not searched: the comparison would cost more than it can give.
_MOST_BYTES = 2_000_000
#: Members that many objects have: without them a name says nothing of one thing.
_BUILTIN_MEMBERS = frozenset(
    name for kind in (str, bytes, dict, list, set, tuple, int) for name in dir(kind)
)


@dataclass(frozen=True, slots=True)
class Sweep:
    """``old`` tokens became ``new`` in ``places`` places; ``text`` is how the new ones are written."""

    old: tuple[bytes, ...]
    new: tuple[bytes, ...]
    text: bytes
    places: int

    def __str__(self) -> str:
        old = b" ".join(self.old).decode("utf-8", "replace")
        return f"`{old}` → `{self.text.decode('utf-8', 'replace')}` ({self.places} places)"


class Sweeps:
    """The sweeps of both sides of one file, found when first asked for."""

    def __init__(self, texts: ThreeWay[bytes]) -> None:
        self._texts = texts
        self._found: dict[Side, list[Sweep]] = {}
        self._many: dict[Side, bool] = {}
        self._few: dict[Side, list[Sweep]] = {}

    def of(self, side: Side) -> list[Sweep]:
        """The sweeps that a side made in this file."""
        if side not in self._found:
            counts = count_substitutions(self._texts.base, self._texts.get(side))
            self._many[side] = any(
                len(a) == len(b) == 1
                and places >= LEAST_CALLS
                and stands_as_argument(a[0], self._texts.base)
                and stands_as_argument(b[0], self._texts.get(side))
                for (a, b), (places, _) in counts.items()
            )
            self._found[side] = _consistent(counts, self._texts.get(side))
            self._few[side] = [
                Sweep(a, b, text, places)
                for (a, b), (places, text) in counts.items()
                if len(a) == len(b) == 1 and places < LEAST_PLACES
            ]
        return self._found[side]

    def of_arguments(self, side: Side) -> list[ArgumentSweep]:
        """The arguments that a side changed alike in every call of a function."""
        self.of(side)
        # Without one token of arguments that was replaced by one other in several places there is none.
        if not self._many[side]:
            return []
        return find_argument_sweeps(
            self._texts.base, self._texts.get(side), self._texts.get(side.other)
        )

    def renaming(self, name: str) -> tuple[Side, Sweep] | None:
        """The sweep that replaced a name, if one side made one."""
        for side in (Side.THEIRS, Side.OURS):
            for sweep in self.of(side):
                if sweep.old == (name.encode(),):
                    return side, sweep
        return None

    def unfinished(self, result: bytes) -> list[tuple[Side, Sweep]]:
        """Renamed identifiers of which a side left none, but the merged result still has some.

        The other side added them, not knowing of the new name.
        """
        found: list[tuple[Side, Sweep]] = []
        words = words_of(result) & words_of(self._texts.base)
        for side in (Side.OURS, Side.THEIRS):
            if words <= words_of(self._texts.get(side)):
                continue  # the side gave up no word that the result still has
            for sweep in [*self.of(side), *self._renamings(side)]:
                (old, *more), new = sweep.old, sweep.new
                if more or len(new) != 1 or len(old) < _SHORT or b"." + old not in result:
                    continue
                if not all(n.decode("utf-8", "replace").isidentifier() for n in (old, *new)):
                    continue
                if sweep.places < _MANY and not self._total(sweep, side):
                    continue
                # Attributes only: a bare name that is no longer bound is found by name.
                if not _in_code(self._texts.get(side), old):
                    found.append((side, sweep))
                    break
        return found

    def _renamings(self, side: Side) -> list[Sweep]:
        """Single tokens that a side replaced in too few places for a sweep."""
        self.of(side)
        return self._few[side]

    def _total(self, sweep: Sweep, side: Side) -> bool:
        """Whether a side renamed a word wherever the base had it, to one that was not there.

        The two names are related, or the file defines both: a call that gave way to another one is no
        renaming.
        """
        (old,), (new,) = sweep.old, sweep.new
        if any(new in words_of(t) for t in (self._texts.base, self._texts.get(side.other))):
            return False
        related = {part for part in old.split(b"_") if part} & set(new.split(b"_"))
        defined = all(
            re.search(rb"\b(?:def|class)\s+%b\b" % re.escape(name), text)
            for name, text in ((old, self._texts.base), (new, self._texts.get(side)))
        )
        if not (related or defined) or old.decode("utf-8", "replace") in _BUILTIN_MEMBERS:
            return False
        # Once is enough for a definition under a related name.
        least = 1 if related and defined else 2
        return least <= _in_code(self._texts.base, old) <= sweep.places

    def carried(self, sweep: Sweep, result: bytes) -> bytes:
        """A result in which an unfinished renaming is carried on.

        Renamed in many places, a name is the same thing everywhere. In few it is where an attribute of the
        same receiver was renamed, or a member of the same class: what else has the name is left alone.

        Args:
            sweep: From :meth:`unfinished`.
            result: The merged text.
        """
        if sweep.places >= _MANY:
            return apply(result, [sweep])
        (old,), (new,) = sweep.old, sweep.new
        known = {owner for owner, _ in _members(self._texts.base, old)}
        out = result
        for owner, end in reversed(_members(result, old, defined=False)):
            if owner in known and out[end - len(old) : end] == old:
                out = out[: end - len(old)] + new + out[end:]
        return out

    def explain(self, base: bytes, changed: bytes, side: Side) -> list[Sweep] | None:
        """The sweeps of ``side`` that turn ``base`` into ``changed``; ``None`` if they do not."""
        sweeps = self.of(side)
        if not sweeps:
            return None
        old = [token for token, _, _ in raw_tokens(Source(base))]
        new = [token for token, _, _ in raw_tokens(Source(changed))]
        used = [s for s in sweeps if _count(old, s.old)]
        if not used:
            return None
        swept: list[bytes] = old
        for sweep in used:
            swept = _replaced(swept, sweep)
        # The contested place itself is no evidence for the sweep that is to explain it.
        if swept != new or any(s.places - _count(old, s.old) < LEAST_PLACES for s in used):
            return None
        return used


_Counts = dict[tuple[tuple[bytes, ...], tuple[bytes, ...]], tuple[int, bytes]]


@functools.lru_cache(maxsize=256)
def count_substitutions(base: bytes, side: bytes, words: frozenset[bytes] | None = None) -> _Counts:
    """The few tokens that a side replaced by a few others: how often, and how the new ones are written.

    The result is shared: it must not be changed.

    Args:
        base: The text before.
        side: The text on the side.
        words: When given, only what replaced one of these words counts for sure.
    """
    if not base or not side or max(len(base), len(side)) > _MOST_BYTES:
        return {}
    old_lines, new_lines = split_lines(base), split_lines(side)
    counts: Counter[tuple[tuple[bytes, ...], tuple[bytes, ...]]] = Counter()
    written: dict[tuple[tuple[bytes, ...], tuple[bytes, ...]], bytes] = {}
    i = j = 0
    # Only the lines that differ are cut into tokens: everything else says nothing here.
    for at, to in [*matches(old_lines, new_lines), (len(old_lines), len(new_lines))]:
        if at > i and to > j:
            old = b"".join(old_lines[i:at])
            if words is None or not words.isdisjoint(words_of(old)):
                _count_substitutions(old, b"".join(new_lines[j:to]), counts, written)
        i, j = at + 1, to + 1
    return {pair: (places, written[pair]) for pair, places in counts.items()}


def _consistent(counts: _Counts, side: bytes) -> list[Sweep]:
    """Substitutions that a side made everywhere, longest first."""
    if not any(places >= LEAST_PLACES for places, _ in counts.values()):
        return []
    new = _light(side)
    found: list[Sweep] = []
    for (a, b), (places, text) in counts.items():
        if places < LEAST_PLACES or not any(_word(token) for token in a):
            continue
        if b"\n" in text:
            continue
        # Consistent: what is left of the old form is rare.
        if _count(new, a) * 4 > places:
            continue
        found.append(Sweep(a, b, text, places))
    found.sort(key=lambda s: (-len(s.old), s.old))
    return found


def _count_substitutions(
    base: bytes,
    side: bytes,
    counts: Counter[tuple[tuple[bytes, ...], tuple[bytes, ...]]],
    written: dict[tuple[tuple[bytes, ...], tuple[bytes, ...]], bytes],
) -> None:
    old, new = _light(base), _light(side)
    spans: list[tuple[int, int]] | None = None
    i = j = 0
    for at, to in [*matches(old, new), (len(old), len(new))]:
        if 0 < at - i <= LONGEST and 0 < to - j <= LONGEST:
            pair = (tuple(old[i:at]), tuple(new[j:to]))
            counts[pair] += 1
            if pair not in written:
                if spans is None:
                    spans = [m.span() for m in _LIGHT.finditer(side)]
                written[pair] = side[spans[j][0] : spans[to - 1][1]]
        i, j = at + 1, to + 1


_LIGHT = re.compile(rb"""[A-Za-z_]\w*|"[^"\n]*"|'[^'\n]*'|\d[\w.]*|[^\s\w]""")


def _light(text: bytes) -> list[bytes]:
    """Tokens by a pattern: good enough to count with; what is found is applied by the parser's."""
    return [string_token(token) if token[0] in _QUOTES else token for token in _LIGHT.findall(text)]


_QUOTES = b"\"'"


def apply(text: bytes, sweeps: Sequence[Sweep]) -> bytes:
    """The text with the sweeps applied to its tokens."""
    for sweep in sweeps:
        tokens = raw_tokens(Source(text))
        names = [token for token, _, _ in tokens]
        out: list[bytes] = []
        at = index = 0
        while index <= len(names) - len(sweep.old):
            if tuple(names[index : index + len(sweep.old)]) == sweep.old:
                out.append(text[at : tokens[index][1]])
                out.append(sweep.text)
                at = tokens[index + len(sweep.old) - 1][2]
                index += len(sweep.old)
            else:
                index += 1
        out.append(text[at:])
        text = b"".join(out)
    return text


def _members(text: bytes, name: bytes, *, defined: bool = True) -> list[tuple[str, int]]:
    """Uses of an attribute whose receiver is a name: the receiver, and where the attribute ends.

    Of ``self`` and ``cls`` the class is part of the receiver. In their order; nothing where the text does
    not parse.

    Args:
        text: A Python file.
        name: The attribute.
        defined: Count methods of that name, too, as members of their class.
    """
    if re.search(rb"\r(?!\n)", text):
        return []  # ast counts it as the end of a line
    tree = syntax_tree(text.decode("utf-8", "surrogateescape"))
    if tree is None:
        return []
    wanted = name.decode("utf-8")
    starts = [0, *itertools.accumulate(map(len, split_lines(text)))]
    found: list[tuple[str, int]] = []
    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, within = stack.pop()
        if isinstance(node, ast.ClassDef):
            within = f"{within}.{node.name}"
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            if defined and within and node.name == wanted:
                found.extend((f"{who}{within}", 0) for who in ("self", "cls"))
        elif (
            isinstance(node, ast.Attribute)
            and node.attr == wanted
            and isinstance(node.value, ast.Name)
            and node.end_lineno
            and node.end_col_offset
        ):
            who = node.value.id
            owner = f"{who}{within}" if who in {"self", "cls"} else who
            found.append((owner, starts[node.end_lineno - 1] + node.end_col_offset))
        stack.extend((child, within) for child in ast.iter_child_nodes(node))
    return sorted(found, key=lambda use: use[1])


def _in_code(text: bytes, name: bytes) -> int:
    """How often a name stands in a text outside of comments and strings."""
    if name not in text:
        return 0
    return sum(token == name for token, _, _ in raw_tokens(source_of(text)))


def _word(token: bytes) -> bool:
    return token[:1].isalpha() or token[:1] in {b"_", b'"', b"'"}


def _count(tokens: Sequence[bytes], wanted: tuple[bytes, ...]) -> int:
    size = len(wanted)
    first = wanted[0]
    return sum(
        1
        for n, token in enumerate(tokens)
        if token == first and tuple(tokens[n : n + size]) == wanted
    )


def _replaced(tokens: list[bytes], sweep: Sweep) -> list[bytes]:
    out: list[bytes] = []
    index = 0
    size = len(sweep.old)
    while index < len(tokens):
        if tuple(tokens[index : index + size]) == sweep.old:
            out.extend(sweep.new)
            index += size
        else:
            out.append(tokens[index])
            index += 1
    return out
