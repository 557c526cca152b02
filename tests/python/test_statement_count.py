"""A function has no statement twice, not at all, or again, though neither side has it so."""

from __future__ import annotations

import pytest

from mergewright.model.resolution import Decision, Outcome
from mergewright.model.threeway import Side, ThreeWay
from mergewright.python.gates import check

STEPS = ("one(a)", "two(a)", "three(a)", "four(a)", "five(a)")


def text(*statements: str, head: str = "def f(a):\n") -> str:
    lines = "".join(f"    {line}\n" for part in statements for line in part.split("\n"))
    return f"{head}{lines}    return a\n"


def word(texts: tuple[str, str, str], result: str, *decisions: Decision) -> str:
    """What the gate says of a result."""
    base, ours, theirs = (version.encode() for version in texts)
    versions: ThreeWay[bytes | None] = ThreeWay(base=base, ours=ours, theirs=theirs)
    gates = {g.gate: g for g in check("a.py", result.encode(), versions, decisions)}
    assert gates["statement-count"].passed == (not gates["statement-count"].detail)
    return gates["statement-count"].detail


ONE, TWO, THREE, FOUR, FIVE = STEPS


@pytest.mark.parametrize(
    "new", ["log(a)", "b = log(a)", "if a:\n    log(a)", "for b in a:\n    c(b)"]
)
def test_both_added_it_at_different_places(new: str) -> None:
    """Each side has it once."""
    texts = text(*STEPS), text(ONE, new, *STEPS[1:]), text(*STEPS[:4], new, FIVE)
    assert "different places" in word(texts, text(ONE, new, TWO, THREE, FOUR, new, FIVE))
    assert word(texts, text(ONE, new, TWO, THREE, FOUR, FIVE)) == ""


def test_both_moved_it_to_different_places() -> None:
    """Nobody wants it twice."""
    texts = text(*STEPS), text(TWO, ONE, *STEPS[2:]), text(*STEPS[1:], ONE)
    assert word(texts, text(TWO, ONE, THREE, FOUR, FIVE, ONE)) != ""


def test_one_took_it_away_and_the_other_moved_it() -> None:
    """The deletion would be lost."""
    texts = text(*STEPS), text(TWO, "x(a)", *STEPS[2:]), text(*STEPS[1:], ONE)
    assert "'one(a)' is there" in word(texts, text(TWO, "x(a)", THREE, FOUR, FIVE, ONE))


def test_each_took_away_another_of_two() -> None:
    """Both keep one of them."""
    twice = (ONE, TWO, THREE, ONE, FIVE)
    texts = text(*twice), text(*twice[1:]), text(ONE, TWO, THREE, FIVE)
    assert "'one(a)' is lost" in word(texts, text(TWO, THREE, FIVE))


def test_two_branches_may_say_the_same() -> None:
    """A statement in two blocks is no repetition, and what a side repeats is its own choice."""
    first, second = "if a:\n    b()\nelse:\n    c()", "if d:\n    e()\nelse:\n    g()"
    texts = (
        text(first, ONE, second),
        text(first.replace("b()", "b()\n    log(a)"), ONE, second),
        text(first, ONE, second.replace("g()", "g()\n    log(a)")),
    )
    merged = text(
        first.replace("b()", "b()\n    log(a)"), ONE, second.replace("g()", "g()\n    log(a)")
    )
    assert word(texts, merged) == ""
    texts = text(ONE), text(ONE, TWO, ONE), text(THREE, ONE)
    assert word(texts, text(THREE, ONE, TWO, ONE)) == ""


@pytest.mark.parametrize(
    ("head", "first", "second"),
    [
        ("@a\n@b\ndef f(a):\n", "@n\n@a\n@b\ndef f(a):\n", "@a\n@n\n@b\ndef f(a):\n"),
    ],
)
def test_a_decorator_twice(head: str, first: str, second: str) -> None:
    """It would wrap the function twice."""
    texts = text(ONE, head=head), text(ONE, head=first), text(ONE, head=second)
    assert "'n'" in word(texts, text(ONE, head="@n\n@a\n@n\n@b\ndef f(a):\n"))


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        (
            "try:\n    b()\nexcept A:\n    c()",
            "try:\n    b()\nexcept A:\n    c()\nexcept N:\n    d()",
            "try:\n    b()\nexcept N:\n    e()\nexcept A:\n    c()",
            "try:\n    b()\nexcept N:\n    e()\nexcept A:\n    c()\nexcept N:\n    d()",
        ),
        (
            "if a == 1:\n    b()\nelif a == 2:\n    c()",
            "if a == 1:\n    b()\nelif a == 3:\n    d()\nelif a == 2:\n    c()",
            "if a == 1:\n    b()\nelif a == 2:\n    c()\nelif a == 3:\n    e()",
            "if a == 1:\n    b()\nelif a == 3:\n    d()\nelif a == 2:\n    c()\nelif a == 3:\n    e()",
        ),
    ],
)
def test_a_branch_twice(base: str, ours: str, theirs: str, merged: str) -> None:
    """The second of two branches for one thing is never taken."""
    assert word((text(base), text(ours), text(theirs)), text(merged)) != ""


def test_an_answer_frees_its_function() -> None:
    """What history or a rule took is not held against the counts."""
    texts = text(*STEPS), text(TWO, ONE, *STEPS[2:]), text(*STEPS[1:], ONE)
    answer = Decision(
        symbol="f", outcome=Outcome.RESOLVED, strategy="take", side=Side.OURS, rule="r"
    )
    assert word(texts, text(TWO, ONE, THREE, FOUR, FIVE, ONE), answer) == ""
