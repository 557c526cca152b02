"""Many merges at once: supervised child processes behind the ``concurrent.futures`` interface."""

from __future__ import annotations

import concurrent.futures
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO

import mergewright
from mergewright.model.errors import RepositoryError
from mergewright.workflows.replay.attempts import Answer
from mergewright.workflows.replay.child import READY, receive, send
from mergewright.workflows.replay.jobs import CodeChangedError, Job, Result, Step
from mergewright.workflows.replay.peers import Attempt, timed_out
from mergewright.workflows.replay.scanning import Found, Scan

#: A child is replaced after so many jobs: what libraries cache does not pile up.
JOBS_PER_CHILD = 200

#: Seconds beyond a tool's limit for reading texts and judging.
MARGIN = 30.0

#: Seconds within which a child must have started, and looked into a landing.
START_LIMIT = 120.0


def _unjudged(step: Step, text: str) -> Iterator[Result]:
    for index in step.cases:
        answer = Answer(attempt=Attempt(data=None, error=text), strategy="failed")
        yield Result(
            case=index, tool=step.tool, score=None, answer=answer, unusable="cannot-be-judged"
        )


class Supervisor:
    """One child process; replaces it when a step takes too long or the child dies."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._done = 0
        #: Set when the run is given up: no new child is started.
        self.stopped = False

    def run(self, job: Job) -> tuple[Result, ...]:
        """The results of a job, in order; a step that kills or stalls the child is a crash."""
        results: list[Result] = []
        steps = list(job.steps)
        while steps:
            stdin, stdout = self._pipes()
            rest = replace(job, steps=tuple(steps))
            try:
                send(stdin, rest)
            except (BrokenPipeError, OSError):
                self.close()
                stdin, stdout = self._pipes()
                send(stdin, rest)
            while steps:
                value, error = self._next(stdout, job.limit)
                if isinstance(value, CodeChangedError):
                    raise value
                if isinstance(value, tuple):
                    results.extend(value)
                    steps.pop(0)
                    continue
                text = error if value is None else str(value)
                step = steps[0]
                if not step.failure:
                    # Judged as no result; the judge runs in the child as well.
                    steps[0] = replace(step, failure=text)
                else:
                    steps.pop(0)
                    results.extend(_unjudged(step, text))
                break
        self._done += 1
        if self._done >= JOBS_PER_CHILD:
            self.close()
        return tuple(results)

    def look(self, scan: Scan, limit: float) -> Found:
        """Look into one landing; one that kills or stalls the child is left out by that name."""
        stdin, stdout = self._pipes()
        send(stdin, scan)
        value, error = self._next(stdout, limit)
        if isinstance(value, Found):
            return value
        text = error if value is None else str(value).strip().splitlines()[-1]
        return Found(kind="cannot-be-scanned", files=[("cannot-be-scanned", text)])

    def _pipes(self) -> tuple[IO[bytes], IO[bytes]]:
        if self.stopped:
            raise concurrent.futures.CancelledError
        if self._process is None or self._process.poll() is not None:
            self.close()
            # -P: modules of the current folder (a repository, say) must not shadow real ones.
            own = str(Path(mergewright.__file__).parents[1])
            path = os.pathsep.join(filter(None, (own, os.environ.get("PYTHONPATH", ""))))
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "mergewright.workflows.replay.child"],
                env={**os.environ, "PYTHONPATH": path},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            self._done = 0
            self._ready()
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RuntimeError("the child has no pipes")
        return stdin, stdout

    def _ready(self) -> None:
        """Wait until the child has started: that time is no tool's."""
        stdout = None if self._process is None else self._process.stdout
        value, error = (None, "no pipe") if stdout is None else self._next(stdout, START_LIMIT)
        if value != READY:
            raise RepositoryError(f"A process for merges cannot be started: {error}")

    def _next(self, stdout: IO[bytes], limit: float) -> tuple[object, str]:
        """The next message, or why there is none. Beyond the limit the child is killed."""
        process = self._process
        expired = threading.Event()

        def kill() -> None:
            expired.set()
            if process is not None:
                process.kill()

        # Peers have the same limit on their own; the child must be able to report theirs.
        timer = threading.Timer(limit + MARGIN, kill)
        timer.start()
        try:
            return receive(stdout), ""
        except EOFError:
            status = None if process is None else process.wait()
            self.close()
            return None, timed_out(
                limit
            ) if expired.is_set() else f"the process died with status {status}"
        finally:
            timer.cancel()

    def close(self) -> None:
        """End the child."""
        process, self._process = self._process, None
        self._done = 0
        if process is None:
            return
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


_local = threading.local()
_supervisors: list[Supervisor] = []


def run_job(job: Job) -> tuple[Result, ...]:
    """Do one job in this thread's child process.

    The unit that every executor runs, here or on another machine.
    """
    return _own_supervisor().run(job)


def look(scan: Scan, limit: float) -> Found:
    """Look into one landing in this thread's child process."""
    return _own_supervisor().look(scan, limit)


def _own_supervisor() -> Supervisor:
    supervisor: Supervisor | None = getattr(_local, "supervisor", None)
    if supervisor is None:
        supervisor = _local.supervisor = Supervisor()
        _supervisors.append(supervisor)
    return supervisor


def close_children() -> None:
    """End the child processes of all threads."""
    while _supervisors:
        supervisor = _supervisors.pop()
        supervisor.stopped = True
        supervisor.close()
    _local.__dict__.clear()


def run_jobs(
    jobs: Iterable[Job],
    executor: concurrent.futures.Executor,
    window: int,
    done: Callable[[Job, tuple[Result, ...]], None],
) -> None:
    """Run jobs on an executor with a bounded number in flight.

    Args:
        jobs: Made one by one, as workers become free: the whole list is never in memory.
        executor: Anything with ``submit``.
        window: How many jobs may be in flight.
        done: Told of each finished job, in this thread, in the order of finishing.
    """
    waiting: dict[concurrent.futures.Future[tuple[Result, ...]], Job] = {}
    source = iter(jobs)
    exhausted = False
    try:
        while waiting or not exhausted:
            while not exhausted and len(waiting) < window:
                job = next(source, None)
                if job is None:
                    exhausted = True
                else:
                    waiting[executor.submit(run_job, job)] = job
            ready, _ = concurrent.futures.wait(
                waiting, timeout=1, return_when=concurrent.futures.FIRST_COMPLETED
            )
            for future in ready:
                job = waiting.pop(future)
                done(job, future.result())
    finally:
        for future in waiting:
            future.cancel()
