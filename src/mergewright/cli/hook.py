"""``resolve hook install``: an advisory pre-push hook that runs the audit."""

from __future__ import annotations

from pathlib import Path

import click

from mergewright.cli.terminal import say
from mergewright.workflows.hooks import install, remove


@click.group("hook")
def hook() -> None:
    """Install or remove the advisory pre-push hook."""


@hook.command("install")
@click.option("-C", "folder", type=click.Path(path_type=Path), default=Path(), help="Repository.")
@click.option("--rules", multiple=True, metavar="F", help="Rule file or pack; repeatable.")
@click.option("--markdown", "markdown", metavar="F", help="Also write the pull request text here.")
@click.option("--force", is_flag=True, help="Replace a pre-push hook that is not ours.")
def install_hook(folder: Path, rules: tuple[str, ...], markdown: str | None, force: bool) -> None:
    """Before each push, audit the newest merge and print the findings; never blocks the push."""
    place = install(folder, rules=rules, markdown=markdown, force=force)
    say(f"installed {place}; it advises and always lets the push go on")


@hook.command("remove")
@click.option("-C", "folder", type=click.Path(path_type=Path), default=Path(), help="Repository.")
def remove_hook(folder: Path) -> None:
    """Remove the hook that install put there."""
    place = remove(folder)
    say(f"removed {place}")
