"""A Python text with its tree-sitter tree, cut into items: runs of whole lines.

An item is one statement (or several that share a line) with the comments and blank lines above it.
Items of a block lie end to end, so joining them gives the block back byte for byte; that is what lets
the merge copy bytes instead of printing trees.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

import tree_sitter
import tree_sitter_python

_LANGUAGE = tree_sitter.Language(tree_sitter_python.language())

DEFINITIONS = frozenset({"function_definition", "class_definition"})
IMPORTS = frozenset({"import_statement", "import_from_statement", "future_import_statement"})
_SECTIONED = frozenset(
    {
        "if_statement",
        "for_statement",
        "while_statement",
        "try_statement",
        "with_statement",
        "function_definition",
        "class_definition",
        "match_statement",
        "case_clause",
    }
)
_CLAUSES = frozenset(
    {
        "elif_clause",
        "else_clause",
        "except_clause",
        "except_group_clause",
        "finally_clause",
    }
)
_OPEN_TO_PARENS = frozenset(
    {
        # A parenthesised expression right below one of these needs no parentheses: formatters add and
        # remove them freely.
        "return_statement",
        "assignment",
        "augmented_assignment",
        "if_statement",
        "elif_clause",
        "while_statement",
        "for_statement",
        "assert_statement",
        "expression_statement",
        "del_statement",
        "argument_list",
        "parenthesized_expression",
        "pair",
        "keyword_argument",
        "default_parameter",
        "for_in_clause",
    }
)
_PLAIN_STRING = re.compile(rb"""(?s)\A([A-Za-z]*)('''|\"""|'|")(.*)\2\Z""")
_CLOSERS = frozenset({")", "]", "}"})


@functools.cache
def parser() -> tree_sitter.Parser:
    """The parser; one for the process, as making one costs more than parsing a snippet."""
    return tree_sitter.Parser(_LANGUAGE)


class Source:
    r"""A text and its tree.

    Attributes:
        data: The bytes; line ends are ``\\n`` (the engine converts before).
        root: The module node.
        aligned: What :func:`mergewright.python.alignment.align_blocks` found for two blocks, this text's the
            first, by their ids; the blocks are kept with it, so that the ids stay theirs.
    """

    __slots__ = ("_items", "_tree", "aligned", "data", "root")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._tree = parser().parse(data)
        self.root = self._tree.root_node
        self._items: list[Item] | None = None
        self.aligned: dict[
            tuple[int, int], tuple[Sequence[Item], Sequence[Item], list[tuple[int, int]]]
        ] = {}

    def line_start(self, offset: int) -> int:
        """Offset of the first byte of the line that ``offset`` lies in."""
        return self.data.rfind(b"\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Offset just behind the line that ends at or after ``offset``."""
        if offset and self.data[offset - 1 : offset] == b"\n":
            return offset
        end = self.data.find(b"\n", offset)
        return len(self.data) if end < 0 else end + 1

    def items(self) -> list[Item]:
        """The items of the module."""
        if self._items is None:
            self._items = block_items(self, self.root, 0, len(self.data), parent="")
        return self._items


@functools.lru_cache(maxsize=8)
def source_of(data: bytes) -> Source:
    """A whole text with its tree; the versions and the result of a merge are asked for again and again."""
    return Source(data)


@dataclass(slots=True, eq=False)
class Section:
    """A clause of a compound statement: header lines and, unless it is a one-liner, body lines."""

    source: Source
    keyword: str
    start: int
    body_start: int
    end: int
    body: tree_sitter.Node | None
    node: tree_sitter.Node
    parent: str
    _items: list[Item] | None = None

    @property
    def header(self) -> bytes:
        """The header's lines (the whole clause when it is a one-liner)."""
        return self.source.data[self.start : self.body_start]

    @property
    def text(self) -> bytes:
        """The clause's lines."""
        return self.source.data[self.start : self.end]

    @property
    def header_print(self) -> bytes:
        """Digest of the header's tokens, decorators included: equal when only layout differs."""
        tokens: list[bytes] = []
        for child in self.node.children:
            if child.type == "block":
                break
            tokens_of(self.source, child, tokens)
        above = self.node.parent
        if above is not None and above.type == "decorated_definition":
            for child in above.children:
                if child.type in {"decorator", "comment"}:
                    tokens_of(self.source, child, tokens)
        return digest(tokens)

    def items(self) -> list[Item]:
        """The items of the body."""
        if self._items is None:
            self._items = (
                []
                if self.body is None
                else block_items(self.source, self.body, self.body_start, self.end, self.parent)
            )
        return self._items


class Item:
    """A statement with what stands above it.

    Attributes:
        kind: ``def``, ``class``, ``assign``, ``import``, ``from``, ``doc``, ``string``, ``tail`` (the
            comments behind the last statement), ``error``, or the statement's node type.
        name: What the item is called, for alignment; empty when only its text tells.
        lead_start: Where the blank lines and comments above it start.
        start: Where its first line starts.
        end: Just behind its last line.
        parent: Kind of the enclosing definition: ``class``, ``def`` or empty for the module.
    """

    __slots__ = (
        "_fingerprint",
        "_sections",
        "_tokens",
        "end",
        "kind",
        "lead_start",
        "name",
        "nodes",
        "parent",
        "source",
        "start",
    )

    def __init__(
        self,
        source: Source,
        nodes: list[tree_sitter.Node],
        lead_start: int,
        start: int,
        end: int,
        parent: str,
    ) -> None:
        self.source = source
        self.nodes = nodes
        self.lead_start = lead_start
        self.start = start
        self.end = end
        self.parent = parent
        self.kind, self.name = _identify(source, nodes)
        self._fingerprint: bytes | None = None
        self._tokens: list[bytes] | None = None
        self._sections: list[Section] | None = None

    def __repr__(self) -> str:
        return f"Item({self.kind} {self.name!r} {self.core[:30]!r})"

    @property
    def lead(self) -> bytes:
        """Blank lines and comments above the statement."""
        return self.source.data[self.lead_start : self.start]

    @property
    def core(self) -> bytes:
        """The statement's lines."""
        return self.source.data[self.start : self.end]

    @property
    def text(self) -> bytes:
        """Lead and core."""
        return self.source.data[self.lead_start : self.end]

    @property
    def key(self) -> tuple[str, str]:
        """Kind and name."""
        return self.kind, self.name

    @property
    def tokens(self) -> list[bytes]:
        """The statement's tokens without layout; comments count."""
        if self._tokens is None:
            if self.kind in {"tail", "error"}:
                self._tokens = self.core.split()
            else:
                # Equal lines have equal tokens where all of the text parses.
                known = None if self.source.root.has_error else _tokens_known.get(self.core)
                self._tokens = self._read_tokens() if known is None else known
        return self._tokens

    def _read_tokens(self) -> list[bytes]:
        found: list[bytes] = []
        for node in self.nodes:
            tokens_of(self.source, node, found)
        rest = self.source.data[self.nodes[-1].end_byte : self.end].strip(b"; \t\n\f\\")
        if rest and self.nodes[-1].end_byte < self.end:
            found.append(b"#" + rest)
        if not self.source.root.has_error:
            if len(_tokens_known) >= _MOST_KNOWN:
                _tokens_known.clear()
            _tokens_known[self.core] = found
        return found

    @property
    def fingerprint(self) -> bytes:
        """Digest of the tokens: equal for two statements that differ in layout only."""
        if self._fingerprint is None:
            self._fingerprint = digest(self.tokens)
        return self._fingerprint

    @property
    def definition(self) -> tree_sitter.Node | None:
        """The function or class definition below decorators, if this is one."""
        if len(self.nodes) != 1:
            return None
        node = self.nodes[0]
        if node.type == "decorated_definition":
            inner = node.child_by_field_name("definition")
            return inner if inner is not None and inner.type in DEFINITIONS else None
        return node if node.type in DEFINITIONS else None

    def sections(self) -> list[Section]:
        """The clauses of a compound statement; empty for a simple one or one that does not parse."""
        if self._sections is None:
            self._sections = _sections(self)
        return self._sections


# The tokens of statements by their lines: the versions of a file have most statements in common.
_tokens_known: dict[bytes, list[bytes]] = {}
_MOST_KNOWN = 4_000


def digest(tokens: list[bytes]) -> bytes:
    """A short digest of a token list."""
    return hashlib.blake2b(b"\0".join(tokens), digest_size=16).digest()


def block_items(
    source: Source, block: tree_sitter.Node, start: int, end: int, parent: str
) -> list[Item]:
    """Cut the lines ``[start, end)`` of a block into items that lie end to end."""
    items: list[Item] = []
    at = start
    for node in block.named_children:
        if node.type == "comment" or node.end_byte <= node.start_byte:
            continue
        if items and node.start_byte < items[-1].end:
            # Shares a line with the statement before it (a semicolon): one item.
            previous = items.pop()
            nodes = [*previous.nodes, node]
            stop = min(source.line_end(node.end_byte), end)
            items.append(
                Item(
                    source,
                    nodes,
                    previous.lead_start,
                    previous.start,
                    max(stop, previous.end),
                    parent,
                )
            )
            at = items[-1].end
            continue
        first = max(source.line_start(node.start_byte), at)
        stop = min(source.line_end(node.end_byte), end)
        if stop <= first:
            continue
        item = Item(source, [node], at, first, stop, parent)
        if item.kind == "string" and items and items[-1].kind == "assign" and parent != "def":
            # The docstring of an attribute is known by it, wherever the two are moved.
            item.name = items[-1].name
        items.append(item)
        at = stop
    if at < end:
        items.append(Item(source, [], at, at, end, parent))
    if items and items[0].kind == "string" and items[0].start < end:
        items[0].kind = "doc"
    return items


def _identify(source: Source, nodes: list[tree_sitter.Node]) -> tuple[str, str]:
    if not nodes:
        return "tail", ""
    if any(node.has_error for node in nodes):
        return "error", ""
    if len(nodes) > 1:
        return "line", ""
    node = nodes[0]
    data = source.data
    kind = node.type
    if kind == "decorated_definition":
        inner = node.child_by_field_name("definition")
        if inner is None:
            return "error", ""
        mark = ""
        for child in node.children:
            if child.type == "decorator":
                text = data[child.start_byte + 1 : child.end_byte]
                # Getter, setter and deleter of one property, or dispatch variants, share a name.
                for suffix in (b".setter", b".deleter", b".getter", b".register"):
                    if suffix in text:
                        mark = suffix.decode()
        name, _ = _definition_name(data, inner)
        return ("class" if inner.type == "class_definition" else "def"), name + mark
    if kind in DEFINITIONS:
        name, _ = _definition_name(data, node)
        return ("class" if kind == "class_definition" else "def"), name
    if kind == "expression_statement" and node.named_children:
        inner = node.named_children[0]
        if inner.type == "assignment":
            left = inner.child_by_field_name("left")
            if left is not None:
                return "assign", b"".join(data[left.start_byte : left.end_byte].split()).decode(
                    "utf-8", "replace"
                )
        if inner.type == "augmented_assignment":
            left = inner.child_by_field_name("left")
            if left is not None:
                return "augmented", data[left.start_byte : left.end_byte].decode("utf-8", "replace")
        if inner.type in {"string", "concatenated_string"} and len(node.named_children) == 1:
            return "string", ""
        if inner.type == "call":
            function = inner.child_by_field_name("function")
            if function is not None:
                return "call", data[function.start_byte : function.end_byte].decode(
                    "utf-8", "replace"
                )
        return "expression", ""
    if kind == "import_statement":
        return "import", b" ".join(data[node.start_byte + 6 : node.end_byte].split()).decode(
            "utf-8", "replace"
        )
    if kind == "import_from_statement":
        module = node.child_by_field_name("module_name")
        text = b"" if module is None else data[module.start_byte : module.end_byte]
        return "from", text.decode("utf-8", "replace")
    if kind == "future_import_statement":
        return "from", "__future__"
    if kind in {
        "if_statement",
        "while_statement",
        "for_statement",
        "with_statement",
        "match_statement",
        "case_clause",
    }:
        colon = data.find(b":", node.start_byte, node.end_byte)
        return kind, b" ".join(data[node.start_byte : colon].split()).decode("utf-8", "replace")
    return kind, ""


def _definition_name(data: bytes, node: tree_sitter.Node) -> tuple[str, tree_sitter.Node | None]:
    name = node.child_by_field_name("name")
    if name is None:
        return "", None
    return data[name.start_byte : name.end_byte].decode("utf-8", "replace"), name


def _block_of(node: tree_sitter.Node) -> tuple[tree_sitter.Node | None, tree_sitter.Node | None]:
    """The clause's own block and the colon before it."""
    colon = block = None
    for child in node.children:
        if child.type == ":":
            colon = child
        elif child.type == "block" and colon is not None:
            block = child
            break
    return block, colon


def _sections(item: Item) -> list[Section]:
    if len(item.nodes) != 1 or item.kind == "error":
        return []
    outer = item.nodes[0]
    node = item.definition if outer.type == "decorated_definition" else outer
    if node is None or node.type not in _SECTIONED:
        return []
    source = item.source
    if node.type in DEFINITIONS:
        parent = "class" if node.type == "class_definition" else "def"
    else:
        parent = item.parent
    clauses = [node] + [child for child in node.children if child.type in _CLAUSES]
    starts = [item.start] + [source.line_start(clause.start_byte) for clause in clauses[1:]]
    if any(later <= earlier for earlier, later in itertools.pairwise(starts)):
        return []
    result: list[Section] = []
    for index, clause in enumerate(clauses):
        start = starts[index]
        end = starts[index + 1] if index + 1 < len(starts) else item.end
        block, colon = _block_of(clause)
        body_start, body = end, None
        if block is not None and colon is not None:
            first = block.named_children[0] if block.named_children else None
            if first is not None and first.start_point[0] > colon.start_point[0]:
                body_start, body = source.line_end(colon.end_byte), block
        keyword = clause.type
        result.append(Section(source, keyword, start, body_start, end, body, clause, parent))
    return result


def tokens_of(source: Source, node: tree_sitter.Node, out: list[bytes]) -> None:
    """Append the tokens below a node, without layout.

    Left out: white space, line continuations, magic trailing commas, parentheses that change
    nothing; strings lose their quote style where that is safe. Blocks are bracketed by tokens of
    their own, so that a statement moved into or out of a block changes the fingerprint.
    """
    data = source.data
    cursor = node.walk()
    parents: list[str] = []  # types of the open nodes above the cursor
    skip_parens: list[int] = []  # depths of parenthesised expressions that are left out
    while True:
        current = cursor.node
        assert current is not None
        kind = current.type
        descend = False
        if kind == "string":
            out.append(string_token(data[current.start_byte : current.end_byte]))
        elif kind == "comment":
            out.append(data[current.start_byte : current.end_byte].strip())
        elif kind == "line_continuation":
            pass
        elif current.child_count:
            descend = True
            if kind == "block":
                out.append(b"\1")
            elif (
                kind == "parenthesized_expression"
                and parents
                and parents[-1] in _OPEN_TO_PARENS
                and not _holds_special(current)
            ):
                skip_parens.append(len(parents))
        else:
            text = data[current.start_byte : current.end_byte]
            at_edge = skip_parens and len(parents) - 1 == skip_parens[-1]
            if at_edge and kind in {"(", ")"}:
                pass
            elif kind in _CLOSERS and out and out[-1] == b"," and not _single_tuple(parents, out):
                out[-1] = text
            else:
                out.append(text)
        if descend and cursor.goto_first_child():
            parents.append(kind)
            continue
        while not cursor.goto_next_sibling():
            if not parents or not cursor.goto_parent():
                return
            closed = parents.pop()
            if closed == "block":
                out.append(b"\2")
            elif (
                skip_parens
                and len(parents) == skip_parens[-1]
                and closed == "parenthesized_expression"
            ):
                skip_parens.pop()
            elif closed in _ENDS_SIMPLE:
                out.append(b"\n")
            if not parents:
                return


_ENDS_SIMPLE = frozenset(
    {
        "expression_statement",
        "return_statement",
        "import_statement",
        "import_from_statement",
        "raise_statement",
        "assert_statement",
        "delete_statement",
        "global_statement",
        "nonlocal_statement",
    }
)


def _holds_special(node: tree_sitter.Node) -> bool:
    """Whether a parenthesised expression holds a yield, a walrus or a star: its parentheses count."""
    return any(
        child.type in {"yield", "named_expression", "list_splat", "generator_expression"}
        for child in node.named_children
    )


def _single_tuple(parents: list[str], out: list[bytes]) -> bool:
    """Whether the comma before a closer makes a tuple of one element, which is no layout."""
    if not parents or parents[-1] not in {"tuple", "subscript", "tuple_pattern"}:
        return False
    depth = 0
    for token in reversed(out[:-1]):
        if token in {b")", b"]", b"}"}:
            depth += 1
        elif token in {b"(", b"[", b"{"}:
            if depth == 0:
                return True
            depth -= 1
        elif token == b"," and depth == 0:
            return False
    return True


def string_token(text: bytes) -> bytes:
    """A string literal without its quote style, where that is safe to leave out."""
    match = _PLAIN_STRING.match(text)
    if match is None:
        return text
    prefix, quote, content = match.groups()
    prefix = prefix.lower().replace(b"u", b"")
    if b"f" in prefix or b"\\" in content or b"'" in content or b'"' in content:
        return prefix + text[len(match.group(1)) :]
    return (
        prefix + b'"' + content + b'"'
        if len(quote) == 1 or b"\n" not in content
        else prefix + b'"""' + content + b'"""'
    )


def raw_tokens(source: Source) -> list[tuple[bytes, int, int]]:
    """Every token of a text with its byte span; strings without their quote style, no comments."""
    found: list[tuple[bytes, int, int]] = []
    data = source.data
    cursor = source.root.walk()
    while True:
        node = cursor.node
        assert node is not None
        if node.type == "string":
            token = string_token(data[node.start_byte : node.end_byte])
            found.append((token, node.start_byte, node.end_byte))
        elif node.child_count:
            if cursor.goto_first_child():
                continue
        elif node.type not in {"comment", "line_continuation"} and node.end_byte > node.start_byte:
            token = data[node.start_byte : node.end_byte]
            found.append((token, node.start_byte, node.end_byte))
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return found
