"""Makes the merge commit of a settled merge: two parents, the branch first."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from mergewright.git.commits import walk
from mergewright.git.repository import Repository
from mergewright.model.errors import RepositoryError
from mergewright.rules.book import RuleBook
from mergewright.rules.schema import CommitSection

_SYNC = re.compile(r"\b(sync|merge)\b.*\b(main|master|trunk)\b", re.IGNORECASE)

#: Commits of the branch that are looked through for earlier syncs.
_LOOK_BACK = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """The commit that was made.

    Attributes:
        oid: Its full id.
        parents: Full ids of its parents, the branch first.
        subject: First line of its message.
        warnings: What a reader should know.
    """

    oid: str
    parents: tuple[str, ...]
    subject: str
    warnings: tuple[str, ...] = ()


def commit_section(book: RuleBook) -> CommitSection:
    """How the rules want the commit: the first file that says it decides."""
    return next((f.commit for f in book.files if f.commit is not None), CommitSection())


def commit_merge(
    repository: Repository,
    book: RuleBook,
    *,
    message: str | None = None,
    sign_off: bool | None = None,
) -> Committed:
    """Commit the merge in progress.

    git makes the commit with the user's own name and signature settings; no hook is run.

    Args:
        repository: A repository with a worktree in which every conflict is settled and staged.
        book: The rules; their ``commit`` section gives message and sign-off.
        message: The message, instead of the rules'.
        sign_off: Whether to add a ``Signed-off-by`` trailer, instead of what the rules say.

    Raises:
        RepositoryError: No merge is in progress, a conflict is left, or git refuses.
    """
    root = repository.require_worktree()
    other = _merge_head(repository)
    if repository.stages():
        raise RepositoryError(
            "conflicts are left", hint="resolve, or git status, lists them; stage what you settled."
        )
    section = commit_section(book)
    ours = repository.resolve("HEAD")
    text = message or section.message.format(
        theirs=_name(repository, other),
        ours=repository.head_name(),
        date=datetime.now(UTC).strftime("%d_%m_%Y"),
    )
    wanted = section.sign_off if sign_off is None else sign_off
    arguments = ["commit", "--no-verify", "--cleanup=whitespace", "-F", "-"]
    if wanted:
        arguments.append("--signoff")
    _git(root, arguments, data=text.encode())
    made = repository.resolve("HEAD")
    parents = tuple(str(oid) for oid in repository.commit(made).parent_ids)
    if parents != (ours, other):
        raise RepositoryError(
            f"git made {made}, whose parents are not {ours} and {other}",
            hint="git reset --soft HEAD~1 takes it back.",
        )
    return Committed(
        oid=made,
        parents=parents,
        subject=text.split("\n", 1)[0],
        warnings=squash_warnings(repository, ours, other),
    )


def squash_warnings(repository: Repository, ours: str, theirs: str) -> tuple[str, ...]:
    """What earlier syncs tell: one that landed as a squash froze the merge base.

    Args:
        repository: The repository.
        ours: Full id of the branch's tip.
        theirs: Full id of the commit that is merged.
    """
    bases = repository.merge_bases(ours, theirs)
    if not bases:
        return ()
    found = walk(
        repository, [ours], hide=list(bases), changes=False, first_parent=True, limit=_LOOK_BACK
    )
    squashed = [c for c in found if len(c.parents) == 1 and _SYNC.search(c.title)]
    if not squashed:
        warning = (
            "Land this merge as a merge commit: a squash would freeze the merge base at "
            f"{bases[0][:12]}, and the next sync would meet the same conflicts again."
        )
    else:
        newest = squashed[0]
        warning = (
            f"The sync {newest.oid[:12]} '{newest.title}' landed as a squash: the merge base is "
            f"still {bases[0][:12]}. Land this one as a merge commit, or the same conflicts come "
            "again."
        )
    return (warning,)


def _merge_head(repository: Repository) -> str:
    try:
        lines = (repository.git_dir / "MERGE_HEAD").read_text(encoding="ascii").split()
    except FileNotFoundError:
        if (repository.git_dir / "SQUASH_MSG").exists():
            raise RepositoryError(
                "a squash is prepared, not a merge: it would freeze the merge base, and the next "
                "merge would meet the same conflicts again",
                hint="Start again with git merge, without --squash.",
            ) from None
        raise RepositoryError(
            "no merge is in progress", hint="Start one with git merge --no-commit."
        ) from None
    if len(lines) != 1:
        raise RepositoryError("several commits are merged at once; only two parents are made here")
    return lines[0]


def _name(repository: Repository, oid: str) -> str:
    """How the merged side is called: as git's own message says, else the short id."""
    try:
        message = (repository.git_dir / "MERGE_MSG").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return oid[:12]
    match = re.match(r"Merge (?:remote-tracking )?(?:branch|commit|tag) '([^'\n]+)'", message)
    return match.group(1) if match is not None else oid[:12]


def _git(root: Path, arguments: Sequence[str], *, data: bytes) -> None:
    """Run git as the user would, with the user's configuration and without hooks."""
    try:
        done = subprocess.run(
            ["git", "-c", "core.hooksPath=/dev/null", *arguments],
            cwd=root,
            input=data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
            env={**os.environ, "GIT_EDITOR": "false"},
        )
    except OSError as error:
        raise RepositoryError(f"git cannot be run: {error}") from error
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip() or f"exit status {done.returncode}"
        raise RepositoryError(f"git {arguments[0]} failed: {said}")
