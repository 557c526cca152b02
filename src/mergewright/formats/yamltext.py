"""YAML: block mappings by key, block sequences by element, comments and layout kept.

ruamel.yaml gives the positions of the nodes; the text is cut there, and only there. Flow style,
block scalars and everything else below a block mapping or sequence is one leaf.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import lru_cache
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from mergewright.formats.document import Merged, UnmergeableError
from mergewright.formats.options import FormatOptions
from mergewright.formats.tree import Choice, Leaf, LeafStrategy, Merger, Node, known
from mergewright.formats.versions import VersionStrategy, pick
from mergewright.model.merge import Decider
from mergewright.model.threeway import ThreeWay

_DEPTH = 100
# Elements of a sequence are matched by the first of these that names them all.
_IDENTITY = ("id", "name", "repo", "key", "path", "url", "uses", "alias", "package-ecosystem")
#: Sequences of scalars in which order is taste: both sides' additions are kept.
_SETS = frozenset(
    {"additional_dependencies", "dependencies", "branches", "branches-ignore", "tags", "paths",
     "paths-ignore", "labels", "reviewers", "assignees", "authors", "keywords", "channels",
     "exclude_paths", "packages"}
)  # fmt: skip
_ACTION = re.compile(r"(?P<name>[\w./-]+)@(?P<version>v?\d[\w.]*|[0-9a-f]{40})$")
_PINNED = re.compile(r"\s*#\s*v?(?P<version>\d[\w.]*)")


def merge(
    versions: ThreeWay[str | None], path: str, options: FormatOptions, deciders: Sequence[Decider]
) -> Merged:
    """Merge three YAML texts.

    Raises:
        UnmergeableError: A text is not YAML, has several documents, tabs or a key twice.
    """
    trees = versions.map(lambda text: None if text is None else parse(text))
    merger = Merger(
        path=path,
        disabled=options.disabled,
        deciders=deciders,
        strategies=(
            _action_version(options),
            VersionStrategy(options=options, pin_kinds=frozenset()),
        ),
        united=_united,
    )
    fragments = merger.merge(trees)
    return Merged(fragments=fragments, decisions=merger.decisions, notes=merger.notes)


def _united(path: str, nodes: Sequence[Node]) -> bool:
    return path.rpartition(".")[2] in _SETS and all(node.kind == "scalar" for node in nodes)


def _action_version(options: FormatOptions) -> LeafStrategy:
    """``uses: name@v3`` against ``name@v4``, also pinned by commit with the version behind it."""

    def choose(leaf: Leaf) -> Choice | None:
        if leaf.nodes.base is None or any(node is None for node in leaf.nodes):
            return None
        found = leaf.nodes.map(lambda node: _action(known(node)))
        if any(one is None for one in found) or len({one[0] for one in found if one}) != 1:
            return None
        answer = pick(found.map(lambda one: known(one)[1]), options.pins)
        if answer is None:
            return None
        return Choice(side=answer[0], strategy=f"{options.pins}-pin", reason=answer[1], whole=True)

    return choose


def _action(node: Node) -> tuple[str, str] | None:
    raw = node.parts[node.value_at].strip().strip("\"'")
    match = _ACTION.match(raw)
    if match is None:
        return None
    version = match["version"]
    if len(version) == 40:
        pinned = _PINNED.match(node.parts[-1])
        if pinned is None:
            return None
        version = pinned["version"]
    return match["name"], version


@lru_cache(maxsize=16)
def load_node(text: str) -> Any:
    """The composed node tree of a text with one document; ``None`` when it is empty.

    Engine and gates ask for the same texts; nobody changes the tree.

    Raises:
        UnmergeableError: Not YAML, several documents, or a key twice.
    """
    yaml = YAML(typ="rt", pure=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            nodes = list(yaml.compose_all(StringIO(text)))
    except (YAMLError, RecursionError, ValueError) as error:
        first = str(error).strip().splitlines()
        raise UnmergeableError(f"not YAML: {first[0] if first else ''}") from error
    if len(nodes) > 1:
        raise UnmergeableError("several YAML documents in one text")
    return nodes[0] if nodes else None


def parse(text: str) -> Node:
    """Cut a YAML text into spans.

    Raises:
        UnmergeableError: As for :func:`load_node`, or a layout that cannot be cut.
    """
    if "\t" in re.sub(r"#[^\n]*|\"[^\"\n]*\"|'[^'\n]*'", "", text):
        raise UnmergeableError("a tab in YAML")
    root = load_node(text)
    document = Node(kind="document", key="", children=(), tail=text)
    if root is None:
        return document
    scanner = _Scanner(text)
    start = root.start_mark.index
    lead_end = text.rfind("\n", 0, start) + 1
    if not isinstance(root, MappingNode | SequenceNode) or root.flow_style:
        lead, body = text[:start], text[start:]
        child = Node(
            kind="scalar", key="root", lead=lead, parts=(body,), value=scanner.meaning(root)
        )
    else:
        if text[lead_end:start].strip():
            raise UnmergeableError("a document that starts behind other text")
        # Comments before the first key are its lead; what stands before `---` is the document's.
        marker = re.search(r"(?m)^---[^\n]*\n", text[:lead_end])
        head = marker.end() if marker else 0
        child = scanner.container(
            root, key="root", name="", lead=text[:head], head="", start=head, end=len(text), depth=0
        )
    document = Node(kind="document", key="", children=(child,), listing="ordered")
    if document.text != text:
        raise UnmergeableError("internal: the spans do not cover the text")
    return document


class _Scanner:
    """Cuts block collections at the positions that the parser gives."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._anchors: set[int] = set()

    def container(
        self,
        node: Any,
        *,
        key: Hashable,
        name: str,
        lead: str,
        head: str,
        start: int,
        end: int,
        depth: int,
        inline: bool = False,
    ) -> Node:
        """A block collection whose children's text is ``[start, end)``.

        ``inline``: the first child starts in the middle of a line (``- key: value``).
        """
        if depth > _DEPTH:
            raise UnmergeableError("YAML nested too deeply")
        text = self._text
        is_map = isinstance(node, MappingNode)
        items: list[tuple[int, Any, Any]] = []
        column = node.start_mark.column
        if is_map:
            items = [(k.start_mark.index, k, v) for k, v in node.value]
        else:
            for value in node.value:
                dash = self._dash(value, column)
                items.append((dash, None, value))
        if not items:
            raise UnmergeableError("an empty block collection")
        children: list[Node] = []
        cursor = start
        for number, (at, key_node, value) in enumerate(items):
            if at < cursor:
                raise UnmergeableError("an alias in a YAML sequence")
            line_start = text.rfind("\n", 0, at) + 1
            first_inline = inline and number == 0
            if not first_inline and (text[line_start:at].strip() or at - line_start != column):
                raise UnmergeableError("a YAML layout that cannot be cut")
            # The item reaches to the end of its last line of content.
            follow = items[number + 1][0] if number + 1 < len(items) else end
            limit = text.rfind("\n", 0, follow) + 1 if number + 1 < len(items) else end
            content_end = self._content_end(
                key_node if key_node is not None and _is_empty(value) else value, at, limit, column
            )
            lead_text = text[cursor:at]
            child = (
                self._pair(key_node, value, at, content_end, lead_text, depth)
                if is_map
                else self._element(value, at, content_end, lead_text, depth)
            )
            children.append(child)
            cursor = content_end
        if is_map:
            keys = [child.key for child in children]
            if len(set(keys)) != len(keys):
                raise UnmergeableError("a YAML mapping holds a key twice")
        else:
            children = _sequence_keys(children)
        return Node(
            kind="map" if is_map else "sequence",
            key=key,
            name=name,
            lead=lead,
            # The column is part of what it is: children of another depth do not fit in.
            parts=(head,),
            value=("column", column),
            children=tuple(children),
            listing="keyed" if is_map else "ordered",
            tail=text[cursor:end],
            layout=(column, inline),
        )

    def _dash(self, value: Any, column: int) -> int:
        """Where the dash of a sequence element stands."""
        text = self._text
        at = value.start_mark.index
        # An empty element's mark stands behind its dash; any other's content follows it.
        while at > 0:
            line_start = text.rfind("\n", 0, at) + 1
            if text[line_start : line_start + column].strip() == "" and text.startswith(
                "-", line_start + column
            ):
                return line_start + column
            # `- - x` or a dash in the middle of a line.
            inner = text.rfind("-", line_start, at)
            if inner >= 0 and inner - line_start == column:
                return inner
            at = line_start - 1
        raise UnmergeableError("a YAML layout that cannot be cut")

    def _content_end(self, node: Any, at: int, limit: int, column: int) -> int:
        """End of the last line that belongs to an item: deeper comments go with it."""
        text = self._text
        end = text.find("\n", at)
        end = limit if end < 0 else end + 1
        last = min(max(end, at), limit)
        cursor = end
        scalar_end = self._last_content(node)
        while cursor < limit:
            stop = text.find("\n", cursor)
            stop = limit if stop < 0 else stop + 1
            line = text[cursor:stop]
            stripped = line.strip()
            indent = len(line) - len(line.lstrip(" "))
            # Content (also of a sequence at its key's own column), or a comment indented deeper.
            if stripped and (cursor < scalar_end or (stripped.startswith("#") and indent > column)):
                last = stop
            cursor = stop
        return min(last, limit)

    def _last_content(self, node: Any) -> int:
        while True:
            if isinstance(node, MappingNode) and node.value and not node.flow_style:
                key, node = node.value[-1]
                if node.end_mark.index <= key.end_mark.index or _is_empty(node):
                    return int(key.end_mark.index)
                continue
            if isinstance(node, SequenceNode) and node.value and not node.flow_style:
                node = node.value[-1]
                continue
            break
        end = int(node.end_mark.index)
        if isinstance(node, ScalarNode) and node.style in {"|", ">"}:
            # The mark of a block scalar stands behind the blank lines and comments after it.
            indent = self._block_indent(node)
            return self._block_end(node, indent)
        return end

    def _block_indent(self, node: Any) -> int:
        text = self._text
        line = text.find("\n", node.start_mark.index) + 1
        while 0 < line < len(text):
            stop = text.find("\n", line)
            stop = len(text) if stop < 0 else stop
            content = text[line:stop]
            if content.strip():
                return len(content) - len(content.lstrip(" "))
            line = stop + 1
        return 0

    def _block_end(self, node: Any, indent: int) -> int:
        text = self._text
        line = text.find("\n", node.start_mark.index) + 1
        end = line
        while 0 < line < len(text):
            stop = text.find("\n", line)
            stop = len(text) if stop < 0 else stop + 1
            content = text[line:stop]
            if content.strip():
                if len(content) - len(content.lstrip(" ")) < indent:
                    break
                end = stop
            line = stop
        return end

    def _pair(
        self,
        key_node: Any,
        value: Any,
        at: int,
        end: int,
        lead: str,
        depth: int,
    ) -> Node:
        text = self._text
        key = self.meaning(key_node)
        name = str(key_node.value) if isinstance(key_node, ScalarNode) else "?"
        if not isinstance(key_node, ScalarNode) or text.startswith("?", at):
            raise UnmergeableError("a complex YAML key")
        value_at = int(value.start_mark.index)
        if _is_empty(value):
            # Its mark stands at whatever comes next, on another line and behind comments.
            value_at = text.index(":", int(key_node.end_mark.index)) + 1
            return Node(
                kind="scalar",
                key=key,
                name=name,
                lead=lead,
                parts=(text[at:value_at], "", text[value_at:end]),
                value=(self.meaning(value), ""),
                value_at=1,
            )
        if (
            self._is_block(value)
            and not getattr(value, "anchor", None)
            and value.tag.startswith("tag:yaml.org")
        ):
            first_line = text.rfind("\n", 0, self._first(value)) + 1
            if first_line > at:
                head_end = text.find("\n", at) + 1
                return self.container(
                    value,
                    key=key,
                    name=name,
                    lead=lead,
                    head=text[at:head_end],
                    start=head_end,
                    end=end,
                    depth=depth + 1,
                )
        return self._leaf(value, at, max(value_at, at), end, key, name, lead)

    def _leaf(
        self,
        value: Any,
        at: int,
        value_at: int,
        end: int,
        key: Hashable,
        name: str,
        lead: str,
    ) -> Node:
        text = self._text
        if not at <= int(value.start_mark.index) <= end:
            # An alias: its node is the anchor's, somewhere else; what counts is its name.
            head, mark, rest = text[at:end].partition("*")
            if not mark:
                raise UnmergeableError("a YAML layout that cannot be cut")
            return Node(
                kind="scalar",
                key=key,
                name=name,
                lead=lead,
                parts=(head, mark + rest),
                value=("alias", rest.split()[0] if rest.split() else ""),
                value_at=1,
            )
        value_at = min(value_at, end)
        anchor = getattr(value, "anchor", None)
        tag = text[at:value_at]
        colon = tag.find(":") if anchor else -1
        if anchor and colon >= 0:
            value_at = at + colon + 1
        value_end = min(int(value.end_mark.index), end)
        if isinstance(value, ScalarNode) and value.style in {"|", ">"}:
            value_end = end
        value_end = max(value_end, value_at)
        rest = text[value_end:end]
        if "\n" in rest.rstrip("\n") and not isinstance(value, ScalarNode):
            value_end, rest = end, ""
        return Node(
            kind="scalar" if isinstance(value, ScalarNode) else "flow",
            key=key,
            name=name,
            lead=lead,
            parts=(text[at:value_at], text[value_at:value_end], rest),
            value=(self.meaning(value), str(anchor or "")),
            value_at=1,
        )

    def _element(
        self,
        value: Any,
        at: int,
        end: int,
        lead: str,
        depth: int,
    ) -> Node:
        text = self._text
        start = int(value.start_mark.index)
        plain = not getattr(value, "anchor", None) and value.tag.startswith("tag:yaml.org")
        if self._is_block(value) and isinstance(value, MappingNode) and plain and start < end:
            head = text[at:start]
            if "\n" not in head and head.strip() == "-":
                return self.container(
                    value,
                    key=None,
                    name="",
                    lead=lead,
                    head=head,
                    start=start,
                    end=end,
                    depth=depth + 1,
                    inline=True,
                )
        return self._leaf(value, at, max(start, at + 1), end, None, "", lead)

    def _is_block(self, node: Any) -> bool:
        return (
            isinstance(node, MappingNode | SequenceNode)
            and not node.flow_style
            and bool(node.value)
        )

    def _first(self, node: Any) -> int:
        return int(node.start_mark.index)

    def meaning(self, node: Any, depth: int = 0) -> Hashable:
        """The value of a node without layout: tag and text, quoted and plain scalars apart."""
        if depth > _DEPTH:
            raise UnmergeableError("YAML nested too deeply")
        if isinstance(node, ScalarNode):
            style = "q" if node.style in {'"', "'"} else "b" if node.style in {"|", ">"} else ""
            return ("scalar", node.tag, style if style == "b" else "", str(node.value))
        if isinstance(node, MappingNode):
            return (
                "map",
                tuple(
                    (self.meaning(k, depth + 1), self.meaning(v, depth + 1)) for k, v in node.value
                ),
            )
        return ("sequence", tuple(self.meaning(v, depth + 1) for v in node.value))


def _is_empty(node: Any) -> bool:
    """Whether a value is not written at all (``key:`` and nothing)."""
    return (
        isinstance(node, ScalarNode)
        and not node.value
        and not node.style
        and not getattr(node, "anchor", None)
        and node.start_mark.index == node.end_mark.index
    )


def _sequence_keys(children: list[Node]) -> list[Node]:
    """Identity of sequence elements: a naming member that no other element shares, else meaning.

    Elements may be named by different members (one step by its ``name``, another by ``uses``).
    """
    found: list[tuple[str, str] | None] = []
    for child in children:
        named = ((member, _member(child, member)) for member in _IDENTITY)
        first = next(((member, value) for member, value in named if value is not None), None)
        found.append(first if child.kind == "map" else None)
    counts = Counter(found)
    return [
        replace(child, key=(child.kind, child.meaning))
        if identity is None or counts[identity] > 1
        else replace(child, key=identity, name=identity[1])
        for child, identity in zip(children, found, strict=True)
    ]


def _member(node: Node, member: str) -> str | None:
    for child in node.children or ():
        if child.name == member and child.kind == "scalar":
            text = child.parts[1].strip().strip("\"'")
            match = _ACTION.match(text) if member == "uses" else None
            return match["name"] if match else text
    return None
