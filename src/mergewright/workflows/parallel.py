"""One function over many items in child processes: the answers of one process, in its order.

The children are forks: they have the function and the items as they are at that moment, so closures over
open repositories and rule books need no pickling; only numbers go to them and answers come back. Elsewhere
than on Linux (a fork is not safe there, a fresh process would have to open everything again), beside other
threads and for little work everything runs in this process, one item after the other.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from mergewright.resolve.planning import Spread

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.context import ForkContext, ForkProcess

T = TypeVar("T")
R = TypeVar("R")
U = TypeVar("U")
V = TypeVar("V")

#: Work (as the callers weigh it: bytes of text) below which a child would cost more than it saves.
LEAST_WEIGHT = 60_000
# Seconds that a child has to end after it closed its pipe.
_PATIENCE = 5.0


class WorkerLostError(RuntimeError):
    """A child process ended without an answer: it was killed, or native code crashed."""


def usable_cores() -> int:
    """How many processors this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def may_fork() -> bool:
    """Whether a copy of this process would be whole: Linux, no thread but the main one.

    A worker of a process pool has no children of its own.
    """
    pool = sys.modules.get("multiprocessing.process")
    return (
        sys.platform == "linux"
        and threading.current_thread() is threading.main_thread()
        and threading.active_count() == 1
        and (pool is None or not pool.current_process().daemon)
    )


