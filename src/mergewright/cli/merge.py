"""``resolve merge``: two commits, in memory."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from mergewright.cli import show, terminal
from mergewright.model.errors import UsageError

if TYPE_CHECKING:
    from mergewright.git.merging import Engine


@click.command()
@click.argument("ours")
@click.argument("theirs")
@click.option("-C", "repo", type=click.Path(), default=".", help="The repository. [default: .]")
@click.option(
    "--rules",
    multiple=True,
    metavar="FILE",
    help="Rule file or name of a shipped pack; repeatable.",
)
@click.option(
    "--output",
    type=click.Path(),
    metavar="DIR",
    help="Write every contested path's result below this folder.",
)
@click.option("--json", "json_to", metavar="FILE", help="Write the report as JSON; - is stdout.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Processes that resolve files at once. [default: the cores there are]",
)
@click.option("--audit", "audited", is_flag=True, help="Audit the result too.")
@click.option(
    "--engine",
    type=click.Choice(["auto", "git", "libgit2"]),
    default="auto",
    help="What finds the contested paths. [default: auto]",
)
def merge(
    ours: str,
    theirs: str,
    repo: str,
    rules: tuple[str, ...],
    output: str | None,
    json_to: str | None,
    jobs: int | None,
    audited: bool,
    engine: str,
) -> int:
    """Merge THEIRS into OURS in memory; nothing is written to the repository.

    Works in a bare repository too. Exit status: 0 nothing left, 1 conflicts left, 2 an error.
    """
    from mergewright.git.repository import Repository
    from mergewright.workflows.parallel import usable_cores
    from mergewright.workflows.resolving import Settings, plan_merge
    from mergewright.workflows.sources import default_sources

    repository = Repository.open(repo)
    with terminal.Progress("resolving") as progress:
        planned = plan_merge(
            repository,
            ours,
            theirs,
            settings=Settings(
                rules=rules,
                engine=cast("Engine", engine),
                progress=progress,
                sources=default_sources,
                jobs=jobs or usable_cores(),
            ),
        )
    with planned:
        report = planned.report()
        for warning in show.folded(planned.plan.warnings):
            terminal.warn(warning)
        if audited:
            from mergewright.audit.render import terminal as audit_text
            from mergewright.workflows.planaudit import audit_plan

            terminal.say(audit_text(audit_plan(planned, planned.merge, rules=rules)))
        if output is not None:
            written = write_results(
                Path(output), {entry.path: planned.text(entry.path) for entry in planned.plan.paths}
            )
            terminal.say(f"{show.plural(written, 'file')} written below {output}")
    if json_to is not None:
        terminal.write_json(report, json_to)
    show.print_report(report, sys.stderr if json_to == "-" else sys.stdout)
    return 1 if report["summary"]["deferred"] or report["summary"]["failed"] else 0


def write_results(folder: Path, texts: dict[str, bytes | None]) -> int:
    """Write texts below a folder under their paths; ``None`` (no file) is left out.

    Raises:
        UsageError: A path would lead out of the folder, or cannot be written.
    """
    written = 0
    root = folder.resolve()
    for path, data in texts.items():
        if data is None:
            continue
        target = root / path
        # A hostile tree may name "..", and a folder that is there already may be a link.
        if not target.parent.resolve().is_relative_to(root) or ".." in Path(path).parts:
            raise UsageError(f"{path!r} would be written outside of {folder}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.is_symlink():
                target.unlink()
            target.write_bytes(data)
        except OSError as error:
            raise UsageError(f"cannot write {target}: {error.strerror or error}") from error
        written += 1
    return written
