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
from mergewright.model.resolution import Deferred, PathOutcome
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.engines import PYTHON_SUFFIXES
from mergewright.resolve.moves import Context, follow
from mergewright.resolve.planning import Spread, serially
from mergewright.resolve.sweeps import Renamings, carry, mended, old_names
from mergewright.rules.book import RuleBook
from mergewright.rules.steps import StepEdit
from mergewright.rules.trees import Tree
from mergewright.workflows.policies import GitTree, merged_tree, with_edits

#: The cleanly merged files by path; asked only when they are needed.
Merged = Callable[[], Mapping[str, TreeEntry]]


def follow_moves(
    plan: MergePlan,
    repository: Repository,
    objects: Objects,
    merged: Merged,
    resolve: Callable[[Conflict], PathOutcome],
    book: RuleBook,
    spread: Spread = serially,
) -> MergePlan:
    """Carry edits to the files that their definitions were moved to by the other side.

    Args:
        plan: The plan so far; with nothing Python left open it is given back as it is.
        repository: Where the history is.
        objects: Where the trees are.
        merged: The cleanly merged files.
        resolve: Decides one conflict, as it was done for the plan.
        book: The rules: files that they speak for take no edits, strategies may be off.
        spread: Looks at many paths, perhaps in several processes.

    Raises:
        RepositoryError: An object is missing.
    """
    sides = _sides(plan)
    if sides is None:
        return plan
    if not any(
        isinstance(entry.outcome, Deferred)
        and entry.conflict is not None
        and entry.path.endswith(PYTHON_SUFFIXES)
        for entry in plan.paths
    ):
        return plan
    context = Context(
        sides=_trees(objects, sides),
        merged=merged_tree(plan, objects, merged()),
        resolve=resolve,
        commit=_Movers(repository, objects, sides).find,
        fixed=lambda path: book.for_path(path) is not None,
        off=lambda path: "follow-move" in book.disabled(path),
        spread=spread,
    )
    paths, edits = follow(plan, context)
    steps = [
        StepEdit(path=edit.path, mode=edit.mode, data=edit.data, decisions=edit.decisions)
        for edit in edits
    ]
    return replace(plan, paths=with_edits(paths, steps))


def _sides(plan: MergePlan) -> ThreeWay[str] | None:
    """The three commits of a merge that has them all."""
    base, ours, theirs = plan.source.commits
    if base is None or ours is None or theirs is None:
        return None
    return ThreeWay(base=base, ours=ours, theirs=theirs)


def _trees(objects: Objects, sides: ThreeWay[str]) -> ThreeWay[Tree]:
    return sides.map(lambda commit: GitTree(objects, objects.entries(commit)))


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


def carry_renamings(
    plan: MergePlan,
    objects: Objects,
    merged: Merged,
    resolve: Callable[[Conflict], PathOutcome],
    book: RuleBook,
    spread: Spread = serially,
) -> MergePlan:
    """Carry names that one side changed in the whole tree into the other side's contested text.

    Args:
        plan: The plan so far; without a contested Python file it is given back as it is.
        objects: Where the trees are.
        merged: The cleanly merged files.
        resolve: Decides one conflict, as it was done for the plan.
        book: The rules; ``engine: {sweeps: everywhere}`` changes files that merged cleanly, too.
        spread: Looks at many paths, perhaps in several processes.

    Returns:
        The plan; its notes name old names that are left in files that merged cleanly.

    Raises:
        RepositoryError: An object is missing.
    """
    sides = _sides(plan)
    if sides is None:
        return plan
    if not any(entry.conflict and entry.path.endswith(PYTHON_SUFFIXES) for entry in plan.paths):
        return plan
    found = Renamings(_trees(objects, sides))
    paths = carry(
        plan, found, resolve, off=lambda path: "sweep" in book.disabled(path), spread=spread
    )
    tree = GitTree(objects, merged())
    steps: dict[str, StepEdit] = {}
    notes: list[str] = []
    contested = {name for entry in paths for name in (entry.path, *_related(entry.conflict))}
    for name in old_names(tree, found, contested):
        mode, _ = tree.entries()[name.path]
        edit = None
        if book.sweeps_everywhere and "sweep" not in book.disabled(name.path):
            before = steps[name.path].data if name.path in steps else tree.read(name.path)
            edit = None if book.for_path(name.path) or before is None else mended(name, before)
        if edit is None:
            notes.append(str(name))
            continue
        data, decision = edit
        earlier = steps[name.path].decisions if name.path in steps else ()
        steps[name.path] = StepEdit(
            path=name.path, mode=mode, data=data, decisions=(*earlier, decision)
        )
    return replace(plan, paths=with_edits(paths, list(steps.values())), notes=(*plan.notes, *notes))


def _related(conflict: Conflict | None) -> tuple[str, ...]:
    return () if conflict is None else conflict.related
