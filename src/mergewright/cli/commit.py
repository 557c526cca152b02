"""``resolve commit``: the merge commit."""

from __future__ import annotations

import click

from mergewright.cli import terminal

EXIT_OK = 0


@click.command()
@click.option("-m", "--message", metavar="TEXT", help="The message, instead of the rules'.")
@click.option("--sign-off/--no-sign-off", default=None, help="Add a Signed-off-by trailer, or not.")
@click.option(
    "--rules",
    multiple=True,
    metavar="FILE",
    help="Rule file or name of a shipped pack; repeatable.",
)
def commit(message: str | None, sign_off: bool | None, rules: tuple[str, ...]) -> int:
    """Make the two-parent commit of a settled merge, the current branch first.

    Name, address and signature are as git is configured; no hook is run. Prints the commit's id.
    """
    from mergewright.git.repository import Repository
    from mergewright.rules.loading import load_rules
    from mergewright.workflows.committing import commit_merge

    repository = Repository.open(".")
    book = load_rules(rules, root=repository.require_worktree())
    made = commit_merge(repository, book, message=message, sign_off=sign_off)
    for warning in made.warnings:
        terminal.warn(warning)
    terminal.put(f"{made.oid}\n")
    return EXIT_OK
