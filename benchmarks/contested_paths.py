"""Compares contested paths and clean trees of our merges with ``git merge-tree``'s, merge by merge.

    python benchmarks/contested_paths.py MANIFEST... --repositories DIR [--engine git|libgit2]

A manifest has a JSON object a line with ``repo``, ``p1`` and ``p2``; DIR holds the bare repositories
as ``<owner>+<name>/repo`` (or ``<owner>+<name>``). The reference runs in the repository itself, with
a temporary object folder, so nothing is written there, and with the attribute files of ours in a
temporary worktree, as ``git merge`` finds them (``--no-attributes``: without, as in a bare clone). A
difference is printed with its merge; the last line counts. Time is that of the merge call alone.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from mergewright.git.merging import InMemoryMerge, merge_commits, parse_merge_tree
from mergewright.git.process import sealed_environment
from mergewright.git.repository import Repository
from mergewright.model.errors import RepositoryError


def merges(manifests: list[Path]) -> Iterator[tuple[str, str, str]]:
    """Repository, ours and theirs of each distinct merge."""
    seen = set()
    for manifest in manifests:
        for line in manifest.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            key = (row["repo"], row["p1"], row["p2"])
            if key not in seen:
                seen.add(key)
                yield key


def attribute_folder(folder: Path, ours: str, target: Path) -> None:
    """Fill a folder with the attribute files of a commit, as a worktree would have them."""
    listed = subprocess.run(
        ["git", "ls-tree", "-r", "-z", "--name-only", ours],
        cwd=folder,
        capture_output=True,
        check=True,
        env=sealed_environment({"GIT_DIR": str(folder)}),
    ).stdout
    for name in listed.split(b"\0"):
        if name.split(b"/")[-1] == b".gitattributes":
            path = target / os.fsdecode(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(
                subprocess.run(
                    ["git", "cat-file", "blob", f"{ours}:{os.fsdecode(name)}"],
                    cwd=folder,
                    capture_output=True,
                    check=True,
                    env=sealed_environment({"GIT_DIR": str(folder)}),
                ).stdout
            )


def reference(
    folder: Path, scratch: Path, ours: str, theirs: str, worktree: Path | None
) -> tuple[set[str], str, float]:
    """Contested paths, merged tree and seconds of git itself, run in the repository."""
    place = {} if worktree is None else {"GIT_WORK_TREE": str(worktree)}
    if worktree is not None:
        attribute_folder(folder, ours, worktree)
    started = time.perf_counter()
    options = ["--write-tree", "-z", "--messages", "--allow-unrelated-histories"]
    done = subprocess.run(
        ["git", "merge-tree", *options, ours, theirs],
        cwd=worktree or folder,
        capture_output=True,
        check=False,
        env=sealed_environment(
            place
            | {
                "GIT_DIR": str(folder),
                "GIT_OBJECT_DIRECTORY": str(scratch),
                "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(folder / "objects"),
            }
        ),
    )
    seconds = time.perf_counter() - started
    if done.returncode not in (0, 1):
        raise RepositoryError(f"git merge-tree failed: {done.stderr.decode(errors='replace')}")
    merged = parse_merge_tree(done.stdout)
    return {stage.path for stage in merged.stages}, merged.tree, seconds


def files(merge: InMemoryMerge, tree: str, without: set[str]) -> dict[str, tuple[int, str]]:
    """Mode and id by path of a tree, contested paths left out."""
    entries = merge.objects.entries(tree)
    return {path: (e.mode, e.oid) for path, e in entries.items() if path not in without}


def main() -> int:
    """Run the comparison; status 1 when fewer than 99.5 % agree."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("manifests", type=Path, nargs="+")
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--engine", choices=["git", "libgit2"], default="git")
    parser.add_argument("--no-attributes", action="store_true", help="as git does in a bare clone")
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    same_paths = same_trees = total = conflicts = 0
    own_times, git_times = [], []
    opened: dict[str, Repository] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for repo, ours, theirs in merges(arguments.manifests):
            if arguments.limit is not None and total >= arguments.limit:
                break
            folder = arguments.repositories / repo.replace("/", "+")
            folder = folder / "repo" if (folder / "repo").is_dir() else folder
            if repo not in opened:
                opened[repo] = Repository.open(folder)
            scratch = Path(temporary) / repo.replace("/", "+")
            scratch.mkdir(exist_ok=True)
            worktree = None if arguments.no_attributes else Path(temporary) / "worktree"
            if worktree is not None:
                shutil.rmtree(worktree, ignore_errors=True)
                worktree.mkdir()
            paths, tree, seconds = reference(folder, scratch, ours, theirs, worktree)
            total += 1
            git_times.append(seconds)
            started = time.perf_counter()
            try:
                merge = merge_commits(
                    opened[repo],
                    ours,
                    theirs,
                    engine=arguments.engine,
                    attributes=not arguments.no_attributes,
                    allow_unrelated=True,
                )
            except RepositoryError as error:
                print(f"{repo} {ours} {theirs}: {error.message}")
                continue
            own_times.append(time.perf_counter() - started)
            with merge:
                merge.scratch.handle.odb.add_disk_alternate(str(scratch))
                conflicts += len(merge.conflicts)
                moved = {ours: "ours", theirs: "theirs"}
                named = {
                    path: path.replace(f"~{ours}", "~ours").replace(f"~{theirs}", "~theirs")
                    for path in paths
                }
                mine = set(merge.contested_paths)
                wanted = set(named.values())
                if mine == wanted:
                    same_paths += 1
                else:
                    print(
                        f"{repo} {ours} {theirs} ({'/'.join(moved.values())}): paths: "
                        f"only git {sorted(wanted - mine)}, only ours {sorted(mine - wanted)}"
                    )
                left = files(merge, merge.tree, mine | wanted)
                right = files(merge, tree, mine | paths)
                if left == right:
                    same_trees += 1
                else:
                    differing = sorted(p for p in left | right if left.get(p) != right.get(p))
                    print(f"{repo} {ours} {theirs}: clean tree differs at {differing[:8]}")
            sys.stdout.flush()
    print(
        f"engine {arguments.engine}: {total} merges, contested paths equal in {same_paths} "
        f"({same_paths / total:.2%}), clean tree equal in {same_trees} ({same_trees / total:.2%}), "
        f"{conflicts} conflicts; seconds a merge: median {statistics.median(own_times):.3f}, "
        f"largest {max(own_times):.3f} (git itself {statistics.median(git_times):.3f}, "
        f"{max(git_times):.3f})"
    )
    return 0 if same_paths >= 0.995 * total else 1


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"
    sys.exit(main())
