"""One audit: trees in, report out. The checks are independent; one that fails stops no other."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from mergewright.audit.analysers import (
    PYTHON_SUFFIXES,
    Analyser,
    DiagnosticCache,
    Pyrefly,
    Ruff,
    analyse,
)
from mergewright.audit.beside import Beside, paused_collector, run_stages
from mergewright.audit.blame import Blame, History
from mergewright.audit.decisions import decide, unused
from mergewright.audit.diagnostics import Differ
from mergewright.audit.importorder import order_findings
from mergewright.audit.index import Index, Sources
from mergewright.audit.kept import Kept
from mergewright.audit.lines import line_findings, taken_whole, text_checks
from mergewright.audit.lost import LostFacts
from mergewright.audit.merging import merge_causes, order
from mergewright.audit.options import Options
from mergewright.audit.pairs import pair_findings
from mergewright.audit.policy import Policy, policy_findings, soften_overridden
from mergewright.audit.repairs import Repairer
from mergewright.audit.structure import Structure
from mergewright.audit.values import AuditReport, Finding, Trees


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditOptions:
    """What to run and with which means.

    Attributes:
        analysers: Analysers to compare with.
        cache: Where diagnostics of whole trees are kept.
        timeout: Seconds for one analyser on one tree.
        decisions: What was decided before, by finding id.
        policy: What the rule file says of whole files.
        history: Changes of paths on both sides since the base; ``None`` when it cannot be asked.
        fork_from: So many Python files make a second process worth its start.
    """

    analysers: Sequence[Analyser] = (Ruff(), Pyrefly())
    cache: DiagnosticCache = field(default_factory=lambda: DiagnosticCache(None))
    timeout: float = 300.0
    history: History | None = None
    decisions: Mapping[str, str] = field(default_factory=dict)
    policy: Policy = field(default_factory=Policy)
    fork_from: int = 300


def audit_trees(
    trees: Trees,
    *,
    labels: Mapping[str, str],
    remarks: Sequence[str] = (),
    options: AuditOptions | None = None,
) -> AuditReport:
    """Audit a merged tree against its parents.

    Args:
        trees: Base, ours, theirs and merged.
        labels: How they are called in the report.
        remarks: What a reader should know of the choice of trees.
        options: Means and limits.

    Returns:
        The report. It never raises for the content of a tree: what could not be checked stands in
        ``notes`` and makes ``complete`` false.
    """
    with paused_collector():
        return _audit(trees, labels, remarks, options or AuditOptions())


def _audit(
    trees: Trees, labels: Mapping[str, str], remarks: Sequence[str], options: AuditOptions
) -> AuditReport:
    start = time.perf_counter()
    kept = Kept(options.cache.folder)
    sources = Sources(kept)
    indexes = {
        "base": Index(trees.base, sources),
        "ours": Index(trees.ours, sources),
        "theirs": Index(trees.theirs, sources),
        "merged": Index(trees.merged, sources),
    }
    notes: list[str] = []
    timings: dict[str, float] = {}

    def keep() -> list[Finding]:
        kept.flush()
        return []

    beside = Beside(
        [
            ("lost lines", lambda: line_findings(trees) + taken_whole(trees)),
            ("text", lambda: text_checks(trees)),
            ("policy", lambda: policy_findings(trees, options.policy, labels)),
            ("argument names", lambda: Options(trees, indexes).by_text()),
            ("pairs", lambda: pair_findings(trees)),
            ("structure", lambda: Structure(trees, indexes).findings()),
            ("import order", lambda: order_findings(indexes)),
            ("keeping", keep),
        ],
        fork=len(indexes["merged"].python_paths) >= options.fork_from,
    )
    # Threads come after the fork.
    pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="analysers")
    pending = pool.submit(
        analyse,
        {"ours": trees.ours, "theirs": trees.theirs, "merged": trees.merged},
        options.analysers,
        cache=options.cache,
        timeout=options.timeout,
    )

    def diagnostics() -> list[Finding]:
        run = pending.result()
        notes.extend(
            f"{name} was not compared: {reason}" for name, reason in sorted(run.failed.items())
        )
        timings["analysers"] = time.perf_counter() - start
        differ = Differ(trees, indexes)
        return differ.findings(differ.new(run.found))

    outcomes = run_stages(
        [
            # Both read the facts of the same files.
            ("lost facts", lambda: LostFacts(trees, indexes).findings()),
            ("options", lambda: Options(trees, indexes).by_facts()),
        ]
    )
    outcomes += beside.outcomes()
    finisher = Finisher(trees, options, sources)
    # The analysers are still at work; most of what they will find is of the other checks too.
    finisher.ahead([finding for outcome in outcomes for finding in outcome.findings])
    outcomes += run_stages([("diagnostics", diagnostics)])
    pool.shutdown()
    findings: list[Finding] = []
    for outcome in outcomes:
        findings.extend(outcome.findings)
        timings[outcome.name] = outcome.seconds
        if outcome.failure:
            notes.append(f"the check of {outcome.name} failed: {outcome.failure}")
    findings = order(decide(finisher.finish(merge_causes(findings)), options.decisions))
    notes.extend(finisher.notes)
    timings |= finisher.timings
    stale = unused(findings, options.decisions)
    if stale:
        remarks = (*remarks, f"decisions that no finding needs any more: {', '.join(stale[:10])}")
    kept.close()
    return AuditReport(
        labels=dict(labels),
        findings=tuple(findings),
        notes=(*remarks, *notes),
        complete=not notes,
        seconds=time.perf_counter() - start,
        timings=timings,
        python_lines=sum(
            trees.merged.read(oid).count(b"\n")
            for path, oid in trees.merged.files.items()
            if path.endswith(PYTHON_SUFFIXES)
        ),
    )


class Finisher:
    """Gives findings their commits, their verdict and their patch; each finding once.

    Args:
        trees: The four trees.
        options: The history and the policy.
        sources: The shared sources.
    """

    def __init__(self, trees: Trees, options: AuditOptions, sources: Sources) -> None:
        self.notes: list[str] = []
        self.timings: dict[str, float] = {"history": 0.0, "patches": 0.0}
        self._policy = options.policy
        self._blame = Blame(trees, options.history, sources) if options.history else None
        self._repairer = Repairer(trees)
        self._explained: dict[Finding, Finding] = {}
        self._patched: dict[Finding, Finding] = {}

    def ahead(self, findings: Sequence[Finding]) -> None:
        """Do the work for findings that may come; what goes wrong is told when they do come."""
        with contextlib.suppress(Exception):
            self._with_patches(soften_overridden(self._with_commits(findings), self._policy))

    def finish(self, findings: Sequence[Finding]) -> list[Finding]:
        """Findings with all that they rest on."""
        try:
            findings = self._with_commits(findings)
        except Exception as error:  # noqa: BLE001 - without commits a finding is still a finding
            self.notes.append(f"commits could not be named: {type(error).__name__}: {error}")
        return self._with_patches(soften_overridden(findings, self._policy))

    def _with_commits(self, findings: Sequence[Finding]) -> list[Finding]:
        if self._blame is None:
            return list(findings)
        begun = time.perf_counter()
        self._blame.prepare([f for f in findings if f not in self._explained])
        for finding in findings:
            if finding not in self._explained:
                self._explained[finding] = self._blame.explain(finding)
        self.timings["history"] += time.perf_counter() - begun
        return [self._explained[finding] for finding in findings]

    def _with_patches(self, findings: Sequence[Finding]) -> list[Finding]:
        begun = time.perf_counter()
        for finding in findings:
            if finding not in self._patched:
                self._patched[finding] = self._repairer.with_patch(finding)
        self.timings["patches"] += time.perf_counter() - begun
        return [self._patched[finding] for finding in findings]
