"""What a merged text must satisfy before it is believed.

The gates read the candidate and the versions afresh with the formats' own parsers (json, tomllib,
ruamel.yaml, configparser), not with the spans that the engines cut, so that a wrong cut is found.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from packaging.utils import canonicalize_name
from rapidfuzz import fuzz

from mergewright.formats import initext, jsontext, lists, markup, tomltext, yamltext
from mergewright.formats.document import UnmergeableError, normalise
from mergewright.formats.kinds import FormatKind, kind_of
from mergewright.formats.tree import Node
from mergewright.model.resolution import Decision, EvidenceKind, GateResult, Outcome, Place
from mergewright.model.threeway import Side, ThreeWay, settle

_IDENTITY = ("id", "name", "repo", "key", "path", "url", "module", "uses")
_ABSENT = object()
#: Dotted paths of lists of packages, and how such a list names one.
_NEEDS = re.compile(r"(?i)requires|dependenc|constraint")
_PACKAGE = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:$|[\[<>=!~;@ ])")
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
    answers = [d for d in decisions if _is_answer(d)]
    if any(_gives_all(d, text, texts) for d in answers):
        return (passed,)
    places = [_Texts.of(d.place) for d in answers if d.place is not None]
    results = [passed]
    if isinstance(result, Mapping):
        unnamed = [_Texts.of(d.place) for d in answers if d.place is not None and not d.symbol]
        data = _as_answered(kind, texts, unnamed) or data
        results.append(_conserved(data, result, _freed(answers)))
    else:
        results.append(_kept(kind, texts, text, places, markdown=is_markdown(path)))
    if kind not in {FormatKind.CHANGELOG, FormatKind.MARKUP, FormatKind.JSON, FormatKind.NOTEBOOK}:
        there = [_comments(kind, place.text) for place in places]
        before = [place.versions.map(lambda part: _comments(kind, part)) for place in places]
        results.append(_comment_gate(*_apart(comments, _comments(kind, text), before, there)))
    if kind in {FormatKind.CHANGELOG, FormatKind.MARKUP}:
        results.append(_headings(path, texts, text))
    return tuple(results)


# -- answers -------------------------------------------------------------------------------------


def _is_answer(decision: Decision) -> bool:
    """Whether rules, history or memory decided: what a side lost there is no loss."""
    if decision.outcome is not Outcome.RESOLVED:
        return False
    if not decision.symbol and decision.place is None and decision.rule is None:
        # A newer base of the whole file is no answer about any of its places.
        return decision.side is Side.NEITHER
    return (
        decision.side is Side.NEITHER
        or decision.rule is not None
        or any(evidence.kind in _ANSWERS for evidence in decision.evidence)
    )


def _gives_all(answer: Decision, result: str, texts: ThreeWay[str | None]) -> bool:
    """Whether an answer is about the whole file, and the result what it gives."""
    if answer.symbol or answer.place is not None:
        return False
    if answer.side in {Side.BASE, Side.OURS, Side.THEIRS}:
        return texts.get(answer.side) == result
    return True


@dataclass(frozen=True, kw_only=True)
class _Texts:
    """An answered place as text: the versions, and what stands there now."""

    versions: ThreeWay[str]
    text: str

    @classmethod
    def of(cls, place: Place) -> _Texts:
        def lines(data: bytes | None) -> str:
            text = (data or b"").decode("utf-8", "replace").replace("\r\n", "\n")
            return text + "\n" if text and not text.endswith("\n") else text

        return cls(versions=place.versions.map(lines), text=lines(place.text))


def _freed(answers: Iterable[Decision]) -> dict[str, list[str] | None]:
    """Dotted paths that answers were about, each with the texts of the place where those are known."""
    found: dict[str, list[str] | None] = {}
    for answer in answers:
        if not answer.symbol:
            continue
        known = found.setdefault(answer.symbol, [])
        if answer.place is None or known is None:
            found[answer.symbol] = None
            continue
        place = _Texts.of(answer.place)
        known.extend((*place.versions, place.text))
    return found


def _as_answered(
    kind: FormatKind, texts: ThreeWay[str | None], places: Sequence[_Texts]
) -> ThreeWay[Mapping[str, Any] | None] | None:
    """The data of the versions as if both sides had agreed on what was answered.

    A place without a name is found by its lines. ``None`` where there is none, or a text would not be in
    its format any more; a place that is not found stays what the versions say.
    """
    if not places:
        return None
    versions = {side: texts.get(side) for side in (Side.BASE, Side.OURS, Side.THEIRS)}
    for place in places:
        for side in (Side.OURS, Side.THEIRS):
            old = place.versions.get(side)
            if old == place.text:
                continue
            # Where the side has no lines to replace, base lets them go as well: then the side that
            # has them is the only one that did something.
            where, old, new = (
                (side, old, place.text) if old else (Side.BASE, place.versions.base, "")
            )
            text = versions[where]
            if text and old and f"\n{text}".count(f"\n{old}") == 1:
                versions[where] = f"\n{text}".replace(f"\n{old}", f"\n{new}")[1:]
    try:
        return ThreeWay(
            base=versions[Side.BASE], ours=versions[Side.OURS], theirs=versions[Side.THEIRS]
        ).map(lambda text: None if text is None else _read(kind, text))
    except UnmergeableError:
        return None


def _apart(
    versions: ThreeWay[Counter[str] | None],
    result: Counter[str],
    before: Iterable[ThreeWay[Counter[str]]],
    there: Iterable[Counter[str]],
) -> tuple[ThreeWay[Counter[str]], Counter[str]]:
    """What the texts hold outside the answered places."""
    outside: ThreeWay[Counter[str]] = versions.map(lambda some: Counter(some or ()))
    for place in before:
        outside = ThreeWay(
            base=outside.base - place.base,
            ours=outside.ours - place.ours,
            theirs=outside.theirs - place.theirs,
        )
    rest = Counter(result)
    for place_now in there:
        rest -= place_now
    return outside, rest


# -- reading -------------------------------------------------------------------------------------


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
            name: {key: _option(key, value) for key, value in parser.items(name)}
            for name in parser.sections()
        }
        found["DEFAULT"] = {key: _option(key, value) for key, value in parser.defaults().items()}
        return found
    return None


def _option(name: str, value: str | None) -> list[str] | str | None:
    """An INI value without blank lines and indentation; a list of names in one line as a list."""
    if value is None:
        return None
    names = initext.names_of(name, value)
    if names is not None:
        return names
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


@dataclass(frozen=True, kw_only=True)
class _Problem:
    """What is wrong at a dotted path; for a list, with which of its elements."""

    path: str
    text: str
    element: str | None = None

    def excused(self, freed: Mapping[str, list[str] | None]) -> bool:
        """Whether an answer was about just this."""
        for symbol, texts in freed.items():
            if self.path.startswith(f"{symbol}."):
                return True
            if self.path == symbol and (
                texts is None
                or self.element is None
                or any(_plain(self.element) in text for text in texts)
            ):
                return True
        return False


def _plain(element: str) -> str:
    """A list's element as it is written in its file."""
    try:
        value = json.loads(element)
    except ValueError:
        return element
    text = value if isinstance(value, str) else element
    return text.partition(" ")[2] if text.startswith("tag:yaml.org") else text


