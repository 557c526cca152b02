"""Markdown, reStructuredText and changelogs: sections, then blocks, then words.

A text is cut into sections by its headings and each section into blocks: bullets with what is
indented below them, paragraphs, fenced code, directives, tables. Sections are matched by title (in
a changelog by the version in it), blocks by their words; an edited block is recognised by
similarity, so that an edit is never taken for a removal and an addition.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise

from packaging.version import InvalidVersion, Version
from rapidfuzz import fuzz

from mergewright.formats.document import Merged, UnmergeableError
from mergewright.formats.options import FormatOptions
from mergewright.formats.releases import leave_doubled
from mergewright.formats.tree import Choice, Leaf, LeafStrategy, Merger, Node, known
from mergewright.formats.versions import pick, split_version
from mergewright.model.merge import Decider
from mergewright.model.threeway import Side, ThreeWay
from mergewright.text.contained import WORD
from mergewright.text.diff import matches
from mergewright.text.merge import merge_sequences, merged_sequence

_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])\1+\s*$")
_ATX = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_BOLD_VERSION = re.compile(r"\*\*[^*]*\d+\.\d[^*]*\*\*\s*$")
_BULLET = re.compile(r"([ \t]*)(?:(?:[-*+•‣⁃]|\d+[.)]|#\.|\([0-9a-z]\))[ \t]+\S|[*-]\s*$)")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_TABLE_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_VERSION_IN_TITLE = re.compile(
    r"\d+(?:\.(?:\d+|x))+(?:[-_.]?[a-zA-Z]+[-_.]?\d*)*|\bv?\d+(?=\s*\(|\s*$)"
)
_TARGET = re.compile(r"\.\. _[^:]+:\s*$|<a (?:name|id)=[^>]*>\s*(?:</a>)?\s*$")
_LINK = re.compile(r"(?:\.\. _[^:]+:|\[[^\]]+\]:)[ \t]+(?=\S)")
_DIRECTIVE = re.compile(r"\.\. ([a-z-]+)::")
# Directives whose content is one entry a line.
_LINE_LISTS = frozenset({"toctree", "autosummary"})
_RULES = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_WORDS = re.compile(rf"\s+|{WORD}|[^\w\s]+")

_UNRELEASED = re.compile(r"unreleased|not yet|in development|to be|\.dev\d*\b|\?\?", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}|\b(?:19|20)\d{2}\b")

# A block of the other side's version that is at least this similar is the same block, edited.
_EDITED = 60.0
# Two insertions that are at least this similar say the same thing in two ways.
_TWINS = 90.0
# Pairs of blocks that are compared at one place.
_PAIRS = 250_000
# Words that must stand unchanged between one side's edit of a paragraph and the other's.
_WORDS_BETWEEN = 4
# A section whose blocks are kept to this share under another heading was renamed.
_RENAMED = 0.5
# A section that grew under its new heading still has this share of its old blocks; so many blocks of
# so many characters must be there to tell.
_GREW = 0.6
_SEVERAL = 3
_SUBSTANTIAL = 25


def merge_changelog(
    versions: ThreeWay[str | None], path: str, options: FormatOptions, deciders: Sequence[Decider]
) -> Merged:
    """Merge three changelogs: version by version, bullet by bullet.

    Raises:
        UnmergeableError: A section stands twice in one version in a way that cannot be matched.
    """
    return _merge(versions, path, options, deciders, changelog=True)


def merge_document(
    versions: ThreeWay[str | None], path: str, options: FormatOptions, deciders: Sequence[Decider]
) -> Merged:
    """Merge three texts in Markdown or reStructuredText.

    Raises:
        UnmergeableError: As for :func:`merge_changelog`.
    """
    return _merge(versions, path, options, deciders, changelog=False)


def _merge(
    versions: ThreeWay[str | None],
    path: str,
    options: FormatOptions,
    deciders: Sequence[Decider],
    *,
    changelog: bool,
) -> Merged:
    markdown = path.lower().endswith((".md", ".markdown", ".mdx"))
    trees: ThreeWay[Node | None] = versions.map(
        lambda text: None if text is None else parse(text, markdown=markdown, changelog=changelog)
    )
    versions_cut = trees
    trees = _aligned(trees)
    strategies: list[LeafStrategy] = [HeadingVersion(options=options), _prose(options)]
    merger = Merger(
        path=path,
        disabled=options.disabled,
        deciders=deciders,
        strategies=strategies,
        united=_united_bullets,
        edits_known=True,
        by_lines=True,
        separator=" / ",
    )
    fragments = merger.merge(trees)
    if changelog:
        whole = "".join(f if isinstance(f, str) else f.versions.ours for f in fragments)
        result = parse(whole, markdown=markdown, changelog=True)
        fragments, left = leave_doubled(fragments, versions_cut, result)
        merger.decisions += left
    return Merged(fragments=fragments, decisions=merger.decisions, notes=merger.notes)


def _united_bullets(path: str, nodes: Sequence[Node]) -> bool:  # noqa: ARG001 - the signature
    return all(node.kind in {"bullet", "row"} for node in nodes)


class HeadingVersion:
    """Both sides renamed a heading by its version alone: the larger, if the options say so."""

    def __init__(self, *, options: FormatOptions) -> None:
        self._options = options

    def __call__(self, leaf: Leaf) -> Choice | None:
        """The side with the larger version, when nothing else of the heading differs."""
        if any(node is not None and node.kind != "section" for node in leaf.nodes):
            return None
        released = _released(leaf)
        if released is not None:
            return released
        if leaf.nodes.base is None:
            return None
        found = leaf.nodes.map(lambda node: split_version(str(known(node).value)))
        if (
            any(one is None for one in found)
            or len({(one[0], one[2]) for one in found if one}) != 1
        ):
            return None
        answer = pick(
            found.map(lambda one: None if one is None else one[1]), self._options.versions
        )
        if answer is None:
            return None
        return Choice(
            side=answer[0], strategy=f"{self._options.versions}-version", reason=answer[1]
        )


def _released(leaf: Leaf) -> Choice | None:
    """One side dated a version that the other still calls unreleased: the date is the newer word."""
    titles = leaf.nodes.map(lambda node: str(known(node).value) if node is not None else "")
    keys = {title_key(title, changelog=True) for title in titles if title}
    if len(keys) != 1 or next(iter(keys))[0] != "version":
        return None
    open_ours, open_theirs = (bool(_UNRELEASED.search(t)) for t in (titles.ours, titles.theirs))
    dated_ours, dated_theirs = (bool(_DATE.search(t)) for t in (titles.ours, titles.theirs))
    if open_ours and dated_theirs and not dated_ours:
        side = Side.THEIRS
    elif open_theirs and dated_ours and not dated_theirs:
        side = Side.OURS
    else:
        return None
    return Choice(
        side=side,
        strategy="released",
        reason=f"{side.value} dated the version that {side.other.value} still calls unreleased",
    )


def _prose(options: FormatOptions) -> LeafStrategy:
    def combine(leaf: Leaf) -> Choice | None:
        base, ours, theirs = leaf.nodes
        if base is None or ours is None or theirs is None:
            return None
        if base.kind not in {"paragraph", "bullet", "row", "code"}:
            return None
        texts = leaf.nodes.map(lambda node: known(node).parts[known(node).value_at])
        merged = merge_text_lines(texts)
        how = "line"
        if merged is None and options.prose and base.kind != "code":
            merged = merge_words(texts)
            how = "word"
        if merged is None:
            return None
        reason = f"both sides edited it, no common {how} and none beside the other's"
        return Choice(side=Side.BOTH, strategy=f"combine-{how}s", reason=reason, value_text=merged)

    return combine


def merge_text_lines(texts: ThreeWay[str]) -> str | None:
    """The line merge of three texts; ``None`` when it leaves a conflict or doubles a line."""
    lines = texts.map(lambda text: text.splitlines(keepends=True))
    merged = merged_sequence(ThreeWay(base=lines.base, ours=lines.ours, theirs=lines.theirs))
    if merged is None:
        return None
    # A line that both sides added at different places would stand twice.
    often, ours, theirs = Counter(merged), Counter(lines.ours), Counter(lines.theirs)
    if any(n > max(ours[line], theirs[line]) for line, n in often.items() if line.strip()):
        return None
    return "".join(merged)


def merge_words(texts: ThreeWay[str]) -> str | None:
    """The merge by words of three texts that differ in few of them; ``None`` when in doubt.

    Runs of blanks count as one word whatever they are, so a re-wrapped paragraph is no edit.
    """
    words = texts.map(_WORDS.findall)
    tokens = words.map(lambda some: [" " if word.isspace() else word for word in some])
    for side in (tokens.ours, tokens.theirs):
        if fuzz.ratio(tokens.base, side) < _EDITED:
            return None
    out: list[str] = []
    # Words of prose hang together: edits need stable words between them.
    edited: str | None = None
    stable = _WORDS_BETWEEN
    for what, base, ours, theirs in merge_sequences(
        ThreeWay(base=tokens.base, ours=tokens.ours, theirs=tokens.theirs)
    ):
        if what == "conflict":
            return None
        old = tokens.base[base.start : base.stop]
        changed = {
            side
            for side, now in (
                ("ours", tokens.ours[ours.start : ours.stop]),
                ("theirs", tokens.theirs[theirs.start : theirs.stop]),
            )
            if now != old
        }
        if changed:
            one = "".join(sorted(changed))
            if edited is not None and one != edited and stable < _WORDS_BETWEEN:
                return None
            edited, stable = one, 0
        else:
            stable += sum(word != " " for word in old)
        source, run = (words.ours, ours) if what == "ours" else (words.theirs, theirs)
        if (
            what == "ours"
            and tokens.base[base.start : base.stop] == tokens.ours[ours.start : ours.stop]
        ):
            # Stable in meaning: the blanks of the side that re-wrapped, if one did.
            pieces = ThreeWay(
                base="".join(words.base[base.start : base.stop]),
                ours="".join(words.ours[ours.start : ours.stop]),
                theirs="".join(words.theirs[theirs.start : theirs.stop]),
            )
            out.append(pieces.theirs if pieces.ours == pieces.base else pieces.ours)
            continue
        out.extend(source[run.start : run.stop])
    return "".join(out)


# -- parsing -----------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def parse(text: str, *, markdown: bool, changelog: bool) -> Node:
    """Cut a text into sections and blocks; joining their spans gives the text back.

    Engine and gates ask for the same texts; a tree is a value that nobody changes.
    """
    lines = _split(text)
    headings = find_headings(lines, markdown=markdown)
    if changelog:
        headings = _flattened(headings)
    root, _ = _section(lines, headings, -1, 0, changelog=changelog)
    if root.text != text:
        raise UnmergeableError("internal: the sections do not cover the text")
    return root


def _split(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _flattened(headings: list[tuple[int, int, int, str]]) -> list[tuple[int, int, int, str]]:
    """Make the versions of a changelog siblings of its title: a title that goes takes none along."""
    levels = [
        level for _, _, level, title in headings if title_key(title, changelog=True)[0] == "version"
    ]
    if not levels:
        return headings
    floor = min(levels)
    return [(at, end, max(level, floor), title) for at, end, level, title in headings]


def find_headings(lines: list[str], *, markdown: bool) -> list[tuple[int, int, int, str]]:
    """All headings as (first line, line after, level from 0, title)."""
    styles: list[str] = []
    found: list[tuple[int, int, int, str]] = []
    at = 0
    fence = ""
    while at < len(lines):
        line = lines[at].rstrip("\n")
        match = _FENCE.match(line) if markdown else None
        if match and not fence:
            fence = match.group(1)[:3]
            at += 1
            continue
        if fence:
            if line.lstrip().startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
            at += 1
            continue
        heading = _heading_at(lines, at, markdown=markdown)
        if heading is None:
            at += 1
            continue
        end, style, title = heading
        if markdown and style.startswith("#"):
            level = len(style) - 1
        elif markdown and style in {"=", "-"}:
            level = 0 if style == "=" else 1
        else:
            if style not in styles:
                styles.append(style)
            level = styles.index(style)
        found.append((at, end, level, title))
        at = end
    return found


def _heading_at(lines: list[str], at: int, *, markdown: bool) -> tuple[int, str, str] | None:
    line = lines[at].rstrip("\n")
    if not line or line[0] in " \t\r\f":
        return None
    # Most lines are neither followed by a rule nor begin like a heading: no need to look closer.
    below = lines[at + 1][:1] if at + 1 < len(lines) else ""
    if line[0] not in "#*" and below not in _RULES and line[0] not in _RULES:
        return None
    before_blank = at == 0 or not lines[at - 1].strip()
    if markdown:
        match = _ATX.match(line)
        if match:
            return at + 1, match.group(1), match.group(2)
    following = lines[at + 1].rstrip("\n") if at + 1 < len(lines) else ""
    third = lines[at + 2].rstrip("\n") if at + 2 < len(lines) else ""
    rule = _PUNCTUATION.match(line)
    if (
        rule
        and not markdown
        and len(line.strip()) >= 3
        and following.strip()
        and not _PUNCTUATION.match(following)
        and third.strip() == line.strip()
    ):
        return at + 3, "over" + line[0], following.strip()
    if rule:
        return None
    under = _PUNCTUATION.match(following)
    title = line.strip()
    long_enough = len(following.strip()) >= max(3, min(len(title), 4))
    close = len(title) <= len(following.strip()) + 12
    if under and long_enough and close and (not markdown or following[0] in "=-"):
        if _BULLET.match(line) and not before_blank:
            return None
        return at + 2, following[0], title
    alone = before_blank and not following.strip()
    if alone and _BOLD_VERSION.match(line):
        return at + 1, "**", title.strip("*")
    return None


def _section(
    lines: list[str],
    headings: list[tuple[int, int, int, str]],
    index: int,
    start: int,
    *,
    changelog: bool,
) -> tuple[Node, int]:
    """The section of one heading (-1: the whole text), and the index of the heading after it."""
    if index < 0:
        level, body_start, title = -1, 0, ""
        head = lead = ""
    else:
        at, body_start, level, title = headings[index]
        lead = "".join(lines[start:at])
        head = "".join(lines[at:body_start])
    following = index + 1
    own_end = headings[following][0] if following < len(headings) else len(lines)
    # Blank lines before the next heading are that heading's lead.
    if following < len(headings):
        own_end = _lead_start(lines, own_end, body_start)
    body = _body(lines[body_start:own_end])
    children = [body]
    cursor = own_end
    while following < len(headings) and headings[following][2] > level:
        child, after = _section(lines, headings, following, cursor, changelog=changelog)
        children.append(child)
        following = after
        cursor = _content_end(lines, headings, following)
    node = Node(
        kind="section" if index >= 0 else "document",
        key=title_key(title, changelog=changelog),
        name=" ".join(title.split()),
        lead=lead,
        parts=(head,) if index >= 0 else (),
        value=" ".join(title.split()),
        children=tuple(_numbered(children)),
        listing="keyed",
        rank=_rank(title) if changelog and index >= 0 else None,
    )
    return node, following


def _content_end(lines: list[str], headings: list[tuple[int, int, int, str]], index: int) -> int:
    if index >= len(headings):
        return len(lines)
    return _lead_start(lines, headings[index][0], headings[index - 1][1] if index else 0)


def _lead_start(lines: list[str], end: int, floor: int) -> int:
    """Where the lead of a heading begins: its blank lines, link targets and anchors."""
    while end > floor and (not lines[end - 1].strip() or _TARGET.match(lines[end - 1])):
        end -= 1
    return end


def title_key(title: str, *, changelog: bool) -> tuple[str, str]:
    """Identity of a section: in a changelog the version in its title, else the title's words."""
    if changelog:
        match = _VERSION_IN_TITLE.search(title)
        if match:
            try:
                # A development version and its release are one section at two times.
                return ("version", re.sub(r"\.dev\d+$", "", str(Version(match.group()))))
            except InvalidVersion:
                return ("version", match.group().lower())
    return ("title", " ".join(title.lower().split()).strip("*[]():. "))


