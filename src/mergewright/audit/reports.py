"""The report as JSON, SARIF and Markdown; all three carry the stable ids."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mergewright.audit.render import printable
from mergewright.audit.values import AuditReport, Finding, Tier, Verdict

#: Version of the JSON form (``schemas/audit-v1.json``).
JSON_VERSION = 1

_SARIF_LEVEL = {Tier.ERROR: "error", Tier.REVIEW: "warning", Tier.HINT: "note"}


def clean(text: str) -> str:
    """Text that can be written as UTF-8: bytes kept by surrogateescape are shown."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def as_json(report: AuditReport, *, version: str) -> dict[str, Any]:
    """The report as plain data.

    Args:
        report: The report.
        version: Version of mergewright.
    """
    return {
        "format": "mergewright-audit",
        "format-version": JSON_VERSION,
        "mergewright": version,
        "labels": {name: clean(label) for name, label in report.labels.items()},
        "complete": report.complete,
        "notes": [clean(note) for note in report.notes],
        "seconds": round(report.seconds, 3),
        "timings": {name: round(value, 3) for name, value in report.timings.items()},
        "python-lines": report.python_lines,
        "counts": {tier.value: len(report.of_tier(tier)) for tier in Tier},
        "findings": [_finding(finding) for finding in report.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "check": finding.check,
        "tier": finding.tier.value,
        "subject": clean(finding.subject),
        "message": clean(finding.message),
        "places": [
            {
                "path": clean(place.path),
                "line": place.line,
                "symbol": clean(place.symbol),
                "text": clean(place.text),
            }
            for place in finding.places
        ],
        "had": finding.had,
        "cause": clean(finding.cause),
        "repair": clean(finding.repair),
        "fixable": finding.patch is not None,
        "verdict": finding.verdict.value,
        "commits": [
            {"role": ref.role, "commit": ref.commit, "summary": clean(ref.summary)}
            for ref in finding.commits
        ],
        "analysers": list(finding.analysers),
        "advisory": clean(finding.advisory),
        "decision": clean(finding.decision),
    }


def as_sarif(report: AuditReport, *, version: str) -> dict[str, Any]:
    """The report as SARIF 2.1.0, for code hosts.

    Decided findings are results with an accepted suppression.
    """
    rules = sorted({finding.check for finding in report.findings})
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "mergewright audit",
                        "version": version,
                        "rules": [{"id": rule, "name": rule} for rule in rules],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": report.complete,
                        "toolExecutionNotifications": [
                            {"level": "warning", "message": {"text": clean(note)}}
                            for note in report.notes
                        ],
                    }
                ],
                "results": [_sarif(finding, rules) for finding in report.findings],
            }
        ],
    }


def _sarif(finding: Finding, rules: list[str]) -> dict[str, Any]:
    locations = [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": _uri(place.path), "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": max(place.line, 1)},
            }
        }
        for place in finding.places
    ]
    text = ". ".join(part for part in (finding.message, finding.cause, finding.repair) if part)
    result: dict[str, Any] = {
        "ruleId": finding.check,
        "ruleIndex": rules.index(finding.check),
        "level": _SARIF_LEVEL[finding.tier],
        "message": {"text": clean(text)},
        "locations": locations[:1],
        "relatedLocations": locations[1:20],
        "partialFingerprints": {"mergewrightId/v1": finding.id},
    }
    if finding.decision:
        result["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": clean(finding.decision)}
        ]
    return result


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path.encode("utf-8", "surrogateescape"), safe="/")


def as_markdown(report: AuditReport, *, limit: int = 200) -> str:
    """The report for the body of a pull request; everything but errors is folded away.

    Args:
        report: The report.
        limit: How many findings of a tier are listed.
    """
    errors = report.of_tier(Tier.ERROR)
    lines = ["## Merge audit", ""]
    counts = ", ".join(f"{len(report.of_tier(tier))} {tier.value}" for tier in Tier)
    lines.append(f"{counts}. {'' if report.complete else '**The audit is incomplete.** '}".rstrip())
    lines += [f"- {_escape(note)}" for note in report.notes]
    lines.append("")
    lines += _section(errors[:limit])
    if len(errors) > limit:
        lines.append(f"- … and {len(errors) - limit} more")
    intentional = [f for f in report.findings if f.verdict is Verdict.INTENTIONAL or f.decision]
    kept = set(map(id, intentional))
    for title, tier in (("To review", Tier.REVIEW), ("Hints", Tier.HINT)):
        found = [f for f in report.of_tier(tier) if id(f) not in kept]
        lines += _folded(f"{title} ({len(found)})", found[:limit])
    lines += _folded(f"Removed on purpose ({len(intentional)})", intentional[:limit])
    return "\n".join(lines).rstrip() + "\n"


def _folded(title: str, found: list[Finding]) -> list[str]:
    if not found:
        return []
    return [
        "<details>",
        f"<summary>{title}</summary>",
        "",
        *_section(found),
        "",
        "</details>",
        "",
    ]


def _section(found: Iterable[Finding]) -> list[str]:
    lines = []
    for finding in found:
        place = finding.places[0]
        where = f"{place.path}:{place.line}" if place.line else place.path
        lines.append(
            f"- `{_code(where)}` {_escape(finding.message)} ({finding.check}, `{finding.id}`)"
        )
        extra = [finding.cause, finding.repair and f"Repair: {finding.repair}"]
        extra += [f"{r.role}: {r.commit[:12]} {r.summary}" for r in finding.commits]
        extra += [finding.advisory, finding.decision and f"Decided: {finding.decision}"]
        lines += [f"  - {_escape(text)}" for text in extra if text]
    return lines


def _code(text: str) -> str:
    return printable(text).replace("`", "'")


def _escape(text: str) -> str:
    """Text of a repository in Markdown: no tag, link, mention or reference comes alive."""
    parts = printable(text).split("`")
    if len(parts) % 2 == 0:
        parts = ["'".join(parts)]
    # Every second part stands between backticks: code, in which nothing is live.
    return "`".join(part if n % 2 else _escape_plain(part) for n, part in enumerate(parts))


def _escape_plain(text: str) -> str:
    for char in "\\<>[]*_|":
        text = text.replace(char, "\\" + char)
    return text.replace("@", "@\u200b").replace("#", "#\u200b")
