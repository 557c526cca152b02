"""What needs the whole merge: edits that follow a definition into another file, names changed everywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from mergewright.git.commits import walk
from mergewright.git.repository import Repository
from mergewright.git.trees import Objects, TreeEntry
from mergewright.model.conflict import Conflict
from mergewright.model.errors import RepositoryError
from mergewright.model.history import CommitFacts
from mergewright.model.plan import MergePlan
from mergewright.model.resolution import Decision, Deferred, PathOutcome, Resolved
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.engines import PYTHON_SUFFIXES
from mergewright.resolve.moves import Context, Finder, follow
from mergewright.resolve.sweeps import (
    OldName,
    Renamings,
    Words,
    again,
    carry,
    may_carry,
    mended,
    old_names,
)
from mergewright.rules.book import RuleBook
from mergewright.rules.stepedit import StepEdit
from mergewright.rules.trees import Tree
from mergewright.workflows.edits import with_edits
from mergewright.workflows.gittrees import GitTree, merged_tree

#: The cleanly merged files by path; asked only when they are needed.
Merged = Callable[[], Mapping[str, TreeEntry]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """What was found for a contested path beside its decision.

    Attributes:
        movers: The sides that moved something out of it to other files; ``None``: not looked for.
        carried: Whether the renamings of the sides were carried into it.
        made: The outcome with them, where something came of it.
    """

    movers: tuple[Side, ...] | None = None
    carried: bool = False
    made: Resolved | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What is read of all files that a side changed before paths are looked at.

    Attributes:
        gains: Names that each file defines more often than before.
        words: What became of the words; ``None`` where nobody asks for it.
    """

    gains: dict[str, set[bytes]]
    words: Words | None


class CrossFile:
    """Edits that follow a definition, and names changed everywhere, in one merge.

    :meth:`read` and :meth:`look` change nothing that the answers depend on: they may be asked ahead, in
    other processes, and what they give is told by :meth:`keep_read` and :meth:`keep`. Without that, all is
    found out when it is needed.

    Args:
        repository: Where the history is.
        objects: Where the trees are.
        commits: What is merged.
        merged: The cleanly merged files.
        resolve: Decides one conflict, as it was done for the plan.
        book: The rules: files that they speak for take no edits, strategies may be off;
            ``engine: {sweeps: everywhere}`` changes files that merged cleanly, too.
    """

    def __init__(
        self,
        repository: Repository,
        objects: Objects,
        commits: ThreeWay[str],
        merged: Merged,
        resolve: Callable[[Conflict], PathOutcome],
        book: RuleBook,
    ) -> None:
        self._repository = repository
        self._objects = objects
        self._commits = commits
        self._merged = merged
        self._resolve = resolve
        self._book = book
        self._sweeps = book.engine_options().sweeps
        sides: ThreeWay[Tree] = commits.map(lambda oid: GitTree(objects, objects.entries(oid)))
        self._sides = sides
        self._finder = Finder(sides)
        self._renamings = Renamings(sides)
        self._looked: dict[int, Looked] = {}
        self._old: dict[Side, list[OldName]] = {}

    # -- ahead ---------------------------------------------------------------------------------

    def read(self, side: Side) -> Read:
        """What :meth:`look` needs of a side, to be read ahead."""
        words = self._renamings.words(side) if self._sweeps else None
        return Read(gains=self._finder.gain(side), words=words)

    def keep_read(self, side: Side, found: Read) -> None:
        """What :meth:`read` gave."""
        self._finder.gains[side] = found.gains
        if found.words is not None:
            self._renamings.read[side] = found.words

    def look(self, conflict: Conflict, outcome: PathOutcome) -> Looked:
        """Look at a path whose outcome was just found."""
        movers, carried, made = None, False, None
        if isinstance(outcome, Deferred) and not self._off("follow-move", conflict.path):
            movers = tuple(
                side
                for side in (Side.OURS, Side.THEIRS)
                if self._finder.find(conflict, side) is not None
            )
        if self._sweeps and may_carry(conflict, outcome) and not self._off("sweep", outcome.path):
            carried, made = True, again(conflict, self._renamings, self._resolve)
        return Looked(movers=movers, carried=carried, made=made)

    def keep(self, conflict: Conflict, looked: Looked) -> None:
        """What :meth:`look` gave for a path; the conflict must live as long as this."""
        self._looked[id(conflict)] = looked

    def sides(self) -> list[Side]:
        """The sides whose old names may be looked for ahead."""
        return [Side.OURS, Side.THEIRS] if self._sweeps else []

    def old_names(self, side: Side) -> list[OldName]:
        """Old names of a side in files that merged cleanly, or that are contested."""
        return list(old_names(GitTree(self._objects, self._merged()), self._renamings, side))

    def keep_old_names(self, side: Side, found: list[OldName]) -> None:
        """What :meth:`old_names` gave."""
        self._old[side] = found

    def _off(self, strategy: str, path: str) -> bool:
        return strategy in self._book.disabled(path)

    # -- the plan ------------------------------------------------------------------------------

    def follow_moves(self, plan: MergePlan) -> MergePlan:
        """Carry edits to the files that their definitions were moved to by the other side.

        Args:
            plan: The plan so far; with nothing Python left open it is given back as it is.

        Raises:
            RepositoryError: An object is missing.
        """
        if not any(
            isinstance(entry.outcome, Deferred)
            and entry.conflict is not None
            and entry.path.endswith(PYTHON_SUFFIXES)
            for entry in plan.paths
        ):
            return plan
        context = Context(
            sides=self._sides,
            merged=merged_tree(plan, self._objects, self._merged()),
            resolve=self._resolve,
            commit=_Movers(self._repository, self._objects, self._commits).find,
            fixed=lambda path: self._book.for_path(path) is not None,
            off=lambda path: self._off("follow-move", path),
            finder=self._finder,
            movers=lambda conflict: self._looked.get(id(conflict), Looked()).movers,
        )
        paths, edits = follow(plan, context)
        if not edits:
            return replace(plan, paths=paths)
        steps = [
            StepEdit(path=edit.path, mode=edit.mode, data=edit.data, decisions=edit.decisions)
            for edit in edits
        ]
        return replace(plan, paths=with_edits(paths, steps))

    def carry_renamings(self, plan: MergePlan) -> MergePlan:
        """Carry names that one side changed in the whole tree into the other side's contested text.

        Args:
            plan: The plan so far; without a contested Python file it is given back as it is.

        Returns:
            The plan; its notes name old names that are left in files that merged cleanly.

        Raises:
            RepositoryError: An object is missing.
        """
        if not self._sweeps or not any(
            entry.conflict and entry.path.endswith(PYTHON_SUFFIXES) for entry in plan.paths
        ):
            return plan

        def known(conflict: Conflict) -> tuple[bool, Resolved | None]:
            looked = self._looked.get(id(conflict), Looked())
            return looked.carried, looked.made

        paths = carry(
            plan,
            self._renamings,
            self._resolve,
            off=lambda path: self._off("sweep", path),
            known=known,
        )
        tree = GitTree(self._objects, self._merged())
        edits: dict[str, tuple[bytes, tuple[Decision, ...]]] = {}
        notes: list[str] = []
        contested = {name for entry in paths for name in (entry.path, *_related(entry.conflict))}
        for side in (Side.OURS, Side.THEIRS):
            found = self._old[side] if side in self._old else self.old_names(side)
            for name in found:
                if name.path in contested:
                    continue
                before, earlier = edits.get(name.path, (tree.read(name.path), ()))
                edit = self._mended(name, before)
                if edit is None:
                    notes.append(str(name))
                else:
                    edits[name.path] = edit[0], (*earlier, edit[1])
        plan = replace(plan, paths=paths, notes=(*plan.notes, *notes))
        if not edits:
            return plan
        steps = [
            StepEdit(path=path, mode=tree.entries()[path][0], data=data, decisions=decisions)
            for path, (data, decisions) in edits.items()
        ]
        return replace(plan, paths=with_edits(paths, steps))

    def _mended(self, name: OldName, before: bytes | None) -> tuple[bytes, Decision] | None:
        """A file that merged cleanly with the new name, where the rules want that."""
        if not self._book.sweeps_everywhere or self._off("sweep", name.path):
            return None
        if before is None or self._book.for_path(name.path):
            return None
        return mended(name, before, self._renamings)


