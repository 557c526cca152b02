"""Trees of the object store as the rules see them, and the merged tree of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from mergewright.git.trees import Objects, TreeEntry
from mergewright.model.conflict import MODE_SUBMODULE
from mergewright.model.plan import MergePlan
from mergewright.model.resolution import Deferred, Resolved
from mergewright.rules.trees import Overlay


@dataclass(frozen=True)
class GitTree:
    """A tree of the object store, as the rules see it.

    Attributes:
        objects: Where the blobs are.
        files: The files by path.
    """

    objects: Objects
    files: Mapping[str, TreeEntry]
    _read: dict[str, bytes] = field(default_factory=dict, repr=False)

    @cached_property
    def _entries(self) -> Mapping[str, tuple[int, str]]:
        return {path: (entry.mode, entry.oid) for path, entry in self.files.items()}

    def entries(self) -> Mapping[str, tuple[int, str]]:
        """Mode and object id of each path."""
        return self._entries

    def read(self, path: str) -> bytes | None:
        """The bytes of a path; ``None`` for a submodule and where there is none."""
        entry = self.files.get(path)
        if entry is None or entry.mode == MODE_SUBMODULE:
            return None
        if path not in self._read:
            self._read[path] = self.objects.blob(entry.oid)
        return self._read[path]


def merged_tree(plan: MergePlan, objects: Objects, merged: Mapping[str, TreeEntry]) -> Overlay:
    """The merged tree with what a plan settled; open paths hold their text with markers.

    Args:
        plan: The plan.
        objects: Where the blobs are.
        merged: The cleanly merged files by path.
    """
    tree = Overlay(GitTree(objects, merged))
    for entry in plan.paths:
        outcome = entry.outcome
        if isinstance(outcome, Resolved):
            tree.changes.update(dict.fromkeys(outcome.drop))
            if outcome.oid is None:
                tree.changes[outcome.path] = (
                    None if outcome.data is None else (outcome.mode, outcome.data)
                )
        elif isinstance(outcome, Deferred) and outcome.data is not None:
            tree.changes[outcome.path] = (outcome.mode, outcome.data)
        elif entry.conflict is not None:
            # An open path is there in some form: nothing may take it for a missing file.
            present = next(
                (v for v in (entry.conflict.versions.ours, entry.conflict.versions.theirs) if v),
                None,
            )
            if present is not None and outcome.path not in merged:
                tree.changes[outcome.path] = (present.mode, present.data)
    return tree
