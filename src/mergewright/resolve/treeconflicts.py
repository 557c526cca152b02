"""Conflicts about a path rather than its text: who did what, and what follows when no rule decides.

Nothing here guesses. A tree conflict is settled only when both sides did the same; otherwise it
stays a conflict, and the reason names what each side did.
"""

from __future__ import annotations

from dataclasses import replace

from mergewright.model.conflict import (
    MODE_EXECUTABLE,
    MODE_REGULAR,
    MODE_SUBMODULE,
    MODE_SYMLINK,
    Conflict,
    ConflictKind,
    FileVersion,
)
from mergewright.model.resolution import (
    Decision,
    Deferred,
    Evidence,
    EvidenceKind,
    Outcome,
    Resolved,
)
from mergewright.model.threeway import Side, ThreeWay

#: Kinds in which both sides hold the file under one name and only its text (or mode) is contested.
CONTENT_KINDS = frozenset(
    {
        ConflictKind.BOTH_MODIFIED,
        ConflictKind.BOTH_ADDED,
        ConflictKind.RENAMED_BY_OURS,
        ConflictKind.RENAMED_BY_THEIRS,
        ConflictKind.MODE,
    }
)

_TYPES = {
    MODE_REGULAR: "a file",
    MODE_EXECUTABLE: "an executable file",
    MODE_SYMLINK: "a symbolic link",
    MODE_SUBMODULE: "a submodule",
}


def same_on_both(conflict: Conflict) -> Resolved | None:
    """The answer when ours and theirs hold the same object, mode and path; else ``None``."""
    ours, theirs = conflict.versions.ours, conflict.versions.theirs
    if ours is None or theirs is None:
        return None
    if (ours.oid, ours.mode, ours.path) != (theirs.oid, theirs.mode, theirs.path):
        return None
    reason = "Both sides hold the same content and mode."
    return whole_side(conflict, Side.OURS, strategy="same", reason=reason)


def is_content(conflict: Conflict) -> bool:
    """Whether the conflict is one about text that an engine can merge."""
    ours, theirs = conflict.versions.ours, conflict.versions.theirs
    if conflict.kind not in CONTENT_KINDS or ours is None or theirs is None:
        return False
    return all(version is None or version.is_text for version in conflict.versions)


def merged_mode(conflict: Conflict) -> tuple[int, bool]:
    """The mode of the merged file, and whether both sides chose differently."""
    ours, theirs = conflict.versions.ours, conflict.versions.theirs
    base = conflict.versions.base
    if ours is None or theirs is None:
        present = ours or theirs
        return (MODE_REGULAR if present is None else present.mode), False
    if ours.mode == theirs.mode:
        return ours.mode, False
    if base is not None and base.mode == ours.mode:
        return theirs.mode, False
    return ours.mode, base is None or base.mode != theirs.mode


def dropped(conflict: Conflict, path: str) -> tuple[str, ...]:
    """The names that the conflict's versions have and the settled file, at a path, has not."""
    names = {conflict.path, *conflict.related}
    names.update(version.path for version in conflict.versions if version is not None)
    return tuple(sorted(names - {path}))


def whole_side(
    conflict: Conflict,
    side: Side,
    *,
    strategy: str,
    reason: str,
    rule: str | None = None,
    evidence: tuple[Evidence, ...] = (),
) -> Resolved:
    """One side's version of the whole path, under that side's name; absent means deleted."""
    version = conflict.versions.get(side)
    path = conflict.path if version is None else version.path
    kind = EvidenceKind.STRUCTURE if rule is None else EvidenceKind.RULE
    decision = Decision(
        symbol="",
        outcome=Outcome.RESOLVED,
        strategy=strategy,
        side=side,
        rule=rule,
        reason=reason,
        evidence=evidence or (Evidence(kind=kind, text=reason),),
    )
    is_link = version is not None and version.mode == MODE_SUBMODULE
    return Resolved(
        path=path,
        data=None if version is None or is_link else version.data,
        mode=MODE_REGULAR if version is None else version.mode,
        strategy=strategy,
        decisions=(decision,),
        oid=version.oid if version is not None and is_link else None,
        drop=dropped(conflict, path),
    )


def followed(
    conflict: Conflict, rule: str, reason: str, evidence: tuple[Evidence, ...]
) -> Resolved | None:
    """The file in the directory's new place; ``None`` when not exactly one side has it."""
    present = [side for side in (Side.OURS, Side.THEIRS) if conflict.versions.get(side)]
    if len(present) != 1 or conflict.kind is not ConflictKind.DIRECTORY_RENAME:
        return None
    taken = whole_side(
        conflict, present[0], strategy="follow", reason=reason, rule=rule, evidence=evidence
    )
    names = {taken.path, *taken.drop} - {conflict.path}
    return replace(taken, path=conflict.path, drop=tuple(sorted(names)))


