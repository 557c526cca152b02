"""Entries that both sides tell, and edits that contain each other."""

from __future__ import annotations

import pytest

from mergewright.formats import FormatOptions, merge_for
from mergewright.model.merge import FileMerge
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.engines import merge_file

BASE = "Changes\n=======\n\nVersion 1.0\n-----------\n\n- The first release of all.\n"
FIX = "- Fix the server that did not start from the -m flag.\n"


def changelog(ours: str, theirs: str) -> FileMerge:
    merge = merge_for("CHANGES.rst")
    assert merge is not None
    return merge(ThreeWay(base=BASE.encode(), ours=ours.encode(), theirs=theirs.encode()))


def release(version: str, entries: str) -> str:
    head, rest = BASE.split("\n\n", 1)
    return f"{head}\n\nVersion {version}\n-----------\n\n{entries}\n{rest}"


@pytest.mark.parametrize("said", [FIX, FIX.replace("-m flag", "-m flag. :pr:`7`")])
def test_an_entry_under_two_releases_stays_open(said: str) -> None:
    """A fix that both sides added under different releases is left open where ours has it."""
    merge = changelog(
        release("2.0", "- A new thing that only ours has.\n" + FIX), release("1.1", said)
    )
    (place,) = merge.contested
    assert place.reason == "both sides added this entry, under different headings"
    assert place.versions == ThreeWay(base=b"", ours=FIX.encode(), theirs=b"")
    without = merge.text(Side.THEIRS).decode()
    assert without.count("Fix the server") == 1
    assert "Version 2.0" in without
    assert "Version 1.1" in without
    assert merge.text(Side.OURS).decode().count("Fix the server") == 2


def test_equal_short_entries_and_one_release_are_no_doubles() -> None:
    """A set phrase, and an entry under one release, stand as they are."""
    assert changelog(release("2.0", "- Bug fixes\n"), release("1.1", "- Bug fixes\n")).clean
    once = changelog(release("1.1", FIX), release("1.1", "- Another entry of the release.\n" + FIX))
    assert once.clean
    assert once.text().count(b"Fix the server") == 1


def test_the_side_that_did_more_is_taken() -> None:
    """Where one side made all edits of the other and more, its text stands."""
    texts: ThreeWay[bytes | None] = ThreeWay(
        base=b"run --fast --jobs 1 {here}\n",
        ours=b"run --slow --jobs 2 {here}\n",
        theirs=b"run --slow --jobs 1 {here}\n",
    )
    merge = merge_file("tool.sh", texts)
    assert merge.text() == texts.ours
    (decision,) = merge.decisions
    assert (decision.strategy, decision.side) == ("contained", Side.OURS)
    swapped: ThreeWay[bytes | None] = ThreeWay(
        base=texts.base, ours=texts.theirs, theirs=texts.ours
    )
    assert merge_file("tool.sh", swapped).text() == texts.ours


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (b"run --slow --jobs 1\n", b"run --fast --jobs 2\n"),
        (b"run --slow --jobs 1\n", b"run --slower --jobs 1\n"),
        (b"  run --slow --jobs 2\n", b"run --slow --jobs 1\n  "),
    ],
)
def test_other_edits_stay_open(ours: bytes, theirs: bytes) -> None:
    """Edits of which neither contains the other are no answer; indentation counts where it speaks."""
    texts: ThreeWay[bytes | None] = ThreeWay(
        base=b"run --fast --jobs 1\n", ours=ours, theirs=theirs
    )
    assert not merge_file("tool.sh", texts).clean


LAYOUT_EDITS = {
    "blanks in a command": ("tool.sh", 'cp "a  b" x -q\n', 'cp "a b" y -q\n', 'cp "a  b" y -f\n'),
    "a tab": ("Makefile", "run a\tb x -q\n", "run a b y -q\n", "run a\tb y -f\n"),
    "code within words": (
        "notes.md",
        "# A\n\nCall `f  (a)` with one word now.\n",
        "# A\n\nCall `f (a)` with two word now.\n",
        "# A\n\nCall `f  (a)` with two word then.\n",
    ),
    "a fenced line": (
        "notes.md",
        "# A\n\n```\nrun  a x -q\n```\n",
        "# A\n\n```\nrun a y -q\n```\n",
        "# A\n\n```\nrun  a y -f\n```\n",
    ),
    "a literal block": (
        "notes.rst",
        "A\n=\n\nSay::\n\n    run  a x -q\n",
        "A\n=\n\nSay::\n\n    run a y -q\n",
        "A\n=\n\nSay::\n\n    run  a y -f\n",
    ),
}


