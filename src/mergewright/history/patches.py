"""What a commit changed, as counted pieces without position: patch ids, chains, likeness."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

from mergewright.text.lines import common_ends

# Below this many telling pieces an equal change may be chance (a version bump, an added import).
MIN_TELLING = 4


@dataclass(frozen=True)
class Profile:
    """A change: the lines that it added and removed, layout-free, each with its count.

    Lines that stand in both (moved ones) cancel out.
    """

    added: Counter[bytes]
    removed: Counter[bytes]

    @cached_property
    def size(self) -> int:
        """Number of added and removed lines."""
        return sum(self.added.values()) + sum(self.removed.values())

    @property
    def empty(self) -> bool:
        """Whether nothing is left of the change."""
        return not self.added and not self.removed

    @cached_property
    def patch_id(self) -> str:
        """Equal for equal changes wherever they stand; not git's own patch-id."""
        digest = hashlib.blake2b(digest_size=16)
        for sign, lines in ((b"+", self.added), (b"-", self.removed)):
            for line in sorted(lines):
                digest.update(b"%s%d %s\n" % (sign, lines[line], line))
        return digest.hexdigest()


_SPACES = b" \t\r\n\f()[]{}\\"
_QUOTES = bytes.maketrans(b"'", b'"')
_TELLING = re.compile(rb"[0-9A-Za-z]")
_MIN_LINE = 3


def normal_line(line: bytes) -> bytes:
    """A line without white space, brackets, quote style and a trailing comma."""
    return line.translate(_QUOTES, _SPACES).rstrip(b",:")


# So many lines are looked for one by one sooner than a whole text is taken apart.
_FEW = 8


def _normal_lines(lines: Iterable[bytes]) -> dict[bytes, bytes]:
    """The lines that say something, each to its normal form."""
    return {
        line: normal
        for line in lines
        if len(normal := normal_line(line)) >= _MIN_LINE and _TELLING.search(normal)
    }


def _parted(old: bytes, new: bytes) -> tuple[bytes, bytes, bytes]:
    """The parts in which two texts differ, and what stands around them in both; all of whole lines."""
    start, end = common_ends(old, new)
    return (
        old[start : len(old) - end],
        new[start : len(new) - end],
        old[:start] + old[len(old) - end :],
    )


def _elsewhere(lines: Collection[bytes], around: bytes) -> set[bytes]:
    """Those of some lines that stand in a text too."""
    if not lines or not around:
        return set()
    if len(lines) > _FEW or b"\r" in around:
        return set(lines).intersection(around.splitlines())
    framed = b"\n%s\n" % around
    return {line for line in lines if b"\n%s\n" % line in framed}


def profile(pairs: Iterable[tuple[bytes | None, bytes | None]]) -> Profile:
    """The change over some files; a line that stands elsewhere in the other version is no change.

    Args:
        pairs: The text before and after of each file; ``None`` where it does not exist.
    """
    added: Counter[bytes] = Counter()
    removed: Counter[bytes] = Counter()
    for before, after in pairs:
        before_part, after_part, around = _parted(before or b"", after or b"")
        old, new = before_part.splitlines(), after_part.splitlines()
        for lines, own, other in ((added, new, old), (removed, old, new)):
            fresh = _normal_lines(set(own).difference(other))
            for line in _elsewhere(fresh.keys(), around):
                del fresh[line]
            if fresh:
                for line, count in Counter(filter(fresh.__contains__, own)).items():
                    lines[fresh[line]] += count
    common = added & removed
    return Profile(added - common, removed - common) if common else Profile(added, removed)


def net(profiles: Iterable[Profile]) -> Profile:
    """The net change of a chain: what one adds and a later one removes is gone."""
    added: Counter[bytes] = Counter()
    removed: Counter[bytes] = Counter()
    for item in profiles:
        added.update(item.added)
        removed.update(item.removed)
    common = added & removed
    return Profile(added - common, removed - common)


def _shared(first: Counter[bytes], second: Counter[bytes]) -> int:
    small, large = (first, second) if len(first) <= len(second) else (second, first)
    return sum(min(count, large[line]) for line, count in small.items() if line in large)


def shared_additions(first: Profile, second: Profile) -> int:
    """How many lines both changes add."""
    return _shared(first.added, second.added)


def likeness(first: Profile, second: Profile) -> float:
    """Dice coefficient of what two changes add, between 0 and 1.

    Both sides of a contested place take away the same lines, whatever they put there; so removed lines
    count only between changes that add nothing.
    """
    mine, other = _told(first), _told(second)
    total = sum(mine.values()) + sum(other.values())
    return 2 * _shared(mine, other) / total if total and _comparable(first, second) else 0.0


def containment(part: Profile, whole: Profile) -> float:
    """The share of what ``part`` adds that ``whole`` adds too, between 0 and 1."""
    mine, other = _told(part), _told(whole)
    total = sum(mine.values())
    return _shared(mine, other) / total if total and _comparable(part, whole) else 0.0


_WORD = re.compile(rb"\w+")
_SMALL = 40


def word_likeness(first: Profile, second: Profile) -> float:
    """Dice coefficient of the words that two small changes add; 0 for large ones."""
    if max(first.size, second.size) > _SMALL or not _comparable(first, second):
        return 0.0
    mine, other = (Counter(_WORD.findall(b"\n".join(_told(c).elements()))) for c in (first, second))
    total = sum(mine.values()) + sum(other.values())
    return 2 * _shared(mine, other) / total if total else 0.0


def _told(change: Profile) -> Counter[bytes]:
    return change.added or change.removed


def _comparable(first: Profile, second: Profile) -> bool:
    return bool(first.added) == bool(second.added)
