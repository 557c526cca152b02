"""Definitions that one side moved to another file of the same merge: an edit follows there.

A path is contested because one side took a function, class or method out of it that the other side
changed. Where the same definition, up to layout, is new in one other file of the first side, the edit is
made there, in the merged text of that file, and the contested path is decided again without it. What
cannot be carried for sure stays a conflict that names the new place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from mergewright.model.conflict import MODE_REGULAR, Conflict, ConflictKind, FileVersion
from mergewright.model.plan import MergePlan, PathPlan
from mergewright.model.resolution import (
    Decision,
    Deferred,
    Evidence,
    EvidenceKind,
    Failed,
    Outcome,
    PathOutcome,
    Resolved,
)
from mergewright.model.threeway import Side, ThreeWay
from mergewright.python import moves
from mergewright.python.engine import merge_python, merge_runs
from mergewright.python.gates import check, undefined_names
from mergewright.python.imports import bound_names
from mergewright.python.source import source_of
from mergewright.resolve.engines import PYTHON_SUFFIXES
from mergewright.resolve.treeconflicts import is_content, whole_side
from mergewright.rules.imports import restore_imports
from mergewright.rules.trees import Overlay, Tree, changed_paths
from mergewright.text.lines import common_ends

_NAME_BEHIND = re.compile(rb"\s+(\w+)")
_WORD_END = re.compile(rb"\w")
#: The commit that brought a definition to a file: side, old path, new path, name; its id and title.
Commit = Callable[[Side, str, str, str], tuple[str, str] | None]

# Larger files are not searched for moved definitions.
_MOST_BYTES = 2_000_000
# A side that touches more files of one name than this has no one place where the definition went.
_MOST_FILES = 12
_DELETED = {
    ConflictKind.DELETED_BY_OURS: Side.OURS,
    ConflictKind.DELETED_BY_THEIRS: Side.THEIRS,
}


def _not_known(conflict: Conflict) -> None:
    """Nobody has looked at any path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The merge around the contested paths.

    Attributes:
        sides: The trees of base, ours and theirs.
        merged: The merged tree, with what the plan settled so far.
        resolve: Decides one conflict, as the cascade does.
        commit: Finds the commit that moved a definition.
        fixed: Whether a rule speaks for a path as a whole; no edit goes there.
        off: Whether the strategy is switched off for a path.
        finder: Looks for what was moved.
        movers: The sides that are known to have moved something out of a path; ``None`` when it was not
            looked at.
    """

    sides: ThreeWay[Tree]
    merged: Overlay
    resolve: Callable[[Conflict], PathOutcome]
    commit: Commit
    fixed: Callable[[str], bool]
    off: Callable[[str], bool]
    finder: Finder
    movers: Callable[[Conflict], Sequence[Side] | None] = _not_known


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A file that an edit followed into.

    Attributes:
        path: The file.
        mode: Its mode.
        data: Its new bytes.
        decisions: What followed.
    """

    path: str
    mode: int
    data: bytes
    decisions: tuple[Decision, ...]


@dataclass(slots=True)
class _Found:
    """What is known of the moves out of one contested path."""

    mover: Side
    plans: list[moves.Plan]
    texts: ThreeWay[bytes]
    other: bytes = b""
    files: dict[str, bytes] = field(default_factory=dict)
    notes: list[moves.Note] = field(default_factory=list)


def follow(plan: MergePlan, context: Context) -> tuple[tuple[PathPlan, ...], tuple[Edit, ...]]:
    """Carry edits to the files that their definitions were moved to.

    Args:
        plan: The plan so far.
        context: The merge around it; ``merged`` takes up what changes.

    Returns:
        The entries of the plan, and the files that edits followed into (also ones that the plan
        does not hold).
    """
    paths = list(plan.paths)
    edits: dict[str, Edit] = {}
    still_open = {
        entry.outcome.path
        for entry in paths
        if isinstance(entry.outcome, Deferred | Failed) and entry.conflict is not None
    }
    for index, entry in enumerate(paths):
        conflict = entry.conflict
        if conflict is None or not isinstance(entry.outcome, Deferred):
            continue
        if context.off(conflict.path):
            continue
        known = context.movers(conflict)
        for mover in (Side.OURS, Side.THEIRS) if known is None else known:
            found = context.finder.find(conflict, mover)
            if found is None:
                continue
            outcome = _carried(found, conflict, entry.outcome, context, still_open)
            if outcome is None:
                named = _named(found, conflict, entry.outcome, context)
                paths[index] = replace(entry, outcome=named)
                continue
            for path, data in found.files.items():
                decisions = tuple(
                    _decision(note, conflict.path, context)
                    for note in found.notes
                    if note.path == path
                )
                before = edits.get(path)
                mode = context.merged.entries().get(path, (MODE_REGULAR, ""))[0]
                edits[path] = Edit(
                    path=path,
                    mode=mode,
                    data=data,
                    decisions=(*(before.decisions if before else ()), *decisions),
                )
                context.merged.changes[path] = (mode, data)
            gone = tuple(_gone(note, context, conflict.path, found.texts) for note in found.notes)
            outcome = replace(outcome, decisions=(*outcome.decisions, *gone))
            paths[index] = replace(entry, outcome=outcome)
            if isinstance(outcome, Resolved):
                still_open.discard(outcome.path)
            break
    return tuple(paths), tuple(edits.values())


