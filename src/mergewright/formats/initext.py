"""INI and cfg files: sections and options by name, multi-line values by line."""

from __future__ import annotations

import configparser
import re
from collections import Counter
from collections.abc import Hashable, Sequence

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from mergewright.formats.document import Merged, UnmergeableError
from mergewright.formats.options import FormatOptions
from mergewright.formats.tree import Choice, Leaf, Merger, Node, known
from mergewright.formats.versions import VersionStrategy
from mergewright.model.merge import Decider
from mergewright.model.threeway import Side, ThreeWay
from mergewright.text.merge import merge_sequences

_SECTION = re.compile(r"\[(?P<name>[^\]\n]+)\][^\n]*\n?")
_OPTION = re.compile(r"(?P<key>[^\s=:#;\[][^=:\n]*?)[ \t]*(?P<sign>[=:])[ \t]*(?P<value>[^\n]*)\n?")
_COMMENT = re.compile(r"[ \t]*[#;][^\n]*\n?")

#: Multi-line values whose lines are a set: both sides' additions are kept.
_SETS = frozenset(
    {"deps", "install_requires", "tests_require", "setup_requires", "requires", "classifiers",
     "classifier", "keywords", "packages", "include", "exclude", "omit", "source", "extras",
     "passenv", "pass_env", "allowlist_externals", "whitelist_externals", "ignore", "select",
     "extend-ignore", "extend-exclude", "per-file-ignores", "norecursedirs", "markers",
     "exclude_lines", "console_scripts", "pytest11", "project_urls", "known_first_party",
     "known_third_party", "skip", "dependencies", "requires-dist", "files"}
)  # fmt: skip
#: Sections all of whose multi-line values are sets.
_SET_SECTIONS = frozenset(
    {"options.extras_require", "options.entry_points", "options.package_data"}
)
#: One-line values that are lists of names, separated by commas.
_COMMA_SETS = frozenset(
    {"envlist", "env_list", "ignore", "select", "extend-ignore", "exclude", "skip"}
)


def merge(
    versions: ThreeWay[str | None], path: str, options: FormatOptions, deciders: Sequence[Decider]
) -> Merged:
    """Merge three INI texts.

    Raises:
        UnmergeableError: A text is not INI, or an option stands twice in a section.
    """
    trees = versions.map(lambda text: None if text is None else parse(text))
    merger = Merger(
        path=path,
        disabled=options.disabled,
        deciders=deciders,
        strategies=(
            VersionStrategy(options=options, pin_kinds=frozenset({"requirement"})),
            _comma_lists,
        ),
        united=_united,
    )
    fragments = merger.merge(trees)
    return Merged(fragments=fragments, decisions=merger.decisions, notes=merger.notes)


def _united(path: str, nodes: Sequence[Node]) -> bool:
    section, _, option = path.rpartition(".")
    known_set = option.lower() in _SETS or section in _SET_SECTIONS
    return known_set and all(node.kind in {"line", "requirement"} for node in nodes)


def _comma_lists(leaf: Leaf) -> Choice | None:
    """Merge a one-line list of names element by element."""
    if any(node is None for node in leaf.nodes):
        return None
    name = leaf.path.rpartition(".")[2]
    texts = leaf.nodes.map(lambda node: known(node).parts[known(node).value_at])
    base, ours, theirs = texts.map(lambda text: names_of(name, text))
    if base is None or ours is None or theirs is None:
        return None
    out: list[str] = []
    for what, *runs in merge_sequences(ThreeWay(base=base, ours=ours, theirs=theirs)):
        words = zip((base, ours, theirs), runs, strict=True)
        b, o, t = (names[run.start : run.stop] for names, run in words)
        if what == "conflict":
            gone = (set(b) - set(o)) & (set(b) - set(t))
            if gone or set(b) - set(o) or set(b) - set(t):
                return None
            out.extend([*o, *(word for word in t if word not in o)])
        else:
            out.extend(o if what == "ours" else t)
    if len(set(out)) != len(out):
        return None
    joint = "," if "," in texts.ours and ", " not in texts.ours else ", "
    return Choice(
        side=Side.BOTH,
        strategy="union",
        reason="both sides changed different names of the list",
        value_text=joint.join(out),
    )


def names_of(option: str, text: str) -> list[str] | None:
    """The names of an option that lists them in one line, else ``None``.

    Commas in braces (``py{38,39}``) divide none of them.
    """
    if option.lower() not in _COMMA_SETS or "\n" in text:
        return None
    words = [""]
    depth = 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if depth < 0:
            return None
        if char == "," and not depth:
            words.append("")
        else:
            words[-1] += char
    return None if depth else [word.strip() for word in words]


