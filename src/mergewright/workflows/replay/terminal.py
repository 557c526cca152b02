"""The report as tables for a terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

_COLUMNS = (
    ("files", "files"),
    ("correct", "correct_pct"),
    ("extra", "extra_pct"),
    ("wrong", "wrong_pct"),
    ("open", "open_pct"),
    ("crash", "crash"),
    ("ordered", "ordered"),
    ("exact", "exact"),
    ("unordered", "unordered"),
    ("damage", "damage"),
    ("ER(1)", "er1"),
    ("ER(3)", "er3"),
    ("ER(10)", "er10"),
)


def print_report(report: dict[str, Any], console: Console) -> None:
    """Print totals, precision and exclusions."""
    _totals("All files", report["summary"], report["timing"], console)
    if len(report["repositories"]) > 1:
        for repo, figures in report["repositories"].items():
            _totals(repo, figures, None, console)
    clash = report["contradictory"]
    if clash["files"]:
        _totals(
            f"Contradictory: {clash['files']} files ask {clash['questions']} questions that were "
            "answered differently",
            clash["summary"],
            None,
            console,
        )
    for tool in report["strategies"]:
        _precision(f"{tool}: decisions by rule", report["rules"][tool], console)
        _precision(f"{tool}: decisions by strategy", report["strategies"][tool], console)
        _methods(f"{tool}: files by what settled or left them", report["methods"][tool], console)
    if report["seen"]:
        console.print(", ".join(f"{count} {what}" for what, count in report["seen"].items()))
    for kind, entry in report["excluded"].items():
        console.print(f"left out: {entry['count']} {kind}")
    for name in report["absent"]:
        console.print(f"{name} is not installed; it is not in the table.")


def _totals(
    title: str, figures: dict[str, Any], times: dict[str, Any] | None, console: Console
) -> None:
    table = Table(title=escape(title), title_justify="left")
    table.add_column("tool")
    for name, _ in _COLUMNS:
        table.add_column(name, justify="right")
    table.add_column("symbols right / wrong / open", justify="right")
    if times is not None:
        table.add_column("s median", justify="right")
        table.add_column("s total", justify="right")
    for tool, row in figures.items():
        cells = [f"{row[key]}" + (" %" if key.endswith("_pct") else "") for _, key in _COLUMNS]
        symbols = row["symbols"]
        cells.append(
            f"{symbols['right_pct']} / {symbols['wrong_pct']} / {symbols['open_pct']} % "
            f"of {symbols['total']}"
        )
        if times is not None:
            mark = "*" if times[tool]["from_earlier_runs"] else ""
            cells += [f"{times[tool]['median']:.4f}{mark}", f"{times[tool]['total']:.1f}{mark}"]
        table.add_row(escape(tool), *cells)
    if times is not None and any(entry["from_earlier_runs"] for entry in times.values()):
        table.caption = "* times kept from an earlier run are among them"
        table.caption_justify = "left"
    console.print(table)


def _precision(title: str, rows: list[dict[str, Any]], console: Console) -> None:
    if not rows:
        return
    table = Table(title=escape(title), title_justify="left")
    for name in ("name", "decisions", "right", "wrong", "damage", "extra", "open", "unknown"):
        table.add_column(name, justify="left" if name == "name" else "right")
    table.add_column("precision", justify="right")
    for row in rows:
        names = ("name", "decisions", "right", "wrong", "damage", "extra", "open", "unknown")
        share = "-" if row["precision"] is None else f"{row['precision']} %"
        table.add_row(*(escape(str(row[name])) for name in names), share)
    console.print(table)


def _methods(title: str, rows: list[dict[str, Any]], console: Console) -> None:
    table = Table(title=escape(title), title_justify="left")
    names = ("name", "files", "correct", "extra", "wrong", "open", "crash")
    for name in names:
        table.add_column(name, justify="left" if name == "name" else "right")
    for row in rows:
        table.add_row(*(escape(str(row[name])) for name in names))
    console.print(table)
