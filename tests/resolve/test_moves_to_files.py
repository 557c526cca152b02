"""The names that a side defines more often than before, told by what it changed."""

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.moves import Finder
from mergewright.rules.trees import MemoryTree

_DEFINED = re.compile(rb"\b(?:def|class)(?=\s+(\w+))")
LINES = st.sampled_from(
    [
        b"def f():",
        b"class",
        b"class K:",
        b"f",
        b"    def f(self):",
        b"",
        b" ",
        b"x = 1",
        b"# def",
        b"undef f",
    ]
)
TEXTS = st.lists(LINES, max_size=8).map(b"\n".join)


@given(TEXTS, TEXTS)
def test_gained_names_are_those_of_the_whole_texts(base: bytes, side: bytes) -> None:
    """Counted in what differs alone, also where a name stands on the line behind its keyword."""

    def counted(data: bytes) -> Counter[bytes]:
        return Counter(_DEFINED.findall(data))

    before, now = MemoryTree({"f.py": base}), MemoryTree({"f.py": side})
    found = Finder(ThreeWay(base=before, ours=now, theirs=before)).gain(Side.OURS)
    more = set(counted(side) - counted(base))
    assert found.get("f.py", set()) == more
