"""Builds the wheel and tests it in an empty environment: no source tree, no user configuration.

Run by CI: ``.venv/bin/python scripts/check_wheel.py``. Ends with a line ``N passed, M failed``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, cwd: Path, status: int = 0) -> str:
    """Run a command with a bare environment; its status must be as expected."""
    env = {"PATH": os.environ["PATH"], "HOME": str(cwd), "LC_ALL": "C.UTF-8"}
    env |= {key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != status:
        raise AssertionError(
            f"{command[0]} {command[1:]}: status {done.returncode}, expected {status}\n"
            f"{done.stdout}{done.stderr}"
        )
    return done.stdout


def main() -> int:
    """Build, install, check; the number of failed checks is the exit status."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(
            [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        (wheel,) = folder.glob("*.whl")
        venv.create(folder / "env", with_pip=True)
        scripts = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        run(scripts / "python", "-m", "pip", "install", "--quiet", wheel, cwd=folder)
        return check(folder, wheel, scripts / "resolve")


def check(folder: Path, wheel: Path, resolve: Path) -> int:
    """Run every check and print one line each."""
    work = folder / "work"
    work.mkdir()
    run(sys.executable, ROOT / "scripts" / "build_demo.py", work / "demo", cwd=work)

    def holds_rules() -> None:
        names = zipfile.ZipFile(wheel).namelist()
        assert any(n.startswith("mergewright/_rules/") and n.endswith(".yaml") for n in names)
        assert "mergewright/py.typed" in names

    def starts() -> None:
        assert "version" in run(resolve, "--version", cwd=work)
        assert "Usage" in run(resolve, "--help", cwd=work)

    def default_rules_are_found() -> None:
        run(resolve, "rules", "check", cwd=work)

    def merges_in_memory() -> None:
        out = run(resolve, "merge", "dev", "main", "-C", "demo", "--json", "-", cwd=work, status=1)
        summary = json.loads(out)["summary"]
        assert summary["failed"] == 0, summary
        assert summary["resolved"] >= 5, summary

    def merges_files() -> None:
        for part, text in (("b", "a\nb\nc\n"), ("o", "A\nb\nc\n"), ("t", "a\nb\nC\n")):
            (work / part).write_text(text)
        assert run(resolve, "merge-file", "b", "o", "t", cwd=work) == "A\nb\nC\n"

    def settles_the_worktree_and_undoes_it() -> None:
        before = run("git", "-C", "demo", "status", "--porcelain", cwd=work)
        run(resolve, cwd=work / "demo", status=1)
        assert run("git", "-C", "demo", "status", "--porcelain", cwd=work) != before
        run(resolve, "undo", cwd=work / "demo")
        assert run("git", "-C", "demo", "status", "--porcelain", cwd=work) == before

    checks: list[Callable[[], None]] = [
        holds_rules,
        starts,
        default_rules_are_found,
        merges_in_memory,
        merges_files,
        settles_the_worktree_and_undoes_it,
    ]
    failed = 0
    for one in checks:
        try:
            one()
            print(f"wheel: {one.__name__.replace('_', ' ')}: ok")
        except AssertionError as error:
            failed += 1
            print(f"wheel: {one.__name__.replace('_', ' ')}: FAILED: {error}")
    print(f"{len(checks) - failed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    sys.exit(main())
