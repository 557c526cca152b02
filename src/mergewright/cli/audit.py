"""``resolve audit``: what a merge broke or lost."""

from __future__ import annotations

from pathlib import Path

import click

from mergewright.audit.render import terminal
from mergewright.audit.values import Tier
from mergewright.cli.main import EXIT_AUDIT, EXIT_CLEAN
from mergewright.workflows.auditing import audit_repository


@click.command("audit")
@click.argument("merge", required=False, metavar="[MERGE-COMMIT]")
@click.option("-C", "folder", type=click.Path(path_type=Path), default=Path(), help="Repository.")
@click.option("--trees", nargs=3, default=None, metavar="OURS THEIRS MERGED", help="Any trees.")
@click.option("--base", default=None, metavar="REV", help="Merge base, instead of git's.")
@click.option("--strict", is_flag=True, help="Exit with status 3 when there are errors.")
def audit(
    merge: str | None,
    folder: Path,
    trees: tuple[str, str, str] | None,
    base: str | None,
    strict: bool,
) -> int:
    """Name what a merge broke or lost, in files that conflicted and in files that did not."""
    report = audit_repository(folder, merge, trees=trees, base=base)
    click.echo(terminal(report), nl=False)
    failed = bool(report.of_tier(Tier.ERROR)) or not report.complete
    return EXIT_AUDIT if strict and failed else EXIT_CLEAN
