"""Runs the engines on golden cases and judges what comes out; the judge shares no engine code."""

from __future__ import annotations

import ast
import importlib.util
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from tests.corpus.cases import Case

from mergewright.model.merge import Contested, FileMerge
from mergewright.model.threeway import ThreeWay

MergeFunction = Callable[[ThreeWay[bytes | None]], FileMerge]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came out for one file.

    Attributes:
        data: The text, with diff3 markers at open places; ``None`` when the file is deleted.
        open: Symbols of the open places, in order.
        method: The engine's name.
    """

    data: bytes | None
    open: tuple[str, ...]
    method: str

    @property
    def clean(self) -> bool:
        """Whether nothing is left open."""
        return not self.open


def engine_for(path: str) -> MergeFunction | None:
    """The engine that merges this path; ``None`` while it does not exist."""
    if path.endswith((".py", ".pyi", ".pyx")):
        if importlib.util.find_spec("mergewright.python.engine") is None:
            return None
        from mergewright.python.engine import merge_python

        return lambda versions: merge_python(path, versions)
    try:
        from mergewright.formats import merge_for
    except ImportError:
        return None
    special: MergeFunction | None = merge_for(path)
    if special is not None:
        return special
    if importlib.util.find_spec("mergewright.text.merge") is None:
        return None
    from mergewright.text.merge import merge_lines

    def lines(versions: ThreeWay[bytes | None]) -> FileMerge:
        return merge_lines(versions.map(lambda text: text or b""))

    return lines


def _marker(sign: bytes, label: bytes, end: bytes) -> bytes:
    return sign * 7 + (b" " + label if label else b"") + end


def render(merge: FileMerge) -> bytes:
    """The text with plain diff3 markers (labels ``ours``, ``base``, ``theirs``)."""
    out: list[bytes] = []
    for piece in merge.pieces:
        if not isinstance(piece, Contested):
            out.append(piece)
            continue
        end = b"\r\n" if b"\r\n" in b"".join(piece.versions) else b"\n"
        out.append(_marker(b"<", b"ours", end))
        for text, sign, label in (
            (piece.versions.ours, b"|", b"base"),
            (piece.versions.base, b"=", b""),
            (piece.versions.theirs, b">", b"theirs"),
        ):
            out.append(text if not text or text.endswith(b"\n") else text + end)
            out.append(_marker(sign, label, end))
    return b"".join(out)


def run_file(case: Case, versions: ThreeWay[bytes | None] | None = None) -> Result | None:
    """Merge a case's three texts; ``None`` while no engine for the path exists."""
    engine = engine_for(case.path)
    if engine is None:
        return None
    merge = engine(case.versions if versions is None else versions)
    opened = tuple(place.symbol for place in merge.contested)
    return Result(data=render(merge), open=opened, method=merge.method)


def tree_of(data: bytes) -> str | None:
    """The syntax tree without positions; ``None`` when it does not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.dump(ast.parse(data))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def sides_of_markers(data: bytes) -> ThreeWay[bytes] | None:
    """The three texts that a file with diff3 markers stands for; ``None`` when unbalanced."""
    order = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")
    texts: dict[str, list[bytes]] = {"base": [], "ours": [], "theirs": []}
    state = 0
    for line in data.splitlines(keepends=True):
        if re.match(rb"(<{7}|\|{7}|={7}|>{7})( |\r?\n|$)", line):
            sign = line[:7]
            if sign == order[state]:
                state = (state + 1) % 4
                continue
            if sign in (order[0], order[3]):
                return None
        for name in (
            ("base", "ours", "theirs") if state == 0 else (("ours", "base", "theirs")[state - 1],)
        ):
            texts[name].append(line)
    if state != 0:
        return None
    return ThreeWay(**{name: b"".join(lines) for name, lines in texts.items()})


def _same_conflict(data: bytes | None, ideal: bytes | None) -> bool:
    """Whether two texts with markers leave the same open, not cut larger than the ideal.

    Where blank lines stand, inside or outside of a place, makes no difference.
    """
    if data is None or ideal is None:
        return False
    got, wanted = sides_of_markers(data), sides_of_markers(ideal)
    if got is None or wanted is None:
        return False

    def solid(text: bytes) -> list[bytes]:
        return [line.rstrip() for line in text.split(b"\n") if line.strip()]

    same = all(solid(a) == solid(b) for a, b in zip(got, wanted, strict=True))
    return same and len(solid(data)) <= len(solid(ideal))


Judgement = Literal["right", "open", "wrong", "layout", "other-conflict"]


def judge(case: Case, result: Result, ideal: bytes | None) -> Judgement:
    """How a result stands to the right one.

    ``open``: left open though it can be settled. ``wrong``: settled, and it says something else.
    ``layout``: settled, the same syntax tree, other text. ``other-conflict``: rightly left open,
    with other places or other text around them.
    """
    if case.about.outcome == "conflict":
        if result.clean:
            return "wrong"
        named = sorted(result.open) == sorted(case.about.open)
        return "right" if named and _same_conflict(result.data, ideal) else "other-conflict"
    if result.data == ideal:
        return "right"
    if not result.clean:
        return "open"
    if case.path.endswith((".py", ".pyi")) and result.data is not None and ideal is not None:
        ours = tree_of(result.data)
        if ours is not None and ours == tree_of(ideal):
            return "layout"
    return "wrong"
