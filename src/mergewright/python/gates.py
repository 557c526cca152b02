"""What every Python result must pass before it is believed.

The gates work on the texts alone (standard library ``ast`` and ``symtable``): they share no code with
the engine, so that a fault of the engine cannot hide itself. Only units that differ between the texts
are looked into (:mod:`mergewright.python.units`); what nobody changed cannot have gone wrong by itself.
"""

from __future__ import annotations

import ast
import builtins
import functools
import itertools
import keyword
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from mergewright.model.resolution import Decision, GateResult, Outcome
from mergewright.model.threeway import ThreeWay
from mergewright.python.units import (
    Leaf,
    Member,
    Names,
    Unit,
    Unreadable,
    cut,
    form_of,
    names_of,
    unit_of,
)
from mergewright.text.syntax import syntax_tree

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
        ``bound-twice``, ``lost-member``, ``runtime-name``, ``given-up-name``, ``statement-count``.
        Where one of the sides does not parse, only ``parse`` speaks, and it passes.
    """
    settled = {d.symbol for d in decisions if d.rule is not None or d.strategy in _SIDED}
    left = {d.symbol for d in decisions if d.outcome is Outcome.DEFERRED}
    if undefined_names(candidate) is not None:  # so it parses, and with it what all texts share
        compared = in_units(candidate, versions)
        if compared is not None:
            try:
                results = _judged(compared, candidate, versions, settled, left)
            except Unreadable:
                pass
            else:
                # A word against the result counts only where all versions parse.
                if all(g.passed for g in results) or all(
                    data is None or undefined_names(data) is not None for data in versions
                ):
                    return results
    trees = versions.map(lambda data: syntax_tree(data, path) if data is not None else None)
    sides = [trees.ours, trees.theirs, *([trees.base] if versions.base is not None else [])]
    if any(tree is None for tree in sides):
        return (GateResult(gate="parse", passed=True, detail="a version does not parse either"),)
    result = syntax_tree(candidate, path)
    if result is None:
        return (GateResult(gate="parse", passed=False, detail="the result does not parse"),)
    base, ours, theirs, merged = (
        [] if tree is None else [Unit(data or b"", tree=tree)]
        for data, tree in zip((*versions, candidate), (*trees, result), strict=True)
    )
    whole = Compared(base=base, ours=ours, theirs=theirs, result=merged, common=frozenset())
    return _judged(whole, candidate, versions, settled, left)


def clean_text_holds(candidate: bytes, versions: ThreeWay[bytes | None]) -> bool:
    """Whether it is certain, by what differs alone, that a text passes the gates on what breaks one.

    Those are ``parse``, ``duplicate-definition``, ``bound-twice`` and ``undefined-name``. Much cheaper than
    :func:`check`, for texts that are nearly always sound; ``False`` says nothing.
    """
    units = in_units(candidate, versions)
    try:
        return (
            units is not None
            and _surely_bound(units)
            and _duplicates(units).passed
            and _twice(units).passed
        )
    except Unreadable:
        return False


def _surely_bound(units: Compared) -> bool:
    """Whether the result compiles if the sides do, and reads no name unbound that they do not.

    What a side has just so reads there what it reads in the result. Such a name is unbound in the result
    alone only if what bound it is gone; so it suffices to look for what gone units bound, and for what
    units read that no side has.

    Raises:
        Unreadable: A unit in question does not compile.
    """
    result = {*units.changed(units.result)}
    sides = {*units.changed(units.ours), *units.changed(units.theirs)}
    doubtful: set[str] = set()
    for unit in result - sides:
        doubtful |= _names_read(unit).read
    for unit in sides - result:
        doubtful |= _binds(unit)
    for unit in result:
        doubtful -= _binds(unit)
    for name in doubtful - _BUILTINS:
        if any(name in _binds(unit) for unit in units.common_with(name)):
            continue
        word = [name.encode()]
        if any(unit.holds(word) and name in _names_read(unit).read for unit in units.result):
            return False
    return True


def _names_read(unit: Unit) -> Names:
    if unit.names is None or unit.names.declared:
        raise Unreadable
    return unit.names


def _binds(unit: Unit) -> frozenset[str]:
    """The names that a unit binds in the module; a definition that binds just its own is not parsed."""
    if unit.definition is None or _BINDS_MORE.search(unit.text) is not None:
        return _names_read(unit).bound
    return frozenset() if unit.scope else frozenset({unit.definition[1]})


# What in a definition (in its body, or its defaults) may bind a name of the module.
_BINDS_MORE = re.compile(rb"\bglobal\b|:=")


def _judged(
    units: Compared,
    candidate: bytes,
    versions: ThreeWay[bytes | None],
    settled: set[str],
    left: set[str],
) -> tuple[GateResult, ...]:
    return (
        GateResult(gate="parse", passed=True),
        _duplicates(units),
        _undefined(candidate, versions),
        _conservation(units, candidate, versions, settled),
        _twice(units),
        _members(units),
        _runtime_names(units, candidate),
        _given_up_names(units, settled, has_base=versions.base is not None),
        _statements(units, settled | left, has_base=versions.base is not None),
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

# -- what differs --------------------------------------------------------------------------------

Key = TypeVar("Key", str, tuple[str, str, str])


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The three versions and the result, in units.

    Attributes:
        base: Units of the base in order, those of the others likewise.
        common: The units that all texts have equally often.
    """

    base: Sequence[Unit]
    ours: Sequence[Unit]
    theirs: Sequence[Unit]
    result: Sequence[Unit]
    common: frozenset[Unit]

    def changed(self, units: Sequence[Unit]) -> list[Unit]:
        """The units of a text that are not common to all."""
        return [unit for unit in units if unit not in self.common]

    def differing(self) -> Iterator[Unit]:
        """All units that are not common to all texts."""
        for units in (self.base, self.ours, self.theirs, self.result):
            yield from self.changed(units)

    @functools.cached_property
    def functions(self) -> dict[str, tuple[Leaf, Leaf, Leaf, Leaf]]:
        """Functions and methods of what differs by dotted path, those that all texts have just once."""
        base, ours, theirs, result = (
            self._functions(text) for text in (self.base, self.ours, self.theirs, self.result)
        )
        return {
            path: (base[path], ours[path], theirs[path], now)
            for path, now in sorted(result.items(), key=lambda item: item[0])
            if path in base and path in ours and path in theirs
        }

    def paths(self, text: Sequence[Unit]) -> set[str]:
        """Dotted paths of the functions and methods of what differs in a text."""
        return {path for unit in self.changed(text) for path, _ in unit.functions}

    def _functions(self, text: Sequence[Unit]) -> dict[str, Leaf]:
        found: dict[str, list[Leaf]] = {}
        for unit in self.changed(text):
            for path, leaf in unit.functions:
                found.setdefault(path, []).append(leaf)
        return {path: leaves[0] for path, leaves in found.items() if len(leaves) == 1}

    def common_with(self, *names: str) -> list[Unit]:
        """Common units in which one of the names may stand, as often as the result has them."""
        words = [name.encode() for name in names]
        return [u for u in self.result if u in self.common and u.holds(words)]

    def more_than_either(
        self,
        facts: Callable[[Unit], Counter[Key]],
        repeats: Callable[[Unit], bool],
        name: Callable[[Key], str],
    ) -> list[Key]:
        """What the result has more than once and more often than both sides, sorted.

        Args:
            facts: What is counted.
            repeats: Whether a single definition may hold something twice.
            name: A name without which a text cannot hold a thing.
        """
        often = Counter(unit.label for unit in self.result)
        counted: list[Unit] = [
            unit
            for unit in self._to_count
            # Of one name there may be several definitions, each without repetition.
            if self._mixed or unit.label is None or often[unit.label] > 1 or repeats(unit)
        ]
        result = self._count(counted, facts)
        if not result:
            return []
        labels = {None, *(unit.label for unit in counted)}
        ours, theirs = (
            self._count([u for u in self.changed(text) if self._mixed or u.label in labels], facts)
            for text in (self.ours, self.theirs)
        )
        more = [key for key, n in result.items() if n > max(ours[key], theirs[key])]
        # Once in what differs: twice only if a common unit has it too.
        return sorted(
            key
            for key in more
            if result[key] > 1 or any(facts(u)[key] for u in self.common_with(name(key)))
        )

    @functools.cached_property
    def _to_count(self) -> list[Unit]:
        """Units of the result in which something may stand more often than in both sides.

        A definition that a side has just so, and whose name nothing else in the result has, counts as
        often as in that side.
        """
        changed = self.changed(self.result)
        often = Counter(unit.label for unit in changed)
        of_sides = {*self.ours, *self.theirs}
        return [
            unit
            for unit in changed
            if self._mixed or unit.label is None or often[unit.label] > 1 or unit not in of_sides
        ]

    @functools.cached_property
    def _mixed(self) -> bool:
        """Whether a name may be defined in a unit that does not bear it: then labels tell nothing."""
        return any(
            unit.mixes
            for text in (self.ours, self.theirs, self.result)
            for unit in self.changed(text)
        )

    @staticmethod
    def _count(units: Sequence[Unit], facts: Callable[[Unit], Counter[Key]]) -> Counter[Key]:
        found: Counter[Key] = Counter()
        for unit in units:
            found.update(facts(unit))
        return found


