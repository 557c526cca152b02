"""Merge three texts without a repository."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING

from mergewright.model.conflict import MODE_REGULAR, Conflict, ConflictKind, FileVersion, blob_id
from mergewright.model.resolution import PathOutcome
from mergewright.model.threeway import ThreeWay
from mergewright.resolve.cascade import BudgetExceeded, Cascade
from mergewright.resolve.engines import merge_file

if TYPE_CHECKING:
    from mergewright.python.formatting import Formatting

#: Seconds of processor time that one file may take before it is merged by lines instead.
FILE_BUDGET = 30.0

#: Labels of versions that have no better name.
PLAIN_LABELS = ThreeWay(base="base", ours="ours", theirs="theirs")


@contextmanager
def time_limit(seconds: float = FILE_BUDGET) -> Iterator[None]:
    """Raise :class:`BudgetExceeded` when the block takes longer than ``seconds`` of processor time.

    Processor time, so that a busy machine does not change what comes out. The clock is a signal: it
    only runs in the main thread on systems that have ``setitimer``; elsewhere (a bot's worker
    thread) there is no limit, and the engines' own budgets hold.
    """
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    spent = BudgetExceeded(f"the time limit of {seconds:g} s for one file ran out")
    rung = False

    def ring(number: int, frame: FrameType | None) -> None:  # noqa: ARG001 - the handler's signature
        nonlocal rung
        rung = True
        raise spent

    before = signal.signal(signal.SIGPROF, ring)
    # It rings again: a first time inside a finalizer would be swallowed by the interpreter.
    signal.setitimer(signal.ITIMER_PROF, seconds, 1.0)
    try:
        yield
    except Exception as error:
        if rung:  # rung inside a native callback, which made another error of it
            raise spent from error
        raise
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _formatting(path: str) -> Formatting:  # noqa: ARG001 - the settings of no path are known
    from mergewright.workflows.formatter import formatting

    return formatting()


def merge_texts(
    versions: ThreeWay[bytes | None],
    *,
    path: str = "file",
    labels: ThreeWay[str] = PLAIN_LABELS,
    marker_size: int = 7,
    budget: float = FILE_BUDGET,
) -> PathOutcome:
    """Merge three texts as one contested file.

    Args:
        versions: The three texts; ``None`` where a version does not exist.
        path: A name for the file: its suffix chooses the engine.
        labels: How the versions are called in conflict markers.
        marker_size: Characters a conflict marker is long.
        budget: Seconds of processor time after which the file is merged by lines instead.

    Returns:
        ``Resolved`` with the merged text, ``Deferred`` with the text and its conflict markers, or
        ``Failed`` when mergewright itself failed; never raises for what the texts hold.
    """

    def version(data: bytes | None) -> FileVersion | None:
        if data is None:
            return None
        return FileVersion(path=path, mode=MODE_REGULAR, oid=blob_id(data), data=data)

    wrapped = versions.map(version)
    kind = ConflictKind.BOTH_MODIFIED
    if wrapped.base is None:
        kind = ConflictKind.BOTH_ADDED
    elif wrapped.ours is None:
        kind = ConflictKind.DELETED_BY_OURS
    elif wrapped.theirs is None:
        kind = ConflictKind.DELETED_BY_THEIRS
    elif not all(v is None or v.is_text for v in wrapped):
        kind = ConflictKind.BINARY
    cascade = Cascade(
        labels=labels,
        marker_size=lambda _: marker_size,
        guard=lambda: time_limit(budget),
        engine=partial(merge_file, formatting=_formatting),
    )
    return cascade.resolve(Conflict(path=path, kind=kind, versions=wrapped))
