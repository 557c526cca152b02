"""``resolve rules``: check, show, explain and test rule files."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from mergewright.rules.book import LoadedRule, RuleBook
from mergewright.rules.loading import load_rules
from mergewright.rules.schema import Match

EXIT_OK = 0


@click.group()
def rules() -> None:
    """Check, show, explain and test rule files."""


def _files(files: tuple[str, ...]) -> RuleBook:
    return load_rules(files, root=Path.cwd())


@rules.command()
@click.argument("files", nargs=-1, type=click.Path())
def check(files: tuple[str, ...]) -> int:
    """Check rule files; without FILES, those that hold in the current folder.

    Warnings (rules that are never asked) do not change the exit status.
    """
    book = _files(files)
    for warning in book.shadowed():
        click.echo(f"warning: {warning}", err=True)
    names = ", ".join(file.name or "unnamed" for file in book.files)
    click.echo(f"{len(book.rules)} rules, no errors ({names})")
    return EXIT_OK


def describe_match(match: Match) -> str:
    """What a rule speaks for, in words."""
    parts: list[str] = []
    if match.path is not None:
        parts.append(" or ".join(match.path))
    if match.except_:
        parts.append("except " + ", ".join(match.except_))
    if match.symbol is not None:
        parts.append("symbol " + " or ".join(match.symbol))
    if match.kind is not None:
        parts.append("kind " + " or ".join(match.kind))
    if match.place is not None:
        parts.append("place " + " or ".join(match.place))
    if match.changed is not None:
        parts.append(f"changed by {match.changed.value}")
    if match.history is not None:
        text = "history " + " or ".join(match.history)
        if match.evidence is not None:
            text += f", evidence at least {match.evidence.value}"
        parts.append(text)
    return "\n".join(parts)


def _row(loaded: LoadedRule) -> tuple[str, str, str, str]:
    rule = loaded.rule
    when = "\nalso clean" if rule.applies_to_clean else ""
    return rule.id, describe_match(rule.match), rule.action.value + when, rule.reason


@rules.command()
@click.argument("files", nargs=-1, type=click.Path())
def show(files: tuple[str, ...]) -> int:
    """Print the rules as a table, in the order in which they are asked."""
    book = _files(files)
    table = Table(show_lines=True)
    for heading in ("rule", "speaks for", "action", "reason"):
        table.add_column(heading, overflow="fold")
    for loaded in book.rules:
        table.add_row(*_row(loaded))
    console = Console(file=sys.stdout, highlight=False, markup=False)
    for file in book.files:
        if file.name:
            console.print(f"{file.name}: {file.description}".rstrip(": "))
    if book.rules:
        console.print(table)
    else:
        console.print("No rules.")
    return EXIT_OK
