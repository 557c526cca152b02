"""How much of one content is found again in another; used to say which file a renamed one was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

#: Git's default: half of the larger content must be found again.
RENAME_THRESHOLD = 0.5

_CHUNK = 64


def _chunks(data: bytes) -> Counter[bytes]:
    """Lines, long ones in pieces of 64 bytes, each weighted by its length."""
    found: Counter[bytes] = Counter()
    for line in data.splitlines(keepends=True):
        for start in range(0, len(line), _CHUNK):
            piece = line[start : start + _CHUNK]
            found[piece] += len(piece)
    return found


def similarity(old: bytes, new: bytes) -> float:
    """Share of the larger content that is found in the other, 0 to 1, as git counts it."""
    if old == new:
        return 1.0
    larger = max(len(old), len(new))
    if not old or not new:
        return 0.0
    if min(len(old), len(new)) < larger * RENAME_THRESHOLD:
        return min(len(old), len(new)) / larger
    left, right = _chunks(old), _chunks(new)
    return sum((left & right).values()) / larger


def most_similar(
    target: bytes, candidates: Iterable[tuple[str, int, str]], read: Callable[[str], bytes]
) -> str | None:
    """The candidate path whose content is most like the target's; ``None`` below the threshold.

    Args:
        target: The content that was renamed.
        candidates: Path, file mode and id of each possible origin.
        read: Gives the content of an id.
    """
    best, best_path = RENAME_THRESHOLD, None
    for path, _, oid in candidates:
        score = similarity(read(oid), target)
        if score > best or (score == best and best_path is None):
            best, best_path = score, path
    return best_path
