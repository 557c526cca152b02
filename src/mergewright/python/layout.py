"""The layout of composed statements: the right program, written as the side that reformatted writes.

A statement whose content comes from one side and whose layout the other side changed is *dressed*:
node by node its content is put into the other text's white space, line breaks, trailing commas,
parentheses and quotes. What comes out is parsed again and held against what was meant; a dressing that
would change a token or a comment is not taken.
"""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from mergewright.model.threeway import Side, ThreeWay
from mergewright.python.normal import Normal, comments_in, fields_of, is_layout
from mergewright.python.pieces import _Snippet, _Unsupported, flatten
from mergewright.text.diff import matches
from mergewright.text.syntax import syntax_tree

#: Columns that a line may have when the statement's own versions do not go further.
WIDTH = 79


class Composed(bytes):
    """A statement that stands in none of the three versions as it is.

    Attributes:
        form: ``statement`` or the clause keyword of a header, as in ``merge_snippet``.
        versions: The statement in the three versions.
        styled: The side whose layout was kept.
        relaid: Whether that side changed nothing but the layout.
    """

    form: str
    versions: ThreeWay[bytes]
    styled: Side
    relaid: bool

    @classmethod
    def make(
        cls, text: bytes, form: str, versions: ThreeWay[bytes], styled: Side, *, relaid: bool
    ) -> Composed:
        """A composed statement from its text."""
        made = cls(text)
        made.form, made.versions, made.styled, made.relaid = form, versions, styled, relaid
        return made


def compose(
    text: bytes, form: str, versions: ThreeWay[bytes], relaid: Side | None = None
) -> Composed:
    """A composed statement in the layout of the side that reformatted it.

    Args:
        text: The statement with the right content, whole lines.
        form: ``statement`` or a clause keyword.
        versions: The statement in the three versions.
        relaid: The side that changed nothing but the layout; ``None`` when both changed content.

    Returns:
        The statement, dressed where that keeps every token and every comment, else as given.
    """
    side, dressed = relaid or Side.OURS, text
    try:
        parsed = versions.map(lambda data: _Statement(_decode(data), form))
        meant = _Statement(_decode(text), form)
        normal = Normal()
        if relaid is None:
            side = _relaid(parsed, normal)
        # When both changed the content, the composed text has a layout that nobody chose.
        dresser = _Dresses(normal, _width(versions), keep=relaid is not None)
        result = dresser.dressed(meant, parsed.get(side), parsed.base)
        if result is not None:
            dressed = result.encode("utf-8", "surrogateescape")
    except Exception:  # noqa: BLE001, S110 - a layout can be done without: it never fails a merge
        pass
    return Composed.make(dressed, form, versions, side, relaid=relaid is not None)


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _width(versions: ThreeWay[bytes]) -> int:
    """How long a line may become: no longer than the longest that somebody wrote here."""
    return max(WIDTH, *(len(_decode(line)) for data in versions for line in data.splitlines()))


def _relaid(parsed: ThreeWay[_Statement], normal: Normal) -> Side:
    """The side whose layout counts when both changed the content.

    That is the side in whose layout the base looks otherwise than it did; when both reformatted, the
    one that put the parts on lines of their own.
    """
    changed = ThreeWay(
        base=False,
        ours=_changes_layout(parsed.base, parsed.ours, normal),
        theirs=_changes_layout(parsed.base, parsed.theirs, normal),
    )
    if changed.ours == changed.theirs:
        lines = parsed.map(lambda snippet: snippet.text.count("\n"))
        exploded = changed.theirs and lines.theirs > lines.ours
        return Side.THEIRS if exploded and _TRAILING.search(parsed.theirs.text) else Side.OURS
    return Side.OURS if changed.ours else Side.THEIRS


_TRAILING = re.compile(r",\s*(?:#[^\n]*)?\n\s*[)\]}]")


def _changes_layout(base: _Statement, side: _Statement, normal: Normal) -> bool:
    if base.text == side.text or base.indent != side.indent:
        return False
    result = _Dresser(normal, _Style()).dress(base.hoisted, side.hoisted)
    return _lines(base.printed(result)) != _lines(base.text)


def _lines(text: str) -> str:
    """The statement without what is no wrapping: blanks inside a line."""
    return "\n".join("".join(line.split()) for line in text.splitlines())


