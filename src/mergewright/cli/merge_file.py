"""``resolve merge-file``: three files, no repository."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import click

from mergewright.cli import terminal

#: As ``git merge-file``: git takes a merge driver's status above 128 as its failure.
EXIT_ERROR = 255
EXIT_MERGE_FILE_USAGE = 129


class DriverUsageError(click.UsageError):
    """Wrong usage of a merge driver."""

    exit_code = EXIT_MERGE_FILE_USAGE


class DriverCommand(click.Command):
    """A command whose usage errors end with a status that git takes as the driver's failure."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse; mark a usage error with git's own status for it."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            raise DriverUsageError(error.format_message(), error.ctx) from error


@click.command("merge-file", cls=DriverCommand)
@click.argument("base", type=click.Path())
@click.argument("ours", type=click.Path())
@click.argument("theirs", type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="Write the result here, not to stdout.")
@click.option(
    "-p",
    "--path",
    metavar="PATH",
    help="The file's name in the repository: chooses the engine. [default: name of OURS]",
)
@click.option(
    "-L",
    "--label",
    "labels",
    multiple=True,
    metavar="LABEL",
    help="Name of ours, base and theirs in conflict markers; up to three times, in this order.",
)
@click.option(
    "--marker-size", type=click.IntRange(1, 200), default=7, help="Length of conflict markers."
)
def merge_file(
    base: str,
    ours: str,
    theirs: str,
    output: str | None,
    path: str | None,
    labels: tuple[str, ...],
    marker_size: int,
) -> int:
    """Merge three files without a repository, as git merge-file does.

    Usable as a merge driver: resolve merge-file %O %A %B -o %A -p %P --marker-size %L

    Exit status: 0 merged cleanly, 1 conflicts left (they are in the result, with markers), 129
    wrong usage, 255 a file cannot be read or written, or the merge failed.
    """
    from mergewright.model.resolution import Deferred, Failed
    from mergewright.model.threeway import ThreeWay
    from mergewright.workflows.texts import merge_texts

    if len(labels) > 3:
        raise DriverUsageError("-L may be given three times at most")
    names = [*labels, *(ours, base, theirs)[len(labels) :]]
    try:
        versions: ThreeWay[bytes | None] = ThreeWay(
            base=Path(base).read_bytes(),
            ours=Path(ours).read_bytes(),
            theirs=Path(theirs).read_bytes(),
        )
    except OSError as error:
        terminal.say(f"resolve: cannot read {error.filename}: {error.strerror}")
        return EXIT_ERROR
    outcome = merge_texts(
        versions,
        path=Path(path or ours).as_posix(),
        labels=ThreeWay(ours=names[0], base=names[1], theirs=names[2]),
        marker_size=marker_size,
    )
    if isinstance(outcome, Failed):
        terminal.say(f"resolve: the merge failed: {outcome.error}")
        terminal.say(outcome.traceback.rstrip())
        return EXIT_ERROR
    data = outcome.data
    if data is None:
        terminal.say(f"resolve: {outcome.reason if isinstance(outcome, Deferred) else 'deleted'}")
        data = versions.ours or b""
    try:
        _deliver(data, output)
    except OSError as error:
        terminal.say(f"resolve: cannot write {output or 'stdout'}: {error.strerror or error}")
        return EXIT_ERROR
    return 1 if isinstance(outcome, Deferred) else 0


def _deliver(data: bytes, output: str | None) -> None:
    """Write the result; a file is replaced in one step and keeps its mode."""
    if output is None:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    target = Path(output)
    if target.exists() and not target.is_file():
        target.write_bytes(data)  # a pipe or a device cannot be replaced
        return
    target = target.resolve()
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        partial.write_bytes(data)
        if target.exists():
            partial.chmod(stat.S_IMODE(target.stat().st_mode))
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
