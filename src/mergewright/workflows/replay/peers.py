"""Peers: other merge tools behind one small interface, a few lines each."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mergewright.model.errors import UsageError
from mergewright.model.threeway import ThreeWay


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """What one tool makes of one file.

    Attributes:
        data: The result, with conflict markers where something is open; ``None`` for no result.
        deleted: The answer is that the path goes away.
        seconds: Wall time of the tool alone.
        error: Why there is no result.
    """

    data: bytes | None
    seconds: float = 0.0
    error: str = ""
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool that merges one file.

    Attributes:
        name: As in ``--peers``.
        version: Asks for the version; ``None`` when the tool is not installed.
        merge: Path, the three versions, time limit in seconds.
    """

    name: str
    version: Callable[[], str | None]
    merge: Callable[[str, ThreeWay[bytes | None], float], Attempt]


def _program_version(program: str, *arguments: str) -> Callable[[], str | None]:
    def ask() -> str | None:
        if shutil.which(program) is None:
            return None
        done = subprocess.run(
            [program, *arguments], capture_output=True, text=True, timeout=30, check=False
        )
        words = (done.stdout or done.stderr).split()
        numbers = [word for word in words if word[:1].isdigit()]
        return numbers[0] if numbers else "unknown"

    return ask


def _command(
    build: Callable[[dict[str, str], str], Sequence[str]], *, on_stdout: bool = False
) -> Callable[[str, ThreeWay[bytes | None], float], Attempt]:
    """An adapter for a command that merges files on disk."""

    def merge(path: str, versions: ThreeWay[bytes | None], limit: float) -> Attempt:
        if versions.ours is None or versions.theirs is None:
            # A file driver is never called for delete/modify: git leaves the conflict.
            return Attempt(data=left_open(versions))
        ending = os.path.splitext(path)[1] or ".txt"  # noqa: PTH122 - a path inside a repository
        with tempfile.TemporaryDirectory(prefix="replay-") as folder:
            names = {}
            for name, data in zip(("base", "ours", "theirs"), versions, strict=True):
                names[name] = str(Path(folder, name + ending))
                Path(names[name]).write_bytes(data or b"")
            names["out"] = str(Path(folder, "out" + ending))
            # Own data folder: a tool's memory of earlier merges must not colour this one.
            environment = dict(os.environ, XDG_DATA_HOME=folder, XDG_CONFIG_HOME=folder)
            started = time.perf_counter()
            try:
                done = subprocess.run(
                    build(names, path),
                    capture_output=True,
                    timeout=limit,
                    env=environment,
                    cwd=folder,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return Attempt(
                    data=None, seconds=time.perf_counter() - started, error=timed_out(limit)
                )
            seconds = time.perf_counter() - started
            if on_stdout:
                return Attempt(data=done.stdout, seconds=seconds)
            if Path(names["out"]).exists():
                return Attempt(data=Path(names["out"]).read_bytes(), seconds=seconds)
            error = done.stderr[-300:].decode("utf-8", "replace").strip()
            return Attempt(data=None, seconds=seconds, error=error or "no output")

    return merge


_TIMED_OUT = "timeout after "


def timed_out(limit: float) -> str:
    """The error of a tool that took too long; :func:`limit_of` reads it."""
    return f"{_TIMED_OUT}{limit:g} s"


def limit_of(error: str) -> float | None:
    """The limit, in seconds, that an error says was passed; ``None`` for any other error."""
    if not error.startswith(_TIMED_OUT):
        return None
    return float(error.removeprefix(_TIMED_OUT).removesuffix(" s"))


def left_open(versions: ThreeWay[bytes | None]) -> bytes:
    """The whole file as one conflict."""

    def lines(data: bytes | None) -> bytes:
        text = data or b""
        return text if text.endswith(b"\n") or not text else text + b"\n"

    return b"".join(
        (
            b"<<<<<<< ours\n",
            lines(versions.ours),
            b"||||||| base\n",
            lines(versions.base),
            b"=======\n",
            lines(versions.theirs),
            b">>>>>>> theirs\n",
        )
    )


def _always(side: str) -> Callable[[str, ThreeWay[bytes | None], float], Attempt]:
    def merge(_path: str, versions: ThreeWay[bytes | None], _limit: float) -> Attempt:
        data = versions.ours if side == "ours" else versions.theirs
        return Attempt(data=data, deleted=data is None)

    return merge


PEERS: dict[str, Peer] = {
    peer.name: peer
    for peer in (
        Peer(
            "git",
            _program_version("git", "--version"),
            _command(
                lambda f, _: [
                    "git",
                    "merge-file",
                    "-p",
                    "--diff3",
                    f["ours"],
                    f["base"],
                    f["theirs"],
                ],
                on_stdout=True,
            ),
        ),
        Peer(
            "mergiraf",
            _program_version("mergiraf", "--version"),
            _command(
                lambda f, path: [
                    "mergiraf",
                    "merge",
                    f["base"],
                    f["ours"],
                    f["theirs"],
                    "-o",
                    f["out"],
                    "-p",
                    path,
                ]
            ),
        ),
        Peer(
            "weave",
            _program_version("weave-driver", "--version"),
            _command(
                lambda f, path: [
                    "weave-driver",
                    f["base"],
                    f["ours"],
                    f["theirs"],
                    "-o",
                    f["out"],
                    "-p",
                    path,
                ]
            ),
        ),
        Peer("ours", lambda: "always", _always("ours")),
        Peer("theirs", lambda: "always", _always("theirs")),
    )
}


def choose_peers(names: Sequence[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The wanted peers that are installed, with their versions, and those that are not.

    Raises:
        UsageError: there is no adapter of that name.
    """
    present: dict[str, str] = {}
    absent = []
    for name in names:
        if name not in PEERS:
            raise UsageError(f"No peer {name!r}.", hint=f"There are: {', '.join(PEERS)}")
        version = PEERS[name].version()
        if version is None:
            absent.append(name)
        else:
            present[name] = version
    return present, tuple(absent)
