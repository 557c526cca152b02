"""Findings of the merged tree beyond both parents, their tiers and their root causes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mergewright.audit.analysers import Diagnostic
from mergewright.audit.index import Found, Index
from mergewright.audit.renames import Callee, face_change, find_rename, map_arguments
from mergewright.audit.source import CallChange, Function
from mergewright.audit.values import Finding, Place, Tier, Trees

#: Which check a rule belongs to.
CHECKS: Mapping[str, str] = {
    "F821": "undefined-name",
    "F822": "undefined-export",
    "F823": "undefined-name",
    "F811": "redefined",
    "F402": "import-shadowed",
    "F601": "duplicate-key",
    "F401": "unused-import",
    "PIE794": "duplicate-field",
    "invalid-syntax": "does-not-parse",
    "parse-error": "does-not-parse",
    "unknown-name": "undefined-name",
    "missing-attribute": "missing-attribute",
    "missing-argument": "call-mismatch",
    "unexpected-keyword": "call-mismatch",
    "bad-argument-count": "call-mismatch",
    "bad-keyword-argument": "call-mismatch",
    "missing-module-attribute": "missing-name",
    "missing-import": "missing-module",
    # Of the optional analysers: they add their word to a finding, or a hint of their own.
    "unresolved-reference": "undefined-name",
    "unresolved-attribute": "attribute-by-ty",
    "missing-argument-ty": "call-by-ty",
    "unknown-argument": "call-by-ty",
    "too-many-positional-arguments": "call-by-ty",
    "unresolved-import": "import-by-ty",
    "unused function": "no-caller-left",
    "unused method": "no-caller-left",
    "unused class": "no-caller-left",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """What is thought of a group: tier, message, who had it, cause, repair, where it was."""

    tier: Tier
    message: str
    had: str = ""
    cause: str = ""
    repair: str = ""
    origin: str = ""
    origin_symbol: str = ""
    renamed: str = ""
    change: CallChange | None = None


_QUOTED = re.compile(r"`([^`]+)`")


@dataclass(slots=True)
class Group:
    """New diagnostics with one root cause."""

    check: str
    subject: str
    found: list[Diagnostic] = field(default_factory=list)


class Differ:
    """Compares diagnostics of the merged tree with those of both parents.

    Args:
        trees: The four trees.
        indexes: An index for ``ours``, ``theirs`` and ``merged``.
    """

    def __init__(self, trees: Trees, indexes: Mapping[str, Index]) -> None:
        self.trees = trees
        self.indexes = indexes
        self._lines: dict[str, list[str]] = {}

    def line(self, name: str, path: str, number: int) -> str:
        """A source line of a tree, stripped; empty when there is none."""
        tree = self.indexes[name].tree
        oid = tree.files.get(path)
        if oid is None or number < 1:
            return ""
        kept = self._lines.get(oid)
        if kept is None:
            kept = self._lines[oid] = tree.read(oid).decode("utf-8", "replace").splitlines()
        return kept[number - 1].strip() if number <= len(kept) else ""

    def symbol(self, name: str, path: str, line: int) -> str:
        """Dotted path of the symbol around a line."""
        source = self.indexes[name].source(path)
        return source.symbol_at(line) if source is not None and not source.error else ""

    def new(self, found: Mapping[str, Sequence[Diagnostic]]) -> list[Diagnostic]:
        """Diagnostics beyond the larger of both parents, by file, symbol, rule and message.

        A surplus is dropped when a parent has the same message at the same line text: the code
        moved, or both sides brought their own copy of an old finding.
        """
        by_path: dict[str, dict[str, list[Diagnostic]]] = {
            name: defaultdict(list) for name in ("ours", "theirs", "merged")
        }
        for name, groups in by_path.items():
            for diagnostic in found.get(name, ()):
                groups[diagnostic.path].append(diagnostic)
        out: list[Diagnostic] = []
        for path, mine in by_path["merged"].items():
            known: dict[tuple[str, str], set[str]] = defaultdict(set)
            for name in ("ours", "theirs"):
                for d in by_path[name].get(path, ()):
                    known[d.rule, d.message].add(self.line(name, path, d.line))
            fresh = [
                d for d in mine if self.line("merged", path, d.line) not in known[d.rule, d.message]
            ]
            if not fresh:
                continue
            wanted = {(d.rule, d.message) for d in fresh}
            count = {
                name: Counter(
                    self._key(name, d)
                    for d in by_path[name].get(path, ())
                    if (d.rule, d.message) in wanted
                )
                for name in by_path
            }
            keyed: dict[tuple[str, str, str], list[Diagnostic]] = defaultdict(list)
            for d in fresh:
                keyed[self._key("merged", d)].append(d)
            for key, group in keyed.items():
                surplus = count["merged"][key] - max(count["ours"][key], count["theirs"][key])
                if surplus > 0:
                    out.extend(group[-surplus:])
        return self._without_moved(out, found)

    def _key(self, name: str, d: Diagnostic) -> tuple[str, str, str]:
        return (self.symbol(name, d.path, d.line), d.rule, d.message)

    def _without_moved(
        self, new: list[Diagnostic], found: Mapping[str, Sequence[Diagnostic]]
    ) -> list[Diagnostic]:
        """Drop findings that left another file, where a parent had them at the same line text."""
        wanted = {(d.rule, d.message) for d in new}
        here: Counter[tuple[str, str, str, str]] = Counter()
        for d in found.get("merged", ()):
            if (d.rule, d.message) in wanted:
                here[d.path, d.rule, d.message, self.line("merged", d.path, d.line)] += 1
        left: Counter[tuple[str, str, str]] = Counter()
        for name in ("ours", "theirs"):
            there: Counter[tuple[str, str, str, str]] = Counter()
            for d in found.get(name, ()):
                if (d.rule, d.message) in wanted:
                    there[d.path, d.rule, d.message, self.line(name, d.path, d.line)] += 1
            gone: Counter[tuple[str, str, str]] = Counter()
            for (_, *rest), count in (there - here).items():
                gone[rest[0], rest[1], rest[2]] += count
            left |= gone
        kept = []
        for d in new:
            key = (d.rule, d.message, self.line("merged", d.path, d.line))
            if key[2] and left[key] > 0:
                left[key] -= 1
            else:
                kept.append(d)
        return kept

    # -- root causes ---------------------------------------------------------------------------

    def findings(self, new: Iterable[Diagnostic]) -> list[Finding]:
        """New diagnostics grouped by root cause, with tier and the parent that had it whole."""
        broken = {
            d.path for d in new if CHECKS.get(d.rule) == "does-not-parse" and d.tool == "ruff"
        }
        groups: dict[tuple[str, str], Group] = {}
        for d in new:
            rule = f"{d.rule}-ty" if d.tool == "ty" and d.rule == "missing-argument" else d.rule
            check = CHECKS.get(rule, "invalid-code" if d.rule.startswith("PLE") else "")
            if not check or (d.path in broken and check != "does-not-parse"):
                continue
            subject = self._subject(check, d)
            group = groups.setdefault((check, subject), Group(check, subject))
            group.found.append(d)
        out = []
        for group in groups.values():
            finding = self._finding(group)
            if finding is not None:
                out.append(finding)
        return out

    def _subject(self, check: str, d: Diagnostic) -> str:
        quoted: list[str] = _QUOTED.findall(d.message)
        if check == "undefined-name":
            return f"{d.path}:{quoted[0]}" if quoted else f"{d.path}:{d.message}"
        if check == "missing-attribute":
            if d.message.startswith("No attribute") and len(quoted) >= 2:
                return f"{quoted[1]}:{quoted[0]}"
            return f"{quoted[0]}.{quoted[-1]}" if len(quoted) >= 2 else d.message
        if check == "call-mismatch":
            return self._callee(d)
        if check == "missing-name" and len(quoted) >= 2:
            return f"{quoted[1]}:{quoted[0]}"
        if check == "missing-module" and quoted:
            return quoted[0]
        if check == "does-not-parse":
            return d.path
        symbol = self.symbol("merged", d.path, d.line)
        if check == "redefined":
            return f"{d.path}:{symbol}:{'import' if self._is_import(d) else d.message}"
        return f"{d.path}:{symbol}:{d.message}"

    def _is_import(self, d: Diagnostic) -> bool:
        """Whether a redefinition is a second import of one name."""
        quoted: list[str] = _QUOTED.findall(d.message)
        source = self.indexes["merged"].source(d.path)
        if source is None or not quoted:
            return False
        return not any(
            f.kind in {"def", "class"} and f.name == quoted[0] and d.line in source.fact_lines[f]
            for f in source.facts
        )

    def _callee(self, d: Diagnostic) -> str:
        """Full dotted name of the called function; the analyser shortens names of the same file."""
        match = re.search(r"in function `([^`]+)`", d.message)
        if match is None:
            return f"{d.path}:{d.message}"
        index = self.indexes["merged"]
        name = match.group(1)
        if index.qualified(name) is None:
            found = index.find(d.path, name)
            if found is not None:
                return f"{index.module_of(found.path)}.{found.name}"
        return name

    def _places(self, group: Group) -> tuple[Place, ...]:
        seen: dict[tuple[str, int], Place] = {}
        for d in group.found:
            seen.setdefault(
                (d.path, d.line),
                Place(
                    path=d.path,
                    line=d.line,
                    symbol=self.symbol("merged", d.path, d.line),
                    text=self.line("merged", d.path, d.line),
                ),
            )
        return tuple(sorted(seen.values(), key=lambda p: ("test" in p.path, p.path, p.line)))

    def _finding(self, group: Group) -> Finding | None:
        judges: dict[str, Callable[[Group], Judged | None]] = {
            "does-not-parse": self._judge_does_not_parse,
            "undefined-name": self._judge_undefined_name,
            "missing-attribute": self._judge_missing_attribute,
            "missing-name": self._judge_missing_name,
            "missing-module": self._judge_missing_module,
            "call-mismatch": self._judge_call_mismatch,
        }
        judge = judges.get(group.check, self._judge_plain)
        judged = judge(group)
        if judged is None:
            return None
        return Finding(
            check=group.check,
            tier=judged.tier,
            subject=group.subject,
            message=judged.message,
            places=self._places(group),
            cause=judged.cause,
            had=judged.had,
            repair=judged.repair,
            origin=judged.origin,
            origin_symbol=judged.origin_symbol,
            renamed=judged.renamed,
            change=judged.change,
            analysers=tuple(sorted({d.tool for d in group.found})),
        )

    def _judge_plain(self, group: Group) -> Judged | None:
        tier = {
            "unused-import": Tier.HINT,
            "no-caller-left": Tier.REVIEW,
            "attribute-by-ty": Tier.HINT,
            "call-by-ty": Tier.HINT,
            "import-by-ty": Tier.HINT,
            "redefined": Tier.REVIEW,
            "import-shadowed": Tier.REVIEW,
            "invalid-code": Tier.REVIEW,
        }.get(group.check, Tier.ERROR)
        cause = {
            "no-caller-left": "a parent called it; the merge dropped the last call",
            "unused-import": "the merge dropped the use, or kept an import that one side removed",
            "redefined": "both sides' definitions were kept; the later one wins",
            "duplicate-field": "both sides' fields were kept; the later one wins",
            "duplicate-key": "both sides' entries were kept; the later one wins",
            "undefined-export": "`__all__` kept a name whose definition is gone",
        }.get(group.check, "")
        message = group.found[0].message
        if group.check == "redefined":
            names = sorted({q for d in group.found for q in _QUOTED.findall(d.message)[:1]})
            shown = ", ".join(f"`{name}`" for name in names[:8])
            if group.subject.endswith(":import"):
                tier = Tier.HINT
                message = f"{shown} {'are' if len(names) > 1 else 'is'} imported twice"
                cause = "both sides' import lists were kept"
            else:
                tier = Tier.ERROR
                message = f"{shown} is defined twice in one scope"
        return Judged(tier, message, "", cause, "")

    def _judge_does_not_parse(self, group: Group) -> Judged | None:
        path = group.found[0].path
        had = self._had(lambda index: (s := index.source(path)) is not None and not s.error)
        if not had:
            return None
        cause = "conflict markers or half a hunk were left"
        return Judged(
            Tier.ERROR, f"{path} does not parse: {group.found[0].message}", had, cause, ""
        )

    def _had(self, test: Callable[[Index], object]) -> str:
        ours, theirs = bool(test(self.indexes["ours"])), bool(test(self.indexes["theirs"]))
        return "both" if ours and theirs else "ours" if ours else "theirs" if theirs else ""

    def _judge_undefined_name(self, group: Group) -> Judged | None:
        quoted = _QUOTED.findall(group.found[0].message)
        if not quoted:
            return self._judge_plain(group)
        name, path = quoted[0], group.found[0].path

        def bound(index: Index) -> bool:
            source = index.source(path)
            return source is not None and (
                name in source.names
                or any(f.kind in {"def", "class"} and f.name == name for f in source.facts)
                or any(
                    f.kind == "import" and re.split(r"[:. ]", f.name)[-1] == name
                    for f in source.facts
                )
            )

        had = self._had(bound)
        cause = ""
        repair = ""
        if had:
            side = "ours" if had == "both" else had
            cause = f"{_party(had)} bound `{name}` in this file; the merge kept the use alone"
            source = self.indexes[side].source(path)
            entry = source.imports.get(name) if source is not None else None
            if entry is not None and entry.name:
                dots = "." * entry.level
                repair = f"from {dots}{entry.module} import {entry.name}"
                repair += f" as {name}" if entry.name != name else ""
            elif entry is not None:
                repair = f"import {entry.module}" + (f" as {name}" if entry.module != name else "")
            elif source is not None and name in source.names:
                repair = f"restore the definition of `{name}` from {side}"
        return Judged(Tier.ERROR, f"`{name}` is used but not defined", had, cause, repair)

    def _judge_missing_attribute(self, group: Group) -> Judged | None:
        message = group.found[0].message
        quoted = _QUOTED.findall(message)
        if len(quoted) < 2:
            return Judged(Tier.HINT, message, "", "", "")
        if message.startswith("No attribute"):
            return self._judge_module_name(quoted[1], quoted[0], message)
        owner = quoted[0].split("[")[0]
        name = quoted[-1]
        if " | " in quoted[0]:
            # A union: the first class of this repository that once had the attribute speaks.
            once = self._once_had(quoted[0], name)
            owner = once or owner
            if once is None:
                return Judged(Tier.HINT, message, "", "not every member of a union type has it", "")
        if owner in {"NoneType", "None", "object", "int", "str", "float", "bool", "bytes", "type"}:
            return None
        merged = self.indexes["merged"]
        short = owner.rsplit(".", 1)[-1]
        candidates = merged.classes_named(short)
        if not candidates:
            return Judged(Tier.HINT, message, "", "the class is not of this repository", "")
        if any(merged.class_has(c, name) for c in candidates) and len(candidates) == 1:
            return Judged(Tier.HINT, message, "", "", "")
        had = self._had(
            lambda index: any(index.class_has(c, name) for c in index.classes_named(short))
        )
        if not had and any(self._opaque(merged, c) for c in candidates):
            return Judged(Tier.HINT, message, "", "the class makes attributes at run time", "")
        if not had:
            return Judged(
                Tier.REVIEW,
                f"`{short}` has no attribute `{name}`",
                "",
                "neither parent's class had it by its own text; caller and class meet anew here",
                "",
            )
        cause = (
            f"`{short}` had `{name}` in {_party(had)}; the merged class is without it and this "
            f"code still uses it"
        )
        side = "theirs" if had == "theirs" else "ours"
        holders = [
            holder
            for c in self.indexes[side].classes_named(short)
            if (holder := self.indexes[side].class_has(c, name)) is not None
        ]
        renamed = find_rename(self.indexes, short, name, had)
        repair = ""
        if renamed is not None:
            repair = f"call `{renamed.name}` instead ({renamed.proof})"
            repair += f": {renamed.mapping}" if renamed.mapping else ""
        return Judged(
            Tier.ERROR,
            f"`{short}` has no attribute `{name}`",
            had,
            cause,
            repair,
            origin=holders[0].path if holders else "",
            origin_symbol=f"{holders[0].name}.{name}" if holders else "",
            # What was called on the class may now need an instance: then the call is for a person.
            renamed=renamed.name if renamed is not None and renamed.bound_alike else "",
            change=renamed.change if renamed is not None else None,
        )

    def _once_had(self, union: str, name: str) -> str | None:
        for part in union.split(" | "):
            short = part.removeprefix("type[").split("[")[0].rstrip("]").rsplit(".", 1)[-1]
            merged = self.indexes["merged"].classes_named(short)
            if not merged or any(self.indexes["merged"].class_has(c, name) for c in merged):
                continue
            if self._had(
                lambda index, short=short: any(  # type: ignore[misc]
                    index.class_has(c, name) for c in index.classes_named(short)
                )
            ):
                return short
        return None

    @staticmethod
    def _opaque(index: Index, found: Found) -> bool:
        return any(cls.dynamic for _, cls in index.lineage(found))

    def _judge_module_name(self, module: str, name: str, message: str) -> Judged | None:
        if self.indexes["merged"].module_has(module, name):
            return None
        had = self._had(lambda index: index.module_has(module, name))
        text = f"module `{module}` has no `{name}`"
        if not had:
            if self.indexes["merged"].module_has(module, name) is None:
                return Judged(Tier.HINT, message, "", "the module makes its names at run time", "")
            return Judged(Tier.ERROR, text, "", "neither parent's module has it", "")
        cause = f"`{module}` had `{name}` in {_party(had)}; the merged module lost it"
        origin = self.indexes["theirs" if had == "theirs" else "ours"].module_path(module)
        return Judged(
            Tier.ERROR,
            text,
            had,
            cause,
            f"restore `{name}` in `{module}` or re-export it",
            origin=origin or "",
            origin_symbol=name,
        )

    def _judge_missing_name(self, group: Group) -> Judged | None:
        quoted = _QUOTED.findall(group.found[0].message)
        if len(quoted) < 2:
            return Judged(Tier.REVIEW, group.found[0].message, "", "", "")
        return self._judge_module_name(quoted[1], quoted[0], group.found[0].message)

    def _judge_missing_module(self, group: Group) -> Judged | None:
        module = group.subject
        indexes = self.indexes
        first = {i.top_level for i in indexes.values()}
        if not any(module.split(".", 1)[0] in names for names in first):
            return None
        if all(indexes["merged"].module_of(d.path) == module for d in group.found):
            # An analyser that cannot decode a file says that the file itself is missing.
            return None
        had = self._had(lambda index: index.module_path(module) or index.is_package(module))
        if not had:
            # A folder of the same name as a third-party package (`docs`, `utils`) proves nothing.
            parent = module.rpartition(".")[0]
            if not parent or not any(
                i.is_package(parent) or i.module_path(parent) for i in indexes.values()
            ):
                return None
        text = f"module `{module}` is imported but does not exist"
        cause = (
            f"{_party(had)} had the module; the merge kept the import and dropped the file"
            if had
            else "neither parent has the module"
        )
        path = next((p for s in ("ours", "theirs") if (p := indexes[s].module_path(module))), None)
        side = "ours" if had in {"ours", "both"} else "theirs"
        repair = f"restore {path} from {side}" if path else "drop the import or restore the module"
        return Judged(Tier.ERROR, text, had, cause, repair)

    def _judge_call_mismatch(self, group: Group) -> Judged | None:
        details = sorted({_detail(d.message) for d in group.found})
        callee = group.subject
        text = f"call of `{_short(callee)}` does not fit: {', '.join(details[:6])}"
        merged = self._function("merged", callee)
        if merged is None:
            return Judged(
                Tier.REVIEW, text, "", "the called function could not be found by name", ""
            )
        faces = {name: self._function(name, callee) for name in ("ours", "theirs")}
        changed = {
            name: face
            for name, face in faces.items()
            if face is None or face.params != merged.params
        }
        if not changed:
            # Same face in both parents: the call itself is new, or its receiver's type changed.
            return Judged(
                Tier.REVIEW,
                text,
                "",
                "both parents have the same signature; the call came from a rewrite of its place",
                "",
            )
        had = "both" if len(changed) == 2 else next(iter(changed))
        old = changed.get(had if had != "both" else "ours")
        kept = next((n for n in ("ours", "theirs") if n not in changed), "neither parent")
        cause = (
            f"the signature is that of {kept}; the call is written for {_party(had)}, whose "
            f"`{_short(callee)}` takes ({_face(old, merged)})"
            if old is not None
            else f"{_party(had)} has no `{_short(callee)}` of this name"
        )
        repair = f"call it as ({_face(merged, old)})"
        found = self._found("merged", callee)
        change = None
        if old is not None:
            if found is not None and kept != "neither parent" and had != "both":
                base = self._function("base", callee)
                known = Callee(_called_by(callee), found, old, merged, base, kept)
                by_name = all("positional" not in detail for detail in details)
                given = _QUOTED.findall(text) if by_name else None
                change = face_change(self.indexes, known, given)
            mapping = map_arguments(old, merged, change)
            repair += f": {mapping}" if mapping else ""
        return Judged(
            Tier.ERROR,
            text,
            had,
            cause,
            repair,
            origin=found.path if found is not None else "",
            origin_symbol=found.name if found is not None else "",
            change=change,
        )

    def _function(self, name: str, dotted: str) -> Function | None:
        found = self._found(name, dotted)
        return None if found is None else self.indexes[name].function(found)

    def _found(self, name: str, dotted: str) -> Found | None:
        """Where a function is defined; a class whose ``__init__`` is made from its fields is one."""
        found = self.indexes[name].qualified(dotted)
        if found is None and dotted.endswith(".__init__"):
            found = self.indexes[name].qualified(dotted.removesuffix(".__init__"))
        return found


def _detail(message: str) -> str:
    text = re.sub(r" in function `[^`]+`", "", message)
    return text[0].lower() + text[1:] if text else text


def _short(dotted: str) -> str:
    parts = dotted.split(".")
    return ".".join(parts[-2:]) if len(parts) > 1 and parts[-2][:1].isupper() else parts[-1]


def _called_by(dotted: str) -> str:
    """The last name that a call of a function shows."""
    return dotted.removesuffix(".__init__").rsplit(".", 1)[-1]


def _party(had: str) -> str:
    return "both parents" if had == "both" else had


#: A signature of more parameters is shown by those that the other parent's lacks.
_FACE_LIMIT = 14


def _face(function: Function | None, other: Function | None = None) -> str:
    """The parameters of a function, without ``self``."""
    if function is None:
        return ""
    params = function.params[1:] if function.bound else function.params
    known = {p.name for p in other.params} if other is not None else set()
    few = [p for p in params if p.required or p.name not in known]
    shown = []
    for param in params if len(params) <= _FACE_LIMIT else few[:_FACE_LIMIT]:
        star = {"args": "*", "kwargs": "**"}.get(param.kind, "")
        default = "" if param.required or star else "=…"
        shown.append(f"{star}{param.name}{default}")
    left = len(params) - len(shown)
    return ", ".join([*shown, f"… {left} more"] if left else shown)
