"""An answer frees what it is about in the gates of the formats, and nothing else."""

from __future__ import annotations

import pytest

from mergewright.formats.gates import check
from mergewright.model.merge import Answer, Question
from mergewright.model.resolution import Decision, Evidence, EvidenceKind, Outcome, Place
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.engines import merge_file
from mergewright.rules.places import settle_places

RULE = (Evidence(kind=EvidenceKind.RULE, text="so"),)


def failed(path: str, texts: tuple[str, str, str], result: str, *decisions: Decision) -> list[str]:
    base, ours, theirs = (text.encode() for text in texts)
    versions: ThreeWay[bytes | None] = ThreeWay(base=base, ours=ours, theirs=theirs)
    gates = check(path, result.encode(), versions, decisions)
    return [gate.gate for gate in gates if not gate.passed]


def answer(
    symbol: str, place: tuple[str, str, str] | None, side: Side = Side.OURS, text: str | None = None
) -> Decision:
    told = None
    if place is not None:
        base, ours, theirs = (part.encode() for part in place)
        versions: ThreeWay[bytes | None] = ThreeWay(base=base, ours=ours, theirs=theirs)
        told = Place(versions=versions, text=versions.get(side) if text is None else text.encode())
    return Decision(
        symbol=symbol,
        outcome=Outcome.RESOLVED,
        strategy="take",
        side=side if text is None else Side.BOTH,
        rule="r",
        evidence=RULE,
        place=told,
    )


#: Path, texts, the answered place with its symbol, what is right with ours taken, and the same with
#: something lost elsewhere.
CASES = [
    (
        "requirements.txt",
        ("a==1\nb==1\n", "a==2\nb==1\nc==1\n", "a==3\nb==1\n"),
        ("a", ("a==1", "a==2", "a==3")),
        "a==2\nb==1\nc==1\n",
        "a==2\nb==1\n",
    ),
    (
        "AUTHORS",
        ("a\nb\n", "x\nb\nc\n", "y\nb\n"),
        ("", ("a\n", "x\n", "y\n")),
        "x\nb\nc\n",
        "x\nb\n",
    ),
    (
        "a.toml",
        ("a = 1\nb = 1\n", "a = 2\nb = 1\n", "a = 3\nb = 2\n"),
        ("a", ("a = 1\n", "a = 2\n", "a = 3\n")),
        "a = 2\nb = 2\n",
        "a = 2\nb = 1\n",
    ),
    (
        "a.toml",
        ("a = 1\nb = 1\n", "a = 2\nb = 1\n", "a = 3\nb = 2\n"),
        ("", ("a = 1\n", "a = 2\n", "a = 3\n")),
        "a = 2\nb = 2\n",
        "a = 2\nb = 1\n",
    ),
    (
        "a.toml",
        ("a = 1\nb = 1\n", "a = 2\nb = 1\n", "b = 2\n"),
        ("", ("a = 1\n", "a = 2\n", "")),
        "a = 2\nb = 2\n",
        "b = 2\n",
    ),
    (
        "a.toml",
        ("a = ['m', 'n']\n", "a = ['o', 'n', 'q']\n", "a = ['p', 'n']\n"),
        ("a", ("'m'\n", "'o'\n", "'p'\n")),
        "a = ['o', 'n', 'q']\n",
        "a = ['o', 'n']\n",
    ),
    (
        "a.yaml",
        ("a: 1\n", "# ours\na: 2\n", "a: 3\n# theirs\n"),
        ("a", ("a: 1\n", "a: 2\n", "a: 3\n")),
        "# ours\na: 2\n# theirs\n",
        "# ours\na: 2\n",
    ),
    (
        "notes.md",
        (
            "# A\n\nWhat was here before.\n\nTail.\n",
            "# A\n\nOne side says this now.\n\nTail.\n",
            "# A\n\nThe other has put that.\n\nTail.\n\nAnd a new paragraph below it all.\n",
        ),
        ("", ("What was here before.\n", "One side says this now.\n", "The other has put that.\n")),
        "# A\n\nOne side says this now.\n\nTail.\n\nAnd a new paragraph below it all.\n",
        "# A\n\nOne side says this now.\n\nTail.\n",
    ),
]


