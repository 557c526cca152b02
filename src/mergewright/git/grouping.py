"""From index stages to conflicts: what belongs together is one conflict with one kind.

Git records a conflict as up to three stages of one path. Where names differ between the versions
the stages of one conflict stand at several paths (``a`` renamed to ``b`` and to ``c``), or at a
path that no version has (``d~main`` beside the directory ``d``). The three trees tell what each
stage is: a version's own path is the one at which its tree has the stage's blob.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mergewright.git.similarity import most_similar
from mergewright.git.trees import Objects, TreeChange, TreeEntry
from mergewright.model.conflict import (
    MODE_SUBMODULE,
    MODE_SYMLINK,
    Conflict,
    ConflictKind,
    FileVersion,
)
from mergewright.model.threeway import Side, ThreeWay

SIDES = (Side.BASE, Side.OURS, Side.THEIRS)


@dataclass(frozen=True, slots=True)
class Stage:
    """One unmerged index entry: stage 1 is the base, 2 ours, 3 theirs."""

    path: str
    stage: int
    mode: int
    oid: str


@dataclass(frozen=True, slots=True)
class EngineMessage:
    """What the merging engine says.

    Attributes:
        paths: The paths that it speaks of; the first is the main one.
        type: Its short type (``CONFLICT (contents)``, ``Auto-merging`` …).
        text: The sentence.
    """

    paths: tuple[str, ...]
    type: str
    text: str

    @property
    def is_conflict(self) -> bool:
        """Whether it tells of a conflict, not of progress."""
        return self.type.startswith("CONFLICT")


@dataclass(slots=True)
class _Shape:
    """A conflict being put together: its main path, its stages, the paths they stand at."""

    path: str
    stages: dict[Side, Stage]
    paths: set[str] = field(default_factory=set)
    kind: ConflictKind | None = None


class Grouper:
    """Puts index stages together to conflicts.

    Args:
        objects: The store that holds the stages' blobs.
        trees: Full ids of the trees (or commits) that were merged; ``None`` where unknown: then
            renames are not followed on that side. Of several merge bases any one.
        bases: All merge bases; with several, blobs of stage 1 that none of them has are virtual.
        messages: What the merging engine said, if it was heard.
    """

    def __init__(
        self,
        objects: Objects,
        trees: ThreeWay[str | None],
        messages: Sequence[EngineMessage] = (),
        bases: Sequence[str] = (),
    ) -> None:
        self._objects = objects
        self._bases = tuple(bases)
        self._trees = trees
        self._messages: dict[str, list[EngineMessage]] = defaultdict(list)
        for message in messages:
            for path in message.paths:
                self._messages[path].append(message)
        self._changes: dict[Side, tuple[TreeChange, ...]] = {}

    def conflicts(self, stages: Iterable[Stage]) -> tuple[Conflict, ...]:
        """The conflicts of all stages, sorted by path."""
        by_path: dict[str, dict[Side, Stage]] = defaultdict(dict)
        for stage in stages:
            by_path[stage.path][SIDES[stage.stage - 1]] = stage
        shapes = {path: _Shape(path, found, {path}) for path, found in by_path.items()}
        self._join_renamed_apart(shapes)
        self._join_moved_aside(shapes)
        found = [self._conflict(shape) for shape in shapes.values()]
        return tuple(sorted(found, key=lambda conflict: os.fsencode(conflict.path)))

    # -- putting shapes together ---------------------------------------------------------------

    def _join_renamed_apart(self, shapes: dict[str, _Shape]) -> None:
        """``a`` renamed to ``b`` by ours and to ``c`` by theirs: one conflict, named ``b``."""
        lone = {side: [p for p, s in shapes.items() if set(s.stages) == {side}] for side in SIDES}
        for origin in lone[Side.BASE]:
            base = shapes[origin].stages[Side.BASE]
            ends = self._renamed_apart_by_message(origin, shapes)
            if ends is None:
                ours = self._successor(base, Side.OURS, shapes)
                theirs = self._successor(base, Side.THEIRS, shapes)
            else:
                ours, theirs = ends
            if ours is None or theirs is None:
                continue
            landed = {Side.OURS: ours, Side.THEIRS: theirs}
            if any(set(shapes[end].stages) != {side} for side, end in landed.items()):
                # An end collides with another file. Each path is then answered on its own: an
                # answer to one must not take away what the other file has there.
                shapes[origin].kind = ConflictKind.RENAMED_BY_BOTH
                for side, end in landed.items():
                    alone = set(shapes[end].stages) == {side}
                    shapes[end].kind = (
                        ConflictKind.RENAMED_BY_BOTH if alone else ConflictKind.RENAME_COLLISION
                    )
                continue
            joined = _Shape(
                ours,
                {
                    Side.BASE: base,
                    Side.OURS: shapes[ours].stages[Side.OURS],
                    Side.THEIRS: shapes[theirs].stages[Side.THEIRS],
                },
                {origin, ours, theirs},
                ConflictKind.RENAMED_BY_BOTH,
            )
            for path in (origin, ours, theirs):
                del shapes[path]
            shapes[ours] = joined

    def _renamed_apart_by_message(
        self, origin: str, shapes: dict[str, _Shape]
    ) -> tuple[str, str] | None:
        for message in self._messages.get(origin, ()):
            if message.type == "CONFLICT (rename/rename)" and len(message.paths) == 3:
                first, ours, theirs = message.paths
                if (
                    first == origin
                    and ours != theirs
                    and Side.OURS in shapes.get(ours, _NOTHING).stages
                    and Side.THEIRS in shapes.get(theirs, _NOTHING).stages
                ):
                    return ours, theirs
        return None

    def _successor(self, base: Stage, side: Side, shapes: dict[str, _Shape]) -> str | None:
        """Where a side has the file that the base had at a path that both left."""
        candidates = [
            path
            for path, shape in shapes.items()
            if side in shape.stages and Side.BASE not in shape.stages
        ]
        if len(candidates) == 1:
            return candidates[0]
        if base.mode == MODE_SUBMODULE:
            return next(
                (path for path in candidates if shapes[path].stages[side].oid == base.oid), None
            )
        possible = []
        for path in candidates:
            stage = shapes[path].stages[side]
            if stage.mode != MODE_SUBMODULE:
                possible.append((path, stage.mode, self._own_oid(stage, side)))
        return most_similar(self._objects.blob(base.oid), possible, self._objects.blob)

    def _join_moved_aside(self, shapes: dict[str, _Shape]) -> None:
        """``d`` and ``d~main``: two types at one path, or a file in the way of a directory."""
        for path in [p for p in shapes if "~" in p]:
            shape = shapes[path]
            real = self._real_name(shape)
            if real is None:
                continue
            other = shapes.get(real)
            if other is not None and not (other.stages.keys() & shape.stages.keys()):
                other.stages |= shape.stages
                other.paths |= shape.paths
                other.kind = self._type_clash(other)
                del shapes[path]
            else:
                shape.paths.add(real)
                shape.kind = ConflictKind.DIRECTORY_FILE

    def _real_name(self, shape: _Shape) -> str | None:
        """The path under which a version has what git moved to ``path~branch``."""
        for side, stage in shape.stages.items():
            name = self._real_path(stage, side)
            if name is not None:
                return name
        return None

    def _real_path(self, stage: Stage, side: Side) -> str | None:
        tree = self._trees.get(side)
        if tree is None or self._objects.entry(tree, stage.path) is not None:
            return None
        name = stage.path
        while "~" in name:
            name = name[: name.rindex("~")]
            entry = self._objects.entry(tree, name)
            if entry is not None and entry.oid == stage.oid:
                return name
        return None

    @staticmethod
    def _type_clash(shape: _Shape) -> ConflictKind:
        modes = {stage.mode for stage in shape.stages.values()}
        if MODE_SUBMODULE in modes:
            return ConflictKind.SUBMODULE
        return ConflictKind.SYMLINK if MODE_SYMLINK in modes else ConflictKind.DIRECTORY_FILE

    # -- one shape to one conflict -------------------------------------------------------------

    def _conflict(self, shape: _Shape) -> Conflict:
        paths = {side: self._own_path(shape, side) for side in shape.stages}
        versions = ThreeWay(
            base=self._version(shape, Side.BASE, paths),
            ours=self._version(shape, Side.OURS, paths),
            theirs=self._version(shape, Side.THEIRS, paths),
        )
        kind = shape.kind or self._kind(shape.path, versions)
        related = (shape.paths | set(paths.values())) - {shape.path}
        if kind is ConflictKind.RENAME_COLLISION:
            related |= set(self._collided_origins(versions)) - {shape.path}
        return Conflict(
            path=shape.path,
            kind=kind,
            versions=versions,
            message=self._message(shape, kind),
            related=tuple(sorted(related, key=os.fsencode)),
        )

    def _own_path(self, shape: _Shape, side: Side) -> str:
        """The path that a version has in its own tree."""
        stage = shape.stages[side]
        tree = self._trees.get(side)
        if tree is None:
            return stage.path
        if self._objects.entry(tree, stage.path) is not None:
            return stage.path
        real = self._real_path(stage, side)
        if real is not None:
            return real
        same = [entry.path for entry in self._elsewhere(side) if entry.oid == stage.oid]
        return _nearest_name(stage.path, same) or stage.path

    def _elsewhere(self, side: Side) -> Iterable[TreeEntry]:
        """Entries that a version alone has: for the base those that a side took away."""
        if side is Side.BASE:
            for other in (Side.OURS, Side.THEIRS):
                yield from (c.old for c in self._diff(other) if c.old and not c.new)
        else:
            yield from (c.new for c in self._diff(side) if c.new and not c.old)
            # A directory renamed by the other side: this side may have left the file where it was.
            yield from (c.new for c in self._diff(side) if c.new and c.old)
            base = self._trees.base
            tree = self._trees.get(side)
            if base is not None and tree is not None:
                for change in self._diff(side.other):
                    if change.old and not change.new:
                        entry = self._objects.entry(tree, change.path)
                        if entry is not None:
                            yield entry

    def _diff(self, side: Side) -> tuple[TreeChange, ...]:
        """What a side changed against the base, without renames; empty where unknown."""
        if side not in self._changes:
            base, tree = self._trees.base, self._trees.get(side)
            self._changes[side] = (
                () if base is None or tree is None else self._objects.changes(base, tree)
            )
        return self._changes[side]

    def _own_oid(self, stage: Stage, side: Side) -> str:
        """A version's own blob: git stores half-merged text in the stages of colliding renames."""
        tree = self._trees.get(side)
        entry = None if tree is None else self._objects.entry(tree, stage.path)
        return stage.oid if entry is None else entry.oid

    def _version(self, shape: _Shape, side: Side, paths: dict[Side, str]) -> FileVersion | None:
        stage = shape.stages.get(side)
        if stage is None:
            return None
        oid = stage.oid
        if side is not Side.BASE and (
            Side.BASE not in shape.stages or shape.kind is ConflictKind.RENAMED_BY_BOTH
        ):
            oid = self._own_oid(stage, side)
        data = b"" if stage.mode == MODE_SUBMODULE else self._objects.blob(oid)
        virtual = side is Side.BASE and self._is_virtual(paths[side], oid)
        return FileVersion(path=paths[side], mode=stage.mode, oid=oid, data=data, virtual=virtual)

    def _is_virtual(self, path: str, oid: str) -> bool:
        if len(self._bases) < 2:
            return False
        found = (self._objects.entry(base, path) for base in self._bases)
        return all(entry is None or entry.oid != oid for entry in found)

    def _kind(self, path: str, versions: ThreeWay[FileVersion | None]) -> ConflictKind:
        base, ours, theirs = versions
        present = [v for v in versions if v is not None]
        if any(v.mode == MODE_SUBMODULE for v in present):
            return ConflictKind.SUBMODULE
        if ours is None or theirs is None:
            return self._one_sided(path, versions)
        if any(v.mode == MODE_SYMLINK for v in (ours, theirs)):
            return ConflictKind.SYMLINK
        if base is not None and (ours.path != base.path or theirs.path != base.path):
            if ours.path == theirs.path:
                # The names agree; what is contested is the content alone.
                return ConflictKind.BOTH_MODIFIED
            return (
                ConflictKind.RENAMED_BY_OURS
                if theirs.path == base.path
                else ConflictKind.RENAMED_BY_THEIRS
            )
        if base is None and self._collided_origins(versions):
            return ConflictKind.RENAME_COLLISION
        if ours.oid == theirs.oid and ours.mode != theirs.mode:
            return ConflictKind.MODE
        if not all(v.is_text for v in present) or any(
            m.type == "CONFLICT (binary)" for m in self._messages.get(path, ())
        ):
            return ConflictKind.BINARY
        return ConflictKind.BOTH_ADDED if base is None else ConflictKind.BOTH_MODIFIED

    def _one_sided(self, path: str, versions: ThreeWay[FileVersion | None]) -> ConflictKind:
        base, ours, theirs = versions
        if base is None:
            version = ours or theirs
            moved = version is not None and version.path != path
            types = {message.type for message in self._messages.get(path, ())}
            if moved or any(t.startswith("CONFLICT (directory rename") for t in types):
                return ConflictKind.DIRECTORY_RENAME
            return ConflictKind.DIRECTORY_FILE
        version = ours or theirs
        if version is not None and version.path != base.path:
            return ConflictKind.RENAME_DELETE
        return ConflictKind.DELETED_BY_OURS if ours is None else ConflictKind.DELETED_BY_THEIRS

    def _collided_origins(self, versions: ThreeWay[FileVersion | None]) -> tuple[str, ...]:
        """Base paths that a side renamed onto a path that is new on both sides."""
        found = []
        for side in (Side.OURS, Side.THEIRS):
            version = versions.get(side)
            if version is None:
                continue
            gone = [c.old for c in self._diff(side) if c.old and not c.new and c.old.is_blob]
            exact = [e.path for e in gone if e.oid == version.oid]
            origin = _nearest_name(version.path, exact)
            if origin is None and version.is_text:
                origin = most_similar(
                    version.data,
                    ((e.path, e.mode, e.oid) for e in gone),
                    self._objects.blob,
                )
            if origin is not None:
                found.append(origin)
        return tuple(dict.fromkeys(found))

    def _message(self, shape: _Shape, kind: ConflictKind) -> str:
        said = [
            m.text.strip()
            for path in (shape.path, *sorted(shape.paths))
            for m in self._messages.get(path, ())
            if m.is_conflict or m.text.startswith("Failed")
        ]
        return said[0] if said else _SENTENCES[kind]


