"""Brings libgit2's answer to a merge closer to git's own, where renames are involved.

libgit2 1.9 finds renames but does not merge across them: the stages of one renamed file stand at its
old and its new name, what both sides renamed alike is a conflict, and a directory renamed on one side
does not take along the files that the other side added. This module joins what belongs together,
merges it by lines, and moves added files. It does not reach git's engine in every case (a rename
that git finds by similarity and libgit2 does not, files in the way of a moved directory, line merges
that only git's histogram comparison finds clean); :mod:`mergewright.git.merging` says which engine
decided.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import pygit2
from pygit2.enums import DeltaStatus, DiffFind

from mergewright.git.grouping import EngineMessage, Stage
from mergewright.git.scratch import Scratch
from mergewright.git.trees import TreeEntry
from mergewright.model.conflict import MODE_EXECUTABLE, MODE_REGULAR
from mergewright.model.threeway import Side, ThreeWay, settle
from mergewright.text.markers import render
from mergewright.text.merge import merge_lines

_NUMBERS = {Side.BASE: 1, Side.OURS: 2, Side.THEIRS: 3}
_FILES = (MODE_REGULAR, MODE_EXECUTABLE)
_LABELS = ThreeWay(base="base", ours="ours", theirs="theirs")

Triple = dict[Side, TreeEntry]


@dataclass(slots=True)
class Regrouped:
    """The answer after regrouping.

    Attributes:
        triples: The versions at each path that stays contested.
        settled: Paths that turn out clean: mode and id, ``None`` when deleted.
        messages: What git's engine would say of moved files.
    """

    triples: dict[str, Triple]
    settled: dict[str, tuple[int, str] | None] = field(default_factory=dict)
    messages: list[EngineMessage] = field(default_factory=list)


def regroup(
    scratch: Scratch,
    stages: Iterable[Stage],
    trees: ThreeWay[str],
    *,
    directory_renames: str,
) -> Regrouped:
    """Join the stages of renamed files and follow renamed directories.

    Args:
        scratch: Where the objects are; merged blobs are written there.
        stages: libgit2's unmerged entries.
        trees: Full ids of the three trees.
        directory_renames: ``conflict``, ``true`` or ``false``, as git's
            ``merge.directoryRenames``.
    """
    numbered = {number: side for side, number in _NUMBERS.items()}
    triples: dict[str, Triple] = defaultdict(dict)
    for stage in stages:
        triples[stage.path][numbered[stage.stage]] = TreeEntry(stage.path, stage.mode, stage.oid)
    renames = {
        Side.OURS: find_renames(scratch.handle, trees.base, trees.ours),
        Side.THEIRS: find_renames(scratch.handle, trees.base, trees.theirs),
    }
    work = Regrouped(triples=dict(triples))
    _join(scratch, work, trees, renames)
    _complete(scratch, work, trees)
    for path in list(work.triples):
        split = renames[Side.OURS].get(path), renames[Side.THEIRS].get(path)
        if None not in split and split[0] != split[1]:
            continue
        _settle(scratch, work, path)
        if path in work.triples:
            _move_aside(scratch, work, trees, path)
    if directory_renames != "false":
        _move_along(scratch, work, trees, renames, as_conflict=directory_renames != "true")
    return work


def find_renames(handle: pygit2.Repository, old: str, new: str) -> dict[str, str]:
    """Old and new names of the files that were renamed between two trees."""
    diff = handle[old].peel(pygit2.Tree).diff_to_tree(handle[new].peel(pygit2.Tree))
    diff.find_similar(flags=DiffFind.FIND_RENAMES)
    return {
        delta.old_file.path: delta.new_file.path
        for delta in diff.deltas
        if delta.status == DeltaStatus.RENAMED
    }


def conflict_text(scratch: Scratch, triple: Mapping[Side, TreeEntry]) -> tuple[int, bytes] | None:
    """Mode and bytes that stand for a contested path in the merged tree; ``None`` for nothing."""
    ours, theirs = triple.get(Side.OURS), triple.get(Side.THEIRS)
    present = ours or theirs
    if present is None:
        return None
    if not present.is_blob:
        return present.mode, present.oid.encode("ascii")
    if ours is None or theirs is None or {ours.mode, theirs.mode} - set(_FILES):
        return present.mode, scratch.objects.blob(present.oid)
    base = triple.get(Side.BASE)
    texts = ThreeWay(
        base=b"" if base is None or not base.is_blob else scratch.objects.blob(base.oid),
        ours=scratch.objects.blob(ours.oid),
        theirs=scratch.objects.blob(theirs.oid),
    )
    if any(b"\0" in text[:8000] for text in texts):
        return ours.mode, texts.ours
    return ours.mode, render(merge_lines(texts), _LABELS, style="merge")


def _join(
    scratch: Scratch,
    work: Regrouped,
    trees: ThreeWay[str],
    renames: Mapping[Side, Mapping[str, str]],
) -> None:
    """Bring the base (and the other side) of a renamed file to its new name."""
    for path in sorted(work.triples):
        triple = work.triples.get(path, {})
        base = triple.get(Side.BASE)
        if base is None:
            continue
        ends = {
            side: renames[side].get(path) for side in (Side.OURS, Side.THEIRS) if side not in triple
        }
        found = {side: end for side, end in ends.items() if end is not None}
        if len(set(found.values())) != 1:
            # Not renamed, or to two names: git, too, leaves the stages where they are.
            continue
        (end,) = set(found.values())
        target = work.triples.get(end, {})
        if Side.BASE in target or any(side in target and side not in found for side in _NUMBERS):
            # Another file has the name as well: a collision, whose stages git leaves alone.
            continue
        joined: Triple = {Side.BASE: base}
        for side in found:
            entry = target.get(side) or scratch.objects.entry(trees.get(side), end)
            if entry is not None:
                joined[side] = entry
        for side in (Side.OURS, Side.THEIRS):
            if side in triple:
                joined[side] = triple[side]
        del work.triples[path]
        work.settled.setdefault(path, None)
        work.triples[end] = joined


def _complete(scratch: Scratch, work: Regrouped, trees: ThreeWay[str]) -> None:
    """Put back what the other side added under the name that a file was renamed to."""
    for path, triple in work.triples.items():
        if len(triple) == 1 and Side.BASE not in triple:
            (side,) = triple
            entry = scratch.objects.entry(trees.get(side.other), path)
            if entry is not None and scratch.objects.entry(trees.base, path) is None:
                triple[side.other] = entry


def _settle(scratch: Scratch, work: Regrouped, path: str) -> None:
    """Take a path off the contested ones when its three versions merge cleanly after all."""
    triple = work.triples[path]
    if len(triple) == 1 and Side.BASE not in triple:
        # One end of a rename, or a file in the way of a directory.
        return
    base, ours, theirs = (triple.get(side) for side in _NUMBERS)
    identity = ThreeWay(base=base, ours=ours, theirs=theirs).map(
        lambda entry: None if entry is None else (entry.mode, entry.oid)
    )
    side = settle(identity)
    renamed = len({entry.path for entry in triple.values()}) > 1
    if side is not None and not (renamed and None in identity):
        # A rename whose content one side deleted stays contested, as in git.
        work.settled[path] = identity.get(side)
        del work.triples[path]
        return
    if not renamed or base is None or ours is None or theirs is None:
        return
    mode = settle(ThreeWay(base=base.mode, ours=ours.mode, theirs=theirs.mode))
    if mode is None or {base.mode, ours.mode, theirs.mode} - set(_FILES):
        return
    texts = ThreeWay(base=base.oid, ours=ours.oid, theirs=theirs.oid).map(scratch.objects.blob)
    if any(b"\0" in text[:8000] for text in texts):
        return
    driver = (
        None if scratch.worktree is None else scratch.handle.get_attr(os.fsencode(path), "merge")
    )
    if driver is False:
        return
    merged = merge_lines(texts)
    if driver == "union":
        data = b"".join(
            piece if isinstance(piece, bytes) else piece.versions.ours + piece.versions.theirs
            for piece in merged.pieces
        )
    elif merged.clean:
        data = merged.text()
    else:
        return
    modes = ThreeWay(base=base.mode, ours=ours.mode, theirs=theirs.mode)
    work.settled[path] = (modes.get(mode), scratch.write_blob(data))
    del work.triples[path]


def _move_aside(scratch: Scratch, work: Regrouped, trees: ThreeWay[str], path: str) -> None:
    """Two types at one path, or a file where the other side has a directory: as git names them."""
    triple = work.triples[path]
    ours, theirs = triple.get(Side.OURS), triple.get(Side.THEIRS)
    if ours is None or theirs is None:
        side = Side.THEIRS if ours is None else Side.OURS
        if side in triple and scratch.objects.is_directory(trees.get(side.other), path):
            del work.triples[path]
            work.triples[f"{path}~{side}"] = triple
        return
    if _type(ours) == _type(theirs):
        return
    base = triple.pop(Side.BASE, None)
    for side, entry in ((Side.OURS, ours), (Side.THEIRS, theirs)):
        if _type(entry) in _FILES:
            moved = {side: triple.pop(side)}
            if base is not None and _type(base) == _type(entry):
                moved[Side.BASE] = base
            work.triples[f"{path}~{side}"] = moved
        elif base is not None and _type(base) == _type(entry):
            triple[Side.BASE] = base


def _type(entry: TreeEntry) -> int:
    return MODE_REGULAR if entry.mode in _FILES else entry.mode


def _move_along(
    scratch: Scratch,
    work: Regrouped,
    trees: ThreeWay[str],
    renames: Mapping[Side, Mapping[str, str]],
    *,
    as_conflict: bool,
) -> None:
    """Files that a side added to a directory which the other renamed go where it went."""
    objects = scratch.objects
    moved = {
        side: {
            # A directory that the side still has was not renamed, whatever left it.
            old: new
            for old, new in _directory_renames(renames[side]).items()
            if not objects.is_directory(trees.get(side), old)
        }
        for side in (Side.OURS, Side.THEIRS)
    }
    for side in (Side.OURS, Side.THEIRS):
        directories = moved[side.other]
        if not directories:
            continue
        for change in objects.changes(trees.base, trees.get(side)):
            if change.old is not None or change.new is None:
                continue
            end = _moved_to(change.path, directories)
            if end is None or change.path in work.triples or end in work.triples:
                continue
            if any(objects.entry(trees.get(s), end) or objects.is_directory(trees.get(s), end)
                   for s in (Side.OURS, Side.THEIRS)):  # fmt: skip
                # Something is in the way: git leaves the file where it is, and so does this.
                continue
            work.settled[change.path] = None
            if not as_conflict:
                work.settled[end] = (change.new.mode, change.new.oid)
                continue
            work.triples[end] = {side: TreeEntry(end, change.new.mode, change.new.oid)}
            work.messages.append(
                EngineMessage(
                    (end, change.path),
                    "CONFLICT (directory rename suggested)",
                    f"CONFLICT (file location): {change.path} added in {side} inside a directory "
                    f"that was renamed in {side.other}, suggesting it should perhaps be moved to "
                    f"{end}.",
                )
            )


def _directory_renames(renames: Mapping[str, str]) -> dict[str, str]:
    """Where directories went as a whole: to where most of their files went, if one place leads."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for old, new in renames.items():
        before, after = old.split("/")[:-1], new.split("/")[:-1]
        # a/b/c to a/x/c says also that a/b went to a/x: as long as the ends agree, go up.
        while before and before != after:
            counts["/".join(before)]["/".join(after)] += 1
            if not after or before[-1] != after[-1]:
                break
            before, after = before[:-1], after[:-1]
    found = {}
    for directory, ends in counts.items():
        (best, most), *others = ends.most_common()
        if not others or others[0][1] < most:
            found[directory] = best
    return found


def _moved_to(path: str, directories: Mapping[str, str]) -> str | None:
    """Where a file goes with the nearest of its directories that was renamed."""
    folder = path.rpartition("/")[0]
    while folder:
        if folder in directories:
            rest = path[len(folder) + 1 :]
            end = directories[folder]
            return f"{end}/{rest}" if end else rest
        folder = folder.rpartition("/")[0]
    return None