@dataclass(frozen=True, slots=True)
class _Dresses:
    """The ways to dress a statement, the fullest first.

    Attributes:
        normal: Normal forms.
        width: Columns that a line may have.
        keep: Whether the layout of the content counts where the styled side did not touch it.
    """

    normal: Normal
    width: int
    keep: bool

    def dressed(self, meant: _Statement, styled: _Statement, base: _Statement) -> str | None:
        """The text of ``meant`` in the layout of ``styled``; ``None`` where nothing holds."""
        if meant.indent != styled.indent:
            return None
        style = _Style(
            quotes=_new_quotes(base.node, styled.node),
            unpadded=_padded(base.node) and not _padded(styled.node),
        )
        below = base.hoisted if self.keep and base.indent == styled.indent else None
        for commas_only in () if _fits(meant, styled, base) else (False, True):
            dresser = _Dresser(self.normal, style, commas_only=commas_only)
            node = dresser.dress(meant.hoisted, styled.hoisted, below)
            found = _checked(meant, styled, node, self.normal, self.width)
            if found is not None:
                return found
        if style.speaks:
            node = _Dresser(self.normal, style).restyle(meant.hoisted)
            return _checked(meant, meant, node, self.normal, self.width)
        return None


def _fits(meant: _Statement, styled: _Statement, base: _Statement) -> bool:
    """Whether a line was broken only because it was too long, and no longer is."""
    line, before = meant.text.rstrip("\n"), base.text.rstrip("\n")
    return (
        "\n" not in line
        and "\n" not in before
        and "\n" in styled.text.rstrip("\n")
        and len(line) <= WIDTH < len(before)
        and _TRAILING.search(styled.text) is None
    )


def _checked(
    meant: _Statement, shell: _Statement, node: Any, normal: Normal, width: int
) -> str | None:
    """The printed node when it says what was meant and no line became too long."""
    wanted = normal(meant.hoisted)
    text = shell.printed(node)
    text = _refilled(text, meant.form, width)
    longest = max(map(len, text.splitlines()), default=0)
    if longest > width and longest > max(map(len, meant.text.splitlines()), default=0):
        return None
    try:
        again = _Statement(text, meant.form)
    except (cst.ParserSyntaxError, _Unsupported, RecursionError):
        return None
    if normal(again.hoisted) != wanted or again.meaning() != meant.meaning():
        return None
    return text


class _Statement(_Snippet):
    """A snippet with what dressing needs of it.

    Attributes:
        text: The lines as given.
        hoisted: The node, in which the white space before a closing bracket belongs to the trailing
            comma: so a comment there goes with its element.
    """

    def __init__(self, text: str, form: str) -> None:
        super().__init__(text, form)
        self.text = text
        self.hoisted: Any = self.node.visit(_Hoist()) if "\n" in text.strip() else self.node

    def meaning(self) -> str | None:
        """The syntax tree, as text; ``None`` when it does not compile to one."""
        tree = syntax_tree(self.module.code)
        try:
            return None if tree is None else ast.dump(tree)
        except RecursionError:
            return None


class _Hoist(cst.CSTTransformer):
    """Moves the white space before a closing bracket into the trailing comma before it."""

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        del original_node
        closer = next((n for n in ("rbracket", "rbrace") if hasattr(updated_node, n)), None)
        if closer is None or not getattr(updated_node, "elements", ()):
            return updated_node
        bracket, last = getattr(updated_node, closer), updated_node.elements[-1]
        if (
            not isinstance(bracket.whitespace_before, cst.ParenthesizedWhitespace)
            or not isinstance(last.comma, cst.Comma)
            or not isinstance(last.comma.whitespace_after, cst.SimpleWhitespace)
            or last.comma.whitespace_after.value
        ):
            return updated_node
        comma = last.comma.with_changes(whitespace_after=bracket.whitespace_before)
        return updated_node.with_changes(
            elements=[*updated_node.elements[:-1], last.with_changes(comma=comma)],
            **{closer: bracket.with_changes(whitespace_before=cst.SimpleWhitespace(""))},
        )


# -- dressing -----------------------------------------------------------------------------------

