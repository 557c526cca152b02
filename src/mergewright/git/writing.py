"""Writes a plan to the worktree and index, all or nothing, and takes it back.

Order: blobs, the new index beside the old one, the journal, the worktree files one by one, and last
the index. Until the index is in place git still sees the conflicts, so that nothing half-written is
committed by accident; whatever happens in between, the journal restores the state before.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pygit2
from pygit2.enums import FileMode

from mergewright.git.checkout import Conversion, conversion
from mergewright.git.journal import (
    FileRecord,
    IndexLock,
    Journal,
    load,
    next_run,
    runs,
    state_folder,
    write_durably,
)
from mergewright.git.operations import operation_name
from mergewright.git.repository import Repository, WorktreeMerge, index_stages
from mergewright.git.untouched import GitText
from mergewright.git.worktree import ABSENT, FileState, Worktree, escapes
from mergewright.model.conflict import MODE_SUBMODULE, MODE_SYMLINK, ConflictKind
from mergewright.model.errors import RepositoryError
from mergewright.model.plan import MergePlan, PathPlan
from mergewright.model.resolution import Deferred, Resolved


def reached(step: str) -> None:
    """Called before each step that changes something; tests replace it to stop there."""


@dataclass(slots=True)
class _Action:
    """What one outcome changes."""

    #: Worktree paths and what they become.
    files: dict[str, FileState] = field(default_factory=dict)
    before: dict[str, FileState] = field(default_factory=dict)
    #: Index paths that lose all their entries.
    cleared: set[str] = field(default_factory=set)
    #: Index entries that are set: path to mode and id.
    entries: dict[str, tuple[int, str]] = field(default_factory=dict)
    blobs: list[bytes] = field(default_factory=list)


class _Refused(Exception):  # noqa: N818 - not an error: the reason of a deferral
    """A path that is left alone, with the reason."""


def write_plan(
    repository: Repository, merge: WorktreeMerge, plan: MergePlan, *, stage: bool = True
) -> MergePlan:
    """Write a plan to the worktree and index of the repository.

    A path that cannot be written without losing something (changed or deleted by hand since,
    behind a symbolic link, converted by an outside program …) is left as it is: its outcome
    becomes a deferral with the reason.

    Args:
        repository: The repository whose worktree has the conflicts.
        merge: The conflicts that the plan was made for.
        plan: What to write.
        stage: Whether settled paths are staged; otherwise only worktree files are written.

    Returns:
        The plan as it was carried out.

    Raises:
        RepositoryError: The index is locked or has changed, an earlier run was interrupted, or
            writing failed: then everything is as before.
    """
    root = repository.require_worktree()
    with IndexLock(repository.git_dir):
        _refuse_interrupted(repository)
        if set(repository.stages()) != set(merge.stages):
            raise RepositoryError(
                "the conflicts in the index have changed since they were read",
                hint="Nothing was written. Run the command again.",
            )
        _forget_other_merges(repository)
        staging = state_folder(repository.git_dir) / "staging"
        worktree = Worktree(repository.handle, root, staging)
        preparation = _Preparation(repository, merge, worktree, stage=stage)
        done = replace(plan, paths=tuple(preparation.take(entry) for entry in plan.paths))
        _carry_out(repository, worktree, preparation.total, stage=stage)
    return done


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """What an undo restored.

    Attributes:
        paths: The worktree paths, sorted.
        index: Whether the index was restored.
        interrupted: Whether the run had not come to its end.
    """

    paths: tuple[str, ...]
    index: bool
    interrupted: bool


def undo(repository: Repository, *, force: bool = False) -> Undone:
    """Take the last run back: worktree files and index byte-equal to before.

    Args:
        repository: The repository.
        force: Also throw away what was changed by hand since.

    Raises:
        RepositoryError: There is no run to undo; the merge it belongs to is over; a file or the
            index was changed since and ``force`` is not set; or writing failed.
    """
    root = repository.require_worktree()
    with IndexLock(repository.git_dir):
        found = runs(repository.git_dir)
        if not found:
            raise RepositoryError("there is no run to undo in this worktree")
        journal = load(found[-1])
        worktree = Worktree(repository.handle, root, state_folder(repository.git_dir) / "staging")
        if not force:
            _refuse_undo(repository, worktree, journal)
        interrupted = journal.state != "done"
        try:
            if journal.state == "done":
                journal = journal.with_state("undoing")
            _restore(repository, worktree, journal)
        except OSError as error:
            raise RepositoryError(
                f"the state before cannot be restored: {_said(error)}",
                hint="What was before is still recorded: mend the cause and run resolve undo again.",
            ) from error
        journal.remove()
    return Undone(
        paths=tuple(sorted(record.path for record in journal.files)),
        index=journal.index_before is not None,
        interrupted=interrupted,
    )


def interrupted_run(repository: Repository) -> bool:
    """Whether a run was stopped before its end and waits for :func:`undo`."""
    found = runs(repository.git_dir)
    return bool(found) and load(found[-1]).state != "done"


# -- preparing -------------------------------------------------------------------------------------


class _Preparation:
    """Turns outcomes into changes, refusing what could lose something."""

    def __init__(
        self, repository: Repository, merge: WorktreeMerge, worktree: Worktree, *, stage: bool
    ) -> None:
        self._repository = repository
        self._worktree = worktree
        self._stage = stage
        self._text = GitText(repository, merge)
        self._unmerged = merge.contested_paths
        self._stages = merge.stages
        self._written: dict[str, str] | None = None
        index = repository.read_index()
        self._tracked = {
            entry.path: (int(entry.mode), str(entry.id))
            for entry in index
            if entry.path not in self._unmerged
        }
        self._folders = _folders_of([*self._tracked, *self._unmerged])
        config = repository.handle.config
        self._folded: dict[str, set[str]] | None = None
        if "core.ignorecase" in config and config.get_bool("core.ignorecase"):
            self._folded = {}
            for path in [*self._tracked, *self._unmerged]:
                self._folded.setdefault(path.casefold(), set()).add(path)
        self.total = _Action()

    def take(self, entry: PathPlan) -> PathPlan:
        """Add what an outcome changes; the outcome itself changes when it is refused."""
        outcome = entry.outcome
        if isinstance(outcome, Resolved):
            try:
                self._add(self._resolved(entry, outcome))
            except _Refused as refusal:
                return replace(entry, outcome=_deferral(outcome, str(refusal)))
        elif isinstance(outcome, Deferred) and outcome.data is not None:
            try:
                self._add(self._deferred(outcome, outcome.data))
            except _Refused as refusal:
                note = f"conflict markers not written: {refusal}"
                return replace(
                    entry, outcome=replace(outcome, data=None, notes=(*outcome.notes, note))
                )
        return entry

    def _add(self, action: _Action) -> None:
        if self.total.files.keys() & action.files.keys():
            raise _Refused("another outcome of this run writes the same path")
        self.total.files |= action.files
        self.total.before |= action.before
        self.total.cleared |= action.cleared
        self.total.entries |= action.entries
        self.total.blobs += action.blobs

    def _resolved(self, entry: PathPlan, outcome: Resolved) -> _Action:
        action = _Action()
        conflict = entry.conflict
        own = {outcome.path, *outcome.drop}
        if conflict is not None:
            own |= {conflict.path, *conflict.related}
            own |= {version.path for version in conflict.versions if version is not None}
        # Only what is unmerged, and what the answer names, is touched; a clean path that is
        # merely related to the conflict stays.
        action.cleared = own & self._unmerged
        if conflict is None or conflict.kind is ConflictKind.CASE_ONLY:
            # These merged cleanly: the answer itself names what goes.
            action.cleared |= {p for p in (outcome.path, *outcome.drop) if p in self._tracked}
        for path in action.cleared - {outcome.path}:
            self._delete(action, path)
        if outcome.mode == MODE_SUBMODULE and outcome.oid is not None:
            action.entries[outcome.path] = (outcome.mode, outcome.oid)
        elif outcome.data is None:
            self._delete(action, outcome.path)
        else:
            self._write(action, outcome.path, outcome.mode, outcome.data)
            oid = str(pygit2.hash(outcome.data))
            action.entries[outcome.path] = (outcome.mode, oid)
            action.blobs.append(outcome.data)
        for path in action.entries:
            self._refuse_clash(path, action.cleared)
        return action

    def _deferred(self, outcome: Deferred, data: bytes) -> _Action:
        action = _Action()
        if outcome.path not in self._unmerged:
            raise _Refused("the path has no entry in the index")
        self._write(action, outcome.path, outcome.mode, data)
        return action

    def _write(self, action: _Action, path: str, mode: int, data: bytes) -> None:
        self._refuse_obstacle(path)
        if mode == MODE_SYMLINK:
            if escapes(path, data) and not self._is_there(path, data):
                raise _Refused("the symbolic link would lead out of the worktree")
            content = data
        else:
            rules = conversion(self._repository.handle, path)
            if rules.obstacle is not None:
                raise _Refused(rules.obstacle)
            content = rules.to_worktree(data, str(pygit2.hash(data)))
        before = self._read(path)
        after = self._worktree.wanted(mode, content, before)
        if after.digest != before.digest:
            self._refuse_changed(path, before)
        action.before[path], action.files[path] = before, after

    def _delete(self, action: _Action, path: str) -> None:
        if path in action.files:
            return
        self._refuse_obstacle(path)
        before = self._read(path)
        if before.kind == "absent":
            return
        if before.kind == "directory":
            # A submodule's folder, or a folder in the place of a file: not the file itself.
            return
        if path not in self._tracked and path not in self._unmerged:
            # Never git's to begin with.
            return
        self._refuse_changed(path, before)
        action.before[path], action.files[path] = before, ABSENT

    def _is_there(self, path: str, data: bytes) -> bool:
        found = self._read(path)
        return found.kind == "symlink" and found.data == data

    def _read(self, path: str) -> FileState:
        try:
            return self._worktree.read(path)
        except OSError as error:
            raise _Refused(f"the worktree file cannot be read: {_said(error)}") from error

    def _refuse_obstacle(self, path: str) -> None:
        reason = self._worktree.obstacle(path)
        if reason is not None:
            raise _Refused(reason)

    def _refuse_changed(self, path: str, before: FileState) -> None:
        """Refuse unless the worktree holds what git put there."""
        if before.kind in ("directory", "other"):
            raise _Refused(f"a {before.kind} stands in the place of the file")
        rules = conversion(self._repository.handle, path)
        if path in self._tracked:
            mode, oid = self._tracked[path]
            if before.kind == "absent":
                raise _Refused("the file was deleted in the worktree")
            if not self._is_checkout_of(mode, oid, before, rules):
                raise _Refused("the file has local changes")
            return
        if path not in self._unmerged:
            if before.kind != "absent":
                raise _Refused("an untracked file is in the way")
            return
        if before.kind == "absent":
            if self._was_written(path):
                raise _Refused("the file was deleted by hand since the merge")
            return
        if not self._text.explains(path, before.data, rules) and not self._is_own(path, before):
            raise _Refused(
                "the file was changed by hand since the merge "
                "(git checkout --merge PATH brings git's conflict back)"
            )

    def _is_checkout_of(self, mode: int, oid: str, found: FileState, rules: Conversion) -> bool:
        data = self._repository.objects.blob(oid)
        if mode == MODE_SYMLINK or found.kind == "symlink":
            return mode == MODE_SYMLINK and found.data == data
        return found.data in (data, rules.to_worktree(data, oid))

    def _was_written(self, path: str) -> bool:
        """Whether git leaves a file at an unmerged path: wherever a side still has one."""
        stages = {s.stage: s for s in self._repository.stages() if s.path == path}
        return any(number != 1 and stage.mode != MODE_SUBMODULE for number, stage in stages.items())

    def _is_own(self, path: str, found: FileState) -> bool:
        """Whether an earlier run on this merge left the file."""
        if self._written is None:
            self._written = {
                record.path: record.after
                for folder in runs(self._repository.git_dir)
                for record in load(folder).files
            }
        return self._written.get(path) == found.digest

    def _refuse_clash(self, path: str, cleared: set[str]) -> None:
        """Refuse an entry that the index cannot hold beside the others."""
        if not self._stage:
            return
        parts = path.split("/")
        parents = {"/".join(parts[:count]) for count in range(1, len(parts))}
        standing = (self._tracked.keys() | self._unmerged) - cleared - self.total.cleared
        if parents & (standing | self.total.entries.keys()):
            raise _Refused("a file stands where the path needs a folder")
        if path in self._folders and any(
            other.startswith(path + "/") for other in standing | self.total.entries.keys()
        ):
            raise _Refused("a folder of the same name holds other files")
        if self._folded is not None:
            twins = self._folded.get(path.casefold(), set()) - {path} - cleared
            if twins:
                raise _Refused(f"{min(twins)} differs only in upper and lower case")


def _deferral(outcome: Resolved, reason: str) -> Deferred:
    return Deferred(
        path=outcome.path,
        data=None,
        mode=outcome.mode,
        reason=f"not written: {reason}",
        strategy=outcome.strategy,
        decisions=outcome.decisions,
        gates=outcome.gates,
        seconds=outcome.seconds,
        notes=outcome.notes,
    )


def _folders_of(paths: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for path in paths:
        parts = path.split("/")
        found.update("/".join(parts[:count]) for count in range(1, len(parts)))
    return found


# -- writing ---------------------------------------------------------------------------------------


def _carry_out(repository: Repository, worktree: Worktree, action: _Action, *, stage: bool) -> None:
    changes = {
        path: state
        for path, state in action.files.items()
        if not state.same_content(action.before[path])
    }
    stage = stage and bool(action.cleared or action.entries)
    if not changes and not stage:
        return
    index = repository.git_dir / "index"
    new_index = state_folder(repository.git_dir) / "index.new"
    staging = state_folder(repository.git_dir) / "staging"
    journal = None
    try:
        staging.mkdir(parents=True, exist_ok=True)
        index_before = None
        if stage:
            reached("blobs")
            for data in action.blobs:
                repository.handle.create_blob(data)
            reached("new index")
            index_before = index.read_bytes()
            _build_index(index_before, new_index, action)
        folders = dict.fromkeys(
            folder for path, s in changes.items() if s.kind != "absent"
            for folder in worktree.missing_folders(path)
        )  # fmt: skip
        journal = Journal(
            folder=next_run(repository.git_dir),
            state="writing",
            merge=_merge_identity(repository),
            files=tuple(
                FileRecord(path=path, before=action.before[path], after=state.digest)
                for path, state in changes.items()
            ),
            index_before=index_before,
            index_after=_index_digest(new_index) if stage else None,
            folders=tuple(folders),
        )
        reached("journal")
        journal.save()
        for path, state in changes.items():
            reached(f"file {path}")
            worktree.put(path, state)
        if stage:
            reached("index")
            new_index.replace(index)
        reached("done")
        journal.with_state("done")
        reached("end")
    except BaseException as error:
        _roll_back(repository, worktree, journal, error)
        if isinstance(error, (OSError, pygit2.GitError)):
            raise RepositoryError(
                f"the result cannot be written: {_said(error)}",
                hint="Everything is as it was before the run.",
            ) from error
        raise
    finally:
        new_index.unlink(missing_ok=True)
        shutil.rmtree(staging, ignore_errors=True)


def _roll_back(
    repository: Repository, worktree: Worktree, journal: Journal | None, cause: BaseException
) -> None:
    if journal is None or not (journal.folder / "journal.json").exists():
        if journal is not None:
            shutil.rmtree(journal.folder, ignore_errors=True)
        return
    try:
        _restore(repository, worktree, journal)
    except OSError as error:
        raise RepositoryError(
            f"writing failed ({_said(cause)}), and the state before cannot be restored yet: "
            f"{_said(error)}",
            hint="What was before is recorded: mend the cause and run resolve undo.",
        ) from cause
    journal.remove()


def _build_index(before: bytes, target: Path, action: _Action) -> None:
    """Write the index of afterwards beside the old one."""
    target.write_bytes(before)
    index = pygit2.Index(str(target))
    for path in action.cleared:
        for level in range(4):
            # Not every stage is there; a missing one is no error.
            with contextlib.suppress(OSError, KeyError):
                index.remove(path, level)
    for path, (mode, oid) in action.entries.items():
        index.add(pygit2.IndexEntry(path, pygit2.Oid(hex=oid), FileMode(mode)))
    index.write()
    written = pygit2.Index(str(target))
    for path, (mode, oid) in action.entries.items():
        entry = written[path]
        if (int(entry.mode), str(entry.id)) != (mode, oid):
            raise OSError(f"the index entry of {path!r} was not written as meant")
    _sync(target)


def _sync(file: Path) -> None:
    with file.open("rb") as stream:
        os.fsync(stream.fileno())


def _index_digest(file: Path) -> str:
    """A name of the entries of an index, without the times that git keeps beside them."""
    index = pygit2.Index(str(file))
    rows = sorted(
        [(os.fsencode(e.path), int(e.mode), str(e.id), 9) for e in index]
        + [(os.fsencode(s.path), s.mode, s.oid, s.stage) for s in index_stages(index)]
    )
    return hashlib.sha256(repr(rows).encode("ascii")).hexdigest()


# -- taking back -----------------------------------------------------------------------------------


def _restore(repository: Repository, worktree: Worktree, journal: Journal) -> None:
    """Bring files and index into the state of the journal; may be repeated."""
    staging = state_folder(repository.git_dir) / "staging"
    staging.mkdir(parents=True, exist_ok=True)
    try:
        for record in reversed(journal.files):
            reached(f"restore {record.path}")
            _remove_leftovers(worktree, record.path)
            if not worktree.read(record.path).same_content(record.before):
                worktree.put(record.path, record.before)
        for folder in reversed(journal.folders):
            worktree.remove_folder(folder)
        if journal.index_before is not None:
            reached("restore index")
            index = repository.git_dir / "index"
            if not index.exists() or index.read_bytes() != journal.index_before:
                write_durably(index, journal.index_before)
        reached("restored")
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _remove_leftovers(worktree: Worktree, path: str) -> None:
    """Files on their way that a killed run left beside the target."""
    folder = worktree.locate(path).parent
    if worktree.obstacle(path) is None and folder.is_dir():
        for stray in folder.glob(".mergewright-*"):
            stray.unlink(missing_ok=True)


def _refuse_undo(repository: Repository, worktree: Worktree, journal: Journal) -> None:
    if journal.merge != _merge_identity(repository):
        raise RepositoryError(
            "the merge that the last run belongs to is over",
            hint="It was committed or aborted since; use git to go back.",
        )
    changed = [
        record.path
        for record in journal.files
        if worktree.read(record.path).digest not in (record.before.digest, record.after)
    ]
    if changed:
        names = ", ".join(sorted(changed)[:5]) + (" …" if len(changed) > 5 else "")
        raise RepositoryError(
            f"{len(changed)} files were changed since the run: {names}",
            hint="resolve undo --force throws these changes away.",
        )
    if journal.index_before is None or journal.index_after is None:
        return
    index = repository.git_dir / "index"
    if index.exists() and index.read_bytes() == journal.index_before:
        return
    if not index.exists() or _index_digest(index) != journal.index_after:
        raise RepositoryError(
            "the index was changed since the run",
            hint="resolve undo --force throws these changes away.",
        )


def _refuse_interrupted(repository: Repository) -> None:
    if interrupted_run(repository):
        raise RepositoryError(
            "an earlier run was interrupted while it was writing",
            hint="Run resolve undo first: it brings back the state before that run.",
        )


def _merge_identity(repository: Repository) -> str:
    """What is in progress, by its state files; a merge that goes on keeps it."""
    name = operation_name(repository.git_dir) or "none"
    heads = []
    for file in ("MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"):
        try:
            heads.append((repository.git_dir / file).read_text(encoding="ascii").split())
        except (OSError, ValueError):
            heads.append([])
    return f"{name} {repository.resolve('HEAD')} {heads}"


def _forget_other_merges(repository: Repository) -> None:
    """Remove the journals of merges that are over: there is no way back into them."""
    now = _merge_identity(repository)
    for folder in runs(repository.git_dir):
        journal = load(folder)
        if journal.merge != now:
            journal.remove()


def _said(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        name = f": {error.filename}" if error.filename else ""
        return f"{error.strerror}{name}"
    return str(error) or type(error).__name__