def whole_commits(commits: ThreeWay[str | None]) -> ThreeWay[str] | None:
    """The three commits of a merge that has them all."""
    base, ours, theirs = commits
    if base is None or ours is None or theirs is None:
        return None
    return ThreeWay(base=base, ours=ours, theirs=theirs)


@dataclass(frozen=True, slots=True, eq=False)
class _Movers:
    """Finds the commits that moved definitions."""

    repository: Repository
    objects: Objects
    commits: ThreeWay[str]

    def find(self, side: Side, old: str, new: str, name: str) -> tuple[str, str] | None:
        """The newest commit of a side that touches both files and brought the definition to the new one.

        A commit that only brought it there counts where none touches both.
        """
        pattern = re.compile(rb"\b(?:def|class)\s+" + re.escape(name.encode()) + rb"\b")
        brought = []
        for commit in self._touching(side, new):
            for change in commit.changes:
                if change.path != new or change.new_oid is None:
                    continue
                before = 0 if change.old_oid is None else self._count(pattern, change.old_oid)
                if self._count(pattern, change.new_oid) > before:
                    brought.append(commit)
        for commit in brought:
            if any(old in (change.path, change.old_path) for change in commit.changes):
                return commit.oid, commit.title
        return (brought[0].oid, brought[0].title) if brought else None

    def _touching(self, side: Side, path: str) -> tuple[CommitFacts, ...]:
        """Commits of one side that touch a path, newest first; empty where history is cut off."""
        try:
            return walk(
                self.repository,
                [self.commits.get(side)],
                hide=[self.commits.base, self.commits.get(side.other)],
                paths=[path],
            )
        except RepositoryError:
            return ()

    def _count(self, pattern: re.Pattern[bytes], oid: str) -> int:
        try:
            return len(pattern.findall(self.objects.blob(oid)))
        except RepositoryError:
            return 0


def _related(conflict: Conflict | None) -> tuple[str, ...]:
    return () if conflict is None else conflict.related