def _rank(title: str) -> Version | None:
    kind, text = title_key(title, changelog=True)
    if kind != "version":
        return None
    try:
        return Version(text)
    except InvalidVersion:
        return None


def _numbered(children: list[Node]) -> list[Node]:
    """Sections with one title, and blocks with the same words, are told apart by their number."""
    seen: Counter[Hashable] = Counter()
    out = []
    for child in children:
        number = seen[child.key]
        seen[child.key] += 1
        out.append(replace(child, key=(child.key, number)) if number else child)
    return out


def _body(lines: list[str]) -> Node:
    blocks: list[Node] = []
    at = 0
    while at < len(lines):
        first = at
        while at < len(lines) and not lines[at].strip():
            at += 1
        lead = "".join(lines[first:at])
        if at == len(lines):
            return _body_node(blocks, tail=lead)
        end, kind = _block_end(lines, at)
        text = "".join(lines[at:end])
        directive = _directive(lines[at:end], lead)
        if directive is not None:
            blocks.append(directive)
            at = end
            continue
        blocks.append(
            Node(
                kind=kind,
                key=_block_key(kind, text),
                name=_label(text),
                lead=lead,
                parts=(text,),
                value=words_of(text),
            )
        )
        at = end
    return _body_node(blocks, tail="")


def _directive(lines: list[str], lead: str) -> Node | None:
    """A directive whose content is a list: the list's elements are merged one by one."""
    match = _DIRECTIVE.match(lines[0])
    if match is None:
        return None
    rows = match.group(1) in _LINE_LISTS
    start = next(
        (
            i
            for i, line in enumerate(lines)
            if i and (_BULLET.match(line) if not rows else line.strip() and ":" not in line[:8])
        ),
        None,
    )
    if start is None:
        return None
    head_end = start
    while head_end > 1 and not lines[head_end - 1].strip():
        head_end -= 1
    head = "".join(lines[:head_end])
    if rows:
        children = []
        blank = "".join(lines[head_end:start])
        for line in lines[start:]:
            if not line.strip():
                blank += line
                continue
            key = words_of(line)
            children.append(
                Node(kind="row", key=key, name=key, lead=blank, parts=(line,), value=key)
            )
            blank = ""
        if len({child.key for child in children}) != len(children):
            return None
        tail = blank
    else:
        body = _body(lines[head_end:])
        children, tail = list(body.children or ()), body.tail
        if any(child.kind != "bullet" for child in children):
            return None
    return Node(
        kind="directive",
        key=("directive", words_of(head)),
        name=words_of(lines[0]),
        lead=lead,
        parts=(head,),
        value=words_of(head),
        children=tuple(children),
        listing="ordered",
        tail=tail,
    )


