"""Methods and parameters that are called under the name of the other parent: how calls go over."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from mergewright.audit.edits import declaration, parse_text
from mergewright.audit.index import Found, Index
from mergewright.audit.source import CallChange, Fact, Function, Parameter, function_tokens

#: Bodies less alike than this prove no rename.
LIKENESS = 0.6

#: More parameters that stay are counted, not named.
_KEPT_LIMIT = 14


@dataclass(frozen=True, slots=True)
class Renamed:
    """The same method under another name.

    Attributes:
        name: The name in the merged class.
        proof: Why it is the same.
        mapping: How the arguments go over, in words; empty when they cannot be mapped for sure.
        change: The same for a rewriter; ``None`` when one of the two takes any arguments.
        bound_alike: Whether both are called on the same thing: an instance, a class, or neither.
    """

    name: str
    proof: str
    mapping: str
    change: CallChange | None
    bound_alike: bool


def find_rename(indexes: Mapping[str, Index], short: str, missing: str, had: str) -> Renamed | None:
    """The merged class's method that does what the missing one did.

    Args:
        indexes: Indexes of ``base``, ``ours``, ``theirs`` and ``merged``.
        short: Name of the class.
        missing: Name of the missing method.
        had: The parent that has it, ``ours`` or ``theirs``.

    Returns:
        The only candidate that is proved, else ``None``.
    """
    if had not in {"ours", "theirs"}:
        return None
    old = _method(indexes[had], short, missing)
    if old is None:
        return None
    old_index, old_found, old_function = old
    old_tokens = _tokens(old_index, old_found)
    merged = indexes["merged"]
    scored: list[tuple[float, str, Function, str]] = []
    for owner in merged.classes_named(short):
        for holder, cls in merged.lineage(owner):
            source = merged.source(holder.path)
            if source is None:
                continue
            for name in cls.members:
                function = source.functions.get(f"{holder.name}.{name}")
                if function is None or name.startswith("__"):
                    continue
                if _method(indexes[had], short, name) is not None:
                    # The parent that called the missing one has this one as well.
                    continue
                tokens = _tokens(merged, Found(holder.path, f"{holder.name}.{name}"))
                body = SequenceMatcher(None, old_tokens, tokens, autojunk=False).ratio()
                words = _words_alike(missing, name)
                if len(old_tokens) < 6:
                    # Too short to prove anything by its body alone.
                    body = min(body, 0.7) if words >= 0.5 else 0.0
                if body >= LIKENESS and words > 0.3:
                    proof = f"its body is {body:.0%} the same"
                    scored.append((body + words / 4, name, function, proof))
    scored.sort(key=lambda item: -item[0])
    if not scored or (len(scored) > 1 and scored[0][0] - scored[1][0] < 0.1):
        return None
    _, name, function, proof = scored[0]
    mapping = map_arguments(old_function, function)
    alike = _binding(old_function) == _binding(function)
    return Renamed(name, proof, mapping, call_change(old_function, function), alike)


def _binding(function: Function) -> str:
    for decorator in function.decorators:
        kind = decorator.rsplit(".", 1)[-1]
        if kind in {"staticmethod", "classmethod", "property"}:
            return kind
    return "instance"


def _method(index: Index, short: str, name: str) -> tuple[Index, Found, Function] | None:
    for owner in index.classes_named(short):
        holder = index.class_has(owner, name)
        if holder is None:
            continue
        found = Found(holder.path, f"{holder.name}.{name}")
        source = index.source(holder.path)
        function = source.functions.get(found.name) if source is not None else None
        if function is not None:
            return index, found, function
    return None


def _tokens(index: Index, found: Found) -> tuple[str, ...]:
    data = index.tree.data(found.path)
    return function_tokens(data, found.name) if data is not None else ()


def _words_alike(one: str, other: str) -> float:
    """Likeness of two names by their words and letters."""
    words = set(one.split("_")) & set(other.split("_")) - {""}
    share = len(words) / max(len(set(one.split("_"))), len(set(other.split("_"))))
    return max(share, SequenceMatcher(None, one, other).ratio())


def _usable(function: Function) -> tuple[Parameter, ...]:
    return function.params[1:] if function.bound and function.params[:1] else function.params


def map_arguments(old: Function, new: Function, change: CallChange | None = None) -> str:
    """How a call of ``old`` becomes a call of ``new``, where that is certain.

    Certain are parameters of one name; a parameter that only ``old`` has is dropped and said so;
    a required one that only ``new`` has must be given by hand and is said so.
    """
    before, after = _usable(old), _usable(new)
    renames = dict(change.renames) if change is not None else {}
    names = {p.name for p in before} | set(renames.values())
    heirs = set(renames.values())
    kept = [
        p.name
        for p in after
        if p.name in names and p.name not in heirs and p.kind not in {"args", "kwargs"}
    ]
    dropped = [
        p.name
        for p in before
        if p.name not in {q.name for q in after} | set(renames) and p.kind not in {"args", "kwargs"}
    ]
    missing = [p.name for p in after if p.name not in names and p.required]
    optional = [
        p.name
        for p in after
        if p.name not in names and not p.required and p.kind not in {"args", "kwargs"}
    ]
    if any(p.kind in {"args", "kwargs"} for p in (*before, *after)):
        return ""
    few = len(kept) <= _KEPT_LIMIT
    parts = [f"keep {', '.join(kept) if few else f'the other {len(kept)}'}"] if kept else []
    parts += [f"give {new} for {old}" for old, new in sorted(renames.items())]
    parts += [f"drop {', '.join(dropped)}"] if dropped else []
    parts += [f"give {', '.join(missing)}"] if missing else []
    parts += [f"may give {', '.join(optional)}"] if optional else []
    return "; ".join(parts)


def call_change(old: Function, new: Function) -> CallChange | None:
    """How calls of ``old`` become calls of ``new``; ``None`` when one of them takes any arguments.

    What only ``old`` has goes only where ``new`` has nothing else that it may have become.
    """
    before, after = _usable(old), _usable(new)
    if any(p.kind in {"args", "kwargs"} for p in (*before, *after)):
        return None
    known = frozenset(p.name for p in before)
    return CallChange(
        before=tuple(p.name for p in before if p.kind in {"positional", "both"}),
        after=tuple(p.name for p in after if p.kind in {"positional", "both"}),
        names=frozenset(p.name for p in after if p.kind != "positional"),
        required=frozenset(p.name for p in after if p.required),
        known=known,
        removable=known if known.issuperset(p.name for p in after) else frozenset(),
    )


@dataclass(frozen=True, slots=True)
class Callee:
    """A function that a call does not fit.

    Attributes:
        short: The name that calls use.
        found: Where it is defined in the merged tree.
        old: The face that the call is written for.
        new: The face in the merged tree, which is that of the side ``kept``.
        base: The face in the merge base; ``None`` when it was not there.
        kept: The side whose face was kept, ``ours`` or ``theirs``.
    """

    short: str
    found: Found
    old: Function
    new: Function
    base: Function | None
    kept: str


def face_change(
    indexes: Mapping[str, Index], callee: Callee, given: Collection[str] | None = None
) -> CallChange | None:
    """How calls for one parent's face of a function become calls for the other's, where proved.

    A parameter that the base had and the kept side has no more was renamed, when its body or its
    callers go on with another one at its place, or was removed, when nothing came in its place and no
    parameter of the new face is unexplained: that one may be what the value is for. What the other
    parent added is neither: its feature would go with it.

    Args:
        indexes: Indexes of ``base``, ``ours``, ``theirs`` and ``merged``.
        callee: The function.
        given: The parameters that matter; ``None`` for all.
    """
    change = call_change(callee.old, callee.new)
    if change is None or callee.base is None:
        return None
    base = {p.name for p in _usable(callee.base)}
    new = {p.name for p in _usable(callee.new)}
    renames: dict[str, str] = {}
    gone: set[str] = set()
    for name in sorted((change.known & base) - new):
        heirs = _heirs(callee.base, callee.new, name)
        heirs = [heir for heir in heirs if _declared_alike(indexes, callee, name, heir)] or heirs
        proved = [heir for heir in heirs if _goes_on(indexes, callee, name, heir)]
        if len(proved) == 1:
            renames[name] = proved[0]
        elif not heirs:
            gone.add(name)
    heirs_of_all = set(renames.values())
    if len(heirs_of_all) < len(renames):
        return None
    if new - base - change.known - heirs_of_all:
        gone.clear()
    wanted = renames.keys() | gone if given is None else set(given)
    return change._replace(
        removable=frozenset(gone & wanted),
        renames=tuple(item for item in renames.items() if item[0] in wanted),
    )


def _heirs(base: Function, new: Function, name: str) -> list[str]:
    """Parameters that are new and stand where a parameter of the base stood, with a default or without."""
    before, after = _usable(base), _usable(new)
    common = {p.name for p in before} & {p.name for p in after}
    old = next(p for p in before if p.name == name)
    place = _neighbours([p.name for p in before], name, common)
    return [
        p.name
        for p in after
        if p.name not in {q.name for q in before}
        and p.kind == old.kind
        and _neighbours([q.name for q in after], p.name, common) == place
    ]


def _neighbours(names: list[str], name: str, common: set[str]) -> tuple[str, str]:
    at = names.index(name)
    above = [n for n in names[:at] if n in common]
    below = [n for n in names[at + 1 :] if n in common]
    return (above[-1] if above else "", below[0] if below else "")


def _goes_on(indexes: Mapping[str, Index], callee: Callee, old: str, new: str) -> bool:
    """Whether a parameter goes on under a new name: in the body, or in the calls by name."""
    name = callee.found.name
    before = _tokens(indexes["base"], callee.found)
    after = _tokens(indexes[callee.kept], callee.found)
    if name in _functions(indexes["base"], callee.found) and before.count(old):
        turned = tuple(new if token == old else token for token in before)
        return (
            old not in after
            and after.count(new) >= turned.count(new) > 0
            and SequenceMatcher(None, turned, after, autojunk=False).ratio() >= LIKENESS
        )
    if _callers_went_over(indexes, callee, old, new):
        return True
    fields = callee.found.name not in _functions(indexes[callee.kept], callee.found)
    return fields and _readers_went_over(indexes, callee, old, new)


def _declared_alike(indexes: Mapping[str, Index], callee: Callee, old: str, new: str) -> bool:
    """Whether two parameters, or fields, have the same annotation and default."""
    shown = []
    for name, word in (("base", old), (callee.kept, new)):
        text = parse_text(indexes[name].tree.data(callee.found.path))
        shown.append(None if text is None else declaration(text, callee.found.name, word))
    return shown[0] is not None and shown[0] == shown[1]


def _readers_went_over(indexes: Mapping[str, Index], callee: Callee, old: str, new: str) -> bool:
    """Whether other files that read a field in the base read another one instead, all but a few.

    Those few may keep the old name of a command-line argument, say, as an alias.
    """
    base, kept = indexes["base"], indexes[callee.kept]
    over = stayed = 0
    for path in base.readers(old):
        before, after = base.source(path), kept.source(path)
        if path == callee.found.path or before is None or after is None or old not in before.used:
            continue
        if old in after.used:
            stayed += 1
        elif new in after.used and new not in before.used:
            over += 1
    return over >= 2 and over > 2 * stayed


def _functions(index: Index, found: Found) -> Mapping[str, Function]:
    source = index.source(found.path)
    return {} if source is None else source.functions


def _callers_went_over(indexes: Mapping[str, Index], callee: Callee, old: str, new: str) -> bool:
    """Whether calls that gave the old name in the base give the new one now, and none the old one."""
    kept, base = indexes[callee.kept], indexes["base"]
    over = 0
    for path in base.readers(callee.short):
        if old.encode() not in (base.tree.data(path) or b""):
            continue
        before, after = base.source(path), kept.source(path)
        if before is None:
            continue
        gave = {f.owner for f in before.facts if _gives(f, callee.short, old)}
        if not gave:
            continue
        if after is None or any(_gives(f, callee.short, old) for f in after.facts):
            return False
        over += len(gave & {f.owner for f in after.facts if _gives(f, callee.short, new)})
    return over > 0


def _gives(fact: Fact, short: str, name: str) -> bool:
    if fact.kind != "kwarg":
        return False
    callee, _, argument = fact.name.rpartition("(")
    return argument == f"{name}=)" and callee.rsplit(".", 1)[-1] == short
