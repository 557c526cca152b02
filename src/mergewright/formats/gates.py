"""What a merged text must satisfy before it is believed.

The gates read the candidate and the versions afresh with the formats' own parsers (json, tomllib,
ruamel.yaml, configparser), not with the spans that the engines cut, so that a wrong cut is found.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from rapidfuzz import fuzz

from mergewright.formats import initext, jsontext, lists, markup, tomltext, yamltext
from mergewright.formats.document import UnmergeableError, normalise
from mergewright.formats.kinds import FormatKind, kind_of
from mergewright.formats.tree import Node
from mergewright.model.resolution import Decision, EvidenceKind, GateResult
from mergewright.model.threeway import Side, ThreeWay, settle

_IDENTITY = ("id", "name", "repo", "key", "path", "url", "module", "uses")
_ABSENT = object()
#: Evidence of an answer that may take one side where the other has something too.
_ANSWERS = frozenset({EvidenceKind.RULE, EvidenceKind.COMMIT, EvidenceKind.MEMORY})


def check(
    path: str,
    candidate: bytes,
    versions: ThreeWay[bytes | None],
    decisions: Sequence[Decision] = (),
) -> tuple[GateResult, ...]:
    """Test a candidate.

    Args:
        path: The path of the file: its name chooses the gates.
        candidate: The bytes of the result.
        versions: The three texts; ``None`` where a side does not have the file.
        decisions: What was decided; a value that a rule wrote anew, and what a side lost where
            rules, history or memory took the other one, are not held against the result.

    Returns:
        One result a gate; empty for a path without a format of its own, or when a version is not in
        the format itself (then nothing can be asked of the result).
    """
    kind = kind_of(path)
    if kind is None or kind in {FormatKind.LOCK, FormatKind.GOLDEN}:
        return ()
    try:
        texts = versions.map(lambda data: None if data is None else normalise(data).text)
        data = texts.map(lambda text: None if text is None else _read(kind, text))
        comments = texts.map(lambda text: None if text is None else _comments(kind, text))
    except UnmergeableError:
        return ()
    try:
        text = normalise(candidate).text
        result = _read(kind, text)
    except UnmergeableError as error:
        return (GateResult(gate="parse", passed=False, detail=str(error)),)
    passed = GateResult(gate="parse", passed=True)
    written = {d.symbol for d in decisions if d.side is Side.NEITHER}
    free = bool(written)
    answered = {
        d.symbol
        for d in decisions
        if d.rule is not None or any(e.kind in _ANSWERS for e in d.evidence)
    }
    results = [passed]
    if isinstance(result, Mapping):
        results.append(_conserved(data, result, free=free, answered=answered))
    else:
        results.append(
            _kept(kind, texts, text, markdown=is_markdown(path), answered=bool(answered))
        )
    if kind not in {FormatKind.CHANGELOG, FormatKind.MARKUP, FormatKind.JSON, FormatKind.NOTEBOOK}:
        results.append(_comment_gate(comments, _comments(kind, text), answered=bool(answered)))
    if kind in {FormatKind.CHANGELOG, FormatKind.MARKUP}:
        results.append(_headings(path, texts, text))
    return tuple(results)


def parses(path: str, text: bytes) -> bool:
    """Whether a text is in the format of its path; true for a path without one."""
    kind = kind_of(path)
    if kind is None:
        return True
    try:
        _read(kind, normalise(text).text)
    except UnmergeableError:
        return False
    return True


def _read(kind: FormatKind, text: str) -> Mapping[str, Any] | None:
    """The data of a text as nested mappings; ``None`` for formats that are lists of lines.

    Raises:
        UnmergeableError: The text is not in the format.
    """
    if kind is FormatKind.TOML:
        return tomltext.load(text)
    if kind is FormatKind.JSON:
        return {"": jsontext.load(text)}
    if kind is FormatKind.NOTEBOOK:
        return _notebook(text)
    if kind is FormatKind.YAML:
        return {"": _plain_yaml(yamltext.load_node(text))}
    if kind is FormatKind.INI:
        parser = initext.load(text)
        found: dict[str, Any] = {
            name: {key: _value_lines(value) for key, value in parser.items(name)}
            for name in parser.sections()
        }
        found["DEFAULT"] = {key: _value_lines(value) for key, value in parser.defaults().items()}
        return found
    return None


def _value_lines(value: str | None) -> str | None:
    """An INI value without blank lines and indentation."""
    if value is None:
        return None
    return "\n".join(line.strip() for line in value.split("\n") if line.strip())


def _notebook(text: str) -> Mapping[str, Any]:
    data = jsontext.load(text)
    if not isinstance(data, dict) or not isinstance(data.get("cells"), list):
        raise UnmergeableError("not a notebook of format 4")
    ids = [cell["id"] for cell in data["cells"] if isinstance(cell, dict) and "id" in cell]
    if len(set(ids)) != len(ids):
        raise UnmergeableError("two cells share an id")
    for cell in data["cells"]:
        source = cell.get("source") if isinstance(cell, dict) else None
        if isinstance(source, list) and any(
            not isinstance(line, str) or not line.endswith("\n") for line in source[:-1]
        ):
            raise UnmergeableError("two source lines of a cell ran together")
    # Outputs and counts follow a rule of their own; everything else is conserved.
    rest = {key: value for key, value in data.items() if key != "cells"}
    return {"": rest}


def _plain_yaml(node: Any, depth: int = 0, seen: set[int] | None = None) -> Any:
    seen = set() if seen is None else seen
    if getattr(node, "anchor", None):
        # An alias stands for whatever its anchor says in this version.
        if id(node) in seen:
            return f"*{node.anchor}"
        seen.add(id(node))
    if depth > 100:
        raise UnmergeableError("YAML nested too deeply")
    if node is None:
        return None
    if node.id == "mapping":
        found: dict[str, Any] = {}
        for key, value in node.value:
            name = json.dumps(_plain_yaml(key, depth + 1, seen), default=str)
            if name in found:
                raise UnmergeableError("a YAML mapping holds a key twice")
            found[name] = _plain_yaml(value, depth + 1, seen)
        return found
    if node.id == "sequence":
        return [_plain_yaml(value, depth + 1, seen) for value in node.value]
    return f"{node.tag} {node.value}"


# -- values ------------------------------------------------------------------------------------


def _conserved(
    versions: ThreeWay[Mapping[str, Any] | None],
    result: Mapping[str, Any],
    *,
    free: bool,
    answered: Collection[str],
) -> GateResult:
    """Every value is what the three versions ask for; a contested one is one of the sides'."""
    problems: list[tuple[str, str]] = []
    base: Any = _ABSENT if versions.base is None else versions.base
    _compare(ThreeWay(base=base, ours=versions.ours, theirs=versions.theirs), result, "", problems)
    held = [
        text
        for path, text in problems
        if not any(
            symbol == path or path.startswith(f"{symbol}.") or not symbol for symbol in answered
        )
    ]
    if held and not free:
        return GateResult(gate="conserved", passed=False, detail="; ".join(held[:3]))
    return GateResult(gate="conserved", passed=True)


