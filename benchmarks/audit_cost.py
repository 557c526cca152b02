"""Time and memory of ``resolve audit``: real merges, and synthetic trees of growing size.

    python benchmarks/audit_cost.py real REPO MERGE [MERGE …]
    python benchmarks/audit_cost.py growth [LINES …]           (default 5000 50000 345000)
    python benchmarks/audit_cost.py files [FILES]              (default 100000)

Each audit is a process of its own (``python -m mergewright audit … --json``). "cold": nothing is kept
from before; what the audit keeps for the next one is written. "kept": the analysers' results and the facts
of both parents are kept from an audit of ours' own tree, those of the merged tree are not. Wall time and processor time are in seconds, with the analysers' processes; memory is the peak of
all processes together (proportional set size, sampled), else of the largest one. Wall time means
something on an idle machine only.

The synthetic trees are modules of 75 lines in packages, each importing its neighbour and with one base
class for all; ours and theirs change every tenth module each, and the merged tree lost an import and a
method of ours.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
LINES_A_MODULE = 75


def pss(pid: int) -> int:
    """Proportional memory of a process and its descendants, in bytes; 0 where /proc does not tell."""
    total = 0
    with contextlib.suppress(OSError, ValueError):
        for row in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if row.startswith("Pss:"):
                total += int(row.split()[1]) * 1024
    with contextlib.suppress(OSError, ValueError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                total += pss(int(child))
    return total


def measure(repo: Path, arguments: list[str], cache: Path | None) -> dict[str, float]:
    """One audit as a whole process, with what is kept in a folder, or nothing yet."""
    if cache is None:
        with tempfile.TemporaryDirectory() as empty:
            return measure(repo, arguments, Path(empty))
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "XDG_CACHE_HOME": str(cache)}
    env.pop("MERGEWRIGHT_NO_CACHE", None)
    peak = 0
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "mergewright", "audit", "-C", str(repo)]
        start = time.perf_counter()
        child = subprocess.Popen(
            [*command, "--json", str(report), "--timeout", "3600", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=env,
        )
        done = threading.Event()

        def sample() -> None:
            nonlocal peak
            while not done.wait(0.2):
                peak = max(peak, pss(child.pid))

        sampler = threading.Thread(target=sample)
        sampler.start()
        assert child.stderr is not None
        said = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        done.set()
        sampler.join()
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            sys.exit(f"resolve audit ended with {child.returncode}: {said.decode()[-500:]}")
        found = json.loads(report.read_text())
    if not found["complete"]:
        sys.exit(f"the audit is not complete: {found['notes']}")
    factor = 1 if sys.platform == "darwin" else 1024
    return {
        "lines": found["python-lines"],
        "errors": found["counts"]["error"],
        "wall": round(seconds, 1),
        "cpu": round(usage.ru_utime + usage.ru_stime, 1),
        "peak_mb": round(max(peak, usage.ru_maxrss * factor) / 1e6),
    }


def git(repo: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(repo), *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def both(repo: Path, ours: str, theirs: str, merged: list[str]) -> list[dict[str, float]]:
    """The audit cold, and with the parents' results kept."""
    rows = [measure(repo, merged, None)]
    with tempfile.TemporaryDirectory() as folder:
        # Taking ours as the result fills the kept results of both parents and of nothing else.
        measure(repo, ["--trees", ours, theirs, ours], Path(folder))
        rows.append(measure(repo, merged, Path(folder)))
    return rows


