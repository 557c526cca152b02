"""The formatting step: the user's own tools on the files that a merge changed."""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mergewright.git.process import run_git
from mergewright.git.repository import Repository
from mergewright.model.conflict import MODE_EXECUTABLE, MODE_REGULAR
from mergewright.model.errors import RuleFileError, UsageError
from mergewright.rules.book import RuleBook
from mergewright.rules.patterns import matches
from mergewright.rules.schema import FormatSection, FormatTool
from mergewright.text.syntax import syntax_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """One tool's run.

    Attributes:
        name: The tool.
        argv: The command line.
        files: The files it was run on.
        status: Its exit status.
        output: What it said.
        failed: Whether the run counts as a failure (a formatter that did not end well).
    """

    name: str
    argv: tuple[str, ...]
    files: tuple[str, ...]
    status: int = 0
    output: str = field(default="", repr=False)
    failed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatted:
    """What the step did.

    Attributes:
        runs: The tools, in order.
        changed: Files whose bytes changed.
        warnings: Import orders of packages that changed: a circular import may follow.
    """

    runs: tuple[ToolRun, ...]
    changed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def format_section(book: RuleBook) -> FormatSection:
    """The formatting step of the first file that has one.

    Raises:
        UsageError: No rule file asks for a formatting step.
    """
    for file in book.files:
        if file.format is not None:
            return file.format
    raise UsageError(
        "no rule file asks for a formatting step", hint="Add a 'format:' section to the rule file."
    )


def changed_files(repository: Repository, against: str) -> tuple[str, ...]:
    """Regular files of the index that differ from a commit, without those in conflict.

    Raises:
        RepositoryError: The revision cannot be read.
    """
    old = repository.objects.entries(repository.resolve(against))
    return tuple(
        path
        for path, entry in sorted(repository.index_entries().items())
        if entry.mode in (MODE_REGULAR, MODE_EXECUTABLE)
        and (path not in old or old[path].oid != entry.oid)
    )


def plan_tools(
    repository: Repository, section: FormatSection, files: Sequence[str]
) -> tuple[ToolRun, ...]:
    """The command lines, in the order of the rule file.

    Raises:
        RuleFileError: A tool is not in the environment.
    """
    root = repository.require_worktree()
    environment = root / section.environment
    runs: list[ToolRun] = []
    for tool in section.tools:
        mine = tuple(path for path in files if matches(tool.path, path, "/"))
        program = _program(environment, tool)
        runs.append(
            ToolRun(
                name=tool.name,
                argv=(str(program), *tool.arguments, *(f"./{path}" for path in mine)),
                files=mine,
            )
        )
    return tuple(runs)


def _program(environment: Path, tool: FormatTool) -> Path:
    for folder in ("bin", "Scripts"):
        program = environment / folder / tool.name
        if program.is_file() and os.access(program, os.X_OK):
            return program
    raise RuleFileError(
        f"there is no '{tool.name}' in the environment {environment}",
        hint="Install the tools there, or name another 'environment' in the rule file.",
    )


def check_versions(section: FormatSection, runs: Sequence[ToolRun]) -> None:
    """Ask each tool for its version.

    Raises:
        RuleFileError: A tool has another version than the rule file names.
    """
    for tool, run in zip(section.tools, runs, strict=True):
        if tool.version is None:
            continue
        said = _run((run.argv[0], "--version"), Path.cwd())[1]
        words = said.replace(",", " ").split()
        versions = [word.lstrip("v") for word in words if word.lstrip("v")[:1].isdigit()]
        if not any(v == tool.version or v.startswith(f"{tool.version}.") for v in versions):
            got = versions[0] if versions else said.strip().split("\n")[0] or "nothing"
            raise RuleFileError(
                f"'{tool.name}' must have version {tool.version}, but says {got}",
                hint="Another version formats otherwise and would change more than the merge did.",
            )


def run_format(
    repository: Repository,
    section: FormatSection,
    runs: Sequence[ToolRun],
    *,
    stage: bool = True,
) -> Formatted:
    """Run the tools in order; a formatter that fails ends the step.

    Args:
        repository: The repository.
        section: The rule file's section.
        runs: What :func:`plan_tools` gave.
        stage: Whether changed files are staged.

    Raises:
        RuleFileError: A tool has another version than the rule file names.
        RepositoryError: Staging failed.
    """
    check_versions(section, runs)
    root = repository.require_worktree()
    files = sorted({path for run in runs for path in run.files})
    before = {path: _bytes(root / path) for path in files}
    done: list[ToolRun] = []
    for tool, run in zip(section.tools, runs, strict=True):
        if not run.files:
            done.append(run)
            continue
        status, output = _run(run.argv, root)
        failed = status != 0 and not tool.findings
        done.append(
            ToolRun(
                name=run.name,
                argv=run.argv,
                files=run.files,
                status=status,
                output=output,
                failed=failed,
            )
        )
        if failed:
            break
    after = {path: _bytes(root / path) for path in files}
    changed = tuple(path for path in files if after[path] != before[path])
    if stage and changed and not any(run.failed for run in done):
        run_git(["add", "--", *changed], cwd=root)
    return Formatted(
        runs=tuple(done),
        changed=changed,
        warnings=tuple(
            f"{path}: the order of imports changed; a circular import may follow"
            for path in changed
            if path.rpartition("/")[2] == "__init__.py"
            and import_order(before[path]) != import_order(after[path])
        ),
    )


def import_order(data: bytes) -> tuple[str, ...] | None:
    """The modules that a text imports at module level, in order; ``None`` when it does not parse."""
    tree = syntax_tree(data)
    if tree is None:
        return None
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append("." * node.level + (node.module or ""))
    return tuple(dict.fromkeys(found))


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def _run(argv: Sequence[str], root: Path) -> tuple[int, str]:
    try:
        done = subprocess.run(
            argv,
            cwd=root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except OSError as error:
        return 127, str(error)
    return done.returncode, done.stdout.decode(errors="replace")