def _body_node(blocks: list[Node], *, tail: str) -> Node:
    return Node(
        kind="body", key="body", children=tuple(_numbered(blocks)), listing="ordered", tail=tail
    )


def _block_key(kind: str, text: str) -> Hashable:
    """A link target is known by its name, any other block by its words."""
    match = _LINK.match(text) if kind == "row" else None
    return ("target", match.group().strip().lower()) if match else words_of(text)


def _is_target(node: Node) -> bool:
    """Whether a block is a link target: its name is what it is, however alike two addresses look."""
    return node.kind == "row" and _LINK.match(node.parts[0]) is not None


def words_of(text: str) -> str:
    """The words of a block, whatever its line breaks."""
    return " ".join(text.split())


def _label(text: str) -> str:
    words = words_of(text)
    return words if len(words) <= 40 else words[:39] + "…"


def _block_end(lines: list[str], at: int) -> tuple[int, str]:
    """Where the block that starts at a line ends, and what it is."""
    line = lines[at]
    fence = _FENCE.match(line)
    if fence:
        mark = fence.group(1)
        end = at + 1
        while end < len(lines) and not lines[end].strip().startswith(mark):
            end += 1
        return min(end + 1, len(lines)), "code"
    if _TABLE_ROW.match(line):
        return at + 1, "row"
    bullet = _BULLET.match(line)
    indent = len(line) - len(line.lstrip(" \t"))
    end = at + 1
    while end < len(lines):
        text = lines[end]
        if not text.strip():
            # Blank lines belong inside when what follows is indented deeper.
            probe = end
            while probe < len(lines) and not lines[probe].strip():
                probe += 1
            if probe == len(lines):
                break
            depth = len(lines[probe]) - len(lines[probe].lstrip(" \t"))
            if depth <= indent or not (bullet or line.lstrip().startswith("..")):
                break
            end = probe
            continue
        depth = len(text) - len(text.lstrip(" \t"))
        if bullet:
            other = _BULLET.match(text)
            if other and depth <= indent:
                break
        elif (
            (_BULLET.match(text) and depth <= indent and _list_start(lines, end))
            or (text.startswith(".. ") and line.startswith(".. "))
            or (_LINK.match(line) and _LINK.match(text))
        ):
            break
        end += 1
    if bullet:
        return end, "bullet"
    return end, "row" if _LINK.match(line) and end == at + 1 else "paragraph"


