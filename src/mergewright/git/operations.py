"""Which operation stopped with conflicts, and which commit and branch stand on either side."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mergewright.git.grouping import Stage
from mergewright.model.errors import RepositoryError
from mergewright.model.threeway import ThreeWay

if TYPE_CHECKING:
    from mergewright.git.repository import Repository

_OID = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """What git was doing when it stopped.

    Attributes:
        name: ``merge``, ``cherry-pick``, ``revert``, ``rebase``, ``am``, ``stash`` or ``unknown``.
        ours: Commit that is stage 2.
        theirs: Commit that is stage 3; ``None`` where git does not record it.
        base: Commit that is stage 1 when it is a single one.
        bases: All merge bases.
        labels: How the sides are called.
        swapped: Whether ours is the branch that users call theirs (a rebase).
        base_is_theirs_parent: Whether the base is not a merge base but a commit's parent (or the
            reverted commit), so that only the one commit's change is carried over.
    """

    name: str
    ours: str
    theirs: str | None
    base: str | None
    bases: tuple[str, ...]
    labels: ThreeWay[str]
    swapped: bool = False
    base_is_theirs_parent: bool = False

    def sentence(self) -> str:
        """One sentence that says which side is which."""
        text = (
            f"{self.name} in progress: ours is {self.labels.ours}, theirs is {self.labels.theirs}"
        )
        if self.swapped:
            text += (
                " (in a rebase git swaps the sides: ours is the branch rebased onto, theirs the "
                "commit of your branch that is replayed)"
            )
        return text + "."


def operation_name(git_dir: Path) -> str | None:
    """The operation that a state file in a git folder tells of.

    A rebase step writes ``CHERRY_PICK_HEAD`` too, so the rebase is asked for first.
    """
    if (git_dir / "rebase-merge").is_dir():
        return "rebase"
    if (git_dir / "rebase-apply").is_dir():
        return "am" if (git_dir / "rebase-apply" / "applying").exists() else "rebase"
    for file, name in (
        ("MERGE_HEAD", "merge"),
        ("CHERRY_PICK_HEAD", "cherry-pick"),
        ("REVERT_HEAD", "revert"),
    ):
        if (git_dir / file).exists():
            return name
    return None


def detect_operation(repository: Repository, stages: Sequence[Stage]) -> Operation:
    """What git was doing when it stopped; see :meth:`Repository.operation`."""
    ours = repository.resolve("HEAD")
    name = operation_name(repository.git_dir)
    if name == "rebase":
        return _rebase(repository, ours)
    if name == "am":
        return _single(repository, "am", ours, None, None, "the applied patch")
    if name == "merge":
        return _merge(repository, ours)
    if name == "cherry-pick":
        theirs = _head(repository, "CHERRY_PICK_HEAD")
        return _single(repository, name, ours, theirs, _parent(repository, theirs), None)
    if name == "revert":
        # Going back: the base is the commit that is undone, theirs the state before it.
        base = _head(repository, "REVERT_HEAD")
        label = f"parent of {_title(repository, base)}"
        return _single(repository, name, ours, _parent(repository, base), base, label)
    return _stash(repository, ours, stages)


def _merge(repository: Repository, ours: str) -> Operation:
    heads = _OID.findall(_read(repository.git_dir / "MERGE_HEAD"))
    if not heads:
        raise RepositoryError(
            "MERGE_HEAD names no commit", hint="Start again: git merge --abort, then the merge."
        )
    if len(heads) > 1:
        raise RepositoryError(
            f"a merge of {len(heads) + 1} branches at once is in progress",
            hint="Merge one branch after the other: git merge --abort first.",
        )
    theirs = repository.resolve(heads[0])
    bases = repository.merge_bases(ours, theirs)
    if not bases and repository.is_shallow:
        raise repository.no_common_ancestor(ours, theirs)
    label = _merged_branch(_read(repository.git_dir / "MERGE_MSG"))
    if label is None or _OID.fullmatch(label):
        label = branch_name(repository, theirs)
    base = bases[0] if len(bases) == 1 else None
    return Operation(
        name="merge",
        ours=ours,
        theirs=theirs,
        base=base,
        bases=bases,
        labels=ThreeWay(
            base=bases[0][:12] if bases else "empty tree",
            ours=repository.head_name(),
            theirs=label or theirs[:12],
        ),
    )


def _rebase(repository: Repository, ours: str) -> Operation:
    folder = repository.git_dir / "rebase-merge"
    if not folder.is_dir():
        folder = repository.git_dir / "rebase-apply"
    branch = _short(_read(folder / "head-name").strip()) or "detached HEAD"
    onto = _read(folder / "onto").strip()
    onto_name = (branch_name(repository, onto) if onto else None) or onto[:12] or "the new base"
    merge_head = repository.git_dir / "MERGE_HEAD"
    stopped = (
        _read(merge_head).strip()
        if merge_head.exists()
        else _read(folder / "stopped-sha").strip()
        or _read(repository.git_dir / "REBASE_HEAD").strip()
        or _read(folder / "original-commit").strip()
    )
    theirs = repository.resolve(stopped) if stopped else None
    if theirs is not None and merge_head.exists():
        # A merge commit made again (rebase --rebase-merges): here the sides are as in a merge.
        bases = repository.merge_bases(ours, theirs)
        return Operation(
            name="rebase",
            ours=ours,
            theirs=theirs,
            base=bases[0] if len(bases) == 1 else None,
            bases=bases,
            labels=ThreeWay(
                base=bases[0][:12] if bases else "empty tree",
                ours=f"{branch}, rebased onto {onto_name}",
                theirs=branch_name(repository, theirs) or theirs[:12],
            ),
        )
    base = None if theirs is None else _parent(repository, theirs)
    return Operation(
        name="rebase",
        ours=ours,
        theirs=theirs,
        base=base,
        bases=() if base is None else (base,),
        labels=ThreeWay(
            base="parent" if theirs is None else f"parent of {_title(repository, theirs)}",
            ours=onto_name,
            theirs=branch if theirs is None else f"{branch}: {_title(repository, theirs)}",
        ),
        swapped=True,
        base_is_theirs_parent=True,
    )


def _single(
    repository: Repository,
    name: str,
    ours: str,
    theirs: str | None,
    base: str | None,
    label: str | None,
) -> Operation:
    if label is None:
        label = name if theirs is None else _title(repository, theirs)
    return Operation(
        name=name,
        ours=ours,
        theirs=theirs,
        base=base,
        bases=() if base is None else (base,),
        labels=ThreeWay(
            base="base" if base is None else _title(repository, base),
            ours=repository.head_name(),
            theirs=label,
        ),
        base_is_theirs_parent=True,
    )


def _stash(repository: Repository, ours: str, stages: Sequence[Stage]) -> Operation:
    """A popped stash leaves no state file: the stash whose tree has all stages of theirs."""
    for number, oid in enumerate(_stashes(repository)):
        try:
            theirs = repository.resolve(oid)
            if not _explains(repository, theirs, stages):
                continue
            base = _parent(repository, theirs)
        except RepositoryError:
            continue
        return _single(repository, "stash", ours, theirs, base, f"stash@{{{number}}}")
    return _single(repository, "unknown", ours, None, None, "theirs")


def _explains(repository: Repository, commit: str, stages: Sequence[Stage]) -> bool:
    theirs = [stage for stage in stages if stage.stage == 3]
    if not theirs:
        # Only deletions by the stash: its tree must lack the contested paths.
        return bool(stages) and all(
            repository.objects.entry(commit, stage.path) is None for stage in stages
        )
    found = 0
    for stage in theirs:
        entry = repository.objects.entry(commit, stage.path)
        found += entry is not None and entry.oid == stage.oid
    # Renamed paths stand elsewhere in the stash's tree.
    return found * 2 >= len(theirs)


def _stashes(repository: Repository) -> Iterator[str]:
    """Ids of the stashes, newest first."""
    log = _read(repository.common_dir / "logs" / "refs" / "stash").splitlines()
    if log:
        for line in reversed(log):
            parts = line.split(" ", 2)
            if len(parts) > 1 and _OID.fullmatch(parts[1]):
                yield parts[1]
        return
    try:
        yield repository.resolve("refs/stash")
    except RepositoryError:
        return


def branch_name(repository: Repository, commit: str) -> str | None:
    """The shortest name of a branch or tag that points at a commit; local branches first."""
    for prefix in ("refs/heads/", "refs/remotes/", "refs/tags/"):
        names = [
            name.removeprefix(prefix)
            for name in repository.handle.references
            if name.startswith(prefix) and not name.endswith("/HEAD")
            and _points_at(repository, name, commit)
        ]  # fmt: skip
        if names:
            return min(names, key=lambda name: (len(name), name))
    return None


def _points_at(repository: Repository, name: str, commit: str) -> bool:
    try:
        return repository.resolve(name) == commit
    except RepositoryError:
        return False


def _merged_branch(message: str) -> str | None:
    """The branch named in the message that git prepares for a merge."""
    first = message.split("\n", 1)[0]
    match = re.match(r"Merge (?:(?:remote-tracking )?branch|tag|commit) '([^']+)'", first)
    return match[1] if match else None


def _head(repository: Repository, name: str) -> str:
    return repository.resolve(_read(repository.git_dir / name).strip() or name)


def _parent(repository: Repository, commit: str) -> str | None:
    parents = repository.commit(commit).parent_ids
    return repository.resolve(str(parents[0])) if parents else None


def _title(repository: Repository, commit: str) -> str:
    """Short id and subject, as git labels the sides of a cherry-pick."""
    found = repository.commit(commit)
    subject = os.fsdecode(found.raw_message).strip().split("\n", 1)[0]
    subject = subject.encode("utf-8", "replace").decode("utf-8")
    return f"{commit[:9]} ({subject[:60]})"


def _short(reference: str) -> str:
    return reference.removeprefix("refs/heads/")


def _read(file: Path) -> str:
    try:
        return os.fsdecode(file.read_bytes())
    except OSError:
        return ""
