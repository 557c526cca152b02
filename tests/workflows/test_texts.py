"""Three texts without a repository, and the clock over one file."""

import time

import pytest

from mergewright.model.resolution import Deferred, Resolved
from mergewright.model.threeway import ThreeWay
from mergewright.resolve.cascade import BudgetExceeded
from mergewright.workflows.texts import merge_texts, time_limit


def spin(seconds: float) -> None:
    """Use processor time."""
    start = time.process_time()
    while time.process_time() - start < seconds:
        pass


def test_the_clock_rings_in_processor_time() -> None:
    """A block that computes too long is stopped; one that waits is not."""
    with pytest.raises(BudgetExceeded, match=r"0\.05 s"), time_limit(0.05):
        spin(5)
    with time_limit(0.05):
        time.sleep(0.2)
    spin(0.1)  # no clock is left behind


def test_a_ring_that_became_another_error_is_still_the_clock() -> None:
    """Native callbacks turn the signal's exception into their own."""

    def wrapped() -> None:
        try:
            spin(5)
        except BaseException as error:
            raise SystemError("callback") from error

    with pytest.raises(BudgetExceeded), time_limit(0.05):
        wrapped()


def test_errors_of_the_block_are_not_touched() -> None:
    """Without a ring an error stays what it is."""
    with pytest.raises(KeyError), time_limit(5):
        raise KeyError("x")


def test_text_with_nul_bytes_is_left_and_a_deleted_side_is_named() -> None:
    """What is no text, and what a side does not have, is a deferral with a reason."""
    outcome = merge_texts(ThreeWay(base=b"a\0", ours=b"b\0", theirs=b"c\0"))
    assert isinstance(outcome, Deferred)
    assert "Binary" in outcome.reason
    gone = merge_texts(ThreeWay(base=b"a\n", ours=None, theirs=b"c\n"))
    assert isinstance(gone, Deferred)
    assert "ours deleted it" in gone.reason.lower()


def test_clean_merge_is_a_value() -> None:
    """The library face for three texts."""
    outcome = merge_texts(
        ThreeWay(base=b"x = 1\ny = 1\n", ours=b"x = 2\ny = 1\n", theirs=b"x = 1\ny = 2\n"),
        path="a.py",
    )
    assert isinstance(outcome, Resolved)
    assert outcome.data == b"x = 2\ny = 2\n"
