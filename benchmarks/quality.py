"""Quality on a fixed sample of real merges, against the committed baseline.

    python benchmarks/quality.py --repos DIR            compare with the baseline; exit 1 if a file got worse
    python benchmarks/quality.py --repos DIR --record   make this the baseline and add a line to the history

DIR holds the repositories that sample.jsonl names, as bare clones (DIR/owner+name or DIR/owner/name).
The sample is 30 conflicted files of each of eleven repositories (ids only); baseline.json holds what
became of each of them, history.jsonl one line of figures for every recorded state. Peers run beside
our tool the first time; after that their kept results are taken.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "src"))

from mergewright.workflows.replay.compare import compare  # noqa: E402 - from this checkout
from mergewright.workflows.replay.markdown import comparison_markdown, totals_table  # noqa: E402
from mergewright.workflows.replay.request import OWN, Request, replay  # noqa: E402
from mergewright.workflows.replay.session import Progress  # noqa: E402
from mergewright.workflows.replay.store import Store  # noqa: E402

SAMPLE = HERE / "sample.jsonl"
BASELINE = HERE / "baseline.json"
HISTORY = HERE / "history.jsonl"

_FIGURES = (
    "files", "correct", "ordered", "exact", "extra", "wrong", "open", "crash", "damage",
    "er1", "er3", "er10",
)  # fmt: skip


def main() -> int:
    """Run the sample; compare or record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--repos", type=Path, required=True)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--db", type=Path, default=HERE / ".quality.sqlite")
    parser.add_argument("--peers", default="git,mergiraf,weave,ours,theirs")
    parser.add_argument("--json", type=Path, help="also write the whole report")
    given = parser.parse_args()
    request = Request(
        manifests=(SAMPLE,),
        repos=given.repos,
        peers=tuple(filter(None, given.peers.split(","))),
        jobs=given.jobs,
        timeout=1800,  # a busy machine must not change a verdict
    )
    last = [0.0]

    def progress(now: Progress) -> None:
        if now.seconds - last[0] > 15 or now.done == now.total:
            last[0] = now.seconds
            print(f"{now.done} of {now.total} files, {now.left:.0f} s left", file=sys.stderr)

    with Store(given.db) as store:
        report = replay(request, store, progress=progress).report
    if given.json:
        given.json.write_text(json.dumps(report), encoding="utf-8")
    print(totals_table(report["summary"], report["timing"]))
    if not BASELINE.exists() and not given.record:
        print("There is no baseline yet: --record makes one.", file=sys.stderr)
        return 2
    worse = 0
    if BASELINE.exists():
        found = compare(json.loads(BASELINE.read_text(encoding="utf-8")), report)
        print(comparison_markdown(found))
        worse = len(found.regressions)
    if given.record:
        BASELINE.write_text(json.dumps(trimmed(report), indent=0) + "\n", encoding="utf-8")
        with HISTORY.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line(report)) + "\n")
        return 0
    return 1 if worse else 0


def trimmed(report: dict[str, Any]) -> dict[str, Any]:
    """What a comparison needs, and the figures of all tools; no texts, no decisions, no times."""
    return {
        "schema": report["schema"],
        "version": report["version"],
        "tools": [tool for tool in report["tools"] if tool["name"] == OWN],
        "summary": report["summary"],
        "files": [
            {
                "repo": entry["repo"],
                "merge": entry["merge"],
                "path": entry["path"],
                "results": {
                    OWN: {
                        "verdict": entry["results"][OWN]["verdict"],
                        "damaged": entry["results"][OWN]["damaged"],
                        "strategy": entry["results"][OWN]["strategy"],
                    }
                },
            }
            for entry in report["files"]
        ],
    }


def line(report: dict[str, Any]) -> dict[str, Any]:
    """One line of the history: when, which commit, all figures of all tools."""
    commit = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=HERE, capture_output=True, text=True, check=True
    ).stdout.strip()
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "parent": commit,  # the state is committed together with this line
        "tools": {tool["name"]: tool["version"] for tool in report["tools"]},
        "figures": {
            tool: {name: figures[name] for name in _FIGURES} | {"symbols": figures["symbols"]}
            for tool, figures in report["summary"].items()
        },
        "median_seconds": {tool: t["median"] for tool, t in report["timing"].items()},
    }


if __name__ == "__main__":
    sys.exit(main())