def _list_start(lines: list[str], at: int) -> bool:
    return not lines[at - 1].strip() or bool(_BULLET.match(lines[at - 1]))


# -- matching ----------------------------------------------------------------------------------


def _aligned(trees: ThreeWay[Node | None]) -> ThreeWay[Node | None]:
    """Give sections that were renamed and blocks that were edited the key of their base."""
    base, ours, theirs = trees
    if ours is None or theirs is None:
        return trees
    if base is None:
        pair_ours, pair_theirs = _pair_additions(None, ours, theirs)
        return ThreeWay(base=None, ours=pair_ours, theirs=pair_theirs)
    ours, theirs = _follow_renames(base, ours, theirs), _follow_renames(base, theirs, ours)
    ours, theirs = _match_blocks(base, ours), _match_blocks(base, theirs)
    ours, theirs = _pair_additions(base, ours, theirs)
    return ThreeWay(base=base, ours=ours, theirs=theirs)


def _follow_renames(base: Node, side: Node, other: Node) -> Node:
    """Give a renamed section its old key, where the other side still has the old one."""
    old, new = _sections(base), _sections(side)
    there = _sections(other)
    gone = [key for key in old if key not in new and key in there]
    fresh = [key for key in new if key not in old and key not in there]
    renamed: dict[Hashable, Hashable] = {}
    order_old, order_new = list(old), list(new)
    for key in gone:
        candidates = [
            (score, candidate)
            for candidate in fresh
            if candidate not in renamed
            and (score := _followed(old[key], new[candidate])) is not None
            and _same_place(key, candidate, order_old, order_new)
        ]
        if candidates:
            best = max(candidates, key=lambda pair: pair[0])
            if sum(score == best[0] for score, _ in candidates) == 1:
                renamed[best[1]] = key
    children = [
        replace(child, key=renamed[child.key]) if child.key in renamed else child
        for child in side.children or ()
    ]
    result = []
    for child in children:
        if (
            child.kind == "section"
            and child.key in old
            and child.children != old[child.key].children
        ):
            match = next((c for c in other.children or () if c.key == child.key), None)
            if match is not None:
                child = replace(_follow_renames(old[child.key], child, match), key=child.key)
        result.append(child)
    return replace(side, children=tuple(result))


