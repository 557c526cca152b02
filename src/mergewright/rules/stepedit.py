"""A file that a step changed, apart from the steps: most merges have no rules that need them."""

from __future__ import annotations

from dataclasses import dataclass

from mergewright.model.merge import FileMerge
from mergewright.model.resolution import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class StepEdit:
    """A file that the steps changed.

    Attributes:
        path: The file.
        mode: Its mode.
        data: Its new bytes.
        decisions: What was done and why, one entry a rule and thing.
        merge: For a file with open places, what became of it; ``data`` has ours' lines at them.
        survivors: For each place of ``merge`` that is open, its number among those before.
    """

    path: str
    mode: int
    data: bytes
    decisions: tuple[Decision, ...]
    merge: FileMerge | None = None
    survivors: tuple[int, ...] = ()
