"""Whole merges of a replay manifest beside mergiraf on the same files, in the same run.

    python benchmarks/beside_mergiraf.py MANIFEST --repos DIR [--rounds N] [--jobs N] [--every-path] [--history]
        [--json FILE]

Each merge of the manifest is one command of ours: the start of Python, git's merge in memory, the
judged files through the whole path of ``resolve merge`` (rules, engines, gates, formatting and the
cross-file steps), git's processes included, with as many processes at once as the command takes (the
cores there are, unless ``--jobs`` says otherwise). Then mergiraf merges the same files, one process after
the other. The two take turns merge by merge. ``--every-path`` plans all contested paths as the command
does, mergiraf still gets the judged ones alone; ``--history`` walks the history too.

Two figures, each the median of the rounds: the time on the clock from start to end, which is what the goal
is about and needs an idle machine; and processor time (user and system, children included). A file is
compared with mergiraf by the processor time that it alone took; the start and git's merge, shared out
evenly over the files, are shown beside it. Our bytecode is compiled before, as an installer does it.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
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


def processor(*who: int) -> float:
    """Processor seconds of this process, its ended children, or both."""
    used = [resource.getrusage(one) for one in who]
    return sum(one.ru_utime + one.ru_stime for one in used)


# -- our side: a process for each merge ------------------------------------------------------------


def child(arguments: Sequence[str]) -> None:
    """Plan one merge and print the processor seconds of each path as JSON."""
    repo, ours, theirs, history, jobs, *paths = arguments
    from mergewright.cli.main import leave_quickly, start_lightly

    start_lightly()
    from dataclasses import replace

    from mergewright.git.repository import Repository
    from mergewright.model.conflict import Conflict
    from mergewright.model.resolution import PathOutcome
    from mergewright.resolve.cascade import Cascade
    from mergewright.workflows.resolving import Settings, plan_merge
    from mergewright.workflows.sources import default_sources, no_sources

    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    seconds: dict[str, float] = {}
    wanted = set(paths)

    def names(conflict: Conflict) -> set[str]:
        versions = (version.path for version in conflict.versions if version is not None)
        return {conflict.path, *conflict.related, *versions}

    resolve = Cascade.resolve

    def timed(cascade: Cascade, conflict: Conflict) -> PathOutcome:
        before = processor(*both)
        outcome = resolve(cascade, conflict)
        return replace(outcome, seconds=processor(*both) - before)

    Cascade.resolve = timed  # type: ignore[assignment, method-assign]
    settings = Settings(
        only=lambda conflict: not wanted or bool(wanted & names(conflict)),
        jobs=int(jobs),
        sources=default_sources if int(history) else no_sources,
    )
    started = processor(*both)
    with plan_merge(Repository.open(Path(repo)), ours, theirs, settings=settings) as planned:
        planned.report()
        for entry in planned.plan.paths:
            if entry.conflict is not None:
                seconds.update(dict.fromkeys(names(entry.conflict), entry.outcome.seconds))
    print(json.dumps({"start": started, "paths": seconds}))
    leave_quickly(0)


def whole_merge(
    repo: Path, rows: list[dict[str, Any]], given: argparse.Namespace, bytecode: Path
) -> tuple[float, float, float, dict[str, float]]:
    """One whole merge: seconds on the clock and of the processors, of the start, and of each judged path."""
    ours, theirs = rows[0]["p1"], rows[0]["p2"]
    paths = [] if given.every_path else [row["path"] for row in rows]
    command = [sys.executable, __file__, "--child", str(repo), ours, theirs]
    command += [str(int(given.history)), str(given.jobs), *paths]
    environment = dict(os.environ, PYTHONPYCACHEPREFIX=str(bytecode))
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before, clock = processor(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    clock = time.perf_counter() - clock
    spent = processor(resource.RUSAGE_CHILDREN) - before
    if done.returncode:
        sys.exit(f"the merge of {ours[:10]} and {theirs[:10]} failed: {done.stderr[-800:]}")
    said = json.loads(done.stdout.splitlines()[-1])
    of_paths = {row["path"]: said["paths"].get(row["path"], 0.0) for row in rows}
    return clock, spent, said["start"], of_paths


# -- mergiraf: a process for each file -------------------------------------------------------------


def blob(repo: Path, oid: str | None) -> bytes:
    """A blob's bytes; nothing for a version that does not exist."""
    if not oid:
        return b""
    command = ["git", "cat-file", "blob", oid]
    return subprocess.run(command, cwd=repo, capture_output=True, check=True).stdout


def mergiraf(program: str, folder: Path, path: str) -> tuple[float, float]:
    """Seconds of mergiraf for the three files in a folder, on the clock and of the processor."""
    names = [str(folder / f"{name}.py") for name in ("base", "ours", "theirs")]
    command = [program, "merge", *names, "-o", str(folder / "out.py"), "-p", path]
    environment = dict(os.environ, XDG_DATA_HOME=str(folder), XDG_CONFIG_HOME=str(folder))
    before, clock = processor(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, capture_output=True, check=False, env=environment)
    clock = time.perf_counter() - clock
    return clock, processor(resource.RUSAGE_CHILDREN) - before