def _sections(node: Node) -> dict[Hashable, Node]:
    return {child.key: child for child in node.children or () if child.kind == "section"}


def _sameness(one: Node, two: Node) -> float:
    """Share of blocks and headings that two sections have in common."""
    first, second = Counter(_atoms(one)), Counter(_atoms(two))
    if not first and not second:
        return 1.0
    total = max(sum(first.values()), sum(second.values()))
    return sum((first & second).values()) / total


def _followed(old: Node, new: Node) -> float | None:
    """How well a section is an old one under a new heading, be it that it grew; else ``None``."""
    score = _sameness(old, new)
    if score >= _RENAMED:
        return score
    first, second = (
        Counter(atom for atom in _atoms(node) if len(str(atom)) >= _SUBSTANTIAL)
        for node in (old, new)
    )
    if sum(first.values()) < _SEVERAL:
        return None
    share = sum((first & second).values()) / sum(first.values())
    return share if share >= _GREW else None


def _atoms(node: Node) -> list[Hashable]:
    found: list[Hashable] = []
    for child in node.children or ():
        if child.kind == "section":
            found.append(("heading", child.value))
        found.extend(_atoms(child))
        if child.children is None:
            found.append(child.value)
    return found


def _same_place(
    old_key: Hashable, new_key: Hashable, old: list[Hashable], new: list[Hashable]
) -> bool:
    """Whether the section that follows the old one follows the new one too."""
    after_old = [key for key in old[old.index(old_key) + 1 :] if key in new]
    after_new = [key for key in new[new.index(new_key) + 1 :] if key in old]
    return after_old[:1] == after_new[:1]


