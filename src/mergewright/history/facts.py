"""What the history core is given of one merge: values and two readers, no git."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from mergewright.model.history import CommitFacts, PathChange
from mergewright.model.threeway import Side

#: Gives the bytes of a blob by its id.
ReadBlob = Callable[[str], bytes]
#: Gives the blob id of a path in a commit; ``None`` where the commit does not have the path.
BlobAt = Callable[[str, str], str | None]


@dataclass(frozen=True, kw_only=True)
class SideFacts:
    """The commits of one side that the other does not have.

    Attributes:
        tip: Full id of the side's tip.
        commits: Its commits from the merge base on, parents before children.
    """

    tip: str
    commits: tuple[CommitFacts, ...]

    @cached_property
    def touched(self) -> Mapping[str, Mapping[str, PathChange]]:
        """Path, as it is called before or after, to the commits that changed it and what they did."""
        found: dict[str, dict[str, PathChange]] = {}
        for commit in self.commits:
            for change in commit.changes:
                if change.old_path is not None:
                    found.setdefault(change.old_path, {}).setdefault(commit.oid, change)
            # What a commit puts at a path counts more than what it takes away from there.
            for change in commit.changes:
                found.setdefault(change.path, {})[commit.oid] = change
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeFacts:
    """All that is known of the history of one merge.

    Attributes:
        bases: Full ids of the merge bases; several in a criss-cross, none of unrelated histories.
        ours: Our side.
        theirs: Their side.
        read: Reads a blob.
        blob_at: Reads a path's blob id in a commit, also in one outside the two sides.
        renames: Path at the tips to further names that it had on either side.
        named: Full ids of commits that touch no path of interest, but that a commit which does names
            as the same work, or that name it; they carry their changes too.
        traced: The paths whose every change the commits of the two sides carry: where no change of them
            stands, a commit has the path as its first parent has it.
    """

    bases: tuple[str, ...]
    ours: SideFacts
    theirs: SideFacts
    read: ReadBlob
    blob_at: BlobAt
    renames: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    traced: frozenset[str] = frozenset()

    def side(self, side: Side) -> SideFacts:
        """The facts of ours or theirs.

        Raises:
            ValueError: ``side`` is neither.
        """
        if side is Side.OURS:
            return self.ours
        if side is Side.THEIRS:
            return self.theirs
        raise ValueError(f"{side.value!r} has no commits of its own")
