"""``resolve rules``: check, show, explain and test rule files."""

from __future__ import annotations

import difflib
import sys
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from mergewright.model.errors import UsageError
from mergewright.rules.book import RuleBook
from mergewright.rules.cases import run_cases
from mergewright.rules.describe import describe_format, describe_match, details, explain
from mergewright.rules.loading import load_rules

EXIT_OK = 0
EXIT_FAILED = 1

_FILES = click.argument("files", nargs=-1, type=click.Path())


@click.group()
def rules() -> None:
    """Check, show, explain and test rule files.

    FILES are rule files or names of shipped packs (default, feature-branch, nightly-sync);
    without any, the rules that hold in the current folder.
    """


def _load(files: tuple[str, ...]) -> RuleBook:
    return load_rules(files, root=Path.cwd())


def _count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


@rules.command()
@_FILES
def check(files: tuple[str, ...]) -> int:
    """Check rule files against the schema.

    Warnings (rules that are never asked) do not change the exit status.
    """
    book = _load(files)
    for warning in book.shadowed():
        click.echo(f"warning: {warning}", err=True)
    names = ", ".join(file.name or "unnamed" for file in book.files)
    click.echo(f"{_count(len(book.rules), 'rule')}, no errors ({names})")
    return EXIT_OK


@rules.command()
@_FILES
def show(files: tuple[str, ...]) -> int:
    """Print the rules as a table, in the order in which they are asked."""
    book = _load(files)
    console = Console(file=sys.stdout, highlight=False, markup=False)
    for file in book.files:
        if file.name:
            console.print(f"{file.name}: {file.description}".rstrip(": "))
    if not book.rules:
        console.print("No rules.")
        return EXIT_OK
    table = Table(show_lines=True)
    for heading in ("rule", "speaks for", "action", "reason"):
        table.add_column(heading, overflow="fold")
    for loaded in book.rules:
        rule = loaded.rule
        action = "\n".join(part for part in (rule.action.value, details(rule)) if part)
        table.add_row(rule.id, describe_match(rule.match), action, rule.reason)
    console.print(table)
    for file in book.files:
        for name, runner in file.runners.items():
            console.print(f"runner {name}: {runner.kind}")
        if file.format is not None:
            console.print(describe_format(file.format))
    return EXIT_OK


@rules.command(name="explain")
@click.argument("rule_id", metavar="ID")
@click.option(
    "--rules", "files", multiple=True, metavar="FILE", help="Rule file or pack; may be repeated."
)
def explain_command(rule_id: str, files: tuple[str, ...]) -> int:
    """Say what a rule does, why, with an example, and how safe it is."""
    book = _load(files)
    loaded = book.find(rule_id)
    if loaded is None:
        known = [entry.id for entry in book.rules]
        near = difflib.get_close_matches(rule_id, known, 1)
        hint = f"Did you mean '{near[0]}'?" if near else "See: resolve rules show"
        raise UsageError(f"there is no rule '{rule_id}' in the rules that hold here", hint=hint)
    words = explain(loaded)
    click.echo(f"{loaded.id} ({loaded.place}): {loaded.rule.action.value}")
    click.echo(f"What:    {words.what}")
    click.echo(f"Why:     {words.why}")
    click.echo(f"Example: {words.example}")
    click.echo(f"Safety:  {words.safety}")
    for commit in loaded.rule.commit:
        click.echo(f"Commit:  {commit}")
    return EXIT_OK


@rules.command()
@_FILES
def test(files: tuple[str, ...]) -> int:
    """Run the packs' own cases; exit status 1 when one fails."""
    results = run_cases(_load(files))
    failed = [result for result in results if not result.passed]
    for result in failed:
        click.echo(f"failed: {result.name}: {result.detail}")
    click.echo(f"{_count(len(results), 'case')}, {len(failed)} failed")
    return EXIT_FAILED if failed else EXIT_OK