def in_units(candidate: bytes, versions: ThreeWay[bytes | None]) -> Compared | None:
    """The texts in units; ``None`` where one cannot be cut."""
    texts = [b"" if data is None else data for data in (*versions, candidate)]
    units = [found for found in map(cut, texts) if found is not None]
    if len(units) != len(texts):
        return None
    present = units if versions.base is not None else units[1:]
    common = _common(present)
    split: list[Sequence[Unit]] = [
        [part for unit in text for part in ([unit] if unit in common else unit.parts)]
        for text in units
    ]
    common = _common(split if versions.base is not None else split[1:])
    base, ours, theirs, result = split
    return Compared(base=base, ours=ours, theirs=theirs, result=result, common=common)


def _common(texts: Sequence[Sequence[Unit]]) -> frozenset[Unit]:
    first, *others = [Counter(units) for units in texts]
    return frozenset(unit for unit, n in first.items() if all(other[unit] == n for other in others))


# -- definitions twice ---------------------------------------------------------------------------


def _duplicates(units: Compared) -> GateResult:
    twice = units.more_than_either(
        lambda unit: unit.definitions,
        lambda unit: unit.repeats,
        lambda key: key.rstrip(":").rpartition(".")[2],
    )
    # Of a class that stands twice its members do, too.
    twice = [name for name in twice if not any(name.startswith(f"{other}.") for other in twice)]
    twice += sorted(
        {
            *_added_to_split(units.ours, units.theirs, units),
            *_added_to_split(units.theirs, units.ours, units),
        }
    )
    return _told("duplicate-definition", "defined twice", twice)


