"""Tools for spans."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Span:
    start: int
    end: int
