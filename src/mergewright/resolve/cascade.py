"""The cascade: one contested path to one outcome.

The order is fixed: pins and file rules, structure, history, policy, memory, deferral. Whatever
speaks, the gates have the last word; an answer that fails one becomes git's own conflict. The core
does no I/O: what needs the outside world (git's text, history, a time limit) comes in as a callable.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Protocol

from mergewright.formats.kinds import WHOLE_FILE_METHODS
from mergewright.model.conflict import Conflict, ConflictKind
from mergewright.model.history import HistorySource
from mergewright.model.merge import Answer, Contested, Decider, FileMerge, Question
from mergewright.model.resolution import (
    Decision,
    Deferred,
    Evidence,
    Failed,
    GateResult,
    Outcome,
    PathOutcome,
    Resolved,
)
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve import treeconflicts
from mergewright.resolve.engines import (
    Engine,
    GitText,
    contested_lines,
    is_python,
    merge_by_lines,
    merge_file,
)
from mergewright.resolve.spans import marker_spans, symbol_spans
from mergewright.rules.places import settle_places
from mergewright.rules.union import union
from mergewright.text.markers import marker_size_for, read, render
from mergewright.text.merge import merge_apart


class BudgetExceeded(BaseException):
    """The time limit of one file ran out.

    Not an ``Exception``: an engine that catches its own errors must not swallow the clock.
    """


class PathRule(Protocol):
    """A file rule as the cascade sees it."""

    @property
    def id(self) -> str:
        """The rule's id."""
        ...

    @property
    def reason(self) -> str:
        """Why the team wants it so, one sentence."""
        ...

    @property
    def action(self) -> str:
        """``union``, ``leave``, or an action that takes a side or needs the whole merge."""
        ...

    @property
    def side(self) -> Side | None:
        """The side that is taken whole; ``None`` when the action takes none."""
        ...

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The rule as evidence, with the commits that it cites."""
        ...


class Rules(Protocol):
    """The rule book as the cascade sees it."""

    def for_path(self, conflict: Conflict) -> PathRule | None:
        """The first file rule that speaks for the whole path."""
        ...

    def decider(
        self, path: str, history: HistorySource | None = None, *, groups: bool = False
    ) -> Decider:
        """The symbol rules, as an engine asks them; ``history`` for rules that match on it.

        With ``groups`` only those that decide a group, which come before history.
        """
        ...


class NoRules:
    """A rule book without rules."""

    def for_path(self, conflict: Conflict) -> None:
        """Nothing speaks for a path."""

    def decider(
        self,
        path: str,  # noqa: ARG002 - the protocol's signature
        history: HistorySource | None = None,  # noqa: ARG002
        *,
        groups: bool = False,  # noqa: ARG002
    ) -> Decider:
        """A decider that passes every question on."""
        return _PassOn()


class _PassOn:
    def decide(self, question: object) -> None:
        """Pass the question on."""


Gates = Callable[[str, bytes, ThreeWay[bytes | None], Sequence[Decision]], tuple[GateResult, ...]]


def python_gates(
    path: str, candidate: bytes, versions: ThreeWay[bytes | None], decisions: Sequence[Decision]
) -> tuple[GateResult, ...]:
    """The gates of the file's type; none for files without structure of their own."""
    if is_python(path, versions):
        from mergewright.python.gates import check as check_python

        return check_python(path, candidate, versions, decisions)
    from mergewright.formats.gates import check as check_format

    return check_format(path, candidate, versions, decisions)


def _no_deciders(conflict: Conflict) -> Sequence[Decider]:  # noqa: ARG001 - a default
    return ()


def _no_git_text(conflict: Conflict) -> GitText | None:  # noqa: ARG001 - a default
    return None


def _as_it_is(conflict: Conflict) -> Rebased:
    return Rebased(conflict=conflict)


def _none_disabled(path: str) -> frozenset[str]:  # noqa: ARG001 - a default
    return frozenset()


@dataclass(frozen=True, slots=True)
class _Without:
    """A decider whose answers by some strategies do not count."""

    decider: Decider
    off: frozenset[str]

    def decide(self, question: Question) -> Answer | None:
        answer = self.decider.decide(question)
        return None if answer is None or answer.strategy in self.off else answer


