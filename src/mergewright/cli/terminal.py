"""What the commands say and where: data to stdout, talk to stderr, colour on terminals only."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

import click

from mergewright.model.errors import UsageError


def colour_wanted(stream: IO[Any]) -> bool:
    """Whether colour may go to a stream: a terminal that can, and no ``NO_COLOR``."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def style(text: str, stream: IO[Any], **how: Any) -> str:
    """Text in colour where the stream may have it."""
    return click.style(text, **how) if colour_wanted(stream) else text


def say(text: str = "") -> None:
    """Talk: a line on stderr."""
    click.echo(text, err=True)


def warn(text: str) -> None:
    """A warning on stderr."""
    say(f"{style('warning:', sys.stderr, fg='yellow')} {text}")


def put(data: bytes | str) -> None:
    """Data: to stdout, as it is."""
    click.echo(data, nl=False)


def write_json(report: Mapping[str, Any], target: str) -> None:
    """Write a report as JSON to a file, or to stdout for ``-``.

    Raises:
        UsageError: The file cannot be written.
    """
    import json

    text = json.dumps(report, indent=2, ensure_ascii=True) + "\n"
    if target == "-":
        put(text)
        return
    try:
        Path(target).write_text(text, encoding="ascii")
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror or error}") from error


class Progress:
    """A progress bar on stderr that appears when the work takes longer than a second.

    On anything but a terminal it stays silent. Call it with how many are done, how many there are
    and the current path.
    """

    #: Seconds before the bar appears.
    PATIENCE = 1.0

    def __init__(self, what: str) -> None:
        self._what = what
        self._start = time.monotonic()
        self._bar: Any = None
        self._task: Any = None
        self._wanted = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, done: int, total: int, path: str) -> None:
        """Show how far the work is."""
        if not self._wanted:
            return
        if self._bar is None:
            if time.monotonic() - self._start < self.PATIENCE:
                return
            self._open(total)
        self._bar.update(
            self._task, completed=done, total=total, description=path[-40:], refresh=True
        )

    def _open(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn(self._what),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.description}", markup=False),
            console=Console(stderr=True),
            transient=True,
            # No thread of its own: beside one, no process may be forked.
            auto_refresh=False,
        )
        self._bar.start()
        self._task = self._bar.add_task("", total=total)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
