"""What a team may switch in the merges by format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

VersionChoice = Literal["larger", "smaller", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormatOptions:
    """What a team may switch.

    Attributes:
        versions: For a version assignment that both sides moved the same way: keep the larger, the
            smaller, or leave it open.
        pins: The same for a dependency's pin or lower bound.
        golden: ``whole`` leaves a golden-value file to one side as a whole; ``merge`` merges it
            as any other JSON.
        prose: Whether words of one paragraph that both sides edited in different places are
            combined.
        disabled: Names of strategies that settle nothing (:mod:`mergewright.model.strategies`).
    """

    versions: VersionChoice = "larger"
    pins: VersionChoice = "off"
    golden: Literal["whole", "merge"] = "whole"
    prose: bool = False
    disabled: frozenset[str] = frozenset()
