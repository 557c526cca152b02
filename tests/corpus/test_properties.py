"""Properties of merges over generated modules, whose right result is known by construction."""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache

import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from tests.corpus.edits import Scenario, canonical, parse, tokens
from tests.corpus.generators import modules, scenarios
from tests.corpus.running import Result, run_texts, sides_of_markers
from tests.fuzz import judge

from mergewright.model.threeway import ThreeWay

# Deterministic, so that a fault of one seed does not stop other people's work; the fuzz command and
# `-m long` draw anew. Nothing is shrunk: `python -m tests.fuzz` minimises better and faster.
short = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def merge(base: bytes, ours: bytes, theirs: bytes) -> Result:
    return run_texts("module.py", ThreeWay(base=base, ours=ours, theirs=theirs))


def merged(case: Scenario) -> Result:
    return merge(*case.versions)


@lru_cache(maxsize=256)
def formatted(data: bytes) -> bytes:
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--isolated", "--line-length", "60", "-"],
        input=data,
        capture_output=True,
        check=True,
    )
    return done.stdout


@short
@given(scenarios())
def test_right_or_open(case: Scenario) -> None:
    """A clean result is the right program; a conflict shows every edit of both sides."""
    result = merged(case)
    data = result.data or b""
    found, wanted = tokens(data, case), tokens(case.right, case)
    if result.clean:
        assert canonical(data) == canonical(case.right)
        assert found == wanted
    else:
        assert all(found[token] >= 1 for token in wanted)


@short
@given(scenarios(clash=True))
def test_contradiction_stays_open(case: Scenario) -> None:
    """What both sides changed differently is never settled silently, and both values are shown."""
    result = merged(case)
    assert not result.clean
    for pair in case.clashes:
        for change in pair:
            assert change.token in (result.data or b"")


@short
@given(scenarios())
def test_sides_swapped(case: Scenario) -> None:
    """With the sides swapped a clean result is the same program, and a contradiction is one."""
    base, ours, theirs = case.versions
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)
    if one.clean and other.clean:
        assert canonical(one.data or b"") == canonical(other.data or b"")
    elif not one.clean and not other.clean:
        assert len(one.open) == len(other.open)


@short
@given(scenarios())
def test_one_side_unchanged(case: Scenario) -> None:
    """A side that equals the base gives way byte for byte; equal sides give themselves."""
    base, ours, _ = case.versions
    for texts in ((base, ours, base), (base, base, ours), (base, ours, ours)):
        result = merge(*texts)
        assert result.clean
        assert result.data == ours


@short
@given(scenarios())
def test_merging_again_changes_nothing(case: Scenario) -> None:
    """What was merged cleanly, merged with either side again, stays what it is."""
    base, ours, theirs = case.versions
    result = merge(base, ours, theirs)
    assume(result.clean)
    data = result.data or b""
    for side in (ours, theirs):
        again = merge(side, data, side)
        assert again.data == data
        once_more = merge(base, data, side)
        if once_more.clean:
            assert canonical(once_more.data or b"") == canonical(data)


@short
@given(scenarios())
def test_untouched_lines_stay(case: Scenario) -> None:
    """Lines that no side touched stand in the result, byte for byte and in order; also beside conflicts."""
    result = merged(case)
    data = result.data or b""
    if not result.clean:
        sides = sides_of_markers(data)
        assert sides is not None
        data = sides.ours
    touched: set[int] = set()
    for edit in case.edits:
        first = case.base.count(b"\n", 0, edit.change.start)
        last = case.base.count(b"\n", 0, max(edit.change.end - 1, edit.change.start))
        if edit.change.end > edit.change.start or case.base[edit.change.start - 1 :][:1] != b"\n":
            touched.update(range(first, last + 1))
    rows = iter(data.split(b"\n"))
    for number, line in enumerate(case.base.split(b"\n")):
        if number not in touched:
            assert any(line == row for row in rows), (number, line)


@short
@given(scenarios(clash=True))
def test_sides_of_a_conflict_parse(case: Scenario) -> None:
    """Whichever side is taken at the open places, the text is Python."""
    result = merged(case)
    assume(not result.clean and result.method == "python")
    sides = sides_of_markers(result.data or b"")
    assert sides is not None
    assert parse(sides.ours) is not None
    assert parse(sides.theirs) is not None


@settings(short, max_examples=6)
@given(scenarios())
def test_reformatted_versions_merge_alike(case: Scenario) -> None:
    """Merging formatted versions is formatting the merge, and formatting one side changes nothing."""
    base, ours, theirs = case.versions
    plain = merge(base, ours, theirs)
    every = merge(formatted(base), formatted(ours), formatted(theirs))
    if plain.clean and every.clean:
        assert canonical(every.data or b"") == canonical(formatted(plain.data or b""))
    for texts in ((base, formatted(ours), theirs), (base, ours, formatted(theirs))):
        one = merge(*texts)
        if one.clean:
            # The formatter strips docstrings: both are formatted before they are held together.
            assert canonical(formatted(one.data or b"")) == canonical(formatted(case.right))


@settings(short, max_examples=6)
@given(modules())
def test_formatting_alone_is_no_conflict(data: bytes) -> None:
    """Three layouts of one program merge cleanly into that program."""
    result = merge(data, formatted(data), data.replace(b"(value)", b"( value )"))
    assert result.clean
    assert canonical(result.data or b"") == canonical(data)


@pytest.mark.long
@settings(short, max_examples=2000, derandomize=False)
@given(scenarios(rich=True))
def test_reshaped_code_is_right_or_open_long(case: Scenario) -> None:
    """Moved, wrapped, renamed and reformatted code, for long."""
    verdict, result = judge(case)
    assert verdict in ("exact", "right", "open"), result


@pytest.mark.long
@settings(short, max_examples=2000, derandomize=False)
@given(scenarios())
def test_right_or_open_long(case: Scenario) -> None:
    """The first property, and strict symmetry, for long."""
    base, ours, theirs = case.versions
    result, swapped = merge(base, ours, theirs), merge(base, theirs, ours)
    if result.clean:
        assert canonical(result.data or b"") == canonical(case.right)
    assert result.clean == swapped.clean