def _added_to_split(
    splitter: Sequence[Unit], other: Sequence[Unit], units: Compared
) -> Iterator[str]:
    """Methods that both sides added under one name, one of them in a class that it split off.

    Where methods of a class went to a new one on one side, what the other side added to the first class
    may belong to the second; if that has it already, it would stand in both.
    """
    base, there, here, result = (
        units.paths(text) for text in (units.base, splitter, other, units.result)
    )
    for path in sorted((here & result) - base - there):
        old, _, name = path.rpartition(".")
        if not old:
            continue
        for twin in sorted((there & result) - base - here):
            new, _, same = twin.rpartition(".")
            if same != name or not new or any(p.startswith(f"{new}.") for p in base | here):
                continue
            gone = {p.rpartition(".")[2] for p in base - there if p.rpartition(".")[0] == old}
            if any(f"{new}.{method}" in there for method in gone):
                yield f"{path} and {twin}"


def _told(gate: str, what: str, found: Sequence[str]) -> GateResult:
    """The word of a gate that passes where nothing was found, else with the first that was."""
    detail = f"{what}: {', '.join(found[:5])}" if found else ""
    return GateResult(gate=gate, passed=not found, detail=detail)


# -- names ---------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=16)
def undefined_names(data: bytes, path: str = "<text>") -> frozenset[str] | None:
    """Names that are read somewhere and bound nowhere they could be read from.

    Args:
        data: A Python text.
        path: For messages.

    Returns:
        The names, or ``None`` when the text does not compile to symbol tables or imports a star.
    """
    found = _names_by_unit(data)
    if found is None:
        try:
            found = names_of(_decoded(data), path)
        except (UnicodeDecodeError, SyntaxError, LookupError):
            return None
    if found is None:
        return None
    return frozenset(
        name for name in found.read - found.bound - _BUILTINS if not name.startswith(".")
    )


#: The cookie in one of the first two lines; their other characters may be of any encoding.
_COOKIE = re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")


def _decoded(data: bytes) -> str:
    """A text as its cookie says, UTF-8 without one."""
    cookie = _COOKIE.match(data)
    name = cookie[1].decode() if cookie is not None else "utf-8"
    return data.decode("utf-8-sig" if name.lower().replace("_", "-") in {"utf-8", "utf8"} else name)


