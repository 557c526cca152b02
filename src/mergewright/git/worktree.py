"""Worktree files: looked at, replaced and restored without following a symbolic link."""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pygit2

from mergewright.model.conflict import MODE_EXECUTABLE, MODE_SYMLINK


@dataclass(frozen=True, slots=True)
class FileState:
    """What stands at a path of the worktree.

    Attributes:
        kind: ``absent``, ``file``, ``symlink``, ``directory`` or ``other`` (a socket, a device).
        data: Content of a file, target of a symlink.
        permissions: Permission bits of a file.
        changed: Modification time in nanoseconds since the epoch.
    """

    kind: str
    data: bytes = b""
    permissions: int = 0
    changed: int = 0

    def same_content(self, other: FileState) -> bool:
        """Whether the other holds the same thing with the same permissions."""
        return (self.kind, self.data, self.permissions) == (
            other.kind,
            other.data,
            other.permissions,
        )

    @property
    def digest(self) -> str:
        """A name of kind and content; permissions are left out, not every file system has them."""
        return hashlib.sha256(self.kind.encode("ascii") + b" " + self.data).hexdigest()


ABSENT = FileState("absent")


class Worktree:
    """The files below a worktree's root.

    Args:
        handle: The repository, for its settings on modes and symbolic links.
        root: The worktree's folder.
        staging: A folder on the same file system, if possible, for files on their way.
    """

    def __init__(self, handle: pygit2.Repository, root: Path, staging: Path) -> None:
        self.root = root
        self._staging = staging
        config = handle.config
        self._modes = "core.filemode" not in config or config.get_bool("core.filemode")
        self._symlinks = "core.symlinks" not in config or config.get_bool("core.symlinks")

    def locate(self, path: str) -> Path:
        """The place of a path, not checked in any way."""
        return self.root / path

    def obstacle(self, path: str) -> str | None:
        """Why a path must not be written; ``None`` when it may.

        A path is refused that leaves the worktree, goes through a symbolic link, or lies below
        something that is no folder.
        """
        parts = path.split("/")
        if any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
            return "the path is no plain path below the worktree"
        place = self.root
        for part in parts[:-1]:
            place = place / part
            try:
                mode = place.lstat().st_mode
            except FileNotFoundError:
                return None
            except OSError as error:
                return f"the folder {place} cannot be read: {error.strerror}"
            if stat.S_ISLNK(mode):
                return f"{place.relative_to(self.root)} is a symbolic link"
            if not stat.S_ISDIR(mode):
                return f"{place.relative_to(self.root)} is not a folder"
        return None

    def read(self, path: str) -> FileState:
        """What stands at a path now.

        Raises:
            OSError: It cannot be read.
        """
        place = self.locate(path)
        try:
            info = place.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return ABSENT
        if stat.S_ISLNK(info.st_mode):
            return FileState("symlink", os.fsencode(place.readlink()), 0, info.st_mtime_ns)
        if stat.S_ISDIR(info.st_mode):
            return FileState("directory")
        if not stat.S_ISREG(info.st_mode):
            return FileState("other")
        permissions = stat.S_IMODE(info.st_mode)
        return FileState("file", place.read_bytes(), permissions, info.st_mtime_ns)

    def wanted(self, mode: int, data: bytes, before: FileState) -> FileState:
        """The state that a checkout of a blob would give.

        Args:
            mode: Git's mode.
            data: The bytes for the worktree.
            before: What stands there now: its permissions are kept, the executable bits aside.
        """
        if mode == MODE_SYMLINK and self._symlinks:
            return FileState("symlink", data)
        permissions = before.permissions if before.kind == "file" else 0o666 & ~_umask()
        if self._modes:
            executable = (permissions & 0o444) >> 2
            permissions = (
                permissions | executable if mode == MODE_EXECUTABLE else permissions & ~0o111
            )
        return FileState("file", data, permissions)

    def missing_folders(self, path: str) -> list[str]:
        """The folders above a path that are not there, outermost first."""
        parts = path.split("/")[:-1]
        found = []
        for count in range(1, len(parts) + 1):
            folder = "/".join(parts[:count])
            if not self.locate(folder).exists():
                found.append(folder)
        return found

    def put(self, path: str, state: FileState) -> None:
        """Bring a path into a state, in one step for whoever looks on.

        Raises:
            OSError: It cannot be written; the path is as before.
        """
        reason = self.obstacle(path)
        if reason is not None:
            raise PermissionError(13, reason, str(self.locate(path)))
        place = self.locate(path)
        if state.kind == "absent":
            place.unlink(missing_ok=True)
            self._prune(path)
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._put_from(self._staging, place, state)
        except OSError as error:
            if error.errno != 18:  # EXDEV: the git folder is on another file system
                raise
            self._put_from(place.parent, place, state)

    @staticmethod
    def _put_from(folder: Path, place: Path, state: FileState) -> None:
        descriptor, name = tempfile.mkstemp(prefix=".mergewright-", dir=folder)
        new = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                if state.kind == "file":
                    stream.write(state.data)
            if state.kind == "symlink":
                new.unlink()
                new.symlink_to(os.fsdecode(state.data))
            else:
                new.chmod(state.permissions)
                if state.changed:
                    os.utime(new, ns=(state.changed, state.changed))
            new.replace(place)
        except BaseException:
            new.unlink(missing_ok=True)
            raise

    def _prune(self, path: str) -> None:
        """Remove the folders that a deletion left empty, as git does."""
        parts = path.split("/")[:-1]
        while parts:
            try:
                self.locate("/".join(parts)).rmdir()
            except OSError:
                return
            parts.pop()

    def remove_folder(self, path: str) -> None:
        """Remove a folder if it is empty."""
        try:
            self.locate(path).rmdir()
        except OSError:
            return


def escapes(path: str, target: bytes) -> bool:
    """Whether a symbolic link at a path leads out of the worktree, by its text alone."""
    if target.startswith((b"/", b"\\")) or target[1:2] == b":":
        return True
    depth = path.count("/")
    for part in target.split(b"/"):
        if part == b"..":
            depth -= 1
        elif part not in (b"", b"."):
            depth += 1
        if depth < 0:
            return True
    return False


def _umask() -> int:
    # The only portable way to read it is to set it.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
