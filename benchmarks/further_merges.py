"""Conflicted Python files of further merges: what nothing was tuned on.

    python benchmarks/further_merges.py MANIFEST… --repos DIR --out further.jsonl

For each repository of the manifests its other merges are merged again, over all references, in an order fixed
by a seed. The list has the form of a manifest, for ``resolve replay``; left out are merges that a
manifest names, several merge bases, results equal to a parent, results with conflict markers, versions that
do not parse, and the same three texts once more. At most four files of one merge are listed.
"""

from __future__ import annotations

import argparse
import json
import random
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pygit2

from mergewright.git.repository import Repository
from mergewright.text.syntax import syntax_tree

#: Most files of one merge.
_OF_A_MERGE = 4


def _merges(handle: pygit2.Repository, known: set[str], until: datetime) -> list[pygit2.Commit]:
    """Merges of two parents, in an order that only the seed and the repository decide."""
    tips = {ref.peel(pygit2.Commit).id for ref in handle.references.objects if _leads(ref)}
    walk = handle.walk(None)
    for tip in tips:
        walk.push(tip)
    found = [
        commit
        for commit in walk
        if len(commit.parents) == 2
        and str(commit.id) not in known
        and datetime.fromtimestamp(commit.commit_time, UTC) < until
    ]
    found.sort(key=lambda commit: str(commit.id))
    random.Random(5).shuffle(found)
    return found


def _leads(reference: pygit2.Reference) -> bool:
    """Whether a reference ends at a commit."""
    try:
        reference.peel(pygit2.Commit)
    except (pygit2.GitError, ValueError, KeyError):
        return False
    return True


def _files(repository: Repository, commit: pygit2.Commit) -> Iterator[dict[str, str | None]]:
    """The conflicted Python files of one merge."""
    ours, theirs = commit.parents
    if commit.tree_id in (ours.tree_id, theirs.tree_id):
        return
    bases = repository.merge_bases(str(ours.id), str(theirs.id))
    if len(bases) != 1 or bases[0] in (str(ours.id), str(theirs.id)):
        return
    base = repository.commit(bases[0])
    index = repository.handle.merge_trees(base.tree, ours.tree, theirs.tree)
    for ancestor, mine, other in index.conflicts or ():
        if not mine or not other or not mine.path.endswith(".py") or mine.path not in commit.tree:
            continue
        accepted = commit.tree[mine.path]
        if not isinstance(accepted, pygit2.Blob) or b"<<<<<<< " in accepted.data:
            continue
        entries = [entry for entry in (ancestor, mine, other) if entry]
        texts = [
            *(repository.handle[entry.id].peel(pygit2.Blob).data for entry in entries),
            accepted.data,
        ]
        if any(syntax_tree(text) is None for text in texts):
            continue
        yield {
            "merge": str(commit.id),
            "p1": str(ours.id),
            "p2": str(theirs.id),
            "base": str(base.id),
            "path": mine.path,
            "base_blob": str(ancestor.id) if ancestor else None,
            "ours_blob": str(mine.id),
            "theirs_blob": str(other.id),
            "truth_blob": str(accepted.id),
            "date": datetime.fromtimestamp(commit.commit_time, UTC).isoformat(),
            "kind": "full" if ancestor else "addadd",
        }


def further(
    manifests: list[Path], repos: Path, most: int, until: datetime
) -> Iterator[dict[str, str | None]]:
    """Files of merges that the manifests do not name, repository by repository.

    Args:
        manifests: Manifests of ``resolve replay``.
        repos: Folder of the repositories, as ``owner+name`` with or without ``repo`` below.
        most: Most files of one repository.
        until: Only merges before that moment.
    """
    rows: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
    for manifest in manifests:
        for line in manifest.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            rows[row["repo"]].append(row)
    blobs = ("base_blob", "ours_blob", "theirs_blob")
    for repo, known in sorted(rows.items()):
        folder = repos / repo.replace("/", "+")
        repository = Repository.open(folder / "repo" if (folder / "repo").exists() else folder)
        seen: set[tuple[str | None, ...]] = {tuple(row[name] for name in blobs) for row in known}
        count = 0
        for commit in _merges(repository.handle, {row["merge"] for row in known}, until):
            fresh = [
                f
                for f in _files(repository, commit)
                if tuple(f[name] for name in blobs) not in seen
            ]
            for found in fresh[:_OF_A_MERGE]:
                seen.add(tuple(found[name] for name in blobs))
                count += 1
                yield {"repo": repo, **found}
            if count >= most:
                break


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("manifests", nargs="+", type=Path)
    parser.add_argument("--repos", required=True, type=Path, help="folder of the repositories")
    parser.add_argument("--out", required=True, type=Path, help="the list")
    parser.add_argument("--most", type=int, default=700, help="files of one repository")
    parser.add_argument("--until", default="9999-01-01", help="only merges before that day")
    asked = parser.parse_args()
    until = datetime.fromisoformat(asked.until).replace(tzinfo=UTC)
    with asked.out.open("w", encoding="utf-8") as out:
        for row in further(asked.manifests, asked.repos, asked.most, until):
            out.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
