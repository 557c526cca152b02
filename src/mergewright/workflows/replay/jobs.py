"""The work of one merge: what a worker gets, does and gives back; all values are picklable."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mergewright.model.errors import MergewrightError, RepositoryError
from mergewright.model.threeway import ThreeWay
from mergewright.workflows.replay.attempts import (
    Answer,
    DecisionRecord,
    by_structure,
    source_version,
)
from mergewright.workflows.replay.blobs import BlobReader, find_repository, git_directory
from mergewright.workflows.replay.cases import Case
from mergewright.workflows.replay.judge import Judge, JudgeState, Score, SymbolVerdict
from mergewright.workflows.replay.peers import PEERS, Attempt


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One column of the report.

    Attributes:
        name: As reported: a peer's name, ``mergewright``, or ``mergewright[rules]``.
        version: Part of the key under which results are kept.
        peer: Whether it is an adapter of :mod:`peers`; otherwise our own tool.
        structure_only: Our tool on the three texts alone: no history, policy, memory.
        history: Whether our tool asks history and memory on a whole merge.
        rules: Rule files of our tool.
    """

    name: str
    version: str
    peer: bool
    structure_only: bool = False
    history: bool = True
    rules: tuple[str, ...] = ()

    @property
    def mode(self) -> str:
        """What the tool looks at, in the words of the report."""
        if self.peer:
            return "peer"
        if self.structure_only:
            return "structure"
        return "merge" if self.history else "merge-without-history"

    @property
    def whole_merge(self) -> bool:
        """Whether the tool looks at the merge as a whole, not at one file."""
        return not self.peer and not self.structure_only

    def key(self, case: Case) -> str:
        """What the result of a case depends on, besides the tool itself."""
        return case.history_key if self.whole_merge else case.content_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One call of one tool: a file, or all judged files of the merge.

    Attributes:
        tool: The tool.
        cases: Indices into the job's cases.
        failure: The tool is not called again: it stalled or killed its process, for this reason.
    """

    tool: Tool
    cases: tuple[int, ...]
    failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One merge.

    Attributes:
        repos: Folder of repositories, or the one repository itself; the worker's
            ``MERGEWRIGHT_REPOS`` has precedence.
        repo: Name of the repository in that folder.
        cases: The judged files.
        steps: Calls of tools, in order.
        states: By case index, what the judge kept of an earlier run.
        limit: Seconds that one step may take.
        memory: Bytes of address space that the worker may take; 0 for no limit.
    """

    repos: str
    repo: str
    cases: tuple[Case, ...]
    steps: tuple[Step, ...]
    states: Mapping[int, bytes]
    limit: float
    memory: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One tool on one file, judged.

    Attributes:
        case: Index into the job's cases.
        tool: The tool.
        score: The judge's word; ``None`` when the case cannot be judged (see ``unusable``).
        answer: What the tool said, without its text.
        output: The text, compressed; ``None`` where there is none.
        unusable: Why the case cannot be judged: a kind of exclusion.
        state: What the judge keeps for the next run; only with the first result of a case.
    """

    case: int
    tool: Tool
    score: Score | None
    answer: Answer
    output: bytes | None = None
    unusable: str = ""
    state: bytes | None = None

    @property
    def text(self) -> bytes | None:
        """The text the tool gave."""
        return None if self.output is None else zlib.decompress(self.output)


def locate(repos: str, repo: str) -> Path:
    """The git directory of a repository on this machine.

    Raises:
        UsageError: it is not there.
    """
    own = os.environ.get("MERGEWRIGHT_REPOS")
    if own:
        return find_repository(Path(own), repo)
    return git_directory(Path(repos)) or find_repository(Path(repos), repo)


class CodeChangedError(MergewrightError):
    """A worker has other code than the run began with: its results would be kept as of that."""


class Worker:
    """Does jobs one after another; keeps readers of the last repositories open."""

    _READERS = 4

    def __init__(self) -> None:
        self._readers: dict[str, BlobReader] = {}

    def reader(self, job: Job) -> BlobReader:
        """A reader of the job's repository."""
        repository = str(locate(job.repos, job.repo))
        if repository not in self._readers:
            if len(self._readers) >= self._READERS:
                self._readers.pop(next(iter(self._readers))).close()
            self._readers[repository] = BlobReader(Path(repository))
        return self._readers[repository]

    def perform(self, job: Job) -> Iterator[tuple[Result, ...]]:
        """The results of each step of a job, step by step."""
        from mergewright.workflows.replay.states import dump_state, load_state

        reader = self.reader(job)
        judges: dict[int, Judge] = {}
        texts: dict[int, tuple[ThreeWay[bytes | None], bytes | None]] = {}
        fresh: set[int] = set()

        def prepare(index: int) -> tuple[Judge, ThreeWay[bytes | None]]:
            if index not in judges:
                case = job.cases[index]
                base, ours, theirs, accepted = (
                    None if oid is None else reader.read(oid)
                    for oid in (*case.blobs, case.accepted_blob)
                )
                state: JudgeState | None = None
                if index in job.states:
                    state = load_state(job.states[index])
                if state is None:
                    fresh.add(index)
                judges[index] = Judge(case.path, base, ours, theirs, accepted, state=state)
                texts[index] = (ThreeWay(base=base, ours=ours, theirs=theirs), accepted)
            return judges[index], texts[index][0]

        for step in job.steps:
            if not step.tool.peer and source_version(step.tool.rules) != step.tool.version:
                raise CodeChangedError(
                    "The code or a rule file changed since the run began, or differs on a worker.",
                    hint="Start the run again; what is kept of the peers is not lost.",
                )
            results = []
            for index, found in zip(step.cases, self._answers(job, step, prepare), strict=True):
                if isinstance(found, str):
                    results.append(unjudged(index, step.tool, found))
                    continue
                try:
                    judge, _ = prepare(index)
                except RepositoryError:
                    results.append(unjudged(index, step.tool, "missing-objects"))
                    continue
                result = judged(judge, index, step.tool, found)
                if index in fresh:
                    fresh.discard(index)
                    result = replace(result, state=dump_state(judge.state()))
                results.append(result)
            yield tuple(results)

    @staticmethod
    def _answers(
        job: Job, step: Step, prepare: Callable[[int], tuple[Judge, ThreeWay[bytes | None]]]
    ) -> Sequence[Answer | str]:
        """What the tool says to each case of a step, or why the case cannot be judged."""
        if step.failure:
            lost = Answer(attempt=Attempt(data=None, error=step.failure), strategy="failed")
            return [lost] * len(step.cases)
        if step.tool.whole_merge:
            from mergewright.workflows.replay.wholemerge import resolve_merge

            cases = [job.cases[index] for index in step.cases]
            return resolve_merge(
                locate(job.repos, job.repo),
                cases,
                step.tool.rules,
                job.limit,
                history=step.tool.history,
            )
        answers: list[Answer | str] = []
        for index in step.cases:
            try:
                _, versions = prepare(index)
            except RepositoryError:
                answers.append("missing-objects")
                continue
            path = job.cases[index].path
            if step.tool.peer:
                attempt = PEERS[step.tool.name].merge(path, versions, job.limit)
                answers.append(Answer(attempt=attempt))
            else:
                answers.append(by_structure(path, versions, job.limit))
        return answers


