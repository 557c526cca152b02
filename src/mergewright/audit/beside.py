"""Runs checks one after the other, some of them in a second process on a second core.

A check takes the trees and gives findings; nothing else comes back. A check that fails, or a process
that dies, is told as a failed check, never as a clean one.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mergewright.audit.values import Finding

#: A check by name.
Stage = tuple[str, Callable[[], list[Finding]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of one check.

    Attributes:
        name: The check.
        findings: What it found; empty when it failed.
        failure: Why it failed, or empty.
        seconds: Wall time.
    """

    name: str
    findings: tuple[Finding, ...] = ()
    failure: str = ""
    seconds: float = 0.0


def run_stages(stages: Sequence[Stage]) -> list[Outcome]:
    """Run checks; one that fails stops no other."""
    out = []
    for name, stage in stages:
        begun = time.perf_counter()
        findings: tuple[Finding, ...] = ()
        failure = ""
        try:
            findings = tuple(stage())
        except Exception as error:  # noqa: BLE001 - a check that fails is a finding about the audit, never a clean result
            failure = f"{type(error).__name__}: {error}"
        seconds = time.perf_counter() - begun
        out.append(Outcome(name=name, findings=findings, failure=failure, seconds=seconds))
    return out


class Beside:
    """Checks that run beside others, in a forked process where there is one.

    The trees are shared by the fork; only findings are sent back. In a process that has threads
    already, or on a system without ``fork``, the checks run when their outcomes are asked for.

    Args:
        stages: The checks.
        fork: Whether a second process is worth its start.
    """

    def __init__(self, stages: Sequence[Stage], *, fork: bool) -> None:
        self._stages = stages
        self._child: tuple[int, int] | None = None
        if fork and hasattr(os, "fork") and threading.active_count() == 1:
            self._child = self._start()

    def _start(self) -> tuple[int, int] | None:
        reading, writing = os.pipe()
        try:
            pid = os.fork()
        except OSError:
            os.close(reading)
            os.close(writing)
            return None
        if pid:
            os.close(writing)
            return pid, reading
        # The child never returns into the caller's code: no exit handler, no buffer of the parent.
        status = 1
        try:
            os.close(reading)
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            data = pickle.dumps(run_stages(self._stages), protocol=pickle.HIGHEST_PROTOCOL)
            with os.fdopen(writing, "wb") as stream:
                stream.write(data)
            status = 0
        finally:
            os._exit(status)

    def outcomes(self) -> list[Outcome]:
        """The outcomes, in the order of the checks; waits for the second process."""
        if self._child is None:
            return run_stages(self._stages)
        pid, reading = self._child
        self._child = None
        with os.fdopen(reading, "rb") as stream:
            data = stream.read()
        _, status = os.waitpid(pid, 0)
        if status == 0:
            # What our own forked process wrote, not anybody's file.
            done: list[Outcome] = pickle.loads(data)  # noqa: S301
            return done
        ended = f"its process ended with status {os.waitstatus_to_exitcode(status)}"
        return [Outcome(name=name, failure=ended) for name, _ in self._stages]


@contextmanager
def paused_collector() -> Iterator[None]:
    """Keep the collector of reference cycles out of a stretch that makes millions of tree nodes.

    Syntax trees hold no cycles and go by their counts; looking through all that is kept for cycles
    took a third of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
