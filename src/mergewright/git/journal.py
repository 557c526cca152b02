"""What a run is about to change, with the bytes before: kept in the git folder until undone.

A journal is a folder ``<git dir>/mergewright/runs/<number>`` with ``journal.json`` and
``before.bin``. It is complete before the first file is touched, so that a run that was killed can
always be taken back. Each run of one merge has its own, so runs are undone one after the other.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self

from mergewright.git.worktree import FileState
from mergewright.model.errors import RepositoryError

State = Literal["writing", "done", "undoing"]
FOLDER = "mergewright"
_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """One worktree path of a run.

    Attributes:
        path: Relative to the worktree.
        before: What stood there.
        after: :attr:`FileState.digest` of what the run puts there.
    """

    path: str
    before: FileState = field(repr=False)
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Journal:
    """A run as recorded.

    Attributes:
        folder: Where it is kept.
        state: ``writing`` until all is written, then ``done``; ``undoing`` while it is taken back.
        merge: What was in progress, so that an undo does not reach into another merge.
        files: The worktree paths.
        index_before: Bytes of the index; ``None`` when the run leaves it alone.
        index_after: Digest of the entries of the index afterwards.
        folders: Folders that the run makes, outermost first.
    """

    folder: Path
    state: State
    merge: str
    files: tuple[FileRecord, ...]
    index_before: bytes | None = field(repr=False)
    index_after: str | None
    folders: tuple[str, ...] = ()

    def save(self) -> None:
        """Write it to its folder, flushed to the disk.

        Raises:
            OSError: It cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        store = bytearray()

        def keep(data: bytes) -> list[int]:
            store.extend(data)
            return [len(store) - len(data), len(data)]

        content: dict[str, Any] = {
            "version": _VERSION,
            "state": self.state,
            "merge": self.merge,
            "index": None if self.index_before is None else keep(self.index_before),
            "index_after": self.index_after,
            "folders": self.folders,
            "files": [
                {
                    "path": record.path,
                    "kind": record.before.kind,
                    "data": keep(record.before.data),
                    "permissions": record.before.permissions,
                    "changed": record.before.changed,
                    "after": record.after,
                }
                for record in self.files
            ],
        }
        write_durably(self.folder / "before.bin", bytes(store))
        # The journal counts from the moment that this name exists.
        write_durably(self.folder / "journal.json", json.dumps(content).encode("ascii"))

    def with_state(self, state: State) -> Journal:
        """Record the next state; the stored bytes stay.

        Raises:
            OSError: It cannot be written.
        """
        file = self.folder / "journal.json"
        content = json.loads(file.read_bytes())
        content["state"] = state
        write_durably(file, json.dumps(content).encode("ascii"))
        return replace(self, state=state)

    def remove(self) -> None:
        """Forget the run."""
        # The name that makes it count goes first.
        (self.folder / "journal.json").unlink(missing_ok=True)
        shutil.rmtree(self.folder, ignore_errors=True)


def write_durably(file: Path, data: bytes) -> None:
    """Replace a file in one step, its bytes flushed to the disk first.

    Raises:
        OSError: It cannot be written; the old file is still there.
    """
    new = file.with_name(file.name + ".new")
    try:
        with new.open("wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        new.replace(file)
    except BaseException:
        new.unlink(missing_ok=True)
        raise


def state_folder(git_dir: Path) -> Path:
    """Where a worktree's journals and last report are kept."""
    return git_dir / FOLDER


def runs(git_dir: Path) -> list[Path]:
    """Folders of the recorded runs, oldest first."""
    folder = state_folder(git_dir) / "runs"
    try:
        found = [entry for entry in folder.iterdir() if (entry / "journal.json").is_file()]
    except OSError:
        return []
    return sorted(found, key=lambda entry: entry.name)


def next_run(git_dir: Path) -> Path:
    """The folder for a new run."""
    last = runs(git_dir)
    number = int(last[-1].name) + 1 if last else 1
    return state_folder(git_dir) / "runs" / f"{number:06d}"


def load(folder: Path) -> Journal:
    """Read a journal.

    Raises:
        RepositoryError: It is damaged or of another version.
    """
    try:
        content = json.loads((folder / "journal.json").read_bytes())
        if content["version"] != _VERSION:
            raise RepositoryError(
                f"the journal {folder} is of version {content['version']}, not {_VERSION}",
                hint="Undo it with the version of mergewright that wrote it.",
            )
        store = (folder / "before.bin").read_bytes()

        def kept(place: list[int]) -> bytes:
            start, length = place
            if start + length > len(store):
                raise ValueError("before.bin is too short")  # noqa: TRY301 - one message for all damage
            return store[start : start + length]

        return Journal(
            folder=folder,
            state=content["state"],
            merge=content["merge"],
            files=tuple(
                FileRecord(
                    path=entry["path"],
                    before=FileState(
                        entry["kind"], kept(entry["data"]), entry["permissions"], entry["changed"]
                    ),
                    after=entry["after"],
                )
                for entry in content["files"]
            ),
            index_before=None if content["index"] is None else kept(content["index"]),
            index_after=content["index_after"],
            folders=tuple(content["folders"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RepositoryError(f"the journal {folder} cannot be read: {error}") from error


class IndexLock:
    """Git's lock on an index, marked as ours so that one left by a killed run can be told.

    Args:
        git_dir: The git folder of the worktree.

    Raises:
        RepositoryError: Another process holds the lock, or the folder cannot be written.
    """

    def __init__(self, git_dir: Path) -> None:
        self.index = git_dir / "index"
        self.file = git_dir / "index.lock"
        self._acquire(git_dir)

    def _acquire(self, git_dir: Path) -> None:
        mark = f"{FOLDER} {os.getpid()} {socket.gethostname()}\n".encode()
        state = state_folder(git_dir)
        own = state / f"lock.{os.getpid()}"
        try:
            state.mkdir(parents=True, exist_ok=True)
            own.write_bytes(mark)
        except OSError as error:
            raise RepositoryError(
                f"{state} cannot be written: {error.strerror}",
                hint="Nothing was changed. Make room on the disk or the folder writable.",
            ) from error
        try:
            # Content and name appear together: a lock of ours always says that it is ours.
            _link(own, self.file)
        except FileExistsError as error:
            if not _abandoned(self.file):
                raise RepositoryError(
                    f"the index is locked: {self.file} exists",
                    hint="Another git process works in this repository, or one crashed: when none "
                    "is running, remove the file.",
                ) from error
            own.replace(self.file)
        except OSError as error:
            raise RepositoryError(
                f"{self.file} cannot be made: {error.strerror}",
                hint="Nothing was changed. Make the folder writable.",
            ) from error
        finally:
            own.unlink(missing_ok=True)

    def release(self) -> None:
        """Give the lock back."""
        self.file.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.release()


def _link(source: Path, target: Path) -> None:
    try:
        target.hardlink_to(source)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links.
        with target.open("xb") as stream:
            stream.write(source.read_bytes())


def _abandoned(lock: Path) -> bool:
    """Whether a lock was made by a run of ours on this machine that is no longer alive."""
    try:
        name, pid, host = lock.read_bytes().decode().split()
    except (OSError, ValueError):
        return False
    if name != FOLDER or host != socket.gethostname() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False
