"""``resolve replay``: historical merges again, beside the peers; ``resolve replay compare``."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Self

import click

from mergewright.cli.terminal import put, say, write_json
from mergewright.model.errors import UsageError
from mergewright.workflows.replay.dump import classes, dump
from mergewright.workflows.replay.peers import PEERS
from mergewright.workflows.replay.request import Replayed, Request
from mergewright.workflows.replay.request import replay as run_replay
from mergewright.workflows.replay.scanning import Filter
from mergewright.workflows.replay.session import Progress
from mergewright.workflows.replay.store import Store

FILE = click.Path(path_type=Path, dir_okay=False)
EXISTING_FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
EXISTING_FOLDER = click.Path(path_type=Path, file_okay=False, exists=True)


class _Group(click.Group):
    """``replay MANIFEST…`` and ``replay compare A B`` under one name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in {*self.commands, "-h", "--help"}:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_Group, short_help="Replay historical merges and judge every result.")
def replay() -> None:
    """Replay historical merges and judge every result, beside the peers.

    ``resolve replay MANIFEST… --repos DIR`` is short for ``resolve replay run …``: see
    ``resolve replay run --help`` for all options.
    """


def default_store() -> Path:
    """Where results are kept when ``--db`` is not given."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "mergewright" / "replay.sqlite"


_INPUT = (
    click.argument("manifests", nargs=-1, type=EXISTING_FILE),
    click.option("--repos", type=EXISTING_FOLDER, help="Folder of the repositories that manifests name."),
    click.option("--repo", type=EXISTING_FOLDER, help="One repository, with --range or --pulls."),
    click.option("--range", "revisions", default="", help="A..B: all merge commits of the range."),
    click.option("--pulls", default="", help="Pull requests: a list of BASE HEAD LANDED lines, or auto for the commits of the range that end in (#N) where refs/pull/N/head is there."),
    click.option("--subject", default="", help="Only merges whose subject matches this regular expression."),
    click.option("--since", default="", help="Only merges from this day on (YYYY-MM-DD)."),
    click.option("--until", default="", help="Only merges up to this day."),
    click.option("--path", "paths", multiple=True, help="Only paths that match this pattern.  [default: *.py, *.pyi]"),
    click.option("--branch", default="", help="Only what landed on this branch itself (its first parents)."),
    click.option("--min-conflicts", default=1, show_default=True, type=click.IntRange(1), help="Only merges with so many files to judge."),
    click.option("--last", type=click.IntRange(1), help="At most so many merges, the newest."),
    click.option("--both-changed", is_flag=True, help="Judge every file that both sides changed, conflict or not; always so with --pulls."),
    click.option("--exclude", type=EXISTING_FILE, help="List of what is not to be judged: [REPO] MERGE [PATH] a line."),
    click.option("--sample", type=click.IntRange(1), help="Judge so many files, chosen at random."),
    click.option("--seed", default=0, show_default=True, help="Seed of the sample."),
)  # fmt: skip

_TOOLS = (
    click.option("--rules", multiple=True, metavar="FILE", help="Rule file or name of a shipped pack; each one given makes a column of its own."),
    click.option("--structure-only", is_flag=True, help="Our tool on the three texts alone: no history, policy or memory."),
    click.option("--without-history", is_flag=True, help="Whole merges without history as a further column: what structure and rules do there."),
    click.option("--with-structure", is_flag=True, help="Our tool on the three texts alone as a further column, beside history and rules."),
    click.option("--peers", default="git,mergiraf", show_default=True, help=f"Other tools, comma-separated: {', '.join(PEERS)}."),
)  # fmt: skip

_RUN = (
    click.option("--jobs", default=2, show_default=True, type=click.IntRange(1), help="Merges at once."),
    click.option("--timeout", default=300.0, show_default=True, type=click.FloatRange(1), help="Seconds that one tool may take for one merge."),
    click.option("--memory", default=0, type=click.IntRange(0), help="Megabytes of address space of a worker process; 0 for no limit."),
    click.option("--executor", type=click.Choice(["processes", "dask"]), default="processes", show_default=True, help="Where merges run."),
    click.option("--scheduler", default="", help="Address of the dask scheduler."),
    click.option("--db", type=FILE, help="Where results are kept, so that a killed run goes on.  [default: a file in the user's cache folder]"),
    click.option("--again", is_flag=True, help="Work out our own results again, also when they are kept."),
)  # fmt: skip

_OUTPUT = (
    click.option("--json", "json_file", help="Write the report as JSON; - for standard output."),
    click.option("--markdown", "markdown_file", help="Write the report as Markdown; - for standard output."),
    click.option("--html", "html_file", type=FILE, help="Write the report as one HTML page that needs no network."),
    click.option("--dump", "dump_folder", type=click.Path(path_type=Path, file_okay=False), help="Write the texts of chosen files into a folder and print the largest classes of trouble."),
    click.option("--only", default="wrong,damage,crash", show_default=True, help="What --dump chooses: verdicts, and damage."),
)  # fmt: skip


def _options(function: Any) -> Any:
    for decorator in reversed((*_INPUT, *_TOOLS, *_RUN, *_OUTPUT)):
        function = decorator(function)
    return function


@replay.command("run", short_help="Replay historical merges.")
@_options
def run_command(**given: Any) -> None:
    """Replay historical merges and judge every result against what was accepted.

    Inputs are manifests with --repos, or one repository with --range or --pulls. Results are
    kept, so that a run that was killed goes on where it was and peers do not run twice.
    """
    request = Request(
        manifests=given["manifests"],
        repos=given["repos"],
        repo=given["repo"],
        revisions=given["revisions"],
        pulls=given["pulls"],
        wanted=Filter(
            subject=given["subject"],
            since=given["since"],
            until=given["until"],
            paths=given["paths"] or Filter().paths,
            branch=given["branch"],
            minimum=given["min_conflicts"],
            last=given["last"],
            both_changed=given["both_changed"] or bool(given["pulls"]),
        ),
        exclude=given["exclude"],
        sample=given["sample"],
        seed=given["seed"],
        rules=given["rules"],
        peers=tuple(name.strip() for name in given["peers"].split(",") if name.strip()),
        structure_only=given["structure_only"],
        with_structure=given["with_structure"],
        without_history=given["without_history"],
        again=given["again"],
        jobs=given["jobs"],
        timeout=given["timeout"],
        memory=given["memory"] * 1_000_000,
        executor=given["executor"],
        scheduler=given["scheduler"],
    )
    with Store(given["db"] or default_store()) as store, _Reporter() as reporter:
        done = run_replay(request, store, progress=reporter, scanned=reporter.scanned)
        reporter.finish()
        _write(done, store, given)


def _write(done: Replayed, store: Store, given: dict[str, Any]) -> None:
    from rich.console import Console

    from mergewright.workflows.replay.terminal import print_report

    if given["json_file"]:
        write_json(done.report, given["json_file"])
    if given["markdown_file"]:
        from mergewright.workflows.replay.markdown import report_markdown

        _text(report_markdown(done.report), given["markdown_file"])
    if given["html_file"] is not None:
        from mergewright.workflows.replay.page import write_page

        write_page(done, store, given["html_file"])
    if "-" not in {given["json_file"], given["markdown_file"]}:
        print_report(done.report, Console(width=None if sys.stdout.isatty() else 160))
    if given["dump_folder"] is not None:
        own, chosen = done.tools[0], frozenset(given["only"].split(","))
        count = dump(done.rows, own, store, done.repos, given["dump_folder"], chosen)
        for name, places, files, example in classes(done.rows, own)[:40]:
            put(f"{places:6} places {files:5} files  {name:40}  {example}\n")
        say(f"{count} files written to {given['dump_folder']}")


def _text(text: str, target: str) -> None:
    if target == "-":
        put(text)
        return
    try:
        Path(target).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror or error}") from error


@replay.command("compare", short_help="Compare two reports; exit status 1 on a regression.")
@click.argument("before", type=EXISTING_FILE)
@click.argument("after", type=EXISTING_FILE)
@click.option(
    "--tool",
    "tools",
    default="",
    help="Columns to compare: BEFORE,AFTER or one for both.  [default: ours]",
)
@click.option("--json", "json_file", help="Write the comparison as JSON; - for standard output.")
def compare_command(before: Path, after: Path, tools: str, json_file: str | None) -> int:
    """Compare two reports of --json: which files got worse or better, and who decided there.

    Worse is: from correct to anything else, from open to wrong, more damage. The exit status is 1
    when a file got worse. Two columns of one report: compare A A --tool BEFORE,AFTER.
    """
    from mergewright.workflows.replay.compare import compare
    from mergewright.workflows.replay.markdown import comparison_markdown

    names = [name.strip() or None for name in tools.split(",")]
    found = compare(
        _read_report(before), _read_report(after), tool_before=names[0], tool_after=names[-1]
    )
    if json_file:
        write_json(found.as_json(), json_file)
    if json_file != "-":
        put(comparison_markdown(found))
    return 1 if found.regressions else 0


def _read_report(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} is no report: {error}") from error
    if not isinstance(value, dict):
        raise UsageError(f"{path} is no report.")
    return value


class _Reporter:
    """Rate and time left on standard error: a line in place on a terminal, else now and then."""

    _INTERVAL = 15.0

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._last = 0.0
        self._open = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def __call__(self, progress: Progress) -> None:
        finished = progress.done >= progress.total
        interval = 0.2 if self._live else self._INTERVAL
        if not finished and progress.seconds - self._last < interval:
            return
        self._last = progress.seconds
        minutes, seconds = divmod(int(progress.left + 0.5), 60)
        self._show(
            f"{progress.done} of {progress.total} files, {progress.rate:.1f} a second, "
            f"{minutes}:{seconds:02d} left"
        )

    def scanned(self, count: int) -> None:
        """Say how many merges were looked into."""
        if count % 100 == 0 or (self._live and count % 5 == 0):
            self._show(f"{count} merges looked into")

    def finish(self) -> None:
        """Leave the line."""
        if self._open:
            say()
            self._open = False

    def _show(self, text: str) -> None:
        if self._live:
            sys.stderr.write(f"\r{text:<70}")
            sys.stderr.flush()
            self._open = True
        else:
            say(text)