_NOTHING = _Shape("", {})

_SENTENCES = {
    ConflictKind.BOTH_MODIFIED: "Both sides changed the file.",
    ConflictKind.BOTH_ADDED: "Both sides added the file with different content.",
    ConflictKind.DELETED_BY_OURS: "Ours deleted the file and theirs changed it.",
    ConflictKind.DELETED_BY_THEIRS: "Theirs deleted the file and ours changed it.",
    ConflictKind.RENAMED_BY_OURS: "Ours renamed the file and both sides changed it.",
    ConflictKind.RENAMED_BY_THEIRS: "Theirs renamed the file and both sides changed it.",
    ConflictKind.RENAMED_BY_BOTH: "Both sides renamed the file.",
    ConflictKind.RENAME_DELETE: "One side renamed the file and the other deleted it.",
    ConflictKind.RENAME_COLLISION: "Different files ended at one name by a rename.",
    ConflictKind.DIRECTORY_RENAME: "One side added a file to a directory that the other renamed.",
    ConflictKind.MODE: "The sides gave the file different modes.",
    ConflictKind.SYMLINK: "A symbolic link is on one side or both.",
    ConflictKind.SUBMODULE: "The sides record different commits of a submodule.",
    ConflictKind.DIRECTORY_FILE: "One side has a file where the other has a directory.",
    ConflictKind.BINARY: "Both sides changed a file that is not text.",
    ConflictKind.CASE_ONLY: "Two paths differ only in upper and lower case.",
}


