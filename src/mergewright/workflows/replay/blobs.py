"""Blobs of local repositories, read through one ``git cat-file --batch`` a repository."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

from mergewright.model.errors import RepositoryError, UsageError


def git_directory(path: Path) -> Path | None:
    """The git directory of a work tree or bare repository, ``None`` if it is neither."""
    for candidate in (path, path / ".git", path / "repo", path / "repo" / ".git"):
        if (candidate / "HEAD").is_file() and (candidate / "objects").is_dir():
            return candidate
        if candidate.name == ".git" and candidate.is_file():  # a linked work tree or submodule
            text = candidate.read_text(encoding="utf-8", errors="surrogateescape")
            target = Path(text.removeprefix("gitdir:").strip())
            return target if target.is_absolute() else (candidate.parent / target).resolve()
    return None


def find_repository(folder: Path, name: str) -> Path:
    """Where a repository called ``owner/name`` lies below a folder.

    Looked for, in this order: ``owner+name``, ``owner/name``, ``owner__name``, ``name``, each also
    with ``.git`` at the end; in each, a bare repository, a work tree, or either in ``repo``.

    Raises:
        UsageError: there is none.
    """
    short = name.rsplit("/", 1)[-1]
    for stem in (name.replace("/", "+"), name, name.replace("/", "__"), short):
        for candidate in (folder / stem, folder / f"{stem}.git"):
            found = git_directory(candidate)
            if found is not None:
                return found
    raise UsageError(
        f"No repository {name} below {folder}.",
        hint=f"Clone it there: git clone --bare URL {folder / name.replace('/', '+')}",
    )


class BlobReader:
    """Reads objects by id.

    Args:
        repository: A git directory.
    """

    def __init__(self, repository: Path) -> None:
        self._process = subprocess.Popen(
            ["git", "--git-dir", str(repository), "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.repository = repository

    def read(self, oid: str) -> bytes:
        """The content of an object.

        Raises:
            RepositoryError: the object is not there.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RepositoryError("git cat-file has no pipes.")
        stdin.write(oid.encode() + b"\n")
        stdin.flush()
        head = stdout.readline().split()
        if len(head) != 3:
            raise RepositoryError(f"{self.repository} has no object {oid}")
        size = int(head[2])
        data = stdout.read(size)
        stdout.read(1)
        return data

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                pipe.close()
        self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
