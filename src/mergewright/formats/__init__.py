"""Three-way merges by structure for everything that is not Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mergewright.formats.kinds import FormatKind, kind_of, regenerate_command
from mergewright.formats.options import FormatOptions
from mergewright.model.merge import Decider, FileMerge
from mergewright.model.threeway import ThreeWay

__all__ = ["FormatKind", "FormatOptions", "kind_of", "merge_for", "regenerate_command"]


def merge_for(
    path: str,
    *,
    options: FormatOptions | None = None,
    deciders: Sequence[Decider] = (),
) -> Callable[[ThreeWay[bytes | None]], FileMerge] | None:
    """The merge of a path's format.

    Args:
        path: The path: its name chooses the format.
        options: What a team switched.
        deciders: Asked, in this order, about what structure alone cannot settle; symbols are dotted
            key paths.

    Returns:
        A function from three texts (``None`` where a version does not have the file) to their
        merge, or ``None`` for a path without a format of its own. The function never raises: where
        the engine cannot be sure it merges by lines and says so in the notes.
    """
    kind = kind_of(path)
    if kind is None:
        return None
    chosen = options if options is not None else FormatOptions()

    def merge(versions: ThreeWay[bytes | None]) -> FileMerge:
        from mergewright.formats.running import run

        return run(kind, path, versions, chosen, deciders)

    return merge
