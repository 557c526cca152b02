"""Three versions of one thing, and what follows from comparing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

T = TypeVar("T")
U = TypeVar("U")


class Side(StrEnum):
    """Which version an answer comes from."""

    BASE = "base"
    OURS = "ours"
    THEIRS = "theirs"
    #: Parts of both sides: combined, united, or merged again from a newer base.
    BOTH = "both"
    #: Text of neither side: written by a rule (a rename, a substitution).
    NEITHER = "neither"

    @property
    def other(self) -> Side:
        """The opposite side of ours or theirs; every other value is its own opposite."""
        return {Side.OURS: Side.THEIRS, Side.THEIRS: Side.OURS}.get(self, self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreeWay(Generic[T]):
    """Base, ours and theirs, always in this order.

    In a sync of main into dev, ours is dev (the branch merged into) and theirs is main.
    """

    base: T
    ours: T
    theirs: T

    def __iter__(self) -> Iterator[T]:
        yield self.base
        yield self.ours
        yield self.theirs

    def map(self, function: Callable[[T], U]) -> ThreeWay[U]:
        """The same function applied to each version."""
        return ThreeWay(
            base=function(self.base), ours=function(self.ours), theirs=function(self.theirs)
        )

    def get(self, side: Side) -> T:
        """The version of one side.

        Raises:
            ValueError: ``side`` names no single version.
        """
        if side is Side.OURS:
            return self.ours
        if side is Side.THEIRS:
            return self.theirs
        if side is Side.BASE:
            return self.base
        raise ValueError(f"{side.value!r} names no single version")

    def swapped(self) -> ThreeWay[T]:
        """Ours and theirs exchanged."""
        return ThreeWay(base=self.base, ours=self.theirs, theirs=self.ours)


def _identity(value: object) -> object:
    return value


def settle(versions: ThreeWay[T], key: Callable[[T], object] = _identity) -> Side | None:
    """The side that holds the answer when at most one side changed, by ``key``.

    Both equal: ours (the layout of ours is kept). One side equal to base: the other side.
    Both changed differently: ``None``, the thing is contested.
    """
    base, ours, theirs = key(versions.base), key(versions.ours), key(versions.theirs)
    if ours == theirs:
        return Side.OURS
    if base == ours:
        return Side.THEIRS
    if base == theirs:
        return Side.OURS
    return None
