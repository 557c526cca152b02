"""Simple edits: one span, one token. What the places of a text offer, kind by kind."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from itertools import pairwise

from tests.corpus.edits import Change, Definition, Function, Places

Simple = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Raise, ast.Assert)


def is_docstring(body: list[ast.stmt], node: ast.stmt) -> bool:
    return (
        node is body[0]
        and isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def constants(places: Places, number: int) -> Iterator[Change]:
    for node in places.nodes:
        if isinstance(node, ast.Constant) and node not in places.in_fstring:
            text = places.data[places.start(node) : places.end(node)]
            if type(node.value) is int and text.isdigit():
                new = str(7_000_000 + number).encode()
            elif isinstance(node.value, str) and text[:1] in (b"'", b'"') and b"\n" not in text:
                new = b"%b edit_%d%b" % (text[:1], number, text[:1])
            else:
                continue
            yield Change(places.start(node), places.end(node), new, "constant", new.strip(b"'\" "))


def attributes(places: Places, number: int) -> Iterator[Change]:
    for node in places.nodes:
        if isinstance(node, ast.Attribute) and node not in places.in_fstring:
            start = places.end(node) - len(node.attr.encode())
            if places.data[start : places.end(node)] == node.attr.encode():
                new = b"edit_%d" % number
                yield Change(start, places.end(node), new, "attribute", new)


def keywords(places: Places, number: int) -> Iterator[Change]:
    for node in places.nodes:
        if isinstance(node, ast.Call) and node not in places.in_fstring:
            parts = [*node.args, *(k.value for k in node.keywords)]
            if not parts or any(isinstance(part, ast.GeneratorExp) for part in parts):
                continue
            at = max(places.end(part) for part in parts)
            if places.data[at : at + 1] in (b")", b",", b"\n"):
                new = b", edit_%d=1" % number
                yield Change(at, at, new, "keyword", b"edit_%d" % number)


def entries(places: Places, number: int) -> Iterator[Change]:
    for node in places.nodes:
        if isinstance(node, ast.Dict) and node.keys and node not in places.in_fstring:
            at = places.end(node.values[-1])
            if places.data[at : at + 1] in (b"}", b",", b"\n"):
                yield Change(at, at, b", 'edit_%d': 1" % number, "entry", b"edit_%d" % number)


def parameters(places: Places, number: int) -> Iterator[Change]:
    for node in places.nodes:
        if isinstance(node, Function):
            spec = node.args
            if not spec.args or spec.vararg or spec.kwonlyargs or spec.kwarg or spec.posonlyargs:
                continue
            at = max(places.end(part) for part in (spec.args[-1], *spec.defaults[-1:]))
            if places.data[at : at + 1] in (b")", b",", b"\n"):
                new = b", *, edit_%d=None" % number
                yield Change(at, at, new, "parameter", b"edit_%d" % number)


def functions(places: Places, number: int) -> Iterator[Change]:
    for holder, body in places.bodies():
        if not isinstance(holder, (ast.Module, ast.ClassDef)):
            continue
        for node in body:
            if isinstance(node, Definition) and places.alone(node):
                at = places.line_end(places.end(node))
                if not places.data[:at].endswith(b"\n"):
                    continue
                if places.data[at : places.line_end(at)].strip()[:1] == b"#":
                    continue  # the comment would belong to what is inserted
                indent = places.indent(node)
                own = b"self" if isinstance(holder, ast.ClassDef) else b"value"
                gap = b"\n" if isinstance(holder, ast.ClassDef) else b"\n\n"
                new = gap + b"".join(
                    indent + line
                    for line in (
                        b"def edit_%d(%b):\n" % (number, own),
                        b"    return %b\n" % own,
                    )
                )
                yield Change(at, at, new, "function", b"edit_%d" % number)


def statements(places: Places, number: int) -> Iterator[Change]:
    for holder, body in places.bodies():
        if not isinstance(holder, Function):
            continue
        for node in body:
            if isinstance(node, Simple) and places.alone(node) and not isinstance(node, ast.Return):
                at = places.line_end(places.end(node))
                if places.data[:at].endswith(b"\n"):
                    new = places.indent(node) + b"edit_%d()\n" % number
                    yield Change(at, at, new, "statement", b"edit_%d" % number)


def imports(places: Places, number: int) -> Iterator[Change]:
    for node in places.tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)) and places.alone(node):
            if getattr(node, "module", "") == "__future__":
                continue
            at = places.line_end(places.end(node))
            if places.data[:at].endswith(b"\n"):
                new = b"import edit_%d\n" % number
                yield Change(at, at, new, "import", b"edit_%d" % number)


def comments_added(places: Places, number: int) -> Iterator[Change]:
    for _, body in places.bodies():
        for node in body:
            if places.alone(node) and not is_docstring(body, node):
                at = places.line_start(places.start(node))
                new = places.indent(node) + b"# edit_%d\n" % number
                yield Change(at, at, new, "comment", b"edit_%d" % number)


def decorators(places: Places, number: int) -> Iterator[Change]:
    for _, body in places.bodies():
        for node in body:
            if isinstance(node, Definition) and places.alone(node):
                at = places.line_start(places.start(node))
                new = places.indent(node) + b"@edit_%d\n" % number
                yield Change(at, at, new, "decorator", b"edit_%d" % number)


def deletions(places: Places, number: int) -> Iterator[Change]:
    for _, body in places.bodies():
        if len(body) < 2:
            continue
        for node in body:
            if not isinstance(node, (*Definition, ast.Expr, ast.Assert)) or not places.alone(node):
                continue
            if is_docstring(body, node):
                continue
            start = places.line_start(places.start(node))
            end = places.line_end(places.end(node))
            kind = "delete-definition" if isinstance(node, Definition) else "delete-statement"
            yield Change(start, end, b"", kind)


def docstrings(places: Places, number: int) -> Iterator[Change]:
    for _, body in places.bodies():
        node = body[0]
        if is_docstring(body, node):
            text = places.data[places.start(node) : places.end(node)]
            if text.endswith(b'"""') and text.startswith(b'"""') and len(text) > 8:
                at = places.start(node) + 3
                new = b"edit_%d " % number
                yield Change(at, at, new, "docstring", b"edit_%d" % number)


def comment_words(places: Places, number: int) -> Iterator[Change]:
    """Comments get other words; those with a meaning for tools are left alone."""
    for token in _tokens(places):
        if token.type != tokenize.COMMENT or token.start[0] <= 2:
            continue
        words = token.string.encode()
        if len(words) < 8 or re.search(rb"type:|noqa|pragma|coding|pylint|fmt:|!", words):
            continue
        line = places.data[places.starts[token.start[0] - 1] :].split(b"\n", 1)[0]
        end = places.starts[token.start[0] - 1] + len(line)
        start = end - len(words)
        if places.data[start:end] == words:
            yield Change(start, end, b"# edit_%d" % number, "comment-words", b"edit_%d" % number)


def _tokens(places: Places) -> list[tokenize.TokenInfo]:
    try:
        return list(tokenize.generate_tokens(io.StringIO(places.data.decode()).readline))
    except (tokenize.TokenError, SyntaxError):
        return []


def comments_deleted(places: Places, number: int) -> Iterator[Change]:
    """Lines of comment go, unless they stand under others."""
    for change in comment_words(places, number):
        start, end = places.line_start(change.start), places.line_end(change.end)
        above = places.data[places.line_start(max(start - 1, 0)) : start].strip()
        below = places.data[end : places.line_end(end)].strip()
        if places.data[start : change.start].strip() or above[:1] == b"#" or below[:1] == b"#":
            continue
        yield Change(start, end, b"", "delete-comment")


def trailing_comments(places: Places, number: int) -> Iterator[Change]:
    """A comment behind a statement of one line."""
    for _, body in places.bodies():
        for node in body:
            if isinstance(node, Simple) and places.alone(node) and node.lineno == node.end_lineno:
                at = places.line_end(places.end(node)) - 1
                if places.data[at - 1 : at] not in (b"\\", b" "):
                    new = b"  # edit_%d" % number
                    yield Change(at, at, new, "trailing-comment", b"edit_%d" % number)


def docstring_lines(places: Places, number: int) -> Iterator[Change]:
    """A line inside of a docstring gets other words."""
    for _, body in places.bodies():
        node = body[0]
        if not is_docstring(body, node):
            continue
        first, last = node.lineno, node.end_lineno or node.lineno
        for row in range(first + 1, last):
            start = places.starts[row - 1]
            line = places.data[start : places.line_end(start) - 1]
            words = line.strip()
            if len(words) > 8 and b"\\" not in line and b'"""' not in line:
                start += len(line) - len(line.lstrip())
                new = b"edit_%d" % number
                yield Change(start, start + len(words), new, "docstring-line", new)