def spread(
    work: Callable[[T], R],
    items: Sequence[T],
    *,
    jobs: int,
    weight: Callable[[T], int],
    lost: Callable[[T, str], R] | None = None,
    before: Callable[[], None] | None = None,
) -> Iterator[R]:
    """Call a function for many items in up to ``jobs`` child processes.

    The heaviest items start first; each child works at one item at a time. The children are gone when the
    iterator is used up or closed, or an error (also an interrupt) leaves it.

    Args:
        work: Called with each item, in a child or in this process; what it changes in a child is lost.
        items: The items.
        jobs: Most processes at once; below two nothing is forked.
        weight: Bytes that an item gives to read; to start with the heaviest, and not to fork for little.
        lost: Gives the answer for an item whose child ended over it, from the item and how it ended.
        before: Called before children are forked, and only then.

    Yields:
        The answers in the order of the items.

    Raises:
        WorkerLostError: A child ended over an item, and there is no ``lost``.
        Exception: What ``work`` raised for the first item, in the order of the items, for which it did.
    """
    weights = [weight(item) for item in items] if jobs > 1 and len(items) > 1 else []
    # A process more for each share that is worth it.
    count = min(jobs, len(items), sum(weights) // (LEAST_WEIGHT // 2)) if weights else 0
    if count < 2 or not may_fork():
        yield from map(work, items)
        return
    if before is not None:
        before()
    order = sorted(range(len(items)), key=lambda n: -weights[n])
    crew = _Crew(work, items, deque(order))
    try:
        crew.start(count)
        for number, item in enumerate(items):
            answer = crew.answer(number)
            if answer.how is not None:
                if lost is None:
                    raise WorkerLostError(answer.how)
                yield lost(item, answer.how)
            elif answer.error is not None:
                raise answer.error
            else:
                yield answer.value
    finally:
        crew.stop()


def beside(
    inner: Spread,
    more: Sequence[U],
    further: Callable[[U], V],
    keep: Callable[[U, V], None],
    *,
    weight: int,
) -> Spread:
    """A spread that calls another function for items of its own beside those it is given.

    Args:
        inner: What calls the functions.
        more: Its own items.
        further: Called with each of them.
        keep: Told each of them with its answer, when the answers of the others are used up.
        weight: Bytes that each of them gives to read, about.
    """

    def both(
        work: Callable[[T], R],
        items: Sequence[T],
        *,
        weight: Callable[[T], int],
        lost: Callable[[T, str], R] | None = None,
    ) -> Iterator[R]:
        def call(task: tuple[bool, Any]) -> Any:
            return work(task[1]) if task[0] else further(task[1])

        def weigh(task: tuple[bool, Any]) -> int:
            return weight(task[1]) if task[0] else weight_of_more

        def gone(task: tuple[bool, Any], how: str) -> Any:
            if lost is None or not task[0]:
                raise WorkerLostError(how)
            return lost(task[1], how)

        answers = inner(
            call,
            [*((True, item) for item in items), *((False, item) for item in more)],
            weight=weigh,
            lost=gone,
        )
        for _ in items:
            yield next(answers)
        for item, answer in zip(more, answers, strict=True):
            keep(item, answer)

    weight_of_more = weight
    return both


@dataclass(slots=True)
class _Answer:
    value: Any = None
    error: BaseException | None = None
    how: str | None = None  # how the child ended


@dataclass(slots=True)
class _Child:
    process: ForkProcess
    pipe: Connection
    number: int  # the item that it works at


@dataclass(slots=True)
class _Crew:
    """Child processes and what they are at."""

    work: Callable[[Any], Any]
    items: Sequence[Any]
    waiting: deque[int]
    children: list[_Child] = field(default_factory=list)
    leaving: list[ForkProcess] = field(default_factory=list)
    answers: dict[int, _Answer] = field(default_factory=dict)

    def start(self, count: int) -> None:
        for _ in range(count):
            self._add()

    def _add(self) -> None:
        import multiprocessing

        context: ForkContext = multiprocessing.get_context("fork")
        number = self.waiting.popleft()
        here, there = context.Pipe()
        others = [child.pipe for child in self.children]
        process = context.Process(
            target=_serve,
            args=(self.work, self.items, number, there, [here, *others]),
            daemon=False,
        )
        try:
            process.start()
        except BaseException:
            self.waiting.appendleft(number)
            here.close()
            raise
        finally:
            there.close()
        self.children.append(_Child(process, here, number))

    def answer(self, number: int) -> _Answer:
        """The answer for one item, waited for."""
        from multiprocessing.connection import wait

        while number not in self.answers:
            ready = wait([child.pipe for child in self.children])
            for child in [child for child in self.children if child.pipe in ready]:
                self._hear(child)
        return self.answers.pop(number)

    def _hear(self, child: _Child) -> None:
        try:
            good, value = child.pipe.recv()
        except (EOFError, OSError):
            self._lose(child)
            return
        self.answers[child.number] = _Answer(value=value) if good else _Answer(error=value)
        if self.waiting:
            child.number = self.waiting.popleft()
            try:
                child.pipe.send(child.number)
            except OSError:
                self._lose(child)
        else:
            # Its end of the pipe is closed: the child leaves.
            self.children.remove(child)
            self.leaving.append(child.process)
            child.pipe.close()

    def _lose(self, child: _Child) -> None:
        self.children.remove(child)
        child.pipe.close()
        child.process.join(_PATIENCE)
        if child.process.is_alive():
            child.process.kill()
            child.process.join()
        code = child.process.exitcode or 0
        how = f"exit status {code}" if code >= 0 else signal.Signals(-code).name
        self.answers[child.number] = _Answer(how=f"the process that worked at it ended by {how}")
        if self.waiting:
            self._add()

    def stop(self) -> None:
        """End all children that are still there, whatever they are at."""
        for child in self.children:
            child.process.kill()
        for child in self.children:
            child.process.join()
            child.pipe.close()
        for process in self.leaving:
            process.join()
        self.children.clear()
        self.leaving.clear()


def _serve(
    work: Callable[[Any], Any],
    items: Sequence[Any],
    number: int,
    pipe: Connection,
    others: Sequence[Connection],
) -> None:
    """A child's life: answers for the numbers that come, until the pipe is closed."""
    # An interrupt goes to all processes of a terminal; the parent ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The parent's objects are not looked at for garbage: that would copy their memory.
    gc.freeze()
    for other in others:
        other.close()
    while True:
        try:
            answer = (True, work(items[number]))
        except Exception as error:  # noqa: BLE001 - raised again in the parent
            answer = (False, _portable(error))
        try:
            data = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
        except Exception as error:  # noqa: BLE001 - the answer cannot leave this process
            data = pickle.dumps((False, _portable(error)), pickle.HIGHEST_PROTOCOL)
        try:
            pipe.send_bytes(data)
            number = pipe.recv()
        except (EOFError, OSError):
            # Nothing is to be taken apart: what this process has is a copy.
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)


def _portable(error: Exception) -> Exception:
    """An error that can be sent, with where it was raised."""
    told = "".join(traceback.format_exception(error))
    try:
        copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    except Exception:  # noqa: BLE001 - an error of a kind that cannot be sent
        copy = None
    if not isinstance(copy, Exception):
        return RuntimeError(told)
    error.__cause__ = error.__context__ = None
    error.add_note(f"In a child process:\n{told}")
    return error
