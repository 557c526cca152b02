"""Trees and blobs as values, read straight from the object store; works without a worktree."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import pygit2
from pygit2.enums import ObjectType

from mergewright.git.process import failure
from mergewright.model.conflict import MODE_SUBMODULE
from mergewright.model.errors import RepositoryError

MODE_DIRECTORY = 0o040000
# Blobs up to this size are kept in memory, so many bytes of them.
_KEPT_BLOB = 1 << 20
_KEPT_BYTES = 32 << 20


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file, symlink or submodule of a tree.

    Attributes:
        path: Relative to the root, ``/`` separated; bytes that are not UTF-8 by surrogateescape.
        mode: Git's file mode.
        oid: Hexadecimal id of the blob, or of the commit of a submodule.
    """

    path: str
    mode: int
    oid: str

    @property
    def is_blob(self) -> bool:
        """Whether it is stored in this repository (everything but a submodule)."""
        return self.mode != MODE_SUBMODULE


@dataclass(frozen=True, slots=True)
class TreeChange:
    """One path that differs between two trees; ``None`` where a tree does not have it."""

    path: str
    old: TreeEntry | None
    new: TreeEntry | None


#: Name, mode and id of each entry of one folder, in git's order.
Level = tuple[tuple[bytes, int, str], ...]