def _names_by_unit(data: bytes) -> Names | None:
    """The names of a text, from those of its units, which the other texts of a merge have in common.

    ``None`` where they may not be those of the whole, or a unit does not compile.
    """
    units = cut(data)
    if units is None:
        return None
    # A unit with such an import speaks for all: where it must stand, what annotations are.
    future = [n for n, unit in enumerate(units) if b"__future__" in unit.text]
    postponed = False
    if future:
        head, units = units[: future[-1] + 1], units[future[-1] + 1 :]
        first = unit_of(b"".join(unit.text for unit in head))
        postponed = b"annotations" in first.text
        units = (first, *units)
    read: set[str] = set()
    bound: set[str] = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n, unit in enumerate(units):
            names = unit.postponed_names if postponed and n else unit.names
            if names is None or names.declared:
                return None
            read |= names.read
            bound |= names.bound
    return Names(read=frozenset(read), bound=frozenset(bound))


def _undefined(candidate: bytes, versions: ThreeWay[bytes | None]) -> GateResult:
    found = undefined_names(candidate)
    if found:
        for data in (versions.ours, versions.theirs):
            found -= undefined_names(data or b"") or frozenset()
    return _told("undefined-name", "no longer bound", sorted(found or ()))


# -- nothing lost --------------------------------------------------------------------------------

#: The leaves of one text by dotted path, those of one path in their order.
Table = dict[str, list[Leaf]]
_NAME = re.compile(r"\w+")


def _conservation(
    units: Compared,
    candidate: bytes,
    versions: ThreeWay[bytes | None],
    settled: set[str],
) -> GateResult:
    """Every symbol that one side alone added or changed stands in the result as that side has it."""
    keys = {key for unit in units.differing() for key, _ in unit.leaves}
    base, ours, theirs, merged = (
        _table(units, text, keys) for text in (units.base, units.ours, units.theirs, units.result)
    )
    for side, other in ((ours, theirs), (theirs, ours)):
        for old, new in _renamed_classes(base, side, other, merged):
            rename_in(base, old, new)
            rename_in(other, old, new)
    # The same bytes are the same text only under the same encoding.
    plain = not any(b"coding" in (data or b"")[:400] for data in (*versions, candidate))
    lost: list[str] = []
    for key in dict.fromkeys([*ours, *theirs, *base]):
        leaves = [table.get(key, []) for table in (base, ours, theirs, merged)]
        wrong = _not_kept(leaves, plain=plain)
        lengths = [len(found) for found in leaves[:3]]
        if max(lengths) > 1 and len(set(lengths)) > 1:
            # Their numbers have shifted: what stands at one number need not be one thing.
            kept = _kept_in_order(leaves)
            if kept is not None:
                wrong = [] if kept else wrong or [0]
        if wrong and not _covered(key, settled):
            lost += [key if n == 0 else f"{key}#{n + 1}" for n in wrong]
    return _told("conservation", "not as the one side that changed it has it", lost)


def _table(units: Compared, text: Sequence[Unit], keys: set[str]) -> Table:
    """The leaves of a text under the given paths; a common unit is read only where it may have one."""
    names = {match.group() for key in keys for match in _NAME.finditer(key)}
    words = [name.encode() for name in names]
    found: Table = {}
    for unit in text:
        if unit in units.common:
            if unit.definition is not None:
                kind, name = unit.definition
                if name not in names or (kind == "def" and name not in keys):
                    continue
            elif not unit.holds(words):
                continue
        for key, leaf in unit.leaves:
            if key in keys:
                found.setdefault(key, []).append(leaf)
    return found


def _identical(one: Leaf | None, other: Leaf | None) -> bool:
    """Whether two symbols are one text."""
    if one is None or other is None:
        return one is other
    return one is other or (one.unit is not None and one.unit is other.unit)


def _same(one: Leaf | None, other: Leaf | None, *, plain: bool) -> bool:
    """Whether two symbols have one syntax tree; ``plain``: equal bytes are equal text."""
    if _identical(one, other):
        return True
    if one is None or other is None or _differ(one, other):
        return False
    if plain and one.source is not None and one.source == other.source:
        return True
    return one.same_form(other)


def _not_kept(leaves: Sequence[list[Leaf]], *, plain: bool) -> list[int]:
    """Which of the equally named symbols are not as three-way settling gives them, by number."""
    wrong: list[int] = []
    for n in range(max(map(len, leaves[:3]))):
        b, o, t, m = (found[n] if n < len(found) else None for found in leaves)
        # What is one text is compared first: trees are built only for what two texts say.
        if _identical(b, o):
            want = t
        elif _identical(b, t) or _same(o, t, plain=plain):
            want = o
        elif _same(b, o, plain=plain):
            want = t
        elif _same(b, t, plain=plain):
            want = o
        else:
            continue
        if not _same(m, want, plain=plain):
            wrong.append(n)
    return wrong