@pytest.mark.parametrize(("path", "texts", "place", "right", "wrong"), CASES)
def test_an_answered_place_frees_itself_alone(
    path: str,
    texts: tuple[str, str, str],
    place: tuple[str, tuple[str, str, str]],
    right: str,
    wrong: str,
) -> None:
    """What the answer did not take may go; what is lost elsewhere is lost."""
    assert failed(path, texts, right, answer(*place)) == []
    assert failed(path, texts, wrong, answer(*place)) != []


def test_text_of_neither_side_frees_its_own_key_alone() -> None:
    """A value that a rule wrote stands; a key elsewhere that was lost does not pass with it."""
    texts = ("a = 1\nb = 1\n", "a = 2\nb = 1\n", "a = 3\nb = 2\n")
    wrote = Decision(symbol="a", outcome=Outcome.RESOLVED, strategy="set", side=Side.NEITHER)
    assert failed("a.toml", texts, "a = 9\nb = 2\n", wrote) == []
    assert failed("a.toml", texts, "a = 9\nb = 1\n", wrote) == ["conserved"]


def test_a_text_as_answer_may_stand_in_a_list() -> None:
    """What memory or a rule wrote into a place is of neither side there, and only there."""
    texts = ("a==1\nb==1\n", "a==2\nb==1\n", "a==3\nb==1\n")
    wrote = answer("a", ("a==1", "a==2", "a==3"), text="a==2.5")
    assert failed("requirements.txt", texts, "a==2.5\nb==1\n", wrote) == []
    assert failed("requirements.txt", texts, "a==2.5\nb==4\n", wrote) == ["conserved"]


def test_a_whole_side_is_that_side() -> None:
    """An answer about the whole file frees the side that it names."""
    texts = ("a = 1\nb = 1\n", "a = 2\nb = 1\n", "a = 3\nb = 2\n")
    whole = answer("", None)
    assert failed("a.toml", texts, texts[1], whole) == []
    assert failed("a.toml", texts, "a = 2\n", whole) == ["conserved"]


def test_a_newer_base_is_no_answer_about_places() -> None:
    """The gates hold a merge from another base to the texts, as for Python."""
    newer = Decision(
        symbol="",
        outcome=Outcome.RESOLVED,
        strategy="newest-common-state",
        side=Side.BOTH,
        evidence=(Evidence(kind=EvidenceKind.COMMIT, text="so"),),
    )
    texts = ("a = 1\nb = 1\n", "a = 2\nb = 1\n", "a = 1\nb = 2\n")
    assert failed("a.toml", texts, "a = 2\nb = 1\n", newer) == ["conserved"]


def test_a_key_of_quotes() -> None:
    """A key that is no more than a quotation mark is compared like any other."""
    texts = ('{"\\"": 1, "a": 1}', '{"\\"": 2, "a": 1}', '{"\\"": 1, "a": 2}')
    assert failed("a.json", texts, '{"\\"": 2, "a": 2}') == []
    assert failed("a.json", texts, '{"\\"": 1, "a": 2}') == ["conserved"]


class _Ours:
    def decide(self, question: Question) -> Answer | None:
        return Answer(strategy="take", reason="so", rule="r", side=Side.OURS, evidence=RULE)


@pytest.mark.parametrize(
    ("path", "texts", "wanted"),
    [
        (
            "requirements.txt",
            ("a~=1\nb\n", "a~=2\nb\n", "a~=3\nb\nd\n"),
            "a~=2\nb\nd\n",
        ),
        (
            "a.toml",
            ("a = 1\n\n[t]\nb = 1\n", "a = 2\n\n[t]\nb = 1\n", "a = 3\n\n[t]\nb = 2\n"),
            None,
        ),
        ("a.yaml", ("a: [1]\nb: 1\n", "a: x\nb: 1\n", "a: {c: 1}\nb: 2\n"), "a: x\nb: 2\n"),
    ],
)
def test_answers_pass_the_gates(path: str, texts: tuple[str, str, str], wanted: str | None) -> None:
    """What an answer takes goes through the gates of the whole way."""
    base, ours, theirs = (text.encode() for text in texts)
    versions: ThreeWay[bytes | None] = ThreeWay(base=base, ours=ours, theirs=theirs)
    merge = settle_places(path, merge_file(path, versions, (_Ours(),)), _Ours())
    assert merge.clean
    if wanted is not None:
        assert merge.text() == wanted.encode()
    gates = check(path, merge.text(), versions, merge.decisions)
    assert all(gate.passed for gate in gates), gates
