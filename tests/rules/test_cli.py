"""``resolve rules`` as a command."""

from __future__ import annotations

from pathlib import Path

import pytest

from mergewright.cli.main import main


def run(*args: str) -> int:
    with pytest.raises(SystemExit) as caught:
        main(["rules", *args])
    return int(caught.value.code or 0)


def test_check_and_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A good file is checked and shown; a broken one exits 2 with its place."""
    file = tmp_path / "team.yaml"
    file.write_text(
        "version: 1\nname: team\nrules:\n"
        "  - {id: owners, reason: ours, match: {path: CODEOWNERS}, action: pinned}\n"
        "  - {id: again, reason: ours, match: {path: CODEOWNERS}, action: leave}\n",
        encoding="utf-8",
    )
    assert run("check", str(file)) == 0
    out, err = capsys.readouterr()
    assert out == "2 rules, no errors (team)\n"
    assert "rule 'again' is never asked" in err
    assert run("show", str(file)) == 0
    assert "owners" in capsys.readouterr().out
    file.write_text("version: 1\nrulez: []\n", encoding="utf-8")
    assert run("check", str(file)) == 2
    assert "team.yaml:2:1: unknown key 'rulez'; did you mean 'rules'?" in capsys.readouterr().err


def test_built_in_packs_are_good(capsys: pytest.CaptureFixture[str]) -> None:
    """The default pack loads and holds no rule."""
    assert run("check", "default") == 0
    assert capsys.readouterr().out == "0 rules, no errors (default)\n"