def _differ(one: Leaf, other: Leaf) -> bool:
    """Whether two symbols are known to differ without building their trees."""
    if one.unit is None or other.unit is None:
        return False
    return any(
        None not in said and said[0] != said[1]
        for said in ((one.unit.words, other.unit.words), (one.unit.strings, other.unit.strings))
    )


def _kept_in_order(leaves: Sequence[list[Leaf]]) -> bool | None:
    """Whether symbols of one name (overloads) are all there, though their numbers have shifted.

    Each form is in the result as often as three-way settling of the counts gives, and those of a side
    stand in that side's order. ``None`` where both sides changed or took away the same one.
    """
    base, ours, theirs, merged = ([leaf.form for leaf in found] for found in leaves)
    count_base, count_ours, count_theirs, count = map(Counter, (base, ours, theirs, merged))
    if (count_base - count_ours) & (count_base - count_theirs):
        return None
    for form in {*base, *ours, *theirs, *merged}:
        b, o, t = count_base[form], count_ours[form], count_theirs[form]
        if o not in (b, t) and t != b:
            return None
        if count[form] != (o if t in (b, o) else t):
            return False
    return all(
        [f for f in dict.fromkeys(merged) if f in side] == [f for f in side if f in count]
        for side in (dict.fromkeys(ours), dict.fromkeys(theirs))
    )


def _renamed_classes(
    base: Table, side: Table, other: Table, merged: Table
) -> Iterator[tuple[str, str]]:
    """Classes that one side renamed, as the result has it: old and new dotted name.

    The new name is new on that side alone, and half of what stood in the class stands in it unchanged.
    """
    mark = "class "
    gone = [
        k for k in base if k.startswith(mark) and k in other and k not in side and k not in merged
    ]
    new = [
        k for k in side if k.startswith(mark) and k in merged and k not in base and k not in other
    ]
    for old_key in gone:
        old = old_key.removeprefix(mark)
        parts = [(k.removeprefix(old), base[k]) for k in base if k.startswith(f"{old}.")]
        for new_key in new:
            name = new_key.removeprefix(mark)
            kept = sum(
                [leaf.form for leaf in leaves] == [leaf.form for leaf in side.get(name + rest, [])]
                for rest, leaves in parts
            )
            if kept and kept * 2 >= len(parts):
                yield old, name
                break


def rename_in(table: Table, old: str, new: str) -> None:
    """Give a class and all that stands in it another name."""
    before, after = old.rpartition(".")[2], new.rpartition(".")[2]
    for key in list(table):
        mark = "class " if key.startswith("class ") else ""
        name = key.removeprefix(mark)
        if name == old or name.startswith(f"{old}."):
            renamed = f"{mark}{new}{name.removeprefix(old)}"
            table[renamed] = [leaf.renamed(before, after) for leaf in table.pop(key)]


def _covered(key: str, settled: set[str]) -> bool:
    name = key.removeprefix("class ").replace("=", "").split("#")[0]
    return any(name == s or name.startswith(f"{s}.") for s in settled if s)


# -- what a class calls on itself ----------------------------------------------------------------


def _members(units: Compared) -> GateResult:
    """No ``self.member`` is left whose definition only the other side had taken away or renamed."""
    sides = [units.changed(units.ours), units.changed(units.theirs)]
    result = units.changed(units.result)
    kept = set(result)
    dropped = [unit for unit in dict.fromkeys((*sides[0], *sides[1])) if unit not in kept]
    lost: list[Member] = []
    for pair in sorted(_taken_away(dropped, units.result)):
        read, bound = _member(result, pair)
        if bound:
            continue
        common_read, common_bound = _member(units.common_with(pair[1]), pair)
        if common_bound or not (read or common_read):
            continue
        by_side = [_member(side, pair) for side in sides]
        if any((common_read or side_read) and not bound for side_read, bound in by_side):
            continue  # a side lives with it
        lost.append(pair)
    return _told("lost-member", "used and no longer defined", [f"{c}.{m}" for c, m in lost])


