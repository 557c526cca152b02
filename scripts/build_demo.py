"""Builds the demo repository from corpus/demo and leaves it in a merge that stopped with conflicts.

Run by ``make demo``: ``python scripts/build_demo.py FOLDER``. Needs git; sees nothing of the user's
git configuration, and the same input gives the same commit ids.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "corpus" / "demo"
FIRST_DATE = 1_767_000_000
#: Seconds between two commits.
STEP = 86_400


def git(folder: Path, *arguments: str, status: tuple[int, ...] = (0,), **extra: str) -> str:
    """Run git in a folder, with no configuration but the repository's own."""
    env = {
        "PATH": os.environ["PATH"],
        "HOME": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_COMMITTER_NAME": "tidewatch-bot",
        "GIT_COMMITTER_EMAIL": "bot@tidewatch.example",
        **extra,
    }
    done = subprocess.run(
        ["git", "-c", "advice.detachedHead=false", *arguments],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in status:
        sys.exit(f"git {' '.join(arguments)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(target: Path, source: Path = SOURCE) -> None:
    """Make the repository; a folder that is there already is replaced.

    Args:
        target: Where it goes.
        source: The folder of ``commits.toml``.
    """
    if target.exists():
        if not (target / ".git" / "mergewright-demo").exists():
            sys.exit(f"{target} exists and is no demo repository: not replaced")
        shutil.rmtree(target)
    target.mkdir(parents=True)
    git(target, "init", "--quiet", "--initial-branch=main")
    (target / ".git" / "mergewright-demo").touch()
    commits = tomllib.loads((source / "commits.toml").read_text(encoding="utf-8"))["commit"]
    for number, commit in enumerate(commits):
        switch(target, commit["branch"])
        folder = source / "commits" / commit["folder"]
        for file in sorted(folder.rglob("*.txt")):
            path = target / file.relative_to(folder).with_suffix("")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.read_bytes())
        for path in commit.get("delete", ()):
            (target / path).unlink()
        name, _, address = commit["author"].rstrip(">").partition(" <")
        date = f"{FIRST_DATE + number * STEP} +0000"
        git(target, "add", "--all")
        git(
            target,
            "commit",
            "--quiet",
            f"--message={commit['title']}",
            GIT_AUTHOR_NAME=name,
            GIT_AUTHOR_EMAIL=address,
            GIT_AUTHOR_DATE=date,
            GIT_COMMITTER_DATE=date,
        )
    switch(target, "dev")
    git(target, "merge", "--no-edit", "main", status=(1,))


def switch(target: Path, branch: str) -> None:
    """Check a branch out; the first time it starts where the repository stands."""
    known = git(target, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()
    current = git(target, "symbolic-ref", "--short", "HEAD").strip()
    if branch == current:
        return
    git(target, "checkout", "--quiet", *([] if branch in known else ["-b"]), branch)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: build_demo.py FOLDER")
    build(Path(sys.argv[1]))
