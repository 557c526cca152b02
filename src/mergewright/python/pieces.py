"""Merging below the statement: parse the three snippets with libcst, merge nodes, print.

Two changes combine only where they touch different parts: different arguments, different keys,
different operands. Anything else raises :class:`Contest`, and the statement stays contested.
What comes out is parsed again and held against the tree that was meant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar, cast

import libcst as cst

from mergewright.model.threeway import Side, ThreeWay, settle
from mergewright.python.fingerprint import tokens
from mergewright.python.normal import Normal, comments_in, fields_of, is_layout
from mergewright.python.source import parser
from mergewright.python.versions import larger_version
from mergewright.text.diff import increasing, matches
from mergewright.text.merge import Chunk, chunks, merge_lines

N = TypeVar("N", bound=cst.CSTNode)
_Nodes = Sequence[Any]


class Contest(Exception):  # noqa: N818 - not an error: the two changes meet
    """Both sides changed the same part."""


def merge_snippet(
    versions: ThreeWay[str],
    form: str,
    *,
    larger_versions: bool = True,
    keep_names: frozenset[str] = frozenset(),
) -> tuple[str, str, str]:
    """Merge three versions of one statement or clause header.

    Args:
        versions: Whole lines, indented as in their files.
        form: ``statement``, or a clause keyword (``if``, ``elif``, ``except``, ``def`` …) when the
            lines are a header without its body.
        larger_versions: Settle version strings that both sides raised by taking the larger.
        keep_names: Imported names that stay although one side deleted them.

    Returns:
        The merged lines, the name of the strategy (``combine`` or ``larger-version``), and the proof:
        which parts ours and theirs changed.

    Raises:
        Contest: The changes meet, or a version does not parse.
    """
    if max(map(len, versions)) > MOST_CHARACTERS:
        raise Contest("the statement is too large to be taken apart")
    try:
        parsed = versions.map(lambda text: _Snippet(text, form))
    except (cst.ParserSyntaxError, _Unsupported, RecursionError, UnicodeError) as error:
        raise Contest("a version does not parse on its own") from error
    merger = NodeMerger(versions=larger_versions, keep_names=keep_names)
    try:
        merged = merger.merge(parsed.map(lambda snippet: snippet.node))
    except RecursionError as error:
        raise Contest("nested too deeply") from error
    except cst.CSTValidationError as error:
        raise Contest("the combined statement would not be valid") from error
    shell = parsed.ours if merger.layout_from is not Side.THEIRS else parsed.theirs
    text = shell.printed(merged)
    try:
        again = _Snippet(text, form)
    except (cst.ParserSyntaxError, _Unsupported) as error:
        raise Contest("the combined statement does not parse") from error
    if Normal()(again.node) != merger.normal(merged):
        raise Contest("the combined statement is not what was meant")
    text = _with_notes(text, parsed, form, larger_versions=larger_versions, keep_names=keep_names)
    if merger.raised:
        return text, "larger-version", "; ".join(merger.raised)
    return text, "combine", merger.proof()


def _with_notes(
    text: str,
    parsed: ThreeWay[_Snippet],
    form: str,
    *,
    larger_versions: bool,
    keep_names: frozenset[str],
) -> str:
    """The same statement put together from theirs' side, if that alone keeps what both sides noted.

    A comment hangs on the white space of a part, and that comes from the side the part is taken from.
    """
    notes = parsed.map(lambda snippet: Counter(comments_in(snippet.node)))
    found = _notes_of(text, form)
    if not notes_lost(found, notes) and not _stale(found, notes):
        return text
    merger = NodeMerger(versions=larger_versions, keep_names=keep_names)
    turned = ThreeWay(base=parsed.base, ours=parsed.theirs, theirs=parsed.ours)
    try:
        merged = merger.merge(turned.map(lambda snippet: snippet.node))
        shell = turned.theirs if merger.layout_from is Side.THEIRS else turned.ours
        other = shell.printed(merged)
        found = _notes_of(other, form)
        better = not notes_lost(found, notes) and not _stale(found, notes)
    except (Contest, _Unsupported, RecursionError, cst.ParserSyntaxError, cst.CSTValidationError):
        return text
    return other if better and _code_of(other) == _code_of(text) else text


def notes_lost(found: Counter[str], notes: ThreeWay[Counter[str]]) -> bool:
    """Whether a composed statement lacks a comment that a side wrote or both have, or doubles one.

    Args:
        found: The comments of the statement.
        notes: Those of its versions.
    """
    due = (notes.ours - notes.base) | (notes.theirs - notes.base) | (notes.ours & notes.theirs)
    return bool(due - found or found - (notes.ours | notes.theirs))


def _stale(found: Counter[str], notes: ThreeWay[Counter[str]]) -> bool:
    """Whether a composed statement has a comment that a side took away."""
    removed = (notes.base - notes.ours) | (notes.base - notes.theirs)
    return bool(found & (removed - (notes.ours & notes.theirs)))


def _notes_of(text: str, form: str) -> Counter[str]:
    return Counter(comments_in(_Snippet(text, form).node))


def _code_of(text: str) -> list[bytes]:
    found = tokens(text.encode("utf-8", "surrogateescape"))
    return [token for token in found if not token.startswith(b"#")]


class _Unsupported(Exception):  # noqa: N818 - a signal between functions
    pass


_INDENT = re.compile(r"[ \t\f]*")
#: What stands before a clause so that it can be parsed; ``{i}`` is its indentation.
PREFIX = {
    "except_clause": "try:\n{i}    pass\n",
    "except_group_clause": "try:\n{i}    pass\n",
    "finally_clause": "try:\n{i}    pass\n",
    "elif_clause": "if 0:\n{i}    pass\n",
    "else_clause": "if 0:\n{i}    pass\n",
}


#: Statements of more characters stay contested: libcst needs a minute and a gigabyte for a megabyte.
MOST_CHARACTERS = 400_000
#: Deeper trees are left to lines. libcst's native parser recurses: some thousand levels (brackets,
#: chained calls, lambdas) overflow the C stack and would end the whole process.
MAX_NESTING = 600


def nesting(code: str) -> int:
    """Depth of the syntax tree, counted up to just beyond :data:`MAX_NESTING`."""
    cursor = parser().parse(code.encode("utf-8", "surrogateescape")).walk()
    depth = deepest = 0
    while deepest <= MAX_NESTING:
        if cursor.goto_first_child():
            depth += 1
            deepest = max(deepest, depth)
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return deepest
            depth -= 1
    return deepest


class _Snippet:
    """Three jobs: make a snippet a module libcst parses, find its node, print it back."""

    def __init__(self, text: str, form: str) -> None:
        if not text.endswith("\n"):
            text += "\n"
        self.form = form
        first = _INDENT.match(text)
        self.indent = first.group() if first else ""
        before = "if 1:\n" if self.indent else ""
        prefix = PREFIX.get(form)
        if prefix:
            before += self.indent + prefix.format(i=self.indent)
        after = "" if form == "statement" else f"{self.indent}    pass\n"
        self.lines_before = before.count("\n")
        self.lines_after = 1 if after else 0
        code = before + text + after
        if nesting(code) > MAX_NESTING:
            raise RecursionError("nested too deeply")
        self.module = cst.parse_module(code)
        body: Sequence[Any] = self.module.body
        if self.indent:
            body = cast("Any", body[0]).body.body
        if len(body) != 1:
            raise _Unsupported
        self.whole = body[0]
        self.node: cst.CSTNode = self._inner(self.whole)

    def _inner(self, node: Any) -> cst.CSTNode:
        if self.form in {"except_clause", "except_group_clause"}:
            return cast("cst.CSTNode", node.handlers[0])
        if self.form == "elif_clause":
            return cast("cst.CSTNode", node.orelse)
        if self.form in {"else_clause", "finally_clause"}:
            raise _Unsupported  # these headers hold nothing to merge
        return cast("cst.CSTNode", node)

    def printed(self, node: cst.CSTNode) -> str:
        """The lines of ``node`` put in this snippet's place."""
        whole = self.whole
        if self.form in {"except_clause", "except_group_clause"}:
            whole = whole.with_changes(handlers=[node])
        elif self.form == "elif_clause":
            whole = whole.with_changes(orelse=node)
        else:
            whole = node
        if self.indent:
            wrapper = cast("Any", self.module.body[0])
            block = wrapper.body.with_changes(body=[whole])
            module = self.module.with_changes(body=[wrapper.with_changes(body=block)])
        else:
            module = self.module.with_changes(body=[whole])
        lines = module.code.splitlines(keepends=True)
        return "".join(lines[self.lines_before : len(lines) - self.lines_after])


