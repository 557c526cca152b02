"""What the README and the docs say is true."""

import re
from pathlib import Path

import pytest
from tests.support import ROOT

import mergewright
from mergewright.cli.main import COMMANDS
from mergewright.rules.loading import load_text
from mergewright.testing import Sandbox

README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("number", range(2))
def test_library_examples_run(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The README's Python examples work on a clone with a stopped merge, as they stand."""
    sandbox = Sandbox(tmp_path)
    for name, value in sandbox.env.items():
        monkeypatch.setenv(name, value)
    repo = sandbox.repository("clone")
    repo.three_way(
        {"a.py": "x = 1\ny = 1\n", "b.txt": "1\n"},
        {"a.py": "x = 2\ny = 1\n", "b.txt": "2\n"},
        {"a.py": "x = 1\ny = 2\n", "b.txt": "3\n"},
    )
    repo.checkout("dev")
    assert repo.merge("main") == 1
    before = repo.read("a.py")
    monkeypatch.chdir(tmp_path)
    assert len(blocks("python")) == 2
    exec(compile(blocks("python")[number], "README.md", "exec"), {})
    out = capsys.readouterr().out
    if number == 0:
        assert "please look at b.txt: 1 place left" in out
        assert out.endswith("1 of 2 paths settled\n")
    assert repo.read("a.py") == before


def test_rules_example_is_valid() -> None:
    """The README's rule file loads."""
    (text,) = blocks("yaml")
    assert [rule.id for rule in load_text(text).rules] == ["codeowners-stay", "lock-stays"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    """Relative links of the pages exist."""
    for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"worktree"}))
def test_every_command_is_named_in_the_readme(name: str) -> None:
    """Nobody has to read the source to learn that a command exists."""
    assert re.search(rf"\bresolve {name}\b", README)


def test_public_names_are_there_and_sorted_into_one_table() -> None:
    """Each exported name exists, and the type checker's imports are the same set."""
    for name in mergewright.__all__:
        assert getattr(mergewright, name) is not None
    source = Path(mergewright.__file__).read_text(encoding="utf-8")
    typed = set(re.findall(r"^    from \S+ import (\w+) as \1$", source, flags=re.MULTILINE))
    assert typed == set(mergewright.__all__) - {"__version__"}
    with pytest.raises(AttributeError):
        mergewright.nothing  # noqa: B018 - the access is the test


def test_makefile_has_the_two_commands() -> None:
    """The README's first screen names targets that exist."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    first = "\n".join(README.splitlines()[:16])
    for target in ("demo", "test"):
        assert f"make {target} " in first
        assert re.search(rf"^{target}:", makefile, flags=re.MULTILINE)
