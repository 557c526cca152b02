"""Renames by syntax: attributes, keywords and strings, each form only where the rule says so."""

from __future__ import annotations

import ast
import builtins
import re

from tree_sitter import Node

from mergewright.python.names import bindings, own_nodes
from mergewright.rules.names import string_names, tree_of
from mergewright.rules.schema import Form, RenameRule
from mergewright.rules.syntax import Splice, dotted, parse, plain_string, text_of, walk

_ACCESSORS = {b"getattr", b"hasattr", b"setattr", b"delattr"}


def rename_splices(data: bytes, rule: RenameRule) -> tuple[frozenset[Splice], str] | None:
    """What changes a name in a Python text, and why something of it is left as it is.

    The attribute form asks for the name's owner (``args.old`` or ``self.args.old`` for a rule
    from ``args.old``); comments, other owners and longer strings are left alone. The import form
    is done only where nothing else in the file has the old name or the new one.

    Args:
        data: The text.
        rule: From, to, and the forms.

    Returns:
        A splice for each place, and a reason where the import and its uses or a key stay, else an
        empty one; ``None`` when the text is not Python.
    """
    owners = [part.encode() for part in rule.from_.split(".")]
    old, new = owners.pop(), rule.to.rsplit(".", 1)[-1].encode()
    flag, new_flag = (b"--" + word.replace(b"_", b"-") for word in (old, new))
    if old not in data and flag not in data:
        return frozenset(), ""
    root = parse(data)
    if root is None:
        return None
    splices: set[Splice] = set()
    strings: set[Splice] = set()
    spoken: list[Node] = []
    doubt = ""
    for node in walk(root):
        if node.type == "attribute" and Form.ATTRIBUTE in rule.forms:
            names = dotted(node)
            wanted = [*owners, old]
            if names is not None and list(names[-len(wanted) :]) == wanted:
                _replace(splices, node.child_by_field_name("attribute"), new)
        elif node.type == "keyword_argument" and Form.KEYWORD in rule.forms:
            name = node.child_by_field_name("name")
            if name is not None and text_of(name) == old:
                _replace(splices, name, new)
        elif node.type == "string":
            found = plain_string(node)
            if found is None:
                continue
            value, start, end = found
            if value == flag and Form.FLAG in rule.forms:
                splices.add(Splice(start, end, new_flag))
            elif value == old and (
                Form.STRING in rule.forms
                or (Form.GETATTR in rule.forms and _is_accessor(node, owners))
            ):
                if _has_key(node, new):
                    doubt = f"line {node.start_point[0] + 1} has both keys"
                    continue
                strings.add(Splice(start, end, new))
            elif old in value and not _is_docstring(node):
                spoken.append(node)
    if Form.IMPORT not in rule.forms:
        return frozenset(splices | strings), doubt
    imported = _Imported(root, data, owners, old, new, spoken)
    if imported.doubt:
        # A string that exports or patches the name follows it; it does not go ahead.
        return frozenset(splices), imported.doubt
    return frozenset(splices | strings | imported.splices), doubt


class _Imported:
    """The imports of a name from its owner, and the uses of the name where nothing else binds it.

    Attributes:
        splices: What is written anew.
        doubt: Why nothing is; then there are no splices.
    """

    def __init__(
        self,
        root: Node,
        data: bytes,
        owners: list[bytes],
        old: bytes,
        new: bytes,
        spoken: list[Node],
    ) -> None:
        self.splices: set[Splice] = set()
        self.doubt = ""
        self._owners, self._old, self._new = owners, old.decode(), new.decode()
        imports: set[Splice] = set()
        uses: set[Splice] = set()
        binds = star = False
        for node in walk(root):
            if node.type == "import_from_statement":
                module = node.child_by_field_name("module_name")
                if module is None or not _ends(text_of(module), owners):
                    continue
                star |= any(child.type == "wildcard_import" for child in node.children)
                for entry in node.children_by_field_name("name"):
                    aliased = entry.type == "aliased_import"
                    name = entry.child_by_field_name("name") if aliased else entry
                    if name is not None and text_of(name) == old:
                        _replace(imports, name, new)
                        binds |= not aliased
            elif node.type == "identifier" and text_of(node) == old and _is_use(node):
                _replace(uses, node, new)
        if not binds and not (star and uses):
            self.splices = imports
            return
        tree = tree_of(data)
        if tree is None:
            self.doubt = "this Python cannot read the file"
        elif not binds:
            self.doubt = f"{self._old} comes with a star import"
        else:
            self.doubt = self._doubt(tree, uses) or self._said(data, spoken)
        if not self.doubt:
            self.splices = imports | uses

    def _doubt(self, tree: ast.Module, uses: set[Splice]) -> str:
        """What else has the old name or the new one."""
        mine, theirs = self._aliases(tree, self._old), self._aliases(tree, self._new)
        for name, node in bindings(tree):
            line = getattr(node, "lineno", 0)
            if name == self._old and node not in mine:
                return f"line {line} binds {name} too"
            if name == self._new and node not in theirs:
                return f"line {line} has a {name} already"
        reads: list[ast.Name] = []
        for node in ast.walk(tree):
            if isinstance(node, ast.Global | ast.Nonlocal) and (
                {self._old, self._new} & {*node.names}
            ):
                return f"line {node.lineno} declares it"
            if not isinstance(node, ast.Name):
                continue
            if node.id == self._new and not theirs:
                return f"line {node.lineno} has a {node.id} already"
            if node.id == self._old:
                if isinstance(node.ctx, ast.Del):
                    return f"line {node.lineno} deletes it"
                reads.append(node)
        if len(reads) != len(uses):
            return f"not every use of {self._old} is understood"
        own = {*own_nodes(tree)}
        if not any(statement in own for statement in mine.values()):
            inside = {
                part
                for scope in ast.walk(tree)
                if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef)
                and any(statement in {*own_nodes(scope)} for statement in mine.values())
                for part in ast.walk(scope)
            }
            for read in reads:
                if read not in inside:
                    return f"line {read.lineno} uses a {self._old} that is not imported there"
        if hasattr(builtins, self._old) and not any(
            statement in tree.body for statement in mine.values()
        ):
            return f"{self._old} is Python's own where the import is not reached"
        return ""

    def _aliases(self, tree: ast.Module, name: str) -> dict[ast.AST, ast.ImportFrom]:
        """The imports of a name from the owner under that name."""
        return {
            alias: node
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            and _ends(("." * node.level + (node.module or "")).encode(), self._owners)
            for alias in node.names
            if alias.name == name and alias.asname in {None, name}
        }

    def _said(self, data: bytes, spoken: list[Node]) -> str:
        """Strings and type comments that speak of the name: exports, annotations, patches."""
        for node in spoken:
            found = plain_string(node)
            text = "" if found is None else found[0].decode("utf-8", "replace")
            if self._old in string_names(text):
                return f"line {node.start_point[0] + 1} has it as a string"
        comment = re.search(rb"#[ \t]*type:[^\n]*\b%s\b" % re.escape(self._old.encode()), data)
        return "" if comment is None else "a type comment has it"


