"""Restoring patches: the lost piece of a parent put back into the merged text.

A patch is made only where its place is certain: the neighbours that the piece had in its parent
still stand in the merged file, once each. Everything else stays advice.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mergewright.audit.lines import restored
from mergewright.audit.values import Finding, Repair, Tier, Tree, Trees, Verdict
from mergewright.model.threeway import Side

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass(frozen=True, slots=True)
class _Text:
    """A parsed file with its lines."""

    data: bytes
    rows: list[bytes]
    tree: ast.Module


def _parse(data: bytes | None) -> _Text | None:
    if data is None:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _Text(data, data.splitlines(keepends=True), ast.parse(data))
    except (SyntaxError, ValueError, RecursionError):
        return None


class Repairer:
    """Makes patches for the merged tree.

    Args:
        trees: The four trees.
    """

    def __init__(self, trees: Trees) -> None:
        self.trees = trees
        self._parsed: dict[str, _Text | None] = {}

    def text(self, tree: Tree, path: str) -> _Text | None:
        """A file of a tree, parsed once."""
        oid = tree.files.get(path)
        if oid is None:
            return None
        if oid not in self._parsed:
            self._parsed[oid] = _parse(tree.read(oid))
        return self._parsed[oid]

    def with_patch(self, finding: Finding) -> Finding:
        """The finding with a restoring patch, where one can be made."""
        if finding.patch is not None or finding.verdict is Verdict.INTENTIONAL:
            return finding
        if finding.tier is Tier.HINT and not finding.check.startswith("lost-"):
            return finding
        patch = self._patch(finding)
        return replace(finding, patch=patch) if patch is not None else finding

    def _patch(self, finding: Finding) -> Repair | None:
        side = Side.THEIRS if finding.had == "theirs" else Side.OURS
        parent = self.trees.parent(side)
        if finding.check == "lost-file":
            data = parent.data(finding.path)
            if data is None:
                return None
            mode = parent.modes.get(finding.path, 0o100644)
            return self._repair(finding.path, None, data, f"restore from {side.value}", mode)
        if finding.check == "missing-module":
            match = re.match(r"restore (.+) from (ours|theirs)$", finding.repair)
            data = self.trees.parent(Side(match[2])).data(match[1]) if match else None
            if match is None or data is None:
                return None
            return self._repair(match[1], None, data, f"restore from {match[2]}", 0o100644)
        if finding.renamed:
            return self._rename(finding)
        if finding.check == "undefined-name" and finding.had:
            return self._undefined(finding, parent, side)
        if finding.check == "lost-lines":
            data, merged = parent.data(finding.path), self.trees.merged.data(finding.path)
            if data is None or merged is None:
                return None
            after = restored(finding.path, data, merged, finding.lines)
            if after is None:
                return None
            return self._repair(finding.path, merged, after, f"restore lines from {side.value}")
        if finding.check.startswith("lost-"):
            kind, owner, name = finding.subject.split(":", 2)
            return self._lost(finding.path, kind, owner, name, parent, side)
        for subject in finding.lost:
            kind, owner, name = subject.split(":", 2)
            made = self._lost(finding.origin or finding.path, kind, owner, name, parent, side)
            if made is not None:
                return made
        if finding.check == "missing-attribute" and finding.origin:
            owner, _, name = finding.origin_symbol.rpartition(".")
            for kind in ("field", "def"):
                made = self._lost(finding.origin, kind, owner, name, parent, side)
                if made is not None:
                    return made
        return None

    def _repair(
        self, path: str, before: bytes | None, after: bytes, summary: str, mode: int | None = None
    ) -> Repair:
        if mode is None:
            mode = self.trees.merged.modes.get(path, 0o100644)
        return Repair(path=path, before=before, after=after, mode=mode, summary=summary)

    def _rename(self, finding: Finding) -> Repair | None:
        """Call the method by its new name; only where no argument has to be dropped or given."""
        from mergewright.audit.renames import rewrite_calls

        if "drop " in finding.repair or "give " in finding.repair.replace("may give ", ""):
            return None
        paths = {place.path for place in finding.places}
        data = self.trees.merged.data(finding.path)
        if len(paths) > 1 or data is None:
            return None
        old = finding.subject.rpartition(".")[2]
        lines = frozenset(place.line for place in finding.places)
        after = rewrite_calls(data, lines, old, finding.renamed)
        if after is None:
            return None
        return self._repair(finding.path, data, after, f"call {finding.renamed} for {old}")

    def _undefined(self, finding: Finding, parent: Tree, side: Side) -> Repair | None:
        name = finding.subject.rsplit(":", 1)[-1]
        source = self.text(parent, finding.path)
        merged = self.text(self.trees.merged, finding.path)
        if source is None or merged is None:
            return None
        for node in source.tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    if (alias.asname or alias.name.split(".")[0]) == name:
                        after = add_import(merged, source, node, alias)
                        if after is not None:
                            return self._repair(
                                finding.path, merged.data, after, f"import {name} as in {side}"
                            )
            elif isinstance(node, _DEFINITIONS) and node.name == name:
                kind = "class" if isinstance(node, ast.ClassDef) else "def"
                return self._lost(finding.path, kind, "", name, parent, side)
        return self._lost(finding.path, "global", "", name, parent, side)

    def _lost(
        self, path: str, kind: str, owner: str, name: str, parent: Tree, side: Side
    ) -> Repair | None:
        source = self.text(parent, path)
        merged = self.text(self.trees.merged, path)
        if source is None or merged is None:
            return None
        after: bytes | None = None
        if kind == "import":
            after = self._lost_import(merged, source, owner, name)
        elif kind in {"def", "class", "field", "global"}:
            after = _insert_statement(
                merged, source, owner, lambda node: _names_of(node) == {(_group(kind), name)}
            )
        elif kind in {"kwarg", "param"}:
            after = (_add_keyword if kind == "kwarg" else _add_parameter)(
                merged, source, owner, name
            )
        elif kind in {"call", "cliarg"}:
            callee = name if kind == "call" else ""
            after = _insert_statement(
                merged,
                source,
                owner,
                lambda node: (
                    isinstance(node, ast.Expr)
                    and isinstance(node.value, ast.Call)
                    and (
                        ast.unparse(node.value.func) == callee
                        if callee
                        else any(
                            isinstance(a, ast.Constant) and a.value == name for a in node.value.args
                        )
                    )
                ),
            )
        if after is None or after == merged.data or _parse(after) is None:
            return None
        shown = f"{owner}.{name}" if owner and kind not in {"kwarg", "call"} else name
        return self._repair(path, merged.data, after, f"restore {kind} {shown} from {side}")

    def _lost_import(self, merged: _Text, source: _Text, owner: str, name: str) -> bytes | None:
        if owner:
            return None
        for node in source.tree.body:
            if not isinstance(node, (ast.Import, ast.ImportFrom)):
                continue
            for alias in node.names:
                shown = alias.name if isinstance(node, ast.Import) else f":{alias.name}"
                if isinstance(node, ast.ImportFrom):
                    shown = "." * node.level + (node.module or "") + shown
                shown += f" as {alias.asname}" if alias.asname else ""
                if shown == name:
                    return add_import(merged, source, node, alias)
        return None


def _group(kind: str) -> str:
    return "name" if kind in {"field", "global"} else "def"


def _names_of(node: ast.stmt) -> set[tuple[str, str]]:
    """What a statement binds: definitions and plain names."""
    if isinstance(node, _DEFINITIONS):
        return {("def", node.name)}
    if isinstance(node, ast.Assign):
        return {("name", t.id) for t in node.targets if isinstance(t, ast.Name)}
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return {("name", node.target.id)}
    return set()


def _scope(text: _Text, owner: str) -> list[ast.stmt] | None:
    body = text.tree.body
    for part in owner.split(".") if owner else ():
        found = [n for n in body if isinstance(n, _DEFINITIONS) and n.name == part]
        if len(found) != 1:
            return None
        body = found[0].body
    return body


def _first_row(node: ast.stmt, text: _Text, previous_end: int) -> int:
    """First row (0-based) of a statement with its decorators and the comments right above."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    start = min([node.lineno, *(d.lineno for d in decorators)]) - 1
    while start > previous_end and text.rows[start - 1].strip().startswith(b"#"):
        start -= 1
    return start