def _taken_away(dropped: Sequence[Unit], result: Sequence[Unit]) -> set[Member]:
    """Members that dropped units define, without those that the result certainly defines."""
    certain: dict[str, set[bytes]] = {}
    found: set[Member] = set()
    for unit in dropped:
        if not unit.scope or b"class" in unit.text or not unit.text.isascii():
            found |= unit.members[1]
            continue
        if unit.scope not in certain:
            certain[unit.scope] = {n for u in result if u.scope == unit.scope for n in u.sets}
        doubtful = unit.may_set - certain[unit.scope]
        if doubtful:
            found.update(pair for pair in unit.members[1] if pair[1].encode() in doubtful)
    return found


def _member(units: Sequence[Unit], pair: Member) -> tuple[bool, bool]:
    """Whether the units read a member on ``self``, and whether they define it."""
    word = [pair[1].encode()]
    found = [unit.members for unit in units if unit.holds(word)]
    return any(pair in read for read, _ in found), any(pair in bound for _, bound in found)


# -- registered twice ----------------------------------------------------------------------------


def _twice(units: Compared) -> GateResult:
    """Nothing is registered or imported under one name more often than a side did."""
    found = [
        key[2]
        for key in units.more_than_either(
            lambda unit: unit.registrations, lambda unit: unit.registers_twice, lambda _: "add_"
        )
    ]
    found += units.more_than_either(lambda unit: unit.imports, lambda _: False, lambda name: name)
    return _told("bound-twice", "registered or imported twice", found)


# -- names that only type checkers see ------------------------------------------------------------


def _runtime_names(units: Compared, candidate: bytes) -> GateResult:
    """No name that is imported for type checkers only is read where the program runs."""
    found: list[str] = []
    if b"TYPE_CHECKING" in candidate:
        ours, theirs, result = (
            _checking_only(text) for text in (units.ours, units.theirs, units.result)
        )
        for name in sorted(result):
            if any(
                name in hidden and _loaded(units.changed(text), name)
                for hidden, text in ((ours, units.ours), (theirs, units.theirs))
            ):
                continue
            shared = _loaded(units.common_with(name), name)
            if shared and (name in ours or name in theirs):
                continue
            if shared or _loaded(units.changed(units.result), name):
                found.append(name)
    return _told("runtime-name", "read at run time, imported for type checkers only", found)


def _checking_only(text: Sequence[Unit]) -> set[str]:
    """Names bound only below ``if TYPE_CHECKING``."""
    found = [unit.checking for unit in text]
    bound = {name for _, names in found for name in names}
    return {name for names, _ in found for name in names} - bound


def _loaded(units: Iterable[Unit], name: str) -> bool:
    return any(unit.holds([name.encode()]) and name in unit.loads for unit in units)


# -- names that one side gave up -------------------------------------------------------------------


def _given_up_names(units: Compared, settled: set[str], *, has_base: bool) -> GateResult:
    """In one function a side took away every use of a name, and the other added uses of it.

    Each edit is at its own place, so they merge; but the new code relies on what the other side was
    moving away from. Measured: such results are wrong twice as often as right.
    """
    gate = "given-up-name"
    for path, leaves in _contested(units, settled, _may_have_given_up) if has_base else ():
        before, mine, other, after = map(_used, leaves)
        for side, giver, by, quit_by in (
            ("ours", "theirs", mine, other),
            ("theirs", "ours", other, mine),
        ):
            for name, times in before.items():
                if quit_by[name] or not after[name] or by[name] <= times:
                    continue
                if name in _BUILTINS and not _takes(leaves[0].node, name):
                    continue
                return GateResult(
                    gate=gate,
                    passed=False,
                    detail=f"{path}: {side} added uses of {name}, {giver} took all of them away",
                )
    return GateResult(gate=gate, passed=True)


#: One symbol in base, ours, theirs and the result.
_Stages = tuple[Leaf, Leaf, Leaf, Leaf]


def _contested(
    units: Compared, apart: set[str], suspect: Callable[[_Stages], bool]
) -> Iterator[tuple[str, _Stages]]:
    """Functions that both sides changed, each in its own way, of which a look at the words says more."""
    for path, leaves in units.functions.items():
        if path in apart or not suspect(leaves):
            continue
        if any(_same(a, b, plain=False) for a, b in itertools.combinations(leaves[:3], 2)):
            continue
        if any(path in dict(unit.functions) for unit in units.common_with(path.split(".")[-1])):
            continue
        yield path, leaves


