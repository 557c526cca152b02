"""Failures of other tools that users reported, as cases of our own (see the sketches in each test)."""

import json
import tomllib

import pytest

from mergewright.formats import FormatOptions, merge_for, regenerate_command, yamltext
from mergewright.model.merge import Answer, FileMerge, Question
from mergewright.model.threeway import Side, ThreeWay


def merged(path: str, base: str | None, ours: str, theirs: str, **options: object) -> FileMerge:
    merge = merge_for(path, **options)  # type: ignore[arg-type]
    assert merge is not None
    return merge(
        ThreeWay(
            base=None if base is None else base.encode(),
            ours=ours.encode(),
            theirs=theirs.encode(),
        )
    )


def test_json_added_by_both_is_one_object() -> None:
    """A file that both sides added with different keys becomes one object (weave #51)."""
    merge = merged("a.json", None, '{\n  "a": 1\n}\n', '{\n  "b": 2\n}\n')
    assert merge.clean
    assert merge.text() == b'{\n  "a": 1,\n  "b": 2\n}\n'


def test_json_middle_key_and_keys_at_the_end() -> None:
    """A changed middle key and keys added at the end do not close the object early (weave #36)."""
    base = '{\n  "a": 1,\n  "b": 2,\n  "c": 3\n}\n'
    ours = '{\n  "a": 1,\n  "b": 2,\n  "c": 3,\n  "d": 4,\n  "e": 5\n}\n'
    theirs = base.replace('"b": 2', '"b": 20')
    merge = merged("a.json", base, ours, theirs)
    assert merge.clean
    assert json.loads(merge.text()) == {"a": 1, "b": 20, "c": 3, "d": 4, "e": 5}
    assert merge.text() == ours.replace('"b": 2', '"b": 20').encode()


def test_requirements_without_a_final_newline() -> None:
    """Two requirements never end up on one line (mergiraf, no_line_at_end)."""
    merge = merged("requirements.txt", "a\nc", "a\nb\nc", "a\nc\nd")
    assert merge.clean
    assert merge.text() == b"a\nb\nc\nd"


def test_yaml_quoted_strings_are_told_apart() -> None:
    """Two quoted strings are not one and the same (mergiraf #379)."""
    base = 'a:\n  - "x"\n  - "y"\nb: "z"\n'
    merge = merged("a.yaml", base, base.replace('"y"', '"yy"'), base.replace('"z"', '"zz"'))
    assert merge.text() == b'a:\n  - "x"\n  - "yy"\nb: "zz"\n'


def test_one_toml_table_added_in_two_places() -> None:
    """A table that both sides added in different places is one table, never two."""
    base = "[a]\nx = 1\n\n[b]\ny = 1\n"
    ours = "[q]\nk = 1\n\n" + base
    theirs = base + "\n[q]\nm = 2\n"
    merge = merged("a.toml", base, ours, theirs)
    assert merge.clean
    data = tomllib.loads(merge.text().decode())
    assert data == {"a": {"x": 1}, "b": {"y": 1}, "q": {"k": 1, "m": 2}}


def test_one_toml_table_added_in_two_places_with_a_contradiction() -> None:
    """Where the two tables contradict each other, the key alone is left open."""
    base = "[a]\nx = 1\n\n[b]\ny = 1\n"
    merge = merged("a.toml", base, "[q]\nk = 1\n\n" + base, base + "\n[q]\nk = 2\n")
    (place,) = merge.contested
    assert place.symbol == "q.k"
    assert place.versions == ThreeWay(base=b"", ours=b"k = 1\n", theirs=b"k = 2\n")


def test_an_edited_bullet_wins_over_its_stale_copy() -> None:
    """An edited changelog entry is not kept beside its old wording (git's union driver)."""
    base = "# Log\n\n## 1.1\n\n- Fix the reader.\n\n## 1.0\n\n- First.\n"
    ours = base.replace("- Fix the reader.", "- Fix the reader of empty files.")
    theirs = base.replace("- Fix the reader.\n", "- Fix the reader.\n- Add a writer.\n")
    merge = merged("CHANGELOG.md", base, ours, theirs)
    assert merge.clean
    expected = base.replace(
        "- Fix the reader.\n", "- Fix the reader of empty files.\n- Add a writer.\n"
    )
    assert merge.text() == expected.encode()


