"""One replay: cases and tools in, every result judged and kept, rows out."""

from __future__ import annotations

import concurrent.futures
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from mergewright.workflows.replay.cases import Case, Collection, merges
from mergewright.workflows.replay.jobs import Job, Result, Step, Tool
from mergewright.workflows.replay.running import close_children, run_jobs
from mergewright.workflows.replay.store import Store, Stored


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One case with the result of each tool, in the order of the tools."""

    case: Case
    results: dict[str, Stored]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a run is.

    Attributes:
        done: Files done in this run.
        total: Files that this run has to do.
        seconds: Since the start of the run.
    """

    done: int
    total: int
    seconds: float

    @property
    def rate(self) -> float:
        """Files a second."""
        return self.done / self.seconds if self.seconds else 0.0

    @property
    def left(self) -> float:
        """Seconds left at this rate."""
        return (self.total - self.done) / self.rate if self.rate else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a replay is run.

    Attributes:
        repos: Folder of repositories; empty when the cases name a repository by its path.
        jobs: Merges at once.
        limit: Seconds that one tool may take for one merge.
        memory: Bytes of address space of a worker; 0 for no limit.
        again: Work out our own tool's results again even when they are kept.
    """

    repos: str
    jobs: int = 1
    limit: float = 300.0
    memory: int = 0
    again: bool = False


def take_sample(collection: Collection, size: int | None, seed: int) -> None:
    """Keep a random part of the cases; the same for the same cases, size and seed."""
    if size is None or size >= len(collection.cases):
        return
    chosen = random.Random(seed).sample(collection.cases, size)  # noqa: S311 - no secret
    left_out = len(collection.cases) - size
    collection.cases = chosen
    collection.excluded.counts["not-in-the-sample"] += left_out
    collection.sort()


def run(
    collection: Collection,
    tools: Sequence[Tool],
    settings: Settings,
    store: Store,
    *,
    executor: concurrent.futures.Executor | None = None,
    progress: Callable[[Progress], None] = lambda _: None,
) -> set[tuple[str, str]]:
    """Work out and keep every result that is not there yet.

    Args:
        collection: The cases.
        tools: The columns.
        settings: How to run.
        store: Where results are kept.
        executor: Where jobs run; this machine's processes if not given.
        progress: Told after each merge.

    Returns:
        ``(tool name, case ident)`` of the results that this run worked out itself.
    """
    groups = list(merges(collection.cases).values())
    todo: list[tuple[list[Case], list[tuple[Tool, list[int]]]]] = []
    total = 0
    for group in groups:
        wanted = []
        for tool in tools:
            if settings.again and not tool.peer:
                known = set()
            else:
                known = store.known(tool, group, settings.limit)
            missing = [index for index in range(len(group)) if index not in known]
            if missing:
                wanted.append((tool, missing))
        if wanted:
            todo.append((group, wanted))
            total += len(group)
    fresh: set[tuple[str, str]] = set()
    started = time.monotonic()
    done_files = 0

    def jobs() -> Iterator[Job]:
        for group, wanted in todo:
            yield make_job(group, wanted, settings, store)

    def done(job: Job, results: tuple[Result, ...]) -> None:
        nonlocal done_files
        store.put(job, results)
        fresh.update((result.tool.name, job.cases[result.case].ident) for result in results)
        done_files += len(job.cases)
        progress(Progress(done=done_files, total=total, seconds=time.monotonic() - started))

    if executor is not None:
        run_jobs(jobs(), executor, 2 * settings.jobs, done)
        return fresh
    # Each thread supervises a child process: a merge that stalls or kills its process costs a
    # new child, nothing else.
    with concurrent.futures.ThreadPoolExecutor(settings.jobs, "replay") as threads:
        try:
            run_jobs(jobs(), threads, 2 * settings.jobs, done)
        finally:
            close_children()
    return fresh


def make_job(
    group: Sequence[Case],
    wanted: Sequence[tuple[Tool, Sequence[int]]],
    settings: Settings,
    store: Store,
) -> Job:
    """The job of one merge: a step a file, or one for the whole merge."""
    steps: list[Step] = []
    for tool, missing in wanted:
        if tool.whole_merge:
            steps.append(Step(tool=tool, cases=tuple(missing)))
        else:
            steps.extend(Step(tool=tool, cases=(index,)) for index in missing)
    states = {
        index: state
        for index in sorted({index for step in steps for index in step.cases})
        if (state := store.state(group[index])) is not None
    }
    return Job(
        repos=settings.repos,
        repo=group[0].repo,
        cases=tuple(group),
        steps=tuple(steps),
        states=states,
        limit=settings.limit,
        memory=settings.memory,
    )


def rows(
    collection: Collection, tools: Sequence[Tool], store: Store, fresh: set[tuple[str, str]]
) -> list[Row]:
    """The judged cases in order; what turns out not to be judged goes to the exclusions."""
    found = []
    for case in collection.cases:
        results: dict[str, Stored] = {}
        unusable = ""
        for tool in tools:
            stored = store.get(tool, case)
            if stored is None:
                unusable = unusable or "no-result"
                continue
            if stored.score is None:
                unusable = unusable or stored.unusable or "no-result"
            cached = (tool.name, case.ident) not in fresh
            results[tool.name] = replace(stored, cached=cached)
        if unusable:
            collection.excluded.add(unusable, case.ident)
        else:
            found.append(Row(case=case, results=results))
    return found
