"""The report of a plan as plain data: version 1 of ``schemas/report-v1.json``.

Adding a field keeps the version; taking one away or changing a meaning makes a new one.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Mapping
from typing import Any

from mergewright.model.plan import MergePlan, PathPlan
from mergewright.model.resolution import Decision, Deferred, Failed, GateResult, Outcome, Resolved
from mergewright.resolve.treeconflicts import printable

SCHEMA = "mergewright/report"
VERSION = 1


def path_fields(path: str, name: str = "path") -> dict[str, str]:
    """A path for JSON: printable, and its bytes in base64 when those are not the path itself."""
    shown = printable(path)
    fields = {name: shown}
    if shown != path:
        raw = path.encode("utf-8", "surrogateescape")
        fields[f"{name}_base64"] = base64.b64encode(raw).decode("ascii")
    return fields


def _decision(decision: Decision) -> dict[str, Any]:
    return {
        "symbol": decision.symbol,
        "outcome": decision.outcome.value,
        "strategy": decision.strategy,
        "side": decision.side.value,
        "rule": decision.rule,
        "reason": decision.reason,
        "evidence": [
            {"kind": e.kind.value, "text": e.text, "commits": list(e.commits)}
            for e in decision.evidence
        ],
        "span": None if decision.span is None else list(decision.span),
        "group": decision.group,
    }


def _gate(gate: GateResult) -> dict[str, Any]:
    return {"gate": gate.gate, "passed": gate.passed, "detail": gate.detail}


def path_report(entry: PathPlan) -> dict[str, Any]:
    """One path of the report."""
    outcome = entry.outcome
    report: dict[str, Any] = {
        **path_fields(outcome.path),
        "kind": "clean" if entry.conflict is None else entry.conflict.kind.value,
        "outcome": outcome.outcome.value,
        "strategy": "failed" if isinstance(outcome, Failed) else outcome.strategy,
        "reason": "",
        "open_places": 0,
        "mode": None,
        "deleted": False,
        "dropped": [],
        "decisions": [_decision(d) for d in outcome.decisions],
        "gates": [_gate(g) for g in outcome.gates],
        "notes": list(outcome.notes),
        "seconds": round(outcome.seconds, 6),
    }
    if isinstance(outcome, Resolved):
        whole = [d.reason for d in outcome.decisions if not d.symbol and d.reason]
        report["reason"] = whole[0] if whole else ""
        report["mode"] = f"{outcome.mode:06o}"
        report["deleted"] = outcome.data is None and outcome.oid is None
        report["dropped"] = [printable(path) for path in outcome.drop]
    elif isinstance(outcome, Deferred):
        report["reason"] = outcome.reason
        report["mode"] = f"{outcome.mode:06o}"
        report["open_places"] = outcome.open_places
    else:
        report["reason"] = outcome.error
        report["traceback"] = outcome.traceback
        report["open_places"] = 1
    return report


def summary(plan: MergePlan) -> dict[str, Any]:
    """The counts of a plan."""
    outcomes = [entry.outcome for entry in plan.paths]
    decisions = [d for outcome in outcomes for d in outcome.decisions]
    resolved = [d for d in decisions if d.outcome is Outcome.RESOLVED]
    return {
        "paths": len(outcomes),
        "resolved": len(plan.resolved),
        "deferred": len(plan.deferred),
        "failed": len(plan.failed),
        "open_places": sum(d.open_places for d in plan.deferred) + len(plan.failed),
        "decisions": len(decisions),
        "by_kind": _counts(
            "clean" if entry.conflict is None else entry.conflict.kind.value for entry in plan.paths
        ),
        "by_strategy": _counts(d.strategy for d in resolved),
        "by_rule": _counts(d.rule for d in resolved if d.rule is not None),
        "by_side": _counts(d.side.value for d in resolved),
    }


def _counts(values: Any) -> dict[str, int]:
    counts = Counter(values)
    return {key: counts[key] for key in sorted(counts, key=lambda k: (-counts[k], k))}


def report(
    plan: MergePlan, *, version: str, extra: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The whole report of a plan.

    Args:
        plan: The plan.
        version: Version of the program.
        extra: Further top-level parts (``written``, ``dry_run``, ``audit``).
    """
    source = plan.source
    sides = {
        side: {"commit": commit, "label": label}
        for side, commit, label in zip(
            ("base", "ours", "theirs"), source.commits, source.labels, strict=True
        )
    }
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "tool": {"name": "mergewright", "version": version},
        "operation": source.operation,
        "engine": source.engine,
        "swapped": source.swapped,
        "sides": sides,
        "summary": summary(plan),
        "paths": [path_report(entry) for entry in plan.paths],
        "warnings": list(plan.warnings),
        "notes": list(plan.notes),
        "seconds": round(plan.seconds, 6),
        **(extra or {}),
    }
