"""ruff's formatter, run on texts that it gets and gives back through pipes.

ruff is a pinned dependency of ours. It is started apart from every configuration (``--isolated``), so
that nothing of the repository speaks to it but the settings that were read as data. One start takes
about 20 ms and formats a thousand lines; black as a library takes 300 ms to import and 3 to 8 ms for a
statement, and has neither single quotes nor tabs. Where the two would format differently, a text that
black wrote is not given back unchanged, and is left alone.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from mergewright.model.errors import RepositoryError
from mergewright.model.threeway import ThreeWay
from mergewright.python.formatting import FormatSettings, Formatting

if TYPE_CHECKING:
    from mergewright.git.trees import Objects

#: Seconds after which a run is given up.
TIMEOUT = 20.0
_KEPT = ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP")


@dataclass(frozen=True, slots=True)
class Ruff:
    """The formatter as the Python engine calls it; a value, so that workers can be given it."""

    def __call__(self, text: str, settings: FormatSettings, *, stub: bool = False) -> str | None:
        """See :class:`mergewright.python.formatting.Formatter`."""
        return _formatted(text, settings, stub)


def formatting_of(objects: Objects, commits: ThreeWay[str | None]) -> Callable[[str], Formatting]:
    """The formatter for the paths of one merge, with what the merged commits say of formatting.

    Args:
        objects: Where the commits are read.
        commits: Full ids; ``None`` where there is none.
    """

    @cache
    def read(commit: str, path: str) -> bytes | None:
        try:
            entry = objects.entry(commit, path)
            return None if entry is None or not entry.is_blob else objects.blob(entry.oid)
        except RepositoryError:
            return None

    def settings(path: str) -> tuple[FormatSettings, ...]:
        from mergewright.resolve.formatsettings import settings_of

        def reader(oid: str | None) -> Callable[[str], bytes | None] | None:
            return None if oid is None else partial(read, oid)

        return settings_of(path, commits.map(reader))

    return lambda path: formatting(partial(settings, path))


def formatting(
    candidates: Callable[[], tuple[FormatSettings, ...]] = lambda: (),
) -> Formatting:
    """The formatter; it says nothing where ruff is not installed.

    Args:
        candidates: Reads the settings of the repository, when they are first needed.
    """
    return Formatting(run=Ruff(), candidates=candidates)


@lru_cache(maxsize=1)
def _program() -> str | None:
    from mergewright.audit.analysers import AnalyserError, executable

    try:
        return executable("ruff")
    except AnalyserError:
        return None


@lru_cache(maxsize=64)
def _formatted(text: str, settings: FormatSettings, stub: bool) -> str | None:  # noqa: FBT001
    program = _program()
    if program is None:
        return None
    flags = {
        "line-length": settings.line_length,
        "indent-width": settings.indent_width,
        "format.quote-style": f'"{settings.quotes}"',
        "format.indent-style": f'"{settings.indent}"',
        "format.skip-magic-trailing-comma": "false" if settings.magic_commas else "true",
        "format.docstring-code-format": "true" if settings.docstring_code else "false",
        "format.line-ending": '"lf"',
    }
    if settings.target is not None:
        flags["target-version"] = f'"{settings.target}"'
    argv = [program, "format", "--isolated", "--no-cache", "--quiet", "--no-preview"]
    for name, value in flags.items():
        argv += ["--config", f"{name}={value}"]
    argv += ["--stdin-filename", "text.pyi" if stub else "text.py", "-"]
    kept = {key: os.environ[key] for key in _KEPT if key in os.environ}
    try:
        done = subprocess.run(
            argv,
            input=text.encode("utf-8"),
            capture_output=True,
            check=False,
            timeout=TIMEOUT,
            cwd=Path(tempfile.gettempdir()),
            env=kept,
        )
        return done.stdout.decode("utf-8") if done.returncode == 0 else None
    except (OSError, subprocess.SubprocessError, UnicodeError):
        return None