def _nearest_name(path: str, candidates: Sequence[str]) -> str | None:
    """The candidate with the same last part, else the one with the longest common end."""
    if not candidates:
        return None

    def common_end(other: str) -> int:
        count = 0
        for left, right in zip(reversed(path), reversed(other), strict=False):
            if left != right:
                break
            count += 1
        return count

    return max(candidates, key=common_end)


def case_clashes(
    objects: Objects,
    trees: ThreeWay[str | None],
    merged: Mapping[str, TreeEntry],
    contested: Collection[str] = (),
) -> tuple[Conflict, ...]:
    """Paths of a merged tree that differ only in case because both sides added one of them.

    Git merges them cleanly; a file system that folds case cannot hold both.

    Args:
        objects: The store.
        trees: Full ids of commits or trees; a clash that one side already had is none of ours.
        merged: The files of the merged tree by path.
        contested: Paths that are conflicts already.
    """
    folded: dict[str, list[str]] = defaultdict(list)
    for path in {*merged, *contested}:
        folded[path.casefold()].append(path)
    found = []
    for group in (sorted(paths) for paths in folded.values() if len(paths) > 1):
        sides = [
            {path for path in group if tree is not None and objects.entry(tree, path) is not None}
            for tree in trees
        ]
        if any(len(side) == len(group) for side in sides):
            continue
        versions = [
            next((objects.entry(tree, path) for path in sorted(side) if tree is not None), None)
            for tree, side in zip(trees, sides, strict=True)
        ]
        base, ours, theirs = (
            None
            if entry is None
            else FileVersion(
                path=entry.path,
                mode=entry.mode,
                oid=entry.oid,
                data=objects.blob(entry.oid) if entry.is_blob else b"",
            )
            for entry in versions
        )
        path = group[0] if ours is None else ours.path
        found.append(
            Conflict(
                path=path,
                kind=ConflictKind.CASE_ONLY,
                versions=ThreeWay(base=base, ours=ours, theirs=theirs),
                message=_SENTENCES[ConflictKind.CASE_ONLY],
                related=tuple(other for other in group if other != path),
            )
        )
    return tuple(sorted(found, key=lambda conflict: os.fsencode(conflict.path)))
