"""Writes a plan to a worktree, takes it back, and shows what would change."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from mergewright.git import writing
from mergewright.git.repository import Repository
from mergewright.model.errors import RepositoryError
from mergewright.model.resolution import Deferred, Failed, PathOutcome, Resolved
from mergewright.resolve.treeconflicts import printable
from mergewright.workflows.resolving import WorktreePlan
from mergewright.workflows.runs import keep_run


def write_plan(planned: WorktreePlan, *, stage: bool = True) -> WorktreePlan:
    """Write a plan: blobs, index and worktree files, all or nothing; :func:`undo` takes it back.

    Paths that the user changed meanwhile are left alone and come back as deferrals.

    Args:
        planned: The plan of a worktree.
        stage: Whether what is settled is staged.

    Returns:
        The plan as it was carried out.

    Raises:
        RepositoryError: The index is locked or changed, or writing failed: nothing was changed. A
            pinned path does not hold what was written.
    """
    repository = planned.repository
    done = writing.write_plan(repository, planned.merge, planned.plan, stage=stage)
    carried_out = replace(planned, plan=done)
    keep_run(repository, carried_out.report(dry_run=False, staged=stage))
    verify_pins(carried_out, stage=stage)
    return carried_out


def verify_pins(planned: WorktreePlan, *, stage: bool = True) -> None:
    """Read the pinned paths again and hold them against ours, byte for byte.

    Raises:
        RepositoryError: One differs; it is named.
    """
    repository = planned.repository
    ours = planned.plan.source.commits.ours
    pinned = [o.path for o in planned.plan.resolved if o.strategy == "pinned"]
    if not pinned or ours is None or not stage:
        return
    index = repository.index_entries()
    for path in pinned:
        if index.get(path) != repository.objects.entry(ours, path):
            raise RepositoryError(
                f"the pinned path {printable(path)} is not as in ours after writing",
                hint="resolve undo brings back the state before; please report this.",
            )


def undo(repository: Repository, *, force: bool = False) -> writing.Undone:
    """Bring files and index back to what they were before the last run, byte for byte.

    Args:
        repository: The repository of the worktree.
        force: Also throw away what was edited since the run.

    Raises:
        RepositoryError: There is no run to undo, its merge is over, or files were edited since.
    """
    return writing.undo(repository, force=force)


def differences(planned: WorktreePlan) -> Iterator[str]:
    """Unified diffs from what the worktree holds now to what the plan would write."""
    root = planned.repository.require_worktree()
    for entry in planned.plan.paths:
        outcome = entry.outcome
        if isinstance(outcome, Failed) or (isinstance(outcome, Deferred) and outcome.data is None):
            continue
        if isinstance(outcome, Resolved) and outcome.oid is not None:
            continue
        yield from _difference(root, outcome, outcome.data)


def _difference(root: Path, outcome: PathOutcome, after: bytes | None) -> Iterator[str]:
    place = root / outcome.path
    before = place.read_bytes() if place.is_file() and not place.is_symlink() else b""
    name = printable(outcome.path)
    if b"\0" in before or b"\0" in (after or b""):
        if before != after:
            yield f"Binary file {name} differs\n"
        return
    yield from unified(name, before, after)


def unified(name: str, before: bytes, after: bytes | None) -> Iterator[str]:
    """A unified diff of two texts under one name; ``None`` where the file goes away."""
    lines = [
        data.decode("utf-8", "backslashreplace").splitlines(keepends=True)
        for data in (before, after or b"")
    ]
    label = "/dev/null" if after is None else f"b/{name}"
    for line in difflib.unified_diff(lines[0], lines[1], f"a/{name}", label):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