def annotations(places: Places, number: int) -> Iterator[Change]:
    """A parameter without an annotation gets one, or the function one of its result."""
    new = b"edit_%d" % number
    for node in places.nodes:
        if not isinstance(node, Function):
            continue
        for argument in node.args.args:
            if argument.annotation is None and argument.arg not in ("self", "cls"):
                at = places.end(argument)
                yield Change(at, at, b": " + new, "annotation", new)
        if node.returns is None:
            # The header ends at the last colon before the body.
            at = places.data.rfind(b")", 0, places.start(node.body[0]))
            head = places.data[at : places.start(node.body[0])]
            if re.fullmatch(rb"\):\s*", head):
                yield Change(at + 1, at + 1, b" -> " + new, "return-annotation", new)


def bases(places: Places, number: int) -> Iterator[Change]:
    """A class gets one base more, at the end."""
    new = b"edit_%d" % number
    for node in places.nodes:
        if isinstance(node, ast.ClassDef) and not node.keywords:
            if node.bases:
                at = places.end(node.bases[-1])
                if places.data[at : at + 1] == b")":
                    yield Change(at, at, b", " + new, "base", new)
                continue
            at = places.data.index(node.name.encode(), places.start(node)) + len(node.name)
            if places.data[at : at + 1] == b":":
                yield Change(at, at, b"(%b)" % new, "base", new)


