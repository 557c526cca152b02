"""Speed: single files by size, whole merges by number of files and of commits, beside git and mergiraf.

    python benchmarks/speed.py [--rounds N] [--quick] [--out DIR]

Every measured thing is a whole process, start included; the tools take turns within each round. The
figure is the processor time (user and system, with children), the median of the rounds: on a busy
machine wall time says more of the neighbours than of the tool; it is kept in speed.json as well.
Ratios are of medians. ``merge_texts in process`` is our engine without the start of Python: what a bot that uses the
library, or a merge with many files, pays for each file. Writes speed.json and growth curves as SVG.
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
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "src"))

from mergewright.model.threeway import ThreeWay  # noqa: E402 - from this checkout
from mergewright.testing import EPOCH, CommitSpec, build_repository  # noqa: E402
from mergewright.workflows.texts import merge_texts  # noqa: E402

Run = Callable[[], object]


def module(functions: int, *, ours: bool = False, theirs: bool = False, salt: int = 0) -> bytes:
    """A module of about 15 lines a function with a conflict in every 25th.

    Each side changes every tenth function; both add one at the same place after every 25th, which
    is where git leaves a conflict.
    """
    lines = ["import os", "import sys", "", f"SALT = {salt}", ""]
    for n in range(functions):
        limit = 2 if ours and n % 10 == 3 else 1
        step = 2 if theirs and n % 10 in (3, 7) else 1
        lines += [
            "",
            f"def work_{n}(values, limit={limit}, *, step=1):",
            f'    """Work on values, number {n}."""',
            "    total = 0",
            "    for position, value in enumerate(values):",
            f"        if position % {n + 2} == 0:",
            f"            total += value * {step}",
            "        elif value > limit:",
            "            total -= limit",
            "        else:",
            "            total += os.getpid() % 2",
            "    if not total:",
            f"        return {n}",
            "    return total",
            "",
        ]
        if n % 25 == 4 and (ours or theirs):
            side = "ours" if ours else "theirs"
            lines += ["", f"def added_by_{side}_{n}(value):", f"    return value + {n}", ""]
    return ("\n".join(lines) + "\n").encode()


def clocked(run: Run) -> tuple[float, float]:
    """Processor seconds (children included) and wall seconds of one call."""
    before, started = _processor(), time.perf_counter()
    run()
    return _processor() - before, time.perf_counter() - started


def _processor() -> float:
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def process(*command: str, cwd: Path | None = None, statuses: tuple[int, ...] = (0, 1)) -> Run:
    """A command as a whole process."""

    def run() -> None:
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
        done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, check=False)
        if done.returncode not in statuses:
            said = done.stderr.decode(errors="replace")[-500:]
            raise RuntimeError(f"{command[:4]} ended with {done.returncode}: {said}")

    return run


def turns(runs: dict[str, Run], rounds: int) -> dict[str, dict[str, float]]:
    """Median processor and wall seconds of each, taken in turns; the first round warms up."""
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name, run in runs.items():
            measured = clocked(run)
            if number:
                taken[name].append(measured)
    return {
        kind: {name: statistics.median(pair[n] for pair in v) for name, v in taken.items()}
        for n, kind in enumerate(("seconds", "wall"))
    }


RESOLVE = (sys.executable, "-m", "mergewright")


def single_files(sizes: list[int], rounds: int, folder: Path) -> list[dict[str, object]]:
    """Files by number of lines."""
    points: list[dict[str, object]] = []
    for size in sizes:
        functions = max(1, size // 15)
        versions: ThreeWay[bytes | None] = ThreeWay(
            base=module(functions),
            ours=module(functions, ours=True),
            theirs=module(functions, theirs=True),
        )
        names = []
        for name, data in zip(("base", "ours", "theirs"), versions, strict=True):
            path = folder / f"{name}_{size}.py"
            path.write_bytes(data or b"")
            names.append(str(path))
        base, ours, theirs = names
        out = str(folder / "out.py")
        runs: dict[str, Run] = {
            "git": process("git", "merge-file", "-p", "--diff3", ours, base, theirs, statuses=tuple(range(128))),
            "resolve merge-file": process(*RESOLVE, "merge-file", base, ours, theirs, "-o", out),
            "merge_texts in process": lambda v=versions: merge_texts(v, path="file.py"),  # type: ignore[misc]
        }  # fmt: skip
        if shutil.which("mergiraf"):
            runs["mergiraf"] = process(
                "mergiraf", "merge", base, ours, theirs, "-o", out, "-p", "file.py"
            )
        lines = (versions.base or b"").count(b"\n")
        points.append({"lines": lines, **turns(runs, rounds)})
        print(json.dumps(points[-1]), file=sys.stderr)
    return points


def whole_merges(
    cases: list[tuple[int, int]], rounds: int, folder: Path
) -> list[dict[str, object]]:
    """Merges by number of conflicted files and of commits on each side."""
    points: list[dict[str, object]] = []
    for files, commits in cases:
        repository = folder / f"merge-{files}-{commits}"
        build(repository, files, commits)
        runs: dict[str, Run] = {
            "git merge-tree": process("git", "merge-tree", "--write-tree", "dev", "main", cwd=repository),
            "resolve merge": process(*RESOLVE, "merge", "dev", "main", "-C", str(repository), "--json", os.devnull),
        }  # fmt: skip
        points.append({"files": files, "commits": commits, **turns(runs, rounds)})
        print(json.dumps(points[-1]), file=sys.stderr)
        shutil.rmtree(repository)
    return points


def build(folder: Path, files: int, commits: int) -> None:
    """Two branches of so many commits that leave so many files in conflict."""
    base = {f"package/module_{n}.py": module(12, salt=n) for n in range(files)}
    made = [CommitSpec(name="base", files=base)]
    tips = {}
    for branch in ("dev", "main"):
        parent, tree = "base", dict(base)
        for number in range(commits):
            if number == commits - 1:
                for n in range(files):
                    side = {"ours": True} if branch == "dev" else {"theirs": True}
                    tree[f"package/module_{n}.py"] = module(12, salt=n, **side)
            else:
                tree[f"notes/{branch}_{number % 50}.txt"] = f"{number}\n".encode()
            name = f"{branch}-{number}"
            time_of = EPOCH + 60 * len(made)
            made.append(CommitSpec(name=name, files=dict(tree), parents=(parent,), time=time_of))
            parent = name
        tips[branch] = parent
    build_repository(folder, made, branches=tips, bare=True)


# --- growth curves ----------------------------------------------------------------------------------

_COLOURS = {
    "git": "#6f7883", "git merge-tree": "#6f7883", "mergiraf": "#b98a00",
    "resolve merge-file": "#0b5cad", "resolve merge": "#0b5cad", "merge_texts in process": "#2c8a5f",
}  # fmt: skip


def plot(points: list[dict[str, object]], x: str, title: str, path: Path) -> None:
    """Seconds against size, both axes logarithmic, as SVG."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "mergewright"  # the same curves give the same file
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2))
    names = list(points[0]["seconds"])  # type: ignore[call-overload]
    for name in names:
        xs = [point[x] for point in points]
        ys = [point["seconds"][name] for point in points]  # type: ignore[index]
        axes.plot(xs, ys, marker="o", label=name, color=_COLOURS.get(name))
        axes.annotate(
            f"{ys[-1]:.2g} s", (xs[-1], ys[-1]), textcoords="offset points", xytext=(6, -3)
        )
    axes.set(xscale="log", yscale="log", xlabel=x, ylabel="processor seconds (median)", title=title)
    axes.grid(visible=True, which="major", alpha=0.3)
    axes.legend(frameon=False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def table(points: list[dict[str, object]], keys: list[str]) -> str:
    """A Markdown table with ratios to git and mergiraf."""
    names = list(points[0]["seconds"])  # type: ignore[call-overload]
    head = [*keys, *(f"{name}, s" for name in names)]
    own = "resolve merge-file" if "resolve merge-file" in names else "resolve merge"
    others = [name for name in names if name in {"git", "mergiraf", "git merge-tree"}]
    head += [f"{own} / {other}" for other in others]
    rows = ["| " + " | ".join(head) + " |", "|" + " ---: |" * len(head)]
    for point in points:
        seconds: dict[str, float] = point["seconds"]  # type: ignore[assignment]
        cells = [str(point[key]) for key in keys] + [f"{seconds[name]:.3f}" for name in names]
        cells += [f"{seconds[own] / seconds[other]:.1f}" for other in others]
        rows.append("| " + " | ".join(cells) + " |")
    return "\n".join(rows)


def main() -> None:
    """Measure, print tables, write figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds")
    parser.add_argument("--out", type=Path, default=HERE)
    given = parser.parse_args()
    rounds = 1 if given.quick else given.rounds
    sizes = [150, 600] if given.quick else [150, 600, 1500, 3000, 6000]
    by_files = [(2, 5), (8, 5)] if given.quick else [(1, 10), (10, 10), (50, 10), (100, 10)]
    by_commits = [(4, 5), (4, 40)] if given.quick else [(10, 10), (10, 100), (10, 1000)]
    with tempfile.TemporaryDirectory() as folder:
        files = single_files(sizes, rounds, Path(folder))
        merges = whole_merges(by_files, rounds, Path(folder))
        commits = whole_merges(by_commits, rounds, Path(folder))
    given.out.mkdir(parents=True, exist_ok=True)
    found = {"rounds": rounds, "single_files": files, "by_files": merges, "by_commits": commits}
    (given.out / "speed.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for points, x, title, name in (
        (files, "lines", "One file with conflicts, by size", "speed-lines.svg"),
        (merges, "files", "Whole merges, by conflicted files", "speed-files.svg"),
        (commits, "commits", "Whole merges, by commits on each side", "speed-commits.svg"),
    ):
        keys = [x] if x == "lines" else ["files", "commits"]
        print(f"\n{title}\n\n{table(points, keys)}")
        try:
            plot(points, x, title, given.out / name)
        except ImportError:
            print("matplotlib is not installed: no curves were drawn.", file=sys.stderr)


if __name__ == "__main__":
    main()