# -- finding the place -----------------------------------------------------------------------------


class Finder:
    """Looks for definitions in the files that one side changed.

    Args:
        sides: The trees of base, ours and theirs.
    """

    def __init__(self, sides: ThreeWay[Tree]) -> None:
        self._sides = sides
        #: Names that each changed file of a side defines more often than before; read when asked for.
        self.gains: dict[Side, dict[str, set[bytes]]] = {}
        # What was found in this process, with the conflicts, so that their ids stay theirs.
        self._known: dict[tuple[int, Side], tuple[Conflict, _Found | None]] = {}

    def find(self, conflict: Conflict, mover: Side) -> _Found | None:
        """What one side took out of a contested path and put into another file; ``None`` for nothing."""
        key = (id(conflict), mover)
        if key not in self._known:
            texts = conflict.texts
            may = (
                _may_lose(conflict, mover)
                # Another file has got a definition that base has here.
                and texts.base is not None
                and bool(set(_defined(texts.base)) & self._gained(mover, conflict.path))
            )
            self._known[key] = (conflict, self._search(conflict, mover) if may else None)
        return self._known[key][1]

    def _search(self, conflict: Conflict, mover: Side) -> _Found | None:
        filled = conflict.texts.map(lambda data: data or b"")
        survey = moves.survey(filled.map(source_of), mover)
        names = {name for lost in survey.lost for name in _names(lost)}
        if not names:
            return None
        elsewhere = [
            place
            for path in self._files(mover, names)
            if path != conflict.path
            for place in self._places(path, mover)
        ]
        found = [
            plan
            for plan in moves.plans(survey, elsewhere)
            if any(follow.place.path for follow in plan.follows)
        ]
        return _Found(mover, found, filled) if found else None

    def _gained(self, mover: Side, path: str) -> set[bytes]:
        """Names that are defined more often in files of one side than before, one file left out."""
        if mover not in self.gains:
            self.gains[mover] = self.gain(mover)
        return {
            name for other, names in self.gains[mover].items() if other != path for name in names
        }

    def gain(self, mover: Side) -> dict[str, set[bytes]]:
        """The names that each changed file of a side defines more often than before."""
        base, side = self._sides.base, self._sides.get(mover)
        found: dict[str, set[bytes]] = {}
        for changed in changed_paths(base, side, PYTHON_SUFFIXES):
            data = side.read(changed)
            if data is None or b"\r" in data or len(data) > _MOST_BYTES:
                continue
            old, new = _changed_part(base.read(changed) or b"", data)
            now = Counter(_defined(new))
            now.subtract(_defined(old))
            found[changed] = {name for name, count in now.items() if count > 0}
        return found

    def _files(self, mover: Side, names: set[str]) -> list[str]:
        """The Python files of one side in which one of the names is newly defined."""
        words = b"|".join(re.escape(name.encode()) for name in sorted(names))
        pattern = re.compile(rb"\b(?:def|class)\s+(" + words + rb")\b")
        found = []
        for path, gained in self.gains[mover].items():
            if not gained:
                continue
            data = self._sides.get(mover).read(path) or b""
            defined = pattern.findall(data)
            if defined and len(defined) > len(pattern.findall(self._sides.base.read(path) or b"")):
                found.append(path)
        return found if len(found) <= _MOST_FILES else []

    def _places(self, path: str, mover: Side) -> list[moves.Place]:
        return _new_places(
            path, self._sides.base.read(path) or b"", self._sides.get(mover).read(path) or b""
        )


def _may_lose(conflict: Conflict, mover: Side) -> bool:
    """Whether a side may have taken something out of a contested path that the other side changed."""
    texts = conflict.texts
    if not conflict.path.endswith(PYTHON_SUFFIXES) or texts.base is None:
        return False
    if texts.get(mover.other) is None or not (
        is_content(conflict) or _DELETED.get(conflict.kind) is mover
    ):
        return False
    return not any(data and (b"\r" in data or len(data) > _MOST_BYTES) for data in texts)


@lru_cache(maxsize=64)
def _new_places(path: str, base: bytes, side: bytes) -> list[moves.Place]:
    return moves.added(source_of(base), source_of(side), path)