class NodeMerger:
    """Merges libcst nodes part by part and remembers what each side changed."""

    def __init__(self, *, versions: bool = True, keep_names: frozenset[str] = frozenset()) -> None:
        self.normal = Normal()
        self.layout_from: Side = Side.OURS
        self.versions = versions
        self.keep_names = keep_names
        #: Name and proof of each version that was settled by taking the larger.
        self.raised: list[str] = []
        self._ours: list[str] = []
        self._theirs: list[str] = []

    def proof(self) -> str:
        """What each side changed, in words."""
        ours = ", ".join(dict.fromkeys(self._ours)) or "nothing"
        theirs = ", ".join(dict.fromkeys(self._theirs)) or "nothing"
        return f"ours changed {ours}; theirs changed {theirs}; no common part"

    def _note(self, side: Side, what: str) -> None:
        (self._ours if side is Side.OURS else self._theirs).append(what)

    def merge(self, v: ThreeWay[Any], what: str = "statement") -> Any:
        """Merge three nodes.

        Raises:
            Contest: Both sides changed the same part.
        """
        forms = v.map(self.normal)
        side = settle(forms)
        if side is not None:
            if forms.ours != forms.theirs:
                self._note(side, what)
            return v.get(side)
        kinds = {type(node) for node in v}
        if len(kinds) != 1 or not isinstance(v.base, cst.CSTNode):
            raise Contest(f"both sides changed the {what}")
        kind = kinds.pop()
        if kind is cst.Call:
            chained = _call_chain(self, v, what)
            if chained is not None:
                return chained
        if self._shifted(v, forms):
            raise Contest(f"a side put the {what} into a larger one, or took it out of one")
        if kind is cst.SimpleString and self.versions:
            picked = self._version(v, what)
            if picked is not None:
                return picked
        handler = _HANDLERS.get(kind)
        if handler is not None:
            return handler(self, v, what)
        if isinstance(v.base, cst.BooleanOperation | cst.BinaryOperation):
            return self._fields(v, what)
        if isinstance(
            v.base,
            cst.Name
            | cst.Integer
            | cst.Float
            | cst.SimpleString
            | cst.FormattedString
            | cst.Comment,
        ):
            raise Contest(f"both sides changed the {what}")
        return self._fields(v, what)

    def _version(self, v: ThreeWay[Any], what: str) -> Any:
        """The larger of two raised versions, where the value's keyword or key says it is one."""
        words = re.findall(r"\w+", what)
        name = words[-1] if words else ""
        texts = v.map(lambda node: f"{name} = {node.value}".encode())
        found = larger_version(texts, name)
        if found is None:
            return None
        side, why = found
        self.raised.append(why)
        return v.get(side)

    def union_of_imports(self, ours: Any, theirs: Any) -> Any:
        """One ``from`` import that binds the names of both, which both sides added."""
        none: list[Any] = []
        names = ThreeWay(base=none, ours=ours.names, theirs=theirs.names)
        return _import_names(self, names, ours, ThreeWay(base=None, ours=ours, theirs=theirs))

    def _shifted(self, v: ThreeWay[Any], forms: ThreeWay[Hashable]) -> bool:
        """Whether an expression stands inside its other version: ``x * 6`` in ``x * 6 - 6``.

        Their parts then do not correspond although they have the same names: the 6 of the product
        is not the 6 that is subtracted.
        """
        if not isinstance(v.base, cst.BaseExpression):
            return False
        if isinstance(v.base, cst.BooleanOperation | cst.BinaryOperation):
            operators = v.map(lambda node: type(node.operator))
            if operators.base is operators.ours is operators.theirs:
                return False  # operands of one chain, matched by their order

        def within(form: Hashable, node: Any) -> bool:
            parts = (
                getattr(node, name) for name in fields_of(cast("type[cst.CSTNode]", type(node)))
            )
            return any(isinstance(p, cst.CSTNode) and self.normal(p) == form for p in parts)

        return any(
            within(forms.base, side) or within(form, v.base)
            for side, form in ((v.ours, forms.ours), (v.theirs, forms.theirs))
        )

    def _fields(self, v: ThreeWay[Any], what: str, skip: frozenset[str] = frozenset()) -> Any:
        """Field by field; layout fields follow the side that changed them."""
        changes: dict[str, Any] = {}
        for name in fields_of(cast("type[cst.CSTNode]", type(v.base))):
            if name in skip:
                continue
            parts = v.map(lambda node, name=name: getattr(node, name))  # type: ignore[misc]
            if all(part is None or is_layout(part) or part == () for part in parts):
                changes[name] = self._layout(parts, what)
                continue
            label = _LABELS.get(name, name.replace("_", " "))
            if all(isinstance(part, Sequence) and not isinstance(part, str) for part in parts):
                changes[name] = self._list(parts, label)
            elif all(isinstance(part, cst.CSTNode) for part in parts):
                changes[name] = self.merge(parts, label)
            else:
                side = settle(parts.map(self.normal))
                if side is None:
                    raise Contest(f"both sides changed the {label}")
                if self.normal(parts.ours) != self.normal(parts.theirs):
                    self._note(side, label)
                changes[name] = parts.get(side)
        return v.ours.with_changes(**changes)

    def _layout(self, parts: ThreeWay[Any], what: str) -> Any:
        def code(part: Any) -> str:
            nodes = part if isinstance(part, Sequence) else [part]
            return "".join(
                cst.Module([]).code_for_node(n) if isinstance(n, cst.CSTNode) else repr(n)
                for n in nodes
            )

        codes = parts.map(code)
        side = settle(codes)
        comments = parts.map(self.normal_comments)
        comment_side = settle(comments)
        if comment_side is None:
            raise Contest(f"both sides changed a comment in the {what}")
        if side is None or comments.ours != comments.theirs:
            if comments.ours != comments.theirs:
                self._note(comment_side, f"a comment in the {what}")
            side = comment_side
        return parts.get(side)

    @staticmethod
    def normal_comments(part: Any) -> tuple[str, ...]:
        """Comments inside a layout part."""
        return comments_in(part)

    def _list(self, v: ThreeWay[_Nodes], what: str) -> list[Any]:
        """A sequence in which order matters."""
        forms = v.map(self.normal)
        side = settle(forms)
        if side is not None:
            if forms.ours != forms.theirs:
                self._note(side, what)
            return list(v.get(side))
        if len(v.base) == len(v.ours) == len(v.theirs):
            if any(
                isinstance(part, cst.FunctionDef | cst.ClassDef) and part.name.value != b.name.value
                for b, *parts in zip(*v, strict=True)
                if isinstance(b, cst.FunctionDef | cst.ClassDef)
                for part in parts
            ):
                raise Contest("the definitions in it stand in another order, or have other names")
            return [
                self.merge(ThreeWay(base=b, ours=o, theirs=t), what)
                for b, o, t in zip(*v, strict=True)
            ]
        return self.ordered(v, what, self.normal, lambda parts: self.merge(parts, what))

    def ordered(
        self,
        v: ThreeWay[_Nodes],
        what: str,
        key: Callable[[Any], Hashable],
        merge_item: Callable[[ThreeWay[Any]], Any],
        *,
        free: bool = False,
    ) -> list[Any]:
        """Merge a list whose order matters: only edits at different places combine.

        Args:
            v: The three lists.
            what: How an element is called in the proof.
            key: Identity of an element; matched elements are merged by ``merge_item``.
            merge_item: Merges a matched triple.
            free: Insertions of both sides at one place are independent: ours first, then theirs.

        Raises:
            Contest: Both sides edited the same place.
        """
        keys = v.map(lambda nodes: [key(node) for node in nodes])
        out: list[Any] = []
        for chunk in _aligned(v, keys):
            b = keys.base[chunk.base.start : chunk.base.stop]
            o = keys.ours[chunk.ours.start : chunk.ours.stop]
            t = keys.theirs[chunk.theirs.start : chunk.theirs.stop]
            bn = v.base[chunk.base.start : chunk.base.stop]
            on = v.ours[chunk.ours.start : chunk.ours.stop]
            tn = v.theirs[chunk.theirs.start : chunk.theirs.stop]
            if chunk.stable:
                out.append(merge_item(ThreeWay(base=bn[0], ours=on[0], theirs=tn[0])))
                continue
            forms = ThreeWay(base=bn, ours=on, theirs=tn).map(self.normal)
            side = settle(forms)
            if side is not None:
                if forms.ours != forms.theirs:
                    self._note(side, what)
                out.extend(on if side is Side.OURS else tn)
            elif what != "element" and _only_deleted(b, o) and _only_deleted(b, t):
                self._note(Side.OURS, f"{what} (removed)")
                self._note(Side.THEIRS, f"{what} (removed)")
                out.extend(
                    self._left_by_both(ThreeWay(base=bn, ours=on, theirs=tn), what, key, merge_item)
                )
            elif free and not b:
                self._note(Side.OURS, what)
                self._note(Side.THEIRS, what)
                known = set(o)
                out.extend(on)
                out.extend(n for n, k in zip(tn, t, strict=True) if k not in known)
            elif not b and (more := _holding_both(o, t)) is not None:
                self._note(Side.OURS, what)
                self._note(Side.THEIRS, what)
                out.extend(on if more is Side.OURS else tn)
            elif not b and _sorted_into(
                v.base,
                chunk.base.start,
                new := [*on, *(n for n, k in zip(tn, t, strict=True) if k not in o)],
            ):
                self._note(Side.OURS, what)
                self._note(Side.THEIRS, what)
                out.extend(sorted(new, key=_string_value))
            elif len(b) == len(o) == len(t):
                out.extend(
                    merge_item(ThreeWay(base=x, ours=y, theirs=z))
                    for x, y, z in zip(bn, on, tn, strict=True)
                )
            else:
                raise Contest(f"both sides changed the list of {what}s at one place")
        counts = Counter(map(key, out))
        most = Counter(keys.ours) | Counter(keys.theirs)
        if any(n > most[k] for k, n in counts.items()):
            raise Contest(f"both sides added the same {what} at different places")
        least = Counter(keys.ours) & Counter(keys.theirs)
        if any(counts[k] < n for k, n in least.items()):
            raise Contest(f"both sides removed one of several equal {what}s")
        return out

    def _left_by_both(
        self,
        v: ThreeWay[_Nodes],
        what: str,
        key: Callable[[Any], Hashable],
        merge_item: Callable[[ThreeWay[Any]], Any],
    ) -> Iterator[Any]:
        """What is left of elements of which both sides took some away, with what they changed in it.

        Raises:
            Contest: One side took away what the other changed, or both changed the same part.
        """
        ours, theirs = ({key(n): n for n in nodes} for nodes in (v.ours, v.theirs))
        for base in v.base:
            mine, other = ours.get(key(base)), theirs.get(key(base))
            if mine is not None and other is not None:
                yield merge_item(ThreeWay(base=base, ours=mine, theirs=other))
                continue
            kept = other if mine is None else mine
            if kept is not None and self.normal(kept) != self.normal(base):
                raise Contest(f"one side removed a {what} that the other changed")

    def keyed(
        self,
        v: ThreeWay[_Nodes],
        what: str,
        key: Callable[[Any], Hashable],
        merge_item: Callable[[ThreeWay[Any]], Any] | None = None,
        name: Callable[[Any], str] | None = None,
    ) -> list[Any]:
        """Merge a list in which each element has a key of its own and order is style.

        Ours' order is kept; what theirs alone has follows its own predecessor.

        Raises:
            Contest: A key repeats in one version, an element was deleted by one side and changed by
                the other, or both added it with different values.
        """
        tables = v.map(lambda nodes: {key(node): node for node in nodes})
        for nodes, table in zip(v, tables, strict=True):
            if len(nodes) != len(table):
                raise Contest(f"a {what} stands twice")

        def called(node: Any) -> str:
            bare = node.with_changes(comma=cst.MaybeSentinel.DEFAULT)
            return what if name is None else name(bare)

        merged: dict[Hashable, Any] = {}
        for k in [*tables.ours, *(k for k in tables.theirs if k not in tables.ours)]:
            b, o, t = (table.get(k) for table in tables)
            if o is not None and t is not None:
                if b is not None:
                    label = f"{what} {called(o)}" if name else what
                    merged[k] = (
                        self.merge(ThreeWay(base=b, ours=o, theirs=t), label)
                        if merge_item is None
                        else merge_item(ThreeWay(base=b, ours=o, theirs=t))
                    )
                elif self.normal(o) == self.normal(t):
                    merged[k] = o
                else:
                    raise Contest(f"both sides added {what} {called(o)} differently")
            elif b is None:
                node = o if o is not None else t
                self._note(
                    Side.OURS if o is not None else Side.THEIRS,
                    f"{what} {called(node)}" if name else what,
                )
                merged[k] = node
            else:
                kept, side = (o, Side.THEIRS) if t is None else (t, Side.OURS)
                if isinstance(kept, cst.ImportAlias) and bound_name(kept) in self.keep_names:
                    self._note(side.other, f"{what} {called(b)} (kept: the result uses it)")
                    merged[k] = kept
                    continue
                if self.normal(kept) != self.normal(b):
                    raise Contest(f"one side deleted {what} {called(b)}, the other changed it")
                self._note(side, f"{what} {called(b)} (removed)" if name else what)
        replaced = [k for k in tables.base if k not in tables.ours and k not in tables.theirs]
        mine = [k for k in tables.ours if k not in tables.base and k not in tables.theirs]
        other = [k for k in tables.theirs if k not in tables.base and k not in tables.ours]
        if replaced and mine and other and what in _REPLACED_BY_BOTH:
            raise Contest(f"both sides replaced {what} {called(tables.base[replaced[0]])}")
        unpacked = [k for k in replaced if _is_unpacked(k)]
        if unpacked and any(map(_is_unpacked, [*mine, *other])):
            raise Contest(
                f"one side deleted {what} {called(tables.base[unpacked[0]])}, the other changed it"
            )
        if what in _MEMBERS:
            _hold_removals(tables, what, self.normal)
        for k in replaced:
            for side, new in ((Side.OURS, mine), (Side.THEIRS, other)):
                if self._renamed_key(tables, k, new, side):
                    raise Contest(
                        f"{side.other.value} deleted {what} {called(tables.base[k])}, "
                        f"{side.value} renamed it"
                    )
        order = [k for k in tables.ours if k in merged]
        moved = _moved_keys(list(tables.base), list(tables.ours)) if what == "key" else set()
        previous: Hashable = None
        first = True
        for k in tables.theirs:
            if k not in merged:
                continue
            if k not in tables.ours:
                # After its predecessor, and after what ours added there.
                at = 0 if first else order.index(previous) + 1
                while (
                    at < len(order)
                    and order[at] not in tables.base
                    and order[at] not in tables.theirs
                ):
                    at += 1
                if at < len(order) and order[at] in moved:
                    raise Contest(f"ours moved the {what} before which theirs added one")
                order.insert(at, k)
            previous, first = k, False
        return [merged[k] for k in order]

    def _renamed_key(
        self,
        tables: ThreeWay[dict[Hashable, Any]],
        old: Hashable,
        new: Sequence[Hashable],
        side: Side,
    ) -> bool:
        """Whether a side put its own key in an old one's place, with the same value."""
        value = getattr(tables.base[old], "value", None)
        if value is None:
            return False
        base, mine = list(tables.base), list(tables.get(side))
        before = [k for k in base[: base.index(old)] if k in tables.get(side)]
        for k in new:
            above = [k for k in mine[: mine.index(k)] if k in tables.base]
            its = getattr(tables.get(side)[k], "value", None)
            same_place = above[-1:] == before[-1:]
            if same_place and its is not None and self.normal(its) == self.normal(value):
                return True
        return False


