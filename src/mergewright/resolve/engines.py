"""Which merge engine speaks for a path, and how its answer is measured against git's."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mergewright.formats.kinds import PROSE_METHODS, WHOLE_FILE_METHODS
from mergewright.formats.options import FormatOptions
from mergewright.model.merge import Contested, Decider, FileMerge
from mergewright.model.threeway import ThreeWay
from mergewright.rules.places import settle_places
from mergewright.text.contained import Contained

if TYPE_CHECKING:
    from mergewright.python.engine import EngineOptions
    from mergewright.python.formatting import Formatting

#: Suffixes that the Python engine reads.
PYTHON_SUFFIXES = (".py", ".pyi")

_FENCE = re.compile(rb"^[ \t]*(?:```|~~~)", re.MULTILINE)
_SHEBANG = re.compile(rb"#!.*\bpython[0-9.]*\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class GitText:
    """What git itself would leave of a file: the yardstick and the fallback.

    Attributes:
        data: The text with git's conflict markers (no markers when it merges cleanly).
        open_places: How many conflicts are in it.
        contested_lines: Lines of ours and theirs between the markers, together, without blank ones.
    """

    data: bytes
    open_places: int
    contested_lines: int


Engine = Callable[[str, ThreeWay[bytes | None], Sequence[Decider]], FileMerge]


def is_python(path: str, versions: ThreeWay[bytes | None]) -> bool:
    """Whether the path is Python: by suffix, or by the first line of every version there is."""
    if path.endswith(PYTHON_SUFFIXES):
        return True
    name = path.rpartition("/")[2]
    present = [data for data in versions if data]
    return "." not in name and bool(present) and all(_SHEBANG.match(data[:200]) for data in present)


def merge_by_lines(versions: ThreeWay[bytes | None]) -> FileMerge:
    """The line merge; a missing version is an empty text."""
    from mergewright.text.merge import merge_lines

    return merge_lines(versions.map(lambda data: data or b""))


def merge_file(
    path: str,
    versions: ThreeWay[bytes | None],
    deciders: Sequence[Decider] = (),
    *,
    options: EngineOptions | None = None,
    formats: FormatOptions | None = None,
    formatting: Callable[[str], Formatting | None] | None = None,
) -> FileMerge:
    """Merge three texts with the engine of the file's type.

    Args:
        path: The path of the file: its name chooses the engine.
        versions: The three texts; ``None`` where a side does not have the file.
        deciders: Asked, in this order, about what structure alone cannot settle.
        options: Switches of the Python engine; its defaults when ``None``.
        formats: Switches of the merges by format; their defaults when ``None``.
        formatting: Gives the formatter with the settings that hold for a path.
    """
    if is_python(path, versions):
        from mergewright.python.engine import EngineOptions, merge_python

        chosen = options or EngineOptions()
        if formatting is not None and chosen.layout and chosen.formatter:
            chosen = replace(chosen, formatting=formatting(path))
        return merge_python(path, versions, deciders=deciders, options=chosen)
    from mergewright.formats import merge_for

    switched = formats if formats is not None else FormatOptions()
    by_format = merge_for(path, options=switched, deciders=deciders)
    merge = merge_by_lines(versions) if by_format is None else by_format(versions)
    if merge.clean or merge.method in WHOLE_FILE_METHODS or Contained.strategy in switched.disabled:
        return merge
    # Lines of a fenced block, met without their fence, are no prose.
    layout = merge.method not in PROSE_METHODS or any(
        _FENCE.search(data or b"") for data in versions
    )
    return settle_places(path, merge, Contained(layout=layout))


def loaded(module: str, name: str) -> Any:
    """A part of an engine package, or ``None`` while that package does not offer it."""
    try:
        return getattr(importlib.import_module(module), name, None)
    except ModuleNotFoundError:
        return None


def said_lines(data: bytes) -> int:
    """Lines that say something: blank ones are nothing to decide about."""
    return sum(1 for line in data.split(b"\n") if line.strip())


def contested_lines(places: Sequence[Contested]) -> int:
    """Lines of ours and theirs at the open places, together; blank lines do not count."""
    return sum(
        said_lines(place.versions.ours) + said_lines(place.versions.theirs) for place in places
    )