def _same(one: ast.stmt, other: ast.stmt) -> bool:
    """Whether two statements are the same neighbour: one name, or one text without layout."""
    if one.__class__ is not other.__class__:
        return False
    names = _names_of(one)
    if names:
        return names == _names_of(other)
    if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
        return isinstance(other, ast.Expr) and isinstance(other.value, ast.Constant)
    return ast.dump(one) == ast.dump(other)


def _blocks(body: list[ast.stmt]) -> list[list[ast.stmt]]:
    """A suite and the suites of its compound statements, definitions left out."""
    out = [body]
    for node in body:
        if isinstance(node, _DEFINITIONS):
            continue
        for name in ("body", "orelse", "finalbody"):
            inner = getattr(node, name, None)
            if isinstance(inner, list) and inner:
                out.extend(_blocks(inner))
        for handler in getattr(node, "handlers", ()):
            out.extend(_blocks(handler.body))
    return out


def _insert_statement(
    merged: _Text, source: _Text, owner: str, wanted: Callable[[ast.stmt], bool]
) -> bytes | None:
    """The merged text with a statement of the source put back beside a neighbour that stands."""
    theirs, mine = _scope(source, owner), _scope(merged, owner)
    if theirs is None or mine is None:
        return None
    found = [
        (block, index)
        for block in _blocks(theirs)
        for index, node in enumerate(block)
        if wanted(node)
    ]
    if len(found) != 1:
        return None
    block, index = found[0]
    node = block[index]
    previous_end = (block[index - 1].end_lineno or 0) if index else node.lineno - 1
    start = _first_row(node, source, previous_end if index else start_of_block(source, node))
    piece = source.rows[start : node.end_lineno]
    if piece and not piece[-1].endswith((b"\n", b"\r")):
        piece[-1] += b"\n"
    # Blank lines that stood before the piece in its parent come along.
    blank = 0
    while start - blank - 1 >= 0 and not source.rows[start - blank - 1].strip():
        blank += 1
    candidates = _blocks(mine)
    for step in (1, -1):
        neighbour = index - step
        if not 0 <= neighbour < len(block):
            continue
        anchor = block[neighbour]
        hits = [
            (target, position)
            for target in candidates
            for position, other in enumerate(target)
            if other.col_offset == node.col_offset and _same(anchor, other)
        ]
        if len(hits) != 1:
            continue
        target, position = hits[0]
        rows = list(merged.rows)
        if step == 1:
            at = target[position].end_lineno or 0
            if rows and not rows[at - 1].endswith((b"\n", b"\r")):
                rows[at - 1] += b"\n"
            rows[at:at] = [b"\n"] * blank + piece
        else:
            before = (target[position - 1].end_lineno or 0) if position else 0
            at = _first_row(
                target[position],
                merged,
                before if position else start_of_block(merged, target[position]),
            )
            after_blank = 0
            end = node.end_lineno or 0
            while (
                end + after_blank < len(source.rows) and not source.rows[end + after_blank].strip()
            ):
                after_blank += 1
            rows[at:at] = piece + [b"\n"] * after_blank
        return b"".join(rows)
    return None


