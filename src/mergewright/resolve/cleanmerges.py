"""Texts that git merged cleanly and that are broken all the same: held against the gates.

A line merge keeps both copies of what both sides added at two places, and joins a use with the removal
of its definition. Such a text is no conflict, so nobody looks at it; the gates do.
"""

from __future__ import annotations

from mergewright.model.resolution import GateResult
from mergewright.model.threeway import ThreeWay
from mergewright.python.gates import check, clean_text_holds, undefined_names
from mergewright.python.units import Unit
from mergewright.text.syntax import syntax_tree

#: The gates that say that a text is broken; the others also speak of choices that a line merge may make.
BREAKING = frozenset({"parse", "duplicate-definition", "bound-twice", "undefined-name"})


def broken_gates(
    path: str, merged: bytes, versions: ThreeWay[bytes | None]
) -> tuple[GateResult, ...]:
    """Gates that a cleanly merged Python text fails, although both sides alone pass them.

    Args:
        path: The file's path.
        merged: Git's clean text.
        versions: The three versions.
    """
    if clean_text_holds(merged, versions) or not _suspect(path, merged):
        return ()
    return tuple(
        gate for gate in check(path, merged, versions) if not gate.passed and gate.gate in BREAKING
    )


def _suspect(path: str, data: bytes) -> bool:
    """A quick look at the text alone; nearly all texts end here.

    What is counted is what the gates count, so nothing that they would find is passed over.
    """
    tree = syntax_tree(data, path)
    if tree is None:
        return True
    whole = Unit(data, tree=tree)
    return any(
        count > 1
        for counted in (whole.definitions, whole.imports, whole.registrations)
        for count in counted.values()
    ) or bool(undefined_names(data, path))
