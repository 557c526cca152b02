"""The report as text for a terminal."""

from __future__ import annotations

from mergewright.audit.values import AuditReport, Finding, Tier


def printable(text: str) -> str:
    """Text of a repository with control characters shown, so that it cannot steer a terminal."""
    return "".join(
        c if c.isprintable() else f"\\x{ord(c):02x}" if ord(c) < 256 else f"\\u{ord(c):04x}"
        for c in text
    )


def terminal(report: AuditReport, *, limit: int = 400) -> str:
    """The report for a terminal.

    Args:
        report: The report.
        limit: How many findings are shown in full.
    """
    lines: list[str] = []
    shown = [f for f in report.findings if not f.decision]
    for finding in shown[:limit]:
        lines.extend(_lines(finding))
    if len(shown) > limit:
        lines.append(f"… and {len(shown) - limit} more")
    counts = ", ".join(f"{len(report.of_tier(tier))} {tier.value}" for tier in Tier)
    decided = sum(1 for f in report.findings if f.decision)
    lines.append("")
    lines.extend(f"note: {printable(note)}" for note in report.notes)
    state = "" if report.complete else "; the audit is incomplete"
    extra = f", {decided} decided before" if decided else ""
    lines.append(
        f"{counts}{extra} in {report.python_lines} lines of Python, {report.seconds:.1f} s{state}"
    )
    return "\n".join(lines).lstrip("\n") + "\n"


def _lines(finding: Finding) -> list[str]:
    place = finding.places[0]
    where = f"{place.path}:{place.line}" if place.line else place.path
    lines = [
        printable(f"{finding.tier.value} {finding.id} {where}: {finding.message} [{finding.check}]")
    ]
    lines.extend(printable(f"    also {p.path}:{p.line}") for p in finding.places[1:6])
    if len(finding.places) > 6:
        lines.append(f"    and {len(finding.places) - 6} more places")
    for name, text in (
        ("cause", finding.cause),
        ("repair", finding.repair),
        ("advisory", finding.advisory),
    ):
        if text:
            lines.append(printable(f"    {name}: {text}"))
    lines.extend(
        printable(f"    {ref.role}: {ref.commit[:12]} {ref.summary}") for ref in finding.commits
    )
    return lines
