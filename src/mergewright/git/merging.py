"""Merges two commits in memory: nothing is written to the repository, nothing of it is run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Literal, Self

import pygit2

from mergewright.git.grouping import EngineMessage, Grouper, Stage, case_clashes
from mergewright.git.process import (
    MERGE_TREE_VERSION,
    failure,
    git_version,
    has_merge_tree,
    run_git,
)
from mergewright.git.regrouping import conflict_text, regroup
from mergewright.git.repository import Repository, index_stages
from mergewright.git.scratch import Scratch
from mergewright.git.trees import MODE_DIRECTORY, Objects, TreeEntry
from mergewright.model.conflict import MODE_SUBMODULE, Conflict
from mergewright.model.errors import RepositoryError, UsageError
from mergewright.model.plan import MergeSource
from mergewright.model.threeway import Side, ThreeWay

Engine = Literal["auto", "git", "libgit2"]

#: Names as they stand in :attr:`MergeSource.engine`.
GIT_ENGINE = "git merge-tree"
LIBGIT2_ENGINE = "libgit2"

# The user's settings that decide what git's merge finds; all other configuration is left out.
_SETTINGS = (
    "merge.renames",
    "diff.renames",
    "merge.renameLimit",
    "diff.renameLimit",
    "merge.directoryRenames",
    "merge.renormalize",
    "core.autocrlf",
    "core.eol",
    "core.ignoreCase",
)


@dataclass(eq=False, kw_only=True)
class InMemoryMerge:
    """A merge of two commits whose objects live in a scratch store.

    Use it as a context manager, or call :meth:`close`: the scratch folder goes with it.

    Attributes:
        source: What is merged; its ``engine`` is the engine that decided.
        conflicts: The contested paths, sorted.
        bases: Full ids of all merge bases, newest first; several for a criss-cross history.
        tree: Id (in :attr:`objects`) of the merged tree; contested paths hold git's own text with
            conflict markers, or one side's version where git writes that.
        stages: The unmerged entries as the engine gave them.
        messages: What the engine said.
        notes: What a reader should know about the engine's limits.
    """

    source: MergeSource
    conflicts: tuple[Conflict, ...]
    bases: tuple[str, ...]
    tree: str
    stages: tuple[Stage, ...]
    messages: tuple[EngineMessage, ...] = ()
    notes: tuple[str, ...] = ()
    scratch: Scratch = field(repr=False)

    @property
    def objects(self) -> Objects:
        """Read access to the repository's objects and to those that the merge made."""
        return self.scratch.objects

    @property
    def contested_paths(self) -> frozenset[str]:
        """All index paths with unmerged stages."""
        return frozenset(stage.path for stage in self.stages)

    def entries(self) -> dict[str, TreeEntry]:
        """All files of the merged tree by path, contested ones with git's own text."""
        return self.objects.entries(self.tree)

    def clean_entries(self) -> dict[str, TreeEntry]:
        """The files that merged cleanly, by path."""
        contested = self.contested_paths
        return {path: e for path, e in self.entries().items() if path not in contested}

    def read(self, path: str) -> bytes | None:
        """The merged bytes of a path; ``None`` when it is not in the merged tree."""
        entry = self.objects.entry(self.tree, path)
        return None if entry is None or not entry.is_blob else self.objects.blob(entry.oid)

    def tree_with(self, changes: Mapping[str, tuple[int, bytes] | None]) -> str:
        """A tree like :attr:`tree` with some paths replaced, kept in the scratch store.

        Args:
            changes: Path to mode and content (of a submodule, the commit's id); ``None`` removes
                the path.

        Returns:
            The id of the new tree, readable through :attr:`objects`.

        Raises:
            UsageError: A file would take the place of a folder that holds files.
        """
        return replace_paths(self.scratch, self.tree, changes)

    def case_clashes(self) -> tuple[Conflict, ...]:
        """Paths that merged cleanly and differ only in upper and lower case, one of each side."""
        base = self.bases[0] if self.bases else None
        commits = self.source.commits
        trees = ThreeWay(base=base, ours=commits.ours, theirs=commits.theirs)
        return case_clashes(self.objects, trees, self.entries(), self.contested_paths)

    def close(self) -> None:
        """Throw the scratch store away."""
        self.scratch.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def merge_commits(
    repository: Repository,
    ours: str,
    theirs: str,
    *,
    engine: Engine = "auto",
    base: str | None = None,
    labels: ThreeWay[str] | None = None,
    attributes: bool = True,
    allow_unrelated: bool = False,
    style: Literal["merge", "diff3", "zdiff3"] = "merge",
    beside: Callable[[], None] | None = None,
) -> InMemoryMerge:
    """Merge two commits in memory, as ``git merge`` would with ours checked out.

    Args:
        repository: Where the commits are.
        ours: The commit merged into: a full id or any revision.
        theirs: The commit that is merged.
        engine: ``git`` runs ``git merge-tree``, ``libgit2`` needs no git, ``auto`` takes git when
            it is there and new enough.
        base: Merge as if this were the only merge base (a cherry-pick, a revert).
        labels: How the sides are called; by default the revisions as given.
        attributes: Obey the attribute files of ours and of the repository (``merge=union``,
            ``-merge`` …), as in a worktree. Custom merge drivers are never run.
        allow_unrelated: Merge also commits without a common ancestor, from an empty base.
        style: The style of the conflict markers in the merged tree (git's engine only).
        beside: Called once while git merges.

    Raises:
        RepositoryError: A revision is not there, objects are missing, there is no common
            ancestor, or git failed.
        UsageError: ``engine`` is ``git`` and no git of version 2.38 or later is there.
    """
    tips = ThreeWay(
        base=None if base is None else repository.resolve(base),
        ours=repository.resolve(ours),
        theirs=repository.resolve(theirs),
    )
    assert tips.ours is not None
    assert tips.theirs is not None
    use_git = engine == "git" or (engine == "auto" and has_merge_tree())
    if engine == "git" and not has_merge_tree():
        raise UsageError(
            f"git {'.'.join(map(str, MERGE_TREE_VERSION))} or later is needed for this engine, "
            f"found: {git_version() or 'none'}"
        )
    if tips.base is not None:
        bases: tuple[str, ...] = (tips.base,)
    else:
        bases = repository.merge_bases(tips.ours, tips.theirs)
        if not bases and not allow_unrelated:
            raise repository.no_common_ancestor(tips.ours, tips.theirs)
    scratch = Scratch(
        repository.objects_dir,
        shallow=repository.common_dir / "shallow",
        attributes=_attribute_files(repository, tips.ours) if attributes else None,
    )
    try:
        if attributes:
            scratch.add_info_attributes(repository.common_dir / "info" / "attributes")
        run = _merge_with_git if use_git else _merge_with_libgit2
        merged = run(
            repository,
            scratch,
            tips.ours,
            tips.theirs,
            base=tips.base,
            bases=bases,
            style=style,
            beside=beside,
        )
        only_base = bases[0] if len(bases) == 1 else None
        grouper = Grouper(
            scratch.objects,
            ThreeWay(base=bases[0] if bases else None, ours=tips.ours, theirs=tips.theirs),
            merged.messages,
            bases,
        )
        conflicts = grouper.conflicts(merged.stages)
    except BaseException:
        scratch.close()
        raise
    return InMemoryMerge(
        source=MergeSource(
            operation="in-memory",
            commits=ThreeWay(base=only_base, ours=tips.ours, theirs=tips.theirs),
            labels=labels or ThreeWay(base=base or "base", ours=ours, theirs=theirs),
            engine=GIT_ENGINE if use_git else LIBGIT2_ENGINE,
        ),
        conflicts=conflicts,
        bases=bases,
        tree=merged.tree,
        stages=merged.stages,
        messages=merged.messages,
        notes=merged.notes,
        scratch=scratch,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Merged:
    tree: str
    stages: tuple[Stage, ...]
    messages: tuple[EngineMessage, ...] = ()
    notes: tuple[str, ...] = ()


def _merge_with_git(
    repository: Repository,
    scratch: Scratch,
    ours: str,
    theirs: str,
    *,
    base: str | None,
    bases: Sequence[str],  # noqa: ARG001 - git finds them itself
    style: str,
    beside: Callable[[], None] | None,
) -> _Merged:
    if base is not None:
        # Commits made up for the purpose: the only way that every version knows.
        root = scratch.commit(scratch.objects.tree_id(base), ())
        ours = scratch.commit(scratch.objects.tree_id(ours), (root,))
        theirs = scratch.commit(scratch.objects.tree_id(theirs), (root,))
    scratch.point("ours", ours)
    scratch.point("theirs", theirs)
    settings = []
    for name, value in (repository.settings(_SETTINGS) | {"merge.conflictStyle": style}).items():
        settings += ["-c", f"{name}={value}"]
    done = run_git(
        [
            *settings,
            "merge-tree",
            "--write-tree",
            "-z",
            "--messages",
            "--allow-unrelated-histories",
            "ours",
            "theirs",
        ],
        cwd=scratch.worktree or scratch.git_dir,
        name="merge-tree",
        statuses=(0, 1),
        extra=scratch.environment,
        beside=beside,
    )
    return parse_merge_tree(done.stdout)


def parse_merge_tree(output: bytes) -> _Merged:
    """Read what ``git merge-tree --write-tree -z --messages`` writes.

    Raises:
        RepositoryError: It is not of that form.
    """
    fields = output.split(b"\0")
    try:
        tree = fields[0].decode("ascii")
        position = 1
        stages = []
        while position < len(fields) and fields[position]:
            info, path = fields[position].split(b"\t", 1)
            mode, oid, stage = info.split(b" ")
            stages.append(Stage(os.fsdecode(path), int(stage), int(mode, 8), oid.decode("ascii")))
            position += 1
        position += 1
        messages = []
        # Advice without a form of its own may follow the messages (submodules).
        while position < len(fields) and fields[position].isdigit():
            count = int(fields[position])
            paths = fields[position + 1 : position + 1 + count]
            kind, text = fields[position + 1 + count : position + 3 + count]
            messages.append(
                EngineMessage(
                    tuple(os.fsdecode(path) for path in paths),
                    kind.decode(errors="replace"),
                    text.decode(errors="replace").strip(),
                )
            )
            position += 3 + count
    except (ValueError, IndexError, UnicodeDecodeError) as error:
        raise RepositoryError(f"the answer of git merge-tree cannot be read: {error}") from error
    return _Merged(tree=tree, stages=tuple(stages), messages=tuple(messages))


def _merge_with_libgit2(
    repository: Repository,
    scratch: Scratch,
    ours: str,
    theirs: str,
    *,
    base: str | None,
    bases: Sequence[str],
    style: str,  # noqa: ARG001 - pygit2 knows one style
    beside: Callable[[], None] | None,
) -> _Merged:
    if beside is not None:
        beside()
    handle = scratch.handle
    notes = []
    tree_ids = [scratch.objects.tree_id(commit) for commit in (ours, theirs)]
    if base is not None:
        root = scratch.objects.tree_id(base)
    elif bases:
        root = scratch.objects.tree_id(bases[0])
    else:
        root = str(handle.TreeBuilder().write())
    try:
        if base is not None or not bases:
            ancestor, left, right = (pygit2.Oid(hex=oid) for oid in (root, *tree_ids))
            index = handle.merge_trees(ancestor, left, right)
        else:
            index = handle.merge_commits(pygit2.Oid(hex=ours), pygit2.Oid(hex=theirs))
    except (pygit2.GitError, KeyError, ValueError) as error:
        raise failure(f"libgit2 cannot merge the commits: {error}") from error
    if len(bases) > 1:
        notes.append("several merge bases: libgit2's own virtual base was used")
    found = regroup(
        scratch,
        index_stages(index),
        ThreeWay(base=root, ours=tree_ids[0], theirs=tree_ids[1]),
        directory_renames=repository.settings(["merge.directoryRenames"])
        .get("merge.directoryRenames", "conflict")
        .lower(),
    )
    for path in {stage.path for stage in index_stages(index)}:
        del index.conflicts[path]
    clean = str(index.write_tree(handle))
    changes: dict[str, tuple[int, bytes] | None] = {
        path: conflict_text(scratch, triple) for path, triple in found.triples.items()
    }
    for path, entry in found.settled.items():
        if path not in changes:
            changes[path] = None if entry is None else (entry[0], _content(scratch, *entry))
    numbers = {Side.BASE: 1, Side.OURS: 2, Side.THEIRS: 3}
    return _Merged(
        tree=replace_paths(scratch, clean, changes),
        stages=tuple(
            Stage(path, numbers[side], entry.mode, entry.oid)
            for path, triple in sorted(found.triples.items())
            for side, entry in triple.items()
        ),
        messages=tuple(found.messages),
        notes=tuple(notes),
    )


def _content(scratch: Scratch, mode: int, oid: str) -> bytes:
    return oid.encode("ascii") if mode == MODE_SUBMODULE else scratch.objects.blob(oid)


def replace_paths(
    scratch: Scratch, tree: str, changes: Mapping[str, tuple[int, bytes] | None]
) -> str:
    """A tree with some files replaced, written to the scratch store.

    Args:
        scratch: The store to write to.
        tree: Id of the tree to start from.
        changes: Path to mode and content; ``None`` removes the path.
    """
    nested: dict[bytes, object] = {}
    for path, value in changes.items():
        *folders, name = os.fsencode(path).split(b"/")
        level = nested
        for folder in folders:
            child = level.get(folder)
            if child is None:
                # Not there yet, or a file that goes: the folder takes its place.
                child = level[folder] = {}
            if not isinstance(child, dict):
                raise UsageError(f"{path!r} lies below another changed path")
            level = child
        if not isinstance(level.get(name), dict):
            level[name] = value
        elif value is not None:
            raise UsageError(f"{path!r} is a folder of other changed paths")
    return _write_level(scratch, tree, nested) or str(scratch.handle.TreeBuilder().write())


def _write_level(scratch: Scratch, tree: str | None, changes: Mapping[bytes, object]) -> str | None:
    level = {} if tree is None else {n: (m, o) for n, m, o in scratch.objects.level(tree)}
    for name, change in changes.items():
        old = level.get(name)
        is_folder = old is not None and old[0] == MODE_DIRECTORY
        if isinstance(change, dict):
            below = old[1] if old is not None and is_folder else None
            child = _write_level(scratch, below, change)
            level.pop(name, None)
            if child is not None:
                level[name] = (MODE_DIRECTORY, child)
        elif isinstance(change, tuple):
            if is_folder:
                raise UsageError(f"{os.fsdecode(name)!r} is a folder that holds files")
            mode, data = change
            oid = data.decode("ascii") if mode == MODE_SUBMODULE else scratch.write_blob(data)
            level[name] = (mode, oid)
        elif not is_folder:
            # A folder of the name of a removed file is another thing.
            level.pop(name, None)
    return scratch.write_tree(level) if level else None


def _attribute_files(repository: Repository, commit: str) -> dict[str, bytes]:
    """The attribute files of a commit, by path; symbolic links are no attribute files to git."""
    found = {}
    for path, entry in repository.objects.entries(commit).items():
        if not path.endswith(".gitattributes") or entry.mode not in (0o100644, 0o100755):
            continue
        parts = path.split("/")
        # A damaged or hostile tree may hold such names; they would lead out of the folder.
        unsafe = any(part in ("..", ".", "") or part.lower() == ".git" for part in parts)
        if parts[-1] == ".gitattributes" and not unsafe:
            found[path] = repository.objects.blob(entry.oid)
    return found