@pytest.mark.parametrize("case", LAYOUT_EDITS)
def test_an_edit_of_blanks_is_not_lost(case: str) -> None:
    """A side that edits blanks, where they say something, is not contained in one that does not."""
    path, *texts = LAYOUT_EDITS[case]
    base, ours, theirs = (text.encode() for text in texts)
    for mine, other in ((ours, theirs), (theirs, ours)):
        versions: ThreeWay[bytes | None] = ThreeWay(base=base, ours=mine, theirs=other)
        assert not merge_file(path, versions).clean


def test_a_paragraph_that_one_side_wrapped_anew_is_no_edit_of_blanks() -> None:
    """In plain words the side that did more is taken however its lines break."""
    base = b"# A\n\nOld words stand here\nin two lines.\n"
    ours = b"# A\n\nNew words stand\nhere in two lines.\n"
    theirs = b"# A\n\nNew words stand here\nin three lines.\n"
    versions: ThreeWay[bytes | None] = ThreeWay(base=base, ours=ours, theirs=theirs)
    assert merge_file("notes.md", versions).text() == theirs


@pytest.mark.parametrize(
    ("path", "text", "values"),
    [
        ("requirements.txt", "foo=={}\n", ("1.2.2", "1.2.3", "1.3.3")),
        ("a.toml", "v = {}\n", ("0.10", "0.20", "1.20")),
        ("a.toml", 'day = "{}"\n', ("2023-01-02", "2023-01-05", "2023-04-05")),
        ("tool.sh", "since {} here\n", ("01/02/2023", "05/02/2023", "05/04/2023")),
        ("tool.sh", "at {} here\n", ("10:15:00", "10:20:00", "12:20:00")),
        ("tool.sh", "run {} here\n", ("1,000,000", "1,200,000", "2,200,000")),
        (
            "notes.md",
            "# A\n\nReleased on {} to all of us.\n",
            ("2023-01-02", "2023-01-05", "2023-04-05"),
        ),
        ("notes.md", "# A\n\nIt needs v{} of it.\n", ("1.2.2", "1.2.3", "1.3.3")),
        (
            "notes.md",
            "# A\n\nAll of us have waited for what is to be put out on {} or soon after that.\n",
            ("2023-01-02T10:00:01", "2023-01-02T10:00:05", "2024-01-02T10:00:01"),
        ),
        ("setup.cfg", "[a]\nb = x-{}\n", ("1.2.2-rc1", "1.2.3-rc1", "1.3.3-rc1")),
    ],
)
def test_numbers_versions_and_dates_are_not_merged_by_their_digits(
    path: str, text: str, values: tuple[str, str, str]
) -> None:
    """Two new values of one number, version or date contradict each other whatever they share."""
    base, ours, theirs = (text.format(value).encode() for value in values)
    for mine, other in ((ours, theirs), (theirs, ours)):
        versions: ThreeWay[bytes | None] = ThreeWay(base=base, ours=mine, theirs=other)
        merge = merge_file(path, versions, formats=FormatOptions(versions="off", prose=True))
        assert not merge.clean


ENTRIES = [f"- Entry number {number} that was written down long ago.\n" for number in range(4)]
NEW = [f"- A new feature, the {number}th one, of ours alone.\n" for number in range(9)]


@pytest.mark.parametrize("kept", [4, 3])
def test_entries_follow_a_release_that_got_another_number(kept: int) -> None:
    """Ours put what was unreleased into a larger release; what theirs added goes along."""
    old = release("1.1", "".join(ENTRIES))
    ours = release("2.0", "".join([*NEW, *ENTRIES[:kept]]))
    merge = merge_for("CHANGES.rst")
    assert merge is not None
    texts = ThreeWay(
        base=old.encode(),
        ours=ours.encode(),
        theirs=old.replace(ENTRIES[0], FIX + ENTRIES[0]).encode(),
    )
    result = merge(texts)
    assert result.clean
    assert result.text().decode() == ours.replace(ENTRIES[0], FIX + ENTRIES[0])


def test_a_release_that_lost_most_of_its_entries_is_a_removal() -> None:
    """One old entry under another heading is no proof: the section stays open as a whole."""
    old = release("1.1", "".join(ENTRIES))
    ours = release("2.0", "".join([*NEW, ENTRIES[0]]))
    merge = merge_for("CHANGES.rst")
    assert merge is not None
    texts = ThreeWay(
        base=old.encode(),
        ours=ours.encode(),
        theirs=old.replace(ENTRIES[0], FIX + ENTRIES[0]).encode(),
    )
    result = merge(texts)
    assert [place.kind for place in result.contested] == ["delete-change"]
