"""Line merge, markers, line ends."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from mergewright.model.merge import Contested, FileMerge
from mergewright.model.threeway import Side, ThreeWay
from mergewright.text.diff import matches
from mergewright.text.lines import common_ends, join_pieces, split_lines, with_line_ends
from mergewright.text.markers import marker_size_for, render
from mergewright.text.merge import merge_lines

TEXT = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"d\r\n", b"\n"]), max_size=12).map(
    b"".join
)
LABELS = ThreeWay(base="base", ours="dev", theirs="main")


@given(st.binary())
def test_split_lines_joins_back(data: bytes) -> None:
    """Splitting loses no byte."""
    assert b"".join(split_lines(data)) == data


@given(
    *[st.lists(st.sampled_from([b"a\n", b"b\n", b"\n", b"a", b"ab"]), max_size=8).map(b"".join)] * 2
)
def test_common_ends_are_whole_lines_of_both(one: bytes, other: bytes) -> None:
    """What two texts start and end with is equal, whole lines of each, and all of it where they are equal."""
    start, end = common_ends(one, other)
    assert one[:start] == other[:start]
    for text in (one, other):
        behind = len(text) - end
        assert start <= behind
        assert text.endswith(one[len(one) - end :])
        for cut in (start, behind):
            assert cut in (0, len(text)) or text[cut - 1 : cut] == b"\n"
    assert one != other or start == len(one)
    lines, others = split_lines(one), split_lines(other)
    alike = list(
        itertools.takewhile(lambda pair: pair[0] == pair[1], zip(lines, others, strict=False))
    )
    assert start == sum(len(line) for line, _ in alike)


def test_composed_lines_end_as_in_their_versions() -> None:
    r"""Each line has the end that it has in the versions; a new one that of the line above it."""
    versions = ThreeWay(
        base=b"def f():\r\n    a\n    b\r\n",
        ours=b"def f():\r\n    a\n    b\n",
        theirs=b"@x\ndef f():\r\n  a\n  b\r\n",
    )
    made = with_line_ends(b"@x\r\ndef f():\r\n  new\n  a\r\n  b\r\n", versions)
    assert made == b"@x\ndef f():\r\n  new\r\n  a\n  b\n"


@given(st.lists(st.integers(0, 4)), st.lists(st.integers(0, 4)))
def test_matches_are_equal_and_increasing(left: list[int], right: list[int]) -> None:
    """Matched elements are equal and their places increase on both sides."""
    pairs = matches(left, right)
    assert all(left[i] == right[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(pairs))


@given(TEXT, TEXT)
def test_one_side_unchanged_takes_the_other(base: bytes, other: bytes) -> None:
    """A side equal to base yields to the other, whichever it is."""
    assert merge_lines(ThreeWay(base=base, ours=base, theirs=other)).text() == other
    assert merge_lines(ThreeWay(base=base, ours=other, theirs=base)).text() == other
    assert merge_lines(ThreeWay(base=base, ours=other, theirs=other)).text() == other


@given(TEXT, TEXT, TEXT)
def test_swap_mirrors(base: bytes, ours: bytes, theirs: bytes) -> None:
    """Swapping the sides swaps the text of each contested place and changes nothing else."""
    one = merge_lines(ThreeWay(base=base, ours=ours, theirs=theirs))
    two = merge_lines(ThreeWay(base=base, ours=theirs, theirs=ours))
    assert one.text(Side.OURS) == two.text(Side.THEIRS)
    assert one.clean == two.clean


def test_markers() -> None:
    """Diff3 markers carry branch, symbol and reason; sides without a final newline get one."""
    piece = Contested(
        symbol="f",
        kind="both-changed",
        versions=ThreeWay(base=b"b\n", ours=b"o\n", theirs=b"t"),
        reason="both changed it",
    )
    text = render(FileMerge(pieces=(b"x\n", piece)), LABELS)
    assert text == (
        b"x\n<<<<<<< dev f: both changed it\no\n||||||| base\nb\n=======\nt\n>>>>>>> main\n"
    )


def test_marker_size_avoids_lookalikes() -> None:
    """Markers are longer than any marker-like line of the texts."""
    texts = ThreeWay(base=None, ours=b"Title\n=======\n", theirs=b"<<<<<<<<<\n")
    assert marker_size_for(texts) == 10


def test_join_pieces_never_glues_lines() -> None:
    """A piece without a final newline does not run into the next one."""
    assert join_pieces([b"a==1", b"", b"b==2"], b"\n") == b"a==1\nb==2"