#: Where an expression needs no parentheses of its own, whatever it is.
_FREE = frozenset({"test", "value", "iter", "msg", "slice", "annotation", "default"})
_KEEP_PARENS = (
    cst.Tuple,
    cst.Yield,
    cst.NamedExpr,
    cst.GeneratorExp,
    cst.ConcatenatedString,
    cst.Await,
)
_LISTS: dict[type[cst.CSTNode], tuple[str, ...]] = {
    cst.Call: ("args",),
    cst.ClassDef: ("bases", "keywords"),
    cst.Parameters: (
        "posonly_params",
        "posonly_ind",
        "params",
        "star_arg",
        "kwonly_params",
        "star_kwarg",
    ),
    cst.List: ("elements",),
    cst.Tuple: ("elements",),
    cst.Set: ("elements",),
    cst.Dict: ("elements",),
    cst.ImportFrom: ("names",),
    cst.Import: ("names",),
    cst.Subscript: ("slice",),
    cst.With: ("items",),
    cst.Global: ("names",),
    cst.Nonlocal: ("names",),
}
_BRACKETS = (
    "lbracket",
    "rbracket",
    "lbrace",
    "rbrace",
    "lpar",
    "rpar",
    "whitespace_before_args",
    "whitespace_before_params",
)
_SINGLE = frozenset({"posonly_ind", "star_arg", "star_kwarg"})
_TAIL_SPACE = ("whitespace_after_arg", "whitespace_after_param")
_NO_SPACE = cst.SimpleWhitespace("")
_ONE_SPACE = cst.SimpleWhitespace(" ")


@dataclass(frozen=True, slots=True)
class _Style:
    """What a side changed everywhere in a statement, for content that it does not have.

    Attributes:
        quotes: The quote of plain strings; ``None`` leaves them.
        unpadded: Whether blanks just inside brackets are taken out.
    """

    quotes: str | None = None
    unpadded: bool = False

    @property
    def speaks(self) -> bool:
        """Whether there is anything to change."""
        return self.quotes is not None or self.unpadded