def unjudged(index: int, tool: Tool, why: str) -> Result:
    """The result of a case that cannot be judged."""
    answer = Answer(attempt=Attempt(data=None, error=why))
    return Result(case=index, tool=tool, score=None, answer=answer, unusable=why)


def judged(judge: Judge, index: int, tool: Tool, answer: Answer) -> Result:
    """Hold one answer against the accepted result."""
    attempt = answer.attempt
    bare = replace(answer, attempt=replace(attempt, data=None))
    output = None if attempt.data is None else zlib.compress(attempt.data, 6)
    if not judge.usable:
        return Result(
            case=index,
            tool=tool,
            score=None,
            answer=bare,
            output=output,
            unusable="accepted-does-not-parse",
        )
    score = judge.score(attempt.data, deleted=attempt.deleted)
    if attempt.data is not None:
        told = tuple(
            replace(decision, fate=_fate(judge, score, decision, attempt.data))
            for decision in bare.decisions
        )
        bare = replace(bare, decisions=told)
    return Result(case=index, tool=tool, score=score, answer=bare, output=output)


def _fate(judge: Judge, score: Score, decision: DecisionRecord, data: bytes) -> str:
    """What became of the symbol of one decision, by the judge's own symbol names."""
    if decision.outcome != "resolved":
        return "open"
    if not decision.symbol:
        return "open" if score.verdict == "open" else score.verdict.value
    keys = judge_keys(decision.symbol, judge.keys)
    if not keys:
        return "unknown"
    contested = [score.symbols[key] for key in keys if key in score.symbols]
    if contested:
        if SymbolVerdict.WRONG in contested:
            return "wrong"
        return "open" if SymbolVerdict.OPEN in contested else "right"
    fates = {judge.symbol_fate(key, data) for key in keys}
    for fate in ("damage", "extra", "open"):
        if fate in fates:
            return fate
    return "right"


def judge_keys(symbol: str, keys: tuple[str, ...]) -> tuple[str, ...]:
    """The judge's keys that belong to a dotted symbol of the resolver.

    The two name things on their own; this is the only place that knows both. A symbol that the
    judge does not split (a statement inside a function) belongs to the nearest one around it.
    """
    wanted = symbol
    while wanted:
        found = tuple(key for key in keys if _plain(key) == wanted)
        if found:
            return found
        wanted = wanted.rpartition(".")[0]
    return ()


def _plain(key: str) -> str:
    """A key of the judge as a dotted name."""
    bare, _, number = key.rpartition("#")
    if bare and number.isdigit():
        key = bare
    return key.removesuffix("()").replace("=", "")
