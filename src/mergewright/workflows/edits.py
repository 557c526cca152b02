"""A plan's entries with files that were changed after their paths were decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from mergewright.model.conflict import Conflict
from mergewright.model.merge import FileMerge
from mergewright.model.plan import PathPlan
from mergewright.model.resolution import (
    Decision,
    Deferred,
    GateResult,
    Outcome,
    PathOutcome,
    Resolved,
)
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.cascade import both_ways, python_gates
from mergewright.resolve.spans import marker_spans
from mergewright.resolve.treeconflicts import dropped, merged_mode
from mergewright.resolve.treeconflicts import reason as tree_reason
from mergewright.rules.stepedit import StepEdit
from mergewright.text.markers import marker_size_for, render


def with_edits(
    paths: Sequence[PathPlan],
    edits: Collection[StepEdit],
    labels: ThreeWay[str] | None = None,
) -> tuple[PathPlan, ...]:
    """A plan's entries with files that were changed afterwards, also ones that had merged cleanly.

    Args:
        paths: The entries.
        edits: The changed files.
        labels: How the sides are called in the markers of files that stay open; without them such
            files are left as they are.
    """
    by_path = {edit.path: edit for edit in edits}
    out: list[PathPlan] = []
    for entry in paths:
        edit = by_path.pop(entry.path, None)
        outcome = entry.outcome
        if edit is None:
            out.append(entry)
        elif isinstance(outcome, Resolved):
            outcome = replace(
                outcome,
                data=edit.data,
                mode=edit.mode,
                decisions=(*outcome.decisions, *edit.decisions),
            )
            out.append(replace(entry, outcome=outcome))
        elif isinstance(outcome, Deferred) and entry.conflict is not None and labels is not None:
            out.append(replace(entry, outcome=_carried(entry.conflict, outcome, edit, labels)))
        else:
            out.append(entry)
    for edit in by_path.values():
        strategies = dict.fromkeys(decision.strategy for decision in edit.decisions)
        outcome = Resolved(
            path=edit.path,
            data=edit.data,
            mode=edit.mode,
            strategy="+".join(strategies) or "rules",
            decisions=edit.decisions,
        )
        out.append(PathPlan(conflict=None, outcome=outcome))
    return tuple(sorted(out, key=lambda entry: entry.path))


def _carried(
    conflict: Conflict, outcome: Deferred, edit: StepEdit, labels: ThreeWay[str]
) -> PathOutcome:
    """A file with open places after the steps, through the gates again."""
    merge = edit.merge
    if merge is None or outcome.merge is None:
        return outcome
    kept = _kept_decisions(outcome, edit.survivors)
    decisions = (*kept, *edit.decisions)
    if merge.clean:
        return _settled(conflict, outcome, merge, decisions, labels)
    checked = tuple(g for g in _gates(conflict, merge, decisions) if g.gate in _STILL)
    failed = [gate for gate in checked if not gate.passed]
    if failed:
        # What failed before the steps is open still, and no step's fault.
        before = _gates(conflict, outcome.merge, outcome.decisions)
        held = {gate.gate for gate in before if not gate.passed}
        failed = [gate for gate in failed if gate.gate not in held]
    if failed:
        return _without_steps(outcome, failed[0])
    size = marker_size_for(conflict.texts.map(lambda text: text))
    for side in (Side.BASE, Side.OURS, Side.THEIRS):
        text = merge.text(side)
        size = marker_size_for(ThreeWay(base=text, ours=None, theirs=None), size)
    data = render(merge, labels, size=size)
    bare = tuple(replace(d, span=None) if d.outcome is Outcome.DEFERRED else d for d in decisions)
    return replace(
        outcome,
        data=data,
        merge=merge,
        open_places=max(1, len(merge.contested)),
        decisions=marker_spans(bare, merge.contested, data, size),
        gates=(*_failed_before(outcome, checked), *checked),
    )


def _settled(
    conflict: Conflict,
    outcome: Deferred,
    merge: FileMerge,
    decisions: tuple[Decision, ...],
    labels: ThreeWay[str],
) -> PathOutcome:
    """A file in which the steps left no text open: every gate must hold, and the mode be agreed."""
    checked = _gates(conflict, merge, decisions)
    failed = [gate for gate in checked if not gate.passed]
    if failed:
        return _without_steps(outcome, failed[0])
    held = [gate for gate in outcome.gates if not gate.passed]
    if held:
        # It spoke of an answer that no step is a substitute for.
        note = f"steps of rules left out: gate {held[0].gate} holds the file back: {held[0].detail}"
        return replace(outcome, notes=(*outcome.notes, note))
    mode, mode_contested = merged_mode(conflict)
    if mode_contested:
        return replace(
            outcome,
            data=merge.text(),
            mode=mode,
            reason=tree_reason(conflict, labels),
            merge=None,
            open_places=1,
            decisions=decisions,
            gates=checked,
        )
    return Resolved(
        path=outcome.path,
        data=merge.text(),
        mode=mode,
        strategy=outcome.merge.method if outcome.merge is not None else merge.method,
        decisions=decisions,
        gates=checked,
        drop=dropped(conflict, outcome.path),
        notes=outcome.notes,
    )


def _without_steps(outcome: Deferred, gate: GateResult) -> Deferred:
    note = f"steps of rules left out: gate {gate.gate} would fail: {gate.detail}"
    return replace(outcome, notes=(*outcome.notes, note))


def _failed_before(outcome: Deferred, checked: Sequence[GateResult]) -> tuple[GateResult, ...]:
    """The gates that held a file back and were not asked again."""
    asked = {gate.gate for gate in checked}
    return tuple(g for g in outcome.gates if not g.passed and g.gate not in asked)


#: Gates that hold whatever a rule changed on purpose; the others count what the sides added.
_STILL = frozenset(
    {"parse", "duplicate-definition", "undefined-name", "bound-twice", "runtime-name"}
)


def _gates(
    conflict: Conflict, merge: FileMerge, decisions: Sequence[Decision]
) -> tuple[GateResult, ...]:
    def held(side: Side) -> tuple[GateResult, ...]:
        return python_gates(conflict.path, merge.text(side), conflict.texts, decisions)

    return held(Side.OURS) if merge.clean else both_ways(held(Side.OURS), held(Side.THEIRS))


def _kept_decisions(outcome: Deferred, survivors: Sequence[int]) -> tuple[Decision, ...]:
    """The decisions without those of open places that the steps settled."""
    if outcome.merge is None:
        return outcome.decisions
    gone: Counter[str] = Counter(
        place.symbol
        for number, place in enumerate(outcome.merge.contested)
        if number not in survivors
    )
    kept = []
    for decision in outcome.decisions:
        if decision.outcome is Outcome.DEFERRED and gone[decision.symbol] > 0:
            gone[decision.symbol] -= 1
            continue
        kept.append(decision)
    return tuple(kept)