#: Elements of one collection, in the words of the proof. An imported or exported name, a keyword of a call
#: stands for itself; measured, such removals beside additions are right.
_MEMBERS = frozenset({"element", "key"})
#: What both sides may have put something of their own in the place of: then they changed one thing.
_REPLACED_BY_BOTH = _MEMBERS | {"keyword", "keyword parameter"}


def _is_unpacked(key: Hashable) -> bool:
    """Whether a key is that of an unpacked mapping, which has no name but its value."""
    return isinstance(key, tuple) and key[:1] in {("**",), ("star",)}


def _hold_removals(
    tables: ThreeWay[dict[Hashable, Any]], what: str, normal: Callable[[Any], Hashable]
) -> None:
    """Refuse new or changed elements of one side in a collection from which the other removed some.

    What is new may belong to what was removed, or the removal may have been of all of its kind:
    measured, such collections are never what people made of them.

    Raises:
        Contest: One side removed elements, the other added or changed some.
    """
    for side in (Side.OURS, Side.THEIRS):
        mine, other = tables.get(side), tables.get(side.other)
        removed = any(k not in mine and k in other for k in tables.base)
        edited = any(
            k not in mine if k not in tables.base else normal(node) != normal(tables.base[k])
            for k, node in other.items()
        )
        if removed and edited:
            raise Contest(
                f"{side.value} removed {what}s of this collection, {side.other.value} changed others"
            )