def _changed_part(old: bytes, new: bytes) -> tuple[bytes, bytes]:
    """What differs between two texts, each with the line of text before it and the one behind it.

    A name may stand on the line behind its keyword: what begins or ends in one of these lines does so in
    both, and is defined equally often in what is left away.
    """
    start, end = common_ends(old, new)
    start = new.rfind(b"\n", 0, len(new[:start].rstrip())) + 1
    behind = new[len(new) - end :]
    line = behind.find(b"\n", end - len(behind.lstrip())) + 1
    end = end - line if line else 0
    return old[start : len(old) - end], new[start : len(new) - end]


def _defined(data: bytes) -> list[bytes]:
    r"""What ``\b(?:def|class)\s+(\w+)`` finds, which is slower."""
    found = []
    for keyword in (b"def", b"class"):
        at = data.find(keyword)
        while at >= 0:
            end = at + len(keyword)
            match = _NAME_BEHIND.match(data, end)
            if match is not None and not _WORD_END.match(data, max(0, at - 1), at):
                found.append(match.group(1))
            at = data.find(keyword, end)
    return found


def _names(lost: moves.Lost) -> set[str]:
    """Names of the changed definitions in a lost run, and of the methods of lost classes."""
    found: set[str] = set()
    known = {item.fingerprint for item in lost.edited}
    stack = [item for item in lost.base if item.fingerprint not in known]
    while stack:
        item = stack.pop()
        if item.kind in {"def", "class"}:
            found.add(item.name.split(".", 1)[0])
        if item.kind == "class":
            stack += [inner for section in item.sections() for inner in section.items()]
    return found


# -- making the edit there ---------------------------------------------------------------------------


def _carried(
    found: _Found,
    conflict: Conflict,
    left: Deferred,
    context: Context,
    still_open: set[str],
) -> PathOutcome | None:
    """The contested path without what followed elsewhere; fills ``found.files`` and ``found.notes``."""
    mover = found.mover
    splices: dict[str, list[tuple[int, int, bytes]]] = {}
    undone: list[tuple[int, int, bytes]] = []
    for plan in found.plans:
        targets = {f.place.path for f in plan.follows} - {""}
        if plan.known or any(
            path in still_open or context.fixed(path) or context.off(path) for path in targets
        ):
            continue
        made = [moves.merged_at(plan.lost, f, mover, merge_runs) for f in plan.follows]
        if None in made:
            continue
        for follow_, text in zip(plan.follows, made, strict=True):
            assert text is not None
            span = (follow_.now[0].lead_start, follow_.now[-1].end, text)
            splices.setdefault(follow_.place.path, []).append(span)
            undone.append(moves.taken_back(follow_))
            found.notes.append(moves.note(plan, follow_, mover))
    other = moves.spliced(found.texts.get(mover.other), undone)
    here = moves.spliced(found.texts.get(mover), splices.pop("", []))
    if not found.notes or here is None or other is None:
        return None
    needed: set[str] = set()
    for path, spans in splices.items():
        edited = _edited(path, spans, mover, found.texts.get(mover.other), context)
        if edited is None:
            return None
        found.files[path], names = edited
        needed |= names
    other = _without_imports(other, found.texts.base, needed)
    if _DELETED.get(conflict.kind) is mover:
        if not _nothing_left(found.texts.base, other):
            return None
        reason = f"{mover.value} deleted it; all that {mover.other.value} changed in it followed"
        return whole_side(conflict, mover, strategy="follow-move", reason=reason)
    prepared = {mover: here, mover.other: other}
    versions = ThreeWay(
        base=conflict.versions.base,
        ours=_with(conflict.versions.ours, prepared[Side.OURS]),
        theirs=_with(conflict.versions.theirs, prepared[Side.THEIRS]),
    )
    outcome = context.resolve(replace(conflict, versions=versions))
    if isinstance(outcome, Resolved):
        return outcome
    if isinstance(outcome, Deferred) and outcome.open_places < left.open_places:
        return outcome
    return None


def _with(version: FileVersion | None, data: bytes) -> FileVersion | None:
    return None if version is None else version.with_data(data)


def _nothing_left(base: bytes, other: bytes) -> bool:
    """Whether a text says what base says: imports that came or went with the edits aside."""

    def prints(data: bytes) -> list[bytes]:
        return [
            item.fingerprint
            for item in source_of(data).items()
            if item.kind not in {"import", "from", "tail"}
        ]

    return prints(base) == prints(other)