class _Dresser:
    """Puts the content of one node into the layout of another.

    Args:
        normal: Normal forms: two nodes of one form differ in layout only.
        style: What new content is given.
        commas_only: Take over only how lists are laid out, not parentheses.
    """

    def __init__(self, normal: Normal, style: _Style, *, commas_only: bool = False) -> None:
        self.normal = normal
        self.style = style
        self.commas_only = commas_only

    def dress(self, meant: Any, styled: Any, base: Any = None, field: str = "") -> Any:
        """``meant`` in the layout of ``styled``.

        Args:
            meant: The content.
            styled: The same place in the side that reformatted.
            base: The same place in the base: what ``styled`` has as it was there is no reason to
                change the layout of ``meant``. ``None`` takes over everything.
            field: Name of the field that the node stands in.
        """
        if base is not None and type(base) is type(styled) and base.deep_equals(styled):
            return self.restyle(meant)
        if type(meant) is not type(styled):
            return self._free_of_parens(meant, styled, field)
        if not self.commas_only and self.normal(meant) == self.normal(styled):
            return styled
        if type(base) is not type(styled):
            base = None
        if isinstance(meant, cst.SimpleString | cst.FormattedString):
            return self._free_of_parens(meant, styled, field)
        try:
            if isinstance(meant, cst.BooleanOperation | cst.BinaryOperation):
                return self._chain(meant, styled, base)
            if isinstance(meant, cst.Call):
                linked = self._calls(meant, styled, base)
                if linked is not None:
                    return linked
            if isinstance(meant, cst.ConcatenatedString):
                return self._strings(meant, styled)
            return self._fields(meant, styled, base)
        except cst.CSTValidationError:
            return self.restyle(meant)

    def _fields(self, meant: Any, styled: Any, base: Any = None) -> Any:
        kind = cast("type[cst.CSTNode]", type(meant))
        changes: dict[str, Any] = {}
        listed: tuple[str, ...] = ()
        groups = _LISTS.get(kind, ())
        if groups and not any(isinstance(getattr(meant, g), cst.ImportStar) for g in groups):
            dressed = self._lists(meant, styled, base, groups)
            if dressed is not None:
                changes.update(dressed)
            else:
                changes.update({g: getattr(meant, g) for g in groups})
            listed = groups
        parens = [n for n in ("lpar", "rpar") if n in fields_of(kind)]
        # Where a list breaks its lines is one thing, brackets included.
        reshaped = base is None or _shape(base) != _shape(styled)
        if parens:
            changes.update(self._parens(meant, styled, parens, None if reshaped else base))
        for name in fields_of(kind):
            if name in listed or name in parens:
                continue
            bracket = reshaped and name in _BRACKETS
            before = None if base is None or bracket else getattr(base, name)
            changes[name] = self._field(getattr(meant, name), getattr(styled, name), before, name)
        if isinstance(meant, cst.Param) and (meant.annotation is None) != (
            styled.annotation is None
        ):
            changes["equal"] = meant.equal  # an annotation wants blanks around it
        return meant.with_changes(**changes)

    def _parens(
        self, meant: Any, styled: Any, names: Sequence[str], base: Any = None
    ) -> dict[str, Any]:
        same = all(comments_in(getattr(meant, n)) == comments_in(getattr(styled, n)) for n in names)
        changed = base is None or any(
            _codes(getattr(base, n)) != _codes(getattr(styled, n)) for n in names
        )
        source = styled if same and changed and not self.commas_only else meant
        return {n: getattr(source, n) for n in names}

    def _field(self, mine: Any, theirs: Any, before: Any, name: str) -> Any:
        if _is_list(mine) or _is_list(theirs):
            if _is_list(mine) and _is_list(theirs) and mine and theirs:
                if is_layout(mine) and is_layout(theirs):
                    return self._layout(mine, theirs, before)
                return self._sequence(list(mine), list(theirs), before)
            if not mine and theirs and is_layout(theirs) and not comments_in(theirs):
                return theirs
            if not theirs and mine and is_layout(mine) and not comments_in(mine):
                return theirs
            return mine
        if is_layout(mine) and is_layout(theirs):
            return self._layout(mine, theirs, before)
        if isinstance(mine, cst.CSTNode) and isinstance(theirs, cst.CSTNode):
            return self.dress(
                mine, theirs, before if isinstance(before, cst.CSTNode) else None, name
            )
        if isinstance(mine, cst.CSTNode):
            return self.restyle(mine)
        return mine

    @staticmethod
    def _layout(mine: Any, theirs: Any, before: Any) -> Any:
        """The other side's white space or punctuation, if it is its own and has the same comments."""
        if cst.MaybeSentinel.DEFAULT in (mine, theirs) or comments_in(mine) != comments_in(theirs):
            return mine
        if before is not None and _codes(before) == _codes(theirs):
            return mine
        return theirs

    def _sequence(self, meant: list[Any], styled: list[Any], before: Any) -> list[Any]:
        pairs = dict(self._pairs(meant, styled))
        below = self._below(meant, before)
        return [
            self.dress(node, styled[pairs[n]], below.get(n)) if n in pairs else self.restyle(node)
            for n, node in enumerate(meant)
        ]

    def _below(self, meant: Sequence[Any], before: Any) -> dict[int, Any]:
        """What each element was in the base."""
        if not _is_list(before) or not before:
            return {}
        return {n: before[m] for n, m in self._pairs(meant, before)}

    def _pairs(self, meant: Sequence[Any], styled: Sequence[Any]) -> list[tuple[int, int]]:
        """Elements side by side: equal keys, then as many of one kind between them."""
        mine, theirs = ([self._key(n) for n in nodes] for nodes in (meant, styled))
        pairs = matches(mine, theirs)
        found = list(pairs)
        i = j = 0
        for at, to in [*pairs, (len(meant), len(styled))]:
            if at - i == to - j:
                found.extend(
                    (i + k, j + k)
                    for k in range(at - i)
                    if type(meant[i + k]) is type(styled[j + k])
                )
            i, j = at + 1, to + 1
        return sorted(found)

    def _key(self, node: Any) -> Hashable:
        if isinstance(node, cst.Param):
            return ("parameter", node.name.value)
        if isinstance(node, cst.Arg) and node.keyword is not None:
            return ("keyword", node.keyword.value)
        if isinstance(node, cst.DictElement):
            return ("key", self.normal(node.key))
        if isinstance(node, str):
            return node
        if hasattr(node, "comma"):
            return self.normal(_bare(node))
        return self.normal(node)

    # -- lists with commas ------------------------------------------------------------------

    def _lists(
        self, meant: Any, styled: Any, base: Any, groups: Sequence[str]
    ) -> dict[str, Any] | None:
        """The comma lists of a node; several fields may make one list (parameters and stars)."""
        mine = _flat(meant, groups)
        theirs = _flat(styled, groups)
        if not mine or not theirs or any(not hasattr(n, "comma") for _, n in (*mine, *theirs)):
            return None
        # The comma of a tuple of one is no layout.
        alone = isinstance(meant, cst.Tuple | cst.Subscript) and len(mine) == 1
        before = [] if base is None else [n for _, n in _flat(base, groups)]
        nodes = self._elements(
            [n for _, n in mine],
            [n for _, n in theirs],
            before,
            _opener(styled),
            own=bool(before) and _shape(base) == _shape(styled),
            alone=alone,
        )
        changes: dict[str, Any] = {}
        for group in groups:
            found = [n for (g, _), n in zip(mine, nodes, strict=True) if g == group]
            if group in _SINGLE:
                changes[group] = found[0] if found else getattr(meant, group)
            else:
                changes[group] = found
        return changes

    def _elements(
        self,
        meant: list[Any],
        styled: list[Any],
        base: list[Any],
        opener: Any,
        *,
        own: bool,
        alone: bool,
    ) -> list[Any]:
        """The elements of ``meant`` kept apart as those of ``styled``, or (``own``) as they are."""
        pairs = dict(self._pairs(meant, styled))
        below = self._below(meant, base)
        inner = _inner_comma(styled, opener)
        last = styled[-1].comma
        out: list[Any] = []
        for index, node in enumerate(meant):
            partner = styled[pairs[index]] if index in pairs else None
            bare = _bare(node)
            if partner is None:
                done = self.restyle(bare)
            else:
                done = self.dress(bare, _bare(partner), _bare(below.get(index)))
            if own:
                out.append(done.with_changes(comma=node.comma))
                continue
            is_last = index == len(meant) - 1
            if is_last:
                comma = node.comma if alone else last
            elif inner.uniform is not None:
                comma = inner.uniform
            elif partner is not None and partner is not styled[-1]:
                comma = partner.comma
            else:
                comma = cst.Comma(whitespace_after=_ONE_SPACE)
            done = done.with_changes(comma=_with_comments(node.comma, comma, inner.uniform))
            for name in _TAIL_SPACE:
                if hasattr(done, name) and not comments_in(getattr(node, name)):
                    tail = getattr(styled[-1], name, _NO_SPACE) if is_last else _NO_SPACE
                    if not comments_in(tail):
                        done = done.with_changes(**{name: tail})
            out.append(done)
        return out

    # -- chains of one operator -------------------------------------------------------------

    def _chain(self, meant: Any, styled: Any, base: Any) -> Any:
        if type(meant.operator) is not type(styled.operator):
            return self._fields_of_operands(meant, styled, base)
        mine, theirs = flatten(meant), flatten(styled)
        same_kind = base is not None and type(base.operator) is type(styled.operator)
        before = flatten(base) if same_kind else []
        below = self._below([o for _, o in mine], [o for _, o in before])
        own = [_codes(op) for op, _ in before] == [_codes(op) for op, _ in theirs]
        pairs = dict(self._pairs([o for _, o in mine], [o for _, o in theirs]))
        codes = {_code(op) for op, _ in theirs if op is not None}
        template = next(op for op, _ in theirs if op is not None) if len(codes) == 1 else None
        result = None
        for index, (operator, operand) in enumerate(mine):
            partner = theirs[pairs[index]] if index in pairs else None
            done = (
                self.restyle(operand)
                if partner is None
                else self.dress(operand, partner[1], below.get(index))
            )
            if operator is None or result is None:
                result = done
                continue
            wanted = template
            if wanted is None and partner is not None and partner[0] is not None:
                wanted = partner[0]
            if own or wanted is None or comments_in(wanted) != comments_in(operator):
                wanted = operator
            result = type(meant)(left=result, operator=wanted, right=done)
        assert result is not None
        return result.with_changes(**self._parens(meant, styled, ("lpar", "rpar"), base))

    def _calls(self, meant: Any, styled: Any, base: Any) -> Any | None:
        """``a.b().c()`` link by link; ``None`` where one of the two is no chain of calls."""
        (start, mine), (styled_start, theirs) = _links(meant), _links(styled)
        if min(len(mine), len(theirs)) < 2:
            return None
        before = _links(base)[1] if base is not None else []
        names, of_theirs, of_before = (
            [attribute.attr.value for attribute, _ in links] for links in (mine, theirs, before)
        )
        pairs = dict(self._pairs(names, of_theirs))
        below = {n: before[m] for n, m in self._pairs(names, of_before)}
        codes = {_code(a.dot) for a, _ in theirs[1:]}
        template = theirs[1][0].dot if len(codes) == 1 else None
        result = self.dress(start, styled_start)
        for index, (attribute, call) in enumerate(mine):
            dot = attribute.dot
            if index in pairs:
                partner, partner_call = theirs[pairs[index]]
                old_attribute, old_call = below.get(index, (None, None))
                done = self.dress(_alone(call), _alone(partner_call), _alone(old_call))
                same = old_attribute is not None and _code(old_attribute.dot) == _code(partner.dot)
                wanted = dot if same else partner.dot
            else:
                done = self.restyle(_alone(call))
                wanted = template if template is not None and index else dot
            if comments_in(wanted) != comments_in(dot):
                wanted = dot
            done = done.with_changes(func=attribute.with_changes(value=result, dot=wanted))
            result = done
        return result.with_changes(**self._parens(meant, styled, ("lpar", "rpar")))

    def _strings(self, meant: Any, styled: Any) -> Any:
        """Adjacent strings, piece by piece."""
        mine, theirs = _joined_strings(meant), _joined_strings(styled)
        pairs = dict(self._pairs([p for p, _ in mine], [p for p, _ in theirs]))
        gaps = {_code(gap) for _, gap in theirs[:-1]}
        template = theirs[0][1] if len(gaps) == 1 else None
        result = None
        for index in range(len(mine) - 1, -1, -1):
            piece, gap = mine[index]
            done = (
                self.dress(piece, theirs[pairs[index]][0])
                if index in pairs
                else self.restyle(piece)
            )
            if result is None:
                result = done
                continue
            wanted = template if template is not None else gap
            if comments_in(wanted) != comments_in(gap):
                wanted = gap
            result = cst.ConcatenatedString(left=done, whitespace_between=wanted, right=result)
        assert result is not None
        return result.with_changes(**self._parens(meant, styled, ("lpar", "rpar")))

    def _fields_of_operands(self, meant: Any, styled: Any, base: Any) -> Any:
        left, right = (None, None) if base is None else (base.left, base.right)
        return meant.with_changes(
            left=self.dress(meant.left, styled.left, left),
            right=self.dress(meant.right, styled.right, right),
        )

    # -- what has no counterpart ------------------------------------------------------------

    def _free_of_parens(self, meant: Any, styled: Any, field: str) -> Any:
        node = self.restyle(meant)
        if (
            field in _FREE
            and not self.commas_only
            and bool(getattr(meant, "lpar", None))
            and not getattr(styled, "lpar", (None,))
            and not isinstance(meant, _KEEP_PARENS)
            and "\n" not in _code(meant)
        ):
            node = node.with_changes(lpar=[], rpar=[])
        return node

    def restyle(self, node: Any) -> Any:
        """New content with the quotes of its neighbours."""
        if not self.style.speaks or not isinstance(node, cst.CSTNode):
            return node
        return node.visit(_Restyle(self.style))


