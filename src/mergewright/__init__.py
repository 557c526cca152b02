"""mergewright: a rule-based merge-conflict resolver for long-lived Python branches.

The public library surface is re-exported here lazily (PEP 562), so that ``import mergewright``
and the start of the command stay cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from mergewright.git.repository import Repository as Repository
    from mergewright.model.conflict import Conflict as Conflict
    from mergewright.model.conflict import ConflictKind as ConflictKind
    from mergewright.model.conflict import FileVersion as FileVersion
    from mergewright.model.errors import MergewrightError as MergewrightError
    from mergewright.model.errors import RepositoryError as RepositoryError
    from mergewright.model.errors import RuleFileError as RuleFileError
    from mergewright.model.errors import UsageError as UsageError
    from mergewright.model.merge import Contested as Contested
    from mergewright.model.merge import FileMerge as FileMerge
    from mergewright.model.plan import MergePlan as MergePlan
    from mergewright.model.plan import MergeSource as MergeSource
    from mergewright.model.plan import PathPlan as PathPlan
    from mergewright.model.resolution import Decision as Decision
    from mergewright.model.resolution import Deferred as Deferred
    from mergewright.model.resolution import Evidence as Evidence
    from mergewright.model.resolution import Failed as Failed
    from mergewright.model.resolution import GateResult as GateResult
    from mergewright.model.resolution import Outcome as Outcome
    from mergewright.model.resolution import Resolved as Resolved
    from mergewright.model.threeway import Side as Side
    from mergewright.model.threeway import ThreeWay as ThreeWay
    from mergewright.model.threeway import settle as settle
    from mergewright.workflows.resolving import InMemoryPlan as InMemoryPlan
    from mergewright.workflows.resolving import Settings as Settings
    from mergewright.workflows.resolving import WorktreePlan as WorktreePlan
    from mergewright.workflows.resolving import plan_merge as plan_merge
    from mergewright.workflows.resolving import plan_worktree as plan_worktree
    from mergewright.workflows.texts import merge_texts as merge_texts
    from mergewright.workflows.writing import undo as undo
    from mergewright.workflows.writing import write_plan as write_plan

# module -> the names that it gives to the public face; a test holds them equal to the imports above.
_FACE = {
    "mergewright.git.repository": ("Repository",),
    "mergewright.model.conflict": ("Conflict", "ConflictKind", "FileVersion"),
    "mergewright.model.errors": (
        "MergewrightError",
        "RepositoryError",
        "RuleFileError",
        "UsageError",
    ),
    "mergewright.model.merge": ("Contested", "FileMerge"),
    "mergewright.model.plan": ("MergePlan", "MergeSource", "PathPlan"),
    "mergewright.model.resolution": (
        "Decision",
        "Deferred",
        "Evidence",
        "Failed",
        "GateResult",
        "Outcome",
        "Resolved",
    ),
    "mergewright.model.threeway": ("Side", "ThreeWay", "settle"),
    "mergewright.workflows.resolving": (
        "InMemoryPlan",
        "Settings",
        "WorktreePlan",
        "plan_merge",
        "plan_worktree",
    ),
    "mergewright.workflows.texts": ("merge_texts",),
    "mergewright.workflows.writing": ("undo", "write_plan"),
}
_EXPORTS = {name: module for module, names in _FACE.items() for name in names}

__all__ = [  # noqa: PLE0604 - names come from the table above
    "__version__",
    *_EXPORTS,
]


def __getattr__(name: str) -> Any:
    module = _EXPORTS.get(name)
    if module is None:
        raise AttributeError(f"module 'mergewright' has no attribute {name!r}")
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
