"""Line lists: requirements, ignore files, CODEOWNERS, AUTHORS, MANIFEST."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from mergewright.formats.document import Merged, UnmergeableError
from mergewright.formats.options import FormatOptions
from mergewright.formats.tree import Merger, Node
from mergewright.formats.versions import VersionStrategy
from mergewright.model.merge import Decider
from mergewright.model.threeway import ThreeWay

_COMMENT = re.compile(r"\s*#")
_REQUIREMENT = re.compile(
    r"\s*(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*(?P<extras>\[[^\]]*\])?\s*"
    r"(?P<spec>[^;#\s@][^;#]*?|@\s*\S+)?\s*(?P<marker>;[^#]*?)?\s*(?P<rest>\s#.*)?$",
    re.DOTALL,
)


def merge_requirements(
    versions: ThreeWay[str | None], path: str, options: FormatOptions, deciders: Sequence[Decider]
) -> Merged:
    """Merge three requirements files: line by line, requirements by name.

    Raises:
        UnmergeableError: A requirement stands twice, or both sides changed an option line.
    """
    trees = versions.map(lambda text: None if text is None else parse_requirements(text))
    _refuse_edited_options(trees)
    merger = Merger(
        path=path,
        disabled=options.disabled,
        deciders=deciders,
        strategies=(VersionStrategy(options=options),),
    )
    return _run(merger, trees)


def _refuse_edited_options(trees: ThreeWay[Node | None]) -> None:
    """Refuse where both sides replaced an option line: it has no name to know an edit by."""
    base, ours, theirs = trees.map(
        lambda tree: {
            node.key
            for node in (() if tree is None else tree.children or ())
            if node.kind == "line"
        }
    )
    if base - ours - theirs and ours - base - theirs and theirs - base - ours:
        raise UnmergeableError("both sides changed a line that is no plain requirement")


def merge_names(
    versions: ThreeWay[str | None],
    path: str,
    options: FormatOptions,
    deciders: Sequence[Decider],
) -> Merged:
    """Merge three lists of names, one a line, whose order is taste (AUTHORS, MANIFEST)."""
    trees = versions.map(lambda text: None if text is None else parse_lines(text))
    return _run(Merger(path=path, disabled=options.disabled, deciders=deciders), trees)


def merge_patterns(
    versions: ThreeWay[str | None],
    path: str,
    options: FormatOptions,
    deciders: Sequence[Decider],
) -> Merged:
    """Merge three lists of patterns in which a later line may override an earlier one."""
    trees = versions.map(
        lambda text: None if text is None else replace(parse_lines(text), listing="ordered")
    )
    owners = path.rpartition("/")[2].lower() in {"codeowners", ".gitattributes"}
    if owners:
        trees = trees.map(lambda tree: None if tree is None else _owned(tree))
    merger = Merger(path=path, disabled=options.disabled, deciders=deciders, united=_independent)
    return _run(merger, trees)


def _run(merger: Merger, trees: ThreeWay[Node | None]) -> Merged:
    fragments = merger.merge(trees)
    return Merged(fragments=fragments, decisions=merger.decisions, notes=merger.notes)


def _independent(path: str, nodes: Sequence[Node]) -> bool:  # noqa: ARG001 - the signature
    """Whether no pattern can match what another one matches, so that their order says nothing."""
    patterns = sorted({str(node.value).split()[0] for node in nodes})
    if any(pattern.startswith("!") for pattern in patterns):
        return False
    owners = any(node.kind == "owner" for node in nodes)
    if not owners:
        # Without a negation, ignore patterns only add: their order says nothing.
        return True
    if any(char in pattern for pattern in patterns for char in "*?["):
        return False
    plain = [pattern.strip("/") for pattern in patterns]
    return not any(
        one != two and (two.startswith(one + "/") or one == two) for one in plain for two in plain
    ) and all("/" in pattern.strip("/") or pattern.startswith("/") for pattern in patterns)


def parse_lines(text: str) -> Node:
    """Cut a list of lines: comments and blank lines lead the line behind them."""
    children: list[Node] = []
    lead = ""
    seen: dict[Hashable, int] = {}
    for line in _lines(text):
        if not line.strip() or _COMMENT.match(line):
            lead += line
            continue
        words = " ".join(line.split())
        seen[words] = seen.get(words, 0) + 1
        key: Hashable = words if seen[words] == 1 else (words, seen[words])
        children.append(
            Node(
                kind="line",
                key=key,
                name=words,
                lead=lead,
                parts=(line,),
                value=words,
                sorted_hint=words if not lead.strip() else None,
            )
        )
        lead = ""
    return Node(kind="document", key="", children=tuple(children), listing="set", tail=lead)


def _owned(tree: Node) -> Node:
    """CODEOWNERS, attributes: a pattern is the key, what it is given the value; the last wins."""
    children = []
    seen: Counter[str] = Counter()
    for child in tree.children or ():
        pattern = str(child.value).split()[0]
        seen[pattern] += 1
        key: Hashable = pattern if seen[pattern] == 1 else (pattern, seen[pattern])
        children.append(replace(child, kind="owner", key=key, name=pattern, sorted_hint=None))
    return replace(tree, children=tuple(children))


def _lines(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def parse_requirements(text: str) -> Node:
    """Cut a requirements file: a requirement with its continuation lines and indented remarks.

    Raises:
        UnmergeableError: A requirement stands twice.
    """
    children: list[Node] = []
    lead = ""
    lines = _lines(text)
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip() or _COMMENT.match(line):
            # pip-compile's remarks stand indented below their requirement.
            if children and not lead and line.strip() and line[0] in " \t" and "#" in line:
                last = children[-1]
                children[-1] = replace(last, parts=(*last.parts[:-1], last.parts[-1] + line))
            else:
                lead += line
            at += 1
            continue
        end = at + 1
        while lines[end - 1].rstrip("\n").endswith("\\") and end < len(lines):
            end += 1
        children.append(_requirement("".join(lines[at:end]), lead))
        lead = ""
        at = end
    return Node(kind="document", key="", children=tuple(children), listing="keyed", tail=lead)


def _requirement(text: str, lead: str) -> Node:
    first, newline, more = text.partition("\n")
    match = (
        None if first.lstrip().startswith("-") else _REQUIREMENT.match(first.rstrip("\\").rstrip())
    )
    if match is None:
        words = " ".join(text.split())
        return Node(
            kind="line",
            key=("line", words),
            name=words,
            lead=lead,
            parts=(text, "", ""),
            value=words,
        )
    name = canonicalize_name(match["name"])
    marker = " ".join((match["marker"] or "").strip("; ").split())
    end = match.end("spec") if match["spec"] else match.start("spec")
    if end < 0:
        end = match.end("extras") if match["extras"] else match.end("name")
    start = match.end("extras") if match["extras"] else match.end("name")
    spec = first[start:end]
    rest = first[end:] + newline + more
    try:
        Requirement(f"{match['name']}{spec.strip()}" if spec.strip() else match["name"])
    except InvalidRequirement:
        words = " ".join(text.split())
        return Node(
            kind="line",
            key=("line", words),
            name=words,
            lead=lead,
            parts=(text, "", ""),
            value=words,
        )
    return Node(
        kind="requirement",
        key=("requirement", name, marker),
        name=name,
        lead=lead,
        parts=(first[:start], spec, rest),
        value="".join(spec.split()),
        value_at=1,
        sorted_hint=name if not lead.strip() else None,
    )


_COMPILED = re.compile(
    rb"(?im)^#.*(?:autogenerated by (?:pip-compile|uv)|pip-compile-multi|generated by pip-tools)"
)


def is_compiled(data: bytes) -> bool:
    """Whether a requirements file was made by a resolver: a lock in all but name."""
    return _COMPILED.search(data[:2000]) is not None