class _Restyle(cst.CSTTransformer):
    """Gives plain strings another quote where nothing in them speaks against it, and no padding."""

    def __init__(self, style: _Style) -> None:
        super().__init__()
        self.style = style

    def on_visit(self, node: cst.CSTNode) -> bool:
        return not isinstance(node, cst.FormattedString)

    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        del original_node
        if self.style.unpadded:
            for name in _paddings(updated_node):
                if getattr(updated_node, name).value.isspace():
                    updated_node = updated_node.with_changes(**{name: _NO_SPACE})
        wanted = self.style.quotes
        if wanted is None or not isinstance(updated_node, cst.SimpleString):
            return updated_node
        match = _PLAIN.match(updated_node.value)
        if match is None or match.group(2)[0] == wanted:
            return updated_node
        prefix, quote, content = match.groups()
        mark = wanted * len(quote)
        return updated_node.with_changes(value=f"{prefix}{mark}{content}{mark}")


_PLAIN = re.compile(r"""(?s)\A([A-Za-z]*)('''|\"""|'|")([^'"\\]*)\2\Z""")


def _new_quotes(base: cst.CSTNode, styled: cst.CSTNode) -> str | None:
    """The quote that a side gave to all plain strings of a statement, when base had another."""
    before, after = _quotes_in(base), _quotes_in(styled)
    if len(after) == 1 and before and not before <= after:
        return next(iter(after))
    return None


