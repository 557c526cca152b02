"""The audit that rules ask for: files taken whole from a side are held against what they call."""

from __future__ import annotations

from dataclasses import replace

from mergewright.audit.values import AuditReport, Finding
from mergewright.git.repository import Repository
from mergewright.model.plan import MergePlan
from mergewright.model.resolution import Resolved
from mergewright.rules.book import RuleBook
from mergewright.rules.schema import DecidingRule
from mergewright.rules.words import Follow
from mergewright.workflows.auditing import AuditRequest, run_audit


def audited_paths(plan: MergePlan, book: RuleBook) -> tuple[str, ...]:
    """The paths that were decided by a rule which asks for the API audit.

    Args:
        plan: The plan.
        book: The rules it was made with.
    """
    asking = {
        loaded.id
        for loaded in book.rules
        if isinstance(loaded.rule, DecidingRule) and Follow.API in loaded.rule.audit
    }
    return tuple(
        entry.path
        for entry in plan.paths
        if isinstance(entry.outcome, Resolved)
        and entry.outcome.data is not None
        and any(decision.rule in asking for decision in entry.outcome.decisions)
    )


def follow_up(repository: Repository, plan: MergePlan, book: RuleBook) -> AuditReport | None:
    """Audit the files that a rule took whole, as the plan leaves the tree.

    Args:
        repository: A repository with the merge in its worktree.
        plan: The plan, written or not.
        book: The rules it was made with.

    Returns:
        The findings about those files: calls that they make and calls that are made to them;
        ``None`` when no rule asks for it.

    Raises:
        RepositoryError: The repository cannot be read.
    """
    paths = set(audited_paths(plan, book))
    if not paths:
        return None
    overlay: dict[str, bytes | None] = {}
    for outcome in plan.resolved:
        overlay.update(dict.fromkeys(outcome.drop))
        if outcome.oid is None:
            overlay[outcome.path] = outcome.data
    audit = run_audit(AuditRequest(folder=repository.require_worktree(), overlay=overlay))
    report = audit.report
    return replace(report, findings=tuple(f for f in report.findings if concerns(f, paths)))


def concerns(finding: Finding, paths: set[str]) -> bool:
    """Whether a finding shows in one of the files, or has its cause there."""
    return finding.origin in paths or any(place.path in paths for place in finding.places)