def _may_have_given_up(leaves: _Stages) -> bool:
    """Whether, by the words alone, a side may have taken away a name that the other uses more often."""
    units = [leaf.unit for leaf in leaves if leaf.unit is not None]
    if len(units) < len(leaves) or any(
        unit.words is None or _BINDING_WORDS & set(unit.words) for unit in units
    ):
        return True
    base, ours, theirs, result = units
    before, *words, after = (
        Counter(word for _, word in _LITERAL.findall(unit.text)) for unit in units
    )
    for by_words, quit_words in (words, words[::-1]):
        if any(
            0 < before[word] < n and after[word] and not quit_words[word]
            for word, n in by_words.items()
        ):
            return True
    # A name in the code is used there, unless it is what a definition or ``as`` binds.
    still = set(base.uses) & set(result.uses)
    for by, quit_by in ((ours, theirs), (theirs, ours)):
        used = set(quit_by.words or ()) - set(_BOUND_WORD.findall(quit_by.code))
        often = Counter(by.uses)
        if any(often[name] > 1 for name in still - used if name.decode() not in _NEVER_USES):
            return True
    return False


#: A string that names something (an option, a backend, a key), in either quotes.
_LITERAL = re.compile(rb"(['\"])([A-Za-z_][\w.-]{3,})\1")
_NAMING = re.compile(r"[A-Za-z_][\w.-]{3,}")
_BOUND_WORD = re.compile(rb"\b(?:def|class|as)[\s\\]+(\w+)")
_BINDING_WORDS = {b"global", b"nonlocal", b"match", b"case", b"import"}
_NEVER_USES = frozenset(keyword.kwlist)


def _used(leaf: Leaf) -> Counter[str]:
    return _used_names(leaf.node) if leaf.unit is None else _used_in(leaf.unit)


@functools.lru_cache(maxsize=64)
def _used_in(unit: Unit) -> Counter[str]:
    """The same for a unit that is one function: both completions of an open merge have most of them."""
    ((_, leaf),) = unit.leaves
    return _used_names(leaf.node)


def _used_names(function: ast.AST) -> Counter[str]:
    """Names, attributes, parameters, keywords, naming strings of a function, and how often each stands there."""
    found: list[str] = []
    nodes: list[Any] = [function]
    for node in nodes:  # grows as it goes: level by level
        kind: type[Any] = type(node)
        own = _NAMED_BY.get(kind)
        if own is not None:
            name = getattr(node, own)
            if name is not None:
                found.append(name)
        elif kind is ast.Constant:
            if isinstance(node.value, str) and _NAMING.fullmatch(node.value):
                found.append(repr(node.value))
        elif kind is ast.alias:
            found += (node.asname or node.name).split(".")
        elif kind is ast.ImportFrom and node.module:
            found += node.module.split(".")
        for field in _below(kind):
            below = getattr(node, field, None)
            if isinstance(below, list):
                nodes += below
            elif below is not None:
                nodes.append(below)
    return Counter(found)


def _takes(function: ast.AST, name: str) -> bool:
    """Whether a function has a parameter of that name."""
    given = getattr(function, "args", None)
    return given is not None and any(
        isinstance(node, ast.arg) and node.arg == name for node in ast.walk(given)
    )


#: The field that holds what a node calls something.
_NAMED_BY: dict[type[Any], str] = {
    ast.Name: "id",
    ast.Attribute: "attr",
    ast.arg: "arg",
    ast.keyword: "arg",
}
_PLAIN_FIELDS = frozenset({"ctx", "op", "ops", "id", "attr", "arg", "type_comment", "kind"})


_below_known: dict[type[Any], tuple[str, ...]] = {}


def _below(kind: type[Any]) -> tuple[str, ...]:
    """Fields of a kind of node that may hold other nodes; none for what is no node."""
    found = _below_known.get(kind)
    if found is None:
        leaf = not issubclass(kind, ast.AST) or issubclass(kind, ast.Constant)
        found = () if leaf else tuple(n for n in kind._fields if n not in _PLAIN_FIELDS)
        _below_known[kind] = found
    return found


# -- statements twice, or back again ---------------------------------------------------------------


#: A line that is more than brackets, a comment or a bare keyword.
_SAYS = re.compile(rb"(?!\s*(?:else|try|finally|pass|return|break|continue)\s*:?\s*$)[^#]*\w")


