"""Symbols that a rule wants in the result as one side has them, or not at all."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mergewright.python.outline import Outline, Symbol, outline
from mergewright.rules.patterns import matches
from mergewright.rules.schema import SymbolRule
from mergewright.rules.syntax import Splice, apply, joined
from mergewright.rules.words import Action
from mergewright.text.lines import UTF8_BOM


@dataclass(frozen=True, slots=True, kw_only=True)
class Enforced:
    """What became of one file.

    Attributes:
        data: The new text.
        changed: One sentence a symbol that was changed.
        refused: One sentence a symbol that could not be.
        edits: The splice of each symbol with its sentence; empty when it is so already.
    """

    data: bytes
    changed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    edits: tuple[tuple[Splice, str], ...] = ()


def _outermost(book: Outline, rule: SymbolRule) -> list[Symbol]:
    """The matching symbols that lie in no other matching one, in file order."""
    found: list[Symbol] = []
    for name, symbol in book.symbols.items():
        if rule.match.symbol is None or not matches(rule.match.symbol, name, "."):
            continue
        if found and symbol.start < found[-1].end:
            continue
        found.append(symbol)
    return found


def enforce(
    merged: bytes, ours: bytes | None, theirs: bytes | None, rule: SymbolRule
) -> Enforced | None:
    """Make the named symbols of a merged text as the rule wants them.

    ``keep-ours`` puts ours' text where the symbol differs (layout apart) or is missing,
    ``keep-theirs`` theirs'; ``drop`` takes out what ours does not have.

    Args:
        merged: The merged text.
        ours: Ours' text, if it has the file.
        theirs: Theirs' text, if it has the file.
        rule: The rule.

    Returns:
        The result, or ``None`` when a text cannot be read by symbols.
    """
    bom = UTF8_BOM if merged.startswith(UTF8_BOM) else b""
    crlf = b"\r\n" in merged

    def plain(text: bytes) -> bytes:
        return text.removeprefix(UTF8_BOM).replace(b"\r\n", b"\n")

    text = plain(merged)
    if b"\r" in text:
        return None
    source = theirs if rule.action is Action.KEEP_THEIRS else ours
    result = outline(text)
    if rule.action is Action.DROP:
        done = _drop(result, outline(plain(ours)) if ours is not None else None, rule)
    elif source is None:
        return Enforced(data=merged)
    else:
        done = _keep(result, outline(plain(source)), rule)
    if not done.changed:
        return replace(done, data=merged)
    data = done.data.replace(b"\n", b"\r\n") if crlf else done.data
    return replace(done, data=bom + data)


def _drop(result: Outline, ours: Outline | None, rule: SymbolRule) -> Enforced:
    kept = frozenset() if ours is None else ours.symbols.keys()
    splices: list[Splice] = []
    changed: list[str] = []
    for symbol in _outermost(result, rule):
        if symbol.path in kept:
            continue
        splices.append(Splice(symbol.lead_start, symbol.end, b""))
        changed.append(f"{symbol.path} taken out: ours does not have it")
    return Enforced(
        data=apply(result.data, splices),
        changed=tuple(changed),
        edits=tuple(zip(splices, changed, strict=True)),
    )


def _keep(result: Outline, source: Outline, rule: SymbolRule) -> Enforced:
    side = "theirs" if rule.action is Action.KEEP_THEIRS else "ours"
    splices: list[Splice] = []
    changed: list[str] = []
    refused: list[str] = []
    edits: list[tuple[Splice, str]] = []
    for wanted in _outermost(source, rule):
        present = result.symbols.get(wanted.path)
        text = source.data[wanted.start : wanted.end]
        if present is not None:
            splice = Splice(present.start, present.end, text)
            if present.fingerprint == wanted.fingerprint:
                edits.append((splice, ""))
                continue
            splices.append(splice)
            changed.append(f"{wanted.path} is {side}' again: the merge had changed it")
            edits.append((splice, changed[-1]))
            continue
        at = _place(result, source, wanted)
        if at is None:
            refused.append(f"{wanted.path} of {side} is missing and its place is not known")
            continue
        splices.append(Splice(at, at, source.data[wanted.lead_start : wanted.end]))
        changed.append(f"{wanted.path} of {side} put back: the merge had lost it")
        edits.append((splices[-1], changed[-1]))
    try:
        data = apply(result.data, joined(splices))
    except ValueError:
        return Enforced(data=result.data, refused=("the symbols to keep stand inside each other",))
    return Enforced(data=data, changed=tuple(changed), refused=tuple(refused), edits=tuple(edits))


def _scope(path: str) -> str:
    return path.rpartition(".")[0]


def _place(result: Outline, source: Outline, wanted: Symbol) -> int | None:
    """Where a missing symbol goes: behind its nearest earlier sibling, else before the next."""
    scope = _scope(wanted.path)
    siblings = [s for s in source.symbols.values() if _scope(s.path) == scope]
    index = next(i for i, s in enumerate(siblings) if s.path == wanted.path)
    for earlier in reversed(siblings[:index]):
        found = result.symbols.get(earlier.path)
        if found is not None:
            return found.end
    for later in siblings[index + 1 :]:
        found = result.symbols.get(later.path)
        if found is not None:
            return found.lead_start
    return None
