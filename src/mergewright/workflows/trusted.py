"""Rule files that may name programs: only those that the user named, or that ours has committed."""

from __future__ import annotations

from collections.abc import Sequence

from mergewright.git.repository import Repository
from mergewright.model.errors import RepositoryError, RuleFileError
from mergewright.rules import RULE_FILE_NAME
from mergewright.rules.book import RuleBook
from mergewright.rules.loading import load_rules


def trusted_book(repository: Repository, files: Sequence[str]) -> RuleBook:
    """The rules that hold, refused when the side that is merged could have written them.

    A rule file may name programs to run. The file at the root of the worktree is believed only
    when it is the one that the current branch has committed: a merge must not bring in commands.

    Args:
        repository: The repository.
        files: Rule files and packs as the user named them; these are always believed.

    Raises:
        RuleFileError: A rule file cannot be used, or the one at the root is not the branch's own.
    """
    root = repository.require_worktree()
    if not files and (root / RULE_FILE_NAME).exists():
        own: bytes | None = None
        try:
            entry = repository.objects.entry(repository.resolve("HEAD"), RULE_FILE_NAME)
            own = None if entry is None else repository.objects.blob(entry.oid)
        except RepositoryError:
            own = None
        if own is None or (root / RULE_FILE_NAME).read_bytes().replace(b"\r\n", b"\n") != (
            own.replace(b"\r\n", b"\n")
        ):
            raise RuleFileError(
                f"{RULE_FILE_NAME}:1:1: this file may name programs to run, and it is not the one "
                "that the current branch has committed",
                hint=f"If you trust it, name it: --rules {RULE_FILE_NAME}",
            )
    return load_rules(files, root=root)
