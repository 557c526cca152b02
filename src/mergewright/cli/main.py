"""Entry point of the ``resolve`` command: finds the command, maps errors to exit statuses."""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import sys
import tempfile
import threading
import traceback
from pathlib import Path
from typing import NoReturn

import click

import mergewright.git
from mergewright.model.errors import MergewrightError

EXIT_CLEAN = 0
EXIT_CONFLICTS = 1
EXIT_USAGE = 2
EXIT_AUDIT = 3
EXIT_PIPE = 141
EXIT_BUG = 255

# name -> (module, attribute, one-line help). Modules are imported only when their command runs,
# so that the start stays cheap; a test holds the help lines equal to the commands' own.
COMMANDS: dict[str, tuple[str, str, str]] = {
    "worktree": (
        "mergewright.cli.worktree",
        "worktree",
        "Settle the conflicts of the worktree, all or those that PATHS name.",
    ),
    "merge": (
        "mergewright.cli.merge",
        "merge",
        "Merge THEIRS into OURS in memory; nothing is written to the repository.",
    ),
    "merge-file": (
        "mergewright.cli.merge_file",
        "merge_file",
        "Merge three files without a repository, as git merge-file does.",
    ),
    "explain": (
        "mergewright.cli.explain",
        "explain",
        "Say why a path, or one symbol of it, was decided so in the last run.",
    ),
    "undo": (
        "mergewright.cli.undo",
        "undo",
        "Bring back the files and the index as they were before the last run.",
    ),
    "groups": (
        "mergewright.cli.groups",
        "groups",
        "List the contested and clean places that hang on the same commits, group by group.",
    ),
    "take": (
        "mergewright.cli.groups",
        "take",
        "Take one side at every contested place of a GROUP, through the gates.",
    ),
    "memory": (
        "mergewright.cli.memory",
        "memory",
        "Learn, show and forget how conflicts of earlier merges were settled.",
    ),
    "rules": (
        "mergewright.cli.rules",
        "rules",
        "Check, show, explain and test rule files.",
    ),
    "regenerate": (
        "mergewright.cli.regenerate",
        "regenerate",
        "Make generated files again with the commands that the rules name.",
    ),
    "format": (
        "mergewright.cli.format",
        "format_command",
        "Run the formatters that the rule file names on the files that the merge changed.",
    ),
    "commit": (
        "mergewright.cli.commit",
        "commit",
        "Make the two-parent commit of a settled merge, the current branch first.",
    ),
    "replay": (
        "mergewright.cli.replay",
        "replay",
        "Replay historical merges and judge every result, beside the peers.",
    ),
    "audit": (
        "mergewright.cli.audit",
        "audit",
        "Name what a merge broke or lost, in files that conflicted and in files that did not.",
    ),
    "hook": (
        "mergewright.cli.hook",
        "hook",
        "Install or remove the advisory pre-push hook.",
    ),
}

#: The command that runs when the first argument names none: ``resolve [PATHS…]``.
DEFAULT_COMMAND = "worktree"


class LazyGroup(click.Group):
    """A group whose commands are imported when used, with a default command."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names of all commands, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import the command's module and give the command; ``None`` for an unknown name."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, attribute, _ = entry
        command = getattr(importlib.import_module(module), attribute)
        if not isinstance(command, click.Command):
            raise TypeError(f"{module}.{attribute} is not a command")
        return command

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put the default command in front when the first argument names no command."""
        group_options = {"--help", "-h", "--version"}
        if not args or (args[0] not in COMMANDS and args[0] not in group_options):
            args = [DEFAULT_COMMAND, *args]
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """List the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry[2]) for name, entry in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(mergewright.__version__, prog_name="resolve")
def cli() -> None:
    """Resolve merge conflicts per symbol, from evidence and written rules, and say why.

    Without a command, settles the conflicted worktree: ``resolve [PATHS]…`` (see ``resolve
    worktree --help``).
    """


def _report_bug(error: BaseException) -> int:
    text = "".join(traceback.format_exception(error))
    with tempfile.NamedTemporaryFile(
        "w", prefix="resolve-bug-", suffix=".txt", delete=False, encoding="utf-8"
    ) as stream:
        stream.write(f"mergewright {mergewright.__version__}, Python {sys.version}\n")
        stream.write(f"arguments: {sys.argv[1:]!r}\n\n{text}")
    click.echo(f"resolve: internal error: {type(error).__name__}: {error}", err=True)
    click.echo(
        f"Nothing was written beyond what is reported above. Please send {Path(stream.name)} "
        "with a bug report.",
        err=True,
    )
    return EXIT_BUG


def start_lightly() -> None:
    """Settings for a process that does nothing but one command.

    Circular garbage is looked for seldom: trees are many objects that go all at once, and with Python's own
    thresholds a merge spends an eighth of its time looking for garbage that is not there. Plugins of
    other packages have no say in how rule files are read; the search for them delays each start. Objects
    are read as git reads them.
    """
    mergewright.git.own_process = True
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


def leave_quickly(status: int) -> NoReturn:
    """End a process that does nothing but one command, without taking all its objects apart.

    What has to be done at the end is done (functions registered for it, open output); the memory of
    modules and trees is left to the system, which needs a tenth of the time.
    """
    if threading.active_count() > 1:
        sys.exit(status)
    atexit._run_exitfuncs()  # noqa: SLF001 - what a normal exit calls, too
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        status = status or EXIT_PIPE
    os._exit(status)


def main(args: list[str] | None = None) -> None:
    """Run the command and exit with its documented status (see the README)."""
    if args is not None:
        sys.exit(_run(args))
    start_lightly()
    leave_quickly(_run(None))


def _run(args: list[str] | None) -> int:
    """The exit status of the command, after its error was told."""
    try:
        status = cli.main(args=args, prog_name="resolve", standalone_mode=False)
    except MergewrightError as error:
        click.echo(f"resolve: {error.message}", err=True)
        if error.hint:
            click.echo(f"hint: {error.hint}", err=True)
        return error.exit_status
    except click.exceptions.Abort:
        click.echo("resolve: interrupted", err=True)
        return 130
    except click.ClickException as error:
        error.show()
        return error.exit_code if error.exit_code >= 128 else EXIT_USAGE
    except BrokenPipeError:
        return EXIT_PIPE
    except Exception as error:  # noqa: BLE001 - the last line of defence: report, exit 255
        return _report_bug(error)
    return status if isinstance(status, int) else EXIT_CLEAN
