"""Callers of an interface, written again for the interface that is kept."""

from __future__ import annotations

import ast
import builtins
import re
from dataclasses import dataclass

from tree_sitter import Node

from mergewright.python.names import local_names, needed
from mergewright.rules.names import defined_names, imported_modules, module_names, tree_of
from mergewright.rules.patterns import matches
from mergewright.rules.schema import CallersRule, CallPatch
from mergewright.rules.syntax import (
    Splice,
    apply,
    dotted,
    line_of,
    parse,
    plain_string,
    text_of,
    walk,
)

_FIELDS = re.compile(r"\{(\w+)\}")
_BUILTINS = frozenset(dir(builtins))


@dataclass(frozen=True, slots=True, kw_only=True)
class Patched:
    """What became of one file.

    Attributes:
        data: The new text.
        changed: One sentence a patched call, with its line in the old text.
        refused: One sentence a call that the table names but that could not be patched.
        edits: The splices of each patched call, with a sentence without its line.
    """

    data: bytes
    changed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    edits: tuple[tuple[tuple[Splice, ...], str], ...] = ()


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
    if offered is None or root is None:
        return None
    wanted = (*module_names(rule.interface), *rule.known_as)
    if not any(_same_module(name, module) for name in wanted for module in modules):
        return Patched(data=data)
    splices: list[Splice] = []
    changed: list[str] = []
    patches: list[tuple[tuple[Splice, ...], str]] = []
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
        if row.adds:
            problem, edits = _additions(node, row, data, interface)
        else:
            problem, edits = _edits(node, row, data)
        if problem is None and edits and not row.adds:
            problem = _unknown_keywords(row, interface)
        if problem is not None:
            refused.append(f"line {line}: {row.call}(…): {problem}")
        elif edits:
            splices += edits
            what = f"{row.call} becomes {row.becomes}"
            if row.call == row.becomes and row.adds:
                what = f"{row.call} gets {', '.join(a.name or '' for a in row.adds)}"
            changed.append(f"line {line}: {what}")
            patches.append((tuple(edits), what))
    try:
        result = apply(data, splices)
    except ValueError:
        return Patched(data=data, refused=(*refused, "patched calls stand inside each other"))
    return Patched(
        data=result, changed=tuple(changed), refused=tuple(refused), edits=tuple(patches)
    )


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


def _unknown_keywords(row: CallPatch, interface: bytes) -> str | None:
    """What the new call passes by name although no definition of the interface takes it."""
    tree = tree_of(interface)
    if tree is None or row.arguments is None:
        return None
    wanted = {argument.name for argument in row.arguments if argument.name is not None}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == row.becomes:
            taken = {arg.arg for arg in (*node.args.args, *node.args.kwonlyargs)}
            if node.args.kwarg is not None or wanted <= taken:
                return None
            missing = ", ".join(sorted(wanted - taken))
            return f"'{row.becomes}' of the interface does not take {missing}"
    return None


def _additions(
    call: Node, row: CallPatch, data: bytes, interface: bytes
) -> tuple[str | None, list[Splice]]:
    """Keyword arguments put into a call, each where the interface's parameters have it."""
    function = call.child_by_field_name("function")
    arguments = call.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.type != "argument_list":
        return "its arguments are not a plain list", []
    problem, old = _given(arguments)
    if problem is not None:
        return problem, []
    found = _parameters(row.becomes, interface)
    if found is None:
        return f"the interface does not define one function '{row.becomes}'", []
    # Which place an argument has depends on whether the call passes the instance.
    order = [name for name in found if name not in {"self", "cls"}]
    positions = sum(isinstance(key, int) for key in old)
    if found != order and function.type != "attribute":
        positions -= 1
    passed = {*order[: max(positions, 0)], *(key for key in old if isinstance(key, str))}
    added: dict[str, bytes] = {}
    bound: set[str] | None = None
    for argument in row.adds:
        name, value = argument.name or "", argument.value or ""
        if name not in order:
            return f"'{row.becomes}' of the interface does not take {name}", []
        if name in passed:
            continue
        bound = _bound_at(call, data) if bound is None else bound
        foreign = needed([ast.parse(value, mode="eval").body]) - bound - _BUILTINS
        if foreign:
            return f"{', '.join(sorted(foreign))} is not bound there", []
        added[name] = f"{name}={value}".encode()
    edits = _placed(arguments, order, added, old, data)
    return None, edits + _renamed(function, row)


def _placed(
    arguments: Node,
    order: list[str],
    added: dict[str, bytes],
    old: dict[int | str, Node],
    data: bytes,
) -> list[Splice]:
    """Keyword arguments put in, each after the nearest one that the parameters have before it."""
    spans = arguments.named_children
    texts = [added[name] for name in order if name in added]
    if not spans:
        at = arguments.end_byte - 1
        return [Splice(at, at, b", ".join(texts))] if texts else []
    inserts: dict[int, bytes] = {}
    for name in order:
        if name not in added:
            continue
        earlier = order[: order.index(name)]
        anchor: Node | None = None
        nearest = -1
        for place, key in enumerate(old):
            if not isinstance(key, int) and key not in earlier:
                continue
            rank = -1 if isinstance(key, int) else earlier.index(key)
            if rank >= nearest:
                anchor, nearest = spans[place], rank
        if anchor is not None:
            start, text = anchor.end_byte, b"," + _lead(anchor, data) + added[name]
        else:
            start, text = spans[0].start_byte, added[name] + b"," + _lead(spans[0], data)
        inserts[start] = inserts.get(start, b"") + text
    return [Splice(at, at, text) for at, text in inserts.items()]