def _marker_size(path: str) -> int:  # noqa: ARG001 - a default
    return 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebased:
    """A conflict as it is merged: from the merge base, or from a newer state that both sides had.

    Attributes:
        conflict: The conflict, with the texts to merge.
        decision: What is said of another base; ``None`` for the merge base.
        settled: What history says of places that would merge cleanly; each may drop what a side alone
            has.
        sync: Whether the other base is the state of a squashed sync, told by the sync's other files.
    """

    conflict: Conflict
    decision: Decision | None = None
    settled: tuple[Decision, ...] = ()
    sync: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cascade:
    """All that decides, in the order in which it is asked.

    Attributes:
        labels: How the sides are called in markers and reasons.
        rules: File rules and symbol rules.
        history: Deciders that know the commits behind a path; asked before the rules.
        rebase: Gives a newer state of the whole file that both sides had, as base of the merge.
        memory: Deciders that know earlier decisions; asked after the rules.
        verdicts: What history says, for rules that match on it.
        git_text: What git itself makes of the path; asked only when something stays open.
        marker_size: Length of the conflict markers of a path (``conflict-marker-size``).
        guard: Entered around the engine; raises :class:`BudgetExceeded` when time runs out.
        engine: Merges three texts.
        gates: Tests a candidate.
        disabled: Names of the strategies that settle nothing in a file.
    """

    labels: ThreeWay[str]
    rules: Rules = field(default_factory=NoRules)
    history: Callable[[Conflict], Sequence[Decider]] = _no_deciders
    rebase: Callable[[Conflict], Rebased] = _as_it_is
    memory: Callable[[Conflict], Sequence[Decider]] = _no_deciders
    verdicts: HistorySource | None = None
    git_text: Callable[[Conflict], GitText | None] = _no_git_text
    marker_size: Callable[[str], int] = _marker_size
    guard: Callable[[], AbstractContextManager[None]] = nullcontext
    engine: Engine = merge_file
    gates: Gates = python_gates
    disabled: Callable[[str], frozenset[str]] = _none_disabled

    def resolve(self, conflict: Conflict) -> PathOutcome:
        """What becomes of one contested path. Never raises: our own fault is a ``Failed``."""
        start = time.perf_counter()
        try:
            outcome = self._decide(conflict)
        except Exception as error:  # noqa: BLE001 - one failed path never stops the rest
            outcome = Failed(
                path=conflict.path,
                error=f"{type(error).__name__}: {error}",
                traceback="".join(traceback.format_exception(error)),
            )
        return replace(outcome, seconds=time.perf_counter() - start)

    def _decide(self, conflict: Conflict) -> PathOutcome:
        rule = self.rules.for_path(conflict)
        if rule is not None:
            by_rule = self._apply_rule(conflict, rule)
            if by_rule is not None:
                return by_rule
        same = treeconflicts.same_on_both(conflict)
        if same is not None:
            return same
        if not treeconflicts.is_content(conflict):
            return self._deleted(conflict) or treeconflicts.deferred(
                conflict, treeconflicts.reason(conflict, self.labels), strategy=conflict.kind.value
            )
        rebased = self.rebase(conflict)
        off = self.disabled(conflict.path)
        said = (() if rebased.decision is None else (rebased.decision,)) + rebased.settled
        if not said or any(decision.strategy in off for decision in said):
            return self._judge(conflict, self._merge(conflict))
        merge = self._merge(rebased.conflict)
        merge = replace(merge, decisions=(*said, *merge.decisions))
        outcome = self._judge(rebased.conflict, merge)
        if isinstance(outcome, Resolved):
            # A newer base may make one side's work look like what the other side took away: a revert,
            # or a difference that is none. The two bases must agree, else a person decides.
            failed = [g for g in self._check(conflict, merge) if not g.passed]
            if not failed:
                if rebased.sync and not is_python(conflict.path, conflict.texts):
                    # No gate sees what a text without definitions lost; the sync alone is no proof.
                    plain = self._judge(conflict, self._merge(conflict))
                    if not isinstance(plain, Resolved):
                        return plain
                return outcome
            agreed = None if rebased.settled else self._agreed(conflict, rebased.conflict)
            if agreed is not None:
                return agreed
            return self._as_git(
                conflict,
                self.git_text(conflict),
                f"gate-{failed[0].gate}",
                f"{said[0].reason} Against the merge base gate {failed[0].gate} fails: "
                f"{failed[0].detail}",
                tuple(failed),
            )
        plain = self._judge(conflict, self._merge(conflict))
        if isinstance(plain, Resolved) or not isinstance(outcome, Deferred):
            return plain
        if isinstance(plain, Deferred) and plain.open_places <= outcome.open_places:
            return plain
        return outcome

    def _agreed(self, conflict: Conflict, rebased: Conflict) -> PathOutcome | None:
        """The merge from the merge base, where it is clean and holds against the newer base as well."""
        if not is_python(conflict.path, conflict.texts):
            return None
        merge = self._merge(conflict)
        outcome = self._judge(conflict, merge)
        if not isinstance(outcome, Resolved):
            return None
        return outcome if all(gate.passed for gate in self._check(rebased, merge)) else None

    def _deleted(self, conflict: Conflict) -> PathOutcome | None:
        """A deletion against a change that the deleting side already had: history settles it."""
        if conflict.kind not in (
            ConflictKind.DELETED_BY_OURS,
            ConflictKind.DELETED_BY_THEIRS,
            ConflictKind.RENAME_DELETE,
        ):
            return None
        question = Question(
            path=conflict.path, symbol="", kind=conflict.kind.value, versions=conflict.texts
        )
        groups = self.rules.decider(conflict.path, self.verdicts, groups=True)
        for decider in (groups, *self._deciders(conflict, self.history(conflict))):
            answer = decider.decide(question)
            if answer is not None and answer.side in (Side.OURS, Side.THEIRS):
                return treeconflicts.whole_side(
                    conflict,
                    answer.side,
                    strategy=answer.strategy,
                    reason=answer.reason,
                    rule=answer.rule,
                    evidence=answer.evidence,
                )
        return None

    def _apply_rule(self, conflict: Conflict, rule: PathRule) -> PathOutcome | None:
        if rule.side is not None:
            version = conflict.versions.get(rule.side)
            if conflict.kind is ConflictKind.DIRECTORY_FILE and version is not None:
                # Taking the file means deleting all that the other side has in the folder.
                reason = (
                    f"Rule {rule.id} takes a file where the other side has a folder; the files of "
                    "the folder would be lost."
                )
                return treeconflicts.deferred(conflict, reason, strategy=conflict.kind.value)
            if conflict.kind is ConflictKind.DIRECTORY_RENAME and version is None:
                reason = (
                    f"Rule {rule.id} takes the side that renamed the directory and does not have the "
                    "file; the file would be lost ('follow' puts it where the directory went)."
                )
                return treeconflicts.deferred(conflict, reason, strategy=conflict.kind.value)
            return treeconflicts.whole_side(
                conflict,
                rule.side,
                strategy=str(rule.action),
                reason=rule.reason,
                rule=rule.id,
                evidence=rule.evidence,
            )
        if rule.action == "follow":
            return treeconflicts.followed(conflict, rule.id, rule.reason, rule.evidence)
        if rule.action == "leave":
            reason = f"Rule {rule.id} leaves it: {rule.reason}"
            left = treeconflicts.deferred(conflict, reason, strategy="leave")
            decisions = tuple(
                replace(d, rule=rule.id, evidence=rule.evidence) for d in left.decisions
            )
            return replace(left, decisions=decisions)
        if rule.action == "union" and treeconflicts.is_content(conflict):
            return self._judge(conflict, unite(conflict.texts, rule))
        return None

    def _deciders(self, conflict: Conflict, deciders: Sequence[Decider]) -> Sequence[Decider]:
        """The deciders without the answers of strategies that are switched off."""
        off = self.disabled(conflict.path)
        return [_Without(decider, off) for decider in deciders] if off else deciders

    def _merge(self, conflict: Conflict) -> FileMerge:
        deciders = (
            self.rules.decider(conflict.path, self.verdicts, groups=True),
            *self._deciders(conflict, self.history(conflict)),
            self.rules.decider(conflict.path, self.verdicts),
            *self.memory(conflict),
        )
        try:
            with self.guard():
                merge = self.engine(conflict.path, conflict.texts, deciders)
        except BudgetExceeded as spent:
            merge = merge_by_lines(conflict.texts)
            note = f"{spent}; merged by lines instead"
            merge = replace(merge, notes=(*merge.notes, note))
        if merge.method != "python":
            # Lines and formats ask no questions while they merge.
            for decider in deciders:
                merge = settle_places(conflict.path, merge, decider)
        return merge

    def _judge(self, conflict: Conflict, merge: FileMerge) -> PathOutcome:
        """Gates, mode and git's own conflict as the yardstick; then the outcome."""
        if not merge.clean:
            git = self.git_text(conflict)
            # Where git merges cleanly its text is no smaller conflict but none: the engine that
            # leaves something open there (a key twice, a lock file) knows why.
            if (
                git is not None
                and git.open_places
                and merge.method not in WHOLE_FILE_METHODS
                and contested_lines(merge.contested) > git.contested_lines
            ):
                return self._as_git(
                    conflict,
                    git,
                    "git",
                    f"Git's own conflict is smaller than the {merge.method} engine's.",
                )
        try:
            with self.guard():
                results = self._check(conflict, merge)
        except BudgetExceeded as spent:
            # An answer that was not tested is not believed.
            results = (GateResult(gate="time", passed=False, detail=str(spent)),)
        failed = [result for result in results if not result.passed]
        if failed:
            reason = "; ".join(f"gate {g.gate} failed: {g.detail}" for g in failed)
            return self._as_git(
                conflict, self.git_text(conflict), f"gate-{failed[0].gate}", reason, results
            )
        mode, mode_contested = treeconflicts.merged_mode(conflict)
        if merge.clean and not mode_contested:
            data = merge.text()
            decisions = merge.decisions
            if merge.method == "python":
                decisions = symbol_spans(decisions, data)
            return Resolved(
                path=conflict.path,
                data=data,
                mode=mode,
                strategy=merge.method,
                decisions=decisions,
                gates=results,
                drop=treeconflicts.dropped(conflict, conflict.path),
                notes=merge.notes,
            )
        decisions = merge.decisions
        if merge.clean:
            reason = treeconflicts.reason(conflict, self.labels)
            data = merge.text()
        else:
            reason = open_reason(merge.contested)
            size = marker_size_for(conflict.texts, self.marker_size(conflict.path))
            data = render(merge, self.labels, size=size)
            decisions = marker_spans(decisions, merge.contested, data, size)
        return Deferred(
            path=conflict.path,
            data=data,
            mode=mode,
            reason=reason,
            strategy=merge.method,
            decisions=decisions,
            gates=results,
            open_places=max(1, len(merge.contested)),
            merge=None if merge.clean else merge,
            notes=merge.notes,
        )

    def _check(self, conflict: Conflict, merge: FileMerge) -> tuple[GateResult, ...]:
        def held(side: Side) -> tuple[GateResult, ...]:
            return self.gates(conflict.path, merge.text(side), conflict.texts, merge.decisions)

        if merge.clean:
            return held(Side.OURS)
        if merge.method == "lines":
            return ()  # what git does too: there is no answer of ours to test
        return both_ways(held(Side.OURS), held(Side.THEIRS))

    def _as_git(
        self,
        conflict: Conflict,
        git: GitText | None,
        strategy: str,
        reason: str,
        gates: tuple[GateResult, ...] = (),
    ) -> PathOutcome:
        """Git's own answer for the path, whatever the engine thought of."""
        left = treeconflicts.deferred(conflict, reason, strategy=strategy)
        if git is None:
            return replace(left, gates=gates)
        if not git.open_places:
            # Git merges these texts cleanly, so its text would hide that the path is contested.
            merge = merge_apart(conflict.texts.map(lambda text: text or b""), reason=reason)
            size = marker_size_for(conflict.texts, self.marker_size(conflict.path))
            data = render(merge, self.labels, size=size)
            return replace(left, data=data, gates=gates, open_places=1, merge=merge)
        return replace(
            left,
            data=git.data,
            gates=gates,
            open_places=git.open_places,
            merge=read(git.data, conflict.texts),
        )


