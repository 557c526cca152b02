"""The report as a versioned JSON document; every other form is made from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mergewright.workflows.replay.cases import Collection
from mergewright.workflows.replay.jobs import Tool
from mergewright.workflows.replay.session import Row
from mergewright.workflows.replay.store import Stored
from mergewright.workflows.replay.summary import (
    contradictions,
    file_strategies,
    precision,
    repetitions,
    summarize,
    timing,
)

#: Name and version of the document's form: ``schemas/replay-v1.json``.
SCHEMA = "mergewright/replay"
VERSION = 1


def document(
    collection: Collection,
    rows: Sequence[Row],
    tools: Sequence[Tool],
    *,
    absent: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The report of one replay.

    Everything but ``timing`` and the ``seconds`` of files is equal for equal inputs.

    Args:
        collection: The cases and what was left out.
        rows: The judged cases.
        tools: The columns.
        absent: Peers that were asked for and are not installed.
        settings: Inputs and options, for the reader.
    """
    clashing = contradictions(rows)
    clash_idents = {row.case.ident for group in clashing for row in group}
    repos = sorted({row.case.repo for row in rows})
    own = [tool for tool in tools if not tool.peer]

    def figures(chosen: Sequence[Row], tool: Tool) -> dict[str, Any]:
        return summarize((row.case, row.results[tool.name]) for row in chosen)

    apart = [row for row in rows if row.case.ident in clash_idents]
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "settings": dict(settings or {}),
        "tools": [
            {
                "name": tool.name,
                "version": tool.version,
                "peer": tool.peer,
                "mode": tool.mode,
                "rules": list(tool.rules),
            }
            for tool in tools
        ],
        "absent": list(absent),
        "seen": dict(sorted(collection.seen.items())),
        "excluded": collection.excluded.as_json(),
        "summary": {tool.name: figures(rows, tool) for tool in tools},
        "repositories": {
            repo: {
                tool.name: figures([row for row in rows if row.case.repo == repo], tool)
                for tool in tools
            }
            for repo in repos
        },
        "contradictory": {
            "questions": len(clashing),
            "files": len(apart),
            "repeated": repetitions(rows),
            "idents": [[row.case.ident for row in group] for group in clashing],
            "summary": {tool.name: figures(apart, tool) for tool in tools},
            "summary_without": {
                tool.name: figures(
                    [row for row in rows if row.case.ident not in clash_idents], tool
                )
                for tool in tools
            },
        },
        "rules": {
            tool.name: precision((row.results[tool.name] for row in rows), "rule") for tool in own
        },
        "strategies": {
            tool.name: precision((row.results[tool.name] for row in rows), "strategy")
            for tool in own
        },
        "methods": {
            tool.name: file_strategies(row.results[tool.name] for row in rows) for tool in own
        },
        "timing": {tool.name: timing([row.results[tool.name] for row in rows]) for tool in tools},
        "files": [_file(row, tools) for row in rows],
    }


def _file(row: Row, tools: Sequence[Tool]) -> dict[str, Any]:
    case = row.case
    return {
        "repo": case.repo,
        "merge": case.merge,
        "ours": case.ours,
        "theirs": case.theirs,
        "base": case.base,
        "path": case.path,
        "date": case.date,
        "kind": case.kind,
        "label": case.label,
        "conflicted": case.conflicted,
        "results": {
            tool.name: result_json(row.results[tool.name], peer=tool.peer) for tool in tools
        },
    }


def result_json(stored: Stored, *, peer: bool) -> dict[str, Any]:
    """One tool on one file, as in ``files`` of the document."""
    score, answer = stored.score, stored.answer
    if score is None:
        raise ValueError("a row without a score")
    value: dict[str, Any] = {
        "verdict": score.verdict.value,
        "ordered": score.ordered,
        "exact": score.exact,
        "unordered": score.unordered,
        "symbols": {key: verdict.value for key, verdict in score.symbols.items()},
        "damaged": list(score.damaged),
        "differing": list(score.differing),
        "hunks": score.hunks,
        "seconds": round(answer.attempt.seconds, 4),
        "cached": stored.cached,
        "error": answer.attempt.error,
    }
    if not peer:
        value["strategy"] = answer.strategy
        value["reason"] = answer.reason
        value["gates"] = list(answer.gates)
        value["notes"] = list(answer.notes)
        value["decisions"] = [
            {
                "symbol": decision.symbol,
                "outcome": decision.outcome,
                "strategy": decision.strategy,
                "side": decision.side,
                "rule": decision.rule,
                "reason": decision.reason,
                "evidence": [
                    {"kind": kind, "text": text, "commits": list(commits)}
                    for kind, text, commits in decision.evidence
                ],
                "group": decision.group,
                "fate": decision.fate,
            }
            for decision in answer.decisions
        ]
    return value
