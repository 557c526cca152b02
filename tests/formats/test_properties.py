"""Properties of the merges by format, on random merges whose right answer is known."""

import os
import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formats.generators import CHECKS

_SLOW = [HealthCheck.too_slow]


@pytest.mark.parametrize("name", CHECKS)
@settings(max_examples=5, deadline=None, suppress_health_check=_SLOW)
@given(seed=st.integers(min_value=0, max_value=2**40))
def test_nothing_is_lost_or_invented(name: str, seed: int) -> None:
    """Results parse; keys, entries and comments are conserved; lines are a version's own."""
    CHECKS[name](random.Random(seed))


@pytest.mark.parametrize("name", CHECKS)
def test_most_random_merges_are_clean(name: str) -> None:
    """The engines settle what does not contradict: most of the random merges."""
    clean = sum(CHECKS[name](random.Random(seed)) for seed in range(5))
    assert clean >= 2


@pytest.mark.long
@pytest.mark.parametrize("name", CHECKS)
def test_two_thousand_random_merges(name: str) -> None:
    """2,000 random merges without loss; ``FORMATS_SEED`` shifts the seeds."""
    start = int(os.environ.get("FORMATS_SEED", "0")) * 1_000_000
    count = int(os.environ.get("FORMATS_COUNT", "2000"))
    clean = 0
    for seed in range(start, start + count):
        try:
            clean += CHECKS[name](random.Random(seed))
        except AssertionError as error:
            raise AssertionError(f"seed {seed}: {error}") from error
    assert clean > count // 4
