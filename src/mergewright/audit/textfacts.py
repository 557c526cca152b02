"""What the text of one file says, without reading it as a program: so quick that all files can be asked."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mergewright.audit.source import dotted
from mergewright.text.syntax import syntax_tree

_READ = re.compile(rb"\bargs\.([A-Za-z_]\w*)")
_FLAG = re.compile(rb"""['"]--?([A-Za-z][\w-]*)['"]""")
_DEST = re.compile(rb"""\bdest\s*=\s*['"](\w+)['"]""")
_FIELD = re.compile(rb"^[ \t]+([A-Za-z_]\w*)[ \t]*:[ \t]*\S", re.MULTILINE)
_ASSIGN = re.compile(rb"\bargs\.([A-Za-z_]\w*)[ \t]*(?::[^=\n]+)?=(?!=)")
_SET = re.compile(rb"""setattr\(\s*args\s*,\s*f?['"](\w+)['"]""")
_DEFAULTS = re.compile(rb"set_defaults\(([^)]*)\)")
_KEYWORD = re.compile(rb"\b(\w+)\s*=")
_IF = re.compile(rb"([ \t]*)if[ \t]+(?:args|self)\.(\w+)[ \t]*(?::|and\b|is[ \t]+not[ \t]+None)")
_THEN = re.compile(rb"[ \t]+(?:args|self)\.(\w+)[ \t]*=[ \t]*(?:True\b|(?:args|self)\.(\w+))")
_HEADER = re.compile(rb"^[ \t]*class[ \t]+(\w+)[ \t]*(?:\(([^)]*)\))?[ \t]*:", re.MULTILINE)
_LAST = re.compile(rb"(\w+)(?:\[[^\]]*\])?[ \t\n]*(?:,|$)")
_FROM = re.compile(rb"^from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n#;]+)", re.MULTILINE)
_IMPORT = re.compile(rb"^import[ \t]+([^\n#;]+)", re.MULTILINE)
_NAME = re.compile(rb"(\w+)(?:[ \t]+as[ \t]+\w+)?")


@dataclass(frozen=True, slots=True)
class TextFacts:
    """What one file's text says.

    Attributes:
        reads: Names that are read as ``args.X``.
        provided: Names that an argument, a field or an assignment provides.
        aliases: Deprecated names with their successors.
        headers: Classes with the short names of their bases.
        froms: ``from`` imports at the very top level: dots, module and names.
        imports: Modules of plain imports at the very top level.
    """

    reads: frozenset[str]
    provided: frozenset[str]
    aliases: dict[str, str]
    headers: tuple[tuple[str, tuple[str, ...]], ...]
    froms: tuple[tuple[int, str, tuple[str, ...]], ...]
    imports: tuple[str, ...]

    def top_imports(self, module: str, path: str) -> set[str]:
        """Modules that the file imports at its very top level, with the names of ``from`` imports.

        Imports inside functions, ``try`` and ``if`` are left out: they are indented.

        Args:
            module: The file's own module.
            path: Its path.
        """
        out = set(self.imports)
        for target, names in self.from_imports(module, path):
            out.add(target)
            out.update(f"{target}.{item}" for item in names)
        return out

    def from_imports(self, module: str, path: str) -> list[tuple[str, tuple[str, ...]]]:
        """The ``from`` imports at the very top level, in order: absolute modules and names.

        Args:
            module: The file's own module.
            path: Its path.
        """
        out = []
        package = package_of(module, path)
        for dots, name, names in self.froms:
            out.append((absolute(package, dots, name), names))
        return out

    def plain(self) -> list[object]:
        """The same as lists, strings and numbers."""
        return [
            sorted(self.reads),
            sorted(self.provided),
            self.aliases,
            self.headers,
            self.froms,
            self.imports,
        ]

    @classmethod
    def from_plain(cls, entry: list[Any]) -> TextFacts:
        """What :meth:`plain` gave, in the shape of JSON."""
        reads, provided, aliases, headers, froms, imports = entry
        return cls(
            frozenset(reads),
            frozenset(provided),
            aliases,
            tuple([(name, tuple(bases)) for name, bases in headers]),
            tuple([(dots, name, tuple(names)) for dots, name, names in froms]),
            tuple(imports),
        )


