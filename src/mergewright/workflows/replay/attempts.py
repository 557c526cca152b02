"""Our own tool on historical merges: what it makes of each judged file, and what it decided."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import mergewright
from mergewright.model.errors import UsageError
from mergewright.model.resolution import Decision, Deferred, PathOutcome, Resolved
from mergewright.model.threeway import ThreeWay
from mergewright.rules.loading import built_in_folder
from mergewright.workflows.replay.peers import Attempt, left_open
from mergewright.workflows.texts import merge_texts

#: How the sides are called in the markers of replayed merges.
LABELS = ThreeWay(base="base", ours="ours", theirs="theirs")


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionRecord:
    """A decision of our tool as the judge sees it: plain text, ready for JSON.

    Attributes:
        symbol: Dotted path; empty for the whole file.
        outcome: ``resolved`` or ``deferred``.
        strategy: Name of the strategy.
        side: Where the text comes from.
        rule: Id of the deciding rule, if any.
        reason: One sentence.
        evidence: Sentences, each with the commits it rests on.
        group: Decision group.
        fate: Right, wrong, extra, damage, open or unknown; filled in by the judge.
    """

    symbol: str
    outcome: str
    strategy: str
    side: str
    rule: str | None = None
    reason: str = ""
    evidence: tuple[tuple[str, str, tuple[str, ...]], ...] = ()
    group: str | None = None
    fate: str = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What our tool makes of one file.

    Attributes:
        attempt: The result as a peer would give it.
        strategy: What settled or left the file as a whole.
        reason: Why it was left, if it was.
        decisions: Symbol by symbol.
        gates: Names of the gates that failed.
        notes: Things a reader should know.
        merge_seconds: Wall time of the whole merge with its history; the same for all its files,
            0 when files were merged one by one.
    """

    attempt: Attempt
    strategy: str = ""
    reason: str = ""
    decisions: tuple[DecisionRecord, ...] = ()
    gates: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    merge_seconds: float = 0.0


def rule_path(rule: str) -> Path:
    """The file of a rule file or of a shipped pack by its name.

    Raises:
        UsageError: there is none.
    """
    path = Path(rule)
    if not path.exists():
        path = built_in_folder() / f"{rule}.yaml"
    if not path.is_file():
        raise UsageError(f"{rule} is neither a rule file nor a shipped pack.")
    return path


@cache
def source_version(rules: tuple[str, ...] = ()) -> str:
    """Version of the tool with a digest of its code and rules: results of other code do not count.

    Args:
        rules: Rule files or packs in use.
    """
    hasher = hashlib.blake2b(digest_size=6)
    package = Path(mergewright.__file__).parent
    ignored = package / "workflows" / "replay", package / "cli"
    for path in sorted(package.rglob("*")):
        if path.suffix in {".py", ".yaml", ".yml"} and not any(i in path.parents for i in ignored):
            hasher.update(str(path.relative_to(package)).encode())
            hasher.update(path.read_bytes())
    hasher.update(Path(__file__).read_bytes())
    for path in sorted(built_in_folder().glob("*.yaml")):
        hasher.update(path.read_bytes())
    for rule in rules:
        hasher.update(rule_path(rule).read_bytes())
    return f"{mergewright.__version__}+{hasher.hexdigest()}"


def by_structure(path: str, versions: ThreeWay[bytes | None], limit: float) -> Answer:
    """The cascade on three texts, without history, policy or memory."""
    return answer(merge_texts(versions, path=path, labels=LABELS, budget=limit), versions)


def answer(outcome: PathOutcome, versions: ThreeWay[bytes | None]) -> Answer:
    """One path's outcome as the judge takes it.

    A failure of the tool leaves the file as git left it, so it is judged as open and its error
    kept; a crash is a tool that gives nothing.
    """
    decisions = tuple(record(decision) for decision in outcome.decisions)
    gates = tuple(gate.gate for gate in outcome.gates if not gate.passed)
    if isinstance(outcome, Resolved):
        attempt = Attempt(data=outcome.data, deleted=outcome.data is None, seconds=outcome.seconds)
        return Answer(
            attempt=attempt,
            strategy=outcome.strategy,
            decisions=decisions,
            gates=gates,
            notes=outcome.notes,
        )
    if isinstance(outcome, Deferred):
        data = left_open(versions) if outcome.data is None else outcome.data
        attempt = Attempt(data=data, seconds=outcome.seconds)
        return Answer(
            attempt=attempt,
            strategy=outcome.strategy,
            reason=outcome.reason,
            decisions=decisions,
            gates=gates,
            notes=outcome.notes,
        )
    attempt = Attempt(data=None, seconds=outcome.seconds, error=outcome.error)
    return Answer(
        attempt=attempt,
        strategy="failed",
        reason=outcome.error,
        decisions=decisions,
        gates=gates,
        notes=(outcome.traceback,),
    )


def record(decision: Decision) -> DecisionRecord:
    """A decision as plain text."""
    return DecisionRecord(
        symbol=decision.symbol,
        outcome=decision.outcome.value,
        strategy=decision.strategy,
        side=decision.side.value,
        rule=decision.rule,
        reason=decision.reason,
        evidence=tuple((e.kind.value, e.text, e.commits) for e in decision.evidence),
        group=decision.group,
    )
