"""The rules that work on what was merged, applied in file order to the merged tree. Pure.

A step touches only files that the merge changes against ours, never a pinned, coupled or generated
file. A Python file that parsed before a step and does not after it, by the grammar or by what this
Python can compile (nothing of it is run), is left as it was. In a file with open places it works on
what is settled, and inside an open place where the answer is the same whatever is decided there (:mod:`mergewright.rules.openfiles`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from mergewright.model.conflict import MODE_EXECUTABLE, MODE_REGULAR
from mergewright.model.merge import FileMerge
from mergewright.model.resolution import Decision, Evidence, EvidenceKind, Outcome
from mergewright.model.threeway import Side, ThreeWay
from mergewright.rules.book import LoadedRule, RuleBook, path_matches
from mergewright.rules.callers import patch_callers
from mergewright.rules.coupled import missing_groups
from mergewright.rules.deleted import Deletion, restoration
from mergewright.rules.fallback import missing_helpers
from mergewright.rules.imports import restore_imports
from mergewright.rules.names import compiles
from mergewright.rules.openfiles import Edit, carry
from mergewright.rules.patterns import matches
from mergewright.rules.rename import rename_splices
from mergewright.rules.schema import (
    CallersRule,
    CoupledRule,
    DeletedRule,
    FallBackRule,
    ImportsRule,
    RegenerateRule,
    RenameRule,
    SourcesRule,
    SymbolRule,
    UsesRule,
)
from mergewright.rules.sources import reconcile
from mergewright.rules.stepedit import StepEdit
from mergewright.rules.symbols import enforce
from mergewright.rules.syntax import Splice, apply, joined, parse
from mergewright.rules.trees import Overlay, Tree, references
from mergewright.rules.uses import KeptUses, keep_uses
from mergewright.rules.words import Action, Level

_REGULAR = (MODE_REGULAR, MODE_EXECUTABLE)
_SIDES = (Side.BASE, Side.OURS, Side.THEIRS)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepNote:
    """Something that a step found, whether it changed anything or not.

    Attributes:
        rule: Id of the rule.
        path: The file it speaks of.
        text: One sentence.
        warning: Whether a person should look at it.
        commits: Full ids of commits that it names.
    """

    rule: str
    path: str
    text: str
    warning: bool = False
    commits: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.path}: {self.text} [{self.rule}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class StepResult:
    """What all steps made of a merged tree.

    Attributes:
        edits: Changed files, by path.
        notes: What was found.
        used: Ids of the rules that were asked about a file.
    """

    edits: tuple[StepEdit, ...]
    notes: tuple[StepNote, ...]
    used: frozenset[str]


def _no_deletions(path: str) -> Sequence[Deletion]:  # noqa: ARG001 - a default
    return ()


def _breaks(before: bytes, after: bytes) -> bool:
    """Whether a text was Python before a step, by the grammar or this Python, and is not after it."""
    return (parse(before) is not None and parse(after) is None) or (
        compiles(before) and not compiles(after)
    )


def _names_something(rule: object, merge: FileMerge) -> bool:
    """Whether a text that cannot be read has the words that a step looks for."""
    words: tuple[str, ...] = ()
    if isinstance(rule, RenameRule):
        words = (rule.from_.rsplit(".", 1)[-1],)
    elif isinstance(rule, CallersRule):
        words = tuple(row.call for row in rule.table)
    elif isinstance(rule, UsesRule):
        words = (*rule.uses, *rule.instead_of)
    return any(word.encode() in merge.text(side) for word in words for side in _SIDES)


def run_steps(
    book: RuleBook,
    merged: Tree,
    sides: ThreeWay[Tree],
    *,
    open_paths: Collection[str] = (),
    open_merges: Mapping[str, FileMerge] | None = None,
    deletions: Callable[[str], Sequence[Deletion]] = _no_deletions,
) -> StepResult:
    """Apply the step rules to a merged tree.

    Args:
        book: The rules.
        merged: The merged tree with what the plan settled.
        sides: The trees of base, ours and theirs.
        open_paths: Paths that still hold conflicts.
        open_merges: What is settled and what is open in those of them that are texts; the others
            are not touched.
        deletions: The commits of ours that deleted a path, newest first.
    """
    return _Steps(
        book, merged, sides, frozenset(open_paths), dict(open_merges or {}), deletions
    ).run()


class _Steps:
    def __init__(
        self,
        book: RuleBook,
        merged: Tree,
        sides: ThreeWay[Tree],
        open_paths: frozenset[str],
        open_merges: dict[str, FileMerge],
        deletions: Callable[[str], Sequence[Deletion]],
    ) -> None:
        self._book = book
        self._tree = Overlay(merged)
        self._sides = sides
        self._open = open_paths
        self._merges = open_merges
        self._survivors: dict[str, tuple[int, ...]] = {}
        self._deletions = deletions
        self._decisions: dict[str, list[Decision]] = {}
        self._notes: list[StepNote] = []
        self._used: set[str] = set()
        ours = sides.ours.entries()
        self._merged_entries = merged.entries()
        self._changed = {
            path
            for path, (mode, oid) in self._merged_entries.items()
            if mode in _REGULAR and path not in open_paths and ours.get(path, (0, ""))[1] != oid
        }
        self._interfaces: dict[str, list[str]] = {}
        self._kept: dict[str, str] = {}
        for path in {*self._changed, *open_merges}:
            rule = book.for_path(path)
            if rule is not None and rule.action in {
                Action.PINNED,
                Action.COUPLED,
                Action.REGENERATE,
            }:
                self._kept[path] = rule.id

    def run(self) -> StepResult:
        for loaded in self._book.rules:
            # A rule whose files are there was asked, whatever it found.
            if (loaded.rule.level is Level.STEP or loaded.rule.action is Action.REGENERATE) and any(
                path_matches(loaded.rule.match, path) for path in self._merged_entries
            ):
                self._used.add(loaded.id)
        for loaded in self._book.steps():
            rule = loaded.rule
            if isinstance(rule, SourcesRule):
                self._sources(loaded, rule)
            elif isinstance(rule, DeletedRule):
                self._restore(loaded, rule)
            else:
                for path in self._files(loaded):
                    self._file(loaded, path)
                for path in self._files(loaded, self._merges):
                    self._open_file(loaded, path)
        self._coupled()
        edits = tuple(
            StepEdit(
                path=path,
                mode=change[0],
                data=change[1],
                decisions=tuple(self._decisions.get(path, ())),
            )
            for path, change in sorted(self._tree.changes.items())
            if change is not None
        ) + tuple(
            StepEdit(
                path=path,
                mode=self._merged_entries.get(path, (MODE_REGULAR, ""))[0],
                data=self._merges[path].text(),
                decisions=tuple(self._decisions.get(path, ())),
                merge=self._merges[path],
                survivors=survivors,
            )
            for path, survivors in sorted(self._survivors.items())
        )
        return StepResult(edits=edits, notes=tuple(self._notes), used=frozenset(self._used))

    # -- which files, and how a change is recorded ------------------------------------------

    def _files(self, loaded: LoadedRule, among: Collection[str] | None = None) -> list[str]:
        return sorted(
            path
            for path in (self._changed if among is None else among)
            if path not in self._kept
            and path.endswith((".py", ".pyi"))
            and path_matches(loaded.rule.match, path)
        )

    def _note(
        self,
        loaded: LoadedRule,
        path: str,
        text: str,
        *,
        warning: bool = False,
        commits: tuple[str, ...] = (),
    ) -> None:
        self._used.add(loaded.id)
        self._notes.append(
            StepNote(rule=loaded.id, path=path, text=text, warning=warning, commits=commits)
        )

    def _change(
        self,
        loaded: LoadedRule,
        path: str,
        data: bytes,
        reasons: Sequence[str],
        *,
        side: Side,
        symbol: str = "",
        mode: int | None = None,
        commits: tuple[str, ...] = (),
    ) -> bool:
        before = self._tree.read(path)
        if before == data:
            return False
        if path.endswith((".py", ".pyi")) and before is not None and _breaks(before, data):
            self._note(loaded, path, "the result would not parse; left as it was", warning=True)
            return False
        if mode is None:
            mode = self._tree.entries().get(path, (MODE_REGULAR, ""))[0]
        self._tree.changes[path] = (mode, data)
        self._used.add(loaded.id)
        evidence = loaded.evidence()
        if commits:
            evidence += (
                Evidence(kind=EvidenceKind.COMMIT, text="; ".join(reasons), commits=commits),
            )
        self._decisions.setdefault(path, []).extend(
            Decision(
                symbol=symbol,
                outcome=Outcome.RESOLVED,
                strategy=loaded.rule.action.value,
                side=side,
                reason=reason,
                rule=loaded.id,
                evidence=evidence,
            )
            for reason in reasons
        )
        for reason in reasons:
            self._notes.append(StepNote(rule=loaded.id, path=path, text=reason, commits=commits))
        return True

    # -- steps on a file with open places -------------------------------------------------------

    def _open_file(self, loaded: LoadedRule, path: str) -> None:
        merge = self._merges[path]
        if merge.clean:
            return
        if any(b"\r" in text for text in map(merge.text, _SIDES)):
            # Line ends are put back by whoever wrote them; offsets hold in plain texts only.
            self._note(loaded, path, "is open and has other line ends; not touched", warning=True)
            return
        rule = loaded.rule
        if isinstance(rule, FallBackRule):
            self._open_fall_back(loaded, rule, path, merge)
            return
        edits: dict[Side, list[Edit]] = {}
        # A name or call is written anew in base's lines too; a side's symbol or import is not theirs.
        alike = isinstance(rule, RenameRule | CallersRule)
        for side in _SIDES:
            if side is Side.BASE and not alike:
                edits[side] = []
                continue
            found = self._edits_of(loaded, path, merge.text(side), side)
            if found is None and side is not Side.BASE:
                if _names_something(rule, merge):
                    why = f"with {side.value} at its open places it is no Python; not touched"
                    self._note(loaded, path, why, warning=True)
                return
            edits[side] = found or []
        wanted: ThreeWay[Sequence[Edit]] = ThreeWay(
            base=edits[Side.BASE], ours=edits[Side.OURS], theirs=edits[Side.THEIRS]
        )
        if not any(edit.needed for side in (Side.OURS, Side.THEIRS) for edit in edits[side]):
            return
        try:
            carried = carry(merge, wanted)
        except ValueError:
            self._note(loaded, path, "its changes stand inside each other", warning=True)
            return
        if not self._checked(loaded, path, merge, carried.merge):
            return
        for what in carried.refused:
            text = f"open, and so only where one side is taken: {what}"
            self._note(loaded, path, text, warning=True)
        if not carried.done:
            return
        before = self._survivors.get(path, tuple(range(len(merge.contested))))
        self._merges[path] = carried.merge
        self._survivors[path] = tuple(before[number] for number in carried.survivors)
        self._used.add(loaded.id)
        side = {Action.KEEP_OURS: Side.OURS, Action.KEEP_THEIRS: Side.THEIRS}.get(
            rule.action, Side.NEITHER
        )
        self._decisions.setdefault(path, []).extend(
            Decision(
                symbol="",
                outcome=Outcome.RESOLVED,
                strategy=rule.action.value,
                side=side,
                reason=reason,
                rule=loaded.id,
                evidence=loaded.evidence(),
            )
            for reason in carried.done
        )
        for reason in carried.done:
            self._notes.append(StepNote(rule=loaded.id, path=path, text=reason))

    def _checked(self, loaded: LoadedRule, path: str, before: FileMerge, after: FileMerge) -> bool:
        """Whether each completion is Python after a step, and asks for nothing more of it."""
        for side in (Side.OURS, Side.THEIRS):
            if _breaks(before.text(side), after.text(side)):
                why = f"with {side.value} at its open places the result would not parse; left"
                self._note(loaded, path, why, warning=True)
                return False
        return True

    def _edits_of(
        self, loaded: LoadedRule, path: str, data: bytes, side: Side
    ) -> list[Edit] | None:
        """What a step would do in one completion; ``None`` when it cannot be read."""
        rule = loaded.rule
        ours, theirs = self._sides.ours.read(path), self._sides.theirs.read(path)
        if isinstance(rule, RenameRule):
            renaming = rename_splices(data, rule)
            if renaming is None:
                return None
            splices, doubt = renaming
            if doubt and side is not Side.BASE:
                why = f"with {side.value} at its open places {rule.from_} stays: {doubt}"
                self._note(loaded, path, why, warning=True)
            what = f"{rule.from_} becomes {rule.to}"
            return [Edit(splices=(splice,), what=what) for splice in splices]
        if isinstance(rule, CallersRule):
            if not any(row.call.encode() in data for row in rule.table):
                return []
            interface = self._interface(loaded, rule, path)
            if interface is None:
                return []
            patched = patch_callers(path, data, *interface)
            if patched is None:
                return None
            return [Edit(splices=splices, what=what) for splices, what in patched.edits]
        if isinstance(rule, ImportsRule):
            found = restore_imports(data, ours, theirs)
            if found is None:
                return None
            return [
                Edit(
                    splices=(Splice(at, at, text),),
                    what=f"restored '{entry.statement}' of {entry.side}: '{entry.name}' is used",
                )
                for entry, (at, text) in zip(found.restored, found.insertions, strict=True)
            ]
        if isinstance(rule, UsesRule):
            kept = self._uses(rule, path, data)
            if kept is None:
                return None
            for why in kept.refused:
                self._note(
                    loaded, path, f"with {side.value} at its open places: {why}", warning=True
                )
            if not rule.instead_of or not kept.edits:
                return [Edit(splices=splices, what=what) for splices, what in kept.edits]
            # What was used instead must not go from a choice that does not get the kept use.
            whole = joined([splice for splices, _ in kept.edits for splice in splices])
            return [Edit(splices=tuple(whole), what="; ".join(dict.fromkeys(kept.changed)))]
        if isinstance(rule, SymbolRule):
            result = enforce(data, ours, theirs, rule)
            if result is None:
                return None
            return [
                Edit(splices=(splice,), what=what, needed=bool(what))
                for splice, what in result.edits
            ]
        return []

    def _open_fall_back(
        self, loaded: LoadedRule, rule: FallBackRule, path: str, merge: FileMerge
    ) -> None:
        """Say which helpers would be missing, whichever side is taken or with one of them."""
        ours, theirs = self._sides.ours.read(path), self._sides.theirs.read(path)
        for side in (Side.OURS, Side.THEIRS):
            missing = missing_helpers(merge.text(side), ours, theirs)
            if missing:
                self._note(
                    loaded,
                    path,
                    f"open; with {side.value} at its places it calls helpers that are not there "
                    f"({', '.join(sorted(missing))}): take {rule.side.value} whole then",
                    warning=True,
                )

    # -- steps on one file ---------------------------------------------------------------------

    def _file(self, loaded: LoadedRule, path: str) -> None:
        rule = loaded.rule
        data = self._tree.read(path)
        if data is None:
            return
        ours, theirs = self._sides.ours.read(path), self._sides.theirs.read(path)
        if isinstance(rule, RenameRule):
            renaming = rename_splices(data, rule)
            if renaming is None:
                self._note(loaded, path, "not Python as a whole; nothing renamed", warning=True)
                return
            splices, doubt = renaming
            if doubt:
                self._note(loaded, path, f"{rule.from_} stays: {doubt}", warning=True)
            if splices:
                places = "place" if len(splices) == 1 else "places"
                reason = f"{rule.from_} becomes {rule.to} in {len(splices)} {places}"
                self._change(loaded, path, apply(data, splices), [reason], side=Side.NEITHER)
        elif isinstance(rule, CallersRule):
            self._callers(loaded, rule, path, data)
        elif isinstance(rule, ImportsRule | FallBackRule) and data in (ours, theirs):
            # One side's whole file: what it lacks, that side lacks; no accident of the merge.
            return
        elif isinstance(rule, ImportsRule):
            found = restore_imports(data, ours, theirs)
            if found is None:
                return
            for refused in found.refused:
                self._note(loaded, path, refused, warning=True)
            if found.restored:
                sides = {entry.side for entry in found.restored}
                side = sides.pop() if len(sides) == 1 else Side.BOTH
                reasons = [
                    f"restored '{entry.statement}' of {entry.side}: '{entry.name}' is used in line "
                    f"{entry.line}"
                    for entry in found.restored
                ]
                self._change(loaded, path, found.data, reasons, side=side)
        elif isinstance(rule, FallBackRule):
            self._fall_back(loaded, rule, path, data)
        elif isinstance(rule, UsesRule):
            kept = self._uses(rule, path, data)
            if kept is None:
                self._note(loaded, path, "could not be parsed; no use put back", warning=True)
                return
            for refused in kept.refused:
                self._note(loaded, path, refused, warning=True)
            if kept.changed:
                side = Side(rule.side.value)
                self._change(loaded, path, kept.data, kept.changed, side=side)
        elif isinstance(rule, SymbolRule):
            result = enforce(data, ours, theirs, rule)
            if result is None:
                self._note(loaded, path, "not Python as a whole; no symbol checked", warning=True)
                return
            for refused in result.refused:
                self._note(loaded, path, refused, warning=True)
            if result.changed:
                side = Side.THEIRS if rule.action is Action.KEEP_THEIRS else Side.OURS
                self._change(loaded, path, result.data, result.changed, side=side)

    def _uses(self, rule: UsesRule, path: str, data: bytes) -> KeptUses | None:
        return keep_uses(
            data,
            self._sides.get(Side(rule.side.value)).read(path),
            self._sides.base.read(path),
            uses=rule.uses,
            instead_of=rule.instead_of,
        )

    def _interface(
        self, loaded: LoadedRule, rule: CallersRule, path: str
    ) -> tuple[CallersRule, bytes] | None:
        """The rule for the interface's own path, and its text; ``None`` for the interface itself."""
        if loaded.id not in self._interfaces:
            self._interfaces[loaded.id] = [
                name
                for name in {*self._merged_entries, *self._open}
                if matches((rule.interface,), name, "/")
            ]
        interfaces = self._interfaces[loaded.id]
        if len(interfaces) != 1:
            if path not in interfaces:
                state = "is not in the merged tree" if not interfaces else "names several files"
                self._note(loaded, path, f"the interface {rule.interface} {state}", warning=True)
            return None
        if interfaces[0] in self._open:
            # Whatever becomes of it, its names will be those of the side that is kept.
            interface = self._sides.get(Side(rule.side.value)).read(interfaces[0])
        else:
            interface = self._tree.read(interfaces[0])
        if interface is None or path == interfaces[0]:
            return None
        return rule.model_copy(update={"interface": interfaces[0]}), interface

    def _callers(self, loaded: LoadedRule, rule: CallersRule, path: str, data: bytes) -> None:
        if not any(row.call.encode() in data for row in rule.table):
            return
        interface = self._interface(loaded, rule, path)
        if interface is None:
            return
        patched = patch_callers(path, data, *interface)
        if patched is None:
            self._note(loaded, path, "could not be parsed; no call patched", warning=True)
            return
        for refused in patched.refused:
            self._note(loaded, path, f"call not patched: {refused}", warning=True)
        if patched.changed:
            self._change(loaded, path, patched.data, patched.changed, side=Side.NEITHER)

    def _fall_back(self, loaded: LoadedRule, rule: FallBackRule, path: str, data: bytes) -> None:
        missing = missing_helpers(data, self._sides.ours.read(path), self._sides.theirs.read(path))
        if not missing:
            return
        side = Side(rule.side.value)
        tree = self._sides.get(side)
        whole = tree.read(path)
        named = ", ".join(f"{name} (line {line})" for name, line in sorted(missing.items()))
        if whole is None:
            self._note(
                loaded,
                path,
                f"calls helpers that are not there: {named}; {side} does not have the file",
                warning=True,
            )
            return
        reason = f"calls helpers that the merge did not keep: {named}; {side} is taken whole"
        self._change(
            loaded, path, whole, [reason], side=side, mode=tree.entries().get(path, (None, ""))[0]
        )

    # -- steps on the tree ---------------------------------------------------------------------

    def _sources(self, loaded: LoadedRule, rule: SourcesRule) -> None:
        entries = self._sides.theirs.entries()
        for path in sorted(entries):
            if not path_matches(rule.match, path):
                continue
            current, theirs = self._tree.read(path), self._sides.theirs.read(path)
            if path in self._open:
                self._note(loaded, path, "is open; its sources are not reconciled", warning=True)
                continue
            if current is None or theirs is None:
                continue
            pinned = self._book.for_path(path)
            if pinned is not None and pinned.action is Action.PINNED:
                self._note(loaded, path, f"is pinned by '{pinned.id}'; left alone", warning=True)
                continue
            result = reconcile(current, theirs, rule)
            if result is None:
                self._note(loaded, path, "its sources could not be reconciled safely", warning=True)
                continue
            for text in result.reported:
                self._note(loaded, path, text, warning=True)
            if result.added and self._change(
                loaded, path, result.data, result.added, side=Side.BOTH
            ):
                self._locks_follow(loaded, path)

    def _locks_follow(self, loaded: LoadedRule, path: str) -> None:
        """Say which generated files beside a changed ``pyproject.toml`` no longer fit it."""
        folder = path.rpartition("/")[0]
        for other in self._book.rules:
            if not isinstance(other.rule, RegenerateRule) or not other.rule.command:
                continue
            for name in sorted(self._merged_entries):
                if name.rpartition("/")[0] == folder and path_matches(other.rule.match, name):
                    self._note(
                        loaded,
                        name,
                        f"must be made again, since the sources in {path} changed: "
                        f"resolve regenerate {name}",
                        warning=True,
                    )

    def _restore(self, loaded: LoadedRule, rule: DeletedRule) -> None:
        theirs = self._sides.theirs.entries()
        present = self._tree.entries()
        missing = [
            path
            for path, (mode, _) in sorted(theirs.items())
            if path not in present
            and path not in self._open
            and mode in _REGULAR
            and path_matches(rule.match, path)
        ]
        if not missing:
            return
        found = references(self._tree, missing)
        for path in missing:
            deleting = self._deletions(path)
            answer = restoration(deleting, found[path], rule.accidental)
            if not answer.restore:
                self._note(
                    loaded,
                    path,
                    f"not restored: {answer.reason}",
                    warning=answer.contradiction,
                    commits=answer.commits,
                )
                continue
            data = self._sides.theirs.read(path)
            if data is not None:
                self._change(
                    loaded,
                    path,
                    data,
                    [f"restored: {answer.reason}"],
                    side=Side.THEIRS,
                    mode=theirs[path][0],
                    commits=answer.commits,
                )

    def _coupled(self) -> None:
        for loaded in self._book.rules:
            rule = loaded.rule
            if not isinstance(rule, CoupledRule) or rule.dockerfile is None:
                continue
            if rule.pyproject is None or {rule.dockerfile, rule.pyproject} & self._open:
                continue
            dockerfile, pyproject = (
                self._tree.read(rule.dockerfile),
                self._tree.read(rule.pyproject),
            )
            if dockerfile is None or pyproject is None:
                continue
            missing = missing_groups(dockerfile, pyproject)
            if missing is None:
                self._note(loaded, rule.pyproject, "is not TOML", warning=True)
                continue
            for use in missing:
                self._note(
                    loaded,
                    rule.dockerfile,
                    f"line {use.line} asks for the {use.kind} '{use.name}', which {rule.pyproject} "
                    "does not declare",
                    warning=True,
                )
