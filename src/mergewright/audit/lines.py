"""Line audit of text files: lines that one side added since the base and the merge dropped."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mergewright.audit.lost import both_touched, required
from mergewright.audit.values import Finding, Place, Tier, Trees, Verdict

#: Suffixes and names of files whose lines are facts of their own.
TEXT_SUFFIXES = frozenset(
    re.findall(
        r"\w+",
        "md rst txt yaml yml toml cfg ini sh bash cpp cc c h hpp cu cuh cmake in dev lts pyx pxd "
        "proto js ts html css sql j2 tf bat ps1 rs go java",
    )
)
_COMMENT = re.compile(rb"^\s*(#(?!#)|//|/\*|\*|<!--|--|;|%)\s?")
_WORD = re.compile(rb"\w")
_BLANK = re.compile(rb"[\s,;]+")

#: A file with more lines than this is compared no further: it is data.
LINE_LIMIT = 60_000


@dataclass(frozen=True, slots=True)
class LostLines:
    """Lines of one file that one side added and the merge dropped.

    Attributes:
        path: The file.
        side: ``both``, ``ours`` or ``theirs``.
        lines: The lost lines with their numbers in that side, in order.
        section: Heading or key that most of them stand under.
    """

    path: str
    side: str
    lines: tuple[tuple[int, bytes], ...]
    section: str


def is_text(path: str) -> bool:
    """Whether the lines of a path are audited (Python files have facts instead)."""
    name = path.rsplit("/", 1)[-1]
    suffix = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    return suffix in TEXT_SUFFIXES or name in {
        "Dockerfile",
        "Makefile",
        "CODEOWNERS",
        "Jenkinsfile",
    }


def normal(line: bytes, *, code: bool) -> bytes:
    """A line without layout; empty when it says nothing (blank, brackets, a comment in code)."""
    if not _WORD.search(line):
        return b""
    if code and _COMMENT.match(line):
        return b""
    return _BLANK.sub(b" ", line).strip()


def _count(data: bytes | None, *, code: bool) -> Counter[bytes]:
    out: Counter[bytes] = Counter()
    for line in (data or b"").splitlines():
        text = normal(line, code=code)
        if text:
            out[text] += 1
    return out


def lost_lines(
    path: str, base: bytes | None, ours: bytes, theirs: bytes, merged: bytes
) -> list[LostLines]:
    """Lost lines of one file.

    A line counts as kept when the merged file holds it anywhere, or holds all its words in one
    longer line (rewrapped text).
    """
    if any(
        data is not None and data.count(b"\n") > LINE_LIMIT for data in (base, ours, theirs, merged)
    ):
        return []
    code = not path.endswith((".md", ".rst", ".txt"))
    counts = {
        name: _count(data, code=code)
        for name, data in (("base", base), ("ours", ours), ("theirs", theirs), ("merged", merged))
    }
    flat = b" ".join(normal(line, code=code) for line in merged.splitlines())
    found: dict[str, list[bytes]] = {"both": [], "ours": [], "theirs": []}
    for line in {**counts["ours"], **counts["theirs"]}:
        b, o, t, m = (counts[name][line] for name in ("base", "ours", "theirs", "merged"))
        if m >= required(b, o, t):
            continue
        if len(line) > 12 and line in flat:
            continue
        if min(o, t) > m:
            found["both"].append(line)
        elif o > b:
            found["ours"].append(line)
        elif t > b:
            found["theirs"].append(line)
    out = []
    for side, lines in found.items():
        if not lines:
            continue
        wanted = set(lines)
        text = theirs if side == "theirs" else ours
        numbered = [
            (number, line)
            for number, line in enumerate(text.splitlines(), 1)
            if normal(line, code=code) in wanted
        ]
        out.append(LostLines(path, side, tuple(numbered), _section(path, text, numbered)))
    return out


def _section(path: str, text: bytes, numbered: list[tuple[int, bytes]]) -> str:
    """The heading, table or key above the first lost line."""
    if not numbered:
        return ""
    pattern = {
        "md": rb"^#{1,6}\s+(.*)",
        "toml": rb"^\[+([^\]]+)\]+",
        "ini": rb"^\[([^\]]+)\]",
        "cfg": rb"^\[([^\]]+)\]",
        "yaml": rb"^([\w.-]+):",
        "yml": rb"^([\w.-]+):",
    }.get(path.rsplit(".", 1)[-1])
    if pattern is None:
        return ""
    above = ""
    for line in text.splitlines()[: numbered[0][0]]:
        match = re.match(pattern, line)
        if match:
            above = match[1].decode("utf-8", "replace").strip()
    return above


def line_findings(trees: Trees, skip: Iterable[str] = ()) -> list[Finding]:
    """Lost lines of all text files that both sides had a hand in.

    Args:
        trees: The four trees.
        skip: Paths that a policy check speaks for already.
    """
    left_out = set(skip)
    out: list[Finding] = []
    for path in both_touched(trees):
        if path in left_out or not is_text(path) or path not in trees.merged.files:
            continue
        if path not in trees.ours.files or path not in trees.theirs.files:
            continue
        merged = trees.merged.data(path) or b""
        ours, theirs = trees.ours.data(path) or b"", trees.theirs.data(path) or b""
        base = trees.base.data(path)
        if any(b"\0" in data[:8000] for data in (merged, ours, theirs)):
            continue
        out.extend(_finding(lost) for lost in lost_lines(path, base, ours, theirs, merged))
    return out


def taken_whole(trees: Trees) -> list[Finding]:
    """One hint a side: files that both sides changed and that the merge took whole from it."""
    out = []
    for side in ("ours", "theirs"):
        other = "theirs" if side == "ours" else "ours"
        paths = []
        for path in both_touched(trees):
            versions = [tree.files.get(path) for tree in (trees.base, trees.ours, trees.theirs)]
            merged = trees.merged.files.get(path)
            if merged is None or None in versions[1:] or versions[1] == versions[2]:
                continue
            if merged == (versions[1] if side == "ours" else versions[2]):
                paths.append(path)
        if paths:
            count = len(paths)
            out.append(
                Finding(
                    check="taken-whole",
                    tier=Tier.HINT,
                    subject=side,
                    message=f"{count} file{'s' if count > 1 else ''} that both sides changed "
                    f"{'were' if count > 1 else 'was'} taken whole from {side}",
                    places=tuple(Place(path=path) for path in paths),
                    cause=f"what {other} changed in them is not in the result",
                    analysers=("lines",),
                )
            )
    return out


def _finding(lost: LostLines) -> Finding:
    count = len(lost.lines)
    shown = [line.decode("utf-8", "replace").strip()[:100] for _, line in lost.lines[:3]]
    under = f" under “{lost.section}”" if lost.section else ""
    had = {"both": "both parents had", "ours": "ours added", "theirs": "theirs added"}[lost.side]
    sample = "; ".join(f"`{text.replace('`', chr(39))}`" for text in shown)
    more = f" and {count - 3} more" if count > 3 else ""
    return Finding(
        check="lost-lines",
        tier=Tier.REVIEW,
        subject=f"lines:{lost.side}:",
        message=f"{count} line{'s' if count != 1 else ''} that {had}{under} {'are' if count != 1 else 'is'} gone: {sample}{more}",
        places=(Place(path=lost.path, text=shown[0] if shown else ""),),
        had=lost.side,
        verdict=Verdict.ACCIDENT,
        analysers=("lines",),
        lines=tuple(number for number, _ in lost.lines),
    )


def restored(path: str, parent: bytes, merged: bytes, numbers: Iterable[int]) -> bytes | None:
    """The merged text with lost lines put back, each block after the line that it followed.

    ``None`` when the place of one of the blocks is not certain.
    """
    code = not path.endswith((".md", ".rst", ".txt"))
    rows = parent.splitlines(keepends=True)
    blocks: list[tuple[int, int]] = []
    for number in sorted(set(numbers)):
        between = rows[blocks[-1][1] : number - 1] if blocks else []
        if blocks and not any(normal(row, code=code) for row in between):
            blocks[-1] = (blocks[-1][0], number)
        else:
            blocks.append((number, number))
    out: bytes | None = merged if blocks else None
    for first, last in blocks:
        if out is not None:
            out = _with_block(rows, first, last, out)
    return out


def _with_block(rows: list[bytes], first: int, last: int, merged: bytes) -> bytes | None:
    block = rows[first - 1 : last]
    while first >= 2 and not rows[first - 2].strip() and len(block) > 1:
        block.insert(0, rows[first - 2])
        first -= 1
    target = merged.splitlines(keepends=True)
    if first >= 2:
        anchor = rows[first - 2]
        hits = [n for n, row in enumerate(target) if row.rstrip() == anchor.rstrip()]
        if len(hits) == 1:
            at = hits[0] + 1
            if not target[at - 1].endswith((b"\n", b"\r")):
                target[at - 1] += b"\n"
            return b"".join([*target[:at], *block, *target[at:]])
    if last < len(rows):
        anchor = rows[last]
        hits = [
            n for n, row in enumerate(target) if anchor.strip() and row.rstrip() == anchor.rstrip()
        ]
        if len(hits) == 1:
            return b"".join([*target[: hits[0]], *block, *target[hits[0] :]])
    return None


def duplicate_keys(path: str, data: bytes) -> list[tuple[int, str]]:
    """Keys that stand twice in one table of a TOML, YAML or JSON file: line and dotted key."""
    suffix = path.rsplit(".", 1)[-1].lower()
    if suffix == "json":
        return _json_duplicates(data)
    if suffix == "toml":
        return _toml_duplicates(data)
    if suffix in {"yaml", "yml"}:
        return _yaml_duplicates(data)
    return []


def _json_duplicates(data: bytes) -> list[tuple[int, str]]:
    import json

    twice: list[str] = []

    def pairs(items: list[tuple[str, object]]) -> Mapping[str, object]:
        count = Counter(key for key, _ in items)
        twice.extend(key for key, number in count.items() if number > 1)
        return dict(items)

    try:
        json.loads(data, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return []
    rows = data.splitlines()
    out = []
    for key in dict.fromkeys(twice):
        needle = json.dumps(key).encode()
        lines = [n for n, row in enumerate(rows, 1) if needle in row]
        out.append((lines[-1] if lines else 1, key))
    return out


def _toml_duplicates(data: bytes) -> list[tuple[int, str]]:
    table = ""
    seen: dict[tuple[str, str], int] = {}
    tables: Counter[str] = Counter()
    arrays: Counter[str] = Counter()
    out = []
    quote = b""
    depth = 0
    for number, row in enumerate(data.splitlines(), 1):
        if quote:
            if row.count(quote) % 2:
                quote = b""
            continue
        if depth:
            depth += row.count(b"[") + row.count(b"{") - row.count(b"]") - row.count(b"}")
            continue
        head = re.match(rb"^\s*(\[\[?)([^\]]+)\]\]?\s*(#.*)?$", row)
        if head:
            table = head[2].decode("utf-8", "replace").strip()
            if head[1] == b"[[":
                arrays[table] += 1
                table = f"{table}#{arrays[table]}"
            else:
                tables[table] += 1
                if tables[table] > 1 and not any(table.startswith(f"{a}.") for a in arrays):
                    out.append((number, f"[{table}]"))
            continue
        entry = re.match(rb"""^\s*([\w."'-]+)\s*=(.*)$""", row)
        if entry:
            key = (table, entry[1].decode("utf-8", "replace").strip("\"'"))
            if key in seen and not any(table.startswith(f"{a}.") for a in arrays):
                out.append((number, ".".join(filter(None, key))))
            seen[key] = number
            value = entry[2]
            for mark in (b'"""', b"'''"):
                if value.count(mark) == 1:
                    quote = mark
            bare = re.sub(rb"\"[^\"]*\"|'[^']*'|#.*$", b"", value)
            depth = max(
                0, bare.count(b"[") + bare.count(b"{") - bare.count(b"]") - bare.count(b"}")
            )
    return out


def _yaml_duplicates(data: bytes) -> list[tuple[int, str]]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError
    from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

    out: list[tuple[int, str]] = []
    try:
        documents = list(YAML(typ="safe", pure=True).compose_all(data))
    except (YAMLError, ValueError, RecursionError, AttributeError):
        return []
    stack: list[tuple[str, Node]] = [("", node) for node in documents if node is not None]
    visited: set[int] = set()
    while stack:
        prefix, node = stack.pop()
        if id(node) in visited:
            continue
        visited.add(id(node))
        if isinstance(node, MappingNode):
            seen: set[str] = set()
            for key, value in node.value:
                name = key.value if isinstance(key, ScalarNode) else ""
                dotted = f"{prefix}.{name}" if prefix else str(name)
                if name and name != "<<":
                    if name in seen:
                        out.append((key.start_mark.line + 1, dotted))
                    seen.add(name)
                stack.append((dotted, value))
        elif isinstance(node, SequenceNode):
            stack.extend((f"{prefix}[{n}]", item) for n, item in enumerate(node.value))
    return sorted(out)


_MARKER = re.compile(rb"^(<{7,}|>{7,}|\|{7,})( .*)?\r?$", re.MULTILINE)
#: The line between the two sides; alone it is left over from a conflict that was half tidied up.
_PARTING = re.compile(rb"^={7}\r?$", re.MULTILINE)
#: In prose such a line underlines a heading.
_PROSE = (".md", ".rst", ".txt", ".adoc")


def text_checks(trees: Trees) -> list[Finding]:
    """Conflict markers left and keys that stand twice, in files that neither parent has like this."""
    out = []
    for path, oid in sorted(trees.merged.files.items()):
        if oid in {trees.ours.files.get(path), trees.theirs.files.get(path)}:
            continue
        data = trees.merged.read(oid)
        if b"\0" in data[:8000]:
            continue
        out.extend(_markers(trees, path, data))
        if path.endswith((".json", ".toml", ".yaml", ".yml")) and len(data) < 2_000_000:
            old: Counter[str] = Counter()
            for parent in (trees.ours, trees.theirs):
                before = parent.data(path)
                if before is not None:
                    old |= Counter(key for _, key in duplicate_keys(path, before))
            for line, key in duplicate_keys(path, data):
                if old[key] > 0:
                    old[key] -= 1
                    continue
                out.append(
                    Finding(
                        check="duplicate-key",
                        tier=Tier.ERROR,
                        subject=f"key:{key}",
                        message=f"key `{key}` stands twice in one table",
                        places=(Place(path=path, line=line),),
                        cause="both sides' entries were kept",
                        analysers=("keys",),
                    )
                )
    return out


def _markers(trees: Trees, path: str, data: bytes) -> list[Finding]:
    if not any(mark in data for mark in (b"<<<<<<<", b">>>>>>>", b"|||||||", b"=======")):
        return []
    pattern = _MARKER
    if not pattern.search(data) and is_text(path) and not path.endswith(_PROSE):
        pattern = _PARTING
    known: Counter[bytes] = Counter()
    for parent in (trees.ours, trees.theirs):
        known |= Counter(m[0] for m in pattern.finditer(parent.data(path) or b""))
    new = [m for m in pattern.finditer(data) if not _take(known, m[0])]
    if not new:
        return []
    places = tuple(
        Place(
            path=path,
            line=data.count(b"\n", 0, m.start()) + 1,
            text=m[0].decode("utf-8", "replace"),
        )
        for m in new[:20]
    )
    return [
        Finding(
            check="conflict-marker",
            tier=Tier.ERROR,
            subject="markers",
            message=f"conflict markers were left in {path}",
            places=places,
            cause="a conflict was committed without being settled",
            analysers=("lines",),
        )
    ]


def _take(known: Counter[bytes], text: bytes) -> bool:
    if known[text] > 0:
        known[text] -= 1
        return True
    return False
