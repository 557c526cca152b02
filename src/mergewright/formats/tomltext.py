"""TOML: tables and keys by name, arrays by element, comments and layout kept."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from mergewright.formats.brackets import bracketed
from mergewright.formats.document import Merged, UnmergeableError
from mergewright.formats.options import FormatOptions
from mergewright.formats.tree import Merger, Node, known
from mergewright.formats.versions import VersionStrategy
from mergewright.model.merge import Decider
from mergewright.model.threeway import ThreeWay

_BLANK_OR_COMMENT = re.compile(r"[ \t]*(?:#[^\n]*)?\n")
_REST = re.compile(r"[ \t]*(?:#[^\n]*)?(?=\n|$)")
_INNER_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRINGS = (
    re.compile(r'"""(?:\\.|(?!""").)*"{3,5}', re.DOTALL),
    re.compile(r"'''(?:(?!''').)*'{3,5}", re.DOTALL),
    re.compile(r'"(?:[^"\\\n]|\\.)*"'),
    re.compile(r"'[^'\n]*'"),
)
_SCALAR = re.compile(r"[^\s,\]}#]+(?: [0-9][^\s,\]}#]*)?")

_DEPTH = 100

#: Arrays whose elements are a set: both sides' additions are kept. By the last name of the path.
_SETS = frozenset(
    {
        "dependencies", "requires", "keywords", "classifiers", "dynamic", "authors", "maintainers",
        "select", "ignore", "extend-select", "extend-ignore", "exclude", "extend-exclude", "include",
        "extend-include", "omit", "source", "source_pkgs", "exclude_lines", "exclude_also", "packages",
        "markers", "features", "default-groups", "members", "workspaces", "known-first-party",
        "known_first_party", "known-third-party", "known_third_party", "skip", "extras", "groups",
        "no-build-isolation-package", "dev-dependencies", "override-dependencies",
        "constraint-dependencies", "disable", "enable", "overrides", "conflicts", "license-files",
        "norecursedirs", "exclude-newer-package", "required-environments", "environments",
        "fixable", "unfixable", "plugins", "ban-relative-imports", "typing-modules",
    }
)  # fmt: skip
#: Tables all of whose arrays are sets.
_SET_TABLES = (
    "optional-dependencies",
    "dependency-groups",
    "per-file-ignores",
    "extras",
    "features",
)
_REQUIREMENTS = frozenset(
    {
        "dependencies", "requires", "dev-dependencies", "override-dependencies",
        "constraint-dependencies", "build-requires",
    }
)  # fmt: skip
# Elements of an array of tables are matched by the first of these that names them all.
_IDENTITY = ("name", "id", "module", "path", "directory", "key", "url", "pattern", "package")


def merge(
    versions: ThreeWay[str | None], path: str, options: FormatOptions, deciders: Sequence[Decider]
) -> Merged:
    """Merge three TOML texts.

    Raises:
        UnmergeableError: A text is not TOML, or its arrays of tables cannot be matched.
    """
    trees = versions.map(lambda text: None if text is None else parse(text))
    _check_tables(trees)
    merger = Merger(
        path=path,
        disabled=options.disabled,
        deciders=deciders,
        strategies=(
            VersionStrategy(
                options=options, pin_kinds=frozenset({"requirement", "dependency"}), sources=True
            ),
        ),
        united=_united,
        edits_known=False,
    )
    fragments = merger.merge(trees)
    return Merged(fragments=fragments, decisions=merger.decisions, notes=merger.notes)


def _united(path: str, nodes: Sequence[Node]) -> bool:
    parts = path.split(".")
    if any(node.kind not in {"string", "requirement", "object"} for node in nodes):
        return False
    return parts[-1] in _SETS or any(table in parts for table in _SET_TABLES)


def load(text: str) -> dict[str, object]:
    """Parse.

    Raises:
        UnmergeableError: Not TOML.
    """
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UnmergeableError(f"not TOML: {error}") from error


def parse(text: str) -> Node:
    """Cut a TOML text into spans.

    Raises:
        UnmergeableError: Not TOML, or written in a way that the scanner does not follow.
    """
    load(text)
    cursor = 0
    tables: list[Node] = []
    pairs: list[Node] = []
    header: tuple[Hashable, str, str, str, tuple[str, ...]] | None = None
    counts: Counter[tuple[str, ...]] = Counter()
    elements: dict[tuple[str, ...], int] = {}

    def close(tail: str = "") -> None:
        nonlocal pairs
        if header is None:
            if pairs or tail:
                tables.append(Node(kind="table", key=(), children=tuple(pairs), tail=tail))
        else:
            key, name, lead, head, _ = header
            tables.append(
                Node(
                    kind="table",
                    key=key,
                    name=name,
                    lead=lead,
                    parts=(head,),
                    value=key,
                    children=tuple(pairs),
                    tail=tail,
                )
            )
        pairs = []

    while True:
        start = cursor
        while match := _BLANK_OR_COMMENT.match(text, cursor):
            cursor = match.end()
        cursor = known(_SPACE.match(text, cursor)).end()
        lead = text[start:cursor]
        if cursor >= len(text):
            close(lead)
            break
        if text[cursor] == "[":
            close()
            double = text.startswith("[[", cursor)
            names, end = _key(text, cursor + (2 if double else 1))
            end = known(_SPACE.match(text, end)).end() + (2 if double else 1)
            end = known(_REST.match(text, end)).end()
            end += text.startswith("\n", end)
            name = ".".join(names)
            key: Hashable
            if double:
                counts[names] += 1
                elements[names] = counts[names]
                key = ("element", names, counts[names])
            else:
                owner = next(
                    (names[:n] for n in range(len(names) - 1, 0, -1) if names[:n] in elements), None
                )
                key = (
                    ("table", names) if owner is None else ("table", names, owner, elements[owner])
                )
            header = (key, name, lead, text[cursor:end], names)
            cursor = end
            continue
        pair, cursor = _pair(text, cursor, lead, depth=0, table=header[4] if header else ())
        pairs.append(pair)
    root = Node(kind="document", key="", children=tuple(_identified(tables)))
    if root.text != text:
        raise UnmergeableError("internal: the spans do not cover the text")
    return root


def _identified(tables: list[Node]) -> list[Node]:
    """Name the elements of arrays of tables by a member that tells them apart, where one does."""
    groups: dict[tuple[str, ...], list[Node]] = {}
    for table in tables:
        if isinstance(table.key, tuple) and table.key[:1] == ("element",):
            groups.setdefault(table.key[1], []).append(table)
    names: dict[tuple[tuple[str, ...], int], Hashable] = {}
    for path, elements in groups.items():
        for member in _IDENTITY:
            values = [
                next((c.value for c in e.children or () if c.key == (member,)), None)
                for e in elements
            ]
            if all(v is not None for v in values) and len(set(values)) == len(values):
                for element, value in zip(elements, values, strict=True):
                    key = element.key
                    if isinstance(key, tuple):
                        names[path, key[2]] = (member, value)
                break
    out = []
    for table in tables:
        key = table.key
        if isinstance(key, tuple) and key[:1] == ("element",):
            identity = names.get((key[1], key[2]))
            key = ("element", key[1], identity if identity is not None else ("number", key[2]))
        elif isinstance(key, tuple) and key[:1] == ("table",) and len(key) == 4:
            identity = names.get((key[2], key[3]))
            key = ("table", key[1], identity if identity is not None else ("number", key[3]))
        out.append(replace(table, key=key, value=key if table.parts else None))
    return out


def _check_tables(trees: ThreeWay[Node | None]) -> None:
    """Elements known by number alone are merged only where one side left the array alone."""

    def numbered(tree: Node | None) -> dict[tuple[str, ...], list[Hashable]]:
        found: dict[tuple[str, ...], list[Hashable]] = {}
        for table in tree.children or () if tree is not None else ():
            key = table.key
            if (
                isinstance(key, tuple)
                and len(key) == 3
                and isinstance(key[2], tuple)
                and key[2][:1] == ("number",)
            ):
                found.setdefault(key[1], []).append(table.meaning)
        return found

    base, ours, theirs = trees.map(numbered)
    for path in {*ours, *theirs}:
        b, o, t = base.get(path, []), ours.get(path, []), theirs.get(path, [])
        if b not in (o, t) and o != t:
            raise UnmergeableError(
                f"the elements of [[{'.'.join(path)}]] have no names to match by"
            )


def _key(text: str, at: int) -> tuple[tuple[str, ...], int]:
    """A dotted key, and where it ends (behind trailing blanks)."""
    names: list[str] = []
    while True:
        at = known(_SPACE.match(text, at)).end()
        match = _BARE_KEY.match(text, at)
        if match:
            names.append(match.group())
        else:
            match = next((m for p in _STRINGS[2:] if (m := p.match(text, at))), None)
            if match is None:
                raise UnmergeableError("a key that the scanner does not follow")
            names.append(str(_plain(match.group())))
        end = match.end()
        at = known(_SPACE.match(text, end)).end()
        if not text.startswith(".", at):
            return tuple(names), at
        at += 1


def _plain(raw: str) -> object:
    return load(f"x = {raw}\n")["x"]


def _pair(
    text: str, at: int, lead: str, *, depth: int, table: tuple[str, ...] = ()
) -> tuple[Node, int]:
    """``key = value`` at a position, with the rest of its line when at the top."""
    names, end = _key(text, at)
    if text[end] != "=":
        raise UnmergeableError("a key without a value")
    value_at = known(_SPACE.match(text, end + 1)).end()
    node, end = _value(
        text,
        value_at,
        key=names,
        name=".".join(names),
        lead=lead,
        prefix=text[at:value_at],
        depth=depth,
        needs=_holds_requirements((*table, *names)),
    )
    if "sources" in table and node.children is not None:
        # A source is one decision: a revision of one side under the address of the other is none.
        node = Node(
            kind="source",
            key=names,
            name=".".join(names),
            lead=lead,
            parts=(text[at:value_at], text[value_at:end]),
            value=node.meaning,
            value_at=1,
        )
    if depth == 0:
        rest = known(_REST.match(text, end))
        end = rest.end()
        after = rest.group()
        if text.startswith("\n", end):
            end += 1
            after += "\n"
        if node.children is None:
            node = replace(node, parts=(*node.parts, after))
        else:
            node = replace(node, tail=node.tail, after=after)
    return node, end


def _value(
    text: str,
    at: int,
    *,
    key: Hashable,
    name: str,
    lead: str,
    prefix: str,
    depth: int,
    needs: bool,
) -> tuple[Node, int]:
    if depth > _DEPTH:
        raise UnmergeableError("TOML nested too deeply")
    if text[at] in "[{":
        return _container(
            text, at, key=key, name=name, lead=lead, prefix=prefix, depth=depth, needs=needs
        )
    match = next((m for p in _STRINGS if (m := p.match(text, at))), None)
    is_string = match is not None
    match = match or _SCALAR.match(text, at)
    if match is None:
        raise UnmergeableError("a value that the scanner does not follow")
    raw = match.group()
    if is_string and (match.end() < len(text) and text[match.end()] in "\"'"):
        raise UnmergeableError("a string that the scanner does not follow")
    value = _plain(raw)
    kind = "pair" if prefix else "string" if is_string else "scalar"
    if prefix and is_string and name != "version" and _looks_like_pin(str(value)):
        kind = "dependency"
    if not prefix and is_string and needs:
        requirement = _requirement(str(value))
        if requirement is not None:
            return (
                Node(
                    kind="requirement",
                    key=requirement,
                    name=requirement[0],
                    lead=lead,
                    parts=(prefix, raw),
                    value=(type(value).__name__, str(value)),
                    value_at=1,
                    sorted_hint=str(value),
                ),
                match.end(),
            )
    node = Node(
        kind=kind,
        key=key,
        name=name,
        lead=lead,
        parts=(prefix, raw),
        value=(type(value).__name__, str(value)),
        value_at=1,
        sorted_hint=str(value) if is_string and not prefix else None,
    )
    return node, match.end()


def _holds_requirements(path: tuple[str, ...]) -> bool:
    """Whether an array at this path lists requirements (PEP 508)."""
    return path[-1] in _REQUIREMENTS or any(name in _SET_TABLES[:2] for name in path)


def _looks_like_pin(value: str) -> bool:
    return bool(re.match(r"\s*(?:[\^~<>=!]=?\s*)\d", value))


def _requirement(value: str) -> tuple[str, str] | None:
    """Identity of a requirement: its name and marker; ``None`` for any other string."""
    try:
        parsed = Requirement(value)
    except InvalidRequirement:
        return None
    return canonicalize_name(parsed.name), str(parsed.marker or "")


def _container(
    text: str,
    at: int,
    *,
    key: Hashable,
    name: str,
    lead: str,
    prefix: str,
    depth: int,
    needs: bool,
) -> tuple[Node, int]:
    def child(start: int, child_lead: str) -> tuple[Node, int]:
        if text[at] == "{":
            return _pair(text, start, child_lead, depth=depth + 1)
        return _value(
            text,
            start,
            key=None,
            name="",
            lead=child_lead,
            prefix="",
            depth=depth + 1,
            needs=needs,
        )

    def rest(behind: int, comma: bool) -> int:  # noqa: ARG001, FBT001 - what the scanner asks
        match = _REST.match(text, behind)
        return match.end() if match and text.startswith("\n", match.end()) else behind

    return bracketed(
        text,
        at,
        key=key,
        name=name,
        lead=lead,
        prefix=prefix,
        blank=_INNER_BLANK,
        child=child,
        rest=rest,
        identified=_array_keys,
    )


def _array_keys(children: list[Node]) -> list[Node]:
    """Identity of array elements: requirements by name, tables by a naming key, else by value."""
    if children and all(child.kind == "object" for child in children):
        for member in _IDENTITY:
            values = [
                next((c.value for c in child.children or () if c.key == (member,)), None)
                for child in children
            ]
            if all(v is not None for v in values) and len(set(values)) == len(values):
                return [
                    replace(child, key=(member, value), name=str(value))
                    for child, value in zip(children, values, strict=True)
                ]
    keys = [
        child.key if child.kind == "requirement" else (child.kind, child.meaning)
        for child in children
    ]
    if len(set(keys)) != len(keys):
        keys = [(child.kind, child.meaning) for child in children]
    return [replace(child, key=key) for child, key in zip(children, keys, strict=True)]