def _lines_miscounted(leaves: _Stages) -> bool:
    """Whether a line of a side stands in the result as no side has it; statements are looked at then."""
    texts = []
    for leaf in leaves:
        source = leaf.source if leaf.unit is None else (0, leaf.unit.text)
        texts.append(b"" if source is None else source[1])
    base, ours, theirs, result = (
        Counter(line.strip() for line in text.split(b"\n")) for text in texts
    )
    return any(
        _astray(base[line], ours[line], theirs[line], result[line])
        for line in ours.keys() | theirs.keys()
        if _SAYS.match(line) is not None
    )


def _astray(base: int, ours: int, theirs: int, result: int) -> bool:
    """Whether a result has something more often than both sides, less often, or against one of them."""
    if not min(ours, theirs) <= result <= max(ours, theirs):
        return True
    return (theirs == base > ours and result > ours) or (ours == base > theirs and result > theirs)


def _statements(units: Compared, apart: set[str], *, has_base: bool) -> GateResult:
    """No function has a statement twice, not at all, or again, though neither side has it so.

    Both sides put the same statement at two places, or moved it to two; both took away one of two; one
    took away what the other moved: each edit is at its own place, so they merge, and the result says
    what nobody wrote. Functions with an answer or an open place are left ``apart``.
    """
    gate = "statement-count"
    for path, leaves in _contested(units, apart, _lines_miscounted) if has_base else ():
        wrong = _miscounted(leaves)
        if wrong:
            return GateResult(gate=gate, passed=False, detail=f"{path}: {wrong}")
    return GateResult(gate=gate, passed=True)


def _miscounted(leaves: _Stages) -> str:
    """What is wrong with the statements of a result beside base, ours and theirs; empty for nothing."""
    suites = [list(_suites(leaf.node)) for leaf in leaves]
    written = [
        [(*part, _written(leaf, part)) for suite in some for part in suite]
        for leaf, some in zip(leaves, suites, strict=True)
    ]
    often = [Counter(text for _, _, text in parts) for parts in written]
    # What stands in all of them equally often, letter by letter, changes no difference of counts.
    alike = {text for text, n in often[0].items() if all(n == other[text] for other in often[1:])}
    nodes: dict[str, ast.AST] = {}
    counts: list[Counter[str]] = []
    known: dict[tuple[str, bytes | str], str] = {}
    for parts in written:
        forms: list[tuple[str, ast.AST]] = []
        for kind, node, text in parts:
            if text not in alike:
                if text not in known:
                    known[text] = _form((kind, node))
                forms.append((known[text], node))
        nodes.update(forms)
        counts.append(Counter(form for form, _ in forms))
    base, ours, theirs, result = counts
    for form, node in nodes.items():
        o, t, r = ours[form], theirs[form], result[form]
        if not _astray(base[form], o, t, r):
            continue
        if r < min(o, t):
            return f"{_shown(node)} is lost, which both sides have"
        if r <= max(o, t):
            return f"{_shown(node)} is there, which one side took away and the other moved"
        if any([*map(_form, suite)].count(form) > 1 for suite in suites[3]):
            return f"both sides put {_shown(node)} at different places"
    return ""


_Part = tuple[str, ast.AST]


def _suites(function: ast.AST) -> Iterator[list[_Part]]:
    """The statements of each block of a function, its decorators, and what its branches ask for."""
    stack: list[ast.AST] = [function]
    chained: set[int] = set()
    while stack:
        node = stack.pop()
        for name in ("decorator_list", "body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                stack.extend(block)
                yield [("@" if name == "decorator_list" else "", part) for part in block]
        handlers = getattr(node, "handlers", ())
        stack.extend((*handlers, *getattr(node, "cases", ())))
        if handlers:
            yield [("except", handler.type) for handler in handlers if handler.type is not None]
        if isinstance(node, ast.If) and id(node) not in chained:
            tests = [node.test]
            below = node.orelse
            while len(below) == 1 and isinstance(below[0], ast.If):
                chained.add(id(below[0]))
                tests.append(below[0].test)
                below = below[0].orelse
            yield [("if", test) for test in tests]


def _form(part: _Part) -> str:
    return f"{part[0]} {form_of(part[1])}"


def _written(leaf: Leaf, part: _Part) -> tuple[str, bytes | str]:
    """What a part is and how it is written; equal only where the trees are."""
    kind, node = part
    if leaf.unit is None:
        return kind, form_of(node)
    return kind, leaf.unit.segment(node)


def _shown(node: ast.AST) -> str:
    """A statement or condition as a reader knows it: its first line."""
    try:
        text = ast.unparse(node).split("\n")[0]
    except RecursionError:
        text = type(node).__name__
    return f"'{text if len(text) <= 60 else text[:59] + '…'}'"
