"""Symbol rules asked about the open places of lines and formats."""

from __future__ import annotations

import pytest

from mergewright.model.merge import Answer, Contested, FileMerge, Question
from mergewright.model.resolution import Decision, Outcome
from mergewright.model.threeway import Side, ThreeWay
from mergewright.rules.loading import load_text
from mergewright.rules.places import settle_places

BOOK = """\
version: 1
rules:
  - {id: r, reason: so, match: {path: a, place: both-changed, %s}, action: %s}
"""


def merge(base: bytes, ours: bytes, theirs: bytes) -> FileMerge:
    place = Contested(
        symbol="s",
        kind="both-changed",
        versions=ThreeWay(base=base, ours=ours, theirs=theirs),
        reason="both",
    )
    left = Decision(symbol="s", outcome=Outcome.DEFERRED, strategy="lines", side=Side.NEITHER)
    return FileMerge(pieces=(b"head\n", place, b"tail\n"), decisions=(left,))


@pytest.mark.parametrize(
    ("more", "action", "expected"),
    [
        ("symbol: s", "take-ours", b"head\no\ntail\n"),
        ("symbol: s", "take-theirs", b"head\nt\ntail\n"),
        ("symbol: s", "union", b"head\no\nt\ntail\n"),
    ],
)
def test_an_answer_settles_the_place(more: str, action: str, expected: bytes) -> None:
    """The decision that the place was left is replaced by the rule's."""
    decider = load_text(BOOK % (more, action)).decider("a")
    result = settle_places("a", merge(b"b\n", b"o\n", b"t"), decider)
    assert result.clean
    assert result.text() == expected
    assert [(d.rule, d.outcome) for d in result.decisions] == [("r", Outcome.RESOLVED)]


def test_leave_and_silence_keep_the_place() -> None:
    """'leave' names the rule in the reason; no answer changes nothing."""
    before = merge(b"b\n", b"o\n", b"t\n")
    left = settle_places("a", before, load_text(BOOK % ("symbol: s", "leave")).decider("a"))
    assert not left.clean
    assert left.contested[0].reason == "Rule r leaves it: so"
    other = load_text(BOOK % ("symbol: other", "take-ours")).decider("a")
    assert settle_places("a", before, other) == before


def test_a_newer_base_settles_only_a_clean_merge() -> None:
    """Merged again from the common state; what stays contested there stays open."""

    class Common:
        def __init__(self, base: bytes) -> None:
            self._base = base

        def decide(self, question: Question) -> Answer | None:
            return Answer(strategy="newest-common-state", reason="r", base=self._base)

    place = merge(b"b\n", b"x\ny\nz2\n", b"x2\ny\nz\n")
    assert settle_places("a", place, Common(b"x\ny\nz\n")).text() == b"head\nx2\ny\nz2\ntail\n"
    assert not settle_places("a", place, Common(b"q\n")).clean
