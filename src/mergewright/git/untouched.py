"""Whether a contested worktree file is still what git wrote, so that replacing it loses nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from mergewright.git.checkout import Conversion
from mergewright.git.linemerge import merge_text
from mergewright.git.merging import merge_commits
from mergewright.git.repository import Repository, WorktreeMerge
from mergewright.git.trees import Objects
from mergewright.model.conflict import MODE_SUBMODULE
from mergewright.model.errors import MergewrightError
from mergewright.model.threeway import ThreeWay

_STYLES: tuple[Literal["merge", "diff3", "zdiff3"], ...] = ("merge", "diff3", "zdiff3")
# What follows the markers are names of branches and commits, which no other run repeats.
_LABEL = re.compile(rb"^(<{7,}|\|{7,}|>{7,})(?: [^\r\n]*)?", re.MULTILINE)


class GitText:
    """The texts that git may have left at a contested path.

    Git's own engine is asked again, in memory, in each style of conflict markers; then the plain
    three-way text of the stages, which ``git checkout --merge`` leaves.

    Args:
        repository: The repository.
        merge: Its conflicts.
    """

    def __init__(self, repository: Repository, merge: WorktreeMerge) -> None:
        self._repository = repository
        self._merge = merge
        self._trees: dict[str, tuple[Objects, str] | None] = {}
        self._open: list[object] = []
        configured = repository.settings(["merge.conflictStyle"]).get("merge.conflictStyle")
        self._styles = sorted(_STYLES, key=lambda style: style != configured)

    def explains(self, path: str, found: bytes, conversion: Conversion) -> bool:
        """Whether git left these bytes at an index path."""
        plain = _LABEL.sub(rb"\1", found)
        for text, oid in self._candidates(path):
            if text == found:
                return True
            for form in (text, conversion.to_worktree(text, oid)):
                if _LABEL.sub(rb"\1", form) == plain:
                    return True
        return False

    def _candidates(self, path: str) -> Iterator[tuple[bytes, str]]:
        stages = {s.stage: s for s in self._merge.stages if s.path == path}
        sides = [s for number, s in stages.items() if number != 1 and s.mode != MODE_SUBMODULE]
        if len(sides) == 1:
            yield self._repository.objects.blob(sides[0].oid), sides[0].oid
        for style in self._styles:
            merged = self._merged(style)
            if merged is None:
                break
            objects, tree = merged
            entry = objects.entry(tree, path)
            if entry is not None and entry.is_blob:
                yield objects.blob(entry.oid), entry.oid
        if len(sides) == 2:
            yield from self._three_way(ThreeWay(base=1, ours=2, theirs=3).map(stages.get))

    def _three_way(self, stages: ThreeWay[object]) -> Iterator[tuple[bytes, str]]:
        versions = stages.map(
            lambda s: None if s is None else self._repository.objects.blob(s.oid)  # type: ignore[attr-defined]
        )
        for style in self._styles:
            try:
                text, _ = merge_text(versions, ThreeWay(base="", ours="", theirs=""), style=style)
            except MergewrightError:
                continue
            yield text, "0" * 40

    def _merged(self, style: Literal["merge", "diff3", "zdiff3"]) -> tuple[Objects, str] | None:
        if style not in self._trees:
            self._trees[style] = self._merge_again(style)
        return self._trees[style]

    def _merge_again(
        self, style: Literal["merge", "diff3", "zdiff3"]
    ) -> tuple[Objects, str] | None:
        operation = self._merge.operation
        if operation.theirs is None:
            return None
        try:
            merged = merge_commits(
                self._repository,
                operation.ours,
                operation.theirs,
                base=operation.base if operation.base_is_theirs_parent else None,
                allow_unrelated=True,
                style=style,
            )
        except MergewrightError:
            return None
        self._open.append(merged)
        return merged.objects, merged.tree
