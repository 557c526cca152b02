"""``resolve audit``: what a merge broke or lost."""

from __future__ import annotations

from pathlib import Path

import click

import mergewright
from mergewright.audit.render import terminal
from mergewright.audit.reports import as_json, as_markdown, as_sarif
from mergewright.audit.values import Tier
from mergewright.cli.main import EXIT_AUDIT, EXIT_CLEAN
from mergewright.cli.terminal import put, say, write_json
from mergewright.model.errors import UsageError
from mergewright.workflows.auditing import Audit, AuditRequest, run_audit


@click.command("audit")
@click.argument("merge", required=False, metavar="[MERGE-COMMIT]")
@click.option(
    "-C",
    "folder",
    type=click.Path(path_type=Path),
    default=Path(),
    help="The repository; a bare one will do.",
)
@click.option(
    "--trees",
    nargs=3,
    default=None,
    metavar="OURS THEIRS MERGED",
    help="Audit any three commits or trees instead of a merge commit.",
)
@click.option("--base", default=None, metavar="REV", help="The merge base, instead of git's.")
@click.option(
    "--rules",
    multiple=True,
    metavar="F",
    help="Rule file or shipped pack whose policy is checked; repeatable.",
)
@click.option("--json", "json_to", metavar="F|-", help="Write the report as JSON.")
@click.option("--sarif", "sarif_to", metavar="F|-", help="Write the report as SARIF 2.1.0.")
@click.option(
    "--markdown", "markdown_to", metavar="F|-", help="Write the report for a pull request body."
)
@click.option(
    "--decisions",
    type=click.Path(path_type=Path, dir_okay=False),
    default=None,
    metavar="F",
    help="Decisions made before (default: .mergewright-audit.yaml at the root, where it is there).",
)
@click.option(
    "--with",
    "extras",
    multiple=True,
    type=click.Choice(["ty", "vulture"]),
    help="A further analyser; must be installed.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=1),
    default=300.0,
    show_default=True,
    help="Seconds for one analyser on one tree.",
)
@click.option("--strict", is_flag=True, help="Exit with status 3 when there are errors.")
@click.option(
    "--fix",
    "selection",
    metavar="SELECTION",
    help="Apply restoring patches: ids, checks, tiers or 'all', separated by commas.",
)
@click.option("--dry-run", is_flag=True, help="With --fix: show the patches, write nothing.")
def audit(
    merge: str | None,
    folder: Path,
    trees: tuple[str, str, str] | None,
    base: str | None,
    rules: tuple[str, ...],
    json_to: str | None,
    sarif_to: str | None,
    markdown_to: str | None,
    decisions: Path | None,
    extras: tuple[str, ...],
    timeout: float,
    strict: bool,
    selection: str | None,
    dry_run: bool,
) -> int:
    """Name what a merge broke or lost, in files that conflicted and in files that did not.

    Without arguments, audits the merge in progress, or the newest merge at HEAD. A commit on top of
    a merge is compared with the merge's parents. Advises and exits with 0, unless --strict.
    """
    if merge is not None and trees is not None:
        raise UsageError("give a merge commit or --trees, not both")
    if dry_run and selection is None:
        raise UsageError("--dry-run goes with --fix SELECTION")
    done = run_audit(
        AuditRequest(
            folder=folder,
            merge=merge,
            trees=trees,
            base=base,
            rules=rules,
            decisions=decisions,
            extras=extras,
            timeout=timeout,
        )
    )
    report = done.report
    version = mergewright.__version__
    if json_to is not None:
        write_json(as_json(report, version=version), json_to)
    if sarif_to is not None:
        write_json(as_sarif(report, version=version), sarif_to)
    if markdown_to is not None:
        _write_text(as_markdown(report), markdown_to)
    if selection is not None:
        _fix(done, selection, dry_run=dry_run)
    elif "-" not in (json_to, sarif_to, markdown_to):
        put(terminal(report))
    failed = bool(report.of_tier(Tier.ERROR)) or not report.complete
    return EXIT_AUDIT if strict and failed else EXIT_CLEAN


def _fix(done: Audit, selection: str, *, dry_run: bool) -> None:
    fixes = done.fixes(selection)
    for outcome in fixes.outcomes:
        state = "patch" if outcome.applied else "left"
        say(f"{state} {outcome.finding.id} {outcome.finding.path}: {outcome.reason}")
    if dry_run:
        put(fixes.diff())
        return
    done.write(fixes)
    say(f"{len(fixes.changes)} file(s) written; nothing was staged or committed")


def _write_text(text: str, target: str) -> None:
    if target == "-":
        put(text)
        return
    try:
        Path(target).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror or error}") from error
