"""Tools for spans."""

import bisect
from dataclasses import dataclass


@dataclass
class Span:
    start: int
    end: int

    def find(self, points):
        return bisect.bisect(points, self.start)