def _holding_both(ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> Side | None:
    """The side whose new elements are the other's, in their order, and more."""
    for side, more, less in ((Side.OURS, ours, theirs), (Side.THEIRS, theirs, ours)):
        rest = iter(more)
        if less and all(key in rest for key in less):
            return side
    return None


def _sorted_into(base: _Nodes, at: int, new: _Nodes) -> bool:
    """Whether new strings have their place by the alphabet between their neighbours of a sorted list.

    A long list counts as sorted although a few of its elements stand out of order.
    """
    if not all(_is_string(e) for e in (*base, *new)) or len(base) < 5:
        return False
    old = [_string_value(e) for e in base]
    inverted = sum(one > two for one, two in pairwise(old))
    if inverted * 10 > len(old):
        return False
    values = sorted(_string_value(e) for e in new)
    around = [*old[at - 1 : at], *values, *old[at : at + 1]]
    return len(set(values)) == len(values) and around == sorted(around)


def _is_string(element: Any) -> bool:
    return isinstance(getattr(element, "value", None), cst.SimpleString)


def _moved_keys(base: Sequence[Hashable], side: Sequence[Hashable]) -> set[Hashable]:
    """Keys that a side put elsewhere among the others."""
    places = {k: n for n, k in enumerate(side)}
    common = [(n, places[k]) for n, k in enumerate(base) if k in places]
    straight = set(increasing(common))
    return {base[n] for n, m in common if (n, m) not in straight}


def _only_deleted(base: Sequence[Hashable], side: Sequence[Hashable]) -> bool:
    """Whether a side did nothing here but take unique elements away, in order."""
    return len(set(base)) == len(base) and [k for k in base if k in set(side)] == list(side)


def _aligned(v: ThreeWay[_Nodes], keys: ThreeWay[list[Hashable]]) -> Iterator[Chunk]:
    """The stable and the unstable stretches of three lists."""
    return chunks(
        len(v.base),
        len(v.ours),
        len(v.theirs),
        _align(v.base, v.ours, keys.base, keys.ours),
        _align(v.base, v.theirs, keys.base, keys.theirs),
    )


def _align(
    base: _Nodes, side: _Nodes, base_keys: list[Hashable], side_keys: list[Hashable]
) -> list[tuple[int, int]]:
    """Equal elements, and in the gaps between them as many changed ones as stand on either side."""
    pairs = matches(base_keys, side_keys)
    found = list(pairs)
    i = j = 0
    for at, to in [*pairs, (len(base), len(side))]:
        if at - i == to - j:
            found.extend(
                (i + k, j + k) for k in range(at - i) if type(base[i + k]) is type(side[j + k])
            )
        i, j = at + 1, to + 1
    return sorted(found)


_LABELS = {
    "left": "operand",
    "comparisons": "comparison",
    "items": "item",
    "iter": "iterable",
    "params": "parameters",
    "value": "value",
    "func": "callee",
    "test": "condition",
    "body": "body",
    "targets": "target",
    "annotation": "annotation",
    "returns": "return annotation",
    "decorators": "decorator",
}


def _with_commas(merger: NodeMerger, v: ThreeWay[_Nodes], elements: list[Any]) -> list[Any]:
    """Give merged elements the comma layout of the list they go into.

    The list's layout comes from the side that changed it (one line to several), else from ours.
    """
    multi = v.map(lambda nodes: any(_breaks(getattr(n, "comma", None)) for n in nodes))
    if multi.base == multi.ours and multi.theirs != multi.base and len(v.theirs) > 1:
        template_nodes = v.theirs
        merger.layout_from = Side.THEIRS
    else:
        template_nodes = v.ours
    inner = next(
        (n.comma for n in template_nodes[:-1] if isinstance(n.comma, cst.Comma)),
        None,
    )
    last = template_nodes[-1].comma if template_nodes else cst.MaybeSentinel.DEFAULT
    if inner is None:
        if isinstance(last, cst.Comma) and _breaks(last):
            inner = last
        else:
            inner = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    out: list[Any] = []
    for index, node in enumerate(elements):
        own = node.comma
        is_last = index == len(elements) - 1
        wanted = last if is_last else inner
        if isinstance(wanted, cst.Comma) and isinstance(own, cst.Comma):
            wanted = _carry_comments(own, wanted)
        elif not isinstance(wanted, cst.Comma) and isinstance(own, cst.Comma) and _has_comment(own):
            wanted = own
        out.append(node.with_changes(comma=wanted))
    return out


def _breaks(comma: object) -> bool:
    return isinstance(comma, cst.Comma) and isinstance(
        comma.whitespace_after, cst.ParenthesizedWhitespace
    )


def _has_comment(comma: cst.Comma) -> bool:
    return bool(NodeMerger.normal_comments(comma))


def _carry_comments(own: cst.Comma, wanted: cst.Comma) -> cst.Comma:
    """The wanted comma with the comments of the element's own."""
    mine, layout = own.whitespace_after, wanted.whitespace_after
    if not _has_comment(own) and not _has_comment(wanted):
        return wanted
    if isinstance(mine, cst.ParenthesizedWhitespace) and isinstance(
        layout, cst.ParenthesizedWhitespace
    ):
        return wanted.with_changes(
            whitespace_after=layout.with_changes(
                first_line=mine.first_line, empty_lines=mine.empty_lines
            )
        )
    return own


def _code(node: cst.CSTNode) -> str:
    return " ".join(cst.Module([]).code_for_node(node).split())


def _elements(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any:
    """Lists and tuples: order matters."""
    parts = v.map(lambda node: node.elements)
    if all(_sorted_strings(p) for p in parts):
        merged = m.keyed(parts, "element", _bare_element(m), name=_code)
        merged.sort(key=_string_value)
    else:
        _hold_apart(m, parts)
        merged = m._list(parts, "element")  # noqa: SLF001 - handlers are part of the merger
    rest = m._fields(v, what, frozenset({"elements"}))
    return rest.with_changes(elements=_with_commas(m, parts, merged))


def _hold_apart(m: NodeMerger, v: ThreeWay[_Nodes]) -> None:
    """Refuse an insertion or deletion right beside what the other side changed in a list.

    Where order has a meaning (routes, columns, expected output), which of two neighbouring edits comes
    first is not for us to say: measured, such lists are wrong more often than right.

    Raises:
        Contest: Two such edits touch.
    """
    keys = v.map(lambda nodes: [m.normal(node) for node in nodes])
    last: tuple[Side, bool] | None = None
    for chunk in _aligned(v, keys):
        part = ThreeWay(
            base=keys.base[chunk.base.start : chunk.base.stop],
            ours=keys.ours[chunk.ours.start : chunk.ours.stop],
            theirs=keys.theirs[chunk.theirs.start : chunk.theirs.stop],
        )
        side = settle(part)
        if part.ours == part.theirs or side is None:
            last = (
                None  # nothing of one side alone; two edits at one place are judged where they are
            )
            continue
        if last is not None and last[0] is not side and not (last[1] and chunk.stable):
            raise Contest("the two sides changed neighbouring elements of a list")
        last = (side, chunk.stable)


def _string_value(element: Any) -> str:
    return str(getattr(element.value, "evaluated_value", ""))


def _sorted_strings(elements: _Nodes) -> bool:
    """Whether a list is three or more different strings in their order: it stays sorted."""
    values = [
        _string_value(e)
        for e in elements
        if isinstance(getattr(e, "value", None), cst.SimpleString)
    ]
    return len(values) == len(elements) >= 3 and values == sorted(set(values))


def _set(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any:
    parts = v.map(lambda node: node.elements)
    merged = m.keyed(parts, "element", _bare_element(m), name=_code)
    rest = m._fields(v, what, frozenset({"elements"}))
    return rest.with_changes(elements=_with_commas(m, parts, merged))


def _dict(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any:
    parts = v.map(lambda node: node.elements)

    def key(element: Any) -> Hashable:
        if isinstance(element, cst.DictElement):
            return ("key", m.normal(element.key))
        return ("star", m.normal(element.value))

    def name(element: Any) -> str:
        return _code(element.key if isinstance(element, cst.DictElement) else element.value)

    merged = m.keyed(parts, "key", key, name=name)
    rest = m._fields(v, what, frozenset({"elements"}))
    return rest.with_changes(elements=_with_commas(m, parts, merged))


def _split_args(args: _Nodes) -> tuple[list[Any], list[Any]]:
    positional: list[Any] = []
    keywords: list[Any] = []
    for arg in args:
        if arg.keyword is not None or arg.star == "**":
            keywords.append(arg)
        elif keywords:
            raise Contest("a positional argument behind a keyword")
        else:
            positional.append(arg)
    return positional, keywords


def _merge_args(m: NodeMerger, v: ThreeWay[_Nodes]) -> list[Any]:
    split = v.map(_split_args)
    positional = m._list(split.map(lambda s: s[0]), "positional argument")  # noqa: SLF001

    def key(arg: Any) -> Hashable:
        return ("**", m.normal(arg.value)) if arg.keyword is None else arg.keyword.value

    def name(arg: Any) -> str:
        return f"`{_code(arg.value)}`" if arg.keyword is None else f"`{arg.keyword.value}`"

    keywords = m.keyed(split.map(lambda s: s[1]), "keyword", key, name=name)
    return _with_commas(m, v, [*positional, *keywords]) if positional or keywords else []


def _links(node: Any) -> tuple[Any, list[tuple[Any, Any]]]:
    """A chain of method calls: what it starts from, and its (attribute, call) links in order."""
    links: list[tuple[Any, Any]] = []
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        links.append((node.func, node))
        node = node.func.value
    links.reverse()
    return node, links


def _call_chain(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any | None:
    """``a.b().c().d()`` link by link, when a side put one in or took one out; else ``None``."""
    chains = v.map(_links)
    counts = chains.map(lambda chain: len(chain[1]))
    if min(counts) < 2 or len(set(counts)) == 1:
        return None
    start = m.merge(chains.map(lambda chain: chain[0]), what)

    # A link as a node of its own: the call on a stand-in, so that its form holds only itself.
    stand_in = cst.Name("_")
    lists: ThreeWay[_Nodes] = chains.map(
        lambda chain: [
            call.with_changes(func=attribute.with_changes(value=stand_in))
            for attribute, call in chain[1]
        ]
    )
    names = lists.map(lambda calls: [call.func.attr.value for call in calls])
    if any(len(set(found)) != len(found) for found in names):
        return None
    merged = m.ordered(
        lists, "call", lambda call: call.func.attr.value, lambda p: m.merge(p, "call")
    )
    result = start
    for call in merged:
        bare = call.with_changes(lpar=[], rpar=[])
        result = bare.with_changes(func=call.func.with_changes(value=result))
    # Parentheses stand around the whole chain, whichever link is the last one now.
    return result.with_changes(lpar=v.ours.lpar, rpar=v.ours.rpar)


def _call(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any:
    rest = m._fields(v, what, frozenset({"args"}))
    callee = v.map(lambda node: m.normal(node.func))
    args = v.map(lambda node: m.normal(node.args))
    if _changed_apart(callee, args):
        # The arguments one side changed belong to the callee that the other side replaced,
        # unless what differs is only the receiver of the same method or an inner call.
        names = v.map(lambda node: _callee_name(node.func))
        if len({names.base, names.ours, names.theirs}) > 1:
            raise Contest("one side changed the callee, the other its arguments")
    return rest.with_changes(args=_merge_args(m, v.map(lambda node: node.args)))


def _changed_apart(whole: ThreeWay[Any], parts: ThreeWay[Any]) -> bool:
    """Whether one side alone changed what names a thing, and the other has a part in what goes with it.

    What both changed in one way is as if it had been so in base.
    """
    return (
        whole.ours != whole.theirs
        and parts.ours != parts.theirs
        and settle(parts) is not settle(whole)
    )


def _callee_name(node: Any) -> str:
    if isinstance(node, cst.Attribute):
        return node.attr.value
    if isinstance(node, cst.Name):
        return node.value
    return type(node).__name__


def _class(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any:
    rest = m._fields(v, what, frozenset({"bases", "keywords", "decorators", "lpar", "rpar"}))
    bases_v = v.map(lambda node: node.bases)
    bases = m.ordered(bases_v, "base class", m.normal, lambda p: m.merge(p, "base class"))
    keywords_v = v.map(lambda node: node.keywords)
    keywords = m.keyed(
        keywords_v, "class keyword", lambda a: a.keyword.value if a.keyword else "**"
    )
    shell = v.ours if v.ours.bases or v.ours.keywords else v.theirs
    return rest.with_changes(
        bases=_with_commas(m, bases_v, bases) if bases else [],
        keywords=_with_commas(m, keywords_v, keywords) if keywords else [],
        decorators=_decorators(m, v),
        lpar=shell.lpar,
        rpar=shell.rpar,
    )


def _decorators(m: NodeMerger, v: ThreeWay[Any]) -> list[Any]:
    def key(decorator: Any) -> Hashable:
        target = decorator.decorator
        return m.normal(target.func if isinstance(target, cst.Call) else target)

    parts = v.map(lambda node: node.decorators)
    keys = parts.map(lambda ds: [key(d) for d in ds])
    repeated = any(len(set(k)) != len(k) for k in keys)
    return m.ordered(
        parts,
        "decorator",
        m.normal if repeated else key,
        lambda p: m.merge(p, "decorator"),
    )


def _function(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any:
    rest = m._fields(v, what, frozenset({"decorators"}))
    return rest.with_changes(decorators=_decorators(m, v))


def _parameters(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any:  # noqa: ARG001 - a handler
    def name(param: Any) -> Hashable:
        return str(param.name.value)

    changes: dict[str, Any] = {}
    for field in ("posonly_params", "params"):
        parts = v.map(lambda node, field=field: getattr(node, field))  # type: ignore[misc]
        merged = m.ordered(parts, "parameter", name, lambda p: _parameter(m, p))
        changes[field] = _with_commas(m, parts, merged) if merged else []
    parts = v.map(lambda node: node.kwonly_params)
    merged = m.keyed(parts, "keyword parameter", name, name=lambda p: f"`{p.name.value}`")
    changes["kwonly_params"] = _with_commas(m, parts, merged) if merged else []
    for field in ("star_arg", "star_kwarg", "posonly_ind"):
        parts = v.map(lambda node, field=field: getattr(node, field))  # type: ignore[misc]
        side = settle(parts.map(m.normal))
        if side is not None:
            changes[field] = parts.get(side)
        elif all(isinstance(part, cst.Param) for part in parts):
            changes[field] = m.merge(parts, "parameter")
        else:
            raise Contest("both sides changed the starred parameters")
    seen = [
        p.name.value
        for field in ("posonly_params", "params", "kwonly_params")
        for p in changes[field]
    ]
    if len(set(seen)) != len(seen):
        raise Contest("a parameter would stand twice")
    defaults = [p.default is not None for f in ("posonly_params", "params") for p in changes[f]]
    if defaults != sorted(defaults):
        raise Contest("a parameter without default would follow one with a default")
    last = [f for f in ("params", "kwonly_params") if changes[f]]
    if last and changes["star_kwarg"] is None and last[-1] == "params":
        # The last parameter's comma follows the layout side; a star behind it needs one.
        tail = changes["params"][-1]
        needs = isinstance(changes["star_arg"], cst.Param | cst.ParamStar) or bool(
            changes["kwonly_params"]
        )
        if needs and not isinstance(tail.comma, cst.Comma):
            changes["params"][-1] = tail.with_changes(
                comma=cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
            )
    if changes["kwonly_params"] and not isinstance(changes["star_arg"], cst.Param | cst.ParamStar):
        changes["star_arg"] = cst.ParamStar()
    for field, follow in (
        ("params", ("star_arg", "kwonly_params", "star_kwarg")),
        ("kwonly_params", ("star_kwarg",)),
    ):
        if changes[field]:
            tail = changes[field][-1]
            more = any(
                isinstance(changes[f], cst.CSTNode) or (f == "kwonly_params" and changes[f])
                for f in follow
            )
            if more and not isinstance(tail.comma, cst.Comma):
                changes[field][-1] = tail.with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return v.ours.with_changes(**changes)


def _parameter(m: NodeMerger, v: ThreeWay[Any]) -> Any:
    """One parameter; whether None is its default says what its annotation has to allow."""
    types = v.map(lambda p: m.normal(p.annotation))
    optional = v.map(
        lambda p: p.default is not None and m.normal(p.default) == m.normal(cst.Name("None"))
    )
    for side in (Side.OURS, Side.THEIRS):
        if types.get(side) != types.base and optional.get(side.other) is not optional.base:
            if types.ours == types.theirs or optional.ours is optional.theirs:
                continue
            raise Contest(
                f"{side.value} changed the annotation of `{v.ours.name.value}`, "
                f"{side.other.value} whether None is its default"
            )
    return m.merge(v, _param_label(v))


def _param_label(parts: ThreeWay[Any]) -> str:
    return f"parameter `{parts.ours.name.value}`"


def _import_from(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any:
    modules = v.map(lambda node: (m.normal(node.relative), m.normal(node.module)))
    bound = v.map(
        lambda node: (
            "*"
            if isinstance(node.names, cst.ImportStar)
            else frozenset(m.normal(alias) for alias in node.names)
        )
    )
    if settle(modules) is None:
        # Dots and name are one thing: half of each would name a third module.
        raise Contest("both sides moved the import, to different modules")
    if _changed_apart(modules, bound):
        raise Contest("one side moved the import to another module, the other changed its names")
    rest = m._fields(v, what, frozenset({"names", "lpar", "rpar"}))
    names = v.map(lambda node: node.names)
    if any(isinstance(n, cst.ImportStar) for n in names):
        side = settle(names.map(m.normal))
        if side is None:
            raise Contest("a star import met a change of names")
        shell = v.get(side)
        return rest.with_changes(names=names.get(side), lpar=shell.lpar, rpar=shell.rpar)
    return _import_names(m, names, rest, v)


def _import_names(m: NodeMerger, names: ThreeWay[_Nodes], rest: Any, v: ThreeWay[Any]) -> Any:
    merged = m.keyed(names, "name", m.normal, name=lambda a: f"`{_code(a)}`")
    if not merged:
        raise Contest("no imported name is left")
    if all(_sorted_names(n) for n in names):
        merged.sort(key=lambda a: _code(a.name).lower() if _caseless(names) else _code(a.name))
    wide = v.theirs if v.theirs.lpar and not v.ours.lpar else v.ours
    if wide is v.theirs and (v.base is None or not v.base.lpar):
        # Theirs put the names into parentheses: its layout is taken for all names.
        merged = _with_commas(m, names.swapped(), merged)
    else:
        wide = v.ours
        merged = _with_commas(m, names, merged)
    if not wide.lpar:
        merged[-1] = merged[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return rest.with_changes(names=merged, lpar=wide.lpar, rpar=wide.rpar)


def bound_name(alias: cst.ImportAlias) -> str:
    """The name that an import binds."""
    if alias.asname is not None:
        return _code(alias.asname.name)
    return _code(alias.name).split(".")[0]


def _sorted_names(names: _Nodes) -> bool:
    found = [_code(n.name) for n in names]
    return found == sorted(found) or found == sorted(found, key=str.lower)


def _caseless(names: ThreeWay[_Nodes]) -> bool:
    return not all(
        [_code(n.name) for n in nodes] == sorted(_code(n.name) for n in nodes) for nodes in names
    )


def _import(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any:
    names = v.map(lambda node: node.names)
    merged = m.keyed(names, "name", m.normal)
    if not merged:
        raise Contest("no imported name is left")
    rest = m._fields(v, what, frozenset({"names"}))
    merged = _with_commas(m, names, merged)
    merged[-1] = merged[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return rest.with_changes(names=merged)


def _bare_element(m: NodeMerger) -> Callable[[Any], Hashable]:
    """What an element is known by: not the comment that stands behind its comma."""
    return lambda element: (type(element).__name__, m.normal(element.value))


def _assign(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any:
    targets = v.map(lambda node: [_code(t.target) for t in node.targets])
    if targets.base == targets.ours == targets.theirs == ["__all__"]:
        values = v.map(lambda node: node.value)
        if len({type(x) for x in values}) == 1 and isinstance(values.base, cst.List | cst.Tuple):
            parts = values.map(lambda node: node.elements)
            merged = m.keyed(parts, "exported name", _bare_element(m), name=_code)
            if all(_sorted_elements(p) for p in parts):
                merged.sort(key=lambda e: _code(e.value))
            value = m._fields(values, what, frozenset({"elements"}))
            value = value.with_changes(elements=_with_commas(m, parts, merged))
            return v.ours.with_changes(value=value)
    return m._fields(v, what)


def _sorted_elements(parts: _Nodes) -> bool:
    found = [_code(e.value) for e in parts]
    return found == sorted(found)


def _string(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any:
    """A string over several lines is merged by lines (docstrings)."""
    texts = v.map(lambda node: node.value)
    if not all("\n" in text for text in texts):
        raise Contest(f"both sides changed the {what}")
    merge = merge_lines(texts.map(str.encode))
    if not merge.clean:
        raise Contest(f"both sides changed the same lines of the {what}")
    m._note(Side.OURS, "lines of a string")  # noqa: SLF001
    m._note(Side.THEIRS, "other lines of it")  # noqa: SLF001
    return v.ours.with_changes(value=merge.text().decode())


def _chain(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any:
    """A chain of one operator (``a and b and c``, ``x | y | z``): its operands in order."""
    operators = v.map(lambda node: type(node.operator))
    if not operators.base is operators.ours is operators.theirs:
        return m._fields(v, what)
    flat = v.map(flatten)
    merged = m.ordered(
        flat.map(lambda pairs: [operand for _, operand in pairs]),
        "operand",
        m.normal,
        lambda p: m.merge(p, "operand"),
    )
    # Operators are taken from ours' chain in turn; a longer result repeats the last one.
    ours_ops = [op for op, _ in flat.ours if op is not None]
    result = merged[0]
    if result is None or not ours_ops:
        raise Contest("the chain fell apart")
    for index, operand in enumerate(merged[1:]):
        operator = ours_ops[min(index, len(ours_ops) - 1)]
        result = type(v.ours)(left=result, operator=operator, right=operand)
    if len(merged) < 2:
        return result
    return result.with_changes(lpar=v.ours.lpar, rpar=v.ours.rpar)


def flatten(node: Any) -> list[tuple[Any, Any]]:
    """``(operator before, operand)`` of a left-deep chain of one operator."""
    operator = type(node.operator)
    kind = type(node)
    chain: list[tuple[Any, Any]] = []
    current = node
    while (
        type(current) is kind
        and type(current.operator) is operator
        and (current is node or not current.lpar)
    ):
        chain.append((current.operator, current.right))
        current = current.left
    chain.append((None, current))
    chain.reverse()
    return chain


def _named_value(m: NodeMerger, v: ThreeWay[Any], what: str) -> Any:
    """A keyword argument or dict entry: its value is spoken of by its keyword or key."""
    node = v.ours
    named = node.keyword if isinstance(node, cst.Arg) else node.key
    if (
        named is None
        or settle(v.map(lambda n: m.normal(n.keyword if isinstance(n, cst.Arg) else n.key))) is None
    ):
        return m._fields(v, what)
    value = m.merge(v.map(lambda n: n.value), f"value of {_code(named)}")
    return m._fields(v, what, frozenset({"value"})).with_changes(value=value)


_Handler = Callable[[NodeMerger, ThreeWay[Any], str], Any]
_HANDLERS: dict[type[cst.CSTNode], _Handler] = {
    cst.Arg: _named_value,
    cst.DictElement: _named_value,
    cst.List: _elements,
    cst.Tuple: _elements,
    cst.Set: _set,
    cst.Dict: _dict,
    cst.Call: _call,
    cst.ClassDef: _class,
    cst.FunctionDef: _function,
    cst.Parameters: _parameters,
    cst.ImportFrom: _import_from,
    cst.Import: _import,
    cst.Assign: _assign,
    cst.SimpleString: _string,
    cst.BooleanOperation: _chain,
    cst.BinaryOperation: _chain,
}
