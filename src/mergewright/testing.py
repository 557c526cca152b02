"""Repositories built from values, for tests of merges and of bots that use the library.

Commits have fixed authors, dates and ids; the user's and the system's git configuration, hooks and
templates have no part in it. :func:`build_repository` makes a whole history from a list of commits;
:class:`Sandbox` grows one commit by commit and runs real merges in its worktree.
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


@dataclass(frozen=True, slots=True)
class File:
    """A file of a commit whose mode is not that of a plain file.

    Attributes:
        data: The content; the target of a symlink; the hexadecimal commit id of a submodule.
        mode: Git's mode: ``100644``, ``100755``, ``120000`` (symlink) or ``160000`` (submodule).
    """

    data: str | bytes
    mode: str = "100644"


def executable(data: str | bytes) -> File:
    """A file with the executable bit."""
    return File(data, "100755")


def symlink(target: str | bytes) -> File:
    """A symbolic link."""
    return File(target, "120000")


def submodule(commit: str) -> File:
    """A submodule entry that records ``commit``."""
    return File(commit, "160000")


Content = str | bytes | File | None
#: What a commit changes: path to new content; ``None`` deletes the path.
Changes = Mapping[str | bytes, Content]


class Sandbox:
    """A place for repositories that sees nothing of the user's git set-up.

    Args:
        root: An existing empty folder; repositories and the private HOME are made below it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.home.mkdir(parents=True, exist_ok=True)
        self._clock = EPOCH

    @property
    def env(self) -> dict[str, str]:
        """The environment in which git (and the command under test) should run."""
        now = f"{self._clock} +0000"
        return sealed_environment() | {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "GIT_EDITOR": "true",
            "GIT_AUTHOR_DATE": now,
            "GIT_COMMITTER_DATE": now,
        }

    def tick(self) -> int:
        """Go on by a minute and give the time in seconds since the epoch."""
        self._clock += 60
        return self._clock

    def run(
        self, *arguments: str | bytes, cwd: Path, data: bytes | None = None, check: bool = True
    ) -> subprocess.CompletedProcess[bytes]:
        """Run git.

        Raises:
            AssertionError: git failed and ``check`` is set; the message holds its output.
        """
        done = subprocess.run(
            ["git", *arguments], cwd=cwd, env=self.env, input=data, capture_output=True, check=False
        )
        if check and done.returncode != 0:
            raise AssertionError(
                f"git {arguments!r} gave {done.returncode}: "
                f"{(done.stdout + done.stderr).decode(errors='replace')}"
            )
        return done

    def repository(self, name: str = "repo", *, bare: bool = False) -> SandboxRepository:
        """Make an empty repository whose first branch is ``main``."""
        path = self.root / name
        self.run(
            "init", "--quiet", "--initial-branch=main", *(["--bare"] if bare else []), str(path),
            cwd=self.root,
        )  # fmt: skip
        return SandboxRepository(self, path)


