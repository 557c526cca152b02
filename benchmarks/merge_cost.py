"""Wall time and peak memory of ``resolve merge``: real merges, and synthetic ones of growing size.

    python benchmarks/merge_cost.py real REPO OURS THEIRS [OURS THEIRS …]
    python benchmarks/merge_cost.py synthetic [FILES …]        (default 250 500 1000)

Each merge is a process of its own (``python -m mergewright merge … --json``); time is its wall time,
memory its peak resident set. The synthetic repository has FILES conflicted Python modules of about
75 lines; in each both sides add a function at one place and change different methods, and one in four
holds a true contradiction.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]


def measure(repo: Path, ours: str, theirs: str) -> dict[str, float]:
    """One merge as a whole process."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        start = time.perf_counter()
        child = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "mergewright",
                "merge",
                ours,
                theirs,
                "-C",
                str(repo),
                "--json",
                str(report),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        )
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode not in (0, 1):
            sys.exit(f"resolve merge ended with {child.returncode}")
        summary = json.loads(report.read_text())["summary"]
    factor = 1 if sys.platform == "darwin" else 1024
    return {
        "paths": summary["paths"],
        "resolved": summary["resolved"],
        "failed": summary["failed"],
        "seconds": round(seconds, 2),
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 2),
        "peak_mb": round(usage.ru_maxrss * factor / 1e6, 1),
    }


def module(number: int, side: str) -> str:
    """One synthetic module, as base, ours or theirs has it."""
    methods = []
    for index in range(12):
        changed = (side == "ours" and index == 2) or (side == "theirs" and index == 8)
        value = f"value * {index + 1}" + (f" + {len(side)}" if changed else "")
        if number % 4 == 0 and index == 5 and side != "base":
            value += f" - {len(side)}"
        methods.append(
            f"    def step_{index}(self, value):\n"
            f'        """Step {index} of model {number}."""\n'
            f"        result = {value}\n"
            f"        self.log.append(result)\n"
            f"        return result\n"
        )
    added = (
        "" if side == "base" else f"\n\ndef added_by_{side}(value):\n    return value + {number}\n"
    )
    return (
        f'"""Module {number}."""\n\nimport math\n\n\nclass Model{number}:\n'
        f"    def __init__(self):\n        self.log = []\n\n"
        + "\n".join(methods)
        + f"\n\ndef first(value):\n    return math.floor(value)\n{added}"
    )


def commit(files: int, branch: str, start: str | None) -> bytes:
    """A commit of all modules for ``git fast-import``."""
    head = f"commit refs/heads/{branch}\ncommitter B <b@example.org> 1767225600 +0000\ndata 1\nx\n"
    parts = [head.encode(), f"from refs/heads/{start}\n".encode() if start else b""]
    for number in range(files):
        data = module(number, branch).encode()
        path = f"package_{number // 50}/module_{number}.py"
        parts.append(f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n")
    return b"".join(parts)


def synthetic(folder: Path, files: int) -> Path:
    """A repository whose branches ours and theirs conflict in so many files."""
    repo = folder / f"synthetic-{files}"
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "--quiet", "--bare", str(repo)], check=True, env=env)
    data = commit(files, "base", None) + commit(files, "ours", "base")
    data += commit(files, "theirs", "base")
    subprocess.run(["git", "fast-import", "--quiet"], input=data, check=True, cwd=repo, env=env)
    return repo


def main(arguments: list[str]) -> None:
    """Print a table."""
    rows: list[tuple[str, dict[str, float]]] = []
    if arguments and arguments[0] == "real" and len(arguments) >= 4:
        repo = Path(arguments[1])
        for ours, theirs in zip(arguments[2::2], arguments[3::2], strict=True):
            rows.append((f"{ours[:10]} {theirs[:10]}", measure(repo, ours, theirs)))
    elif arguments and arguments[0] == "synthetic":
        with tempfile.TemporaryDirectory() as folder:
            for size in [int(a) for a in arguments[1:]] or [250, 500, 1000]:
                repo = synthetic(Path(folder), size)
                rows.append((f"synthetic, {size} files", measure(repo, "ours", "theirs")))
    else:
        sys.exit(__doc__)
    names = ["paths", "resolved", "failed", "seconds", "cpu_seconds", "peak_mb"]
    print("| merge | " + " | ".join(names) + " | ms a path |")
    print("| --- |" + " ---: |" * (len(names) + 1))
    for title, row in rows:
        each = 1000 * row["seconds"] / max(1, row["paths"])
        print(f"| {title} | " + " | ".join(str(row[n]) for n in names) + f" | {each:.1f} |")


if __name__ == "__main__":
    main(sys.argv[1:])
