"""One root cause, one finding: what several checks say of the same loss is told once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mergewright.audit.values import Finding, Tier, Verdict


def _bound(name: str) -> str:
    """The name that an import fact binds."""
    return name.rsplit(" as ", 1)[-1].rsplit(":", 1)[-1].split(".", 1)[0]


def _lost_keys(finding: Finding) -> list[tuple[str, str, str]]:
    """Under which keys an analyser would tell the consequence of a lost fact."""
    kind, owner, name = (
        finding.subject.split(":", 2) if finding.subject.count(":") > 1 else ("",) * 3
    )
    if kind == "import":
        return [("undefined-name", finding.path, _bound(name))]
    if kind in {"def", "class", "global"} and not owner:
        return [("undefined-name", finding.path, name), ("missing-name", "", name)]
    if kind in {"def", "field"} and owner:
        return [("missing-attribute", "", f"{owner.rsplit('.', 1)[-1]}.{name}")]
    return []


def _told_keys(finding: Finding) -> list[tuple[str, str, str]]:
    """Keys of an analyser's finding, as :func:`_lost_keys` makes them."""
    if finding.check == "undefined-name":
        return [("undefined-name", finding.path, finding.subject.rsplit(":", 1)[-1])]
    if finding.check == "missing-attribute":
        owner, _, name = finding.subject.rpartition(".")
        return [("missing-attribute", "", f"{owner.split('[')[0].rsplit('.', 1)[-1]}.{name}")]
    if finding.check == "missing-name":
        return [("missing-name", "", finding.subject.rsplit(":", 1)[-1])]
    return []


def merge_causes(findings: Iterable[Finding]) -> list[Finding]:
    """Fold lost facts into the diagnostics that are their consequence.

    A lost import and the undefined name that follows are one finding: the diagnostic, which shows
    that something is broken, with the loss as its cause and its verdict.
    """
    entries = list(findings)
    consequences: dict[tuple[str, str, str], list[int]] = {}
    for number, finding in enumerate(entries):
        for key in _told_keys(finding):
            consequences.setdefault(key, []).append(number)
    dropped: set[int] = set()
    for number, finding in enumerate(entries):
        if not finding.check.startswith("lost-"):
            continue
        targets = [t for key in _lost_keys(finding) for t in consequences.get(key, ())]
        for target in targets:
            told = entries[target]
            entries[target] = replace(
                told,
                cause=f"{told.cause}; {finding.message}" if told.cause else finding.message,
                had=told.had or finding.had,
                tier=min(told.tier, finding.tier, key=lambda tier: tier.rank),
                verdict=Verdict.ACCIDENT,
                commits=told.commits or finding.commits,
                patch=told.patch or finding.patch,
                analysers=tuple(sorted({*told.analysers, *finding.analysers})),
                lost=(*told.lost, finding.subject),
            )
            dropped.add(number)
    return [f for n, f in enumerate(entries) if n not in dropped]


def order(findings: Iterable[Finding]) -> list[Finding]:
    """Errors first, then by check and place."""
    return sorted(
        findings,
        key=lambda f: (
            f.tier is not Tier.ERROR,
            f.tier.rank,
            f.check,
            f.path,
            f.places[0].line,
            f.subject,
        ),
    )