def operands(places: Places, number: int) -> Iterator[Change]:
    """A chain of ``and`` or ``or`` gets one operand more, somewhere."""
    new = b"edit_%d" % number
    for node in places.nodes:
        if isinstance(node, ast.BoolOp) and node not in places.in_fstring:
            word = b"and" if isinstance(node.op, ast.And) else b"or"
            for part in node.values:
                at = places.end(part)
                if isinstance(part, (ast.Name, ast.Call, ast.Attribute)):
                    yield Change(at, at, b" %b %b" % (word, new), "operand", new)


def comprehension_filters(places: Places, number: int) -> Iterator[Change]:
    """A comprehension gets a filter more."""
    new = b"edit_%d" % number
    for node in places.nodes:
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            if node in places.in_fstring:
                continue
            last = node.generators[-1]
            if not isinstance((last.ifs or [last.iter])[-1], (ast.Name, ast.Attribute, ast.Call)):
                continue
            at = places.end((last.ifs or [last.iter])[-1])
            yield Change(at, at, b" if " + new, "comprehension", new)


def elements(places: Places, number: int) -> Iterator[Change]:
    """A list or a set gets one element more."""
    new = b"edit_%d" % number
    for node in places.nodes:
        if isinstance(node, (ast.List, ast.Set)) and node.elts and node not in places.in_fstring:
            if isinstance(getattr(node, "ctx", None), ast.Store):
                continue
            for part in node.elts:
                at = places.end(part)
                if places.data[at : at + 1] in (b",", b"]", b"}", b"\n"):
                    sort = "element" if isinstance(node, ast.List) else "set-element"
                    yield Change(at, at, b", " + new, sort, new)


def imported_names(places: Places, number: int) -> Iterator[Change]:
    """A from-import gets one name more."""
    new = b"edit_%d" % number
    for node in places.nodes:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            at = places.end(node.names[-1])
            if node.names[-1].name != "*":
                yield Change(at, at, b", " + new, "imported-name", new)


def exported_names(places: Places, number: int) -> Iterator[Change]:
    """``__all__`` gets one name more."""
    new = b"edit_%d" % number
    for node in places.nodes:
        if isinstance(node, ast.Assign) and isinstance(node.value, (ast.List, ast.Tuple)):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if names == ["__all__"] and node.value.elts:
                at = places.end(node.value.elts[-1])
                if places.data[at : at + 1] in (b",", b"]", b")", b"\n"):
                    yield Change(at, at, b", '%b'" % new, "exported-name", new)


def parts_deleted(places: Places, number: int) -> Iterator[Change]:
    """A keyword argument, an entry, an element or an imported name goes with its comma."""
    for node in places.nodes:
        if node in places.in_fstring:
            continue
        rows: list[tuple[int, int]] = []
        kind = ""
        if isinstance(node, ast.Call):
            parts = sorted([*node.args, *node.keywords], key=places.start)
            rows = [
                (places.end(a), places.end(b))
                for a, b in pairwise(parts)
                if isinstance(b, ast.keyword)
            ]
            kind = "delete-keyword"
        elif isinstance(node, ast.Dict) and all(node.keys):
            rows = [(places.end(a), places.end(b)) for a, b in pairwise(node.values)]
            kind = "delete-entry"
        elif isinstance(node, (ast.List, ast.Set)):
            rows = [(places.end(a), places.end(b)) for a, b in pairwise(node.elts)]
            kind = "delete-element"
        for start, end in rows:
            between = places.data[start:end]
            if between[:1] == b"," and b"#" not in between:
                yield Change(start, end, b"", kind)


