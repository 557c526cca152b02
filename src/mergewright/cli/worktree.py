"""``resolve [PATHS…]``: the conflicted worktree."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from mergewright.cli import show, terminal

if TYPE_CHECKING:
    from mergewright.audit.values import AuditReport


@click.command()
@click.argument("paths", nargs=-1, type=click.Path())
@click.option("-C", "repo", type=click.Path(), default=".", help="The worktree. [default: .]")
@click.option(
    "--rules",
    multiple=True,
    metavar="FILE",
    help="Rule file or name of a shipped pack; repeatable.",
)
@click.option("--dry-run", is_flag=True, help="Show the same plan, write nothing.")
@click.option("--diff", is_flag=True, help="Show what changes in the files, on stdout.")
@click.option("--json", "json_to", metavar="FILE", help="Write the report as JSON; - is stdout.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Processes that resolve files at once. [default: the cores there are]",
)
@click.option("--audit", "audit_first", is_flag=True, help="Audit the result before it is written.")
@click.option("--no-stage", is_flag=True, help="Write the files, leave the index as it is.")
@click.option("--no-audit", is_flag=True, help="Skip the audit that a rule asks for.")
def worktree(
    paths: tuple[str, ...],
    repo: str,
    rules: tuple[str, ...],
    dry_run: bool,
    diff: bool,
    json_to: str | None,
    jobs: int | None,
    audit_first: bool,
    no_stage: bool,
    no_audit: bool,
) -> int:
    """Settle the conflicts of the worktree, all or those that PATHS name.

    Works wherever git stopped with conflicts: merge, cherry-pick, revert, rebase, stash pop. What
    is settled is staged; what is left stays a conflict, as small as possible and labelled. resolve
    undo brings back the state before.

    Exit status: 0 nothing left, 1 conflicts left, 2 an error.
    """
    if json_to == "-" and diff:
        raise click.UsageError("--json - and --diff both want stdout; give --json a file")
    import mergewright
    from mergewright.audit.reports import as_json
    from mergewright.git.repository import Repository
    from mergewright.model.errors import MergewrightError
    from mergewright.rules.loading import load_rules
    from mergewright.workflows.followup import follow_up
    from mergewright.workflows.parallel import usable_cores
    from mergewright.workflows.resolving import Settings, plan_worktree
    from mergewright.workflows.sources import default_sources
    from mergewright.workflows.writing import differences, write_plan

    repository = Repository.open(repo)
    with terminal.Progress("resolving") as progress:
        planned = plan_worktree(
            repository,
            paths,
            settings=Settings(
                rules=rules,
                progress=progress,
                sources=partial(default_sources, keep=not dry_run),
                jobs=jobs or usable_cores(),
            ),
        )
    operation = planned.merge.operation
    if operation.name != "merge":
        terminal.say(operation.sentence())
    for warning in show.folded(planned.plan.warnings):
        terminal.warn(warning)
    if audit_first:
        from mergewright.audit.render import terminal as audit_text
        from mergewright.workflows.planaudit import audit_plan

        terminal.say(audit_text(audit_plan(planned, rules=rules)))
    shown = "".join(differences(planned)) if diff else ""
    # Read before anything is written: the merge may change the rule file at the root.
    book = load_rules(rules, root=repository.workdir)
    if not dry_run:
        planned = write_plan(planned, stage=not no_stage)
    extra: dict[str, Any] = {"dry_run": dry_run, "staged": not (dry_run or no_stage)}
    if operation.name == "merge" and not (no_audit or audit_first):
        try:
            audited = follow_up(repository, planned.plan, book)
        except MergewrightError as error:
            # What was settled is written; that it could not be audited is said, not a failure.
            terminal.warn(f"the audit that a rule asks for could not be made: {error.message}")
            audited = None
        if audited is not None:
            extra["audit"] = as_json(audited, version=mergewright.__version__)
            _say_audit(audited)
    report = planned.report(**extra)
    terminal.put(shown)
    if json_to is not None:
        terminal.write_json(report, json_to)
    show.print_report(report, sys.stderr if diff or json_to == "-" else sys.stdout)
    left = bool(report["summary"]["deferred"] or report["summary"]["failed"])
    _next_steps(report, dry_run=dry_run, stage=not no_stage, operation=operation.name, left=left)
    return 1 if left else 0


def _say_audit(report: AuditReport) -> None:
    """Talk: what the audit of files taken whole found."""
    findings = [finding for finding in report.findings if not finding.decision]
    count = show.plural(len(findings), "finding")
    terminal.say(f"Audit of the files that a rule took whole: {count}")
    for finding in findings:
        place = finding.places[0]
        terminal.warn(f"{place.path}:{place.line}: {finding.message}")


def _next_steps(
    report: dict[str, object], *, dry_run: bool, stage: bool, operation: str, left: bool
) -> None:
    """Talk: what to do now."""
    if dry_run:
        terminal.say("Dry run: nothing was written.")
        return
    if report["summary"]["failed"]:  # type: ignore[index]
        terminal.say(
            "A failed path is our fault: please send .git/mergewright/last-run.json with a report."
        )
    goes_on = {
        "merge": "git commit",
        "cherry-pick": "git cherry-pick --continue",
        "revert": "git revert --continue",
        "rebase": "git rebase --continue",
        "am": "git am --continue",
    }.get(operation)
    if left:
        terminal.say("Edit what is left, then git add it. Why: resolve explain PATH")
    elif not stage:
        terminal.say("Nothing is left. Look at the files, then git add them.")
    elif goes_on:
        terminal.say(f"Nothing is left. Go on with {goes_on}")
    terminal.say("To go back to the state before: resolve undo")
