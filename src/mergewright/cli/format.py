"""``resolve format``: the formatting step of a rule file."""

from __future__ import annotations

import shlex

import click

from mergewright.cli import terminal

EXIT_OK = 0
EXIT_FAILED = 1


@click.command(name="format")
@click.option(
    "--against", default="HEAD", metavar="REV", help="Format what differs from this commit."
)
@click.option(
    "--rules",
    multiple=True,
    metavar="FILE",
    help="Rule file or name of a shipped pack; repeatable.",
)
@click.option("--dry-run", is_flag=True, help="Print the command lines and run nothing.")
@click.option("--no-stage", is_flag=True, help="Leave the changed files unstaged.")
def format_command(against: str, rules: tuple[str, ...], dry_run: bool, no_stage: bool) -> int:
    """Run the formatters that the rule file names on the files that the merge changed.

    The tools come from the environment that the rule file names; their plugins are code, so this
    step runs only when a rule file asks for it. A checker's findings are printed and change
    nothing. Exit status: 0 done, 1 a formatter failed, 2 an error.
    """
    from mergewright.git.repository import Repository
    from mergewright.workflows.formatting import (
        changed_files,
        format_section,
        plan_tools,
        run_format,
    )
    from mergewright.workflows.trusted import trusted_book

    repository = Repository.open(".")
    section = format_section(trusted_book(repository, rules))
    runs = plan_tools(repository, section, changed_files(repository, against))
    if dry_run:
        for run in runs:
            if run.files:
                terminal.put(f"{shlex.join(run.argv)}\n")
        return EXIT_OK
    result = run_format(repository, section, runs, stage=not no_stage)
    for run in result.runs:
        state = "failed" if run.failed else "done" if run.files else "no files"
        terminal.say(f"{run.name}: {state} ({len(run.files)} files)")
        if run.output and (run.failed or run.status):
            terminal.put(run.output if run.output.endswith("\n") else f"{run.output}\n")
    for warning in result.warnings:
        terminal.warn(warning)
    for path in result.changed:
        terminal.put(f"{path}: formatted\n")
    return EXIT_FAILED if any(run.failed for run in result.runs) else EXIT_OK