def test_a_removed_bullet_does_not_return() -> None:
    """An entry that one side removed stays removed."""
    base = "# Log\n\n## 1.1\n\n- A one.\n- B two.\n- C three.\n"
    merge = merged("CHANGELOG.md", base, base.replace("- B two.\n", ""), base + "- D four.\n")
    assert merge.text() == b"# Log\n\n## 1.1\n\n- A one.\n- C three.\n- D four.\n"


def test_repeated_lines_stay_repeated() -> None:
    """Lines that repeat (code fences) are not made unique."""
    base = "# A\n\n```\nx\n```\n\nText.\n\n```\ny\n```\n\n- one\n"
    merge = merged("notes.md", base, base + "- two\n", base.replace("Text.", "New text."))
    assert merge.clean
    assert merge.text() == (base.replace("Text.", "New text.") + "- two\n").encode()


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("uv.lock", "uv lock"),
        ("poetry.lock", "poetry lock"),
        ("web/package-lock.json", "npm install --package-lock-only"),
        ("pnpm-lock.yaml", "pnpm install --lockfile-only"),
        ("Cargo.lock", "cargo generate-lockfile"),
        ("pdm.lock", "pdm lock"),
    ],
)
def test_a_lock_file_is_never_merged_by_text(path: str, command: str) -> None:
    """A lock file is left open even where its lines would merge, and the reason names the command."""
    base = "[[package]]\nname = 'a'\nversion = '1'\n\n\n\n[[package]]\nname = 'b'\nversion = '1'\n"
    ours = base.replace("name = 'a'\nversion = '1'", "name = 'a'\nversion = '2'")
    theirs = base.replace("name = 'b'\nversion = '1'", "name = 'b'\nversion = '2'")
    merge = merged(path, base, ours, theirs)
    (place,) = merge.contested
    assert place.versions.ours == ours.encode()
    assert command in place.reason
    assert regenerate_command(path) == command


def test_a_lock_file_changed_by_one_side_is_that_side() -> None:
    """Where only one side changed the lock file there is nothing to decide."""
    merge = merged("uv.lock", "a\n", "a\n", "b\n")
    assert merge.clean
    assert merge.text() == b"b\n"


def test_a_decider_gives_a_lock_file_whole() -> None:
    """A rule may say which side's lock file is taken."""

    class Theirs:
        def decide(self, question: Question) -> Answer:
            assert question.symbol == ""
            return Answer(strategy="take-theirs", reason="main locks", side=Side.THEIRS, rule="r")

    merge = merged("uv.lock", "a\n", "b\n", "c\n", deciders=(Theirs(),))
    assert merge.text() == b"c\n"
    assert merge.decisions[0].rule == "r"


def test_compiled_requirements_are_a_lock_file() -> None:
    """A requirements file that a resolver wrote is compiled again, not merged."""
    head = "#\n# This file is autogenerated by pip-compile with Python 3.12\n#\n"
    merge = merged(
        "requirements/dev.txt",
        head + "a==1\nb==1\n",
        head + "a==2\nb==1\n",
        head + "a==1\nb==2\n",
    )
    assert not merge.clean
    assert "compile" in merge.contested[0].reason


def test_golden_values_come_from_one_run() -> None:
    """Golden values of two runs are not mixed; a team may say otherwise."""
    base = '{\n  "loss": [1, 2],\n  "time": 3\n}\n'
    ours, theirs = base.replace("[1, 2]", "[4, 5]"), base.replace("3", "6")
    path = "tests/golden_values_dev_dgx_h100.json"
    assert not merged(path, base, ours, theirs).clean
    mixed = merged(path, base, ours, theirs, options=FormatOptions(golden="merge"))
    assert json.loads(mixed.text()) == {"loss": [4, 5], "time": 6}


