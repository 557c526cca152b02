"""Helpers that a merged file calls although the merge did not keep them."""

from __future__ import annotations

from mergewright.rules.names import called_helpers, defined_helpers, defined_names


def missing_helpers(
    merged: bytes, ours: bytes | None, theirs: bytes | None
) -> dict[str, int] | None:
    """Functions and methods that the merged text calls, that a side defines, and that are gone.

    Only names that ours or theirs define in this very file count, so that inherited and imported
    helpers are never taken for missing ones.

    Args:
        merged: The merged text.
        ours: Ours' text, if it has the file.
        theirs: Theirs' text, if it has the file.

    Returns:
        Name to the line of its first call; ``None`` when the merged text cannot be parsed.
    """
    called, bound = called_helpers(merged), defined_names(merged)
    if called is None or bound is None:
        return None
    known: set[str] = set()
    for text in (ours, theirs):
        if text is not None:
            known |= defined_helpers(text) or frozenset()
    return {name: line for name, line in called.items() if name in known and name not in bound}
