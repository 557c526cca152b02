"""A real merge stopped in a worktree: resolved by ``resolve``, undone by ``resolve undo``, compared.

    python benchmarks/worktree_roundtrip.py REPO OURS THEIRS [RULES]

The repository is only read: a shared clone in a temporary folder gets OURS checked out and THEIRS
merged by git. Compared byte for byte before and after: every file of the worktree with its mode, the
index, ``git status``, and the files that git keeps of the merge. Exit status 1 when anything differs.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
ENV = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    # git status must not refresh the index that is compared.
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_AUTHOR_NAME": "B",
    "GIT_AUTHOR_EMAIL": "b@example.org",
    "GIT_COMMITTER_NAME": "B",
    "GIT_COMMITTER_EMAIL": "b@example.org",
    "PYTHONPATH": str(ROOT / "src"),
}


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run git there."""
    return subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env=ENV | {"HOME": str(folder.parent)},
        capture_output=True,
        check=False,
    )


def state(folder: Path) -> dict[str, str]:
    """A digest of every file, and of what git says."""
    found = {"status": git(folder, "status", "--porcelain=v2").stdout.decode(errors="replace")}
    kept = ["index", "HEAD", "MERGE_HEAD", "MERGE_MSG", "MERGE_MODE", "AUTO_MERGE", "ORIG_HEAD"]
    files = [folder / ".git" / name for name in kept]
    for place, folders, names in os.walk(folder):
        if ".git" in folders:
            folders.remove(".git")
        files += [Path(place) / name for name in names]
    for file in files:
        if file.is_symlink():
            found[str(file)] = f"link {file.readlink()}"
        elif file.exists():
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            found[str(file)] = f"{file.stat().st_mode:o} {digest}"
    return found


def resolve(folder: Path, *arguments: str) -> tuple[int, float]:
    """Run the command there; its status and wall time in seconds."""
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "mergewright", *arguments],
        cwd=folder,
        env=ENV | {"HOME": str(folder.parent)},
        stdout=subprocess.DEVNULL,
        check=False,
    )
    return done.returncode, time.perf_counter() - start


def main(repo: str, ours: str, theirs: str, *rules: str) -> int:
    """Run it; 0 when everything is as before."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "clone"
        git(Path(name), "clone", "--quiet", "--shared", "--no-checkout", repo, str(folder))
        git(folder, "checkout", "--quiet", "--detach", ours)
        merged = git(folder, "merge", "--no-edit", theirs)
        unmerged = git(folder, "diff", "--name-only", "--diff-filter=U").stdout.count(b"\n")
        print(f"git merge: status {merged.returncode}, {unmerged} conflicted paths")
        before = state(folder)
        options = [option for rule in rules for option in ("--rules", rule)]
        status, seconds = resolve(folder, *options)
        left = git(folder, "diff", "--name-only", "--diff-filter=U").stdout.count(b"\n")
        report = json.loads((folder / ".git/mergewright/last-run.json").read_text())
        print(f"resolve: status {status}, {seconds:.1f} s, {left} conflicted paths left")
        print(f"summary: {json.dumps(report['summary'])}")
        changed = sum(before.get(k) != v for k, v in state(folder).items())
        print(f"changed by it: {changed} files, index and status included")
        status, seconds = resolve(folder, "undo")
        after = state(folder)
        differ = sorted(k for k in before.keys() | after.keys() if before.get(k) != after.get(k))
        print(f"undo: status {status}, {seconds:.1f} s, {len(before)} files compared")
        print(f"different from before: {len(differ)} {differ[:20]}")
        return 1 if differ or status else 0


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
