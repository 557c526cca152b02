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


def test_packs_pass_their_own_cases(capsys: pytest.CaptureFixture[str]) -> None:
    """Every shipped pack is free of errors and shadowed rules, and passes its own cases."""
    for pack in ("default", "feature-branch", "nightly-sync"):
        assert run("check", pack) == 0
        assert capsys.readouterr().err == ""
        assert run("test", pack) == 0
        assert ", 0 failed" in capsys.readouterr().out


def test_a_failing_case_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A case that does not come out as written is named, with what came instead."""
    file = tmp_path / "team.yaml"
    file.write_text(
        "version: 1\nrules: [{id: own, reason: r, match: {path: a}, action: pinned}]\n"
        "tests:\n  - {name: nobody, path: b, kind: binary, rule: own}\n"
        "  - {name: typo, path: a, rule: onw}\n",
        encoding="utf-8",
    )
    assert run("test", str(file)) == 1
    out = capsys.readouterr().out
    assert "failed: nobody: expected rule 'own', got 'none'" in out
    assert "failed: typo: there is no rule 'onw' to expect" in out
    assert "2 cases, 2 failed" in out


def test_explain(capsys: pytest.CaptureFixture[str]) -> None:
    """A rule is explained with what, why, example and safety; a wrong id names the nearest."""
    assert run("explain", "codeowners", "--rules", "nightly-sync") == 0
    out = capsys.readouterr().out
    for word in ("What:", "Why:", "Example:", "Safety:", ".github/CODEOWNERS"):
        assert word in out
    assert run("explain", "codeowner", "--rules", "nightly-sync") == 2
    assert "Did you mean 'codeowners'?" in capsys.readouterr().err


def test_every_rule_of_every_pack_can_be_shown_and_explained(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """No kind of rule lacks its words."""
    from mergewright.rules.describe import explain
    from mergewright.rules.loading import load_rules

    for pack in ("feature-branch", "nightly-sync"):
        assert run("show", pack) == 0
        capsys.readouterr()
        for loaded in load_rules([pack]).rules:
            words = explain(loaded)
            assert words.what
            assert words.safety
