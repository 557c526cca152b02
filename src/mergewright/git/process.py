"""Runs git itself, shut off from configuration, hooks, filters, drivers, network and prompts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from mergewright.model.errors import RepositoryError

#: First version whose ``merge-tree`` merges two commits the way ``git merge`` does.
MERGE_TREE_VERSION = (2, 38)

_KEPT = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")


def sealed_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which git reads no configuration but the repository's own.

    Nothing is fetched (a missing object is an error), nothing is asked, messages are English.
    """
    environment = {key: os.environ[key] for key in _KEPT if key in os.environ}
    environment |= {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_LAZY_FETCH": "1",
        # Versions that do not know the above cannot fetch either: no transport is allowed.
        "GIT_ALLOW_PROTOCOL": "",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "LC_ALL": "C",
    }
    return environment | dict(extra or {})


@lru_cache(maxsize=1)
def git_version() -> tuple[int, int] | None:
    """Major and minor version of the git on the path; ``None`` when there is none."""
    program = shutil.which("git")
    if program is None:
        return None
    try:
        text = subprocess.run(
            [program, "--version"],
            capture_output=True,
            check=True,
            timeout=30,
            env=sealed_environment(),
        ).stdout.decode(errors="replace")
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r"(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else None


def has_merge_tree() -> bool:
    """Whether the git on the path can merge two commits in memory."""
    version = git_version()
    return version is not None and version >= MERGE_TREE_VERSION


def failure(said: str) -> RepositoryError:
    """The error for what git or libgit2 said; a missing object gets the hint how to get it."""
    missing = re.search(
        r"(?:unable to read|could not (?:get|read)|missing|bad object|not found|failed to read)"
        r".*?\b([0-9a-f]{40})\b",
        said,
    )
    if missing is None:
        return RepositoryError(said)
    return RepositoryError(
        f"object {missing[1]} is missing from the repository",
        hint="The clone may be partial or shallow: fetch the missing history "
        "(git fetch --unshallow, or git fetch --refetch --no-filter) and try again.",
    )


def run_git(
    arguments: Sequence[str | bytes],
    *,
    cwd: Path,
    data: bytes | None = None,
    name: str = "",
    statuses: Sequence[int] = (0,),
    extra: Mapping[str, str] | None = None,
    beside: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run git in the sealed environment.

    Args:
        arguments: Without the program's name.
        cwd: Where to run.
        data: Standard input.
        name: What git is asked to do, for the error message; by default the first argument.
        statuses: Exit statuses that are answers; any other is an error.
        extra: Further environment variables.
        beside: Called while git works; what it raises ends git.

    Raises:
        RepositoryError: git is not there or gave another status; the message is its own.
    """
    name = name or os.fsdecode(arguments[0])
    try:
        process = subprocess.Popen(
            ["git", *arguments],
            cwd=cwd,
            stdin=subprocess.DEVNULL if data is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=sealed_environment(extra),
        )
    except OSError as error:
        raise RepositoryError(f"git cannot be run: {error}") from error
    with process:
        try:
            if beside is not None:
                beside()
            out, err = process.communicate(data)
        except BaseException:
            process.kill()
            raise
    if process.returncode not in statuses:
        said = err.decode(errors="replace").strip() or f"exit status {process.returncode}"
        raise failure(f"git {name} failed: {said}")
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)