def _shown(key: object) -> str:
    """A key as dotted paths show it: of a YAML key its text, of a named element its name."""
    text = str(key)
    name, _, value = text.partition(": ")
    text = value if name in _IDENTITY and value else text
    if text.startswith('"') and text.endswith('"'):
        text = str(json.loads(text))
    return text.partition(" ")[2] if text.startswith("tag:yaml.org") else text


def _compare(
    versions: ThreeWay[Any], result: Any, path: str, problems: list[tuple[str, str]]
) -> None:
    side = settle(versions)
    if side is not None:
        if versions.get(side) != result:
            problems.append(
                (path, f"{path or 'the document'} is not what only {side.value} made it")
            )
        return
    base, ours, theirs = versions
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        if not isinstance(result, Mapping):
            problems.append((path, f"{path} is no mapping any more"))
            return
        old = base if isinstance(base, Mapping) else {}
        for key in {**old, **ours, **theirs, **result}:
            _compare(
                ThreeWay(
                    base=old.get(key, _ABSENT),
                    ours=ours.get(key, _ABSENT),
                    theirs=theirs.get(key, _ABSENT),
                ),
                result.get(key, _ABSENT),
                f"{path}.{_shown(key)}" if path else _shown(key),
                problems,
            )
        return
    if isinstance(ours, list) and isinstance(theirs, list):
        _compare_lists(versions, result, path, problems)
        return
    if result not in (ours, theirs):
        # Lines of a value that both sides changed (an INI value is one text of several lines).
        if all(isinstance(value, str) for value in (ours, theirs, result)):
            before = base.split("\n") if isinstance(base, str) else []
            _bounds(
                ThreeWay(base=before, ours=ours.split("\n"), theirs=theirs.split("\n")),
                result.split("\n"),
                path,
                problems,
            )
            return
        problems.append((path, f"{path} has a value of neither side"))


