"""A method that is called under the name of the other parent: its new name, and how arguments map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher

from mergewright.audit.index import Found, Index
from mergewright.audit.source import CallChange, Function, Parameter, function_tokens

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


def map_arguments(old: Function, new: Function) -> str:
    """How a call of ``old`` becomes a call of ``new``, where that is certain.

    Certain are parameters of one name; a parameter that only ``old`` has is dropped and said so;
    a required one that only ``new`` has must be given by hand and is said so.
    """
    before, after = _usable(old), _usable(new)
    names = {p.name for p in before}
    kept = [p.name for p in after if p.name in names and p.kind not in {"args", "kwargs"}]
    dropped = [
        p.name
        for p in before
        if p.name not in {q.name for q in after} and p.kind not in {"args", "kwargs"}
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
    parts += [f"drop {', '.join(dropped)}"] if dropped else []
    parts += [f"give {', '.join(missing)}"] if missing else []
    parts += [f"may give {', '.join(optional)}"] if optional else []
    return "; ".join(parts)


def call_change(old: Function, new: Function) -> CallChange | None:
    """How calls of ``old`` become calls of ``new``; ``None`` when one of them takes any arguments."""
    before, after = _usable(old), _usable(new)
    if any(p.kind in {"args", "kwargs"} for p in (*before, *after)):
        return None
    return CallChange(
        before=tuple(p.name for p in before if p.kind in {"positional", "both"}),
        after=tuple(p.name for p in after if p.kind in {"positional", "both"}),
        names=frozenset(p.name for p in after if p.kind != "positional"),
        required=frozenset(p.name for p in after if p.required),
    )