def _conserved(
    versions: ThreeWay[Mapping[str, Any] | None],
    result: Mapping[str, Any],
    freed: Mapping[str, list[str] | None],
) -> GateResult:
    """Every value is what the three versions ask for; a contested one is one of the sides'."""
    problems: list[_Problem] = []
    base: Any = _ABSENT if versions.base is None else versions.base
    _compare(ThreeWay(base=base, ours=versions.ours, theirs=versions.theirs), result, "", problems)
    held = [problem.text for problem in problems if not problem.excused(freed)]
    if held:
        return GateResult(gate="conserved", passed=False, detail="; ".join(held[:3]))
    return GateResult(gate="conserved", passed=True)


def _shown(key: object) -> str:
    """A key as dotted paths show it: of a YAML key its text, of a named element its name."""
    text = str(key)
    name, _, value = text.partition(": ")
    text = value if name in _IDENTITY and value else text
    if text.startswith('"') and text.endswith('"'):
        # The key of a JSON text may itself be no more than quotes.
        with contextlib.suppress(ValueError):
            text = str(json.loads(text))
    return text.partition(" ")[2] if text.startswith("tag:yaml.org") else text


def _compare(versions: ThreeWay[Any], result: Any, path: str, problems: list[_Problem]) -> None:
    side = settle(versions)
    if side is not None:
        if versions.get(side) != result:
            problems.append(
                _Problem(
                    path=path,
                    text=f"{path or 'the document'} is not what only {side.value} made it",
                )
            )
        return
    base, ours, theirs = versions
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        if not isinstance(result, Mapping):
            problems.append(_Problem(path=path, text=f"{path} is no mapping any more"))
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
    of_a_side = result in (ours, theirs)
    if all(isinstance(value, str) for value in (ours, theirs, result)):
        # Lines of a value that both sides changed (an INI value is one text of several lines).
        before = base.split("\n") if isinstance(base, str) else []
        lines = ThreeWay(base=before, ours=ours.split("\n"), theirs=theirs.split("\n"))
        there = result.split("\n")
        _bounds(lines, there, path, problems, lossy=of_a_side)
        _needed_once(lines, there, path, problems)
    elif not of_a_side:
        problems.append(_Problem(path=path, text=f"{path} has a value of neither side"))


