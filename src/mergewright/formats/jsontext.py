"""JSON: objects by key, arrays by element, every byte outside the change a side's own."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Sequence
from dataclasses import replace

from mergewright.formats.brackets import bracketed
from mergewright.formats.document import Merged, UnmergeableError
from mergewright.formats.options import FormatOptions
from mergewright.formats.tree import Merger, Node, known
from mergewright.formats.versions import VersionStrategy
from mergewright.model.merge import Decider
from mergewright.model.threeway import ThreeWay

_BLANK = re.compile(r"[ \t\n\r]*")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SCALAR = re.compile(r"[-+.0-9A-Za-z]+")
_REST = re.compile(r"[ \t]*(?=\n|$)")

# Deeper nesting is no configuration; a bound keeps the recursion safe.
_DEPTH = 200
# Elements of an array that are objects are matched by the first of these that names them all.
_IDENTITY = ("id", "name", "key", "path", "url", "uses", "repo", "label", "title")
# Arrays of a package manifest that mean a set: both sides' additions are kept.
_SETS = frozenset(
    {"keywords", "files", "workspaces", "browserslist", "contributors", "maintainers", "ignore",
     "exclude", "include", "recommendations", "unwantedrecommendations"}
)  # fmt: skip


def merge(
    versions: ThreeWay[str | None], path: str, options: FormatOptions, deciders: Sequence[Decider]
) -> Merged:
    """Merge three JSON texts.

    Raises:
        UnmergeableError: A text is not JSON, or holds a key twice.
    """
    trees = versions.map(lambda text: None if text is None else parse(text))
    merger = Merger(
        path=path,
        disabled=options.disabled,
        deciders=deciders,
        strategies=(VersionStrategy(options=options),),
        united=_united,
    )
    fragments = merger.merge(trees)
    return Merged(fragments=fragments, decisions=merger.decisions, notes=merger.notes)


def _united(path: str, nodes: Sequence[Node]) -> bool:
    return path.rpartition(".")[2].lower() in _SETS and all(node.kind == "string" for node in nodes)


def load(text: str) -> object:
    """Parse strictly: a key that stands twice in one object is an error.

    Raises:
        UnmergeableError: Not JSON, or a key twice.
    """

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        keys = [key for key, _ in pairs]
        if len(set(keys)) != len(keys):
            raise UnmergeableError("a JSON object holds a key twice")
        return dict(pairs)

    try:
        return json.loads(text, object_pairs_hook=unique)
    except (ValueError, RecursionError) as error:
        raise UnmergeableError(f"not JSON: {error}") from error


def parse(text: str) -> Node:
    """Cut a JSON text into spans.

    Raises:
        UnmergeableError: Not JSON, a key twice, or nested too deeply.
    """
    load(text)
    start = _blank(text, 0)
    node, end = _value(text, start, key="", name="", lead=text[:start], depth=0)
    rest = text[end:]
    return Node(
        kind="document",
        key="",
        children=(node,),
        listing="ordered",
        tail=rest,
    )


def _blank(text: str, at: int) -> int:
    return known(_BLANK.match(text, at)).end()


def _value(
    text: str, at: int, *, key: Hashable, name: str, lead: str, depth: int, prefix: str = ""
) -> tuple[Node, int]:
    """The value at a position, and where it ends; ``prefix`` is the ``"key": `` before it."""
    if depth > _DEPTH:
        raise UnmergeableError("JSON nested too deeply")
    char = text[at]
    if char in "{[":
        return _container(text, at, key=key, name=name, lead=lead, depth=depth, prefix=prefix)
    match = _STRING.match(text, at) if char == '"' else _SCALAR.match(text, at)
    if match is None:
        raise UnmergeableError("not JSON")
    raw = match.group()
    value = json.loads(raw)
    kind = "string" if char == '"' else "scalar"
    node = Node(
        kind="value" if prefix else kind,
        key=key,
        name=name,
        lead=lead,
        parts=(prefix, raw),
        # 1, 1.0 and true are different things to write, though equal to Python.
        value=(type(value).__name__, raw if kind == "scalar" else value),
        value_at=1,
    )
    return node, match.end()


def _container(
    text: str, at: int, *, key: Hashable, name: str, lead: str, depth: int, prefix: str
) -> tuple[Node, int]:
    def child(start: int, child_lead: str) -> tuple[Node, int]:
        if text[at] == "[":
            return _value(text, start, key=None, name="", lead=child_lead, depth=depth + 1)
        match = _STRING.match(text, start)
        if match is None:
            raise UnmergeableError("not JSON")
        value_at = _blank(text, _blank(text, match.end()) + 1)
        member = json.loads(match.group())
        return _value(
            text,
            value_at,
            key=member,
            name=member,
            lead=child_lead,
            depth=depth + 1,
            prefix=text[start:value_at],
        )

    def rest(behind: int, comma: bool) -> int:  # noqa: FBT001 - what the scanner asks
        match = _REST.match(text, behind) if comma else None
        return behind if match is None else match.end()

    return bracketed(
        text,
        at,
        key=key,
        name=name,
        lead=lead,
        prefix=prefix,
        blank=_BLANK,
        child=child,
        rest=rest,
        identified=identified,
    )


def identified(children: list[Node]) -> list[Node]:
    """Give the elements of an array their keys: a naming member where all have one, else meaning."""
    for member in _IDENTITY:
        values = [_member(child, member) for child in children]
        if (
            children
            and all(value is not None for value in values)
            and (len(set(values)) == len(values))
        ):
            return [
                replace(child, key=(member, value), name=str(value and value[-1]))
                for child, value in zip(children, values, strict=True)
            ]
    return [replace(child, key=child.meaning) for child in children]


def _member(node: Node, member: str) -> tuple[object, ...] | None:
    if node.kind != "object":
        return None
    for child in node.children or ():
        if child.key == member and child.children is None:
            value = child.value
            return value if isinstance(value, tuple) else None
    return None
