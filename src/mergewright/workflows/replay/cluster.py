"""Runs jobs on an existing dask cluster, behind the ``concurrent.futures`` interface."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Iterator
from contextlib import contextmanager

from mergewright.model.errors import UsageError


@contextmanager
def dask_executor(
    scheduler: str, *, patience: float = 20.0
) -> Iterator[concurrent.futures.Executor]:
    """An executor on the workers of a dask scheduler.

    Args:
        scheduler: Its address, such as ``tcp://host:8786``.
        patience: Seconds to wait for an answer.

    Raises:
        UsageError: ``distributed`` is not installed, or no scheduler answers.
    """
    try:
        from distributed import Client
    except ImportError as error:
        raise UsageError(
            "--executor dask needs the package distributed.",
            hint='Install it: pip install "mergewright[dask]"',
        ) from error
    try:
        client = Client(scheduler, timeout=patience)
    except (OSError, ValueError) as error:
        raise UsageError(f"No dask scheduler answers at {scheduler}: {error}") from error
    try:
        # pure=False: a job is done again when asked again; retries: a lost worker costs a retry.
        yield client.get_executor(pure=False, retries=2)
    finally:
        client.close()
