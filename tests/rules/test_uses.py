"""One side's uses of named things in a file that was taken from the other side."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rules.helpers import one_rule, step, text_of

from mergewright.model.threeway import Side
from mergewright.rules.syntax import parse
from mergewright.rules.uses import keep_uses

BASE = """\
from data import LegacyLoader

def train(batches, config):
    setup()
    while more(batches):
        zero()

        # Forward.
        run(
            batches=batches,
            count=get_count(),
        )


def start(config):
    batches = load()

    if config.old:
        batches = LegacyLoader(batches)

    return batches
"""
OURS = """\
from data import pack

def train(batches, config):
    setup()
    offload()
    while more(batches):
        zero()

        if config.packing is not None:
            # Packs the sequences.
            batches, count = pack(batches, get_count())
        else:
            count = get_count()

        # Forward.
        run(batches=batches, count=count)


def start(config):
    batches = load()

    return batches
"""
THEIRS = """\
from data import LegacyLoader

def train(batches, config):
    setup()
    log("theirs")
    while more(batches):
        zero()

        # Forward.
        enable(config)
        run(
            batches=batches,
            count=get_count(),
            extra=1,
        )


def start(config):
    batches = load()

    if config.old:
        batches = LegacyLoader(batches)

    return batches
"""
WANTED = """\
from data import pack

def train(batches, config):
    setup()
    log("theirs")
    while more(batches):
        zero()

        if config.packing is not None:
            # Packs the sequences.
            batches, count = pack(batches, get_count())
        else:
            count = get_count()

        # Forward.
        enable(config)
        run(
            batches=batches,
            count=count,
            extra=1,
        )


def start(config):
    batches = load()

    return batches
"""
RULE = """
    match: {path: train.py}
    action: keep-uses
    side: ours
    uses: [pack]
    instead-of: [LegacyLoader]
"""


def kept(theirs: str, *, ours: str = OURS, base: str = BASE) -> tuple[str, tuple[str, ...]]:
    """The text and what was refused."""
    found = keep_uses(
        theirs.encode(), ours.encode(), base.encode(), uses=["pack"], instead_of=["LegacyLoader"]
    )
    assert found is not None
    return found.data.decode(), found.refused


def test_uses_come_into_the_taken_file_and_what_was_used_instead_goes() -> None:
    """The statement, with the argument that reads what it binds; the import is another rule's."""
    text, refused = kept(THEIRS)
    assert refused == ()
    assert text == WANTED.replace("from data import pack\n", "", 1)


def test_nothing_is_put_in_without_a_merge_base() -> None:
    """Whether the side added a statement or changed one is not known then."""
    text, refused = kept(THEIRS, base="")
    assert "pack(" not in text
    assert any("the merge base does not have the function" in reason for reason in refused)


def test_the_rule_puts_the_uses_back_and_the_import_follows() -> None:
    """Two rules: the uses, and the import that they need."""
    from mergewright.model.threeway import ThreeWay
    from mergewright.rules.loading import load_text
    from mergewright.rules.steps import run_steps
    from mergewright.rules.trees import MemoryTree

    rules = dedent(
        """\
        version: 1
        rules:
          - id: uses
            reason: because
            match: {path: train.py}
            action: keep-uses
            side: ours
            uses: pack
            instead-of: LegacyLoader
          - id: imports
            reason: because
            match: {path: train.py}
            action: restore-imports
        """
    )
    trees = [MemoryTree({"train.py": text.encode()}) for text in (BASE, OURS, THEIRS)]
    result = run_steps(
        load_text(rules), trees[2], ThreeWay(base=trees[0], ours=trees[1], theirs=trees[2])
    )
    (edit,) = result.edits
    assert ast.dump(ast.parse(edit.data)) == ast.dump(ast.parse(WANTED))
    assert [(d.rule, d.side) for d in edit.decisions] == [
        ("uses", Side.OURS),
        ("uses", Side.OURS),
        ("imports", Side.OURS),
    ]


def test_a_second_run_changes_nothing() -> None:
    """What is there already is not put in again."""
    once, _ = kept(THEIRS)
    assert kept(once) == (once, ())


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("count=get_count()", "count=get_count() * 2", "something new as count"),
        ("def train(", "def training(", "is not there"),
        ("while more(batches):", "for batch in batches:", "did not add it"),
        ("batches, config", "batches, settings", "reads config"),
    ],
)
def test_what_the_other_side_changed_is_never_overwritten(old: str, new: str, why: str) -> None:
    """An argument, a function or a loop of theirs that is another since the base is refused."""
    changed = THEIRS.replace(old, new).replace("enable(config)", "enable()")
    text, refused = kept(changed)
    assert any(why in reason for reason in refused), refused
    assert "pack(" not in text