class SandboxRepository:
    """A repository of a sandbox.

    Attributes:
        path: Its folder: the worktree, or the repository itself when bare.
    """

    def __init__(self, sandbox: Sandbox, path: Path) -> None:
        self.sandbox = sandbox
        self.path = path

    def git(self, *arguments: str | bytes, data: bytes | None = None) -> bytes:
        """Run git here and give its standard output.

        Raises:
            AssertionError: git failed.
        """
        return self.sandbox.run(*arguments, cwd=self.path, data=data).stdout

    def try_git(self, *arguments: str | bytes) -> subprocess.CompletedProcess[bytes]:
        """Run git here; a failure is no error."""
        return self.sandbox.run(*arguments, cwd=self.path, check=False)

    def oid(self, revision: str) -> str:
        """The full id of a revision."""
        return self.git("rev-parse", "--verify", revision).decode().strip()

    def commit(
        self,
        branch: str,
        changes: Changes,
        *,
        message: str = "change",
        parents: Sequence[str] | None = None,
        author: str = AUTHOR,
        date: int | None = None,
    ) -> str:
        """Add a commit to a branch without touching the worktree.

        Args:
            branch: The branch that moves to the new commit; made if it does not exist.
            changes: What changes against the first parent.
            message: The commit message.
            parents: Full ids; by default the tip of the branch, or none when it does not exist.
                An empty sequence makes a root commit.
            author: ``Name <address>``.
            date: Author and committer time, seconds since the epoch; by default the clock's.

        Returns:
            The full id of the commit.
        """
        reference = f"refs/heads/{branch}"
        if parents is None:
            tip = self.try_git("rev-parse", "--quiet", "--verify", f"{reference}^0")
            parents = [tip.stdout.decode().strip()] if tip.returncode == 0 else []
        when = self.sandbox.tick() if date is None else date
        stream = _commit_command(1, reference, changes, message, parents, author, when)
        return self._import(stream, 1)[0]

    def _import(self, stream: bytes, count: int) -> list[str]:
        """Run fast-import and give the ids of the commits marked 1 to ``count``."""
        marks = self.sandbox.home / "marks"
        # Forced: a branch may be moved back to an older commit.
        self.git("fast-import", "--quiet", "--force", f"--export-marks={marks}", data=stream)
        found = dict(line.split(" ") for line in marks.read_text(encoding="ascii").splitlines())
        return [found[f":{number}"] for number in range(1, count + 1)]

    def branch(self, name: str, start: str) -> None:
        """Point a branch at a commit, whatever it was before."""
        self.git("update-ref", f"refs/heads/{name}", self.oid(start))

    def three_way(self, base: Changes, ours: Changes, theirs: Changes) -> tuple[str, str, str]:
        """A base commit with branches ``dev`` (ours) and ``main`` (theirs), a commit each.

        Returns:
            The full ids of base, ours and theirs.
        """
        tick = self.sandbox.tick
        main, dev = "refs/heads/main", "refs/heads/dev"
        stream = (
            _commit_command(1, main, base, "base", (), AUTHOR, tick())
            + _commit_command(2, dev, ours, "ours", (":1",), AUTHOR, tick())
            + _commit_command(3, main, theirs, "theirs", (":1",), AUTHOR, tick())
        )
        root, first, second = self._import(stream, 3)
        return root, first, second

    def checkout(self, branch: str) -> None:
        """Check a branch out, throwing away whatever the worktree and the index hold."""
        self.git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
        self.git("reset", "--quiet", "--hard")
        self.git("clean", "-ffdxq")

    def merge(self, *revisions: str, options: Sequence[str] = ()) -> int:
        """Run ``git merge`` in the worktree; the exit status is 1 when it stops with conflicts."""
        self.sandbox.tick()
        return self.try_git("merge", "--no-edit", *options, *revisions).returncode

    def write(self, path: str | bytes, content: str | bytes) -> Path:
        """Write a worktree file, making its folders."""
        target = Path(os.fsdecode(os.path.join(os.fsencode(self.path), os.fsencode(path))))  # noqa: PTH118 - bytes
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(_bytes(content))
        return target

    def read(self, path: str | bytes) -> bytes:
        """The bytes of a worktree file."""
        return Path(self.path, os.fsdecode(path)).read_bytes()


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content


def _commit_command(
    mark: int,
    reference: str,
    changes: Changes,
    message: str,
    parents: Sequence[str],
    author: str,
    when: int,
) -> bytes:
    text = message.encode()
    lines = [
        # Without this a commit without parents would get the branch's tip as its parent.
        b"reset %s\n" % reference.encode() if not parents else b"",
        b"commit %s\nmark :%d\n" % (reference.encode(), mark),
        b"author %s %d +0000\n" % (author.encode(), when),
        b"committer %s %d +0000\n" % (AUTHOR.encode(), when),
        b"data %d\n%s\n" % (len(text), text),
    ]
    for index, parent in enumerate(parents):
        lines.append(b"%s %s\n" % (b"merge" if index else b"from", parent.encode()))
    # Deletions first: a file may give way to a folder of the same name.
    for path, content in sorted(changes.items(), key=lambda item: item[1] is not None):
        lines.append(_file_command(path, content))
    return b"".join([*lines, b"\n"])


def _file_command(path: str | bytes, content: Content) -> bytes:
    quoted = _quoted(os.fsdecode(path))
    if content is None:
        return b"D %s\n" % quoted
    file = content if isinstance(content, File) else File(content)
    data = _bytes(file.data)
    if file.mode == "160000":
        return b"M 160000 %s %s\n" % (data, quoted)
    return b"M %s inline %s\ndata %d\n%s\n" % (file.mode.encode(), quoted, len(data), data)