def cases(places: Places, number: int) -> Iterator[Change]:
    """A match statement gets one case more, before its last."""
    new = b"edit_%d" % number
    for node in places.nodes:
        if isinstance(node, ast.Match) and len(node.cases) > 1:
            for case in node.cases[1:]:
                at = places.line_start(places.start(case.pattern))
                head = places.data[at : places.start(case.pattern)]
                indent = head[: len(head) - len(head.lstrip())]
                text = b"%bcase '%b':\n%b    pass\n" % (indent, new, indent)
                yield Change(at, at, text, "case", new)


def branches(places: Places, number: int) -> Iterator[Change]:
    """An ``if`` without an alternative gets an ``elif``, a ``try`` a handler more."""
    new = b"edit_%d" % number
    for _, body in places.bodies():
        for node in body:
            if not places.alone(node):
                continue
            indent = places.indent(node)
            if isinstance(node, ast.If) and not node.orelse and indent:
                at = places.line_end(places.end(node))
                text = b"%belif %b:\n%b    pass\n" % (indent, new, indent)
                yield Change(at, at, text, "elif", new)
            if isinstance(node, ast.Try) and node.handlers and indent:
                at = places.line_start(places.start(node.handlers[0]))
                text = b"%bexcept %b:\n%b    pass\n" % (indent, new, indent)
                yield Change(at, at, text, "handler", new)


def guards(places: Places, number: int) -> Iterator[Change]:
    """A condition that leaves the function, before a statement."""
    new = b"edit_%d" % number
    for holder, body in places.bodies():
        if isinstance(holder, Function):
            for node in body:
                if places.alone(node) and not is_docstring(body, node):
                    at, indent = places.line_start(places.start(node)), places.indent(node)
                    text = b"%bif %b:\n%b    return None\n" % (indent, new, indent)
                    yield Change(at, at, text, "guard", new)


def replaced(places: Places, number: int) -> Iterator[Change]:
    """A statement gives way to another one."""
    new = b"edit_%d" % number
    for holder, body in places.bodies():
        for node in body:
            plain = isinstance(holder, Function) and isinstance(node, (ast.Expr, ast.Assert))
            if plain and places.alone(node) and not is_docstring(body, node):
                # The whole line: a comment put above would be one on what is gone.
                start, end = places.lines(node, node)
                text = places.indent(node) + b"%b(1, 2)\n" % new
                yield Change(start, end, text, "replaced", new)


def attributes_added(places: Places, number: int) -> Iterator[Change]:
    """An assignment more, below another one of a class or a module."""
    new = b"edit_%d" % number
    for holder, body in places.bodies():
        if isinstance(holder, (ast.ClassDef, ast.Module)):
            for node in body:
                if isinstance(node, (ast.Assign, ast.AnnAssign)) and places.alone(node):
                    at = places.line_end(places.end(node))
                    text = places.indent(node) + new + b" = 1\n"
                    yield Change(at, at, text, "assignment", new)


def terms(places: Places, number: int) -> Iterator[Change]:
    """A sum gets one term more, at its end."""
    new = b"edit_%d" % number
    for _, body in places.bodies():
        for node in body:
            value = getattr(node, "value", None)
            if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)):
                at = places.end(value)
                if places.data[at : at + 1] == b"\n":
                    yield Change(at, at, b" + " + new, "term", new)


def exception_types(places: Places, number: int) -> Iterator[Change]:
    """A handler takes one exception more."""
    new = b"edit_%d" % number
    for node in places.nodes:
        if isinstance(node, ast.ExceptHandler) and node.type is not None:
            start, end = places.start(node.type), places.end(node.type)
            if isinstance(node.type, ast.Tuple) and node.type.elts:
                at = places.end(node.type.elts[-1])
                if places.data[at : at + 1] == b")":
                    yield Change(at, at, b", " + new, "exception-type", new)
            elif isinstance(node.type, ast.Name) and places.data[end : end + 1] in (b":", b" "):
                text = b"(%b, %b)" % (places.data[start:end], new)
                yield Change(start, end, text, "exception-type", new)


def messages(places: Places, number: int) -> Iterator[Change]:
    """An assertion gets a message."""
    new = b"edit_%d" % number
    for node in places.nodes:
        if isinstance(node, ast.Assert) and node.msg is None:
            at = places.end(node)
            if places.data[at : at + 1] == b"\n" and places.end(node.test) == at:
                yield Change(at, at, b", '%b'" % new, "message", new)


