"""Twins: which commits bring the same work, and by which evidence."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergewright.history.patches import (
    Profile,
    containment,
    likeness,
    net,
    normal_line,
    profile,
)
from mergewright.history.titles import normalise_title, read_message
from mergewright.history.twins import find_twins
from mergewright.model.history import CommitFacts, EvidenceClass, PathChange
from mergewright.model.threeway import Side


def commit(
    oid: str, title: str, body: str = "", author: str = "Ada", parents: int = 1
) -> CommitFacts:
    full = (oid * 40)[:40]
    return CommitFacts(
        oid=full,
        parents=tuple("0" * 39 + str(n) for n in range(parents)),
        author=author,
        email=f"{author.lower()}@example.org",
        time=0,
        committed=0,
        title=title,
        body=body,
    )


def lines(*names: str) -> Profile:
    return Profile(Counter({f"call_{name}=value".encode(): 1 for name in names}), Counter())


def twins(
    ours: list[tuple[CommitFacts, Profile]], theirs: list[tuple[CommitFacts, Profile]]
) -> list[tuple[str, str, EvidenceClass, Side | None]]:
    profiles = {c.oid: p for c, p in (*ours, *theirs)}
    found = find_twins([c for c, _ in ours], [c for c, _ in theirs], profiles.__getitem__)
    return [
        (
            "".join(c[0] for c in t.ours),
            "".join(c[0] for c in t.theirs),
            t.evidence,
            t.derived,
        )
        for t in found
    ]


SIX = ("one", "two", "three", "four", "five", "six")


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("[Dev] Check the data (#3907)", "check the data"),
        ("Check the data (#3907) (#4119)", "check the data"),
        ("feat(moe): Check the data", "check the data"),
        ("[Main][feat] Check the data (dev)", "check the data"),
        ("team/tool!4298 - [dev] Check the data", "check the data"),
        ("cp: `Check the data (#7)` into `dev`", "check the data"),
        ('Reapply "Check the data" (#9)', "check the data"),
    ],
)
def test_titles_without_their_tags(title: str, key: str) -> None:
    """Tags, prefixes, numbers and targets are no part of what a commit is called."""
    assert normalise_title(title) == key


def test_what_a_message_says() -> None:
    """Own and other numbers, trailers, reverts; a fixed issue is nobody's twin."""
    said = read_message(
        commit(
            "a",
            "Check the data (#3907) (#4119)",
            "Brings #11 and #12.\nFixes #13, #14\nSee #15\n\n(cherry picked from commit abcdef0123)",
        )
    )
    assert said.own == 4119
    assert said.titled == {3907}
    assert said.named == {11, 12}
    assert said.picked == ("abcdef0123",)
    assert (
        read_message(commit("a", 'Revert "Check the data (#7)" (#8)')).reverts == "check the data"
    )


def test_trailer_number_and_patch() -> None:
    """The strongest class that is found names the twin; who names the other derived it."""
    mine = commit("a", "Check the data (#31)")
    landed = commit("b", "Check the data (#31) (#47)", author="Bob")
    picked = commit("c", "Other words", f"(cherry picked from commit {mine.oid})")
    assert twins([(mine, lines(*SIX))], [(landed, lines(*SIX[:5], "new"))]) == [
        ("a", "b", EvidenceClass.PULL_REQUEST, Side.THEIRS)
    ]
    assert twins([(mine, lines(*SIX))], [(picked, lines(*SIX))]) == [
        ("a", "c", EvidenceClass.TRAILER, Side.THEIRS)
    ]
    bare = commit("d", "Entirely different", author="Bob")
    assert twins([(mine, lines(*SIX))], [(bare, lines(*SIX))]) == [
        ("a", "d", EvidenceClass.PATCH_ID, None)
    ]


def test_equal_files_after_both() -> None:
    """The last commit of a chain and a squash leave one file equal, whatever each of them changed."""
    after = PathChange(path="a.py", old_oid="1" * 40, new_oid="2" * 40)
    mine = replace(commit("a", "Second part"), changes=(after,))
    other = replace(commit("b", "All of it", author="Bob"), changes=(after,))
    found = twins([(mine, lines(*SIX[:4]))], [(other, lines(*SIX))])
    assert found == [("a", "b", EvidenceClass.BLOB, None)]


def test_names_need_common_content() -> None:
    """An equal title or a number makes no twins of changes that share nothing."""
    mine = commit("a", "[Dev] Rework totals (#31)")
    other = commit("b", "Rework totals (#31) (#47)")
    assert twins([(mine, lines(*SIX[:3]))], [(other, lines("x", "y", "z"))]) == []


