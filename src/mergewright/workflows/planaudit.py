"""Audits a plan before it is written: the tree that it would give, against both parents."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mergewright.audit.merging import order
from mergewright.audit.values import AuditReport, Finding, Tier, Tree, Trees
from mergewright.git.trees import Objects
from mergewright.model.conflict import MODE_REGULAR, MODE_SUBMODULE, MODE_SYMLINK
from mergewright.model.errors import UsageError
from mergewright.model.plan import MergePlan
from mergewright.model.resolution import Resolved
from mergewright.workflows.auditing import AuditRequest, Reader, Target, audit_values

if TYPE_CHECKING:
    from mergewright.git.merging import InMemoryMerge
    from mergewright.workflows.resolving import Plan


def audit_plan(
    planned: Plan, merge: InMemoryMerge | None = None, *, rules: Sequence[str] = ()
) -> AuditReport:
    """Audit the tree that a plan would give.

    What the plan leaves open counts as ours there, and the report says so: a conflict is no loss.

    Args:
        planned: The plan.
        merge: The merge in memory that it was made for; ``None`` for the worktree's conflict.
        rules: Rule files or packs whose policy is checked.

    Raises:
        RepositoryError: An object is not there.
        UsageError: The plan's sides are no commits (a stash without a base).
    """
    commits = planned.plan.source.commits
    if commits.ours is None or commits.theirs is None:
        raise UsageError("the sides of this plan are no commits; there is nothing to audit")
    reader = Reader(planned.repository.git_dir)
    target = Target(
        base=commits.base,
        ours=commits.ours,
        theirs=commits.theirs,
        merged=None,
        remarks=_remarks(planned.plan),
    )
    ours = reader.tree(commits.ours)
    below = reader.worktree() if merge is None else tree_of(merge.objects, merge.tree)
    changes: dict[str, bytes | None] = {}
    for entry in planned.plan.paths:
        outcome = entry.outcome
        if isinstance(outcome, Resolved):
            if outcome.oid is None and outcome.mode not in {MODE_SYMLINK, MODE_SUBMODULE}:
                changes[outcome.path] = outcome.data
            changes.update(dict.fromkeys(outcome.drop))
        elif entry.conflict is not None and entry.conflict.versions.ours is not None:
            # Under the path of the result, also where the other side renamed the file.
            version = entry.conflict.versions.ours
            if version.mode not in {MODE_SYMLINK, MODE_SUBMODULE}:
                changes[entry.path] = version.data
        elif entry.path in ours.files or entry.path in below.files:
            changes[entry.path] = ours.data(entry.path)
    trees = Trees(
        base=reader.tree(commits.base) if commits.base is not None else Tree(files={}, read=_none),
        ours=ours,
        theirs=reader.tree(commits.theirs),
        merged=below.overlaid(changes),
    )
    request = AuditRequest(folder=planned.repository.git_dir, rules=rules)
    report = audit_values(request, reader, target, trees).report
    waiting = {
        entry.path for entry in planned.plan.paths if not isinstance(entry.outcome, Resolved)
    }
    findings = order(_of_open_paths(finding, waiting) for finding in report.findings)
    labels = {**report.labels, "merged": "plan"}
    return replace(report, labels=labels, findings=tuple(findings))


def _of_open_paths(finding: Finding, waiting: Collection[str]) -> Finding:
    """A mismatch with a file that is still a conflict is no fault of the plan: it is for review.

    The file counts as ours until somebody settles it.
    """
    if finding.origin in waiting:
        path = finding.origin
    elif all(place.path in waiting for place in finding.places):
        path = finding.path
    else:
        return finding
    return finding.lowered(Tier.REVIEW, f"{path} is still open and counts as ours here")


def _none(oid: str) -> bytes:
    raise KeyError(oid)


def _remarks(plan: MergePlan) -> tuple[str, ...]:
    left = len(plan.deferred) + len(plan.failed)
    return (f"{left} path(s) are still open and count as ours",) if left else ()


def tree_of(objects: Objects, treeish: str) -> Tree:
    """A tree of an object store as a value."""
    files: dict[str, str] = {}
    others: dict[str, str] = {}
    modes: dict[str, int] = {}
    for path, entry in objects.entries(treeish).items():
        if entry.mode in (MODE_SYMLINK, MODE_SUBMODULE):
            others[path] = f"{entry.mode:o}:{entry.oid}"
            continue
        files[path] = entry.oid
        if entry.mode != MODE_REGULAR:
            modes[path] = entry.mode
    return Tree(files=files, read=objects.blob, others=others, modes=modes)
