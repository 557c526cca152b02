"""Checks of files that belong together: a Dockerfile's ``uv sync`` and the groups it asks for."""

from __future__ import annotations

import re
import shlex
import tomllib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupUse:
    """A dependency group or extra that a Dockerfile asks for.

    Attributes:
        kind: ``group`` or ``extra``.
        name: Its name.
        line: The line of the instruction, from 1.
    """

    kind: str
    name: str
    line: int


_OPTIONS = {
    "--group": "group",
    "--only-group": "group",
    "--no-group": "group",
    "--extra": "extra",
    "--no-extra": "extra",
}


def uv_groups(dockerfile: bytes) -> tuple[GroupUse, ...]:
    """The groups and extras that ``uv sync``, ``uv run`` or ``uv export`` calls ask for."""
    found: list[GroupUse] = []
    lines = dockerfile.decode("utf-8", "replace").split("\n")
    number = 0
    while number < len(lines):
        start = number
        text = lines[number]
        while text.rstrip().endswith("\\") and number + 1 < len(lines):
            number += 1
            following = lines[number]
            if following.lstrip().startswith("#"):
                following = ""
            text = text.rstrip()[:-1] + " " + following
            if not following:
                text += "\\"
        number += 1
        if "uv " not in text:
            continue
        words = _words(text)
        for index, word in enumerate(words):
            if word != "uv" or words[index + 1 : index + 2] not in (["sync"], ["run"], ["export"]):
                continue
            for position in range(index + 2, len(words)):
                option, equals, value = words[position].partition("=")
                if words[position] in {"&&", "||", ";", "|"}:
                    break
                if option not in _OPTIONS:
                    continue
                if not equals:
                    value = words[position + 1] if position + 1 < len(words) else ""
                if value and "$" not in value:
                    found.append(GroupUse(kind=_OPTIONS[option], name=value, line=start + 1))
    return tuple(dict.fromkeys(found))


def _words(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|()")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return text.split()


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def missing_groups(dockerfile: bytes, pyproject: bytes) -> tuple[GroupUse, ...] | None:
    """Groups and extras that the Dockerfile asks for and ``pyproject.toml`` does not declare.

    Args:
        dockerfile: Text of the Dockerfile.
        pyproject: Text of the ``pyproject.toml``.

    Returns:
        The missing ones in order, or ``None`` when the ``pyproject.toml`` is not TOML.
    """
    try:
        document = tomllib.loads(pyproject.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return None
    project = document.get("project", {})
    extras = project.get("optional-dependencies", {}) if isinstance(project, dict) else {}
    declared = {
        "group": {_normal(name) for name in document.get("dependency-groups", {})},
        "extra": {_normal(name) for name in extras},
    }
    # uv counts its old development dependencies as the group "dev".
    tool = document.get("tool", {})
    uv = tool.get("uv", {}) if isinstance(tool, dict) else {}
    if isinstance(uv, dict) and "dev-dependencies" in uv:
        declared["group"].add("dev")
    return tuple(
        use for use in uv_groups(dockerfile) if _normal(use.name) not in declared[use.kind]
    )
