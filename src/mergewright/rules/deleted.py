"""Files that one side deleted: whether they are restored, or the deletion stands, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from mergewright.rules.trees import Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """A commit that deleted a path.

    Attributes:
        commit: Its full id.
        title: First line of its message.
        author: Name of its author.
        date: Its date, ``YYYY-MM-DD``.
        parents: How many parents it has.
    """

    commit: str
    title: str
    author: str = ""
    date: str = ""
    parents: int = 1

    def __str__(self) -> str:
        who = ", ".join(part for part in (self.author, self.date) if part)
        return f"{self.commit[:12]} '{self.title}'" + (f" ({who})" if who else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Restoration:
    """Whether a missing file comes back.

    Attributes:
        restore: Whether it is restored.
        reason: One sentence that names commits and referring files.
        commits: Full ids of the deleting commits.
        contradiction: Whether the reason holds a contradiction that a person should look at (it was
            deleted on purpose and is still needed).
    """

    restore: bool
    reason: str
    commits: tuple[str, ...] = ()
    contradiction: bool = False


def _who_needs(references: Sequence[Reference]) -> str:
    first = ", ".join(f"{ref.path} ({ref.how})" for ref in references[:3])
    more = len(references) - 3
    return f"{first} and {more} more" if more > 0 else first


def on_purpose(deletions: Sequence[Deletion], accidental: Sequence[str]) -> list[Deletion]:
    """The deletions that are decisions: not merges, and not titled like an earlier sync."""
    return [
        d
        for d in deletions
        if d.parents < 2 and not any(fnmatchcase(d.title, glob) for glob in accidental)
    ]


def restoration(
    deletions: Sequence[Deletion],
    references: Sequence[Reference],
    accidental: Sequence[str] = (),
) -> Restoration:
    """Whether a file of theirs that the result misses is restored.

    Restored when something in the merged tree needs it and ours did not delete it on purpose.

    Args:
        deletions: Commits of ours that deleted it, newest first.
        references: What in the merged tree refers to it.
        accidental: Globs of commit titles whose deletions are no decision.
    """
    decided = on_purpose(deletions, accidental)
    commits = tuple(d.commit for d in (decided or deletions))
    if decided:
        reason = f"ours deleted it on purpose in {decided[0]}"
        if references:
            return Restoration(
                restore=False,
                reason=f"{reason}, but it is still needed by {_who_needs(references)}",
                commits=commits,
                contradiction=True,
            )
        return Restoration(restore=False, reason=reason, commits=commits)
    if not references:
        lost = f" (it went with {deletions[0]})" if deletions else ""
        return Restoration(
            restore=False, reason=f"nothing in the merged tree refers to it{lost}", commits=commits
        )
    reason = f"needed by {_who_needs(references)}"
    if deletions:
        reason += f"; it went only with {deletions[0]}, which is no decision about it"
    else:
        reason += "; no commit of ours deleted it"
    return Restoration(restore=True, reason=reason, commits=commits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What becomes of a path that one side deleted and the other changed.

    Attributes:
        keep: Whether the changed version stays; ``None`` leaves the conflict.
        reason: One sentence: who deleted it, when, and what still needs it.
        commits: Full ids of the deleting commits.
    """

    keep: bool | None
    reason: str
    commits: tuple[str, ...] = ()


def need(
    deleter: str,
    deletions: Sequence[Deletion],
    references: Sequence[Reference],
    *,
    keep_when_needed: bool,
) -> Need:
    """Whether a deletion stands against a change.

    Args:
        deleter: The side that deleted it, as the report calls it.
        deletions: Its commits that did, newest first; without one the conflict is left.
        references: What in the merged tree refers to the file.
        keep_when_needed: Whether the changed version is kept when it is needed.
    """
    if not deletions:
        return Need(
            keep=None, reason=f"no commit was found by which {deleter} deleted it; it is left"
        )
    commits = tuple(d.commit for d in deletions)
    who = f"{deleter} deleted it in {deletions[0]}"
    if references:
        verdict = "the changed version is kept" if keep_when_needed else "it is left"
        return Need(
            keep=True if keep_when_needed else None,
            reason=f"{who}, but it is still needed by {_who_needs(references)}: {verdict}",
            commits=commits,
        )
    return Need(
        keep=False,
        reason=f"{who}, and nothing in the merged tree refers to it: the deletion stands",
        commits=commits,
    )
