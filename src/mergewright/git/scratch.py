"""A temporary object store over a repository's own: reads both, writes only to itself."""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pygit2
from pygit2.enums import ObjectType

from mergewright.git.temporary import temporary_folder
from mergewright.git.trees import MODE_DIRECTORY, Objects
from mergewright.model.errors import RepositoryError

# Objects of a scratch store live for seconds: neither compressed nor flushed to the disk.
_CONFIG = """[core]
\trepositoryformatversion = 0
\tbare = {bare}
\tlooseCompression = 0
\tfsync = none
\tlogAllRefUpdates = false
"""


class Scratch:
    """A repository in a temporary folder whose object store borrows from another one.

    It has none of the other's configuration, hooks, references or remotes, so that nothing of
    them can take effect. The folder goes away with :meth:`close` or the last reference.

    Args:
        objects_folder: The object folder to borrow from (its own alternates are followed).
        shallow: The ``shallow`` file of the other repository, if it has one.
        attributes: Attribute files to obey, by path relative to a worktree's root; ``None`` for
            no worktree at all.
    """

    def __init__(
        self,
        objects_folder: Path,
        *,
        shallow: Path | None = None,
        attributes: dict[str, bytes] | None = None,
    ) -> None:
        try:
            folder = tempfile.mkdtemp(prefix="mergewright-", dir=temporary_folder())
        except OSError as error:
            raise RepositoryError(f"no temporary folder can be made: {error}") from error
        self._cleanup = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.folder = Path(folder)
        self.git_dir = self.folder / "repo.git"
        self.worktree = None if attributes is None else self.folder / "worktree"
        self._borrowed = objects_folder
        try:
            self._populate(shallow, attributes or {})
        except OSError as error:
            self.close()
            raise RepositoryError(f"the temporary folder cannot be written: {error}") from error
        self.handle = pygit2.Repository(str(self.git_dir))
        self.handle.odb.add_disk_alternate(str(objects_folder))
        self.objects = Objects(self.handle)

    def _populate(self, shallow: Path | None, attributes: dict[str, bytes]) -> None:
        for name in ("objects/info", "objects/pack", "refs/heads", "info"):
            (self.git_dir / name).mkdir(parents=True)
        (self.git_dir / "HEAD").write_bytes(b"ref: refs/heads/none\n")
        bare = "true" if self.worktree is None else "false"
        config = _CONFIG.format(bare=bare)
        if self.worktree is not None:
            # libgit2 finds attribute files here; git is told by its environment.
            config += "\tworktree = ../worktree\n"
        (self.git_dir / "config").write_text(config, encoding="ascii")
        if shallow is not None and shallow.is_file():
            shutil.copyfile(shallow, self.git_dir / "shallow")
        if self.worktree is not None:
            self.worktree.mkdir()
            for path, data in attributes.items():
                target = self.worktree / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)

    @property
    def environment(self) -> dict[str, str]:
        """The variables that make git work on this store."""
        # Quoting as git reads it: a path with a separator or a quote would be cut otherwise.
        borrowed = str(self._borrowed)
        if borrowed.startswith('"') or os.pathsep in borrowed or "\n" in borrowed:
            escaped = borrowed.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            borrowed = f'"{escaped}"'
        found = {"GIT_DIR": str(self.git_dir), "GIT_ALTERNATE_OBJECT_DIRECTORIES": borrowed}
        if self.worktree is not None:
            found["GIT_WORK_TREE"] = str(self.worktree)
        return found

    def add_info_attributes(self, file: Path) -> None:
        """Obey a repository's private attribute file as well, if it is there."""
        if file.is_file():
            shutil.copyfile(file, self.git_dir / "info" / "attributes")

    def write_blob(self, data: bytes) -> str:
        """Store a blob and give its id."""
        return str(self.handle.create_blob(data))

    def write_tree(self, level: Mapping[bytes, tuple[int, str]]) -> str:
        """Store one level of a tree: name to mode and id."""
        # The order of names is git's: a folder sorts as if its name ended in a slash.
        ordered = sorted(
            level.items(),
            key=lambda item: item[0] + (b"/" if item[1][0] == MODE_DIRECTORY else b""),
        )
        data = b"".join(
            b"%o %s\0%s" % (mode, name, bytes.fromhex(oid)) for name, (mode, oid) in ordered
        )
        return str(self.handle.odb.write(int(ObjectType.TREE), data))

    def commit(self, tree: str, parents: Sequence[str]) -> str:
        """Store a commit made up for a merge; its author and date mean nothing."""
        who = pygit2.Signature("mergewright", "mergewright@localhost", 0, 0)
        return str(
            self.handle.create_commit(
                None, who, who, "", pygit2.Oid(hex=tree), [pygit2.Oid(hex=p) for p in parents]
            )
        )

    def point(self, name: str, commit: str) -> None:
        """Make a branch of the scratch repository."""
        (self.git_dir / "refs" / "heads" / name).write_text(commit + "\n", encoding="ascii")

    def close(self) -> None:
        """Remove the folder; the store cannot be read any more."""
        self._cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
