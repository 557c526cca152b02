"""The algebra of three versions."""

from itertools import product

import pytest

from mergewright import Side, ThreeWay, settle


@pytest.mark.parametrize(("base", "ours", "theirs"), list(product("abc", repeat=3)))
def test_settle_table(base: str, ours: str, theirs: str) -> None:
    """One side unchanged takes the other; both equal take ours; else contested."""
    side = settle(ThreeWay(base=base, ours=ours, theirs=theirs))
    if ours == theirs:
        assert side is Side.OURS
    elif base == ours:
        assert side is Side.THEIRS
    elif base == theirs:
        assert side is Side.OURS
    else:
        assert side is None


def test_swapped_and_get() -> None:
    """Swapping exchanges ours and theirs; a side that names no version is refused."""
    versions = ThreeWay(base=1, ours=2, theirs=3)
    assert list(versions.swapped()) == [1, 3, 2]
    assert versions.get(Side.THEIRS) == 3
    with pytest.raises(ValueError, match="no single version"):
        versions.get(Side.BOTH)
