"""A work taken back or made whole: a path has all of that, or nothing."""

from __future__ import annotations

from pathlib import Path

from tests.history.shapes import PATH, Story

from mergewright.history.groups import HalfTaken, Part
from mergewright.model.threeway import Side
from mergewright.workflows.spreading import make_whole, take_back

BASE = "def alpha(x):\n    return x + 1\n\n\ndef beta(x):\n    return x + 2\n"
OTHER = BASE.replace("x + 1", "fast(x, 5)")


def test_a_work_that_cannot_be_taken_back_in_full_stays(tmp_path: Path) -> None:
    """One commit could be taken back and an older one not: the path is left as it is."""
    told = Story().commit("base", files={PATH: BASE})
    told.commit("dev", ["base"], {PATH: OTHER})
    older = BASE.replace("x + 1", "x + 10")
    told.commit("older", ["base"], {PATH: older})
    newer = older.replace("x + 2", "x + 20")
    told.commit("newer", ["older"], {PATH: newer})
    history = (built := told.build(tmp_path, "dev", "newer")).history()
    merged = newer.replace("x + 10", "x * 100").encode()
    work = [built.ids["older"], built.ids["newer"]]
    spread = take_back(history, work, [PATH], lambda _: merged)
    assert spread.texts == {}
    assert spread.commits == {}
    assert list(spread.left) == [PATH]
    spread = take_back(history, work, [PATH], lambda _: newer.encode())
    assert spread.texts == {PATH: BASE.encode()}
    assert spread.left == {}


def test_a_feature_that_cannot_be_made_whole_in_a_path_leaves_it(tmp_path: Path) -> None:
    """The missing definition could be put in, the edit beside it not: neither is."""
    helper = "\n\ndef helper(x):\n    return x\n"
    told = Story().commit("base", files={PATH: BASE})
    told.commit("dev", ["base"], {PATH: OTHER})
    told.commit("feature", ["base"], {PATH: BASE.replace("x + 1", "helper(x) + 1") + helper})
    built = told.build(tmp_path, "dev", "feature")
    work = HalfTaken(
        commit=built.ids["feature"],
        title="feature",
        side=Side.THEIRS,
        missing=(Part(path=PATH, symbol="helper", text=b""),),
        present=(),
    )
    spread = make_whole(built.history(), work, lambda _: OTHER.encode())
    assert spread.texts == {}
    assert list(spread.left) == [PATH]
    spread = make_whole(built.history(), work, lambda _: BASE.encode())
    assert spread.texts == {PATH: (BASE.replace("x + 1", "helper(x) + 1") + helper).encode()}
    assert spread.left == {}


def test_a_definition_that_cannot_be_put_in_leaves_the_path(tmp_path: Path) -> None:
    """Without the missing definition the rest of its commit is not put in either."""
    changed = BASE.replace("x + 2", "x + 20").replace("x + 1", "x + 10")
    told = Story().commit("base", files={PATH: BASE})
    told.commit("dev", ["base"], {PATH: OTHER})
    told.commit("feature", ["base"], {PATH: changed})
    built = told.build(tmp_path, "dev", "feature")
    work = HalfTaken(
        commit=built.ids["feature"],
        title="feature",
        side=Side.THEIRS,
        missing=(Part(path=PATH, symbol="alpha", text=b""),),
        present=(),
    )
    spread = make_whole(built.history(), work, lambda _: OTHER.encode())
    assert spread.texts == {}
    assert list(spread.left) == [PATH]