def _ends(module: bytes, owners: list[bytes]) -> bool:
    return module.lstrip(b".").split(b".")[-len(owners) :] == owners


def _is_field(node: Node) -> bool:
    """Whether a name is an attribute, a keyword or part of an import, and so binds nothing here."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "attribute":
        owner = parent.child_by_field_name("object")
        return owner is None or owner.id != node.id
    if parent.type == "keyword_argument":
        name = parent.child_by_field_name("name")
        return name is not None and name.id == node.id
    if parent.type == "dotted_name":
        return not _leads_pattern(node, parent)
    if parent.type == "keyword_pattern":
        return parent.named_children[0].id == node.id
    return parent.type == "aliased_import"


def _leads_pattern(node: Node, name: Node) -> bool:
    """Whether a name is read in a pattern: a value (``A.b``) or a class (``A()``), no capture."""
    holder = name.parent
    return (
        holder is not None
        and name.named_children[0].id == node.id
        and (
            holder.type == "class_pattern"
            or (
                holder.type in {"case_pattern", "keyword_pattern", "union_pattern", "dict_pattern"}
                and len(name.named_children) > 1
            )
        )
    )


def _has_key(node: Node, key: bytes) -> bool:
    """Whether a string is the key of a dictionary that has another key as well."""
    pair = node.parent
    holder = None if pair is None or pair.type != "pair" else pair.parent
    if holder is None or pair is None or pair.named_children[0].id != node.id:
        return False
    keys = [child.named_children[0] for child in holder.named_children if child.type == "pair"]
    return any(found is not None and found[0] == key for found in map(plain_string, keys))


def _is_docstring(node: Node) -> bool:
    return node.parent is not None and node.parent.type == "expression_statement"


_BINDING = {
    "parameters",
    "lambda_parameters",
    "typed_parameter",
    "pattern_list",
    "tuple_pattern",
    "list_pattern",
    "list_splat_pattern",
    "dictionary_splat_pattern",
    "as_pattern_target",
    "global_statement",
    "nonlocal_statement",
    "type_parameter",
    "case_pattern",
}
_BINDING_FIELDS = {
    "assignment": "left",
    "augmented_assignment": "left",
    "named_expression": "name",
    "for_statement": "left",
    "for_in_clause": "left",
    "function_definition": "name",
    "class_definition": "name",
    "default_parameter": "name",
    "typed_default_parameter": "name",
    "delete_statement": "",
}


def _is_use(node: Node) -> bool:
    """Whether a name is read here, not bound and not part of another."""
    parent = node.parent
    if parent is None or _is_field(node) or parent.type in _BINDING:
        return False
    if parent.type in _BINDING_FIELDS:
        target = parent.child_by_field_name(_BINDING_FIELDS[parent.type] or "name")
        return parent.type != "delete_statement" and (target is None or target.id != node.id)
    return True


def _replace(splices: set[Splice], node: Node | None, text: bytes) -> None:
    if node is not None:
        splices.add(Splice(node.start_byte, node.end_byte, text))


def _is_accessor(node: Node, owners: list[bytes]) -> bool:
    """Whether the string is the name in ``getattr(owner, "name")``, of the right owner."""
    arguments = node.parent
    call = None if arguments is None else arguments.parent
    if arguments is None or call is None or call.type != "call":
        return False
    function = call.child_by_field_name("function")
    if function is None or text_of(function) not in _ACCESSORS:
        return False
    given = arguments.named_children
    if len(given) < 2 or given[1].id != node.id:
        return False
    names = dotted(given[0])
    return not owners or (names is not None and list(names[-len(owners) :]) == owners)
