"""Git sources of a ``pyproject.toml``: what only theirs has is added to ours; layout is kept."""

from __future__ import annotations

from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Item

from mergewright.rules.schema import OneSide, SourcesRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciled:
    """What became of the file.

    Attributes:
        data: The new text.
        added: One sentence a source that was added or replaced.
        reported: One sentence a source that both sides have differently and ours keeps.
    """

    data: bytes
    added: tuple[str, ...] = ()
    reported: tuple[str, ...] = ()


def _table(document: Any, dotted: str) -> Any:
    for part in dotted.split("."):
        if not isinstance(document, MutableMapping) or part not in document:
            return None
        document = document[part]
    return document if isinstance(document, MutableMapping) else None


def _plain(item: Any) -> Any:
    return item.unwrap() if isinstance(item, Item) or hasattr(item, "unwrap") else item


def _is_git(value: Any) -> bool:
    if isinstance(value, list):
        return any(_is_git(entry) for entry in value)
    return isinstance(value, dict) and "git" in value


def _show(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key} {entry}" for key, entry in value.items())
    return str(value)


def reconcile(ours: bytes, theirs: bytes, rule: SourcesRule) -> Reconciled | None:
    """Ours' text with the git sources that only theirs has.

    Sources that both have differently stay as in ours and are reported, unless the rule names the
    package. Comments, order and layout of ours are kept; new entries stand at the table's end.

    Args:
        ours: Ours' ``pyproject.toml``, byte for byte what is kept.
        theirs: Theirs' ``pyproject.toml``.
        rule: The table and the packages that are decided by name.

    Returns:
        The result, or ``None`` when one of the texts is not TOML.
    """
    try:
        document = tomlkit.parse(ours.decode())
        other = tomlkit.parse(theirs.decode())
    except (TOMLKitError, UnicodeDecodeError, RecursionError):
        return None
    mine, wanted = _table(document, rule.table), _table(other, rule.table)
    if wanted is None:
        return Reconciled(data=ours)
    choices = {choice.package: choice for choice in rule.choices}
    added: list[str] = []
    reported: list[str] = []
    for package, item in wanted.items():
        new = _plain(item)
        if not _is_git(new):
            continue
        if mine is None or package not in mine:
            if mine is None:
                mine = _make_table(document, rule.table)
            mine[package] = item
            added.append(f"source of {package} added ({_show(new)}): only theirs has it")
            continue
        old = _plain(mine[package])
        if old == new:
            continue
        choice = choices.get(package)
        if choice is not None and choice.side is OneSide.THEIRS:
            mine[package] = item
            added.append(f"source of {package} is theirs' ({_show(new)}): {choice.reason}")
        else:
            why = "" if choice is None else f": {choice.reason}"
            reported.append(
                f"source of {package} differs: ours ({_show(old)}) is kept, theirs has "
                f"({_show(new)}){why}"
            )
    if not added:
        return Reconciled(data=ours, reported=tuple(reported))
    text = tomlkit.dumps(document)
    try:
        again = tomlkit.parse(text).unwrap()
    except (TOMLKitError, RecursionError):
        return None
    if not _only_sources_differ(again, tomlkit.parse(ours.decode()).unwrap(), rule.table):
        return None
    return Reconciled(data=text.encode(), added=tuple(added), reported=tuple(reported))


def _make_table(document: Any, dotted: str) -> Any:
    for part in dotted.split("."):
        if part not in document:
            document[part] = tomlkit.table(is_super_table=part != dotted.rsplit(".", 1)[-1])
        document = document[part]
    return document


def _only_sources_differ(new: dict[str, Any], old: dict[str, Any], dotted: str) -> bool:
    """Whether two documents are equal but for one table."""

    def without(document: dict[str, Any], parts: list[str]) -> dict[str, Any]:
        head, *rest = parts
        result = dict(document)
        inner = result.pop(head, {})
        if rest and isinstance(inner, dict):
            left = without(inner, rest)
            if left:
                result[head] = left
        return result

    parts = dotted.split(".")
    return without(new, parts) == without(old, parts)
