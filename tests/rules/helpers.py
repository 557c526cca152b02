"""Rule books and trees from short texts."""

from __future__ import annotations

from textwrap import dedent

from mergewright.model.threeway import ThreeWay
from mergewright.rules.book import RuleBook
from mergewright.rules.deleted import Deletion
from mergewright.rules.loading import load_text
from mergewright.rules.steps import StepResult, run_steps
from mergewright.rules.trees import MemoryTree


def one_rule(text: str) -> RuleBook:
    """A book of one rule; id and reason are filled in."""
    body = dedent(text).strip("\n")
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return load_text(f"version: 1\nrules:\n  - id: the-rule\n    reason: because\n{lines}\n")


def step(
    book: RuleBook,
    merged: dict[str, str],
    *,
    ours: dict[str, str] | None = None,
    theirs: dict[str, str] | None = None,
    base: dict[str, str] | None = None,
    deletions: dict[str, list[Deletion]] | None = None,
    open_paths: tuple[str, ...] = (),
) -> StepResult:
    """Run the steps of a book on trees from dedented texts."""

    def build(texts: dict[str, str] | None) -> MemoryTree:
        return MemoryTree({p: dedent(t).encode() for p, t in (texts or {}).items()})

    known = deletions or {}
    return run_steps(
        book,
        build(merged),
        ThreeWay(base=build(base), ours=build(ours), theirs=build(theirs)),
        open_paths=open_paths,
        deletions=lambda path: known.get(path, ()),
    )


def text_of(result: StepResult, path: str) -> str | None:
    """The new text of a path, ``None`` when the steps left it alone."""
    for edit in result.edits:
        if edit.path == path:
            return edit.data.decode()
    return None
