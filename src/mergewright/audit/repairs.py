"""Restoring patches: the lost piece of a parent put back into the merged text, and calls mended.

A patch is made only where its place is certain: the neighbours that the piece had in its parent
still stand in the merged file, once each. Everything else stays advice.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import replace

from mergewright.audit import edits
from mergewright.audit.analysers import PYTHON_SUFFIXES
from mergewright.audit.edits import Text, parse_text
from mergewright.audit.lines import restored
from mergewright.audit.values import Finding, Repair, Tier, Tree, Trees, Verdict
from mergewright.model.threeway import Side

#: So many parsed files are at hand at once; a syntax tree takes a hundred times its text.
_PARSED_LIMIT = 40


class Repairer:
    """Makes patches for the merged tree.

    Args:
        trees: The four trees.
    """

    def __init__(self, trees: Trees) -> None:
        self.trees = trees
        self._parsed: dict[str, Text | None] = {}

    def text(self, tree: Tree, path: str) -> Text | None:
        """A file of a tree, parsed once."""
        oid = tree.files.get(path)
        if oid is None:
            return None
        if oid in self._parsed:
            text = self._parsed.pop(oid)
        else:
            text = parse_text(tree.read(oid))
            while len(self._parsed) >= _PARSED_LIMIT:
                del self._parsed[next(iter(self._parsed))]
        self._parsed[oid] = text
        return text

    def with_patch(self, finding: Finding) -> Finding:
        """The finding with a patch, where one can be made."""
        if finding.patch is not None or finding.verdict is Verdict.INTENTIONAL:
            return finding
        if finding.tier is Tier.HINT and not finding.check.startswith("lost-"):
            return finding
        patch = self._patch(finding)
        return replace(finding, patch=patch) if patch is not None else finding

    def _patch(self, finding: Finding) -> Repair | None:
        side = Side.THEIRS if finding.had == "theirs" else Side.OURS
        if finding.check == "lost-file":
            return self._file(finding.path, side)
        if finding.check == "missing-module":
            match = re.match(r"restore (.+) from (ours|theirs)$", finding.repair)
            return None if match is None else self._file(match[1], Side(match[2]))
        if finding.check == "deprecated-alias":
            return self._rename_argument(finding)
        if finding.check == "duplicate-field":
            return self._undouble(finding)
        if finding.check == "duplicate-argument":
            return self._one_argument(finding)
        if finding.check == "double-effect":
            return self._one_effect(finding)
        if finding.check == "call-mismatch":
            return self._call(finding, side)
        if finding.renamed:
            return self._rename(finding)
        if finding.check == "missing-attribute" and finding.repair.startswith("call `"):
            # It has a new name, but calls do not go over as they are; the old one must not return.
            return None
        if finding.check == "undefined-name" and finding.had:
            return self._undefined(finding, side)
        if finding.check == "lost-lines":
            return self._lines(finding, side)
        if finding.check.startswith("lost-"):
            return self._lost(finding.path, finding.subject, side)
        return self._cause(finding, side)

    def _cause(self, finding: Finding, side: Side) -> Repair | None:
        """What a diagnostic comes from: lost facts that were folded into it, a lost member or name."""
        for subject in finding.lost:
            made = self._lost(finding.origin or finding.path, subject, side)
            if made is not None:
                return made
        owner, _, name = finding.origin_symbol.rpartition(".")
        kinds = {
            "missing-attribute": ("field", "def", "class"),
            "missing-name": ("def", "class", "global", "import"),
        }.get(finding.check, ())
        if not finding.had or not finding.origin or not name:
            return None
        for kind in kinds:
            made = self._lost(finding.origin, f"{kind}:{owner}:{name}", side)
            if made is not None:
                return made
        return None

    def _repair(
        self, path: str, before: bytes | None, after: bytes | None, summary: str
    ) -> Repair | None:
        """A patch, where the text is another one and, of Python, still parses."""
        if after is None or after == before:
            return None
        if path.endswith(PYTHON_SUFFIXES) and before is not None and parse_text(after) is None:
            return None
        mode = self.trees.merged.modes.get(path, 0o100644)
        return Repair(path=path, before=before, after=after, mode=mode, summary=summary)

    def _file(self, path: str, side: Side) -> Repair | None:
        parent = self.trees.parent(side)
        made = self._repair(path, None, parent.data(path), f"restore {path} from {side.value}")
        return None if made is None else replace(made, mode=parent.modes.get(path, 0o100644))

    def _lines(self, finding: Finding, side: Side) -> Repair | None:
        data = self.trees.parent(side).data(finding.path)
        merged = self.trees.merged.data(finding.path)
        if data is None or merged is None:
            return None
        after = restored(finding.path, data, merged, finding.lines)
        return self._repair(finding.path, merged, after, f"restore lines from {side.value}")

    def _in_each_file(
        self, finding: Finding, summary: str, edit: Callable[[Text, frozenset[int]], bytes | None]
    ) -> Repair | None:
        """One edit in all files in which a finding shows; all of them or none."""
        lines: dict[str, set[int]] = {}
        for place in finding.places:
            lines.setdefault(place.path, set()).add(place.line)
        patches: list[Repair] = []
        for path, here in lines.items():
            merged = self.text(self.trees.merged, path)
            after = None if merged is None else edit(merged, frozenset(here))
            made = None if merged is None else self._repair(path, merged.data, after, summary)
            if made is None:
                return None
            patches.append(made)
        return replace(patches[0], more=tuple(patches[1:])) if patches else None

    def _rename(self, finding: Finding) -> Repair | None:
        """Call the method by its new name, with its arguments mapped."""
        old = finding.subject.rpartition(".")[2]
        return self._in_each_file(
            finding,
            f"call {finding.renamed} for {old}",
            lambda text, lines: edits.rename_calls(
                text, lines, old, finding.renamed, finding.change
            ),
        )

    def _rename_argument(self, finding: Finding) -> Repair | None:
        holder, _, old = finding.subject.rpartition(".")
        return self._in_each_file(
            finding,
            f"read {holder}.{finding.renamed} for {holder}.{old}",
            lambda text, lines: edits.rename_attributes(text, lines, holder, old, finding.renamed),
        )

    def _call(self, finding: Finding, side: Side) -> Repair | None:
        """The calls mapped to the face that stands, or the parameters back that they give."""
        change = finding.change
        short = finding.subject.removesuffix(".__init__").rsplit(".", 1)[-1]
        if change is not None:
            made = self._in_each_file(
                finding,
                f"call {short} as it is defined",
                lambda text, lines: edits.change_calls(text, lines, short, change),
            )
            if made is not None:
                return made
        return self._faced(finding, side)

    def _faced(self, finding: Finding, side: Side) -> Repair | None:
        """The parameters or fields back that one side had added and that calls give by name.

        A parameter goes back alone only where the body reads it; else with the arguments that read it
        in its parent, or not at all.
        """
        owner, path = finding.origin_symbol, finding.origin
        lost = _UNEXPECTED.findall(finding.message)
        source = self.text(self.trees.parent(side), path)
        merged = self.text(self.trees.merged, path)
        base = self.text(self.trees.base, path)
        if not finding.had or not lost or source is None or merged is None:
            return None
        added = edits.parameters(source, owner)
        other = self.text(self.trees.parent(side.other), path)
        known = set() if base is None else set(edits.parameters(base, owner))
        if other is not None:
            # What the base had and the other side has not was removed on purpose.
            known -= set(edits.parameters(other, owner))
        if not set(lost) <= set(added) - known:
            return None
        field = isinstance(edits.definition(source, owner), ast.ClassDef)
        now: Text | None = merged
        for name in lost:
            kind = "field" if field else "param"
            now = parse_text(_restored(kind, now, source, other, owner, name)) if now else None
            for argument in () if field or now is None else _read_by(now, source, owner, name):
                if now is not None:
                    now = parse_text(edits.add_keyword(now, source, owner, argument))
            if now is None or not (field or edits.reads(now, owner, name)):
                return None
        what = f"restore {', '.join(lost)} of {owner} from {side.value}"
        return None if now is None else self._repair(path, merged.data, now.data, what)

    def _one_effect(self, finding: Finding) -> Repair | None:
        """One of two halves left out, where the parents prove which one."""
        path, owner = finding.path, finding.places[0].symbol
        merged = self.text(self.trees.merged, path)
        parents = [self.text(self.trees.parent(s), path) for s in (Side.OURS, Side.THEIRS)]
        if merged is None or None in parents:
            return None
        quoted = re.findall(r"`([^`]+)`", finding.message)
        if finding.origin_symbol == owner:
            after = _without_second(merged, owner, quoted[0])
            return self._repair(path, merged.data, after, f"do {quoted[0]} once")
        if len(quoted) != 4:
            return None
        helper, called = finding.origin_symbol, quoted[1]
        if any(
            name != path
            and name.endswith(PYTHON_SUFFIXES)
            and f".{called}".encode() in self.trees.merged.read(oid)
            for name, oid in self.trees.merged.files.items()
        ):
            # Called from elsewhere: what those callers expect is not seen.
            return None
        callers = edits.callers(merged, called)
        for one, other in (parents, parents[::-1]):
            if one is None or other is None:
                continue
            if all(edits.same_function(merged, one, c) for c in callers) and not edits.effects(
                one, helper, quoted[2]
            ):
                # All who call it are of one side, whose helper leaves the item alone.
                found = edits.effects(merged, helper, quoted[2])
                after = edits.without(merged, found[0]) if len(found) == 1 else None
                summary = f"leave {quoted[2]} to the callers of {called}"
                return self._repair(path, merged.data, after, summary)
        for one, other in (parents, parents[::-1]):
            if one is None or other is None:
                continue
            if edits.same_function(merged, other, helper) and _calls_alike(
                merged, other, owner, called
            ):
                # The helper and its call are of the side that leaves the item to the helper.
                found = edits.effects(merged, owner, quoted[3])
                if len(found) != 1 or edits.effects(other, owner, quoted[3]):
                    continue
                after = edits.without(merged, found[0])
                summary = f"leave {quoted[3]} to {called}"
                return self._repair(path, merged.data, after, summary)
        return None

    def _one_argument(self, finding: Finding) -> Repair | None:
        """Drop the later of two statements that add the same argument alike."""
        merged = self.text(self.trees.merged, finding.path)
        flag = finding.subject.removeprefix("flag:")
        after = None if merged is None else edits.without_second_argument(merged, flag)
        return self._repair(
            finding.path, None if merged is None else merged.data, after, f"add {flag} once"
        )

    def _undouble(self, finding: Finding) -> Repair | None:
        """Drop the later copy of a field that stands twice, where both copies are the same."""
        merged = self.text(self.trees.merged, finding.path)
        match = re.search(r"`(\w+)`", finding.message)
        if merged is None or match is None:
            return None
        after = edits.remove_double(merged, finding.places[0].symbol, match[1])
        return self._repair(finding.path, merged.data, after, f"keep one copy of {match[1]}")

    def _undefined(self, finding: Finding, side: Side) -> Repair | None:
        """The binding of a name that is used: its import, its definition, its assignment."""
        name = finding.subject.rsplit(":", 1)[-1]
        source = self.text(self.trees.parent(side), finding.path)
        if source is None:
            return None
        for node in ast.walk(source.tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for alias in node.names:
                    if (alias.asname or alias.name.split(".")[0]) == name:
                        fact = edits.import_fact(node, alias)
                        made = self._lost(finding.path, f"import::{fact}", side)
                        if made is not None:
                            return made
        for kind in ("def", "class", "global"):
            made = self._lost(finding.path, f"{kind}::{name}", side)
            if made is not None:
                return made
        return self._cause(finding, side)

    def _lost(self, path: str, subject: str, side: Side) -> Repair | None:
        """A lost fact put back: ``kind:owner:name``, as the facts count it."""
        kind, owner, name = subject.split(":", 2)
        source = self.text(self.trees.parent(side), path)
        merged = self.text(self.trees.merged, path)
        if source is None or merged is None:
            return None
        other = self.text(self.trees.parent(side.other), path)
        after = _restored(kind, merged, source, other, owner, name)
        shown = f"{owner}.{name}" if owner and kind not in {"kwarg", "call"} else name
        return self._repair(path, merged.data, after, f"restore {kind} {shown} from {side.value}")


_UNEXPECTED = re.compile(r"unexpected keyword argument `(\w+)`")


def _read_by(now: Text, source: Text, owner: str, name: str) -> list[str]:
    """Arguments that read a parameter in its parent, where nothing reads it now."""
    if edits.reads(now, owner, name):
        return []
    return edits.keywords_reading(source, owner, name)


def _without_second(merged: Text, owner: str, call: str) -> bytes | None:
    """A function that does a thing once, where nothing between the two makes the second another one."""
    found = edits.effects(merged, owner, call)
    if len(found) != 2:
        return None
    within = edits.between(merged, owner, found[0], found[1])
    value = found[0].value
    if within is None or not isinstance(value, ast.Call):
        return None
    if not isinstance(value.func, ast.Attribute) or edits.disturbs(within, value):
        return None
    return edits.without(merged, found[1])


def _calls_alike(merged: Text, other: Text, owner: str, called: str) -> bool:
    """Whether a function calls a method in both texts, with the same arguments."""
    shown = [
        {
            ast.unparse(node)
            for node in ast.walk(definition)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == called
        }
        for text in (merged, other)
        if (definition := edits.definition(text, owner)) is not None
    ]
    return len(shown) == 2 and shown[0] == shown[1] and bool(shown[0])


def _restored(
    kind: str, merged: Text, source: Text, other: Text | None, owner: str, name: str
) -> bytes | None:
    """The merged text with one fact of the source back in it."""
    if kind == "import":
        return edits.restore_import(merged, source, owner, name)
    if kind in {"def", "class", "field", "global"}:
        group = "name" if kind in {"field", "global"} else "def"
        return edits.insert_statement(
            merged, source, owner, lambda node: edits.names_of(node) == {(group, name)}, far=True
        )
    if kind == "kwarg":
        return edits.add_keyword(merged, source, owner, name)
    if kind == "param":
        return edits.add_parameter(merged, source, other, owner, name)
    if kind == "decorator":
        return edits.add_decorator(merged, source, owner, name)
    if kind == "base":
        return edits.add_base(merged, source, owner, name)
    if kind == "export":
        return edits.add_export(merged, source, name)
    if kind == "cliarg":
        return edits.insert_statement(merged, source, owner, edits.statement_with_argument(name))
    if kind == "call":
        wanted = edits.statement_with_call(name)
        node = edits.find_statement(source, owner, wanted)
        if node is None or edits.rebinds(merged, owner, node):
            return None
        return edits.insert_statement(merged, source, owner, wanted)
    return None