def decorators_deleted(places: Places, number: int) -> Iterator[Change]:
    """A decorator goes."""
    for node in places.nodes:
        for decorator in getattr(node, "decorator_list", []):
            start = places.line_start(places.start(decorator))
            end = places.line_end(places.end(decorator))
            rest = places.data[places.end(decorator) : end]
            if places.data[start : places.start(decorator)].strip() == b"@" and not rest.strip():
                yield Change(start, end, b"", "delete-decorator")


def clauses_deleted(places: Places, number: int) -> Iterator[Change]:
    """The last clause of a statement goes: ``else``, ``finally``, a handler of several."""
    for node in places.nodes:
        if not isinstance(node, ast.stmt) or not places.alone(node):
            continue
        clause: list[ast.stmt] = []
        above: ast.stmt | None = None
        if isinstance(node, ast.If) and node.orelse and isinstance(node.orelse[0], ast.stmt):
            clause, above = node.orelse, node.body[-1]
        elif isinstance(node, ast.Try) and node.finalbody and node.handlers and not node.orelse:
            clause, above = node.finalbody, node.handlers[-1].body[-1]
        elif (
            isinstance(node, ast.Try)
            and len(node.handlers) > 1
            and not node.orelse + node.finalbody
        ):
            clause, above = node.handlers[-1].body, node.handlers[-2].body[-1]
        if clause and above is not None:
            start, end = places.line_end(places.end(above)), places.line_end(places.end(clause[-1]))
            if b"#" not in places.data[start : places.start(clause[0])]:
                yield Change(start, end, b"", "delete-clause")


def alternatives(places: Places, number: int) -> Iterator[Change]:
    """An ``if`` or a loop without an alternative gets one."""
    new = b"edit_%d" % number
    for _, body in places.bodies():
        for node in body:
            indent = places.indent(node)
            open_ended = isinstance(node, (ast.If, ast.For, ast.While)) and not node.orelse
            if open_ended and indent and places.alone(node):
                at = places.line_end(places.end(node))
                text = b"%belse:\n%b    %b()\n" % (indent, indent, new)
                yield Change(at, at, text, "else", new)


def string_words(places: Places, number: int) -> Iterator[Change]:
    """A word of a string gives way to another one."""
    new = b"edit_%d" % number
    for node in places.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            start, text = places.start(node), places.text(node)
            if node in places.in_fstring or not re.fullmatch(rb"(['\"])[\w ,.:]+\1", text):
                continue
            words = list(re.finditer(rb"\b[A-Za-z]+\b", text))
            if len(words) > 2:
                for word in words[1:-1]:
                    yield Change(start + word.start(), start + word.end(), new, "word", new)


def names_deleted(places: Places, number: int) -> Iterator[Change]:
    """A name that nothing uses is imported no more."""
    for node in places.tree.body:
        if isinstance(node, ast.ImportFrom) and node.module != "__future__":
            for first, second in pairwise(node.names):
                name = (second.asname or second.name).encode()
                start, end = places.end(first), places.end(second)
                used = re.findall(rb"\b%b\b" % re.escape(name), places.data)
                between = places.data[start:end]
                if len(used) == 1 and between[:1] == b"," and b"#" not in between:
                    yield Change(start, end, b"", "delete-imported-name")


#: The kinds with their weights; each edit draws its kind first.
SIMPLE: dict[str, tuple[int, Callable[[Places, int], Iterator[Change]]]] = {
    "constant": (8, constants),
    "attribute": (8, attributes),
    "keyword": (8, keywords),
    "entry": (5, entries),
    "parameter": (6, parameters),
    "function": (6, functions),
    "statement": (8, statements),
    "import": (4, imports),
    "imported-name": (4, imported_names),
    "exported-name": (3, exported_names),
    "comment": (5, comments_added),
    "comment-words": (4, comment_words),
    "delete-comment": (2, comments_deleted),
    "trailing-comment": (3, trailing_comments),
    "decorator": (5, decorators),
    "deletion": (8, deletions),
    "delete-part": (5, parts_deleted),
    "docstring": (4, docstrings),
    "docstring-line": (3, docstring_lines),
    "annotation": (5, annotations),
    "base": (3, bases),
    "operand": (4, operands),
    "comprehension": (3, comprehension_filters),
    "element": (4, elements),
    "case": (4, cases),
    "branch": (4, branches),
    "guard": (4, guards),
    "replaced": (4, replaced),
    "assignment": (4, attributes_added),
    "term": (3, terms),
    "exception-type": (3, exception_types),
    "message": (3, messages),
    "delete-decorator": (3, decorators_deleted),
    "delete-clause": (3, clauses_deleted),
    "else": (3, alternatives),
    "word": (3, string_words),
    "delete-imported-name": (2, names_deleted),
}
