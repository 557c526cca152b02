"""``resolve regenerate``: lockfiles and other generated files, made again."""

from __future__ import annotations

import click

from mergewright.cli import terminal

EXIT_OK = 0
EXIT_FAILED = 1


@click.command()
@click.argument("paths", nargs=-1)
@click.option(
    "--rules",
    multiple=True,
    metavar="FILE",
    help="Rule file or name of a shipped pack; repeatable.",
)
@click.option(
    "--runner", metavar="NAME", help="Runner of the rule file, instead of the rule's own."
)
@click.option(
    "--variant", metavar="NAME", help="Variant of the runner's image, such as dev or lts."
)
@click.option("--dry-run", is_flag=True, help="Print the command lines and run nothing.")
@click.option("--no-stage", is_flag=True, help="Leave the new files unstaged.")
def regenerate(
    paths: tuple[str, ...],
    rules: tuple[str, ...],
    runner: str | None,
    variant: str | None,
    dry_run: bool,
    no_stage: bool,
) -> int:
    """Make generated files again with the commands that the rules name.

    PATHS are files, folders or globs relative to the root; all generated files by default. A rule
    file at the root is used only as the current branch has committed it; one that --rules names
    is always used. Exit status: 0 all made, 1 a command failed, 2 an error.
    """
    from mergewright.git.repository import Repository
    from mergewright.workflows.regenerating import plan_regeneration
    from mergewright.workflows.regenerating import regenerate as run
    from mergewright.workflows.trusted import trusted_book

    repository = Repository.open(".")
    book = trusted_book(repository, rules)
    tasks = plan_regeneration(repository, book, paths, runner=runner, variant=variant)
    if not tasks:
        terminal.say("No generated files that a rule speaks for.")
        return EXIT_OK
    for task in tasks:
        if task.manual:
            terminal.say(f"{', '.join(task.paths)}: by hand: {task.manual} [{task.rule}]")
    if dry_run:
        for task in tasks:
            for command in task.commands:
                terminal.put(f"{command}\n")
        return EXIT_OK
    failed = False
    for outcome in run(
        repository,
        tasks,
        stage=not no_stage,
        announce=lambda command: terminal.say(f"$ {command}"),
    ):
        for path in outcome.task.paths if outcome.task.commands else ():
            state = "made again" if path in outcome.changed else "unchanged"
            if outcome.failed is not None:
                state = f"not made: exit status {outcome.status} of {outcome.failed}"
            terminal.put(f"{path}: {state}\n")
        failed = failed or outcome.failed is not None
    return EXIT_FAILED if failed else EXIT_OK
