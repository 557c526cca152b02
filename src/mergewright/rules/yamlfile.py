"""YAML as plain values with the place of each key and value; refuses what could do harm.

Only mappings, lists and scalars of the YAML 1.2 core schema are read. Duplicate keys, tags,
recursive aliases and aliases that explode are errors, each with its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from mergewright.model.errors import RuleFileError

#: Bytes of a rule file that are read at most.
MAX_BYTES = 1 << 20
#: Values that a file may hold at most once its aliases are written out.
MAX_VALUES = 50_000
#: Levels of nesting at most.
MAX_DEPTH = 40

Location = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A place in a file; line and column count from 1."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML document as plain values.

    Attributes:
        name: How the file is called in messages.
        value: Mappings, lists, strings, numbers, booleans and ``None``.
        values: Place of the value at each location.
        keys: Place of the key at each location that is a mapping's entry.
    """

    name: str
    value: Any
    values: Mapping[Location, Mark] = field(repr=False)
    keys: Mapping[Location, Mark] = field(repr=False)

    def mark(self, location: Location, *, key: bool = False) -> Mark:
        """The place of a location, or of the nearest enclosing one that has a place."""
        if key and location in self.keys:
            return self.keys[location]
        while location not in self.values and location:
            location = location[:-1]
        return self.values.get(location, Mark(1, 1))


def error_at(name: str, mark: Mark, message: str, *, hint: str | None = None) -> RuleFileError:
    """An error whose message starts with ``file:line:column``."""
    return RuleFileError(f"{name}:{mark.line}:{mark.column}: {message}", hint=hint)


def parse(data: bytes, name: str) -> Document:
    """Read a YAML document.

    Args:
        data: The file's bytes.
        name: How the file is called in messages.

    Raises:
        RuleFileError: It is too large, not UTF-8, not YAML, or holds something that is refused.
    """
    start = Mark(1, 1)
    if len(data) > MAX_BYTES:
        raise error_at(name, start, f"the file is larger than {MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        raise error_at(name, Mark(line, column), "the file is not UTF-8") from None
    try:
        reader = YAML(typ="safe", pure=True)
        reader.composer.warn_double_anchors = False
        nodes = list(reader.compose_all(text))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = start if mark is None else Mark(mark.line + 1, mark.column + 1)
        problem = " ".join(str(error.problem or error.context or "not YAML").split())
        raise error_at(name, place, problem) from None
    except RecursionError:
        raise error_at(name, start, "the file is nested too deeply") from None
    except (YAMLError, ValueError, LookupError, AssertionError, AttributeError, TypeError) as error:
        # ruamel reports some malformed input by other exceptions than its own.
        problem = " ".join(str(error).split()) or type(error).__name__
        raise error_at(name, start, f"the file is not readable as YAML: {problem}") from None
    if not nodes or nodes[0] is None:
        raise error_at(name, start, "the file is empty")
    if len(nodes) > 1:
        raise error_at(name, _mark(nodes[1]), "the file holds more than one document")
    return _Reader(name).document(nodes[0])


def _mark(node: Node) -> Mark:
    return Mark(node.start_mark.line + 1, node.start_mark.column + 1)


class _Reader:
    def __init__(self, name: str) -> None:
        self._name = name
        self._values: dict[Location, Mark] = {}
        self._keys: dict[Location, Mark] = {}
        self._open: set[int] = set()
        self._count = 0

    def document(self, node: Node) -> Document:
        value = self._value(node, ())
        return Document(self._name, value, self._values, self._keys)

    def _fail(self, node: Node, message: str) -> RuleFileError:
        return error_at(self._name, _mark(node), message)

    def _value(self, node: Node, location: Location) -> Any:
        self._count += 1
        if self._count > MAX_VALUES:
            raise self._fail(node, f"aliases or lists make more than {MAX_VALUES} values")
        if len(location) > MAX_DEPTH:
            raise self._fail(node, "the file is nested too deeply")
        if id(node) in self._open:
            raise self._fail(node, "an alias stands inside the value that it names")
        self._values[location] = _mark(node)
        if isinstance(node, ScalarNode):
            return self._scalar(node)
        self._open.add(id(node))
        try:
            if isinstance(node, SequenceNode):
                self._plain(node, "tag:yaml.org,2002:seq")
                return [self._value(item, (*location, i)) for i, item in enumerate(node.value)]
            if isinstance(node, MappingNode):
                self._plain(node, "tag:yaml.org,2002:map")
                return self._mapping(node, location)
        finally:
            self._open.discard(id(node))
        raise self._fail(node, "this kind of value is not allowed")

    def _plain(self, node: Node, expected: str) -> None:
        if _tag(node) != expected:
            raise self._fail(node, f"the tag {_tag(node)!r} is not allowed")

    def _mapping(self, node: MappingNode, location: Location) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, ScalarNode):
                raise self._fail(key_node, "a key must be a word")
            key = key_node.value
            if _tag(key_node) == "tag:yaml.org,2002:merge" or key == "<<":
                raise self._fail(key_node, "merge keys ('<<') are not supported")
            if key in result:
                first = self._keys[(*location, key)]
                raise self._fail(
                    key_node, f"the key {key!r} stands here again (first in line {first.line})"
                )
            self._keys[(*location, key)] = _mark(key_node)
            result[key] = self._value(value_node, (*location, key))
        return result

    def _scalar(self, node: ScalarNode) -> Any:
        tag = _tag(node)
        text: str = node.value
        short = tag.removeprefix("tag:yaml.org,2002:")
        if short in {"str", "timestamp"}:
            return text
        if short == "null":
            return None
        if short == "bool":
            lowered = text.lower()
            if lowered in {"true", "false"}:
                return lowered == "true"
            return text
        try:
            if short == "int":
                if len(text) > 40:
                    raise self._fail(node, "the number is too long")
                return (
                    int(text.replace("_", ""), 0) if not text.lstrip("+-").isdigit() else int(text)
                )
            if short == "float":
                return float(text.replace("_", ""))
        except ValueError:
            return text
        raise self._fail(node, f"the tag {tag!r} is not allowed")


def _tag(node: Node) -> str:
    return str(node.tag)
