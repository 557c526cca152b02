"""Writes docs/commands.md: the help page of every command. A test holds it up to date.

python scripts/write_command_docs.py
"""

from __future__ import annotations

from pathlib import Path

import click
from click.testing import CliRunner

from mergewright.cli.main import COMMANDS, cli

TARGET = Path(__file__).parents[1] / "docs" / "commands.md"


def page(words: list[str]) -> str:
    """The help page of a command, at a fixed width."""
    result = CliRunner().invoke(
        cli, [*words, "--help"], prog_name="resolve", terminal_width=96, standalone_mode=False
    )
    lines = [line.rstrip() for line in result.stdout.rstrip().splitlines()]
    return "\n".join(lines)


def text() -> str:
    """The whole document."""
    parts = [
        "# Commands",
        "Written by `python scripts/write_command_docs.py` from the commands themselves.",
    ]
    names: list[list[str]] = [[]]
    context = click.Context(cli)
    for name in COMMANDS:
        names.append([name])
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            names += [[name, inner] for inner in command.list_commands(context)]
    for words in names:
        parts.append(f"## {' '.join(['resolve', *words])}")
        parts.append(f"```\n{page(words)}\n```")
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