def _match_blocks(base: Node, side: Node) -> Node:
    """Give each edited block of a side the key of the base block it was."""
    old = {child.key: child for child in base.children or ()}
    children: list[Node] = []
    for child in side.children or ():
        partner = old.get(child.key)
        if partner is None or partner.text == child.text:
            children.append(child)
        elif child.kind == "body":
            children.append(_match_body(partner, child))
        else:
            children.append(_match_blocks(partner, child))
    return replace(side, children=tuple(children))


def _match_body(base: Node, side: Node) -> Node:
    old, new = list(base.children or ()), list(side.children or ())
    pairs = matches([node.key for node in old], [node.key for node in new])
    keys = [node.key for node in new]
    edges = [(-1, -1), *pairs, (len(old), len(new))]
    for (a, b), (c, d) in pairwise(edges):
        for i, j in _similar(old[a + 1 : c], new[b + 1 : d]):
            keys[b + 1 + j] = old[a + 1 + i].key
    by_key = {node.key: node for node in old}
    children = []
    for node, key in zip(new, keys, strict=True):
        partner = by_key.get(key)
        if partner is not None and partner.children is not None and node.children is not None:
            node = _match_body(partner, node)
        children.append(node if node.key == key else replace(node, key=key))
    return replace(side, children=tuple(children))