def _edited(
    path: str,
    spans: Sequence[tuple[int, int, bytes]],
    mover: Side,
    edited: bytes,
    context: Context,
) -> tuple[bytes, set[str]] | None:
    """The merged text of another file with edits made in it, and the names imported for them.

    ``None`` when they do not fit there.
    """
    before = context.sides.get(mover).read(path)
    now = context.merged.read(path)
    if before is None or now is None or b"\r" in now:
        return None
    after = moves.spliced(before, spans)
    if after is None:
        return None
    if now != before:
        merge = merge_python(path, ThreeWay(base=before, ours=now, theirs=after))
        if not merge.clean:
            return None
        after = merge.text()
    names: set[str] = set()
    missing = (undefined_names(after) or frozenset()) - (undefined_names(now) or frozenset())
    if missing:
        restored = restore_imports(after, None, edited)
        if restored is None or restored.refused or _relative(restored.restored):
            return None
        after = restored.data
        names = {entry.name for entry in restored.restored}
        if (undefined_names(after) or frozenset()) & missing:
            return None
    versions: ThreeWay[bytes | None] = ThreeWay(base=now, ours=now, theirs=after)
    passed = all(gate.passed for gate in check(path, after, versions))
    return (after, names) if passed else None


def _without_imports(edited: bytes, base: bytes, names: set[str]) -> bytes:
    """The edited text without imports that were added for code that is elsewhere now."""
    known = {item.fingerprint for item in source_of(base).items()}
    spans = []
    for item in source_of(edited).items():
        if item.kind not in {"import", "from"} or item.fingerprint in known:
            continue
        bound = bound_names(item.core)
        rest = edited[: item.start] + edited[item.end :]
        if bound and bound <= names and not any(_word(name).search(rest) for name in bound):
            spans.append((item.start, item.end, b""))
    found = moves.spliced(edited, spans)
    return edited if found is None else found


def _word(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"\b" + re.escape(name.encode()) + rb"\b")


def _relative(restored: Sequence[object]) -> bool:
    """Whether an import counts from the package of the file: it means another module elsewhere."""
    return any("from ." in getattr(entry, "statement", "") for entry in restored)


# -- what is said --------------------------------------------------------------------------------------


def _by(note: moves.Note, old: str, context: Context) -> tuple[str, tuple[str, ...]]:
    found = context.commit(note.mover, old, note.path, note.symbol.rsplit(".", 1)[-1])
    if found is None:
        return "", ()
    oid, title = found
    return f" (commit {oid[:12]}: {title})", (oid,)


def _evidence(text: str, commits: tuple[str, ...]) -> tuple[Evidence, ...]:
    structure = (Evidence(kind=EvidenceKind.STRUCTURE, text=text),)
    if not commits:
        return structure
    return (*structure, Evidence(kind=EvidenceKind.COMMIT, text=text, commits=commits))


def _decision(note: moves.Note, old: str, context: Context) -> Decision:
    """The record in the file that the definition was moved to."""
    by, commits = _by(note, old, context)
    reason = f"{note.mover.value} moved this here from {old}{by}; the edit of {note.mover.other.value} follows"
    return Decision(
        symbol=note.symbol,
        outcome=Outcome.RESOLVED,
        strategy="follow-move",
        side=Side.BOTH,
        reason=reason,
        evidence=_evidence(reason, commits),
    )


def _gone(note: moves.Note, context: Context, old: str, texts: ThreeWay[bytes]) -> Decision:
    """The record in the file that the definition was taken from."""
    by, commits = _by(note, old, context) if note.path else ("", ())
    reason = note.reason + by + (_shim(note, texts.get(note.mover)) if note.path else "")
    return Decision(
        symbol=note.was,
        outcome=Outcome.RESOLVED,
        strategy="follow-move",
        side=note.mover,
        reason=reason,
        evidence=_evidence(reason, commits),
    )


def _shim(note: moves.Note, text: bytes) -> str:
    """What is said of an import under the old name, kept where the definition was."""
    name = note.was.rsplit(".", 1)[-1]
    for item in source_of(text).items():
        if item.kind == "from" and name in bound_names(item.core):
            return f"; the old place imports it from {item.name}"
    return ""


def _named(found: _Found, conflict: Conflict, left: Deferred, context: Context) -> Deferred:
    """The conflict as it is, saying where the code of each open place went."""
    decisions = list(left.decisions)
    said: list[str] = []
    for plan in found.plans:
        follow_ = next(f for f in plan.follows if f.place.path)
        note = moves.note(plan, follow_, found.mover)
        by, commits = _by(note, conflict.path, context)
        words = f"{found.mover.value} moved {note.was or 'the code'} {plan.where}{by}"
        words += _shim(note, found.texts.get(found.mover))
        said.append(words)
        for n, decision in enumerate(decisions):
            if decision.outcome is Outcome.DEFERRED and decision.symbol in {note.was, ""}:
                decisions[n] = replace(
                    decision,
                    reason=f"{decision.reason}; {words}",
                    evidence=(*decision.evidence, *_evidence(words, commits)),
                )
                break
    return replace(
        left, decisions=tuple(decisions), reason="; ".join([left.reason.rstrip("."), *said])
    )
