"""Joins git to the audit: which trees, their blobs as values, the report."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mergewright.audit.analysers import DiagnosticCache
from mergewright.audit.run import AuditOptions, audit_trees
from mergewright.audit.values import EMPTY_TREE, AuditReport, Tree, Trees, blob_id
from mergewright.model.errors import RepositoryError, UsageError

#: How far behind HEAD the merge may lie when HEAD is a later fix of it.
MERGE_SEARCH_DEPTH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is audited, as ids and names.

    Attributes:
        base: Tree-ish of the merge base; ``None`` when there is none.
        ours: Tree-ish of the branch merged into.
        theirs: Tree-ish of the branch that was merged.
        merged: Tree-ish of the result; ``None`` for the worktree's files.
        remarks: What a reader should know of the choice.
    """

    base: str | None
    ours: str
    theirs: str
    merged: str | None
    remarks: tuple[str, ...] = ()


class Git:
    """Reads a repository with git's plumbing; runs no hook, filter or textconv.

    Args:
        folder: The repository: a worktree, a folder in one, or a bare repository.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._batch: subprocess.Popen[bytes] | None = None
        self._blobs: dict[str, bytes] = {}
        self.run("rev-parse", "--git-dir")

    def run(self, *arguments: str, ok: Sequence[int] = (0,)) -> str:
        """Output of a git command.

        Raises:
            RepositoryError: Git ends with another status.
        """
        return self.raw(*arguments, ok=ok).decode("utf-8", "surrogateescape")

    def raw(self, *arguments: str, ok: Sequence[int] = (0,)) -> bytes:
        """Like :meth:`run`, as bytes."""
        command = ["git", "-C", str(self.folder), "--no-pager", *arguments]
        try:
            result = subprocess.run(
                command, capture_output=True, check=False, env=self._environment()
            )
        except OSError as error:
            raise RepositoryError(f"git cannot be run: {error}") from error
        if result.returncode not in ok:
            text = result.stderr.decode("utf-8", "replace").strip().splitlines()
            raise RepositoryError(text[-1] if text else f"git {arguments[0]} failed")
        return result.stdout

    @staticmethod
    def _environment() -> dict[str, str]:
        return {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C", "GIT_NO_LAZY_FETCH": "1"}

    def commit(self, revision: str) -> str:
        """Full id of a commit.

        Raises:
            UsageError: There is no such commit.
        """
        out = self.run("rev-parse", "--verify", "-q", f"{revision}^{{commit}}", ok=(0, 1, 128))
        if not out.strip():
            raise UsageError(f"there is no commit {revision!r} in {self.folder}")
        return out.strip()

    def parents(self, commit: str) -> list[str]:
        """Parents of a commit."""
        return self.run("rev-list", "--parents", "-n", "1", commit).split()[1:]

    def blob(self, oid: str) -> bytes:
        """Bytes of a blob, kept for later.

        Raises:
            RepositoryError: The object is missing or no blob.
        """
        with self._lock:
            kept = self._blobs.get(oid)
            if kept is not None:
                return kept
            if self._batch is None:
                self._batch = subprocess.Popen(
                    ["git", "-C", str(self.folder), "cat-file", "--batch"],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=self._environment(),
                )
            stdin, stdout = self._batch.stdin, self._batch.stdout
            if stdin is None or stdout is None:
                raise RepositoryError("git cat-file gave no pipes")
            stdin.write(oid.encode() + b"\n")
            stdin.flush()
            header = stdout.readline().split()
            if len(header) != 3:
                raise RepositoryError(f"object {oid} is missing")
            data = stdout.read(int(header[2]))
            stdout.read(1)
            if header[1] != b"blob":
                raise RepositoryError(f"object {oid} is no blob")
            self._blobs[oid] = data
            return data

    def tree(self, treeish: str) -> Tree:
        """A tree as a value; blobs are read when asked for."""
        files: dict[str, str] = {}
        others: dict[str, str] = {}
        modes: dict[str, int] = {}
        for row in self.raw("ls-tree", "-r", "-z", "--full-tree", treeish).split(b"\0"):
            if not row:
                continue
            head, _, name = row.partition(b"\t")
            mode, kind, oid = head.decode().split()
            path = name.decode("utf-8", "surrogateescape")
            if kind == "blob" and mode != "120000":
                files[path] = oid
                if mode != "100644":
                    modes[path] = int(mode, 8)
            else:
                others[path] = f"{mode}:{oid}"
        return Tree(files=files, read=self.blob, others=others, modes=modes)

    def worktree(self) -> Tree:
        """The tracked files as they stand in the worktree.

        Raises:
            RepositoryError: There is no worktree.
        """
        root = Path(self.run("rev-parse", "--show-toplevel").strip())
        files: dict[str, str] = {}
        others: dict[str, str] = {}
        modes: dict[str, int] = {}
        extra: dict[str, bytes] = {}
        rows = self.raw("ls-files", "-s", "-z", "--full-name", ":/").split(b"\0")
        for row in rows:
            if not row:
                continue
            head, _, name = row.partition(b"\t")
            mode, oid, _ = head.decode().split()
            path = name.decode("utf-8", "surrogateescape")
            if mode in {"120000", "160000"}:
                others[path] = f"{mode}:{oid}"
                continue
            on_disk = root / path
            try:
                if on_disk.is_symlink() or not on_disk.is_file():
                    continue
                data = on_disk.read_bytes()
            except OSError:
                continue
            key = blob_id(data)
            extra[key] = data
            files[path] = key
            if mode != "100644":
                modes[path] = int(mode, 8)

        def read(oid: str) -> bytes:
            found = extra.get(oid)
            return self.blob(oid) if found is None else found

        return Tree(files=files, read=read, others=others, modes=modes)

    def close(self) -> None:
        """End the reading process."""
        if self._batch is not None:
            if self._batch.stdin is not None:
                self._batch.stdin.close()
            if self._batch.stdout is not None:
                self._batch.stdout.close()
            self._batch.wait()
            self._batch = None

    def merge_base(self, ours: str, theirs: str) -> tuple[str | None, tuple[str, ...]]:
        """The merge base and remarks on it."""
        found = self.run("merge-base", "--all", ours, theirs, ok=(0, 1)).split()
        if not found:
            return None, ("the histories are unrelated: nothing counts as old",)
        if len(found) > 1:
            return found[0], (f"there are {len(found)} merge bases; {found[0][:12]} is used",)
        return found[0], ()


def choose_target(
    git: Git,
    merge: str | None,
    *,
    trees: tuple[str, str, str] | None = None,
    base: str | None = None,
) -> Target:
    """What to audit.

    Args:
        git: The repository.
        merge: A merge commit, or a later commit on top of one; ``None`` for the merge in progress
            or the newest merge at HEAD.
        trees: Ours, theirs and merged as revisions, instead of a merge commit.
        base: Overrides the merge base.

    Raises:
        UsageError: There is no such commit, or no merge to be found.
    """
    remarks: tuple[str, ...] = ()
    merged: str | None
    if trees is not None:
        ours, theirs, merged = trees
        for name in trees:
            if not git.run("rev-parse", "--verify", "-q", f"{name}^{{tree}}", ok=(0, 1, 128)):
                raise UsageError(f"there is no tree {name!r} in {git.folder}")
        if base is None:
            both = [
                git.run("rev-parse", "--verify", "-q", f"{n}^{{commit}}", ok=(0, 1, 128)).strip()
                for n in (ours, theirs)
            ]
            if all(both):
                base, remarks = git.merge_base(both[0], both[1])
            else:
                remarks = ("trees without history and no --base: nothing counts as old",)
        return Target(base=base, ours=ours, theirs=theirs, merged=merged, remarks=remarks)
    head = git.commit(merge or "HEAD")
    in_progress = git.run("rev-parse", "--verify", "-q", "MERGE_HEAD", ok=(0, 1, 128)).split()
    if merge is None and in_progress:
        ours, theirs, merged = head, in_progress[0], None
    else:
        merged = head
        found = git.run(
            "rev-list",
            "--first-parent",
            "--min-parents=2",
            "--max-count=1",
            "--skip=0",
            head,
        ).split()
        if not found:
            raise UsageError(
                f"{head[:12]} is no merge and has none below it",
                hint="name a merge commit, or use --trees OURS THEIRS MERGED",
            )
        parents = git.parents(found[0])
        ours, theirs = parents[0], parents[1]
        if found[0] != head:
            remarks += (f"{head[:12]} is compared with the parents of merge {found[0][:12]}",)
        if len(parents) > 2:
            remarks += (f"{found[0][:12]} has {len(parents)} parents; the first two are compared",)
    if base is None:
        base, more = git.merge_base(ours, theirs)
        remarks += more
    return Target(base=base, ours=ours, theirs=theirs, merged=merged, remarks=remarks)


def read_trees(git: Git, target: Target) -> Trees:
    """The four trees of a target."""
    return Trees(
        base=git.tree(target.base) if target.base is not None else EMPTY_TREE,
        ours=git.tree(target.ours),
        theirs=git.tree(target.theirs),
        merged=git.tree(target.merged) if target.merged is not None else git.worktree(),
    )


def cache_folder() -> Path | None:
    """Where diagnostics are kept between runs; ``None`` when switched off by the environment."""
    if os.environ.get("MERGEWRIGHT_NO_CACHE"):
        return None
    root = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(root) / "mergewright" / "audit"


def audit_repository(
    folder: Path,
    merge: str | None = None,
    *,
    trees: tuple[str, str, str] | None = None,
    base: str | None = None,
    overlay: Mapping[str, bytes | None] | None = None,
    options: AuditOptions | None = None,
) -> AuditReport:
    """Audit a merge of a repository.

    Args:
        folder: The repository.
        merge: See :func:`choose_target`.
        trees: See :func:`choose_target`.
        base: See :func:`choose_target`.
        overlay: Files that replace those of the merged tree: a plan before it is written.
        options: Means and limits; by default with the user's cache.

    Raises:
        RepositoryError: The repository cannot be read.
        UsageError: There is no merge to audit.
    """
    git = Git(folder)
    try:
        target = choose_target(git, merge, trees=trees, base=base)
        four = read_trees(git, target)
        if overlay:
            four = Trees(
                base=four.base,
                ours=four.ours,
                theirs=four.theirs,
                merged=four.merged.overlaid(overlay),
            )
        labels = {
            "base": target.base or "",
            "ours": target.ours,
            "theirs": target.theirs,
            "merged": target.merged or "worktree",
        }
        options = options or AuditOptions(cache=DiagnosticCache(cache_folder()))
        return audit_trees(four, labels=labels, remarks=target.remarks, options=options)
    finally:
        git.close()
