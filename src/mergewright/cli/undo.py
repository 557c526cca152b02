"""``resolve undo``: the state before the last run."""

from __future__ import annotations

import click

from mergewright.cli import show, terminal


@click.command()
@click.option("-C", "repo", type=click.Path(), default=".", help="The worktree. [default: .]")
@click.option("--force", is_flag=True, help="Also throw away what was edited since.")
def undo(repo: str, *, force: bool) -> int:
    """Bring back the files and the index as they were before the last run.

    A run that was killed half way is taken back, too. When files were edited since, nothing is
    touched and they are named; --force throws the edits away.
    """
    from mergewright.git.repository import Repository
    from mergewright.workflows.writing import undo as take_back

    done = take_back(Repository.open(repo), force=force)
    if done.interrupted:
        terminal.say("The last run had not come to its end.")
    terminal.say(f"{show.plural(len(done.paths), 'path')} brought back to the state before.")
    return 0
