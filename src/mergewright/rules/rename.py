"""Renames by syntax: attributes, keywords and strings, each form only where the rule says so."""

from __future__ import annotations

from tree_sitter import Node

from mergewright.rules.schema import Form, RenameRule
from mergewright.rules.syntax import Splice, apply, dotted, parse, plain_string, text_of, walk

_ACCESSORS = {b"getattr", b"hasattr", b"setattr", b"delattr"}


def rename(data: bytes, rule: RenameRule) -> tuple[bytes, int] | None:
    """Change a name in a Python text.

    The attribute form asks for the name's owner (``args.old`` or ``self.args.old`` for a rule
    from ``args.old``); comments, other owners and longer strings are left alone.

    Args:
        data: The text.
        rule: From, to, and the forms.

    Returns:
        The new text and the number of places, or ``None`` when the text is not Python.
    """
    found = rename_splices(data, rule)
    return None if found is None else (apply(data, found), len(found))


def rename_splices(data: bytes, rule: RenameRule) -> frozenset[Splice] | None:
    """The splices of :func:`rename`; ``None`` when the text is not Python."""
    owners = [part.encode() for part in rule.from_.split(".")]
    old, new = owners.pop(), rule.to.rsplit(".", 1)[-1].encode()
    flag, new_flag = (b"--" + word.replace(b"_", b"-") for word in (old, new))
    if old not in data and flag not in data:
        return frozenset()
    root = parse(data)
    if root is None:
        return None
    splices: set[Splice] = set()
    if Form.IMPORT in rule.forms:
        splices |= _imported(root, owners, old, new)
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
                splices.add(Splice(start, end, new))
    return frozenset(splices)


def _imported(root: Node, owners: list[bytes], old: bytes, new: bytes) -> set[Splice]:
    """The imports of a name from its owner, and the uses of the name where nothing else binds it."""
    imports: set[Splice] = set()
    uses: set[Splice] = set()
    binds = other = False
    for node in walk(root):
        if node.type == "import_from_statement":
            module = node.child_by_field_name("module_name")
            ours = module is not None and _ends(text_of(module), owners)
            for entry in node.children_by_field_name("name"):
                aliased = entry.type == "aliased_import"
                name = entry.child_by_field_name("name") if aliased else entry
                alias = entry.child_by_field_name("alias") if aliased else entry
                if ours and name is not None and text_of(name) == old:
                    _replace(imports, name, new)
                    binds |= not aliased
                elif alias is not None and text_of(alias) == old:
                    other = True
        elif node.type == "identifier" and text_of(node) == old:
            if _is_use(node):
                _replace(uses, node, new)
            elif not _is_field(node):
                other = True
    if other:
        return set()
    return imports | uses if binds else imports


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
    return parent.type in {"dotted_name", "aliased_import"}


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
