"""Composed statements in the repository's own formatting, where its texts prove it."""

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from tests.corpus.edits import Scenario, canonical
from tests.corpus.generators import scenarios

from mergewright.git.repository import Repository
from mergewright.model.merge import FileMerge
from mergewright.model.threeway import ThreeWay
from mergewright.python.engine import EngineOptions, merge_python
from mergewright.python.formatting import FormatSettings, Formatting
from mergewright.testing import CommitSpec, build_repository
from mergewright.workflows.formatter import Ruff
from mergewright.workflows.resolving import plan_merge

BLACK = FormatSettings()
LINE = "    result = compute(first_argument_name, second_argument_name, third={}{})\n"


def merge(
    base: str, ours: str, theirs: str, *candidates: FormatSettings, path: str = "m.py"
) -> FileMerge:
    versions = ThreeWay(base=base.encode(), ours=ours.encode(), theirs=theirs.encode())
    formatting = Formatting(run=Ruff(), candidates=lambda: candidates)
    return merge_python(path, versions, options=EngineOptions(formatting=formatting))


def text(result: FileMerge) -> str:
    assert result.clean, result.contested
    return result.text().decode()


def long_call() -> tuple[str, str, str]:
    """Both sides add a keyword to a call that is then too long for 88 columns."""
    base = "def f():\n" + LINE.format(1, "")
    ours = "def f():\n" + LINE.format(1, ", fourth=2")
    theirs = "def f():\n" + LINE.format(1, ", fifth=3")
    return base, ours, theirs


def test_composed_statement_is_wrapped() -> None:
    """A statement that became too long is wrapped as the configured formatter does."""
    assert text(merge(*long_call(), BLACK)) == (
        "def f():\n"
        "    result = compute(\n"
        "        first_argument_name, second_argument_name, third=1, fourth=2, fifth=3\n"
        "    )\n"
    )


@pytest.mark.parametrize(
    ("settings_", "wraps"),
    [(FormatSettings(line_length=100), False), (FormatSettings(line_length=60), False)],
)
def test_settings_must_fit_the_texts(settings_: FormatSettings, wraps: bool) -> None:
    """Settings that leave the statement as it is, or that the sides do not keep, change nothing."""
    assert ("(\n" in text(merge(*long_call(), settings_))) is wraps


def test_nothing_is_guessed_from_a_few_lines() -> None:
    """Without configuration, a text that proves no settings is left alone."""
    assert "(\n" not in text(merge(*long_call()))


def test_settings_proved_by_the_text() -> None:
    """Without configuration, settings that give back both whole files are used."""
    more = "".join(
        f"\n\ndef g{n}(value):\n    return call_something_that_is_long(\n"
        f"        value, number={n}, another_value_to_fill_it={n}00, and_more={n}\n    )\n"
        for n in range(12)
    )
    # A line of 88 columns shows that the limit is neither 79 nor 80.
    more += "\n\nanother = " + " + ".join(["abcdefg"] * 7) + " + abcdefgh\n"
    base, ours, theirs = (part + more for part in long_call())
    result = merge(base, ours, theirs)
    assert "compute(\n        first_argument_name" in text(result)
    assert [d.strategy for d in result.decisions].count("layout") == 1


@pytest.mark.parametrize("marker", ["# fmt: off", "# fmt: skip"])
def test_formatter_markers(marker: str) -> None:
    """A file that switches its formatter off anywhere gets no statement formatted."""
    base, ours, theirs = (f"{marker}\n\n\n{part}" for part in long_call())
    assert "(\n" not in text(merge(base, ours, theirs, BLACK))


def test_neighbours_are_not_touched() -> None:
    """Badly formatted text beside a composed statement stays byte for byte."""
    ugly = "x   =  {  'a':1 }\n\n\n"
    base, ours, theirs = (f"{ugly}{part}y=(  1)\n" for part in long_call())
    result = text(merge(base, ours, theirs, BLACK))
    assert result.startswith(ugly)
    assert result.endswith("    )\ny=(  1)\n")


@pytest.mark.parametrize(
    ("header", "second"),
    [
        ("def f({}):\n        pass\n", "parameters"),
        ("if call({}):\n        pass\n", "if"),
        ("with call({}) as value:\n        pass\n", "with"),
        ("while call({}):\n        pass\n", "while"),
        ("class A(Base, {}):\n        pass\n", "class"),
        ("for value in call({}):\n        pass\n", "for"),
    ],
)
def test_headers(header: str, second: str) -> None:
    """Headers of compound statements are formatted without their bodies."""
    del second
    one = "first=1, second=2, third_argument_with_a_name=3"
    base, ours, theirs = (
        "class Outer:\n    " + header.format(arguments)
        for arguments in (one, one.replace("=1", "=10"), one + ", fourth_argument_with_a_name=4")
    )
    # Each side fits, both together do not.
    tight = FormatSettings(line_length=max(len(line) for line in theirs.splitlines()))
    result = text(merge(base, ours, theirs, tight))
    assert result == Ruff()(result, tight)
    assert "=10" in result
    assert "fourth_argument_with_a_name=4" in result


def test_elif_and_except() -> None:
    """Clauses that cannot stand alone are formatted as well."""
    body = (
        "if a:\n    b\nelif call(first_argument, {}, third_argument, fourth_argument, {}):\n    c\n"
    )
    long = "fifth_argument_with_a_name"
    base, ours, theirs = (
        body.format(x, y)
        for x, y in (("second", long), ("changed", long), ("second", long + "_too"))
    )
    wide = FormatSettings(line_length=99)
    result = text(merge(base, ours, theirs, wide))
    assert result == Ruff()(result, wide)
    assert "changed" in result
    assert long + "_too" in result