CELL = """  {{
   "cell_type": "code",
   "execution_count": {count},
   "id": "{id}",
   "metadata": {{}},
   "outputs": [],
   "source": [
    {source}
   ]
  }}"""
FOOT = '\n ],\n "metadata": {},\n "nbformat": 4,\n "nbformat_minor": 5\n}\n'


def notebook(*cells: tuple[str, str, str]) -> str:
    shown = ",\n".join(
        CELL.format(id=name, count=count, source=",\n    ".join(json.dumps(x) for x in lines))
        for name, count, text in cells
        for lines in [text.splitlines(keepends=True)]
    )
    return '{\n "cells": [\n' + shown + FOOT


def test_a_cell_changed_on_both_sides_is_not_deleted() -> None:
    """A cell that both sides edited in different lines combines; nothing is dropped (nbdime #597)."""
    base = notebook(("a", "1", "x = 1\ny = 2\nz = 3\n"), ("b", "2", "print(x)"))
    ours = notebook(("a", "3", "x = 10\ny = 2\nz = 3\n"), ("b", "2", "print(x)"))
    theirs = notebook(("a", "4", "x = 1\ny = 2\nz = 30\n"), ("b", "2", "print(x)"))
    merge = merged("a.ipynb", base, ours, theirs)
    assert merge.clean
    cells = json.loads(merge.text())["cells"]
    assert "".join(cells[0]["source"]) == "x = 10\ny = 2\nz = 30\n"
    assert cells[0]["execution_count"] is None
    assert len(cells) == 2


def test_a_contested_cell_keeps_both_texts() -> None:
    """A line of a cell that both sides changed stays open with both texts, and is not base."""
    base = notebook(("a", "1", "x = 1\ny = 2\n"))
    ours, theirs = base.replace("x = 1", "x = 2"), base.replace("x = 1", "x = 3")
    merge = merged("a.ipynb", base, ours, theirs)
    (place,) = merge.contested
    assert b"x = 2" in place.versions.ours
    assert b"x = 3" in place.versions.theirs


def test_cells_are_matched_when_ids_are_new() -> None:
    """A notebook that got ids on both sides keeps ours' ids and matches cells by source."""
    base = notebook(("a", "1", "x = 1\n"), ("b", "2", "y = 2\n")).replace('   "id": "a",\n', "")
    base = base.replace('   "id": "b",\n', "")
    ours = notebook(("o1", "1", "x = 1\n"), ("o2", "2", "y = 20\n"))
    theirs = notebook(("t1", "1", "x = 10\n"), ("t2", "2", "y = 2\n"))
    merge = merged("a.ipynb", base, ours, theirs)
    assert merge.clean
    cells = json.loads(merge.text())["cells"]
    assert [cell["id"] for cell in cells] == ["o1", "o2"]
    assert [cell["source"] for cell in cells] == [["x = 10\n"], ["y = 20\n"]]


def test_json_lines_outside_the_change_keep_their_layout() -> None:
    """Odd spacing of untouched lines survives."""
    base = '{ "a" : 1,\n    "b":2,\n\n "c"  : [1,2,   3],\n "d": {} }\n'
    merge = merged(
        "a.json", base, base.replace('"b":2', '"b":3'), base.replace("{} }", '{"e": 1} }')
    )
    assert merge.text() == b'{ "a" : 1,\n    "b":3,\n\n "c"  : [1,2,   3],\n "d": {"e": 1} }\n'


def test_line_ends_and_byte_order_mark() -> None:
    """CRLF, a byte order mark and the missing final newline are merged like any property."""
    base = "[a]\nx = 1\ny = 2\n"
    ours = "\ufeff" + base.replace("x = 1", "x = 3").replace("\n", "\r\n")
    theirs = base.replace("y = 2\n", "y = 4")
    merge = merged("a.ini", base, ours, theirs)
    assert merge.text() == "\ufeff[a]\r\nx = 3\r\ny = 4".encode()