#: Gates that must hold whichever side is taken at the open places.
_EITHER_WAY = frozenset({"parse", "duplicate-definition"})


def both_ways(ours: Sequence[GateResult], theirs: Sequence[GateResult]) -> tuple[GateResult, ...]:
    """The gates' word on a merge with open places, from its two completions.

    A completion lacks what the other side has at the open places. A name may so be undefined, or
    an addition missing, in one of them without anything being wrong with what was settled; only
    a thing that is wrong in both is. A text that does not parse, or that defines a thing twice, is wrong
    either way.
    """
    results = []
    other = {gate.gate: gate for gate in theirs}
    # A text that does not parse has no further gates.
    first = {gate.gate: gate for gate in ours}
    for name in dict.fromkeys((*first, *other)):
        left = first.get(name, GateResult(gate=name, passed=True))
        right = other.get(name, GateResult(gate=name, passed=True))
        failed = [gate for gate in (left, right) if not gate.passed]
        if left.gate in _EITHER_WAY:
            results.append(failed[0] if failed else left)
            continue
        common = _named(left) & _named(right) if len(failed) == 2 else set()
        detail = f"with either side: {', '.join(sorted(common))}" if common else ""
        results.append(GateResult(gate=left.gate, passed=not common, detail=detail))
    return tuple(results)


def _named(gate: GateResult) -> set[str]:
    """What a failed gate names: the words behind the colon of its detail."""
    return set(gate.detail.rpartition(": ")[2].split(", "))


def unite(versions: ThreeWay[bytes | None], rule: PathRule) -> FileMerge:
    """The lines of both sides, each once, by a rule's word."""
    decision = Decision(
        symbol="",
        outcome=Outcome.RESOLVED,
        strategy="union",
        side=Side.BOTH,
        rule=rule.id,
        reason=rule.reason,
        evidence=rule.evidence,
    )
    return FileMerge(pieces=(union(versions),), decisions=(decision,), method="union")


def open_reason(places: Sequence[Contested]) -> str:
    """One sentence about the places that stay open: the symbols, and the first reason."""
    count = "1 place" if len(places) == 1 else f"{len(places)} places"
    names = [name for name in dict.fromkeys(place.symbol for place in places) if name]
    shown = f" in {', '.join(names[:4])}" if names else ""
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return f"{count} left{shown}{more}: {places[0].reason}"