def test_whole_file_formatted_by_one_side() -> None:
    """One side formats the file, the other edits it in the old style: the edits follow."""
    base = (
        "import os\ndef parse( text ):\n    return text.split( ',' )\n\n"
        "def join( parts ):\n    return ','.join( parts )\n"
    )
    ours = Ruff()(base, BLACK)
    assert ours is not None
    theirs = base.replace("split( ',' )", "split( ';' )")
    theirs += "\ndef count( parts ):\n    return len( parts )\n"
    right = Ruff()(theirs, BLACK)
    assert text(merge(base, ours, theirs, BLACK)) == right
    assert text(merge(base, theirs, ours, BLACK)) == right
    result = merge(base, ours, theirs, BLACK)
    (reason,) = (d.reason for d in result.decisions if d.strategy == "layout")
    assert reason == (
        "ours formatted the file by settings proved by the text (line length 88); what theirs "
        "changed is formatted the same way"
    )


def test_stub_files() -> None:
    """A ``.pyi`` file is formatted by the rules of stubs."""
    base = (
        "class A:\n    value: Mapping[first_argument_name, second_argument_name]\n\n"
        "    def f(self) -> None: ...\n"
    )
    ours = base.replace("first_argument", "another_first_argument")
    theirs = base.replace("second_argument", "another_second_argument")
    result = text(merge(base, ours, theirs, FormatSettings(line_length=70), path="m.pyi"))
    assert result == Ruff()(result, FormatSettings(line_length=70), stub=True)
    assert "another_first_argument_name, another_second_argument_name" in result


def test_a_formatter_that_changes_the_program_is_not_believed() -> None:
    """Each answer is held against the statement that was meant."""

    def run(given: str, settings_: FormatSettings, *, stub: bool = False) -> str | None:
        found = Ruff()(given, settings_, stub=stub)
        return None if found is None else found.replace("fifth=3\n", "fifth=4\n")

    base, ours, theirs = long_call()
    versions = ThreeWay(base=base.encode(), ours=ours.encode(), theirs=theirs.encode())
    formatting = Formatting(run=run, candidates=lambda: (BLACK,))
    result = merge_python("m.py", versions, options=EngineOptions(formatting=formatting))
    assert "fifth=3" in text(result)


def test_a_formatter_that_fails() -> None:
    """Without an answer of the formatter the result is as it is without it."""
    base, ours, theirs = long_call()
    versions = ThreeWay(base=base.encode(), ours=ours.encode(), theirs=theirs.encode())

    def run(given: str, settings_: FormatSettings, *, stub: bool = False) -> str | None:
        del given, settings_, stub
        return None

    formatting = Formatting(run=run, candidates=lambda: (BLACK,))
    with_it = merge_python("m.py", versions, options=EngineOptions(formatting=formatting))
    assert with_it == merge_python("m.py", versions)


def test_ruff_refuses_what_is_no_python() -> None:
    """Text that does not parse has no format."""
    assert Ruff()("def (\n", BLACK) is None


# -- in a repository ----------------------------------------------------------------------------


@contextmanager
def planned(tmp_path: Path, extra: dict[str, bytes]) -> Iterator[str]:
    base, ours, theirs = long_call()
    trees = ({"m.py": part.encode()} | extra for part in (base, ours, theirs))
    names = ("start", "ours", "theirs")
    folder = tmp_path / "repository"
    ids = build_repository(
        folder,
        [
            CommitSpec(name=name, files=tree, parents=() if name == "start" else ("start",))
            for name, tree in zip(names, trees, strict=True)
        ],
        branches={"ours": "ours", "theirs": "theirs"},
    )
    with plan_merge(Repository.open(folder), ids["ours"], ids["theirs"]) as plan:
        data = plan.text("m.py")
        assert data is not None
        yield data.decode()


@pytest.mark.parametrize(
    ("configuration", "wraps"),
    [("[tool.black]\n", True), ("[tool.ruff]\nline-length = 100\n", False), ("", False)],
)
def test_settings_of_the_merged_trees(tmp_path: Path, configuration: str, wraps: bool) -> None:
    """The configuration of the merged commits decides, and only that."""
    with planned(tmp_path, {"pyproject.toml": configuration.encode()}) as result:
        assert ("compute(\n" in result) is wraps


# -- properties ---------------------------------------------------------------------------------


@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(scenarios())
def test_formatting_changes_layout_only(case: Scenario) -> None:
    """One side formats the whole file: the same program comes out, formatted, and stays as it is."""
    narrow = FormatSettings(line_length=60)
    base, ours, theirs = (data.decode() for data in case.versions)
    styled = Ruff()(ours, narrow)
    assert styled is not None
    result = merge(base, styled, theirs, narrow)
    plain = merge(base, ours, theirs)
    if not result.clean or not plain.clean:
        return
    # The formatter strips docstrings: compared as it would leave both.
    texts = [Ruff()(m.text().decode(), narrow) for m in (result, plain)]
    assert canonical((texts[0] or "").encode()) == canonical((texts[1] or "").encode())
    again = merge(result.text().decode(), result.text().decode(), result.text().decode(), narrow)
    assert again.text() == result.text()
    ast.parse(result.text())
