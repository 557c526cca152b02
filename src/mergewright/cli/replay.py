"""``resolve replay``: historical merges again, beside the peers; ``resolve replay compare``."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Self

import click
from rich.console import Console

from mergewright.model.errors import UsageError
from mergewright.workflows.replay.attempts import source_version
from mergewright.workflows.replay.document import document
from mergewright.workflows.replay.dump import classes, dump
from mergewright.workflows.replay.jobs import Tool
from mergewright.workflows.replay.manifest import read_manifests
from mergewright.workflows.replay.peers import PEERS, choose_peers
from mergewright.workflows.replay.session import Progress, Settings, rows, run, take_sample
from mergewright.workflows.replay.store import Store
from mergewright.workflows.replay.terminal import print_report

OWN = "mergewright"


class _Group(click.Group):
    """``replay MANIFEST…`` and ``replay compare A B`` under one name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or args[0] not in {"compare", "-h", "--help"}:
            args = ["run", *args]
        elif args[0] in {"-h", "--help"}:
            args = ["run", "--help"]
        return super().parse_args(ctx, args)


@click.group(cls=_Group)
def replay() -> None:
    """Replay historical merges and judge every result, beside the peers."""


def _default_store() -> Path:
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "mergewright" / "replay.sqlite"


@replay.command("run", short_help="Replay historical merges.")
@click.argument("manifests", nargs=-1, type=click.Path(path_type=Path, dir_okay=False))
@click.option(
    "--repos",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Folder of local repositories that the manifests name.",
)
@click.option(
    "--rules",
    "rule_files",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Rule file; each one given makes a column of its own.",
)
@click.option(
    "--peers",
    default="git,mergiraf",
    show_default=True,
    help=f"Comma-separated: {', '.join(PEERS)}; empty for none.",
)
@click.option(
    "--jobs", default=2, show_default=True, type=click.IntRange(1), help="Merges at once."
)
@click.option(
    "--timeout",
    default=120.0,
    show_default=True,
    help="Seconds that one tool may take for one merge.",
)
@click.option(
    "--memory", default=0, help="Megabytes of address space of a worker process; 0 for no limit."
)
@click.option(
    "--db",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Where results are kept.  [default: a file in the user's cache folder]",
)
@click.option(
    "--json",
    "json_file",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Write the report as JSON; - for standard output.",
)
@click.option("--sample", type=click.IntRange(1), help="Judge a random part: so many files.")
@click.option("--seed", default=0, show_default=True, help="Seed of the sample.")
@click.option(
    "--structure-only",
    is_flag=True,
    help="Our tool on the three texts alone: no history, policy or memory.",
)
@click.option(
    "--again", is_flag=True, help="Work out our own results again, also when they are kept."
)
@click.option(
    "--dump",
    "dump_folder",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the texts of chosen files of our tool into a folder, and a table of the largest classes of trouble.",
)
@click.option(
    "--only",
    default="wrong,damage",
    show_default=True,
    help="What --dump chooses: verdicts, and damage.",
)
def run_command(
    manifests: tuple[Path, ...],
    repos: Path | None,
    rule_files: tuple[Path, ...],
    peers: str,
    jobs: int,
    timeout: float,
    memory: int,
    db: Path | None,
    json_file: Path | None,
    sample: int | None,
    seed: int,
    structure_only: bool,
    again: bool,
    dump_folder: Path | None,
    only: str,
) -> None:
    """Replay historical merges and judge every result against what was accepted."""
    status = Console(stderr=True)
    if not manifests:
        raise UsageError("Nothing to replay: name manifests.")
    if repos is None:
        raise UsageError("Manifests name repositories: --repos DIR says where they are.")
    collection = read_manifests(manifests)
    take_sample(collection, sample, seed)
    present, absent = choose_peers([name for name in peers.split(",") if name])
    tools = _own_tools(rule_files, structure_only=structure_only)
    tools += [Tool(name=name, version=version, peer=True) for name, version in present.items()]
    settings = Settings(
        repos=str(repos.absolute()),
        jobs=jobs,
        limit=timeout,
        memory=memory * 1_000_000,
        again=again,
    )
    with Store(db or _default_store()) as store:
        with _Reporter(status) as reporter:
            fresh = run(collection, tools, settings, store, progress=reporter)
        judged = rows(collection, tools, store, fresh)
        facts: dict[str, Any] = {
            "inputs": [path.name for path in manifests],
            "sample": sample,
            "seed": seed if sample else None,
        }
        report = document(collection, judged, tools, absent=absent, settings=facts)
        if json_file is not None:
            _write(json_file, json.dumps(report, indent=1, ensure_ascii=False) + "\n")
        if json_file is None or str(json_file) != "-":
            print_report(report, Console(width=None if sys.stdout.isatty() else 160))
        if dump_folder is not None:
            own = tools[0]
            chosen = frozenset(only.split(","))
            count = dump(judged, own, store, settings.repos, dump_folder, chosen)
            for name, places, files, example in classes(judged, own)[:40]:
                click.echo(f"{places:6} places {files:5} files  {name:40}  {example}")
            status.print(f"{count} files written to {dump_folder}", highlight=False)


def _own_tools(rule_files: tuple[Path, ...], *, structure_only: bool) -> list[Tool]:
    if structure_only or not rule_files:  # rules need the whole merge
        return [Tool(name=OWN, version=source_version(), peer=False, structure_only=True)]
    tools = []
    for path in rule_files:
        rules = (str(path.absolute()),)
        name = OWN if len(rule_files) == 1 else f"{OWN}[{path.name}]"
        tools.append(Tool(name=name, version=source_version(rules), peer=False, rules=rules))
    return tools


def _write(path: Path, text: str) -> None:
    if str(path) == "-":
        click.echo(text, nl=False)
    else:
        path.write_text(text, encoding="utf-8")


class _Reporter:
    """Rate and time left on standard error: a line in place on a terminal, else now and then."""

    _INTERVAL = 15.0

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = console.is_terminal
        self._last = 0.0

    def __enter__(self) -> Self:
        return self

    def __call__(self, progress: Progress) -> None:
        finished = progress.done >= progress.total
        if not finished and progress.seconds - self._last < (0.2 if self._live else self._INTERVAL):
            return
        self._last = progress.seconds
        minutes, seconds = divmod(int(progress.left + 0.5), 60)
        text = (
            f"{progress.done} of {progress.total} files, {progress.rate:.1f} a second, "
            f"{minutes}:{seconds:02d} left"
        )
        self._console.print(
            text, end="\r" if self._live and not finished else "\n", highlight=False
        )

    def __exit__(self, *_: object) -> None:
        if self._live:
            self._console.print()