# -- both ------------------------------------------------------------------------------------------


def measured(
    merges: list[list[dict[str, Any]]], given: argparse.Namespace, program: str, scratch: Path
) -> dict[str, Any]:
    """All rounds, the two tools in turns; medians."""
    for n, rows in enumerate(merges):
        for m, row in enumerate(rows):
            folder = scratch / f"{n}-{m}"
            folder.mkdir()
            repo = _repository(given.repos, row["repo"])
            for name in ("base", "ours", "theirs"):
                (folder / f"{name}.py").write_bytes(blob(repo, row[f"{name}_blob"]))
    files: dict[tuple[int, int], dict[str, list[float]]] = {}
    names = ("ours", "mergiraf", "start", "ours_clock", "mergiraf_clock")
    totals: dict[str, list[float]] = {name: [] for name in names}
    bytecode = scratch / "bytecode"
    for rows in merges:
        whole_merge(_repository(given.repos, rows[0]["repo"]), rows, given, bytecode)
    for _ in range(given.rounds):
        sums = dict.fromkeys(totals, 0.0)
        for n, rows in enumerate(merges):
            repo = _repository(given.repos, rows[0]["repo"])
            clock, spent, start, paths = whole_merge(repo, rows, given, bytecode)
            sums["ours"] += spent
            sums["ours_clock"] += clock
            sums["start"] += start
            shared = 0.0 if given.every_path else (spent - sum(paths.values())) / len(rows)
            for m, row in enumerate(rows):
                peer_clock, peer = mergiraf(program, scratch / f"{n}-{m}", row["path"])
                sums["mergiraf"] += peer
                sums["mergiraf_clock"] += peer_clock
                kept = files.setdefault((n, m), {"ours": [], "shared": [], "mergiraf": []})
                kept["ours"].append(paths[row["path"]])
                kept["shared"].append(shared)
                kept["mergiraf"].append(peer)
        for name, value in sums.items():
            totals[name].append(value)
    medians = {name: statistics.median(values) for name, values in totals.items()}
    rows_out = [
        {"merge": merges[n][m]["merge"], "path": merges[n][m]["path"]}
        | {name: statistics.median(values) for name, values in kept.items()}
        for (n, m), kept in sorted(files.items())
    ]
    return {"totals": medians, "files": rows_out}


def _repository(folder: Path, name: str) -> Path:
    found = folder / name.replace("/", "+")
    return found / "repo" if (found / "repo").is_dir() else found


def main() -> int:
    """Measure and print; status 1 when a goal is missed."""
    if sys.argv[1:2] == ["--child"]:
        child(sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("manifest", type=Path)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    from mergewright.workflows.parallel import usable_cores

    parser.add_argument("--jobs", type=int, default=usable_cores(), help="our processes at once")
    parser.add_argument("--every-path", action="store_true")
    parser.add_argument("--history", action="store_true")
    parser.add_argument("--json", type=Path, help="write all figures here")
    given = parser.parse_args()
    program = shutil.which("mergiraf")
    if program is None:
        parser.error("mergiraf is not installed")
    merges: dict[str, list[dict[str, Any]]] = {}
    for line in given.manifest.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        merges.setdefault(row["merge"], []).append(row)
    with tempfile.TemporaryDirectory() as scratch:
        found = measured(list(merges.values()), given, program, Path(scratch))
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    totals, files = found["totals"], found["files"]
    ratio = totals["ours_clock"] / totals["mergiraf_clock"]
    print(f"{len(files)} files of {len(merges)} merges, median of {given.rounds} rounds")
    print(
        f"on the clock, s: whole merges in {given.jobs} processes at once {totals['ours_clock']:.2f}, "
        f"mergiraf {totals['mergiraf_clock']:.2f}, ratio {ratio:.2f}"
    )
    print(
        f"processor s: whole merges {totals['ours']:.2f} (start of Python {totals['start']:.2f}), "
        f"mergiraf {totals['mergiraf']:.2f}, ratio {totals['ours'] / totals['mergiraf']:.2f}"
    )
    print("| file | ours, s | with its share of start and git, s | mergiraf, s | ratio |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for row in sorted(files, key=lambda f: -(f["ours"] + f["shared"]) / f["mergiraf"])[:12]:
        whole = row["ours"] + row["shared"]
        print(
            f"| {row['merge'][:8]} {row['path']} | {row['ours']:.3f} | {whole:.3f} | "
            f"{row['mergiraf']:.3f} | {whole / row['mergiraf']:.2f} |"
        )
    over = sum(1 for f in files if f["ours"] + f["shared"] > 2 * f["mergiraf"])
    alone = sum(1 for f in files if f["ours"] > 2 * f["mergiraf"])
    print(f"above twice mergiraf's time: {alone} by itself, {over} with the share")
    return int(ratio > 0.5 or alone > 0)


if __name__ == "__main__":
    sys.exit(main())
