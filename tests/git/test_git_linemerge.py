"""Git's own conflict text, and what stands in for it."""

import pytest

from mergewright.git import linemerge
from mergewright.git.linemerge import merge_text
from mergewright.model.errors import RepositoryError
from mergewright.model.threeway import ThreeWay

LABELS = ThreeWay(base="B", ours="O x", theirs="T")
VERSIONS: ThreeWay[bytes | None] = ThreeWay(
    base=b"1\n2\n3\n4\n5\n", ours=b"1\nx\n3\n4\n5\n", theirs=b"1\ny\n3\n4\n5!\n"
)


@pytest.fixture(params=["git", "own"], autouse=True)
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "own":
        monkeypatch.setattr(linemerge, "git_version", lambda: None)


def test_conflict() -> None:
    """Labels, marker size and the number of conflicts are as asked for."""
    assert merge_text(VERSIONS, LABELS) == (
        b"1\n<<<<<<< O x\nx\n||||||| B\n2\n=======\ny\n>>>>>>> T\n3\n4\n5!\n",
        1,
    )
    text, count = merge_text(VERSIONS, LABELS, style="merge", marker_size=9)
    assert text == b"1\n<<<<<<<<< O x\nx\n=========\ny\n>>>>>>>>> T\n3\n4\n5!\n"
    assert count == 1


def test_favour_and_clean() -> None:
    """One side or both for the conflicts alone; no conflict, no marker; nothing is empty."""
    assert merge_text(VERSIONS, LABELS, favor="ours") == (b"1\nx\n3\n4\n5!\n", 0)
    assert merge_text(VERSIONS, LABELS, favor="theirs") == (b"1\ny\n3\n4\n5!\n", 0)
    assert merge_text(VERSIONS, LABELS, favor="union") == (b"1\nx\ny\n3\n4\n5!\n", 0)
    clean = ThreeWay(base=b"1\n", ours=b"1\n", theirs=b"2\n")
    assert merge_text(clean, LABELS) == (b"2\n", 0)
    added = ThreeWay(base=None, ours=b"1\n", theirs=b"1\n")
    assert merge_text(added, LABELS) == (b"1\n", 0)


def test_binary() -> None:
    """Binary content is refused, as git does."""
    with pytest.raises(RepositoryError):
        merge_text(ThreeWay(base=b"\0", ours=b"\0a", theirs=b"\0b"), LABELS)