def _similar(old: Sequence[Node], new: Sequence[Node]) -> list[tuple[int, int]]:
    """Pairs of blocks of which one is the other, edited; increasing on both sides."""
    _refuse_rewritten(old, new)
    scores = sorted(
        (
            (fuzz.ratio(str(a.value), str(b.value)), -i, -j)
            for i, a in enumerate(old)
            for j, b in enumerate(new)
            if a.kind == b.kind and not _is_target(a) and not _is_target(b)
        ),
        reverse=True,
    )
    found: list[tuple[int, int]] = []
    for score, i, j in scores:
        if score < _EDITED:
            break
        if all((-i - a) * (-j - b) > 0 for a, b in found):
            found.append((-i, -j))
    return sorted(found)


def _refuse_rewritten(one: Sequence[Node], two: Sequence[Node]) -> None:
    """Every pair is compared: a text rewritten throughout would take minutes, and match nothing."""
    if len(one) * len(two) > _PAIRS:
        raise UnmergeableError("too many blocks were rewritten at one place")


def _pair_additions(base: Node | None, ours: Node, theirs: Node) -> tuple[Node, Node]:
    """Give two insertions that say the same in nearly the same words one key."""
    old = {child.key: child for child in base.children or ()} if base is not None else {}
    mates = {child.key: child for child in theirs.children or ()}
    ours_children: list[Node] = []
    theirs_children = dict(mates)
    for child in ours.children or ():
        mate = mates.get(child.key)
        partner = old.get(child.key)
        if (
            mate is None
            or child.children is None
            or mate.children is None
            or child.text == mate.text
            or (partner is not None and partner.text in {child.text, mate.text})
        ):
            ours_children.append(child)
            continue
        if child.kind == "body":
            child, mate = _pair_bodies(partner, child, mate)
        else:
            child, mate = _pair_additions(partner, child, mate)
        theirs_children[mate.key] = mate
        ours_children.append(child)
    return (
        replace(ours, children=tuple(ours_children)),
        replace(
            theirs,
            children=tuple(theirs_children[child.key] for child in theirs.children or ()),
        ),
    )


def _pair_bodies(base: Node | None, ours: Node, theirs: Node) -> tuple[Node, Node]:
    known_keys = {node.key for node in base.children or ()} if base is not None else set()
    new_ours = [node for node in ours.children or () if node.key not in known_keys]
    new_theirs = [node for node in theirs.children or () if node.key not in known_keys]
    _refuse_rewritten(new_ours, new_theirs)
    renamed: dict[Hashable, Hashable] = {}
    taken = {node.key for node in new_ours}
    for node in new_theirs:
        if node.key in taken:
            continue
        best = max(
            (
                (fuzz.ratio(str(node.value), str(mate.value)), index)
                for index, mate in enumerate(new_ours)
                if mate.kind == node.kind
                and mate.key not in renamed.values()
                and not (_is_target(node) or _is_target(mate))
            ),
            default=(0.0, 0),
        )
        if best[0] >= _TWINS:
            renamed[node.key] = new_ours[best[1]].key
    children = tuple(
        replace(node, key=renamed.get(node.key, node.key)) for node in theirs.children or ()
    )
    return ours, replace(theirs, children=children)
