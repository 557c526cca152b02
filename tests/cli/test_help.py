"""The table of commands and the commands themselves say the same."""

import importlib
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner
from tests.support import with_source

from mergewright.cli.main import COMMANDS, cli


@pytest.mark.parametrize("name", COMMANDS)
def test_help_line_of_the_table_is_the_commands_own(name: str) -> None:
    """``resolve --help`` lists commands without importing them; the lines must not drift."""
    module, attribute, line = COMMANDS[name]
    command = getattr(importlib.import_module(module), attribute)
    assert isinstance(command, click.Command)
    first = (command.help or "").split("\n\n")[0].replace("\n", " ")
    assert first == line


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_page(name: str) -> None:
    """``--help`` works for each command and is data on stdout."""
    result = CliRunner().invoke(cli, [name, "--help"], standalone_mode=False)
    assert result.stdout.startswith(f"Usage: cli {name}")
    assert result.stderr == ""


def test_start_imports_no_heavy_library() -> None:
    """The start of the command stays cheap: no parser, schema, graph or terminal library."""
    code = (
        "import sys, mergewright.cli.main, mergewright.cli.merge_file\n"
        "heavy = {'pydantic', 'libcst', 'networkx', 'rich', 'pygit2', 'tree_sitter', 'ruamel'}\n"
        "print(sorted(heavy & {name.split('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=with_source()
    )
    assert done.stdout.strip() == "[]"
