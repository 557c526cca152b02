"""docs/commands.md is the help of the commands, as they print it."""

import importlib.util
import re

import pytest
from tests.support import ROOT

from mergewright.cli.main import COMMANDS

PAGES = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
#: Commands whose page is held word by word.
EXACT = ("worktree", "merge", "merge-file", "explain", "undo")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_page(name: str) -> None:
    """A command without a page is not documented: python scripts/write_command_docs.py."""
    assert f"\n## resolve {name}\n" in PAGES


@pytest.mark.parametrize("name", EXACT)
def test_page_is_the_commands_own_help(name: str) -> None:
    """The page is what ``--help`` prints: python scripts/write_command_docs.py."""
    script = ROOT / "scripts" / "write_command_docs.py"
    spec = importlib.util.spec_from_file_location("write_command_docs", script)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found = re.search(rf"^## resolve {name}\n\n```\n(.*?)\n```$", PAGES, re.DOTALL | re.MULTILINE)
    assert found is not None
    assert found[1] == module.page([name])
