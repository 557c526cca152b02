"""What follows a settled merge: generated files, formatting, the commit."""

from __future__ import annotations

import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mergewright.cli.main import main
from mergewright.testing import Sandbox, SandboxRepository

Run = Callable[..., int]


@pytest.fixture
def repo(tmp_path: Path) -> SandboxRepository:
    return Sandbox(tmp_path).repository()


@pytest.fixture
def run(repo: SandboxRepository, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(repo.path)
    for name, value in repo.sandbox.env.items():
        monkeypatch.setenv(name, value)

    def call(*arguments: str) -> int:
        with pytest.raises(SystemExit) as caught:
            main(list(arguments))
        return int(caught.value.code or 0)

    return call


LOCK = """\
version: 1
runners: {here: {kind: local}}
rules:
  - id: lock
    reason: generated
    match: {path: '**/uv.lock'}
    action: regenerate
    side: theirs
    command: [%s]
    directory: file
    runner: here
  - id: golden
    reason: recorded
    match: {path: 'golden/*.json'}
    action: regenerate
    side: theirs
    manual: run the test
"""


def test_uv_lock_is_made_again(
    repo: SandboxRepository, run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The local runner really locks a small project, and stages the new lock."""
    uv = Path(sys.executable).with_name("uv")
    assert uv.exists(), "uv is one of the development tools"
    project = '[project]\nname = "demo"\nversion = "1"\nrequires-python = ">=3.11"\n'
    stale = 'version = 1\nrevision = 3\nrequires-python = ">=3.12"\n'
    repo.commit("main", {"pyproject.toml": project, "uv.lock": stale}, message="a")
    repo.checkout("main")
    rules = tmp_path / "r.yaml"
    rules.write_text(LOCK % f"{uv}, lock, --offline, --no-cache, --python, {sys.executable}")
    assert run("regenerate", "--rules", str(rules), "--dry-run") == 0
    out, _ = capfd.readouterr()
    assert out.startswith(f"{uv} lock --offline")
    assert (repo.path / "uv.lock").read_text() == stale
    assert run("regenerate", "--rules", str(rules)) == 0
    out, _ = capfd.readouterr()
    assert out == "uv.lock: made again\n"
    assert 'name = "demo"' in (repo.path / "uv.lock").read_text()
    assert repo.git("diff", "--cached", "--name-only") == b"uv.lock\n"


def test_regenerate_reports_failure_and_manual_files(
    repo: SandboxRepository, run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A failing command is exit status 1; files made by hand are listed where they changed."""
    files = {"uv.lock": "old\n", "golden/a.json": "1\n", "golden/b.json": "1\n"}
    repo.commit("main", files, message="a")
    repo.checkout("main")
    repo.write("golden/a.json", "2\n")
    repo.git("add", "-A")
    rules = tmp_path / "r.yaml"
    rules.write_text(LOCK % "'false'")
    assert run("regenerate", "--rules", str(rules)) == 1
    out, err = capfd.readouterr()
    assert out == "uv.lock: not made: exit status 1 of false\n"
    assert "golden/a.json: by hand: run the test [golden]" in err
    assert "golden/b.json" not in err
    rules.write_text(LOCK % "no-such-program-here")
    assert run("regenerate", "uv.lock", "--rules", str(rules)) == 1
    assert "exit status 127" in capfd.readouterr().out
    assert run("regenerate", "other.txt", "--rules", str(rules)) == 2
    assert "no rule regenerates 'other.txt'" in capfd.readouterr().err
    assert run("regenerate", "--runner", "there", "--rules", str(rules)) == 2
    assert "there is no runner 'there'" in capfd.readouterr().err


def test_two_rules_share_an_archive(
    repo: SandboxRepository, run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """An archive that one rule's commands make is there for the next; enroot refuses a second one."""
    repo.commit("main", {"a.lock": "x\n", "b.lock": "x\n"}, message="a")
    repo.checkout("main")
    rules = tmp_path / "r.yaml"
    rule = "  - {{id: {0}, reason: r, match: {{path: {0}.lock}}, action: regenerate, side: ours,\n"
    rules.write_text(
        "version: 1\nrules:\n"
        + "".join(rule.format(name) + "     command: [make], runner: far}\n" for name in "ab")
        + "runners:\n  far: {kind: slurm, images: {dev: 'i:1'}, variant: dev, enroot: i.sqsh}\n"
    )
    assert run("regenerate", "--rules", str(rules), "--dry-run") == 0
    out, _ = capfd.readouterr()
    assert [line.split()[0] for line in out.splitlines()] == ["enroot", "srun", "srun"]


def test_a_merge_cannot_bring_in_commands(
    repo: SandboxRepository, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    """A rule file that names programs is believed as committed, or when the user names it."""
    trusted = LOCK % "'true'"
    repo.commit("main", {".mergewright.yaml": trusted, "uv.lock": "x\n"}, message="a")
    repo.checkout("main")
    assert run("regenerate") == 0
    repo.write(".mergewright.yaml", LOCK % "touch, owned")
    assert run("regenerate") == 2
    assert "not the one that the current branch has committed" in capfd.readouterr().err
    assert not (repo.path / "owned").exists()
    assert run("regenerate", "--rules", ".mergewright.yaml") == 0
    assert (repo.path / "owned").exists()


COMMIT = "version: 1\ncommit: {message: 'Merge {theirs} into {ours}', sign-off: true}\n"


def test_commit_has_two_parents(
    repo: SandboxRepository, run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The branch is the first parent; message and sign-off follow the rules; no hook is run."""
    rules = tmp_path / "r.yaml"
    rules.write_text(COMMIT)
    repo.three_way({"a": "1\n2\n3\n"}, {"a": "1\nours\n3\n"}, {"a": "1\ntheirs\n3\n"})
    repo.checkout("dev")
    ours, theirs = repo.oid("dev"), repo.oid("main")
    assert run("commit", "--rules", str(rules)) == 2
    assert "no merge is in progress" in capfd.readouterr().err
    assert repo.merge("main") == 1
    assert run("commit", "--rules", str(rules)) == 2
    assert "conflicts are left" in capfd.readouterr().err
    repo.write("a", "1\nboth\n3\n")
    repo.git("add", "a")
    hook = repo.path / ".git" / "hooks" / "commit-msg"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    assert run("commit", "--rules", str(rules)) == 0
    out, err = capfd.readouterr()
    head = repo.oid("dev")
    assert out == f"{head}\n"
    assert "squash would freeze the merge base" in err
    parents = repo.git("show", "-s", "--format=%P", head).decode().split()
    assert parents == [ours, theirs]
    message = repo.git("show", "-s", "--format=%B", head).decode()
    assert message.startswith("Merge main into dev\n\nSigned-off-by: ")
    assert not (repo.path / ".git" / "MERGE_HEAD").exists()


def test_commit_warns_of_earlier_squashes(
    repo: SandboxRepository, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    """A sync that landed as one-parent commit is named; a prepared squash is refused."""
    repo.three_way({"a": "1\n"}, {"b": "1\n"}, {"c": "1\n"})
    repo.commit("dev", {"c": "1\n"}, message="chore: nightly sync main into dev (01_02_2026)")
    repo.checkout("dev")
    assert repo.merge("main", options=("--no-commit", "--no-ff")) == 0
    assert run("commit", "-m", "Sync") == 0
    err = capfd.readouterr().err
    assert "'chore: nightly sync main into dev (01_02_2026)' landed as a squash" in err
    repo.commit("main", {"d": "1\n"}, message="more")
    assert repo.merge("main", options=("--squash",)) == 0
    assert run("commit") == 2
    assert "a squash is prepared, not a merge" in capfd.readouterr().err


FORMAT = """\
version: 1
format:
  environment: env
  tools:
    - {name: tidy, version: '24'}
    - {name: sorter}
    - {name: checker, findings: true, path: core/**}
"""


def tool(repo: SandboxRepository, name: str, script: str) -> None:
    file = repo.write(f"env/bin/{name}", f"#!{sys.executable}\nimport sys, pathlib\n{script}")
    file.chmod(0o755)


def test_format_runs_the_named_tools_in_order(
    repo: SandboxRepository, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    """Only changed files; the version must fit; findings change nothing; import order is told."""
    start = {".mergewright.yaml": FORMAT, "same.py": "x=1\n", ".gitignore": "env/\n"}
    repo.commit("main", start, message="a")
    repo.checkout("main")
    changed = {
        "core/a.py": "import b\nx=1\n",
        "core/__init__.py": "import b\nimport a\n",
        "t.txt": "=\n",
    }
    for path, text in changed.items():
        repo.write(path, text)
    repo.git("add", "-A")
    each = "for f in sys.argv[1:]:\n    p = pathlib.Path(f)\n    p.write_text({})\n"
    tool(
        repo,
        "tidy",
        "if '--version' in sys.argv: print('tidy, 24.3 (x)'); sys.exit()\n"
        + each.format("p.read_text().replace('=', ' = ')"),
    )
    tool(repo, "sorter", each.format("''.join(sorted(p.read_text().splitlines(True)))"))
    tool(repo, "checker", "print('core: E1', *sys.argv[1:])\nsys.exit(4)\n")
    assert run("format", "--dry-run") == 0
    assert "same.py" not in capfd.readouterr().out
    assert run("format") == 0
    out, err = capfd.readouterr()
    assert repo.read("core/a.py") == b"import b\nx = 1\n"
    assert repo.read("core/__init__.py") == b"import a\nimport b\n"
    assert repo.read("t.txt") == b"=\n"
    assert "core: E1 ./core/__init__.py ./core/a.py" in out
    assert "core/__init__.py: the order of imports changed" in err
    assert repo.git("diff", "--name-only") == b""
    tool(repo, "tidy", "print('tidy 23.1')\n")
    assert run("format") == 2
    assert "'tidy' must have version 24, but says 23.1" in capfd.readouterr().err
    tool(repo, "tidy", "if '--version' in sys.argv: print(24)\nelse: sys.exit(3)\n")
    assert run("format") == 1
    (repo.path / "env/bin/sorter").unlink()
    assert run("format") == 2
    assert "there is no 'sorter' in the environment" in capfd.readouterr().err


def test_format_needs_a_rule_file_that_asks_for_it(
    repo: SandboxRepository, run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    """Without a format section nothing is run."""
    repo.commit("main", {"a.py": "x=1\n"}, message="a")
    repo.checkout("main")
    assert run("format") == 2
    assert "no rule file asks for a formatting step" in capfd.readouterr().err


def test_an_override_is_followed_by_the_api_audit(
    repo: SandboxRepository, run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A file taken whole from main calls a method that dev renamed: the run says so by itself."""
    interface = "class Api:\n    def {}(self):\n        return 1\n"
    caller = "from api import Api\n\nlimit = {}\n\n\ndef use(api: Api):\n    return api.{}()\n"
    repo.three_way(
        {"api.py": interface.format("old"), "train.py": caller.format(1, "old")},
        {"api.py": interface.format("new"), "train.py": caller.format(2, "new")},
        {"train.py": caller.format(3, "old")},
    )
    rules = tmp_path / "r.yaml"
    rules.write_text(
        "version: 1\nrules:\n  - {id: over, reason: main's, match: {path: train.py}, "
        "action: take-theirs, audit: api}\n"
    )
    repo.checkout("dev")
    assert repo.merge("main") == 1
    assert run("--dry-run", "--rules", str(rules)) == 0
    _, err = capfd.readouterr()
    assert "Audit of the files that a rule took whole: " in err
    assert "train.py:7: `Api` has no attribute `old`" in err
    assert run("--dry-run", "--no-audit", "--rules", str(rules)) == 0
    assert "Audit" not in capfd.readouterr().err


def test_what_steps_change_is_written_and_undone(
    repo: SandboxRepository, run: Run, tmp_path: Path
) -> None:
    """Restored files, renamed clean files and pins reach index and worktree, and undo takes all back."""
    repo.three_way(
        {"lib.py": "x = 1\n", "a.py": "1\n2\n3\n", "clean.py": "k = 1\n", "OWNERS": "core\n"},
        {"lib.py": None, "a.py": "1\nours\n3\n"},
        {
            "a.py": "1\ntheirs\n3\n",
            "app.py": "import lib\n",
            "clean.py": "k = args.hybrid\n",
            "OWNERS": "release\n",
        },
    )
    rules = tmp_path / "r.yaml"
    rules.write_text(
        "version: 1\nrules:\n"
        "  - {id: pin, reason: r, match: {path: OWNERS}, action: pinned}\n"
        "  - {id: take, reason: r, match: {path: a.py}, action: take-ours}\n"
        "  - {id: ren, reason: r, match: {path: '**'}, action: rename, from: args.hybrid, "
        "to: args.dynamic, forms: attribute}\n"
        "  - {id: back, reason: r, match: {path: '**'}, action: restore-deleted, accidental: ours}\n"
    )
    repo.checkout("dev")
    assert repo.merge("main") == 1
    before = (repo.git("status", "--porcelain"), repo.git("ls-files", "--stage"))
    assert run("--rules", str(rules)) == 0
    assert repo.read("lib.py") == b"x = 1\n"
    assert repo.read("clean.py") == b"k = args.dynamic\n"
    assert repo.read("OWNERS") == b"core\n"
    assert repo.git("diff", "--name-only") == b""
    assert b"lib.py" in repo.git("ls-files")
    assert repo.git("diff", "--cached", "--name-only") == b"app.py\nclean.py\nlib.py\n"
    assert run("undo") == 0
    assert (repo.git("status", "--porcelain"), repo.git("ls-files", "--stage")) == before
    assert not (repo.path / "lib.py").exists()
