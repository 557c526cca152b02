"""Which elements of two sequences stand for each other.

Patience diff (unique common elements as anchors, Bram Cohen) with an exact longest common
subsequence in the gaps. The anchors keep large inputs near linear and avoid pairing blank lines and
brackets of unrelated places; the gaps are small, so the quadratic step stays cheap.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence

from rapidfuzz.distance import LCSseq

# Above this product of lengths a gap without any anchor is not searched: it is one replaced block.
_LCS_LIMIT = 4_000_000


def matches(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Pairs of indices of equal elements, increasing on both sides."""
    result: list[tuple[int, int]] = []
    # An explicit stack: recursion depth must not depend on the input.
    stack = [(0, len(left), 0, len(right))]
    while stack:
        lo, hi, low, high = stack.pop()
        while lo < hi and low < high and left[lo] == right[low]:
            result.append((lo, low))
            lo += 1
            low += 1
        while lo < hi and low < high and left[hi - 1] == right[high - 1]:
            hi -= 1
            high -= 1
            result.append((hi, high))
        if lo == hi or low == high:
            continue
        anchors = _anchors(left, lo, hi, right, low, high)
        if not anchors:
            result.extend(_lcs(left, lo, hi, right, low, high))
            continue
        for i, j in anchors:
            stack.append((lo, i, low, j))
            result.append((i, j))
            lo, low = i + 1, j + 1
        stack.append((lo, hi, low, high))
    result.sort()
    return result


def _anchors(
    left: Sequence[Hashable], lo: int, hi: int, right: Sequence[Hashable], low: int, high: int
) -> list[tuple[int, int]]:
    """Elements that occur once in each range, the longest run that increases on both sides."""
    # -1 marks what occurs again.
    place: dict[Hashable, int] = {}
    for j in range(low, high):
        element = right[j]
        place[element] = -1 if element in place else j
    first: dict[Hashable, int] = {}
    for i in range(lo, hi):
        element = left[i]
        if element in place:
            first[element] = -1 if element in first else i
    pairs = [(i, place[x]) for x, i in first.items() if i >= 0 and place[x] >= 0]
    return increasing(pairs)


def increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence of pairs (sorted by the first) that increases in the second."""
    tails: list[int] = []
    tail_index: list[int] = []
    previous: list[int] = []
    for index, (_, j) in enumerate(pairs):
        at = bisect_left(tails, j)
        if at == len(tails):
            tails.append(j)
            tail_index.append(index)
        else:
            tails[at] = j
            tail_index[at] = index
        previous.append(tail_index[at - 1] if at else -1)
    chain: list[tuple[int, int]] = []
    index = tail_index[-1] if tail_index else -1
    while index >= 0:
        chain.append(pairs[index])
        index = previous[index]
    chain.reverse()
    return chain


def _lcs(
    left: Sequence[Hashable], lo: int, hi: int, right: Sequence[Hashable], low: int, high: int
) -> list[tuple[int, int]]:
    if (hi - lo) * (high - low) > _LCS_LIMIT:
        return []
    codes: dict[Hashable, int] = {}
    first = [codes.setdefault(x, len(codes)) for x in left[lo:hi]]
    second = [codes.setdefault(x, len(codes)) for x in right[low:high]]
    pairs: list[tuple[int, int]] = []
    for op in LCSseq.opcodes(first, second):
        if op.tag == "equal":
            pairs.extend(
                (lo + op.src_start + k, low + op.dest_start + k)
                for k in range(op.src_end - op.src_start)
            )
    return pairs