def load(text: str) -> configparser.RawConfigParser:
    """Parse strictly.

    Raises:
        UnmergeableError: Not INI, or a section or option twice.
    """
    parser = configparser.RawConfigParser(strict=True, allow_no_value=True)
    # Keys keep their case: `optionxform` is an attribute to be replaced.
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise UnmergeableError(f"not INI: {str(error).splitlines()[0]}") from error
    return parser


def parse(text: str) -> Node:
    """Cut an INI text into spans.

    Raises:
        UnmergeableError: Not INI, an option twice, or a layout that the scanner does not follow.
    """
    load(text)
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    if not lines[-1]:
        lines.pop()
    sections: list[Node] = []
    options: list[Node] = []
    header: tuple[str, str, str] | None = None
    lead = ""
    at = 0

    def close(tail: str = "") -> None:
        nonlocal options
        if header is not None:
            name, own_lead, head = header
            sections.append(
                Node(
                    kind="section", key=name, name=name, lead=own_lead, parts=(head,),
                    value=name, children=tuple(options), tail=tail,
                )
            )  # fmt: skip
        elif options or tail:
            sections.append(Node(kind="section", key="", children=tuple(options), tail=tail))
        options = []

    while at < len(lines):
        line = lines[at]
        if not line.strip() or _COMMENT.fullmatch(line):
            lead += line
            at += 1
            continue
        match = _SECTION.fullmatch(line)
        if match and line[0] == "[":
            close()
            header = (match["name"], lead, line)
            lead = ""
            at += 1
            continue
        if line[0] in " \t":
            raise UnmergeableError("an indented line outside a value")
        end = at + 1
        while end < len(lines) and (
            (lines[end][0] in " \t" and lines[end].strip())
            or (not lines[end].strip() and _continues(lines, end))
            or (_COMMENT.fullmatch(lines[end]) and _continues(lines, end))
        ):
            end += 1
        options.append(_option(lines[at:end], lead))
        lead = ""
        at = end
    close(lead)
    root = Node(kind="document", key="", children=tuple(sections))
    if root.text != text:
        raise UnmergeableError("internal: the spans do not cover the text")
    return root


def _continues(lines: list[str], at: int) -> bool:
    """Whether a value goes on behind blank lines and comments."""
    while at < len(lines) and (not lines[at].strip() or _COMMENT.fullmatch(lines[at])):
        if lines[at][0] in " \t" and lines[at].strip():
            return True
        at += 1
    return at < len(lines) and lines[at][0] in " \t"


def _option(lines: list[str], lead: str) -> Node:
    match = _OPTION.fullmatch(lines[0])
    if match is None:
        key = lines[0].strip()
        if len(lines) > 1:
            raise UnmergeableError("a layout that the scanner does not follow")
        return Node(
            kind="option",
            key=key,
            name=key,
            lead=lead,
            parts=(lines[0], ""),
            value=None,
            value_at=1,
        )
    key = match["key"]
    prefix = lines[0][: match.start("value")]
    rest = lines[0][match.end("value") :]
    if len(lines) == 1:
        return Node(
            kind="option",
            key=key,
            name=key,
            lead=lead,
            parts=(
                prefix,
                match["value"].rstrip(),
                match["value"][len(match["value"].rstrip()) :] + rest,
            ),
            value=" ".join(match["value"].split()),
            value_at=1,
        )
    return Node(
        kind="list",
        key=key,
        name=key,
        lead=lead,
        parts=(lines[0],),
        value=" ".join(lines[0].split()),
        children=tuple(_value_lines(lines[1:])),
        listing="ordered",
    )


def _value_lines(lines: list[str]) -> list[Node]:
    nodes: list[Node] = []
    seen: Counter[Hashable] = Counter()
    blank = ""
    for line in lines:
        text = line.strip()
        if not text or text.startswith("#"):
            blank += line
            continue
        key: Hashable = ("line", text)
        kind = "line"
        name = requirement_key(text)
        if name is not None:
            kind, key = "requirement", name
        seen[key] += 1
        if seen[key] > 1:
            key = (key, seen[key])
        nodes.append(
            Node(
                kind=kind, key=key, name="", lead=blank, parts=(line,), value=" ".join(text.split())
            )
        )
        blank = ""
    if blank:
        # Trailing comments stand for themselves: a list's end is no place to hang them on.
        nodes.append(
            Node(
                kind="remark", key=("remark", blank), parts=(blank,), value=" ".join(blank.split())
            )
        )
    return nodes


def requirement_key(text: str) -> tuple[str, ...] | None:
    """Identity of a pinned requirement, also behind a tox factor (``py36: name>=1``)."""
    factor, _, rest = text.rpartition(": ")
    try:
        parsed = Requirement(rest.split(" #")[0].strip())
    except InvalidRequirement:
        return None
    if not parsed.specifier:
        return None
    return ("requirement", factor, canonicalize_name(parsed.name), str(parsed.marker or ""))
