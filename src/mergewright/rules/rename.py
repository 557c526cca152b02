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
