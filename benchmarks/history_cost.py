"""What history adds to the cost of a merge: without it, with an empty store, and again.

    python benchmarks/history_cost.py REPOSITORY OURS THEIRS [OURS THEIRS …]
        [--rounds N] [--jobs N[,N…]] [--rules FILE]

All contested paths are planned as ``resolve merge`` plans them, each time in a process of its own with the
start of Python and git's processes in it. The three take turns, round by round; printed are the least
processor time of the rounds (user and system, children included), the least time on the clock, which needs an
idle machine, and what history adds to both. Whether all three gave
the same answers is checked for the two with history. Nothing is written to the repository.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
# This checkout; its modules are imported where they are used, as their loading is part of what is timed.
sys.path.insert(0, str(ROOT / "src"))

WAYS = ("without", "cold", "warm")


def child(arguments: Sequence[str]) -> None:
    """Plan one merge; print its size and a digest of all answers as JSON."""
    way, repo, ours, theirs, jobs, *rules = arguments
    from mergewright.cli.main import leave_quickly, start_lightly

    start_lightly()
    from mergewright.git.commits import walk
    from mergewright.git.repository import Repository
    from mergewright.model.resolution import Resolved
    from mergewright.workflows.resolving import Settings, plan_merge
    from mergewright.workflows.sources import default_sources, no_sources

    repository = Repository.open(Path(repo))
    if way == "size":
        tips = [repository.resolve(ours), repository.resolve(theirs)]
        found = [
            len(walk(repository, [tip], hide=[other], changes=False))
            for tip, other in (tips, tips[::-1])
        ]
        print(json.dumps({"commits": found}))
        leave_quickly(0)
    settings = Settings(
        jobs=int(jobs), rules=rules, sources=no_sources if way == "without" else default_sources
    )
    with plan_merge(repository, ours, theirs, settings=settings) as planned:
        planned.report()
        digest = hashlib.blake2b(digest_size=16)
        for entry in planned.plan.paths:
            digest.update(entry.path.encode("utf-8", "surrogateescape") + b"\0")
            digest.update(planned.text(entry.path) or b"")
            digest.update(repr(entry.outcome.decisions).encode())
        settled = sum(isinstance(entry.outcome, Resolved) for entry in planned.plan.paths)
        said = {
            "paths": len(planned.plan.paths),
            "resolved": settled,
            "answers": digest.hexdigest(),
        }
    print(json.dumps(said))
    leave_quickly(0)


def run(way: str, merge: Sequence[str], jobs: int, rules: Sequence[str], folder: Path) -> Any:
    """One process: what it said, processor seconds, seconds on the clock, peak megabytes."""
    command = [sys.executable, __file__, "--child", way, *merge, str(jobs), *rules]
    environment = dict(
        os.environ, MERGEWRIGHT_CACHE=str(folder / "store"), PYTHONPYCACHEPREFIX=str(folder / "pyc")
    )
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if way == "cold":
        for old in (folder / "store").glob("*"):
            old.unlink()
    out = folder / "said"
    clock = time.perf_counter()
    with out.open("wb") as stream:
        process = subprocess.Popen(command, stdout=stream, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
    clock = time.perf_counter() - clock
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(merge[1:])} ({way}) ended with {process.returncode}")
    said = json.loads(out.read_text().splitlines()[-1])
    return said, usage.ru_utime + usage.ru_stime, clock, usage.ru_maxrss / 1024


def main() -> int:
    """Print one row for each merge and number of processes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("repository", type=Path)
    parser.add_argument("tips", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", default="1,2")
    parser.add_argument("--rules", action="append", default=[])
    options = parser.parse_args()
    pairs = list(zip(options.tips[::2], options.tips[1::2], strict=True))
    print(
        "| merge | commits | paths | resolved without, with | processes | processor s without, cold, warm "
        "| history adds | s on the clock without, cold, warm | history adds |"
    )
    print("| --- | ---: | ---: | ---: | ---: | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "store").mkdir()
        run("without", (str(options.repository), *pairs[0]), 1, options.rules, folder)  # compiles
        for pair in pairs:
            merge = (str(options.repository), *pair)
            commits = run("size", merge, 1, (), folder)[0]["commits"]
            for jobs in map(int, options.jobs.split(",")):
                taken: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
                said: dict[str, Any] = {}
                for _ in range(options.rounds):
                    for way in WAYS:
                        said[way], *spent, _ = run(way, merge, jobs, options.rules, folder)
                        taken[way].append((spent[0], spent[1]))
                if said["cold"]["answers"] != said["warm"]["answers"]:
                    sys.exit("the store changed an answer")
                cells = []
                for which in (0, 1):
                    least = [min(times[which] for times in taken[way]) for way in WAYS]
                    cells.append(", ".join(f"{seconds:.1f}" for seconds in least))
                    cells.append(", ".join(f"{seconds - least[0]:+.1f}" for seconds in least[1:]))
                row = [
                    " and ".join(tip[:10] for tip in pair),
                    " + ".join(map(str, commits)),
                    said["warm"]["paths"],
                    f"{said['without']['resolved']}, {said['warm']['resolved']}",
                    jobs,
                    *cells,
                ]
                print("| " + " | ".join(map(str, row)) + " |", flush=True)
    return 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2:])
    sys.exit(main())
