"""Version pins that both sides moved: the one that went further, when both went the same way."""

from __future__ import annotations

import re

from packaging.version import InvalidVersion, Version

from mergewright.model.threeway import Side, ThreeWay

#: A version with a dot, or a tag such as ``@v4``.
_VERSION = re.compile(
    r"(?<![\w.])v?\d+(?:\.\d+)+(?:[-.+]?(?:a|b|c|rc|alpha|beta|post|dev)[-.]?\d*)*"
    r"|(?<=@)v\d+(?![\w.])"
)
#: A commit of which the same line says the version: ``@<commit> # v1.2.3``.
_COMMIT = re.compile(r"(?<=@)[0-9a-f]{40}\b(?=[^\n]*#[^\n]*" + _VERSION.pattern + ")")


def _split(text: str) -> tuple[list[str], list[Version]] | None:
    """The text between the versions, and the versions; a commit goes with the version it names."""
    text = _COMMIT.sub("", text)
    rest: list[str] = []
    found: list[Version] = []
    position = 0
    for match in _VERSION.finditer(text):
        try:
            found.append(Version(match.group()))
        except InvalidVersion:
            return None
        rest.append(text[position : match.start()])
        position = match.end()
    rest.append(text[position:])
    return rest, found


def larger(versions: ThreeWay[bytes | None]) -> tuple[Side, str] | None:
    """The side whose versions went further, and the reason; ``None`` when that is not proved.

    The three texts must be equal but for their version numbers; every number that both sides
    changed must have moved in the same direction, and one side must be ahead in all of them.

    Args:
        versions: The texts of a contested place.
    """
    if versions.base is None or versions.ours is None or versions.theirs is None:
        return None
    try:
        texts = [text.decode() for text in versions if text is not None]
    except UnicodeDecodeError:
        return None
    parts = [_split(text) for text in texts]
    base, ours, theirs = parts
    if base is None or ours is None or theirs is None or not base[1]:
        return None
    if not base[0] == ours[0] == theirs[0]:
        return None
    ahead: set[Side] = set()
    moved: list[str] = []
    for old, left, right in zip(base[1], ours[1], theirs[1], strict=True):
        if left == right:
            continue
        if old in (left, right):
            # One side alone moved this one; the other side's text would take it back.
            ahead.add(Side.OURS if right == old else Side.THEIRS)
            moved.append(f"{old} to {left if right == old else right} on one side")
            continue
        if (left > old) != (right > old):
            return None
        further = left > right if left > old else left < right
        ahead.add(Side.OURS if further else Side.THEIRS)
        moved.append(f"{old} to {left} (ours) and {right} (theirs)")
    if len(ahead) != 1:
        return None
    return ahead.pop(), f"both moved the version the same way: {', '.join(moved)}"
