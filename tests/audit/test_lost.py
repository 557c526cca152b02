"""Facts that both parents had, or one added, and the merge dropped."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.audit.trees import checks, facts_only, one

from mergewright.audit.lost import required
from mergewright.audit.values import Tier

OLD = """
    import os

    class Manager:
        size: int = 1

        def run(self, hidden):
            return dispatch(hidden, size=self.size)

    def dispatch(hidden, size):
        return hidden
    """


def test_a_keyword_argument_that_dev_added_is_a_review_item() -> None:
    """Main changed a line near by; the merge took it without the keyword."""
    ours = OLD.replace("size=self.size", "size=self.size, sms=4").replace(
        "hidden, size)", "hidden, size, sms=0)"
    )
    theirs = OLD.replace("return dispatch(", "return dispatch(  # fast\n            ")
    merged = theirs.replace("hidden, size)", "hidden, size, sms=0)")
    report = facts_only({"m.py": OLD}, {"m.py": ours}, {"m.py": theirs}, {"m.py": merged})
    found = one(report, "lost-keyword")
    assert found.tier is Tier.REVIEW
    assert found.had == "ours"
    assert "dispatch(sms=)" in found.message


def test_what_both_parents_had_is_an_error() -> None:
    """Neither side removed the method; the merge did."""
    ours = OLD + "\n    A = os.sep\n"
    theirs = OLD + "\n    B = os.sep\n"
    merged = OLD.replace(
        "        def run(self, hidden):\n            return dispatch(hidden, size=self.size)\n", ""
    )
    report = facts_only(
        {"m.py": OLD}, {"m.py": ours}, {"m.py": theirs}, {"m.py": merged + "\n    A = B = os.sep\n"}
    )
    found = one(report, "lost-function")
    assert found.tier is Tier.ERROR
    assert found.had == "both"


def test_a_removal_by_one_side_is_no_loss() -> None:
    """Main removed the function; dev did not touch it."""
    theirs = OLD.replace("    def dispatch(hidden, size):\n        return hidden\n", "")
    ours = OLD + "\n    A = os.sep\n"
    report = facts_only(
        {"m.py": OLD}, {"m.py": ours}, {"m.py": theirs}, {"m.py": theirs + "\n    A = os.sep\n"}
    )
    assert checks(report) == []


def test_a_function_that_moved_to_another_file_is_no_loss() -> None:
    """Main moved the helper, the merge followed."""
    helper = "def helper(x):\n    return x\n"
    report = facts_only(
        {"a.py": "x = 1\n"},
        {"a.py": "x = 1\n" + helper},
        {"a.py": "x = 2\n"},
        {"a.py": "x = 2\n", "b.py": helper},
    )
    assert checks(report) == []


def test_reformatting_and_reordering_are_no_loss() -> None:
    """Facts know no layout."""
    ours = "def f(a, b):\n    return g(a, key=b)\n\ndef g(a, key):\n    return a\n"
    merged = (
        "def g(\n    a,\n    key,\n):\n    return a\n\n\ndef f(a, b):\n    return g(\n"
        "        a,\n        key=b,\n    )\n\n\nx = 1\n"
    )
    report = facts_only({"a.py": ""}, {"a.py": ours}, {"a.py": "x = 1\n"}, {"a.py": merged})
    assert checks(report) == []


def test_a_file_of_both_parents_that_is_gone_is_an_error() -> None:
    """Its text stands nowhere else either."""
    report = facts_only(
        {"a.py": "x = 1\n", "d.md": "text\n"},
        {"a.py": "x = 2\n", "d.md": "text\n"},
        {"a.py": "x = 1\n", "d.md": "text\n"},
        {"a.py": "x = 2\n"},
    )
    assert one(report, "lost-file").tier is Tier.ERROR


def test_a_new_file_of_one_side_that_is_gone_is_for_review() -> None:
    """Unless it was renamed."""
    new = {"new.py": "def f():\n    return 1\n"}
    report = facts_only({}, {"a.py": "x=1\n", **new}, {"a.py": "y=1\n"}, {"a.py": "y=1\n"})
    assert one(report, "lost-file").had == "ours"
    moved = {"moved.py": "def f():\n    return 1\n"}
    report = facts_only({}, {"a.py": "x=1\n", **new}, {"a.py": "x=1\n"}, {"a.py": "x=1\n", **moved})
    assert checks(report) == []


counts = st.integers(min_value=0, max_value=4)


@given(counts, counts, counts)
def test_the_required_count_lies_between_what_the_sides_allow(b: int, o: int, t: int) -> None:
    """Never more than the larger side; a clean merge of one side's change is always enough."""
    need = required(b, o, t)
    assert 0 <= need <= max(o, t)
    assert required(b, t, o) == need
    if o == b:
        assert need == t
    if t == b:
        assert need == o


@pytest.mark.parametrize("used", [True, False])
def test_an_import_of_both_counts_only_while_it_is_used(used: bool) -> None:
    """An import that nobody uses any more is a hint."""
    both = "from typing import Callable\n\nF = Callable\n"
    tail = "G = Callable\n" if used else ""
    report = facts_only(
        {"a.py": both}, {"a.py": both + "x=1\n"}, {"a.py": both + "y=1\n"}, {"a.py": tail + "x=1\n"}
    )
    assert one(report, "lost-import").tier is (Tier.ERROR if used else Tier.HINT)