def package_of(module: str, path: str) -> str:
    """The package in which the imports of a module's file stand; empty at the top."""
    is_package = path.endswith(("/__init__.py", "/__init__.pyi"))
    return module if is_package else module.rpartition(".")[0]


def absolute(package: str, dots: int, name: str) -> str:
    """The module that an import names.

    Args:
        package: The package in which the import stands.
        dots: Its dots; none for a module that is named in full.
        name: What it names after them.
    """
    if not dots:
        return name
    parts = package.split(".") if package else []
    parts = parts[: len(parts) - (dots - 1)]
    return ".".join([*parts, name] if name else parts)


def read_text(data: bytes) -> TextFacts:
    """What the text of a file says; never raises."""
    provided: set[bytes] = set()
    aliases: dict[str, str] = {}
    if b"add_argument" in data or b"argparse" in data:
        provided.update(flag.replace(b"-", b"_") for flag in _FLAG.findall(data))
        provided.update(_DEST.findall(data))
        for inner in _DEFAULTS.findall(data):
            provided.update(_KEYWORD.findall(inner))
        if b"eprecat" in data:
            aliases.update(_deprecated(data))
    if b"dataclass" in data or b"NamedTuple" in data or b"BaseModel" in data:
        provided.update(_FIELD.findall(data))
    if b"args." in data:
        provided.update(_ASSIGN.findall(data))
    if b"eprecat" in data and (b"args." in data or b"self." in data):
        aliases.update(_set_by(data))
    if b"setattr" in data:
        provided.update(_SET.findall(data))
    return TextFacts(
        reads=frozenset(map(_text, _READ.findall(data))) if b"args." in data else frozenset(),
        provided=frozenset(map(_text, provided)),
        aliases=aliases,
        headers=tuple(
            (_text(name), tuple(map(_text, _LAST.findall(bases))))
            for name, bases in (_HEADER.findall(data) if b"class " in data else ())
        ),
        froms=tuple(
            (len(dots), _text(name), tuple(map(_text, _NAME.findall(names))))
            for dots, name, names in _FROM.findall(data)
        ),
        imports=tuple(
            _text(part.split(b" as ")[0].strip())
            for names in _IMPORT.findall(data)
            for part in names.split(b",")
        ),
    )


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _deprecated(data: bytes) -> Iterator[tuple[str, str]]:
    """Flags whose help says that they are deprecated, with the flag that the help names."""
    tree = syntax_tree(data)
    if tree is None:
        return
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not dotted(node.func).endswith("add_argument"):
            continue
        flags = [a.value for a in node.args if isinstance(a, ast.Constant)]
        texts = [
            c.value
            for keyword in node.keywords
            if keyword.arg == "help"
            for c in ast.walk(keyword.value)
            if isinstance(c, ast.Constant) and isinstance(c.value, str)
        ]
        text = " ".join(texts)
        switch = any(
            keyword.arg == "action"
            and isinstance(keyword.value, ast.Constant)
            and str(keyword.value.value).startswith("store_")
            for keyword in node.keywords
        )
        # Of an argument with a value, one value may be deprecated and not the argument.
        if "deprecat" not in text.lower() or not (
            switch or re.match(r"\W*deprecat", text, re.IGNORECASE)
        ):
            continue
        for new in re.findall(r"--([A-Za-z][\w-]*)", text):
            for old in flags:
                if isinstance(old, str) and old.startswith("--") and old[2:] != new:
                    yield old[2:].replace("-", "_"), new.replace("-", "_")


def _set_by(data: bytes) -> Iterator[tuple[str, str]]:
    """``if args.old: warn(… deprecated …); args.new = True``: the old name only sets the new one."""
    rows = data.splitlines()
    for number, row in enumerate(rows):
        head = _IF.match(row)
        if head is None:
            continue
        old = head[2]
        block = []
        for following in rows[number + 1 : number + 31]:
            if following.strip() and len(following) - len(following.lstrip()) <= len(head[1]):
                break
            block.append(following)
        name = rb"(?<![\w-])(?:--)?" + old.replace(b"_", b"[-_]") + rb"(?![\w-])"
        if not any(b"eprecat" in text and re.search(name, text) for text in block):
            continue
        for following in block:
            then = _THEN.match(following)
            if then and then[1] != old and then[2] in (None, old):
                yield old.decode(), then[1].decode()