def _compare_lists(
    versions: ThreeWay[Any], result: Any, path: str, problems: list[_Problem]
) -> None:
    if not isinstance(result, list):
        problems.append(_Problem(path=path, text=f"{path} is no list any more"))
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
    texts = ThreeWay(base=base, ours=versions.ours, theirs=versions.theirs).map(
        lambda elements: [_frozen(element) for element in elements]
    )
    there = [_frozen(element) for element in result]
    strict = not any(isinstance(element, Mapping | list) for element in everything)
    _bounds(texts, there, path, problems, strict=strict)
    _needed_once(texts, there, path, problems)


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
    problems: list[_Problem],
    *,
    strict: bool = True,
    lossy: bool = False,
) -> None:
    """Count elements: what one side added is there, what nobody wrote is not.

    Args:
        versions: The elements of the versions.
        result: Those of the result.
        path: Where they stand.
        problems: Takes what is wrong.
        strict: Whether elements are plain, so that none is merged of two.
        lossy: Whether one side was taken as it is: then of the elements of both, what the side has.
    """
    b, o, t = (Counter(some) for some in versions)
    r = Counter(result)
    for element in {**o, **t, **b, **r}:
        counts = ThreeWay(base=b[element], ours=o[element], theirs=t[element])
        low, high = expected(counts, once=True)
        if not strict and r[element] == 0 and low:
            # Elements with structure may have been merged into each other.
            continue
        if not strict and not (b[element] or o[element] or t[element]):
            continue
        if lossy and (r[element] < low or not b[element]):
            continue
        if not low <= r[element] <= high:
            what = "lost" if r[element] < low else "doubled, back again or of neither side"
            text = f"{path}: {element.strip()[:60]!r} is {what}"
            problems.append(_Problem(path=path, text=text, element=element))


def _needed_once(
    versions: ThreeWay[list[str]], result: list[str], path: str, problems: list[_Problem]
) -> None:
    """No package is required more often than by a side: two lines of both sides contradict each other."""
    if _NEEDS.search(path) is None:
        return
    ours, theirs, there = (
        Counter(
            canonicalize_name(found.group(1))
            for found in map(_PACKAGE.match, map(_plain, elements))
            if found is not None
        )
        for elements in (versions.ours, versions.theirs, result)
    )
    problems.extend(
        _Problem(path=path, text=f"{path}: {name} is required twice")
        for name, count in there.items()
        if count > max(ours[name], theirs[name])
    )


