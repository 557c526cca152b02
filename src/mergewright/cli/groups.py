"""``resolve groups`` and ``resolve take``: what hangs together, decided together."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

from mergewright.cli import show, terminal
from mergewright.model.threeway import Side

if TYPE_CHECKING:
    from mergewright.git.repository import Repository
    from mergewright.workflows.groups import Grouped
    from mergewright.workflows.resolving import Settings

_repo = click.option(
    "-C", "repo", type=click.Path(), default=".", help="The repository. [default: .]"
)
_rules = click.option(
    "--rules",
    multiple=True,
    metavar="FILE",
    help="Rule file or name of a shipped pack; repeatable.",
)


@click.command()
@_repo
@_rules
@click.option(
    "--merge",
    "tips",
    nargs=2,
    metavar="OURS THEIRS",
    help="Of two commits in memory instead of the worktree.",
)
@click.option(
    "--result",
    metavar="COMMIT",
    help="With --merge: look for features half taken in this commit.",
)
@click.option(
    "--complete",
    is_flag=True,
    help="Bring in what is missing of features half taken; with --merge and --result, show it.",
)
@click.option("--dry-run", is_flag=True, help="With --complete: show the same plan, write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print the groups as JSON.")
def groups(
    repo: str,
    rules: tuple[str, ...],
    tips: tuple[str, str] | None,
    result: str | None,
    complete: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """List the contested and clean places that hang on the same commits, group by group.

    Also names features of which only a part is in the result. Exit status: 0, or 1 when a feature is
    half taken.
    """
    if result is not None and tips is None:
        raise click.UsageError("--result goes with --merge")
    if complete and tips is not None and result is None:
        raise click.UsageError("--complete of two commits needs --result")
    if dry_run and not complete:
        raise click.UsageError("--dry-run goes with --complete")
    from mergewright.git.repository import Repository
    from mergewright.workflows.groups import groups_of_merge, groups_of_worktree
    from mergewright.workflows.resolving import Settings

    repository = Repository.open(repo)
    settings = Settings(rules=rules)
    if complete:
        if tips is not None and result is not None:
            return _show_whole(repository, tips, result, settings)
        return _make_whole(repository, settings, dry_run=dry_run)
    if tips is not None:
        found = groups_of_merge(repository, *tips, result=result, settings=settings)
    else:
        found = groups_of_worktree(repository, settings=settings)
    if as_json:
        terminal.put(json.dumps(found.as_data(), indent=1) + "\n")
    else:
        show.print_lines(_lines(found), sys.stdout)
    return 1 if found.half_taken else 0


def _make_whole(repository: Repository, settings: Settings, *, dry_run: bool) -> int:
    from mergewright.workflows.groups import make_features_whole
    from mergewright.workflows.writing import write_plan

    planned = make_features_whole(repository, settings=settings)
    if not dry_run:
        planned = write_plan(planned)
    report = planned.report(dry_run=dry_run, staged=not dry_run)
    show.print_report(report, sys.stdout)
    return 1 if report["summary"]["deferred"] or report["summary"]["failed"] else 0


def _show_whole(
    repository: Repository, tips: tuple[str, str], result: str, settings: Settings
) -> int:
    from mergewright.workflows.groups import features_made_whole
    from mergewright.workflows.writing import unified

    made = repository.resolve(result)
    found = features_made_whole(repository, *tips, result, settings=settings)
    for work, spread in found:
        terminal.put(f"{work.commit[:10]}  {work.title}  (from {work.side.value})\n")
        for path, text in spread.texts.items():
            entry = repository.objects.entry(made, path)
            before = b"" if entry is None else repository.objects.blob(entry.oid)
            terminal.put("".join(unified(path, before, text)))
        for path, why in spread.left.items():
            terminal.put(f"left {path}: {why}\n")
    return 1 if found else 0


def _lines(found: Grouped) -> list[str]:
    lines: list[str] = []
    for group in found.groups:
        contested = [p for p in group.places if p.state != "clean"]
        clean = [p for p in group.places if p.state == "clean"]
        lines.append(
            f"{group.id}  {group.title}  ({show.plural(len(contested), 'contested place')}, "
            f"{group.open} open; {show.plural(len(clean), 'clean file')})"
        )
        for side, commits in (("ours", group.ours), ("theirs", group.theirs)):
            if commits:
                lines.append(f"  {side}: {', '.join(c[:10] for c in commits)}")
        for place in contested:
            name = f"{place.path}::{place.symbol}" if place.symbol else place.path
            lines.append(f"  {place.state:8}{name}")
        lines += [f"  clean   {place.path}" for place in clean]
    for work in found.half_taken:
        lines.append(f"half taken: {work.commit[:10]}  {work.title}  (from {work.side.value})")
        lines += [f"  missing {part.path}::{part.symbol}" for part in work.missing]
        lines += [f"  present {path}" for path in work.present]
    return lines or ["Nothing is contested."]


@click.command()
@click.argument("group")
@click.argument("side", type=click.Choice(["ours", "theirs"]))
@_repo
@_rules
@click.option(
    "--whole",
    is_flag=True,
    help="Also take the other side's part of the work back where it merged cleanly.",
)
@click.option("--dry-run", is_flag=True, help="Show the same plan, write nothing.")
def take(
    group: str, side: str, repo: str, rules: tuple[str, ...], whole: bool, dry_run: bool
) -> int:
    """Take one side at every contested place of a GROUP, through the gates.

    Only files in which the group has a place are written, with --whole also the clean ones; resolve undo brings back the state
    before. Exit status: 0 nothing left in them, 1 conflicts left.
    """
    from mergewright.git.repository import Repository
    from mergewright.workflows.groups import take_group
    from mergewright.workflows.resolving import Settings
    from mergewright.workflows.writing import write_plan

    repository = Repository.open(repo)
    chosen, planned = take_group(
        repository, group, Side(side), whole=whole, settings=Settings(rules=rules)
    )
    if not dry_run:
        planned = write_plan(planned)
    report = planned.report(dry_run=dry_run, staged=not dry_run)
    show.print_report(report, sys.stdout)
    done = {entry.path for entry in planned.plan.paths}
    clean = [p.path for p in chosen.places if p.state == "clean" and p.path not in done]
    if clean:
        terminal.say(
            f"The same work also came into {show.plural(len(clean), 'file')} without a conflict: "
            f"{', '.join(clean)}"
        )
    left = bool(report["summary"]["deferred"] or report["summary"]["failed"])
    return 1 if left else 0
