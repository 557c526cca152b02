"""How the cost of history grows with the number of commits, on a real repository.

    python benchmarks/history_growth.py REPOSITORY REVISION [--counts 500,2000,8000,20000] [--paths N]

Both sides are made of the real history: theirs is the revision, ours its first parent's newest merged
branch or the first parent itself, and the merge base is put so far back that the sides together have about so
many commits. The verdicts of N files are asked, first with an empty store, then again. Processor seconds,
git's included.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
from pathlib import Path

from mergewright.git.commits import walk
from mergewright.git.repository import Repository
from mergewright.history.merge_history import MergeHistory
from mergewright.model.threeway import ThreeWay
from mergewright.python.outline import outline
from mergewright.workflows.history import _Reader, gather
from mergewright.workflows.history_store import HistoryStore


def processor() -> float:
    """Processor seconds of this process and its children so far."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(item.ru_utime + item.ru_stime for item in used)


def busiest(repository: Repository, tip: str, count: int) -> list[str]:
    """The Python files that the newest commits changed most often and that are still there."""
    seen: dict[str, int] = {}
    for commit in walk(repository, [tip], limit=400):
        for change in commit.changes:
            if change.path.endswith(".py"):
                seen[change.path] = seen.get(change.path, 0) + 1
    ranked = sorted(seen, key=lambda path: (-seen[path], path))
    there = [p for p in ranked if repository.objects.entry(tip, p) is not None]
    return there[:count]


def ask(
    repository: Repository, tips: tuple[str, str], base: str, paths: list[str], store: Path
) -> tuple[int, int, float]:
    """Commits walked, symbols asked, and processor seconds."""
    start = processor()
    names: dict[str, ThreeWay[str | None]] = {
        path: ThreeWay(base=path, ours=path, theirs=path) for path in paths
    }
    facts = gather(repository, *tips, names, bases=(base,))
    asked = 0
    with HistoryStore(store) as kept:
        reader = _Reader(facts, names, kept)
        history = MergeHistory(
            facts,
            names,
            names=names,
            locate=reader.locate,
            profiles=reader.profile,
            twins=reader.twins,
        )
        for path in paths:
            entry = repository.objects.entry(tips[0], path)
            if entry is None:
                continue
            symbols = outline(repository.objects.blob(entry.oid)).symbols.values()
            for symbol in [s for s in symbols if s.kind == "function" and "#" not in s.path][:3]:
                history.symbol_verdict(path, symbol.path)
                asked += 1
            history.newer_base(path)
    return len(facts.ours.commits) + len(facts.theirs.commits), asked, processor() - start


def main() -> int:
    """Print one row for each number of commits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("revision")
    parser.add_argument("--counts", default="500,2000,8000,20000")
    parser.add_argument("--paths", type=int, default=10)
    options = parser.parse_args()
    repository = Repository.open(options.repository)
    theirs = repository.resolve(options.revision)
    line = walk(repository, [theirs], changes=False, first_parent=True)
    ours = line[1].oid
    paths = busiest(repository, theirs, options.paths)
    total = {c.oid: n for n, c in enumerate(walk(repository, [theirs], changes=False))}
    print("| commits | symbols | cold, s | warm, s | cold, ms a commit |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for count in map(int, options.counts.split(",")):
        base = next((c.oid for c in line if total[c.oid] >= count // 2), line[-1].oid)
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "store"
            walked, asked, cold = ask(repository, (ours, theirs), base, paths, store)
            _, _, warm = ask(repository, (ours, theirs), base, paths, store)
        print(
            f"| {walked} | {asked} | {cold:.2f} | {warm:.2f} | {1000 * cold / max(1, walked):.2f} |",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
