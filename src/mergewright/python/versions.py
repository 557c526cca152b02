"""Version assignments that both sides changed: the larger one, by the packaging rules (PEP 440)."""

from __future__ import annotations

import ast
import re

from packaging.version import InvalidVersion, Version

from mergewright.model.threeway import Side, ThreeWay

_NAME = re.compile(
    r"(?i)\A(?:[\w.\[\]'\"]*[\b_.])?_*"
    r"(?:version(?:_?(?:info|tuple|str|string|code))?|release|build|hexversion)_*\Z"
)
# Plain numbers are versions only where they encode a release (``__build__ = 0x020901``): two branches
# that each raised a schema number need a person.
_BUILD = re.compile(r"(?i)\A_*(?:build|hexversion)_*\Z")
# The mark of a development tree ("3.1.2+"): some projects write it behind the last release, some before
# the next, so it orders nothing against the same number without it.
_DEVELOPED_ON = re.compile(r"\A[^+\s]*\d[^+\s]*\+\Z")
# Version objects written out: the class, the package's name, numbers, and what stage the release is.
_STAGES = {"release_candidate": "rc", "prerelease": "rc", "post": ".post", "dev": ".dev"}
# What a development head calls itself: larger than any release.
_HEADS = frozenset({"trunk", "dev", "devel", "develop", "master", "main", "head", "unreleased"})


def larger_version(texts: ThreeWay[bytes], symbol: str) -> tuple[Side, str] | None:
    """The side with the larger version when both moved it forward.

    Args:
        texts: The three assignments.
        symbol: Dotted path of what is assigned.

    Returns:
        The side and the proof, or ``None`` when this is no version, a side moved it backwards, or
        the two are equal.
    """
    name = symbol.rsplit(".", 1)[-1]
    if not _NAME.match(name):
        return None
    try:
        base, ours, theirs = texts.map(lambda text: _version(text, name))
    except (InvalidVersion, SyntaxError, ValueError, TypeError):
        return None
    if not all(
        side[:2] > base[:2] or (side[:2] == base[:2] and side[2] is not base[2])
        for side in (ours, theirs)
    ):
        return None
    if ours[:2] == theirs[:2]:
        return None
    side = Side.OURS if ours[:2] > theirs[:2] else Side.THEIRS
    shown = texts.map(lambda text: text.decode("utf-8", "replace").split("=", 1)[-1].strip())
    return (
        side,
        f"both sides raised {name} from {shown.base}: {shown.ours} (ours), {shown.theirs} (theirs)",
    )


def _version(text: bytes, name: str) -> tuple[int, Version, bool]:
    """What orders versions (development heads behind all releases, then PEP 440), and its closing ``+``."""
    tree = ast.parse(text.decode("utf-8").strip())
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Assign | ast.AnnAssign):
        raise ValueError("not one assignment")
    value = tree.body[0].value
    if value is None:
        raise ValueError("no value")
    if isinstance(value, ast.Call):
        return 0, Version(_call_text(value)), False
    literal = ast.literal_eval(value)
    if isinstance(literal, str):
        if literal.lower() in _HEADS:
            return 1, Version("0"), False
        if _DEVELOPED_ON.match(literal):
            return 0, Version(literal[:-1]), True
        return 0, Version(literal), False
    if isinstance(literal, tuple | list) and literal:
        return 0, Version(_tuple_text(literal)), False
    if isinstance(literal, int) and literal > 0 and _BUILD.search(name):
        return 0, Version(str(literal)), False  # a build number, as in __build__ = 0x020901
    raise ValueError("no version")


def _call_text(call: ast.Call) -> str:
    """``Version("package", 19, 7, 0, dev=0)`` as PEP 440 text."""
    if not (isinstance(call.func, ast.Name) and call.func.id == "Version" and len(call.args) == 4):
        raise ValueError("no version object")
    package, *numbers = [ast.literal_eval(argument) for argument in call.args]
    if not isinstance(package, str) or not all(type(n) is int for n in numbers):
        raise ValueError("no version object")
    text = ".".join(map(str, numbers))
    for keyword in call.keywords:
        if keyword.arg not in _STAGES:
            raise ValueError("an unknown stage of a release")
        stage = ast.literal_eval(keyword.value)
        if type(stage) is not int:
            raise ValueError("a stage without number")
        text += f"{_STAGES[keyword.arg]}{stage}"
    return text


def _tuple_text(parts: tuple[object, ...] | list[object]) -> str:
    """``(1, 2, 0, "final", 0)`` and its like as PEP 440 text."""
    numbers = []
    rest = list(parts)
    while rest and isinstance(rest[0], int) and not isinstance(rest[0], bool):
        numbers.append(str(rest.pop(0)))
    text = ".".join(numbers)
    words = [str(part) for part in rest]
    if words and words[0] in {"final", ""}:
        words = []
    joined = "".join(words)
    return text + joined
