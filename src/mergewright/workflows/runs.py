"""The report of the last run, kept in the git folder for ``resolve explain``."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mergewright.git.repository import Repository
from mergewright.model.errors import RepositoryError
from mergewright.resolve.reporting import SCHEMA, VERSION

#: Folder below the git folder (of the worktree, where there are several) that holds our state.
STATE_FOLDER = "mergewright"
LAST_RUN = "last-run.json"


def state_folder(repository: Repository) -> Path:
    """Where runs of this worktree are kept; it may not exist yet."""
    return repository.git_dir / STATE_FOLDER


def keep_run(repository: Repository, report: Mapping[str, Any]) -> None:
    """Keep a report as the last run's, replacing the one before in one step.

    Raises:
        RepositoryError: It cannot be written.
    """
    folder = state_folder(repository)
    partial = folder / f".{LAST_RUN}.{os.getpid()}"
    try:
        folder.mkdir(exist_ok=True)
        partial.write_text(json.dumps(report, indent=1) + "\n", encoding="ascii")
        partial.replace(folder / LAST_RUN)
    except OSError as error:
        raise RepositoryError(f"the report cannot be kept in {folder}: {error}") from error
    finally:
        partial.unlink(missing_ok=True)


def last_run(repository: Repository) -> dict[str, Any]:
    """The report of the last run that wrote something.

    Raises:
        RepositoryError: There is none, or it is not readable.
    """
    file = state_folder(repository) / LAST_RUN
    try:
        report: dict[str, Any] = json.loads(file.read_text(encoding="ascii"))
    except FileNotFoundError:
        raise RepositoryError(
            "there is no run to explain", hint="Run resolve in this worktree first."
        ) from None
    except (OSError, ValueError) as error:
        raise RepositoryError(f"{file} cannot be read: {error}") from error
    if report.get("schema") != SCHEMA or report.get("version") != VERSION:
        raise RepositoryError(f"{file} was written by another version of mergewright")
    return report
