"""``resolve explain``: why a path or symbol was decided so, from the last run."""

from __future__ import annotations

import difflib
import json
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from mergewright.cli import show, terminal
from mergewright.model.errors import UsageError
from mergewright.model.threeway import Side

if TYPE_CHECKING:
    from mergewright.git.repository import Repository


@click.command()
@click.argument("target", metavar="PATH[::SYMBOL]")
@click.option("-C", "repo", type=click.Path(), default=".", help="The repository. [default: .]")
@click.option(
    "--merge",
    "tips",
    nargs=2,
    metavar="OURS THEIRS",
    help="Tell the history between two commits instead of the last run's.",
)
@click.option("--dot", is_flag=True, help="Print the history as a graph for Graphviz, alone.")
@click.option("--json", "as_json", is_flag=True, help="Print the history as JSON, alone.")
def explain(target: str, repo: str, tips: tuple[str, str] | None, dot: bool, as_json: bool) -> int:
    """Say why a path, or one symbol of it, was decided so in the last run.

    Prints strategy, rule, reason and evidence of each decision, and what the gates said. With a
    SYMBOL also its history: the commits of both sides that changed it, equal states and twins, and
    what was concluded. PATH:: tells the history of the whole file.
    """
    from mergewright.git.repository import Repository
    from mergewright.workflows.runs import last_run

    if dot and as_json:
        raise UsageError("--dot and --json exclude each other")
    repository = Repository.open(repo)
    path, separator, symbol = target.partition("::")
    if (dot or as_json) and not separator:
        raise UsageError(
            "--dot and --json tell the history of a symbol", hint="Give PATH::SYMBOL, or PATH::"
        )
    if tips is not None:
        labels = dict(zip((Side.OURS, Side.THEIRS), tips, strict=True))
        _history(repository, path, symbol, tips, None, labels, dot=dot, as_json=as_json)
        return 0
    report = last_run(repository)
    entry = _find(report, path)
    if symbol and not any(_belongs(d["symbol"], symbol) for d in entry["decisions"]):
        names = [d["symbol"] for d in entry["decisions"] if d["symbol"]]
        raise UsageError(
            f"the last run decided nothing about {symbol!r} in {entry['path']}",
            hint=_nearest(symbol, names),
        )
    if not (dot or as_json):
        show.print_lines(show.explain_path(entry, symbol or None, sys.stdout), sys.stdout)
    sides = report["sides"]
    ours, theirs = sides["ours"]["commit"], sides["theirs"]["commit"]
    if separator and ours is not None and theirs is not None:
        labels = {side: sides[side.value]["label"] for side in (Side.OURS, Side.THEIRS)}
        _history(
            repository,
            entry["path"],
            symbol,
            (ours, theirs),
            sides["base"]["commit"],
            labels,
            dot=dot,
            as_json=as_json,
        )
    return 0


def _history(
    repository: Repository,
    path: str,
    symbol: str,
    tips: tuple[str, str],
    base: str | None,
    labels: Mapping[Side, str],
    *,
    dot: bool,
    as_json: bool,
) -> None:
    from mergewright.history import stories
    from mergewright.workflows.history import symbol_story

    story = symbol_story(repository, *tips, path, symbol, base=base)
    if as_json:
        terminal.put(json.dumps(stories.as_data(story), indent=1) + "\n")
    elif dot:
        terminal.put(stories.as_dot(story))
    else:
        show.print_lines(stories.as_lines(story, labels), sys.stdout)


def _belongs(name: str, symbol: str) -> bool:
    return name == symbol or name.startswith(symbol + ".")


def _find(report: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    paths = {entry["path"]: entry for entry in report["paths"]}
    wanted = path.removeprefix("./")
    if wanted in paths:
        found: Mapping[str, Any] = paths[wanted]
        return found
    tails = [name for name in paths if name.endswith("/" + wanted)]
    if len(tails) == 1:
        tail: Mapping[str, Any] = paths[tails[0]]
        return tail
    raise UsageError(
        f"{path!r} was not in the last run" if not tails else f"{path!r} names several paths",
        hint=_nearest(wanted, tails or list(paths)),
    )


def _nearest(word: str, names: list[str]) -> str | None:
    near = difflib.get_close_matches(word, names, n=3, cutoff=0.4) or names[:3]
    return f"Do you mean {' or '.join(near)}?" if near else None
