"""Callers of an interface, written again for the interface that is kept."""

from __future__ import annotations

from dataclasses import dataclass

from tree_sitter import Node

from mergewright.rules.names import defined_names, imported_modules, module_names
from mergewright.rules.patterns import matches
from mergewright.rules.schema import CallersRule, CallPatch
from mergewright.rules.syntax import Splice, apply, dotted, line_of, parse, text_of, walk


@dataclass(frozen=True, slots=True, kw_only=True)
class Patched:
    """What became of one file.

    Attributes:
        data: The new text.
        changed: One sentence a patched call, with its line in the old text.
        refused: One sentence a call that the table names but that could not be patched.
    """

    data: bytes
    changed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()


def patch_callers(path: str, data: bytes, rule: CallersRule, interface: bytes) -> Patched | None:
    """Write calls as the table of the rule says.

    A call is touched when its file imports the interface's module, its receiver fits, its name is
    not in the interface any more and the new name is (or, for a row that changes arguments only,
    when it fits the old argument list).

    Args:
        path: Path of the calling file.
        data: Its text.
        rule: The rule with its table.
        interface: Text of the interface in the merged tree.

    Returns:
        The result, or ``None`` when one of the texts is not Python.
    """
    rows = [row for row in rule.table if row.call.encode() in data]
    if not rows:
        return Patched(data=data)
    modules = imported_modules(data, path)
    offered = defined_names(interface)
    root = parse(data)
    if modules is None or offered is None or root is None:
        return None
    wanted = module_names(rule.interface)
    if not any(_same_module(name, module) for name in wanted for module in modules):
        return Patched(data=data)
    splices: list[Splice] = []
    changed: list[str] = []
    refused: list[str] = []
    for node in walk(root):
        if node.type != "call":
            continue
        row = _row(node, rows)
        if row is None:
            continue
        line = line_of(data, node.start_byte)
        if row.call != row.becomes and row.call in offered:
            continue  # the interface still has it: the caller is right as it is
        if row.becomes not in offered:
            refused.append(f"line {line}: {rule.interface} has no '{row.becomes}'")
            continue
        problem, edits = _edits(node, row, data)
        if problem is not None:
            refused.append(f"line {line}: {row.call}(…): {problem}")
        elif edits:
            splices += edits
            changed.append(f"line {line}: {row.call} becomes {row.becomes}")
    try:
        result = apply(data, splices)
    except ValueError:
        return Patched(data=data, refused=(*refused, "patched calls stand inside each other"))
    return Patched(data=result, changed=tuple(changed), refused=tuple(refused))


def _same_module(wanted: str, imported: str) -> bool:
    """Whether an import names the module, or the module and a name of it."""
    return imported == wanted or imported.startswith(f"{wanted}.")


def _row(call: Node, rows: list[CallPatch]) -> CallPatch | None:
    function = call.child_by_field_name("function")
    if function is None:
        return None
    names = dotted(function)
    if names is None:
        return None
    for row in rows:
        if names[-1] != row.call.encode():
            continue
        if row.receiver is not None:
            receiver = b".".join(names[:-1]).decode("utf-8", "replace")
            if not receiver or not matches(row.receiver, receiver, "."):
                continue
        return row
    return None


def _edits(call: Node, row: CallPatch, data: bytes) -> tuple[str | None, list[Splice]]:
    function = call.child_by_field_name("function")
    arguments = call.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.type != "argument_list":
        return "its arguments are not a plain list", []
    edits: list[Splice] = []
    if row.arguments is not None:
        problem, text = _arguments(arguments, row, data)
        if problem is not None:
            return problem, []
        if text != data[arguments.start_byte : arguments.end_byte]:
            edits.append(Splice(arguments.start_byte, arguments.end_byte, text))
    if row.call != row.becomes:
        name = function.child_by_field_name("attribute") or function
        edits.append(Splice(name.start_byte, name.end_byte, row.becomes.encode()))
    return None, edits


def _arguments(node: Node, row: CallPatch, data: bytes) -> tuple[str | None, bytes]:
    """The new argument list with its parentheses."""
    old: dict[int | str, bytes] = {}
    spans: list[Node] = []
    for child in node.named_children:
        if child.type == "comment":
            return "a comment stands among its arguments", b""
        if child.type in {"list_splat", "dictionary_splat", "parenthesized_list_splat"}:
            return "it passes arguments by * or **", b""
        spans.append(child)
        if child.type == "keyword_argument":
            name = child.child_by_field_name("name")
            value = child.child_by_field_name("value")
            if name is None or value is None:
                return "an argument could not be read", b""
            old[text_of(name).decode()] = text_of(value)
        else:
            old[sum(isinstance(key, int) for key in old)] = text_of(child)
    used: set[int | str] = set()
    out: list[bytes] = []
    positional_gap = False
    for argument in row.arguments or ():
        source = next((key for key in argument.from_ if key in old), None)
        if source is not None:
            used.add(source)
            value_text = old[source]
        elif argument.value is not None or argument.or_ is not None:
            value_text = (argument.value or argument.or_ or "").encode()
        else:
            positional_gap = positional_gap or argument.name is None
            continue
        if argument.name is None:
            if positional_gap:
                return "a positional argument before another one is missing", b""
            out.append(value_text)
        else:
            out.append(argument.name.encode() + b"=" + value_text)
    left = [key for key in old if key not in used]
    if left:
        shown = ", ".join(f"argument {key + 1}" if isinstance(key, int) else key for key in left)
        return f"the table does not say what becomes of {shown}", b""
    inside = data[node.start_byte + 1 : node.end_byte - 1]
    if b"\n" not in inside or not spans:
        return None, b"(" + b", ".join(out) + b")"
    # One argument a line stays one a line; the layout before the first is used for each.
    lead = data[node.start_byte + 1 : spans[0].start_byte]
    tail = data[spans[-1].end_byte : node.end_byte - 1]
    if b"\n" in lead:
        return None, b"(" + b"".join(lead + text + b"," for text in out[:-1]) + lead + (
            out[-1] if out else b""
        ) + tail + b")"
    return None, b"(" + b", ".join(out) + b")"