_PADDED: dict[type[cst.CSTNode], str] = {
    cst.LeftSquareBracket: "whitespace_after",
    cst.LeftCurlyBrace: "whitespace_after",
    cst.LeftParen: "whitespace_after",
    cst.RightSquareBracket: "whitespace_before",
    cst.RightCurlyBrace: "whitespace_before",
    cst.RightParen: "whitespace_before",
    cst.Arg: "whitespace_after_arg",
    cst.Call: "whitespace_before_args",
}


def _paddings(node: Any) -> list[str]:
    """Fields of a node that hold blanks just inside a bracket."""
    name = _PADDED.get(type(node))
    return [name] if name and isinstance(getattr(node, name), cst.SimpleWhitespace) else []


def _padded(node: cst.CSTNode) -> bool:
    """Whether a blank stands just inside a bracket."""
    return any(getattr(node, name).value == " " for name in _paddings(node)) or any(
        _padded(child) for child in node.children
    )


def _quotes_in(node: cst.CSTNode) -> set[str]:
    found: set[str] = set()

    def walk(at: cst.CSTNode) -> None:
        if isinstance(at, cst.SimpleString):
            match = _PLAIN.match(at.value)
            if match is not None and match.group(3):
                found.add(match.group(2)[0])
        elif not isinstance(at, cst.FormattedString):
            for child in at.children:
                walk(child)

    walk(node)
    return found


