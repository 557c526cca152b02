"""``resolve explain``: why a path or symbol was decided so, from the last run."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Mapping
from typing import Any

import click

from mergewright.cli import show
from mergewright.model.errors import UsageError


@click.command()
@click.argument("target", metavar="PATH[::SYMBOL]")
@click.option("-C", "repo", type=click.Path(), default=".", help="The worktree. [default: .]")
def explain(target: str, repo: str) -> int:
    """Say why a path, or one symbol of it, was decided so in the last run.

    Prints strategy, rule, reason and evidence of each decision, and what the gates said.
    """
    from mergewright.git.repository import Repository
    from mergewright.workflows.runs import last_run

    repository = Repository.open(repo)
    report = last_run(repository)
    path, _, symbol = target.partition("::")
    entry = _find(report, path)
    if symbol and not any(_belongs(d["symbol"], symbol) for d in entry["decisions"]):
        names = [d["symbol"] for d in entry["decisions"] if d["symbol"]]
        raise UsageError(
            f"the last run decided nothing about {symbol!r} in {entry['path']}",
            hint=_nearest(symbol, names),
        )
    show.print_lines(show.explain_path(entry, symbol or None, sys.stdout), sys.stdout)
    return 0


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