def module(number: int, side: str, *, lines: int) -> str:
    """One synthetic module, as base, ours, theirs or the merged tree has it."""
    ours = side in {"ours", "merged"} and number % 10 == 0
    theirs = side in {"theirs", "merged"} and number % 10 == 5
    spoiled = side == "merged" and number == 10
    head = f'"""Module {number}."""\n\n'
    head += "" if spoiled else "import math\n"
    if number:
        head += (
            f"\nfrom package_{(number - 1) // 50}.module_{number - 1} import Model{number - 1}\n"
        )
        head += f"\n\nclass Model{number}(Model0):\n    previous = Model{number - 1}\n"
        head = head.replace("\n\n\nclass", "\nfrom package_0.module_0 import Model0\n\n\nclass")
    else:
        head += f"\n\nclass Model{number}:\n    def __init__(self):\n        self.log = []\n"
    body = []
    for index in range(max(1, (lines - 12) // 5)):
        value = f"math.floor(value) * {index + 1}" + (" + 1" if theirs and not index else "")
        body.append(
            f"\n    def step_{index}(self, value):\n        result = {value}\n"
            "        self.log.append(result)\n        return result\n"
        )
    if ours and not spoiled:
        body.append(f"\n    def extra_{number}(self):\n        return self.log\n")
    if ours:
        body.append(f"\n    def use(self):\n        return self.extra_{number}()\n")
    return head + "".join(body)


def synthetic(folder: Path, files: int, *, lines: int = LINES_A_MODULE) -> Path:
    """A bare repository with branches base, ours, theirs and merged."""
    repo = folder / f"synthetic-{files}"
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "--quiet", "--bare", str(repo)], check=True, env=env)
    importer = subprocess.Popen(
        ["git", "fast-import", "--quiet"], stdin=subprocess.PIPE, cwd=repo, env=env
    )
    assert importer.stdin is not None
    for side, parents in (
        ("base", ()),
        ("ours", ("base",)),
        ("theirs", ("base",)),
        ("merged", ("ours", "theirs")),
    ):
        head = (
            f"commit refs/heads/{side}\ncommitter B <b@example.org> 1767225600 +0000\ndata 1\nx\n"
        )
        links = [
            f"{word} refs/heads/{p}\n" for word, p in zip(("from", "merge"), parents, strict=False)
        ]
        importer.stdin.write((head + "".join(links)).encode())
        for number in range(files):
            text = module(number, side, lines=lines)
            if parents and text == module(number, parents[0], lines=lines):
                continue
            data = text.encode()
            path = f"package_{number // 50}/module_{number}.py"
            importer.stdin.write(
                f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"
            )
    importer.stdin.close()
    if importer.wait():
        sys.exit("git fast-import failed")
    return repo


def table(rows: list[tuple[str, dict[str, float]]]) -> None:
    names = ["lines", "errors", "wall", "cpu", "peak_mb"]
    print("| merge | " + " | ".join(names) + " | cpu ms a 1,000 lines |")
    print("| --- |" + " ---: |" * (len(names) + 1))
    for title, row in rows:
        each = 1e6 * row["cpu"] / max(1, row["lines"])
        print(
            f"| {title} | " + " | ".join(str(row[n]) for n in names) + f" | {each:.0f} |",
            flush=True,
        )


def main(arguments: list[str]) -> None:
    """Print a table."""
    rows: list[tuple[str, dict[str, float]]] = []
    mode, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if mode == "real" and len(rest) >= 2:
        repo = Path(rest[0])
        for merge in rest[1:]:
            ours, theirs = (git(repo, "rev-parse", f"{merge}^{n}") for n in (1, 2))
            cold, kept = both(repo, ours, theirs, [merge])
            rows += [(f"{merge[:10]}, cold", cold), (f"{merge[:10]}, parents kept", kept)]
    elif mode == "growth":
        with tempfile.TemporaryDirectory() as folder:
            for lines in [int(a) for a in rest] or [5_000, 50_000, 345_000]:
                files = max(20, lines // LINES_A_MODULE)
                repo = synthetic(Path(folder), files)
                cold, kept = both(repo, "ours", "theirs", ["merged"])
                rows += [(f"{files} files, cold", cold), (f"{files} files, parents kept", kept)]
    elif mode == "files":
        with tempfile.TemporaryDirectory() as folder:
            files = int(rest[0]) if rest else 100_000
            repo = synthetic(Path(folder), files, lines=17)
            rows.append((f"{files} files, cold", measure(repo, ["merged"], None)))
    else:
        sys.exit(__doc__)
    table(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