def test_small_equal_changes_are_chance() -> None:
    """Few equal lines by two people under two titles are no twins."""
    mine, other = commit("a", "Bump the version"), commit("b", "Release", author="Bob")
    assert twins([(mine, lines("one"))], [(other, lines("one"))]) == []


def test_chain_against_squash_both_ways() -> None:
    """The net change of several commits equals one commit of the other side."""
    chain = [
        (commit("a", "First"), lines(*SIX[:3])),
        (commit("b", "Second"), lines(*SIX[3:])),
    ]
    squash = [(commit("c", "All of it", author="Bob"), lines(*SIX))]
    assert ("ab", "c", EvidenceClass.PATCH_ID, None) in twins(chain, squash)
    assert ("c", "ab", EvidenceClass.PATCH_ID, None) in twins(squash, chain)


def test_reverts_and_merges_have_no_twins() -> None:
    """A revert names what it undoes; a merge brings others' work."""
    mine = commit("a", "Check the data (#31)")
    undo = commit("b", 'Revert "Check the data (#31)" (#47)', "This reverts #31.")
    merge = commit("c", "Check the data (#31) (#48)", parents=2)
    change = lines(*SIX)
    undone = Profile(Counter(), change.added)
    assert twins([(mine, change)], [(undo, undone), (merge, change)]) == []


def test_layout_is_no_change() -> None:
    """White space, quotes, brackets and trailing commas do not count."""
    before, after = b"x = f(a, 'b')\n", b'x = f(\n    a, "b",\n)\ny = 1\n'
    only = profile([(b"", b"y = 1\n")])
    assert profile([(b"q = 'a'\n", b'q  =  "a",\n')]).empty
    assert only.added == Counter({b"y=1": 1})
    assert b"y=1" in profile([(before, after)]).added


_CHANGES = st.builds(
    lambda a, r: Profile(Counter(a) - Counter(r), Counter(r) - Counter(a)),
    st.lists(st.sampled_from([b"aaa", b"bbb", b"ccc", b"ddd"]), max_size=6),
    st.lists(st.sampled_from([b"aaa", b"bbb", b"ccc", b"ddd"]), max_size=6),
)


@given(_CHANGES, _CHANGES)
def test_likeness_is_symmetric_and_bounded(first: Profile, second: Profile) -> None:
    """Dice and containment stay between 0 and 1; equal changes with content are wholly alike."""
    assert likeness(first, second) == likeness(second, first)
    assert 0 <= likeness(first, second) <= 1
    assert 0 <= containment(first, second) <= 1
    if not first.empty:
        assert likeness(first, first) == containment(first, first) == 1


@given(_CHANGES)
def test_a_change_and_its_reverse_are_nothing(change: Profile) -> None:
    """The net of a change and of its revert is empty."""
    assert net([change, Profile(change.removed, change.added)]).empty


def test_common_titles_tie_nothing() -> None:
    """A title of two words is no evidence, also by one author in one file."""
    mine, other = commit("a", "Bump version"), commit("b", "Bump version")
    first = Profile(Counter({b'__version__="2.1.0"': 1, b'release="2.1"': 1}), Counter())
    second = Profile(Counter({b'__version__="2.2.0"': 1, b'release="2.2"': 1}), Counter())
    assert twins([(mine, first)], [(other, second)]) == []


FILES = st.lists(
    st.sampled_from(
        [
            b"one = 1\n",
            b"two = 2\n",
            b"two = 2\r\n",
            b"two=2\n",
            b"three\r",
            b"\n",
            b"x\n",
            b"one = 1",
        ]
    ),
    max_size=14,
).map(b"".join)


@given(FILES, FILES, st.booleans())
def test_a_change_is_told_from_all_lines(before: bytes, after: bytes, many: bool) -> None:
    """What two texts share at both ends makes no difference: a line that both have anywhere is no change."""
    if many:
        fresh = b"".join(b"value_%d = %d\n" % (n, n) for n in range(20))
        after = after[: len(after) // 2] + fresh + after[len(after) // 2 :]
    found = profile([(before, after)])
    old, new = before.splitlines(), after.splitlines()
    expected = [Counter[bytes](), Counter[bytes]()]
    for lines, own, other in ((expected[0], new, old), (expected[1], old, new)):
        for line in own:
            normal = normal_line(line)
            if line not in other and len(normal) >= 3 and any(map(bytes.isalnum, _each(normal))):
                lines[normal] += 1
    common = expected[0] & expected[1]
    assert found == Profile(expected[0] - common, expected[1] - common)


def _each(text: bytes) -> list[bytes]:
    return [text[n : n + 1] for n in range(len(text))]
