"""A contested path as a plain value: no git handle goes beyond the git package."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from enum import StrEnum

from mergewright.model.threeway import ThreeWay

MODE_REGULAR = 0o100644
MODE_EXECUTABLE = 0o100755
MODE_SYMLINK = 0o120000
MODE_SUBMODULE = 0o160000


class ConflictKind(StrEnum):
    """Why a path is contested. The value is the key that rules use (``match: {kind: …}``)."""

    BOTH_MODIFIED = "both-modified"
    BOTH_ADDED = "both-added"
    DELETED_BY_OURS = "deleted-by-ours"
    DELETED_BY_THEIRS = "deleted-by-theirs"
    #: One side renamed the path, the other changed it too; base stays attached.
    RENAMED_BY_OURS = "renamed-by-ours"
    RENAMED_BY_THEIRS = "renamed-by-theirs"
    #: Both sides renamed the same base path, to different names.
    RENAMED_BY_BOTH = "renamed-by-both"
    RENAME_DELETE = "rename-delete"
    #: Two base paths renamed to one name, or a rename onto a name that the other side added.
    RENAME_COLLISION = "rename-collision"
    #: One side renamed a directory in which the other side added or moved a file.
    DIRECTORY_RENAME = "directory-rename"
    MODE = "mode"
    SYMLINK = "symlink"
    SUBMODULE = "submodule"
    DIRECTORY_FILE = "directory-file"
    BINARY = "binary"
    CASE_ONLY = "case-only"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileVersion:
    """One version of a contested path.

    Attributes:
        path: The path in this version, relative to the root, ``/`` separated; bytes that are not
            UTF-8 are kept by ``surrogateescape`` (``os.fsencode`` gives them back).
        mode: Git's file mode, one of the ``MODE_…`` values.
        oid: Hexadecimal object id (of the blob, or of the commit of a submodule).
        data: The bytes of the blob; the target of a symlink; empty for a submodule.
        virtual: Whether no commit holds it: git's own merge of several merge bases, which may
            hold conflict markers and must not be taken for a text that somebody wrote.
    """

    path: str
    mode: int
    oid: str
    data: bytes = field(repr=False)
    virtual: bool = False

    @property
    def is_text(self) -> bool:
        """Whether git would merge it as text: no NUL among the first 8,000 bytes, a regular file."""
        return self.mode in (MODE_REGULAR, MODE_EXECUTABLE) and b"\0" not in self.data[:8000]

    def with_data(self, data: bytes) -> FileVersion:
        """The version with other bytes and their id."""
        return self if data == self.data else replace(self, data=data, oid=blob_id(data))


def blob_id(data: bytes) -> str:
    """Git's blob id of some bytes, hexadecimal (SHA-1)."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """A contested path with its three versions.

    Attributes:
        path: The path under which the result would be written.
        kind: Why git could not settle it.
        versions: The three versions; ``None`` where a side does not have it.
        message: What the deciding engine says of it, one sentence.
        related: Other paths that belong to the same conflict (the ends of renames).
    """

    path: str
    kind: ConflictKind
    versions: ThreeWay[FileVersion | None]
    message: str = ""
    related: tuple[str, ...] = ()

    @property
    def texts(self) -> ThreeWay[bytes | None]:
        """The bytes of the three versions."""
        return self.versions.map(lambda version: None if version is None else version.data)
