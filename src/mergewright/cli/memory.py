"""``resolve memory``: decisions of earlier merges, learnt, shown, shared and forgotten."""

from __future__ import annotations

import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import click

from mergewright.cli import show, terminal
from mergewright.model.errors import UsageError

_DAY = 86400
_repo = click.option(
    "-C", "repo", type=click.Path(), default=".", help="The repository. [default: .]"
)
_file = click.option(
    "--file", type=click.Path(), help="The memory file; by default one in the git folder."
)


@click.group()
def memory() -> None:
    """Learn, show and forget how conflicts of earlier merges were settled.

    A memory decides nothing until a rule file has a ``memory:`` section.
    """


@memory.command()
@click.argument("revisions", metavar="RANGE")
@_repo
@_file
@click.option("--limit", type=click.IntRange(min=1), help="Only the newest so many merges.")
def learn(revisions: str, repo: str, file: str | None, limit: int | None) -> int:
    """Make the merges of RANGE again and remember what was accepted at each conflict.

    RANGE is FROM..TO, or one revision. Merges of both directions count, and merges that land a
    sync's pull request. The repository itself is only read.
    """
    from mergewright.git.repository import Repository
    from mergewright.workflows.memory import MemoryStore, memory_file
    from mergewright.workflows.memory import learn as learn_range

    repository = Repository.open(repo)
    place = memory_file(repository, file)
    learnt = learn_range(repository, revisions, limit=limit)
    with MemoryStore(place) as store:
        new = store.add(learnt.memories)
    for merge, reason in learnt.skipped:
        terminal.warn(f"{merge[:10]} is left out: {reason}")
    terminal.say(
        f"{show.plural(learnt.merges, 'merge')}, {show.plural(learnt.places, 'contested place')}: "
        f"{show.plural(len(learnt.memories), 'answer')}, {new} of them new"
    )
    return 0


@memory.command("show")
@click.argument("pattern", default="")
@_repo
@_file
@click.option("--text", "as_text", is_flag=True, help="As a text file that can be shared.")
def show_memories(pattern: str, repo: str, file: str | None, as_text: bool) -> int:
    """List what is remembered, with the merge that it comes from.

    PATTERN is a glob of paths or of PATH::SYMBOL, or the start of a merge's id.
    """
    from mergewright.git.repository import Repository
    from mergewright.history import memory as memories
    from mergewright.workflows.memory import MemoryStore, memory_file

    place = memory_file(Repository.open(repo), file)
    if not place.exists():
        raise UsageError(f"nothing is remembered yet ({place} is not there)")
    with MemoryStore(place) as store:
        found = store.all(pattern)
    if as_text:
        terminal.put(memories.as_text(found))
        return 0
    by_key: dict[str, list[memories.Memory]] = {}
    for item in found:
        by_key.setdefault(item.key, []).append(item)
    lines: list[str] = []
    for items in by_key.values():
        known = memories.recall(items)
        if known is None:
            continue
        first = known.newest
        name = f"{first.path}::{first.symbol}" if first.symbol else first.path
        mark = "  contradictory: decides nothing" if known.contradictory else ""
        lines.append(f"{name}  {first.kind}{mark}")
        for item in known.memories:
            day = datetime.fromtimestamp(item.time, tz=UTC).strftime("%Y-%m-%d")
            took = item.side.value if item.side is not None else "a text of its own"
            lines.append(f"  {item.merge[:10]}  {day}  {item.author}  {took}  {item.title}")
    show.print_lines(lines, sys.stdout)
    return 0


@memory.command()
@click.argument("pattern", default="")
@_repo
@_file
@click.option("--older-than", type=click.IntRange(min=0), metavar="DAYS", help="Only older ones.")
@click.option("--all", "everything", is_flag=True, help="Everything.")
def forget(
    pattern: str, repo: str, file: str | None, older_than: int | None, everything: bool
) -> int:
    """Forget what fits PATTERN (as in show), what is older, or everything."""
    from mergewright.git.repository import Repository
    from mergewright.workflows.memory import MemoryStore, memory_file

    place = memory_file(Repository.open(repo), file)
    if not place.exists():
        raise UsageError(f"nothing is remembered yet ({place} is not there)")
    before = None if older_than is None else int(time.time()) - older_than * _DAY
    with MemoryStore(place) as store:
        gone = store.forget(pattern, before=before, everything=everything)
    terminal.say(f"{show.plural(gone, 'memory', 'memories')} forgotten")
    return 0


@memory.command("import")
@click.argument("source", type=click.Path(exists=True, dir_okay=False))
@_repo
@_file
def import_(source: str, repo: str, file: str | None) -> int:
    """Take over memories from a text file that ``show --text`` wrote."""
    from mergewright.git.repository import Repository
    from mergewright.history.memory import from_text
    from mergewright.workflows.memory import MemoryStore, memory_file

    place = memory_file(Repository.open(repo), file)
    try:
        text = Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{source} cannot be read: {error}") from error
    with MemoryStore(place) as store:
        new = store.add(from_text(text))
    terminal.say(f"{show.plural(new, 'memory', 'memories')} taken over")
    return 0