# -- commas -------------------------------------------------------------------------------------


class _Inner:
    """How the elements of a list are kept apart.

    Attributes:
        uniform: The comma behind every element but the last; ``None`` when lines are filled.
    """

    def __init__(self, uniform: cst.Comma | None) -> None:
        self.uniform = uniform


def _inner_comma(nodes: Sequence[Any], opener: Any) -> _Inner:
    inner = [n.comma for n in nodes[:-1] if isinstance(n.comma, cst.Comma)]
    plain = [_without_comments(c) for c in inner]
    codes = {_code(c) for c in plain}
    if len(codes) == 1:
        return _Inner(plain[0])
    if codes:
        return _Inner(None)
    last = nodes[-1].comma
    if isinstance(last, cst.Comma) and isinstance(opener, cst.ParenthesizedWhitespace):
        # One element on a line of its own: more of them stand one below the other.
        return _Inner(_without_comments(cst.Comma(whitespace_after=opener)))
    return _Inner(cst.Comma(whitespace_after=_ONE_SPACE))


def _without_comments(comma: cst.Comma) -> cst.Comma:
    space = comma.whitespace_after
    if not isinstance(space, cst.ParenthesizedWhitespace):
        return comma
    bare = cst.TrailingWhitespace(
        whitespace=_NO_SPACE if space.first_line.comment else space.first_line.whitespace,
        newline=space.first_line.newline,
    )
    return comma.with_changes(whitespace_after=space.with_changes(first_line=bare, empty_lines=[]))


def _with_comments(own: Any, wanted: Any, inner: cst.Comma | None) -> Any:
    """The wanted comma with exactly the comments of the element's own comma."""
    mine, theirs = comments_in(own), comments_in(wanted)
    if mine == theirs:
        return wanted
    bare = _without_comments(wanted) if isinstance(wanted, cst.Comma) else wanted
    if not mine:
        return bare
    space = own.whitespace_after
    layout = next(
        (
            c.whitespace_after
            for c in (bare, inner)
            if isinstance(c, cst.Comma)
            and isinstance(c.whitespace_after, cst.ParenthesizedWhitespace)
        ),
        None,
    )
    if isinstance(space, cst.ParenthesizedWhitespace) and layout is not None:
        # Comment lines stand below the elements, wherever those are now.
        lines = [
            line.with_changes(indent=layout.indent, whitespace=layout.last_line)
            if line.comment
            else line
            for line in space.empty_lines
        ]
        return own.with_changes(
            whitespace_after=space.with_changes(last_line=layout.last_line, empty_lines=lines)
        )
    return own


def _opener(node: Any) -> Any:
    """The white space behind the bracket that opens a node's list."""
    if isinstance(node, cst.Call):
        return node.whitespace_before_args
    for name in ("lbracket", "lbrace"):
        if hasattr(node, name):
            return getattr(node, name).whitespace_after
    bracket = getattr(node, "lpar", None)
    if isinstance(bracket, cst.LeftParen):
        return bracket.whitespace_after
    if _is_list(bracket) and bracket:
        return bracket[0].whitespace_after
    return None


def _flat(node: Any, groups: Sequence[str]) -> list[tuple[str, Any]]:
    out: list[tuple[str, Any]] = []
    for group in groups:
        value = getattr(node, group)
        if _is_list(value):
            out.extend((group, item) for item in value)
        elif isinstance(value, cst.CSTNode):
            out.append((group, value))
    return out


