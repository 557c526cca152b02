"""From judged rows to the figures of the report."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from mergewright.workflows.replay.cases import Case
from mergewright.workflows.replay.judge import Score, SymbolVerdict, Verdict
from mergewright.workflows.replay.session import Row
from mergewright.workflows.replay.store import Stored

#: From best to worst: a merge is as bad as its worst file.
ORDER = (Verdict.CORRECT, Verdict.EXTRA, Verdict.OPEN, Verdict.WRONG, Verdict.CRASH)


def effort_reduction(counts: Counter[str], files: int, k: int) -> float:
    """The share of the files' work saved when a wrong merge costs as much as k by hand, in %."""
    if not files:
        return 0.0
    lost = counts["open"] + counts["crash"] + counts["extra"] + k * counts["wrong"]
    return round(100 * (1 - lost / files), 1)


def percent(part: float, whole: float) -> float:
    """A share in %, one decimal; 0 of nothing."""
    return round(100 * part / whole, 1) if whole else 0.0


def summarize(results: Iterable[tuple[Case, Stored]]) -> dict[str, Any]:
    """The figures of one tool over some files."""
    counts: Counter[str] = Counter()
    symbols: Counter[str] = Counter()
    flags: Counter[str] = Counter()
    by_merge: dict[tuple[str, str], Verdict] = {}
    damage = 0
    files = 0
    for case, stored in results:
        score = _scored(stored)
        files += 1
        counts[score.verdict.value] += 1
        flags.update(name for name in ("ordered", "exact", "unordered") if getattr(score, name))
        symbols.update(value.value for value in score.symbols.values())
        damage += len(score.damaged)
        key = (case.repo, case.merge)
        worst = by_merge.get(key, Verdict.CORRECT)
        by_merge[key] = max(worst, score.verdict, key=ORDER.index)
    merged = Counter(verdict.value for verdict in by_merge.values())
    total = symbols.total()
    return {
        "files": files,
        **{verdict.value: counts[verdict.value] for verdict in Verdict},
        "ordered": flags["ordered"],
        "exact": flags["exact"],
        "unordered": flags["unordered"],
        "damage": damage,
        **{f"{verdict.value}_pct": percent(counts[verdict.value], files) for verdict in Verdict},
        "er1": effort_reduction(counts, files, 1),
        "er3": effort_reduction(counts, files, 3),
        "er10": effort_reduction(counts, files, 10),
        "symbols": {
            "total": total,
            **{verdict.value: symbols[verdict.value] for verdict in SymbolVerdict},
            **{
                f"{verdict.value}_pct": percent(symbols[verdict.value], total)
                for verdict in SymbolVerdict
            },
        },
        "merges": {
            "total": len(by_merge),
            **{verdict.value: merged[verdict.value] for verdict in Verdict},
        },
    }


def _scored(stored: Stored) -> Score:
    if stored.score is None:
        raise ValueError("a row without a score")
    return stored.score


def timing(stored: Sequence[Stored]) -> dict[str, Any]:
    """A tool's own time over some files, in seconds. Times of earlier runs are counted.

    ``merges`` is the wall time of whole merges with their history, for tools that look at them.
    """
    whole = sorted({result.answer.merge_seconds for result in stored} - {0.0})
    seconds = sorted(result.answer.attempt.seconds for result in stored)
    if not seconds:
        seconds = [0.0]
    return {
        "total": round(sum(seconds), 3),
        "median": round(statistics.median(seconds), 4),
        "p95": round(seconds[min(len(seconds) - 1, int(0.95 * len(seconds)))], 4),
        "longest": round(seconds[-1], 3),
        "from_earlier_runs": sum(result.cached for result in stored),
        "merges": {
            "number": len(whole),
            "total": round(sum(whole), 3),
            "median": round(statistics.median(whole), 4) if whole else 0.0,
            "longest": round(whole[-1], 3) if whole else 0.0,
        },
    }


FATES = ("right", "wrong", "extra", "damage", "open", "unknown")


def precision(results: Iterable[Stored], attribute: str) -> list[dict[str, Any]]:
    """Decisions by rule or by strategy: how many were right?

    Precision is right / (right + wrong + damage), in %: symbols that were edited further while
    merging (``extra``) say nothing about a rule.

    Args:
        results: Of our own tool.
        attribute: ``rule`` or ``strategy``.
    """
    table: dict[str, Counter[str]] = {}
    for stored in results:
        for decision in stored.answer.decisions:
            name = getattr(decision, attribute)
            if name is None or (decision.outcome != "resolved"):
                continue
            fate = {"correct": "right", "crash": "wrong"}.get(decision.fate, decision.fate)
            table.setdefault(name, Counter())[fate] += 1
    rows = []
    for name, counts in table.items():
        judged = counts["right"] + counts["wrong"] + counts["damage"]
        rows.append(
            {
                "name": name,
                "decisions": counts.total(),
                **{fate: counts[fate] for fate in FATES},
                "precision": percent(counts["right"], judged) if judged else None,
            }
        )
    return sorted(rows, key=lambda row: (-row["decisions"], row["name"]))


def file_strategies(results: Iterable[Stored]) -> list[dict[str, Any]]:
    """What settled or left each file as a whole, and what became of it."""
    table: dict[str, Counter[str]] = {}
    for stored in results:
        table.setdefault(stored.answer.strategy or "-", Counter())[
            _scored(stored).verdict.value
        ] += 1
    return [
        {
            "name": name,
            "files": counts.total(),
            **{verdict.value: counts[verdict.value] for verdict in Verdict},
        }
        for name, counts in sorted(table.items(), key=lambda item: (-item[1].total(), item[0]))
    ]


def contradictions(rows: Sequence[Row]) -> list[list[Row]]:
    """Groups of rows with the same three versions and different accepted results."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.case.question_key, []).append(row)
    return [
        group for group in groups.values() if len({row.case.accepted_blob for row in group}) > 1
    ]


def repetitions(rows: Sequence[Row]) -> int:
    """Rows whose three versions and accepted result were judged before."""
    seen: set[tuple[str, str | None]] = set()
    repeated = 0
    for row in rows:
        key = (row.case.question_key, row.case.accepted_blob)
        repeated += key in seen
        seen.add(key)
    return repeated
