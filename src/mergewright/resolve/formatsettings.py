"""How a repository formats its Python code, read from its configuration as data.

``[tool.black]`` and ``[tool.ruff]`` of ``pyproject.toml``, ``ruff.toml``, ``.ruff.toml`` and the hooks
of ``.pre-commit-config.yaml``. A configuration that is broken, or says what we do not know, is no
error: it proposes nothing, or less.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal

from mergewright.model.errors import RuleFileError
from mergewright.model.threeway import ThreeWay, settle
from mergewright.python.formatting import FormatSettings
from mergewright.rules.yamlfile import parse

#: Gives a file of one version of the repository, ``None`` where it has none.
Reader = Callable[[str], bytes | None]

_HOOKS = ".pre-commit-config.yaml"
# Files that ``extend`` may name one after the other.
_MOST_EXTENDED = 5
_FORMATTERS = {"black": "black", "black-jupyter": "black", "ruff-format": "ruff"}
_TARGET = re.compile(r"py3\d{1,2}")


def settings_of(path: str, versions: ThreeWay[Reader | None]) -> tuple[FormatSettings, ...]:
    """Candidates for one file: what the merged configuration says, then what each side says.

    Args:
        path: The file, relative to the root.
        versions: Reads files of base, ours and theirs; ``None`` where a version is not known.
    """
    said = versions.map(lambda read: () if read is None else read_settings(path, read))
    side = settle(said)
    ordered = [*(said.get(side) if side is not None else ()), *said.ours, *said.theirs]
    return tuple(dict.fromkeys(ordered))


def read_settings(path: str, read: Reader) -> tuple[FormatSettings, ...]:
    """What one version's configuration says for a file, the formatter that hooks run first.

    Args:
        path: The file, relative to the root.
        read: Reads a file of that version.
    """
    hooks = dict(_hooks(read(_HOOKS)))
    black = _black(path, read)
    ruff = _ruff(path, read)
    if "black" in hooks:
        start = black or FormatSettings(origin=f"the black hook of {_HOOKS}")
        black = _with_arguments(start, hooks["black"])
    if "ruff" in hooks:
        start = ruff or FormatSettings(origin=f"the ruff hook of {_HOOKS}")
        ruff = _with_arguments(start, hooks["ruff"])
    pair = [ruff, black] if "ruff" in hooks and "black" not in hooks else [black, ruff]
    return tuple(dict.fromkeys(s for s in pair if s is not None))


def _folders(path: str) -> Iterator[str]:
    """The folders above a file, innermost first, each with its slash; the root is empty."""
    folder = path.rpartition("/")[0]
    while folder:
        yield folder + "/"
        folder = folder.rpartition("/")[0]
    yield ""


@lru_cache(maxsize=64)
def _toml(data: bytes | None) -> Mapping[str, Any]:
    if data is None:
        return {}
    try:
        return tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError):
        return {}


def _table(value: Mapping[str, Any], *names: str) -> Mapping[str, Any] | None:
    found: Any = value
    for name in names:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else None


def _black(path: str, read: Reader) -> FormatSettings | None:
    for folder in _folders(path):
        name = f"{folder}pyproject.toml"
        table = _table(_toml(read(name)), "tool", "black")
        if table is None:
            continue
        targets = table.get("target-version")
        return FormatSettings(
            line_length=_length(table.get("line-length", table.get("line_length")), 88),
            quotes="preserve" if _flag(table, "skip-string-normalization") else "double",
            magic_commas=not _flag(table, "skip-magic-trailing-comma"),
            target=_target(targets),
            origin=f"[tool.black] of {name}",
        )
    return None


def _flag(table: Mapping[str, Any], name: str) -> bool:
    """A switch, spelled with hyphens or, as on the command line of old, with underscores."""
    return table.get(name, table.get(name.replace("-", "_"))) is True


def _ruff(path: str, read: Reader) -> FormatSettings | None:
    for folder in _folders(path):
        for file in (".ruff.toml", "ruff.toml", "pyproject.toml"):
            name = folder + file
            table = _ruff_table(name, read)
            if table is not None:
                return _ruff_settings(name, _extended(name, table, read))
    return None


def _ruff_table(name: str, read: Reader) -> Mapping[str, Any] | None:
    data = read(name)
    if data is None:
        return None
    values = _toml(data)
    return _table(values, "tool", "ruff") if name.endswith("pyproject.toml") else values


def _extended(name: str, table: Mapping[str, Any], read: Reader) -> Mapping[str, Any]:
    """A table over the ones that it extends."""
    merged = dict(table)
    for _ in range(_MOST_EXTENDED):
        target = table.get("extend")
        if not isinstance(target, str):
            break
        name = _joined(name, target)
        found = _ruff_table(name, read) if name else None
        if found is None:
            break
        table = found
        own = merged.get("format")
        below = table.get("format")
        merged = {**table, **merged}
        if isinstance(own, Mapping) and isinstance(below, Mapping):
            merged["format"] = {**below, **own}
    return merged


def _joined(name: str, target: str) -> str:
    """A path relative to a file; empty where it leaves the repository."""
    parts = name.split("/")[:-1]
    for part in target.split("/"):
        if part == ".." and not parts:
            return ""
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "" if target.startswith("/") else "/".join(parts)


def _ruff_settings(name: str, table: Mapping[str, Any]) -> FormatSettings:
    own = _table(table, "format") or {}
    quotes: Literal["double", "single", "preserve"] = "double"
    if own.get("quote-style") in ("single", "preserve"):
        quotes = own["quote-style"]
    return FormatSettings(
        line_length=_length(table.get("line-length"), 88),
        quotes=quotes,
        magic_commas=own.get("skip-magic-trailing-comma") is not True,
        indent="tab" if own.get("indent-style") == "tab" else "space",
        indent_width=_length(table.get("indent-width"), 4),
        target=_target(table.get("target-version")),
        docstring_code=own.get("docstring-code-format") is True,
        origin=f"[tool.ruff] of {name}" if name.endswith("pyproject.toml") else name,
    )


def _length(value: object, default: int) -> int:
    valid = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= 320
    return value if valid and isinstance(value, int) else default


def _target(value: object) -> str | None:
    """The oldest of the versions that a configuration names."""
    named = value if isinstance(value, list) else [value]
    found = [v for v in named if isinstance(v, str) and _TARGET.fullmatch(v)]
    oldest = min(found, key=lambda v: int(v[3:]), default=None)
    # Older ones are no longer known to the formatter; what they forbid, 3.7 forbids too.
    return None if oldest is None else f"py3{max(int(oldest[3:]), 7)}"


@lru_cache(maxsize=16)
def _hooks(data: bytes | None) -> tuple[tuple[str, list[str]], ...]:
    """Formatters among the hooks, with their arguments."""
    if data is None:
        return ()
    try:
        value = parse(data, _HOOKS).value
    except (RuleFileError, RecursionError):
        return ()
    found: list[tuple[str, list[str]]] = []
    repositories = value.get("repos") if isinstance(value, Mapping) else None
    for repository in repositories if isinstance(repositories, list) else []:
        hooks = repository.get("hooks") if isinstance(repository, Mapping) else None
        for hook in hooks if isinstance(hooks, list) else []:
            name = hook.get("id") if isinstance(hook, Mapping) else None
            kind = _FORMATTERS.get(str(name))
            if kind is not None:
                arguments = hook.get("args")
                found.append(
                    (kind, [str(a) for a in arguments] if isinstance(arguments, list) else [])
                )
    return tuple(found)


def _with_arguments(settings: FormatSettings, arguments: list[str]) -> FormatSettings:
    """Settings as a command line changes them."""
    words = [word for argument in arguments for word in argument.split("=", 1)]
    for word, following in itertools.pairwise([*words, ""]):
        if word in ("-l", "--line-length") and following.isdigit():
            settings = replace(settings, line_length=_length(int(following), settings.line_length))
        elif word in ("-S", "--skip-string-normalization"):
            settings = replace(settings, quotes="preserve")
        elif word in ("-C", "--skip-magic-trailing-comma"):
            settings = replace(settings, magic_commas=False)
    return settings