def _compare_lists(
    versions: ThreeWay[Any], result: Any, path: str, problems: list[tuple[str, str]]
) -> None:
    if not isinstance(result, list):
        problems.append((path, f"{path} is no list any more"))
        return
    base = versions.base if isinstance(versions.base, list) else []
    everything = [*base, *versions.ours, *versions.theirs, *result]
    if everything and all(isinstance(element, Mapping) for element in everything):
        named = [_named(elements) for elements in (base, versions.ours, versions.theirs, result)]
        if all(one is not None for one in named):
            _compare(
                ThreeWay(base=named[0], ours=named[1], theirs=named[2]), named[3], path, problems
            )
            return
    _bounds(
        ThreeWay(
            base=[_frozen(e) for e in base],
            ours=[_frozen(e) for e in versions.ours],
            theirs=[_frozen(e) for e in versions.theirs],
        ),
        [_frozen(e) for e in result],
        path,
        problems,
        strict=not any(isinstance(e, Mapping | list) for e in everything),
    )


def _named(elements: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """Elements by the first member that names each, if no two share a name."""
    found: dict[str, Any] = {}
    for element in elements:
        names = (
            f"{member}: {_frozen(element[name]).partition('@')[0]}"
            for member in _IDENTITY
            for name in (member, json.dumps(f"tag:yaml.org,2002:str {member}"))
            if name in element
        )
        name = next(names, None)
        if name is None or name in found:
            return None
        found[name] = element
    return found


def _frozen(value: Any) -> str:
    return json.dumps(value, default=str, sort_keys=True)


def _bounds(
    versions: ThreeWay[list[str]],
    result: list[str],
    path: str,
    problems: list[tuple[str, str]],
    *,
    strict: bool = True,
) -> None:
    """Count elements: what one side added is there, what nobody wrote is not."""
    b, o, t = (Counter(some) for some in versions)
    r = Counter(result)
    for element in {**o, **t, **b, **r}:
        counts = ThreeWay(base=b[element], ours=o[element], theirs=t[element])
        low, high = expected(counts)
        if not strict and r[element] == 0 and low:
            # Elements with structure may have been merged into each other.
            continue
        if not strict and not (b[element] or o[element] or t[element]):
            continue
        if not low <= r[element] <= high:
            what = "lost" if r[element] < low else "doubled or of neither side"
            problems.append((path, f"{path}: {element.strip()[:60]!r} is {what}"))


def expected(counts: ThreeWay[int]) -> tuple[int, int]:
    """How often something may stand in the result, from how often it stands in the versions."""
    side = settle(counts)
    low = counts.get(side) if side is not None else min(counts.ours, counts.theirs)
    high = max(counts.ours, counts.theirs, counts.ours + counts.theirs - counts.base)
    return low, high


# -- comments, lines, headings -------------------------------------------------------------------


def _comments(kind: FormatKind, text: str) -> Counter[str]:
    """Whole-line comments of a text."""
    marks = ("#", ";") if kind is FormatKind.INI else ("#",)
    return Counter(line.strip() for line in text.split("\n") if line.strip().startswith(marks))


def _comment_gate(
    versions: ThreeWay[Counter[str] | None], result: Counter[str], *, answered: bool
) -> GateResult:
    empty: Counter[str] = Counter()
    b, o, t = (some if some is not None else empty for some in versions)
    for comment in {**o, **t, **b, **result}:
        low, high = expected(ThreeWay(base=b[comment], ours=o[comment], theirs=t[comment]))
        if answered:
            low = 0
        if not low <= result[comment] <= high:
            what = "lost" if result[comment] < low else "doubled"
            return GateResult(
                gate="comments", passed=False, detail=f"the comment {comment[:60]!r} is {what}"
            )
    return GateResult(gate="comments", passed=True)


def _units(kind: FormatKind, text: str, *, markdown: bool = False) -> list[str]:
    """The lines or blocks that a text of this kind is a list of."""
    if kind is FormatKind.REQUIREMENTS:
        # Comments have a gate of their own; a remark below a requirement moves with it.
        nodes = lists.parse_requirements(text).children or ()
        return [f"{node.name} {node.value}" for node in nodes]
    if kind in {FormatKind.NAMES, FormatKind.PATTERNS}:
        return [str(node.value) for node in lists.parse_lines(text).children or ()]
    return [
        markup.words_of(block)
        for block in _blocks(
            markup.parse(text, markdown=markdown, changelog=kind is FormatKind.CHANGELOG)
        )
    ]


def _blocks(node: Node) -> Iterable[str]:
    if node.children is None:
        yield "".join(node.parts)
        return
    for child in node.children:
        yield from _blocks(child)


def _kept(
    kind: FormatKind,
    versions: ThreeWay[str | None],
    result: str,
    *,
    markdown: bool,
    answered: bool,
) -> GateResult:
    units = versions.map(lambda text: [] if text is None else _units(kind, text, markdown=markdown))
    there = _units(kind, result, markdown=markdown)
    counted: list[tuple[str, str]] = []
    _bounds(units, there, "the list", counted)
    problems = [text for _, text in counted if not (answered and text.endswith("is lost"))]
    if not problems:
        return GateResult(gate="conserved", passed=True)
    if kind in {FormatKind.CHANGELOG, FormatKind.MARKUP}:
        # A block that both sides edited is there in words of both.
        problems = [
            text
            for text in _lost_blocks(units, there)
            if not (answered and text.endswith("is lost"))
        ]
    elif kind is FormatKind.REQUIREMENTS and not answered:
        problems = _lost_requirements(units, there)
    if problems:
        return GateResult(gate="conserved", passed=False, detail="; ".join(problems[:3]))
    return GateResult(gate="conserved", passed=True)


def _lost_blocks(units: ThreeWay[list[str]], result: list[str]) -> list[str]:
    b, o, t = (Counter(some) for some in units)
    r = Counter(result)
    problems = []
    for unit in {**o, **t, **b, **r}:
        low, high = expected(ThreeWay(base=b[unit], ours=o[unit], theirs=t[unit]))
        if r[unit] > high:
            # Set phrases ("Unreleased") may leave one section and come into another on each side.
            if (o[unit] or t[unit] or b[unit]) and len(unit.split()) > 3:
                problems.append(f"{unit[:60]!r} is doubled")
        elif r[unit] < low and not any(fuzz.ratio(unit, other) >= 60 for other in r):
            problems.append(f"{unit[:60]!r} is lost")
    return problems


def _lost_requirements(units: ThreeWay[list[str]], result: list[str]) -> list[str]:
    names = units.map(lambda some: Counter(unit.split(" ")[0] for unit in some))
    there = Counter(unit.split(" ")[0] for unit in result)
    problems = []
    for name in {*names.ours, *names.theirs, *names.base, *there}:
        low, high = expected(names.map(lambda some: some[name]))  # noqa: B023
        if not low <= there[name] <= max(high, 1 if low else 0):
            problems.append(f"the requirement {name} is lost or doubled")
    sides = {*units.ours, *units.theirs}
    problems.extend(
        f"the requirement {unit} is of neither side" for unit in result if unit not in sides
    )
    return problems


def is_markdown(path: str) -> bool:
    """Whether a path is Markdown by its name."""
    return path.lower().endswith((".md", ".markdown", ".mdx"))


def _headings(path: str, versions: ThreeWay[str | None], result: str) -> GateResult:
    """No heading stands more often than in the side that has it most often."""
    markdown = is_markdown(path)

    def titles(text: str | None) -> Counter[str]:
        if text is None:
            return Counter()
        lines = [line + "\n" for line in text.split("\n")]
        return Counter(title for _, _, _, title in markup.find_headings(lines, markdown=markdown))

    ours, theirs, base = titles(versions.ours), titles(versions.theirs), titles(versions.base)
    for title, count in titles(result).items():
        _, high = expected(ThreeWay(base=base[title], ours=ours[title], theirs=theirs[title]))
        if count > high:
            return GateResult(
                gate="headings", passed=False, detail=f"the heading {title[:60]!r} is doubled"
            )
    return GateResult(gate="headings", passed=True)