def test_a_statement_that_the_side_changed_is_not_put_in_twice() -> None:
    """Only added statements are put in; a changed one would stand beside its old self."""
    ours = OURS.replace("    setup()", "    setup(pack)")
    text, refused = kept(THEIRS, ours=ours)
    assert text.count("setup(") == 1
    assert refused == ()


@pytest.mark.parametrize(
    ("theirs", "why"),
    [
        ("from data import LegacyLoader\nclass Mine(LegacyLoader): ...\n", "needs it"),
        (
            "from data import LegacyLoader\ndef f(x):\n    it = LegacyLoader(x)\n    return it\n",
            "binds it, which is read",
        ),
        (
            "from data import LegacyLoader\ndef f(x):\n    for x in y:\n        LegacyLoader(x)\n",
            "all that its block holds",
        ),
    ],
)
def test_a_replaced_name_that_is_needed_stays(theirs: str, why: str) -> None:
    """Then its import stays as well, and the report says why."""
    text, refused = kept(theirs, ours="def f(x):\n    return pack(x)\n", base="")
    assert "from data import LegacyLoader" in text
    assert any(why in reason for reason in refused), refused


@pytest.mark.parametrize(
    ("names", "left"),
    [
        ("LegacyLoader, other", "other"),
        ("other, LegacyLoader", "other"),
        ("a, LegacyLoader, b", "a, b"),
        ("(\n    a,\n    LegacyLoader,\n)", "(\n    a,\n)"),
    ],
)
def test_only_the_name_leaves_an_import(names: str, left: str) -> None:
    """Other names of the statement stay."""
    text, _ = kept(f"from data import {names}\n", ours="pack\n", base="")
    assert text == f"from data import {left}\n"


def test_indentation_follows_and_strings_over_lines_are_refused() -> None:
    """Ours stands four deep, theirs two; a string that spans lines would change with it."""
    theirs = "def f(x):\n  first()\n  last(x)\n"
    base = theirs
    ours = "def f(x):\n    first()\n    if x:\n        x = pack(x)\n    last(x)\n"
    text, refused = kept(theirs, ours=ours, base=base)
    assert text == "def f(x):\n  first()\n  if x:\n      x = pack(x)\n  last(x)\n"
    assert refused == ()
    text, refused = kept(theirs, ours=ours.replace("pack(x)", 'pack("""a\nb""")'), base=base)
    assert text == theirs
    assert "a string spans its lines" in refused[0]


@given(st.lists(st.sampled_from([*THEIRS.splitlines(), *OURS.splitlines()]), max_size=25))
def test_no_text_is_broken(lines: list[str]) -> None:
    """Whatever was taken: the result parses where it did, or nothing is answered."""
    text = "\n".join(lines) + "\n"
    found = keep_uses(
        text.encode(), OURS.encode(), BASE.encode(), uses=["pack"], instead_of=["LegacyLoader"]
    )
    if found is not None:
        assert parse(text.encode()) is None or parse(found.data) is not None


RENAME = """
    match: {path: '**/*.py'}
    action: rename
    from: state.get_old
    to: state.get_new
    forms: [import, attribute]
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from core.state import get_old\nx = get_old\n", "from core.state import get_new\nx = get_new\n"),
        (
            "from .state import (\n    a,\n    get_old,\n)\nf(get_old=get_old(), y=self.get_old)\n",
            "from .state import (\n    a,\n    get_new,\n)\nf(get_old=get_new(), y=self.get_old)\n",
        ),
        ("from state import get_old as g\ng()\n", "from state import get_new as g\ng()\n"),
        ("from core import state\nstate.get_old()\n", "from core import state\nstate.get_new()\n"),
        ("from other import get_old\nget_old()\n", None),
        ("from state import get_old\ndef f(get_old): return get_old\n", None),
        ("from state import get_old\nget_old = 1\n", None),
        ("from state import x\nget_old()\n", None),
    ],
)  # fmt: skip
def test_an_import_and_its_uses_are_renamed(before: str, after: str | None) -> None:
    """Of the owner's name only, and nowhere in a file where something else has the name."""
    result = step(one_rule(RENAME), {"a.py": before}, ours={"a.py": ""})
    assert text_of(result, "a.py") == after
