r"""Text around the structure: byte order mark, line ends, final newline, and whole-line pieces.

Engines work on text with ``\n`` and a final newline. What a version had instead is remembered,
merged like any other property (one side changed it: that side's) and put back, so that every byte
outside the change is a side's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mergewright.model.merge import Contested, FileMerge, Piece
from mergewright.model.resolution import Decision
from mergewright.model.threeway import Side, ThreeWay, settle

_BOM = "\ufeff"


class UnmergeableError(Exception):
    """The engine of a format cannot be sure of these texts; the merge falls back to lines.

    Never leaves the package: :func:`mergewright.formats.merge_for` turns it into a note.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """A contested place inside the engine: text of each version, not yet whole lines."""

    symbol: str
    kind: str
    versions: ThreeWay[str]
    reason: str


Fragment = str | Open


@dataclass(slots=True)
class Merged:
    """What an engine hands back: fragments in file order and what it decided."""

    fragments: list[Fragment]
    decisions: list[Decision] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Normal:
    r"""A text in the form the engines work on, and what was set aside for it.

    Attributes:
        text: The text with ``\n`` line ends and, unless empty, a final newline.
        bom: Whether it began with a byte order mark.
        crlf: Whether its lines end in ``\r\n``; ``None`` when it has no line end.
        final: Whether its last line was ended.
    """

    text: str
    bom: bool
    crlf: bool | None
    final: bool


