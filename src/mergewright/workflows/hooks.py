"""The advisory pre-push hook: where it goes, what it runs, and that it never blocks."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from mergewright.git.repository import Repository
from mergewright.model.errors import RepositoryError, UsageError

#: By this line a hook is known as ours.
MARK = "# mergewright: advisory pre-push audit"


def hook_text(*, rules: Sequence[str] = (), markdown: str | None = None) -> str:
    """The hook's script: findings, then the text for the pull request. It ends with status 0 always.

    Args:
        rules: Rule files or packs for the audit.
        markdown: File that gets the text for the pull request.
    """
    options = "".join(f" --rules {shlex.quote(rule)}" for rule in rules)
    keep = "" if markdown is None else f'    cp "$text" {shlex.quote(markdown)} || true\n'
    python = shlex.quote(sys.executable)
    return f"""\
#!/bin/sh
{MARK}
# Names what the newest merge broke or lost. Advice only: the push always goes on.
{{
  cat >/dev/null  # what is pushed where: of no concern here
  text=$(mktemp) || exit 0
  trap 'rm -f "$text"' EXIT
  if {python} -m mergewright audit{options} --markdown "$text" 1>&2; then
{keep}    echo "mergewright: for the body of the pull request:"
    cat "$text"
    echo "mergewright: audit done; findings above are advice, the push goes on"
  else
    echo "mergewright: the audit itself failed (see above); the push goes on"
  fi 1>&2
}} || true
exit 0
"""


def _place(repository: Repository) -> Path:
    configured = repository.settings(["core.hooksPath"]).get("core.hooksPath")
    if configured:
        base = repository.workdir or repository.git_dir
        return base / Path(os.path.expanduser(configured)) / "pre-push"  # noqa: PTH111 - git's own rule
    return repository.common_dir / "hooks" / "pre-push"


def install(
    folder: Path,
    *,
    rules: Sequence[str] = (),
    markdown: str | None = None,
    force: bool = False,
) -> Path:
    """Write the hook.

    Args:
        folder: The repository.
        rules: Rule files or packs for the audit.
        markdown: File that gets the text for the pull request.
        force: Replace a pre-push hook that somebody else wrote.

    Returns:
        Where it was written.

    Raises:
        RepositoryError: It cannot be written.
        UsageError: There is another pre-push hook.
    """
    place = _place(Repository.open(folder))
    foreign = place.exists() and MARK not in place.read_text(encoding="utf-8", errors="replace")
    if foreign and not force:
        raise UsageError(
            f"{place} is there already and is not ours",
            hint="Call `resolve audit` from it, or replace it with --force.",
        )
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(hook_text(rules=rules, markdown=markdown), encoding="utf-8")
        place.chmod(0o755)
    except OSError as error:
        raise RepositoryError(f"cannot write {place}: {error.strerror or error}") from error
    return place


def remove(folder: Path) -> Path:
    """Remove our hook.

    Raises:
        UsageError: There is none, or it is not ours.
    """
    place = _place(Repository.open(folder))
    if not place.exists():
        raise UsageError(f"there is no {place}")
    if MARK not in place.read_text(encoding="utf-8", errors="replace"):
        raise UsageError(f"{place} is not ours; it stays")
    place.unlink()
    return place