def _parameters(name: str, interface: bytes) -> list[str] | None:
    """The parameters of the interface's only function of a name, those by keyword last."""
    tree = tree_of(interface)
    found = [
        node
        for node in (() if tree is None else ast.walk(tree))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name
    ]
    if len(found) != 1:
        return None
    given = found[0].args
    return [arg.arg for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def _bound_at(call: Node, data: bytes) -> set[str]:
    """Names that the module and the functions around a call bind."""
    tree = tree_of(data)
    if tree is None:
        return set()
    line = line_of(data, call.start_byte)
    bound = local_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (
            node.lineno <= line <= (node.end_lineno or node.lineno)
        ):
            bound |= local_names(node)
    return bound


def _lead(argument: Node, data: bytes) -> bytes:
    """The white space before an argument, for another one beside it."""
    start = argument.start_byte
    while data[start - 1 : start].isspace():
        start -= 1
    return data[start : argument.start_byte] or b" "


def _edits(call: Node, row: CallPatch, data: bytes) -> tuple[str | None, list[Splice]]:
    function = call.child_by_field_name("function")
    arguments = call.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.type != "argument_list":
        return "its arguments are not a plain list", []
    problem, old = _given(arguments)
    if problem is not None:
        return (problem if row.arguments is not None or row.owner is not None else None), (
            _renamed(function, row) if row.arguments is None and row.owner is None else []
        )
    if row.call == row.becomes and _is_new_form(row, old):
        return None, []
    used: set[int | str] = set()
    edits: list[Splice] = []
    if row.owner is not None:
        problem, owner = _owner(call, row.owner, old, used)
        receiver = function.child_by_field_name("object")
        if problem is not None:
            return problem, []
        if receiver is None:
            return "it has no receiver to replace", []
        edits.append(Splice(receiver.start_byte, receiver.end_byte, owner))
    if row.arguments is not None:
        problem, text = _arguments(arguments, row, data, old, used)
        if problem is not None:
            return problem, []
        if text != data[arguments.start_byte : arguments.end_byte]:
            edits.append(Splice(arguments.start_byte, arguments.end_byte, text))
    return None, edits + _renamed(function, row)


def _renamed(function: Node, row: CallPatch) -> list[Splice]:
    if row.call == row.becomes:
        return []
    name = function.child_by_field_name("attribute") or function
    return [Splice(name.start_byte, name.end_byte, row.becomes.encode())]


def _is_new_form(row: CallPatch, old: dict[int | str, Node]) -> bool:
    """Whether a call that keeps its name already passes what the row would add."""
    added = [a.name for a in row.arguments or () if a.value is not None and a.name is not None]
    return bool(added) and all(name in old for name in added)


def _given(node: Node) -> tuple[str | None, dict[int | str, Node]]:
    """The arguments of a call by position or keyword, or why they cannot be mapped."""
    old: dict[int | str, Node] = {}
    for child in node.named_children:
        if child.type == "comment":
            return "a comment stands among its arguments", {}
        if child.type in {"list_splat", "dictionary_splat", "parenthesized_list_splat"}:
            return "it passes arguments by * or **", {}
        if child.type == "keyword_argument":
            name = child.child_by_field_name("name")
            value = child.child_by_field_name("value")
            if name is None or value is None:
                return "an argument could not be read", {}
            old[text_of(name).decode()] = value
        else:
            old[sum(isinstance(key, int) for key in old)] = child
    return None, old


def _owner(
    call: Node, template: str, old: dict[int | str, Node], used: set[int | str]
) -> tuple[str | None, bytes]:
    """The new receiver, with the strings that the call passes filled in."""
    text = template
    for field in _FIELDS.findall(template):
        value = old.get(field)
        found = None if value is None else plain_string(value)
        if found is None:
            return f"it passes no plain string as {field}", b""
        used.add(field)
        text = text.replace("{" + field + "}", found[0].decode("utf-8", "replace"))
    if not text.replace(".", "_").isidentifier():
        return f"'{text}' would be no name", b""
    scope: Node | None = call
    while scope is not None and scope.type not in {"function_definition", "module"}:
        scope = scope.parent
    name = text.encode()
    bound = scope is not None and any(
        node.type in {"assignment", "named_expression", "as_pattern_target"}
        and text_of(node.children[0] if node.children else node) == name
        for node in walk(scope)
    )
    if not bound and not text.startswith("self."):
        return f"'{text}' is not bound in the calling function", b""
    return None, name


def _arguments(
    node: Node, row: CallPatch, data: bytes, old: dict[int | str, Node], used: set[int | str]
) -> tuple[str | None, bytes]:
    """The new argument list with its parentheses."""
    spans = node.named_children
    out: list[bytes] = []
    positional_gap = False
    for argument in row.arguments or ():
        source = next((key for key in argument.from_ if key in old), None)
        if source is not None:
            used.add(source)
            value_text = text_of(old[source])
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
