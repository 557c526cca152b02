"""Rules by history and by group, at the places that git merged cleanly (``when: always``)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace

from mergewright.git.trees import Objects, TreeEntry
from mergewright.history.clean import CleanPlace, clean_places, shared_paths, works_named
from mergewright.history.features import put_back
from mergewright.history.locate import symbol_text
from mergewright.history.merge_history import MergeHistory
from mergewright.history.verdicts import same_code
from mergewright.model.conflict import MODE_REGULAR
from mergewright.model.history import Verdict
from mergewright.model.merge import Answer, Question
from mergewright.model.plan import PathPlan
from mergewright.model.resolution import Decision, GateResult, Resolved
from mergewright.model.threeway import Side, ThreeWay
from mergewright.python.gates import check
from mergewright.resolve.engines import PYTHON_SUFFIXES
from mergewright.rules.book import RuleBook, path_matches
from mergewright.workflows.spreading import take_back


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """What rules by history and group change at clean places.

    Attributes:
        plans: A resolution for each file that changes.
        rules: Ids of the rules that spoke.
        warnings: Files that a rule speaks of and that are left as git merged them, each with the reason.
    """

    plans: tuple[PathPlan, ...] = ()
    rules: frozenset[str] = frozenset()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Said:
    found: Verdict

    def verdict(self, question: Question) -> Verdict:  # noqa: ARG002 - the protocol's signature
        return self.found


def by_history(
    book: RuleBook,
    opened: Callable[[Collection[str]], MergeHistory | None],
    objects: Objects,
    merged: Mapping[str, TreeEntry],
    left_out: Collection[str],
) -> Spoken:
    """Ask the rules with ``when: always`` that match history or a group about what merged cleanly.

    Args:
        book: The rules.
        opened: Gives the history of what merged cleanly, with that of the works that are named to it.
        objects: Where the blobs are.
        merged: The cleanly merged files by path.
        left_out: Paths that are conflicts, or that another rule speaks for.

    Raises:
        RepositoryError: An object is missing.
    """
    if not book.speaks_for_clean_symbols:
        return Spoken()
    groups = book.clean_groups()
    history = opened([work for loaded, _ in groups for work in loaded.rule.match.group or ()])
    if history is None:
        return Spoken()
    texts: dict[str, bytes | None] = {}

    def text(path: str) -> bytes | None:
        if path not in texts:
            entry = merged.get(path)
            is_file = entry is not None and entry.is_blob
            texts[path] = objects.blob(entry.oid) if entry is not None and is_file else None
        return texts[path]

    modes = {path: entry.mode for path, entry in merged.items()}
    plans: list[PathPlan] = []
    rules: set[str] = set()
    warnings: list[str] = []
    done = set(left_out)
    for loaded, side in groups:
        lost = _lost(history, loaded.rule.match.group or (), side)
        touched = {change.path for oid in lost for change in history.commits[oid].changes}
        paths = sorted(p for p in touched - done if path_matches(loaded.rule.match, p))
        spread = take_back(history, lost, paths, text)
        strategy = loaded.rule.action.value
        plans += [
            replace(plan, outcome=replace(plan.outcome, decisions=decided))
            for plan in spread.plans(strategy, side, modes, {})
            if isinstance(plan.outcome, Resolved)
            for decided in [tuple(replace(d, rule=loaded.id) for d in plan.outcome.decisions)]
        ]
        warnings += [
            f"{path}: rule {loaded.id} takes {side} of a work, but here that is left: {why}"
            for path, why in sorted(spread.left.items())
        ]
        if spread.texts or spread.left:
            rules.add(loaded.id)
        done |= spread.texts.keys() | spread.left.keys()
    for path in shared_paths(history, done):
        taken = [
            (place, answer)
            for place in clean_places(history, path)
            for answer in [_answer(book, place)]
            if answer is not None and answer.side in (Side.OURS, Side.THEIRS)
        ]
        before = text(path)
        if not taken or (before is None and merged.get(path) is not None):
            continue
        rules.update(answer.rule for _, answer in taken if answer.rule is not None)
        after, decisions, failed = _taken(history, path, before, taken)
        if failed:
            warnings.append(
                f"{path}: rule {taken[0][1].rule} speaks of places that merged cleanly, but gate "
                f"{failed[0].gate} fails: {failed[0].detail}"
            )
        elif after != before:
            plans.append(_plan(path, after, decisions, modes))
    return Spoken(plans=tuple(plans), rules=frozenset(rules), warnings=tuple(warnings))


def _lost(history: MergeHistory, groups: Collection[str], side: Side) -> list[str]:
    """The losing side's commits of the works that a rule names."""
    named = [commit.oid for commit in works_named(history.commits.values(), groups)]
    tied = [
        oid
        for name in named
        for twin in history.twins.of(name)
        for oid in (*twin.ours, *twin.theirs)
    ]
    losing = {commit.oid for commit in history.facts.side(side.other).commits}
    return [oid for oid in dict.fromkeys((*named, *tied)) if oid in losing]


def _answer(book: RuleBook, place: CleanPlace) -> Answer | None:
    question = Question(
        path=place.path, symbol=place.symbol, kind="symbol", versions=place.versions
    )
    return book.clean_decider(place.path, _Said(place.verdict)).decide(question)


def _taken(
    history: MergeHistory,
    path: str,
    merged: bytes | None,
    taken: list[tuple[CleanPlace, Answer]],
) -> tuple[bytes | None, tuple[Decision, ...], list[GateResult]]:
    """The merged text with the places as the rules want them, the decisions, and gates that fail."""
    versions = _versions(history, path)
    decisions: list[Decision] = []
    text = merged
    for place, answer in taken:
        assert answer.side is not None
        source = versions.get(answer.side)
        if not place.symbol:
            # Where the merge says the same in other comments or another layout, it is well as it is.
            alike = path.endswith(PYTHON_SUFFIXES) and same_code(text, source)
            changed = text if alike else source
        elif text is None or source is None or b"\r" in text + source:
            continue
        else:
            changed = put_back(text, source, place.symbol)
            if same_code(symbol_text(text, place.symbol), symbol_text(changed, place.symbol)):
                continue
        if changed == text:
            continue
        text = changed
        decision = answer.decision(place.symbol, answer.side)
        decisions.append(replace(decision, group=place.verdict.group))
    failed: list[GateResult] = []
    # A whole file is a side's own text, and the gates ask what became of the other's: it is left on purpose.
    if text is not None and path.endswith(PYTHON_SUFFIXES) and all(d.symbol for d in decisions):
        failed = [gate for gate in check(path, text, versions, decisions) if not gate.passed]
    return text, tuple(decisions), failed


def _versions(history: MergeHistory, path: str) -> ThreeWay[bytes | None]:
    facts = history.facts

    def read(*commits: str) -> bytes | None:
        for commit in commits:
            blob = facts.blob_at(commit, path)
            if blob is not None:
                return facts.read(blob)
        return None

    return ThreeWay(
        base=read(*facts.bases), ours=read(facts.ours.tip), theirs=read(facts.theirs.tip)
    )


def _plan(
    path: str,
    text: bytes | None,
    decisions: tuple[Decision, ...],
    modes: Mapping[str, int],
) -> PathPlan:
    return PathPlan(
        conflict=None,
        outcome=Resolved(
            path=path,
            data=text,
            mode=modes.get(path, MODE_REGULAR),
            strategy=decisions[0].strategy,
            decisions=decisions,
        ),
    )
