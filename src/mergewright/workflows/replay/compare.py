"""Two reports side by side: what got better, what got worse, and by whose decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mergewright.model.errors import UsageError
from mergewright.workflows.replay.document import SCHEMA, VERSION

#: How bad a verdict is. Open and extra cost the same: somebody has to look.
_RANK = {"correct": 0, "extra": 1, "open": 1, "wrong": 2, "crash": 3}

_FIGURES = ("files", "correct", "extra", "wrong", "open", "crash", "damage", "er1", "er3", "er10")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One file whose verdict or damage is not the same in both reports.

    Attributes:
        ident: ``repo merge path``.
        before, after: Verdicts.
        damage_before, damage_after: Numbers of damaged symbols.
        deciders: Rules, and strategies of decisions without a rule, in the report in which the
            file is worse; those whose decision was wrong or damaging first.
    """

    ident: str
    before: str
    after: str
    damage_before: int
    damage_after: int
    deciders: tuple[str, ...]

    @property
    def regression(self) -> bool:
        """Whether the file is worse than before."""
        return _RANK[self.after] > _RANK[self.before] or self.damage_after > self.damage_before

    @property
    def improvement(self) -> bool:
        """Whether the file is better than before, and in nothing worse."""
        better = _RANK[self.after] < _RANK[self.before] or self.damage_after < self.damage_before
        return better and not self.regression


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What changed between two reports.

    Attributes:
        before, after: Names of the compared columns.
        changes: Changed files, in the order of the first report.
        only_before, only_after: Files that one report alone has.
        figures: Name to the value before and after, over the files that both have.
        deciders: Rule or strategy to the number of files that got worse and better with it.
    """

    before: str
    after: str
    changes: tuple[Change, ...]
    only_before: tuple[str, ...]
    only_after: tuple[str, ...]
    figures: Mapping[str, tuple[float, float]]
    deciders: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def regressions(self) -> tuple[Change, ...]:
        """Files that got worse."""
        return tuple(change for change in self.changes if change.regression)

    @property
    def improvements(self) -> tuple[Change, ...]:
        """Files that got better."""
        return tuple(change for change in self.changes if change.improvement)

    def as_json(self) -> dict[str, Any]:
        """A value for JSON."""

        def changes(some: Iterable[Change]) -> list[dict[str, Any]]:
            return [
                {
                    "ident": change.ident,
                    "before": change.before,
                    "after": change.after,
                    "damage_before": change.damage_before,
                    "damage_after": change.damage_after,
                    "deciders": list(change.deciders),
                }
                for change in some
            ]

        return {
            "schema": "mergewright/replay-comparison",
            "version": 1,
            "before": self.before,
            "after": self.after,
            "regressions": changes(self.regressions),
            "improvements": changes(self.improvements),
            "only_before": list(self.only_before),
            "only_after": list(self.only_after),
            "figures": {name: list(pair) for name, pair in self.figures.items()},
            "deciders": {
                name: {"worse": worse, "better": better}
                for name, (worse, better) in self.deciders.items()
            },
        }


def compare(
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    *,
    tool_before: str | None = None,
    tool_after: str | None = None,
) -> Comparison:
    """Compare a column of one report with a column of another, or of the same.

    Args:
        before: A report as :func:`document` makes it.
        after: Another.
        tool_before: The column; our tool's first one if not given.
        tool_after: The same for the second report.

    Raises:
        UsageError: one is no report, or has no such column.
    """
    first, second = _column(before, tool_before), _column(after, tool_after)
    old, new = _results(before, first), _results(after, second)
    changes = []
    worse: Counter[str] = Counter()
    better: Counter[str] = Counter()
    for ident, mine in old.items():
        other = new.get(ident)
        if other is None:
            continue
        damage = len(mine["damaged"]), len(other["damaged"])
        if mine["verdict"] == other["verdict"] and damage[0] == damage[1]:
            continue
        draft = Change(
            ident=ident,
            before=mine["verdict"],
            after=other["verdict"],
            damage_before=damage[0],
            damage_after=damage[1],
            deciders=(),
        )
        told = _deciders(other if draft.regression else mine)
        change = Change(
            ident=ident,
            before=draft.before,
            after=draft.after,
            damage_before=damage[0],
            damage_after=damage[1],
            deciders=told,
        )
        changes.append(change)
        for name in told:
            worse[name] += change.regression
            better[name] += change.improvement
    common = [ident for ident in old if ident in new]
    return Comparison(
        before=first,
        after=second,
        changes=tuple(changes),
        only_before=tuple(ident for ident in old if ident not in new),
        only_after=tuple(ident for ident in new if ident not in old),
        figures=_figures([old[i] for i in common], [new[i] for i in common]),
        deciders={
            name: (worse[name], better[name])
            for name in sorted({*worse, *better}, key=lambda n: (-worse[n], -better[n], n))
        },
    )


def _column(report: Mapping[str, Any], tool: str | None) -> str:
    form = report.get("schema"), report.get("version")
    if form != (SCHEMA, VERSION):
        raise UsageError(f"Not a report of {SCHEMA} version {VERSION}: {form}")
    names = [entry["name"] for entry in report["tools"]]
    if tool is None:
        own = [entry["name"] for entry in report["tools"] if not entry["peer"]]
        if not own:
            raise UsageError("The report has no column of our own tool.", hint="Name one: --tool")
        return str(own[0])
    if tool not in names:
        raise UsageError(f"The report has no column {tool}.", hint=f"It has: {', '.join(names)}")
    return tool


def _results(report: Mapping[str, Any], tool: str) -> dict[str, dict[str, Any]]:
    return {
        f"{entry['repo']} {entry['merge']} {entry['path']}": entry["results"][tool]
        for entry in report["files"]
    }


def _deciders(result: Mapping[str, Any]) -> tuple[str, ...]:
    """Who decided in a file; those who were wrong first, and alone if there are any."""
    decisions = result.get("decisions", [])
    bad = [d for d in decisions if d["fate"] in {"wrong", "damage", "crash"}]
    names = [d["rule"] or d["strategy"] for d in bad or decisions]
    return tuple(dict.fromkeys(names)) or (result.get("strategy") or "-",)


def _figures(
    old: list[dict[str, Any]], new: list[dict[str, Any]]
) -> dict[str, tuple[float, float]]:
    first, second = _totals(old), _totals(new)
    return {name: (first[name], second[name]) for name in _FIGURES}


def _totals(results: list[dict[str, Any]]) -> dict[str, float]:
    # The same definitions as in summary.py; a report on disk has no scores to recount from.
    from mergewright.workflows.replay.summary import effort_reduction

    counts = Counter(result["verdict"] for result in results)
    return {
        "files": len(results),
        **{name: counts[name] for name in _RANK},
        "damage": sum(len(result["damaged"]) for result in results),
        **{f"er{k}": effort_reduction(counts, len(results), k) for k in (1, 3, 10)},
    }
