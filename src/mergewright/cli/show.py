"""A report for people: what became of each path and why."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from typing import IO, Any

from mergewright.cli import terminal

_WORDS = {"resolved": "resolved", "deferred": "left", "failed": "failed"}
_COLOURS = {"resolved": "green", "deferred": "yellow", "failed": "red"}


def plural(count: int, one: str, many: str | None = None) -> str:
    """``1 path``, ``2 paths``."""
    return f"{count} {one if count == 1 else many or one + 's'}"


def totals(report: Mapping[str, Any]) -> str:
    """One line of counts."""
    counts = report["summary"]
    parts = [f"{plural(counts['resolved'], 'path')} resolved"]
    if counts["deferred"]:
        parts.append(f"{counts['deferred']} left ({plural(counts['open_places'], 'place')})")
    if counts["failed"]:
        parts.append(f"{counts['failed']} failed")
    return f"{', '.join(parts)}, in {report['seconds']:.1f} s"


def why(path: Mapping[str, Any]) -> str:
    """The short reason behind a path's outcome."""
    if path["outcome"] != "resolved":
        return str(path["reason"])
    rules = dict.fromkeys(d["rule"] for d in path["decisions"] if d["rule"])
    if rules:
        return f"rule {', '.join(rules)}"
    count = sum(1 for d in path["decisions"] if d["symbol"])
    if count:
        return plural(count, "symbol")
    return str(path["reason"]) or "the changes do not meet"


def paths_table(report: Mapping[str, Any], stream: IO[str]) -> list[str]:
    """A line for each path."""
    paths = report["paths"]
    width = min(max((len(p["path"]) for p in paths), default=0), 60)
    strategies = min(max((len(p["strategy"]) for p in paths), default=0), 20)
    lines = []
    for path in paths:
        word = _WORDS[path["outcome"]]
        shown = terminal.style(f"{word:<8}", stream, fg=_COLOURS[path["outcome"]])
        name = path["path"] + (" (deleted)" if path["deleted"] else "")
        lines.append(
            f"  {shown}  {name:<{width}}  {path['strategy']:<{strategies}}  {why(path)}".rstrip()
        )
    return lines


def print_report(report: Mapping[str, Any], stream: IO[str] | None = None) -> None:
    """The whole report for people.

    Args:
        report: As :func:`mergewright.resolve.reporting.report` makes it.
        stream: Where it goes; standard output by default.
    """
    out = stream or sys.stdout
    sides = report["sides"]
    what = "merge" if report["operation"] == "in-memory" else report["operation"]
    heading = (
        f"{what} of {sides['theirs']['label']} (theirs) into {sides['ours']['label']} (ours), "
        f"{plural(len(report['paths']), 'path')}"
    )
    lines = [terminal.style(heading, out, bold=True), *paths_table(report, out), totals(report)]
    print_lines(lines, out)


_IDLE = re.compile(r"rule '(?P<rule>[^']+)' matched nothing in this merge$")


def folded(warnings: Sequence[str]) -> list[str]:
    """The warnings, those about several idle rules in one line: packs hold rules for rare cases."""
    idle = [match["rule"] for warning in warnings if (match := _IDLE.search(warning))]
    if len(idle) < 2:
        return list(warnings)
    others = [warning for warning in warnings if not _IDLE.search(warning)]
    return [*others, f"{len(idle)} rules matched nothing in this merge: {', '.join(idle)}"]


def print_lines(lines: Sequence[str], stream: IO[str]) -> None:
    """Lines of text, with whatever their encoding cannot say escaped."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    for line in lines:
        stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    stream.flush()


def explain_path(path: Mapping[str, Any], symbol: str | None, stream: IO[str]) -> list[str]:
    """Why a path (or one of its symbols) was decided so.

    Args:
        path: The path's part of the report.
        symbol: Dotted path of a symbol: only it and what is below it; ``None`` for all.
        stream: Where the lines will go.
    """
    lines = [
        terminal.style(f"{path['path']}: {_WORDS[path['outcome']]}", stream, bold=True),
        f"  conflict  {path['kind']}",
        f"  strategy  {path['strategy']}",
    ]
    if path["reason"]:
        lines.append(f"  reason    {path['reason']}")
    for decision in path["decisions"]:
        name = decision["symbol"]
        if symbol is not None and name != symbol and not name.startswith(symbol + "."):
            continue
        lines += _decision(decision, stream)
    lines += [
        f"  gate {gate['gate']}: {'passed' if gate['passed'] else 'FAILED'}"
        + (f" ({gate['detail']})" if gate["detail"] else "")
        for gate in path["gates"]
        if symbol is None
    ]
    lines += [f"  note: {note}" for note in path["notes"]]
    return lines


def _decision(decision: Mapping[str, Any], stream: IO[str]) -> list[str]:
    name = decision["symbol"] or "(whole file)"
    word = terminal.style(_WORDS[decision["outcome"]], stream, fg=_COLOURS[decision["outcome"]])
    span = decision["span"]
    where = "" if span is None else f", lines {span[0]}-{span[1]}"
    side = "" if decision["outcome"] != "resolved" else f", from {decision['side']}"
    lines = ["", f"  {name}: {word} by {decision['strategy']}{side}{where}"]
    if decision["rule"]:
        lines.append(f"    rule      {decision['rule']}")
    if decision["reason"]:
        lines.append(f"    reason    {decision['reason']}")
    for evidence in decision["evidence"]:
        if evidence["text"] != decision["reason"]:
            lines.append(f"    evidence  {evidence['kind']}: {evidence['text']}")
        if evidence["commits"]:
            lines.append(f"    commits   {' '.join(c[:12] for c in evidence['commits'])}")
    if decision["group"]:
        lines.append(f"    group     {decision['group']}")
    return lines