@pytest.mark.parametrize("path", ["a.toml", "a.json", "a.yaml", "a.ini"])
def test_a_text_out_of_format_is_merged_by_lines(path: str) -> None:
    """A version that does not parse falls back to lines, and the merge says so."""
    base = "{[ not\n\n\n\n" + "x\n" * 5
    merge = merged(path, base, "0\n" + base, base + "1\n")
    assert merge.clean
    assert merge.method == "lines"
    assert "merged by lines" in merge.notes[-1]


def test_versions_take_the_larger_unless_switched_off() -> None:
    """A version that both sides raised is the larger; the strategy can be turned round or off."""
    base, ours, theirs = (f'[project]\nversion = "{v}"\n' for v in ("1.9", "1.10", "1.9.1"))
    assert merged("pyproject.toml", base, ours, theirs).text() == ours.encode()
    smaller = FormatOptions(versions="smaller")
    assert merged("pyproject.toml", base, ours, theirs, options=smaller).text() == theirs.encode()
    off = merged("pyproject.toml", base, ours, theirs, options=FormatOptions(versions="off"))
    assert [place.symbol for place in off.contested] == ["project.version"]


def test_a_version_moved_back_stays_open() -> None:
    """Only versions that both moved forward are compared."""
    base, ours, theirs = (f'{{\n  "version": "{v}"\n}}\n' for v in ("2.0.0", "1.0.0", "3.0.0"))
    assert not merged("package.json", base, ours, theirs).clean


def test_a_git_source_is_one_decision() -> None:
    """Both sides moved one source: it is left open as that source, whatever its revisions are."""
    base = '[tool.uv.sources]\neng = { git = "https://x.example/e", rev = "aaa" }\n'
    merge = merged("pyproject.toml", base, base.replace("aaa", "bbb"), base.replace("aaa", "ccc"))
    (place,) = merge.contested
    assert place.symbol == "tool.uv.sources.eng"


STEPS = """jobs:
  test:
    steps:
      - uses: actions/checkout@v3
      - name: Install
        run: make install
      - id: run
        run: make test
"""


def test_steps_of_a_workflow_are_matched_by_what_names_them() -> None:
    """Steps named by different members are merged one by one; a pin both raised is open, or switched."""
    ours = STEPS.replace("@v3", "@v4").replace("make test", "make test -j2")
    theirs = STEPS.replace("@v3", "@v5").replace("make install", "make all")
    path = ".github/workflows/ci.yml"
    (place,) = merged(path, STEPS, ours, theirs).contested
    assert place.symbol == "jobs.test.steps.actions/checkout.uses"
    merge = merged(path, STEPS, ours, theirs, options=FormatOptions(pins="larger"))
    assert merge.clean
    expected = STEPS.replace("@v3", "@v5").replace("make test", "make test -j2")
    assert merge.text() == expected.replace("make install", "make all").encode()


def test_an_inserted_step_of_one_name_is_no_version_of_another() -> None:
    """Two steps with one action are never taken for each other."""
    twice = STEPS.replace(
        "      - uses: actions/checkout@v3\n",
        "      - uses: actions/checkout@v3\n        with:\n          path: extra\n"
        "      - uses: actions/checkout@v3\n",
    )
    theirs = STEPS.replace("checkout@v3\n", "checkout@v3\n        with:\n          depth: 1\n")
    merge = merged(".github/workflows/ci.yml", STEPS, twice, theirs)
    assert not merge.clean


def test_an_option_line_that_both_sides_changed_stays_open() -> None:
    """Two new versions of one editable install are not both kept."""
    base = "-e git+https://x.example/e@v1#egg=e\na==1\n"
    merge = merged("requirements.txt", base, base.replace("@v1", "@v2"), base.replace("@v1", "@v3"))
    assert not merge.clean


