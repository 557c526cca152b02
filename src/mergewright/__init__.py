"""mergewright: a rule-based merge-conflict resolver for long-lived Python branches.

The public library surface is re-exported here lazily (PEP 562), so that ``import mergewright``
and the start of the command stay cheap.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# name -> module that defines it; filled by the packages that offer a public face.
_EXPORTS: dict[str, str] = {
    "ThreeWay": "mergewright.model.threeway",
    "Side": "mergewright.model.threeway",
    "settle": "mergewright.model.threeway",
    "Conflict": "mergewright.model.conflict",
    "ConflictKind": "mergewright.model.conflict",
    "FileVersion": "mergewright.model.conflict",
    "Contested": "mergewright.model.merge",
    "FileMerge": "mergewright.model.merge",
    "Decision": "mergewright.model.resolution",
    "Evidence": "mergewright.model.resolution",
    "Resolved": "mergewright.model.resolution",
    "Deferred": "mergewright.model.resolution",
    "Failed": "mergewright.model.resolution",
    "MergePlan": "mergewright.model.plan",
    "PathPlan": "mergewright.model.plan",
}

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
