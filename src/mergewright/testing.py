"""Repositories built from values, for tests of merges and of bots that use the library.

Commits have fixed authors, dates and ids; the user's and the system's git configuration, hooks and
templates have no part in it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mergewright.model.conflict import MODE_REGULAR
from mergewright.model.errors import UsageError

#: Time of the first commit unless told otherwise: 2026-01-05 09:00:00 UTC, a Monday.
EPOCH = 1767603600
#: Author and committer unless told otherwise.
AUTHOR = "Ada Example <ada@example.org>"


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitSpec:
    """A commit to build.

    Attributes:
        name: Name by which parents and branches refer to it; not stored in the repository.
        parents: Names of its parents, first parent first; they stand earlier in the list.
        files: The whole tree: path to bytes, or to a pair of git file mode and bytes (for a
            submodule, mode ``0o160000`` and the hexadecimal commit id).
        message: Subject, blank line, body and trailers.
        author: ``Name <address>``.
        time: Author and committer time in seconds since 1970, UTC.
        committer: ``Name <address>``; the author unless given.
    """

    name: str
    files: Mapping[str, bytes | tuple[int, bytes]] = field(repr=False)
    parents: tuple[str, ...] = ()
    message: str = "commit\n"
    author: str = AUTHOR
    time: int = EPOCH
    committer: str | None = None


def sealed_environment() -> dict[str, str]:
    """Environment for git that keeps the user's configuration, time zone and language out."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    env.update(
        HOME=os.devnull,
        XDG_CONFIG_HOME=os.devnull,
        GIT_CONFIG_NOSYSTEM="1",
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_ATTR_NOSYSTEM="1",
        GIT_TERMINAL_PROMPT="0",
        GIT_EDITOR="false",
        GIT_PAGER="cat",
        GIT_AUTHOR_NAME="Ada Example",
        GIT_AUTHOR_EMAIL="ada@example.org",
        GIT_AUTHOR_DATE=f"{EPOCH} +0000",
        GIT_COMMITTER_NAME="Ada Example",
        GIT_COMMITTER_EMAIL="ada@example.org",
        GIT_COMMITTER_DATE=f"{EPOCH} +0000",
        LC_ALL="C",
        TZ="UTC",
    )
    return env


def git(
    directory: Path, *arguments: str, data: bytes | None = None, check: bool = True
) -> subprocess.CompletedProcess[bytes]:
    """Run git in a directory with the sealed environment.

    Args:
        directory: Where to run.
        arguments: The arguments after ``git``.
        data: Standard input.
        check: Whether a status other than 0 is an error.

    Raises:
        UsageError: Git failed and ``check`` is set; the message holds what git said.
    """
    done = subprocess.run(
        ["git", "-c", "core.autocrlf=false", "-c", "core.fsmonitor=false", *arguments],
        cwd=directory,
        env=sealed_environment(),
        input=data,
        stdin=subprocess.DEVNULL if data is None else None,
        capture_output=True,
        check=False,
    )
    if check and done.returncode != 0:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        raise UsageError(f"git {' '.join(arguments)} in {directory}: {said}")
    return done


def _quoted(path: str) -> bytes:
    raw = os.fsencode(path)
    return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'


def _stream(commits: Sequence[CommitSpec], branches: Mapping[str, str]) -> bytes:
    marks = {commit.name: number for number, commit in enumerate(commits, start=1)}
    out: list[bytes] = []
    for commit in commits:
        who = f"{commit.author} {commit.time} +0000"
        by = f"{commit.committer or commit.author} {commit.time} +0000"
        message = commit.message.encode()
        out.append(
            f"commit refs/build/{marks[commit.name]}\nmark :{marks[commit.name]}\n"
            f"author {who}\ncommitter {by}\ndata {len(message)}\n".encode()
        )
        out.append(message + b"\n")
        for position, parent in enumerate(commit.parents):
            out.append(f"{'merge' if position else 'from'} :{marks[parent]}\n".encode())
        out.append(b"deleteall\n")
        for path, entry in sorted(commit.files.items()):
            mode, data = (MODE_REGULAR, entry) if isinstance(entry, bytes) else entry
            if mode == 0o160000:
                out.append(b"M 160000 " + data + b" " + _quoted(path) + b"\n")
                continue
            out.append(f"M {mode:o} inline ".encode() + _quoted(path) + b"\n")
            out.append(f"data {len(data)}\n".encode() + data + b"\n")
    out += [f"reset refs/build/{mark}\nfrom {'0' * 40}\n\n".encode() for mark in marks.values()]
    for branch, name in branches.items():
        out.append(f"reset refs/heads/{branch}\nfrom :{marks[name]}\n\n".encode())
    return b"".join(out)


def build_repository(
    path: Path,
    commits: Sequence[CommitSpec],
    *,
    branches: Mapping[str, str],
    head: str | None = None,
    bare: bool = False,
) -> dict[str, str]:
    """Build a repository from commits.

    Args:
        path: The directory; made if it is not there, empty otherwise.
        commits: The commits, parents before children.
        branches: Branch names and the names of the commits that they point to.
        head: The branch that is checked out; the first of ``branches`` unless given.
        bare: Without a worktree.

    Returns:
        The commits' names and full ids.

    Raises:
        UsageError: A parent or branch names no earlier commit, or git refuses.
    """
    seen: set[str] = set()
    for commit in commits:
        missing = [parent for parent in commit.parents if parent not in seen]
        if missing or commit.name in seen:
            raise UsageError(
                f"commit {commit.name!r}: "
                + (f"no earlier commit {missing[0]!r}" if missing else "its name is taken")
            )
        seen.add(commit.name)
    unknown = [name for name in branches.values() if name not in seen]
    if unknown:
        raise UsageError(f"no commit {unknown[0]!r} for a branch to point to")
    head = head or next(iter(branches))
    path.mkdir(parents=True, exist_ok=True)
    init = ["init", "--quiet", f"--initial-branch={head}", "--template="]
    git(path, *init, *(["--bare"] if bare else []), ".")
    marks = path / ("marks" if bare else ".git/marks")
    git(
        path,
        "fast-import",
        "--quiet",
        "--date-format=raw",
        f"--export-marks={marks}",
        data=_stream(commits, branches),
    )
    lines = marks.read_text(encoding="ascii").split("\n")
    marks.unlink()
    by_mark = dict(line.lstrip(":").split(" ") for line in lines if line)
    if not bare:
        git(path, "reset", "--hard", "--quiet", head)
    return {commit.name: by_mark[str(number)] for number, commit in enumerate(commits, start=1)}