def start_of_block(text: _Text, node: ast.stmt) -> int:
    """Row above which no comment of a block's first statement may be looked for."""
    row = node.lineno - 1
    while row > 0:
        above = text.rows[row - 1]
        if not above.strip().startswith(b"#"):
            break
        if len(above) - len(above.lstrip()) != node.col_offset:
            break
        row -= 1
    return row


def add_import(
    merged: _Text, source: _Text, node: ast.Import | ast.ImportFrom, alias: ast.alias
) -> bytes | None:
    """The merged text with one import binding of the source put back.

    It joins a ``from`` import of the same module when there is one; else it stands after the
    import that it followed in its parent, or after the last import at the top.
    """
    shown = alias.name + (f" as {alias.asname}" if alias.asname else "")
    if isinstance(node, ast.ImportFrom):
        for other in merged.tree.body:
            if (
                isinstance(other, ast.ImportFrom)
                and other.module == node.module
                and other.level == node.level
                and other.names[0].name != "*"
            ):
                return _join_import(merged, other, shown)
    dots = "." * node.level if isinstance(node, ast.ImportFrom) else ""
    line = (
        f"from {dots}{node.module or ''} import {shown}\n"
        if isinstance(node, ast.ImportFrom)
        else f"import {shown}\n"
    ).encode()
    imports = [n for n in merged.tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    if not imports:
        return None
    body = source.tree.body
    at = imports[-1].end_lineno or 0
    index = body.index(node)
    for previous in reversed(body[:index]):
        if isinstance(previous, (ast.Import, ast.ImportFrom)):
            hits = [n for n in imports if _module(n) == _module(previous)]
            if len(hits) == 1:
                at = hits[0].end_lineno or at
                break
    rows = list(merged.rows)
    rows[at:at] = [line]
    return b"".join(rows)


def _module(node: ast.Import | ast.ImportFrom) -> tuple[int, str]:
    if isinstance(node, ast.Import):
        return (-1, node.names[0].name)
    return (node.level, node.module or "")


def _join_import(merged: _Text, node: ast.ImportFrom, shown: str) -> bytes | None:
    last = node.names[-1]
    if last.end_lineno is None or last.end_col_offset is None:
        return None
    rows = list(merged.rows)
    row = last.end_lineno - 1
    head, tail = rows[row][: last.end_col_offset], rows[row][last.end_col_offset :]
    if node.lineno not in (node.end_lineno, last.lineno):
        indent = rows[row][: len(rows[row]) - len(rows[row].lstrip())]
        ending = b"\r\n" if rows[row].endswith(b"\r\n") else b"\n"
        comment = tail.lstrip(b",")
        rows[row] = head + b"," + comment
        rows[row + 1 : row + 1] = [indent + shown.encode() + b"," + ending]
    else:
        rows[row] = head + b", " + shown.encode() + tail
    return b"".join(rows)


def _calls(body: list[ast.stmt], callee: str) -> list[ast.Call]:
    from mergewright.audit.source import dotted

    return [
        node
        for statement in body
        for node in ast.walk(statement)
        if isinstance(node, ast.Call) and dotted(node.func) == callee
    ]


def _segment(text: _Text, node: ast.expr) -> str:
    """The source of an expression; the library's own way splits the whole file each time."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    rows = text.rows[first : last + 1]
    if not rows:
        return ""
    rows[-1] = rows[-1][: node.end_col_offset]
    rows[0] = rows[0][node.col_offset :]
    return b"".join(rows).decode("utf-8", "replace")


def _add_keyword(merged: _Text, source: _Text, owner: str, name: str) -> bytes | None:
    """A call of the merged text with the lost keyword argument."""
    callee, _, keyword = name.removesuffix("=)").rpartition("(")
    theirs, mine = _scope(source, owner), _scope(merged, owner)
    if theirs is None or mine is None:
        return None
    values = {
        _segment(source, k.value)
        for call in _calls(theirs, callee)
        for k in call.keywords
        if k.arg == keyword
    }
    calls = [c for c in _calls(mine, callee) if all(k.arg != keyword for k in c.keywords)]
    if len(values) != 1 or len(calls) != 1 or "\n" in next(iter(values)):
        return None
    call = calls[0]
    items: list[ast.expr] = [*call.args, *(k.value for k in call.keywords)]
    if any(k.arg is None for k in call.keywords) or not items:
        return None
    last = max(items, key=lambda n: (n.end_lineno or 0, n.end_col_offset or 0))
    return _after(merged, last, call.lineno, f"{keyword}={next(iter(values))}")


def _after(merged: _Text, last: ast.AST, first_line: int, text: str) -> bytes | None:
    """An item put after the last one of a bracketed list, on a line of its own where that is so."""
    end_line = getattr(last, "end_lineno", None)
    end_column = getattr(last, "end_col_offset", None)
    if end_line is None or end_column is None:
        return None
    rows = list(merged.rows)
    row = end_line - 1
    head, tail = rows[row][:end_column], rows[row][end_column:]
    own_line = end_line > first_line and tail.strip() in {b"", b","}
    if own_line:
        indent = rows[row][: len(rows[row]) - len(rows[row].lstrip())]
        ending = b"\r\n" if rows[row].endswith(b"\r\n") else b"\n"
        rows[row] = head + b"," + ending
        rows[row + 1 : row + 1] = [indent + text.encode() + b"," + ending]
    elif tail.lstrip().startswith((b")", b",")):
        rows[row] = head + b", " + text.encode() + tail
    else:
        return None
    return b"".join(rows)


def _add_parameter(merged: _Text, source: _Text, owner: str, name: str) -> bytes | None:
    """A function of the merged text with the lost parameter, where it can only stand last."""
    holder, _, function = owner.rpartition(".")
    pair = []
    for text in (source, merged):
        scope = _scope(text, holder)
        found = [
            n
            for n in scope or ()
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) and n.name == function
        ]
        if len(found) != 1:
            return None
        pair.append(found[0])
    theirs, mine = pair
    args = theirs.args
    if mine.args.vararg or mine.args.kwarg or mine.args.kwonlyargs or args.kwonlyargs:
        return None
    if not args.args or args.args[-1].arg != name or not args.defaults:
        return None
    shown = name
    annotation = args.args[-1].annotation
    default = _segment(source, args.defaults[-1])
    if annotation is not None:
        shown += f": {_segment(source, annotation)} = {default}"
    else:
        shown += f"={default}"
    if "\n" in shown or not mine.args.args:
        return None
    last: ast.AST = mine.args.defaults[-1] if mine.args.defaults else mine.args.args[-1]
    if not mine.args.defaults and mine.args.args[-1].annotation is not None:
        last = mine.args.args[-1].annotation
    return _after(merged, last, mine.lineno, shown)


def with_patches(findings: Sequence[Finding], trees: Trees) -> list[Finding]:
    """All findings, with restoring patches where they can be made."""
    repairer = Repairer(trees)
    return [repairer.with_patch(finding) for finding in findings]