def test_a_key_that_both_sides_renamed_stays_open() -> None:
    """A key renamed to two names is not kept under both."""
    base = 'first: 1\nimage: "registry.example/base"\nlast: 9\n'
    ours, theirs = base.replace("image:", "picture:"), base.replace("image:", "container:")
    assert not merged("a.yaml", base, ours, theirs).clean


def test_a_bullet_that_both_sides_rewrote_stays_open() -> None:
    """Two rewritings of one entry are not both kept."""
    base = "# Log\n\n## 1.1\n\n- Fix the reader of empty files.\n"
    ours = base.replace("Fix the reader of empty files.", "Inputs may be void now (#12)")
    theirs = base.replace("Fix the reader of empty files.", "Zero-byte archives load (#34)")
    assert not merged("CHANGELOG.md", base, ours, theirs).clean


def test_attributes_that_overlap_keep_their_order_open() -> None:
    """In an attributes file the last match wins: two overlapping additions stay open."""
    base = "*.png binary\n"
    merge = merged(".gitattributes", base, base + "*.txt eol=lf\n", base + "docs/*.txt eol=crlf\n")
    assert not merge.clean


def test_a_text_rewritten_throughout_ends_in_seconds() -> None:
    """Thousands of entries that both sides rewrote are merged by lines instead of compared in pairs."""

    def log(word: str) -> str:
        return "# Log\n\n## 1.1\n\n" + "".join(f"- {word} {n * 7919}.\n" for n in range(3000))

    merge = merged("CHANGELOG.md", log("Base"), log("Entirely other"), log("Unlike anything"))
    assert not merge.clean
    assert "rewritten" in merge.notes[0]


def test_a_yaml_list_that_both_sides_empty_together_stays_open() -> None:
    """Each side removed another element: a list without elements would be no list."""
    base = "words:\n  - a\n  - b\nlast: 1\n"
    merge = merged("a.yaml", base, base.replace("  - a\n", ""), base.replace("  - b\n", ""))
    assert [place.symbol for place in merge.contested] == ["words"]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("a:\n\n# of b\nb: 1\n", "a:\n"),
        ("x:\n  a:\n  b:\n    - c\n", "x:\n  a:\n  b:\n    - c\n"),
        ("x:\n  a:\n\n# of y\ny: 2\n", "x:\n  a:\n"),
    ],
)
def test_a_key_without_a_value_ends_with_its_line(text: str, first: str) -> None:
    """What follows a key without a value, comments of the next key above all, is not its text."""
    root = yamltext.parse(text)
    assert root.text == text
    top = (root.children or ())[0].children or ()
    assert top[0].text == first


def test_a_name_renamed_and_a_name_added_of_one_line() -> None:
    """A list of names in one line is merged name by name, and stays open where a name is contested."""
    base = "[flake8]\nselect = B, C, E, F{1,2}, W\n"
    ours, theirs = base.replace("F{1,2}", "F{1,2,3}"), base.replace("B, C", "A, B, C")
    merge = merged("tox.ini", base, ours, theirs)
    assert merge.text() == b"[flake8]\nselect = A, B, C, E, F{1,2,3}, W\n"
    assert not merged("tox.ini", base, ours, base.replace("F{1,2}", "F")).clean
    assert not merged("tox.ini", base, ours, base.replace("F{1,2}, ", "")).clean


def test_a_target_is_known_by_its_name() -> None:
    """Two link targets are never versions of one another, in Markdown and in reStructuredText."""
    head = "# Log\n\n## 1.1\n\n- One.\n\n[1.1]: https://x.example/p/compare/1.0...1.1\n"
    ours = head + "[#3410]: https://x.example/p/issues/3410\n"
    theirs = head + "[#3418]: https://x.example/p/issues/3418\n"
    merge = merged("CHANGELOG.md", head, ours, theirs)
    assert merge.clean
    assert merge.text().decode() == ours + "[#3418]: https://x.example/p/issues/3418\n"
    other = head + "[#3410]: https://x.example/p/pull/3410\n"
    assert not merged("CHANGELOG.md", head, ours, other).clean
