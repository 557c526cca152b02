"""Generates files again that a merge took whole: lockfiles, snapshots, recorded values."""

from __future__ import annotations

import fnmatch
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mergewright.git.process import run_git
from mergewright.git.repository import Repository
from mergewright.model.errors import RepositoryError, RuleFileError, UsageError
from mergewright.rules.book import LoadedRule, RuleBook, path_matches
from mergewright.rules.commands import Command, Place, archives_made, commands
from mergewright.rules.schema import RegenerateRule, Runner
from mergewright.workflows.runs import state_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """Files of one rule and how they are made.

    Attributes:
        rule: Id of the rule.
        paths: The files, relative to the root.
        commands: What is run, in order; empty when a person must do it.
        manual: How a person does it.
    """

    rule: str
    paths: tuple[str, ...]
    commands: tuple[Command, ...]
    manual: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a task.

    Attributes:
        task: The task.
        failed: The command that failed, with its exit status; ``None`` when all went well.
        status: That exit status.
        changed: The files whose bytes changed.
        staged: The files that were staged.
    """

    task: Task
    failed: Command | None = None
    status: int = 0
    changed: tuple[str, ...] = ()
    staged: tuple[str, ...] = ()


def plan_regeneration(
    repository: Repository,
    book: RuleBook,
    paths: Sequence[str] = (),
    *,
    runner: str | None = None,
    variant: str | None = None,
) -> tuple[Task, ...]:
    """What would be run, and where.

    Args:
        repository: A repository with a worktree.
        book: The rules.
        paths: Files, folders or globs relative to the root; all generated files by default.
            Files that a person must generate are listed only where they differ from HEAD.
        runner: Name of the runner, instead of each rule's own.
        variant: Variant of the runner's image.

    Raises:
        UsageError: A path names no generated file, or a runner or variant is not there.
        RuleFileError: A rule names a runner that no file defines.
        RepositoryError: A file is still in conflict.
    """
    root = repository.require_worktree()
    contested = {stage.path for stage in repository.stages()}
    tracked = sorted({*repository.index_entries(), *contested})
    claimed: set[str] = set()
    tasks: list[Task] = []
    named: set[str] = set()
    place = _place(repository, root)
    for loaded in book.rules:
        rule = loaded.rule
        if not isinstance(rule, RegenerateRule):
            continue
        mine = [
            path
            for path in tracked
            if path not in claimed
            and path_matches(rule.match, path)
            and (not paths or any(_named(path, given, named) for given in paths))
        ]
        claimed.update(mine)
        open_ones = [path for path in mine if path in contested]
        if open_ones:
            raise RepositoryError(
                f"{open_ones[0]} is still in conflict",
                hint="Settle it first: resolve takes the side that the rule says.",
            )
        if not rule.command:
            if not paths:
                mine = _differing(repository, mine)
            if mine:
                tasks.append(Task(rule=rule.id, paths=tuple(mine), commands=(), manual=rule.manual))
        elif mine:
            chosen = _runner(book, loaded, rule, runner)
            made = commands(rule, mine, chosen, place, variant=variant)
            place = replace(place, archives=place.archives | archives_made(made))
            tasks.append(Task(rule=rule.id, paths=tuple(mine), commands=made))
    missed = [given for given in paths if given not in named]
    if missed:
        raise UsageError(
            f"no rule regenerates '{missed[0]}'", hint="resolve rules show lists the rules."
        )
    return tuple(tasks)


def _named(path: str, given: str, named: set[str]) -> bool:
    plain = given.removeprefix("./").rstrip("/")
    if path == plain or path.startswith(f"{plain}/") or fnmatch.fnmatchcase(path, plain):
        named.add(given)
        return True
    return False


def _differing(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Those of the paths whose staged content is not that of HEAD."""
    head = repository.objects.entries(repository.resolve("HEAD"))
    index = repository.index_entries()
    return [
        path
        for path in paths
        if path in index and (path not in head or head[path].oid != index[path].oid)
    ]


def _runner(book: RuleBook, loaded: LoadedRule, rule: RegenerateRule, wanted: str | None) -> Runner:
    runners: dict[str, Runner] = {}
    for file in book.files:
        for word, runner in file.runners.items():
            runners.setdefault(word, runner)
    name = wanted or rule.runner
    if name is None:
        raise RuleFileError(
            f"{loaded.place}:1: rule '{rule.id}' names no runner",
            hint="Add 'runner: …' to the rule, or use --runner.",
        )
    if name not in runners:
        known = ", ".join(sorted(runners)) or "none"
        if wanted is not None:
            raise UsageError(f"there is no runner '{name}'", hint=f"Known runners: {known}.")
        raise RuleFileError(
            f"{loaded.place}:1: rule '{rule.id}' names the runner '{name}', which no file defines",
            hint=f"Known runners: {known}.",
        )
    return runners[name]


def _place(repository: Repository, root: Path) -> Place:
    scratch = state_folder(repository)
    return Place(
        root=str(root).rstrip("/"),
        scratch=str(scratch),
        owner=f"{os.getuid()}:{os.getgid()}",
        archives=frozenset(map(str, scratch.glob("*.sqsh"))),
    )


def regenerate(
    repository: Repository,
    tasks: Sequence[Task],
    *,
    stage: bool = True,
    announce: Callable[[Command], None] = lambda command: None,  # noqa: ARG005 - a default
) -> tuple[Outcome, ...]:
    """Run the commands of the tasks; the first that fails ends its task.

    The commands' own output goes to standard error. Files are staged only when all commands of
    their task went well.

    Args:
        repository: The repository.
        tasks: What :func:`plan_regeneration` gave.
        stage: Whether changed files are staged.
        announce: Told of each command before it runs.

    Raises:
        RepositoryError: Staging failed.
    """
    root = repository.require_worktree()
    outcomes: list[Outcome] = []
    for task in tasks:
        if not task.commands:
            outcomes.append(Outcome(task=task))
            continue
        before = {path: _bytes(root / path) for path in task.paths}
        failed: Command | None = None
        status = 0
        for command in task.commands:
            if failed is not None and not command.always:
                continue
            announce(command)
            code = _run(command)
            if code != 0 and failed is None:
                failed, status = command, code
        changed = tuple(p for p in task.paths if _bytes(root / p) != before[p])
        staged: tuple[str, ...] = ()
        if stage and failed is None and changed:
            run_git(["add", "--", *changed], cwd=root)
            staged = changed
        outcomes.append(
            Outcome(task=task, failed=failed, status=status, changed=changed, staged=staged)
        )
    return tuple(outcomes)


def _bytes(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None


def _run(command: Command) -> int:
    """Exit status of a command; 127 when its program is not there."""
    try:
        return subprocess.run(
            command.argv, cwd=command.directory, stdin=subprocess.DEVNULL, stdout=2, check=False
        ).returncode
    except OSError:
        return 127