class Objects:
    """Read access to an object store by hexadecimal ids.

    Args:
        handle: The repository whose store (with its alternates) is read.
    """

    def __init__(self, handle: pygit2.Repository) -> None:
        self._odb = handle.odb
        # A merge visits the same folders and files of three trees again and again.
        self._levels = lru_cache(maxsize=20_000)(self._read_level)
        self._trees = lru_cache(maxsize=8)(self._read_tree)
        self._blobs: dict[str, bytes] = {}
        self._kept = 0

    def read(self, oid: str) -> tuple[int, bytes]:
        """Type (libgit2's number) and content of an object.

        Raises:
            RepositoryError: The object is not there (partial clone, shallow or damaged history).
        """
        try:
            kind, data = self._odb.read(oid)
        except (KeyError, ValueError, pygit2.GitError) as error:
            raise missing_object(oid) from error
        return int(kind), data

    def exists(self, oid: str) -> bool:
        """Whether the object is in the store."""
        return oid in self._odb

    def blob(self, oid: str) -> bytes:
        """The bytes of a blob.

        Raises:
            RepositoryError: The blob is not there, or the id names something else.
        """
        known = self._blobs.get(oid)
        if known is not None:
            return known
        kind, data = self.read(oid)
        if kind != ObjectType.BLOB:
            raise RepositoryError(f"object {oid} is not a blob")
        if len(data) <= _KEPT_BLOB:
            if self._kept + len(data) > _KEPT_BYTES:
                self._blobs.clear()
                self._kept = 0
            self._blobs[oid] = data
            self._kept += len(data)
        return data

    def blobs(self, oids: Iterable[str]) -> dict[str, bytes]:
        """The bytes of many blobs by id; each is read once.

        Raises:
            RepositoryError: One of them is not there.
        """
        return {oid: self.blob(oid) for oid in dict.fromkeys(oids)}

    def tree_id(self, treeish: str) -> str:
        """The tree of a commit, tag or tree, given by full id.

        Raises:
            RepositoryError: It is not there, or has no tree.
        """
        oid = treeish
        for _ in range(10):
            kind, data = self.read(oid)
            if kind == ObjectType.TREE:
                return oid
            if kind not in (ObjectType.COMMIT, ObjectType.TAG):
                break
            # "tree <id>" of a commit, "object <id>" of a tag: the first line of either.
            oid = data.split(b"\n", 1)[0].split(b" ", 1)[1].decode("ascii")
        raise RepositoryError(f"object {treeish} has no tree")

    def entries(self, treeish: str, under: str = "") -> dict[str, TreeEntry]:
        """All files below a folder of a tree, in git's order, by path.

        Args:
            treeish: Full id of a commit or tree.
            under: A folder; empty for the whole tree. A folder that is not there has no files.

        Raises:
            RepositoryError: An object is not there.
        """
        tree = self.tree_id(treeish)
        prefix = b""
        if under:
            found = self._lookup(tree, os.fsencode(under).strip(b"/"))
            if found is None or found[0] != MODE_DIRECTORY:
                return {}
            tree = found[1]
            prefix = os.fsencode(under).strip(b"/") + b"/"
        return dict(self._trees(tree, prefix))

    def entry(self, treeish: str, path: str) -> TreeEntry | None:
        """One file of a tree; ``None`` when there is none (also for a folder).

        Raises:
            RepositoryError: An object is not there.
        """
        found = self._lookup(self.tree_id(treeish), os.fsencode(path))
        if found is None or found[0] == MODE_DIRECTORY:
            return None
        return TreeEntry(path, *found)

    def is_directory(self, treeish: str, path: str) -> bool:
        """Whether a tree has a folder of this name."""
        found = self._lookup(self.tree_id(treeish), os.fsencode(path))
        return found is not None and found[0] == MODE_DIRECTORY

    def changes(self, old: str | None, new: str | None) -> tuple[TreeChange, ...]:
        """All paths that differ between two trees, without looking for renames.

        Args:
            old: Full id of a commit or tree; ``None`` for the empty tree.
            new: The same.

        Raises:
            RepositoryError: An object is not there.
        """
        trees = (
            None if old is None else self.tree_id(old),
            None if new is None else self.tree_id(new),
        )
        return tuple(self._compare(*trees, b""))

    def level(self, oid: str) -> Level:
        """One level of a tree: name, mode and id of each entry, folders included.

        Raises:
            RepositoryError: The tree is not there.
        """
        return self._levels(oid)

    def _read_tree(self, oid: str, prefix: bytes) -> dict[str, TreeEntry]:
        found: dict[str, TreeEntry] = {}
        self._gather(oid, prefix, found)
        return found

    def _read_level(self, oid: str) -> Level:
        kind, data = self.read(oid)
        if kind != ObjectType.TREE:
            raise RepositoryError(f"object {oid} is not a tree")
        found = []
        position, end = 0, len(data)
        while position < end:
            space = data.index(b" ", position)
            zero = data.index(b"\0", space)
            mode = int(data[position:space], 8)
            found.append((data[space + 1 : zero], mode, data[zero + 1 : zero + 21].hex()))
            position = zero + 21
        return tuple(found)

    def _lookup(self, tree: str, path: bytes) -> tuple[int, str] | None:
        mode, oid = MODE_DIRECTORY, tree
        for part in path.split(b"/"):
            if mode != MODE_DIRECTORY:
                return None
            for name, child_mode, child in self.level(oid):
                if name == part:
                    mode, oid = child_mode, child
                    break
            else:
                return None
        return mode, oid

    def _gather(self, tree: str, prefix: bytes, found: dict[str, TreeEntry]) -> None:
        for name, mode, oid in self.level(tree):
            if mode == MODE_DIRECTORY:
                self._gather(oid, prefix + name + b"/", found)
            else:
                path = os.fsdecode(prefix + name)
                found[path] = TreeEntry(path, mode, oid)

    def _compare(self, old: str | None, new: str | None, prefix: bytes) -> Iterator[TreeChange]:
        if old == new:
            return
        before = {} if old is None else {n: (m, o) for n, m, o in self.level(old)}
        after = {} if new is None else {n: (m, o) for n, m, o in self.level(new)}
        for name in sorted(before.keys() | after.keys()):
            left, right = before.get(name), after.get(name)
            if left == right:
                continue
            path = prefix + name
            left_tree = left[1] if left is not None and left[0] == MODE_DIRECTORY else None
            right_tree = right[1] if right is not None and right[0] == MODE_DIRECTORY else None
            text = os.fsdecode(path)
            left_file = TreeEntry(text, *left) if left is not None and left_tree is None else None
            right_file = (
                TreeEntry(text, *right) if right is not None and right_tree is None else None
            )
            if left_file is not None or right_file is not None:
                yield TreeChange(text, left_file, right_file)
            if left_tree is not None or right_tree is not None:
                yield from self._compare(left_tree, right_tree, path + b"/")


def missing_object(oid: str) -> RepositoryError:
    """The error for an object that is not in the store."""
    return failure(f"missing object {oid}")