def deferred(conflict: Conflict, reason: str, *, strategy: str = "defer") -> Deferred:
    """The path left as git left it, with one decision that carries the reason."""
    mode, _ = merged_mode(conflict)
    decision = Decision(
        symbol="", outcome=Outcome.DEFERRED, strategy=strategy, side=Side.NEITHER, reason=reason
    )
    return Deferred(
        path=conflict.path,
        data=None,
        mode=mode,
        reason=reason,
        strategy=strategy,
        decisions=(decision,),
    )


def _who(side: Side, labels: ThreeWay[str]) -> str:
    label = labels.get(side)
    return side.value if label in {"", side.value} else f"{side.value} ({label})"


def _name(version: FileVersion) -> str:
    return printable(version.path)


def printable(path: str) -> str:
    """A path for people: control characters and bytes that are no UTF-8 are escaped."""
    if path.isprintable() and not any("\udc80" <= c <= "\udcff" for c in path):
        return path
    parts = []
    for char in path:
        if "\udc80" <= char <= "\udcff":
            parts.append(f"\\x{ord(char) - 0xDC00:02x}")
        elif char.isprintable():
            parts.append(char)
        else:
            parts.append(char.encode("unicode_escape").decode("ascii"))
    return "".join(parts)


def _did(side: Side, conflict: Conflict, labels: ThreeWay[str]) -> str:
    """What one side did to the path, as a clause with its subject."""
    who = _who(side, labels)
    base, version = conflict.versions.base, conflict.versions.get(side)
    if version is None:
        return f"{who} deleted it" if base is not None else f"{who} does not have it"
    if base is None:
        return f"{who} added it as {_TYPES.get(version.mode, 'an object')}"
    done = []
    if version.path != base.path:
        done.append(f"renamed it to {_name(version)}")
    if (version.mode in (MODE_REGULAR, MODE_EXECUTABLE)) != (
        base.mode in (MODE_REGULAR, MODE_EXECUTABLE)
    ):
        done.append(f"made it {_TYPES.get(version.mode, 'an object')}")
    elif version.mode != base.mode:
        done.append("changed its mode")
    if version.oid != base.oid:
        done.append("changed it")
    return f"{who} {' and '.join(done) if done else 'left it unchanged'}"


def _symlink_reason(conflict: Conflict, labels: ThreeWay[str]) -> str | None:
    ours, theirs = conflict.versions.ours, conflict.versions.theirs
    if ours is None or theirs is None or not ours.mode == theirs.mode == MODE_SYMLINK:
        return None
    targets = [
        f"{_who(side, labels)} points to {printable(v.data.decode('utf-8', 'surrogateescape'))}"
        for side, v in ((Side.OURS, ours), (Side.THEIRS, theirs))
    ]
    return f"A symbolic link has one target: {' and '.join(targets)}."


def _submodule_reason(conflict: Conflict, labels: ThreeWay[str]) -> str | None:
    ours, theirs = conflict.versions.ours, conflict.versions.theirs
    if ours is None or theirs is None or not ours.mode == theirs.mode == MODE_SUBMODULE:
        return None
    return (
        f"The submodule was moved by both: {_who(Side.OURS, labels)} to {ours.oid[:12]}, "
        f"{_who(Side.THEIRS, labels)} to {theirs.oid[:12]}."
    )


def reason(conflict: Conflict, labels: ThreeWay[str]) -> str:
    """Why the tree conflict is left, naming what each side did."""
    special = _symlink_reason(conflict, labels) or _submodule_reason(conflict, labels)
    if special is not None:
        return special
    did = f"{_did(Side.OURS, conflict, labels)} and {_did(Side.THEIRS, conflict, labels)}"
    versions = conflict.versions
    if conflict.kind is ConflictKind.DIRECTORY_RENAME:
        return (
            f"A directory was renamed on one side: {did}; {conflict.message or 'its place is open'}"
        )
    if conflict.kind is ConflictKind.DIRECTORY_FILE:
        return f"One side has a file where the other has a directory: {did}."
    if conflict.kind is ConflictKind.CASE_ONLY:
        names = ", ".join(printable(p) for p in sorted({conflict.path, *conflict.related}))
        return f"Names that differ in case only clash on some file systems: {names}."
    if conflict.kind is ConflictKind.RENAME_COLLISION:
        return f"Two different files want the name {printable(conflict.path)}: {did}."
    is_binary = all(v is None or v.mode in (MODE_REGULAR, MODE_EXECUTABLE) for v in versions) and (
        any(v is not None and not v.is_text for v in versions)
    )
    if is_binary and versions.ours is not None and versions.theirs is not None:
        return f"Binary content cannot be combined: {did}."
    return f"{did[0].upper()}{did[1:]}."