def _joined_strings(node: Any) -> list[tuple[Any, Any]]:
    """The pieces of adjacent strings, each with the white space behind it."""
    pieces: list[tuple[Any, Any]] = []
    while isinstance(node, cst.ConcatenatedString):
        pieces.append((node.left, node.whitespace_between))
        node = node.right
    return [*pieces, (node, None)]


def _bare(node: Any) -> Any:
    """An element without its comma."""
    return None if node is None else node.with_changes(comma=cst.MaybeSentinel.DEFAULT)


def _alone(call: Any) -> Any:
    """A call of a chain without what it is called on."""
    return None if call is None else call.with_changes(func=cst.Name("_"), lpar=[], rpar=[])


def _codes(value: Any) -> str:
    """The text of a layout field."""
    if _is_list(value):
        return "".join(_codes(item) for item in value)
    return _code(value) if isinstance(value, cst.CSTNode) else repr(value)


def _shape(node: Any) -> tuple[str, ...]:
    """How a node's list is laid out: brackets and commas."""
    groups = _LISTS.get(type(node), ())
    brackets = [_codes(getattr(node, n)) for n in _BRACKETS if hasattr(node, n)]
    if isinstance(node, cst.FunctionDef):
        return (*brackets, *_shape(node.params))
    if any(isinstance(getattr(node, g), cst.ImportStar) for g in groups):
        return tuple(brackets)
    elements = [n for _, n in _flat(node, groups)]
    commas = [_codes(n.comma) for n in elements if hasattr(n, "comma")]
    tails = [_codes(getattr(e, n)) for e in elements[-1:] for n in _TAIL_SPACE if hasattr(e, n)]
    return (*brackets, *commas, *tails)


def _links(node: Any) -> tuple[Any, list[tuple[Any, Any]]]:
    """A chain of method calls: what it starts from, and its (attribute, call) links in order."""
    links: list[tuple[Any, Any]] = []
    while (
        isinstance(node, cst.Call)
        and isinstance(node.func, cst.Attribute)
        and (not links or not node.lpar)
    ):
        links.append((node.func, node))
        node = node.func.value
    links.reverse()
    return node, links


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _code(node: cst.CSTNode) -> str:
    return cst.Module([]).code_for_node(node)


# -- filled lines -------------------------------------------------------------------------------


def _refilled(text: str, form: str, width: int) -> str:
    """Break lines that became too long at a comma, where the list is broken at commas already."""
    for _ in range(50):
        lines = text.splitlines()
        if all(len(line) <= width for line in lines):
            return text
        broken = _broken(text, form, width)
        if broken is None:
            return text
        text = broken
    return text


def _broken(text: str, form: str, width: int) -> str | None:
    try:
        snippet = _Statement(text, form)
    except (cst.ParserSyntaxError, _Unsupported, RecursionError):
        return None
    wrapper = MetadataWrapper(snippet.module, unsafe_skip_copy=True)
    places = wrapper.resolve(PositionProvider)
    code = snippet.module.code
    lines = code.splitlines(keepends=True)
    starts = list(itertools.accumulate(map(len, lines), initial=0))
    found = _break_in(snippet.module, places, code, starts, width)
    if found is None:
        return None
    at, end, what = found
    # The offsets are of the whole parsed text, which stands around the snippet.
    offset = starts[snippet.lines_before]
    return text[: at - offset] + what + text[end - offset :]


def _break_in(
    node: Any, places: Any, code: str, starts: Sequence[int], width: int
) -> tuple[int, int, str] | None:
    """The last blank behind a comma that can be replaced by a line break, and by which."""
    elements = [n for _, n in _flat(node, _LISTS.get(type(node), ())) if hasattr(n, "comma")]
    gaps: list[tuple[int, int, int]] = []  # line, start, end of the white space behind a comma
    for one, following in itertools.pairwise(elements):
        if not isinstance(one.comma, cst.Comma):
            continue
        comma, start = places[one.comma].start, places[following].start
        gaps.append(
            (
                comma.line,
                starts[comma.line - 1] + comma.column + 1,
                starts[start.line - 1] + start.column,
            )
        )
    breaks = [code[a:b] for _, a, b in gaps if "\n" in code[a:b] and "#" not in code[a:b]]
    if breaks:
        fit = [
            (a, b)
            for line, a, b in gaps
            if code[a:b] == " "
            and starts[line] - starts[line - 1] - 1 > width
            and a - starts[line - 1] <= width
        ]
        if fit:
            return *fit[-1], breaks[-1]
    for child in node.children:
        found = _break_in(child, places, code, starts, width)
        if found is not None:
            return found
    return None