def normalise(data: bytes) -> Normal:
    """Decode one version.

    Raises:
        UnmergeableError: Not UTF-8, mixed line ends, a bare carriage return, a NUL, or marker lines
            of an unfinished merge.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnmergeableError("a version is not UTF-8") from error
    bom = text.startswith(_BOM)
    text = text.removeprefix(_BOM)
    if "\0" in text:
        raise UnmergeableError("a version holds a NUL")
    returns, ends = text.count("\r"), text.count("\n")
    crlf: bool | None = None
    if returns:
        if returns != ends or text.count("\r\n") != ends:
            raise UnmergeableError("a version mixes line ends")
        crlf = True
        text = text.replace("\r\n", "\n")
    elif ends:
        crlf = False
    lines = text.split("\n")
    if any(line.startswith("<<<<<<< ") for line in lines) and any(
        line.startswith(">>>>>>> ") for line in lines
    ):
        raise UnmergeableError("a version holds conflict markers")
    final = not text or text.endswith("\n")
    return Normal(text=text if final else text + "\n", bom=bom, crlf=crlf, final=final)


def merge_documents(
    versions: ThreeWay[bytes | None],
    merge: Callable[[ThreeWay[str | None]], Merged],
    method: str,
) -> FileMerge:
    """Run an engine on normalised texts and give back whole-line pieces in the sides' own bytes.

    Args:
        versions: The three texts; base is ``None`` where both sides added the path.
        merge: The engine; base is ``None`` as above, the sides are never ``None``.
        method: The engine's name, for :attr:`FileMerge.method`.

    Raises:
        UnmergeableError: The texts are not fit for an engine, or the engine gave up.
    """
    normal = versions.map(lambda data: None if data is None else normalise(data))
    ours, theirs = normal.ours, normal.theirs
    if ours is None or theirs is None:
        raise UnmergeableError("a side does not have the file")
    merged = merge(normal.map(lambda version: None if version is None else version.text))
    base = normal.base or ours
    bom = _flag(ThreeWay(base=base.bom, ours=ours.bom, theirs=theirs.bom))
    final = _flag(ThreeWay(base=base.final, ours=ours.final, theirs=theirs.final))
    crlf = _flag(ThreeWay(base=bool(base.crlf), ours=bool(ours.crlf), theirs=bool(theirs.crlf)))
    if ours.crlf is None or theirs.crlf is None:
        crlf = bool(ours.crlf or theirs.crlf)
    pieces = whole_lines(merged.fragments)
    if not final and pieces and isinstance(pieces[-1], str):
        pieces[-1] = pieces[-1].removesuffix("\n")
    if bom:
        if pieces and isinstance(pieces[0], str):
            pieces[0] = _BOM + pieces[0]
        else:
            pieces.insert(0, _BOM)

    def encode(text: str) -> bytes:
        return (text.replace("\n", "\r\n") if crlf else text).encode("utf-8")

    out: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, str):
            if piece:
                out.append(encode(piece))
        else:
            out.append(
                Contested(
                    symbol=piece.symbol,
                    kind=piece.kind,
                    versions=piece.versions.map(encode),
                    reason=piece.reason,
                )
            )
    return FileMerge(
        pieces=tuple(out),
        decisions=tuple(merged.decisions),
        method=method,
        notes=tuple(merged.notes),
    )


def _flag(versions: ThreeWay[bool]) -> bool:
    # Of two values, one side always equals base or the other side: it is always settled.
    return versions.get(settle(versions) or Side.OURS)


def whole_lines(fragments: Iterable[Fragment]) -> list[Fragment]:
    """Join fragments so that each contested place begins and ends at a line's edge.

    Settled text on the line of a contested place becomes part of all its versions; two contested
    places on one line become one. Contested places whose versions agree become settled text.
    """
    out: list[Fragment] = []
    for fragment in _slid(list(fragments)):
        if isinstance(fragment, str):
            if not fragment:
                continue
            if not out:
                out.append(fragment)
                continue
            last = out[-1]
            if isinstance(last, str):
                out[-1] = last + fragment
            elif _ended(last):
                out.append(fragment)
            else:
                head, newline, rest = fragment.partition("\n")
                out[-1] = _joined(last, head + newline)
                if rest:
                    out.append(rest)
            continue
        if out and isinstance(out[-1], str) and not out[-1].endswith("\n"):
            text, newline, head = out.pop().rpartition("\n")  # type: ignore[union-attr]
            if newline:
                out.append(text + newline)
            fragment = Open(
                symbol=fragment.symbol,
                kind=fragment.kind,
                versions=fragment.versions.map(lambda part, head=head: head + part),  # type: ignore[misc]
                reason=fragment.reason,
            )
        if out and isinstance(out[-1], Open) and not _ended(out[-1]):
            out[-1] = _joined(out[-1], fragment)
        else:
            out.append(fragment)
    return _settled(out)


def _slid(fragments: list[Fragment]) -> list[Fragment]:
    """Move places that begin with a line end behind it, where the text behind begins with one too.

    In bracketed formats an element's text begins with the line end before it; moved by one
    character, the place is the element's own lines and leaves the line before it alone.
    """
    out: list[Fragment] = []
    for index, fragment in enumerate(fragments):
        following = fragments[index + 1] if index + 1 < len(fragments) else ""
        if (
            isinstance(fragment, Open)
            and isinstance(following, str)
            and following.startswith("\n")
            and any(fragment.versions)
            and all(not text or text.startswith("\n") for text in fragment.versions)
        ):
            fragments[index + 1] = following[1:]
            out.append("\n")
            fragment = Open(
                symbol=fragment.symbol,
                kind=fragment.kind,
                versions=fragment.versions.map(lambda text: text[1:] + "\n" if text else ""),
                reason=fragment.reason,
            )
        out.append(fragment)
    return out


def _settled(fragments: list[Fragment]) -> list[Fragment]:
    """Make places whose sides agree settled text, and join neighbouring texts."""
    out: list[Fragment] = []
    for fragment in fragments:
        if isinstance(fragment, Open) and fragment.versions.ours == fragment.versions.theirs:
            fragment = fragment.versions.ours
        if isinstance(fragment, str) and out and isinstance(out[-1], str):
            out[-1] += fragment
        elif fragment:
            out.append(fragment)
    return out


def _ended(place: Open) -> bool:
    return all(not text or text.endswith("\n") for text in place.versions)


def _joined(place: Open, more: Fragment) -> Open:
    if isinstance(more, str):
        return Open(
            symbol=place.symbol,
            kind=place.kind,
            versions=place.versions.map(lambda text: text + more),
            reason=place.reason,
        )
    return Open(
        symbol=_together(place.symbol, more.symbol, ", "),
        kind=_together(place.kind, more.kind, "")
        if not (place.kind and more.kind)
        else (place.kind if place.kind == more.kind else "both-changed"),
        versions=ThreeWay(
            base=place.versions.base + more.versions.base,
            ours=place.versions.ours + more.versions.ours,
            theirs=place.versions.theirs + more.versions.theirs,
        ),
        reason=_together(place.reason, more.reason, "; "),
    )


def _together(one: str, two: str, joint: str) -> str:
    """Both words, once where they are equal or one is empty."""
    return f"{one}{joint}{two}" if one and two and one != two else one or two
