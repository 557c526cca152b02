"""The report, and a comparison of two, as Markdown: for pull requests and documentation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mergewright.workflows.replay.compare import Change, Comparison


def _table(head: Sequence[str], rows: Sequence[Sequence[object]], *, left: int = 1) -> str:
    lines = [
        "| " + " | ".join(head) + " |",
        "| " + " | ".join("---" if n < left else "---:" for n in range(len(head))) + " |",
    ]
    lines += [
        "| " + " | ".join(str(cell).replace("|", "\\|").replace("\n", " ") for cell in row) + " |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"


_HEAD = (
    "tool", "files", "correct", "extra", "wrong", "open", "crash", "ordered", "exact", "unordered", "damage",
    "ER(1)", "ER(3)", "ER(10)", "symbols right / wrong / open", "s median",
)  # fmt: skip


def totals_table(
    figures: Mapping[str, Any],
    times: Mapping[str, Any] | None = None,
    versions: Mapping[str, str] | None = None,
) -> str:
    """One line a tool with all figures."""
    rows = []
    for tool, row in figures.items():
        symbols = row["symbols"]
        version = (versions or {}).get(tool, "")
        rows.append(
            (
                f"{tool} {version}".strip(),
                row["files"],
                f"{row['correct_pct']} %",
                f"{row['extra_pct']} %",
                f"{row['wrong_pct']} %",
                f"{row['open_pct']} %",
                row["crash"],
                row["ordered"],
                row["exact"],
                row["unordered"],
                row["damage"],
                row["er1"],
                row["er3"],
                row["er10"],
                (
                    f"{symbols['right_pct']} / {symbols['wrong_pct']} / {symbols['open_pct']} % "
                    f"of {symbols['total']}"
                ),
                "" if times is None else f"{times[tool]['median']:.4f}",
            )
        )
    return _table(_HEAD, rows)


def report_markdown(report: Mapping[str, Any]) -> str:
    """A whole report: totals, repositories, precision, what was left out. No list of files."""
    versions = {
        tool["name"]: tool["version"] for tool in report["tools"] if tool["version"] != "always"
    }
    parts = ["# Replay\n", totals_table(report["summary"], report["timing"], versions)]
    parts += [f"{name} is not installed; it is not in the table.\n" for name in report["absent"]]
    merges = {tool: figures["merges"] for tool, figures in report["summary"].items()}
    verdicts = ("correct", "extra", "wrong", "open", "crash")
    parts.append("## Whole merges\n\nA merge is as bad as its worst file.\n")
    parts.append(
        _table(
            ("tool", "merges", *verdicts),
            [(tool, row["total"], *(row[v] for v in verdicts)) for tool, row in merges.items()],
        )
    )
    for tool in report["strategies"]:
        for what in ("rules", "strategies"):
            rows = report[what][tool]
            if rows:
                parts.append(
                    f"## {tool}: decisions by {what[:-1] if what == 'rules' else 'strategy'}\n"
                )
                parts.append(precision_table(rows))
    if len(report["repositories"]) > 1:
        parts.append("## By repository\n")
        for repo, figures in report["repositories"].items():
            parts += [f"### {repo}\n", totals_table(figures)]
    clash = report["contradictory"]
    if clash["files"]:
        parts.append(
            f"## Contradictory\n\n{clash['files']} files ask {clash['questions']} questions (the "
            "same three versions) that were answered differently. They are in the totals; here "
            "they are alone, and below the totals are without them.\n"
        )
        parts += [totals_table(clash["summary"]), totals_table(clash["summary_without"])]
    if report["seen"] or report["excluded"]:
        parts.append("## What was looked at and left out\n")
        rows_seen = [(what, count) for what, count in report["seen"].items()]
        rows_out = [(f"left out: {k}", e["count"]) for k, e in report["excluded"].items()]
        parts.append(_table(("what", "number"), rows_seen + rows_out))
    return "\n".join(parts)


def precision_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Decisions by rule or strategy: how many were right."""
    names = ("decisions", "right", "wrong", "damage", "extra", "open", "unknown")
    return _table(
        ("name", *names, "precision"),
        [
            (
                row["name"],
                *(row[name] for name in names),
                "" if row["precision"] is None else f"{row['precision']} %",
            )
            for row in rows
        ],
    )


def comparison_markdown(found: Comparison, *, most: int = 50) -> str:
    """A comparison: figures, who decided, and the files that got worse or better."""
    parts = [
        (
            f"{len(found.regressions)} files got worse, {len(found.improvements)} got better "
            f"({found.before} → {found.after}).\n"
        ),
        _table(
            ("", "before", "after", "difference"),
            [
                (name, old, new, f"{round(new - old, 1):+}")
                for name, (old, new) in found.figures.items()
            ],
        ),
    ]
    if found.deciders:
        parts.append(
            _table(
                ("decided by", "worse", "better"),
                [(name, worse, better) for name, (worse, better) in found.deciders.items()],
            )
        )
    for title, changes in (("Worse", found.regressions), ("Better", found.improvements)):
        if changes:
            parts.append(f"{title}:\n")
            parts.append("\n".join(_line(change) for change in changes[:most]) + "\n")
            if len(changes) > most:
                parts.append(f"… and {len(changes) - most} more.\n")
    for where, idents in (("first", found.only_before), ("second", found.only_after)):
        if idents:
            parts.append(f"{len(idents)} files are in the {where} report alone.\n")
    return "\n".join(parts)


def _line(change: Change) -> str:
    damage = ""
    if change.damage_before != change.damage_after:
        damage = f", damage {change.damage_before} → {change.damage_after}"
    who = ", ".join(change.deciders)
    return f"- {change.before} → {change.after}{damage}: {change.ident} ({who})"
