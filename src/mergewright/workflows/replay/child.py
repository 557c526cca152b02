"""The process in which the merges of one worker run; started as ``python -m`` by its supervisor.

Reads jobs from standard input and writes the results of each step to standard output, both as
length-prefixed pickles between two processes of one user. When the supervisor goes away, standard
input ends and so does this process.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import struct
import sys
import traceback
from typing import IO

from mergewright.workflows.replay.jobs import CodeChangedError, Job, Worker
from mergewright.workflows.replay.scanning import Found, Scan, look_into

#: The first value a child writes.
READY = "ready"

_LENGTH = struct.Struct(">Q")


def send(stream: IO[bytes], value: object) -> None:
    """Write one value."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(_LENGTH.pack(len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> object:
    """Read one value.

    Raises:
        EOFError: the other side went away.
    """
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        raise EOFError
    (length,) = _LENGTH.unpack(head)
    data = stream.read(length)
    if len(data) < length:
        raise EOFError
    return pickle.loads(data)  # noqa: S301 - from our own child or supervisor, through a pipe


def _look(scan: Scan) -> Found | str:
    try:
        return look_into(scan)
    except Exception as error:  # noqa: BLE001 - one bad merge never stops the rest
        return "".join(traceback.format_exception(error))


def main() -> None:
    """Do jobs until standard input ends."""
    # An interrupt is the supervisor's business; it ends this process by closing the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.setrecursionlimit(20_000)
    jobs = os.fdopen(os.dup(0), "rb")
    results = os.fdopen(os.dup(1), "wb")
    # A stray print of a library must not get between the results.
    os.dup2(2, 1)
    worker = Worker()
    send(results, READY)
    while True:
        try:
            job = receive(jobs)
        except EOFError:
            return
        if isinstance(job, Scan):
            send(results, _look(job))
            continue
        if not isinstance(job, Job):
            raise TypeError("a job is wanted")
        if job.memory:
            resource.setrlimit(resource.RLIMIT_AS, (job.memory, job.memory))
        try:
            for step in worker.perform(job):
                send(results, step)
        except CodeChangedError as error:
            send(results, error)
        except Exception as error:  # noqa: BLE001 - one bad merge never stops the rest
            send(results, "".join(traceback.format_exception(error)))


if __name__ == "__main__":
    main()