def expected(counts: ThreeWay[int], *, once: bool = False) -> tuple[int, int]:
    """How often something may stand in the result, from how often it stands in the versions.

    Args:
        counts: How often it stands there.
        once: Whether what both sides added at different places, or one moved and the other took away, is
            a fault; else both edits may stand.
    """
    side = settle(counts)
    low = counts.get(side) if side is not None else min(counts.ours, counts.theirs)
    if once:
        return low, max(counts.ours, counts.theirs) if side is None else low
    high = max(counts.ours, counts.theirs, counts.ours + counts.theirs - counts.base)
    return low, high


# -- comments, lines, headings -------------------------------------------------------------------


def _comments(kind: FormatKind, text: str) -> Counter[str]:
    """Whole-line comments of a text."""
    marks = ("#", ";") if kind is FormatKind.INI else ("#",)
    return Counter(line.strip() for line in text.split("\n") if line.strip().startswith(marks))


def _comment_gate(versions: ThreeWay[Counter[str]], result: Counter[str]) -> GateResult:
    b, o, t = versions
    for comment in {**o, **t, **b, **result}:
        low, high = expected(ThreeWay(base=b[comment], ours=o[comment], theirs=t[comment]))
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
    places: Sequence[_Texts],
    *,
    markdown: bool,
) -> GateResult:
    def units(text: str | None) -> list[str]:
        return [] if text is None else _units(kind, text, markdown=markdown)

    # Blocks of prose go over the ends of a place; all else is counted outside the answered places.
    prose = kind in {FormatKind.CHANGELOG, FormatKind.MARKUP}
    apart = [] if prose else places
    outside, rest = _apart(
        versions.map(lambda text: Counter(units(text))),
        Counter(units(result)),
        [place.versions.map(lambda part: Counter(units(part))) for place in apart],
        [Counter(units(place.text)) for place in apart],
    )
    texts, there = outside.map(lambda some: list(some.elements())), list(rest.elements())
    counted: list[_Problem] = []
    _bounds(texts, there, "the list", counted)
    problems = [problem.text for problem in counted]
    if problems and prose:
        # A block that both sides edited is there in words of both.
        chosen = [markup.words_of(text) for place in places for text in place.versions]
        problems = [
            f"{unit[:60]!r} is {what}"
            for unit, what in _lost_blocks(texts, there)
            if not (what == "lost" and any(unit in words for words in chosen))
        ]
    elif problems and kind is FormatKind.REQUIREMENTS:
        problems = _lost_requirements(texts, there)
    if problems:
        return GateResult(gate="conserved", passed=False, detail="; ".join(problems[:3]))
    return GateResult(gate="conserved", passed=True)


def _lost_blocks(units: ThreeWay[list[str]], result: list[str]) -> list[tuple[str, str]]:
    b, o, t = (Counter(some) for some in units)
    r = Counter(result)
    problems = []
    for unit in {**o, **t, **b, **r}:
        low, high = expected(ThreeWay(base=b[unit], ours=o[unit], theirs=t[unit]), once=True)
        if r[unit] > high:
            # Set phrases ("Unreleased") may leave one section and come into another on each side.
            if (o[unit] or t[unit] or b[unit]) and len(unit.split()) > 3:
                problems.append((unit, "doubled"))
        elif r[unit] < low and not any(fuzz.ratio(unit, other) >= 60 for other in r):
            problems.append((unit, "lost"))
    return problems


def _lost_requirements(units: ThreeWay[list[str]], result: list[str]) -> list[str]:
    names = units.map(lambda some: Counter(unit.split(" ")[0] for unit in some))
    there = Counter(unit.split(" ")[0] for unit in result)
    problems = []
    for name in {*names.ours, *names.theirs, *names.base, *there}:
        low, high = expected(names.map(lambda some: some[name]), once=True)  # noqa: B023
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
