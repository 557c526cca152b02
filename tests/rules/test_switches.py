"""Every strategy has a switch: off, a place is asked of the rules and stays open without one."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import ROOT, conflict_of

from mergewright.model.merge import Answer, FileMerge, Question
from mergewright.model.resolution import Decision, Deferred, Outcome, Resolved
from mergewright.model.strategies import COMMON, FORMATS, HISTORY, PYTHON, STRATEGIES
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.cascade import Cascade, Rebased
from mergewright.resolve.engines import merge_file
from mergewright.rules.book import RuleBook
from mergewright.rules.loading import load_text

LABELS = ThreeWay(base="base", ours="dev", theirs="main")


def notebook(identity: str) -> str:
    """A notebook of one cell."""
    cell = f'"cell_type": "code", {identity}"metadata": {{}}, "outputs": [], "source": ["x = 1"]'
    return f'{{"cells": [{{{cell}}}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}\n'


#: Strategy to (path, base, ours, theirs): texts that it settles when it is on.
CASES: dict[str, tuple[str, str, str, str]] = {
    "combine": ("a.py", "f(a=1, b=1)\n", "f(a=2, b=1)\n", "f(a=1, b=2)\n"),
    "larger-version": (
        "a.py",
        '__version__ = "1.0"\n',
        '__version__ = "1.1"\n',
        '__version__ = "1.2"\n',
    ),
    "deletion-of-annotations": (
        "a.py",
        "def f(x):\n    return x\n\n\ndef g(x):\n    return 1\n",
        "def g(x):\n    return 1\n",
        "def f(x: int) -> int:\n    return x\n\n\ndef h():\n    pass\n\n\ndef g(x):\n    return 1\n",
    ),
    "deletion-of-comments": (
        "a.py",
        "def f(x):\n    return x\n\n\ndef g(x):\n    return 1\n",
        "def g(x):\n    return 1\n",
        "def f(x):\n    # 1\n    return x\n\n\ndef h():\n    pass\n\n\ndef g(x):\n    return 1\n",
    ),
    "follow-rename": (
        "a.py",
        "def old(x):\n    a = x\n    b = a + 1\n    c = b * 2\n    return c\n",
        "def new(x):\n    a = x\n    b = a + 1\n    c = b * 2\n    return c\n",
        "def old(x):\n    a = x\n    b = a + 1\n    c = b * 3\n    return c\n",
    ),
    "deletion-of-respelled": (
        "a.py",
        "def f(x):\n    return set([x])\n\n\ndef g(x):\n    return 1\n",
        "def g(x):\n    return 1\n",
        "def f(x):\n    return {x}\n\n\ndef h():\n    pass\n\n\ndef g(x):\n    return 1\n",
    ),
    "follow-move": (
        "a.py",
        "def f(x):\n    a = one(x)\n    b = two(a)\n    c = three(b)\n    return c\n",
        "def f(x):\n    if x:\n        a = one(x)\n        b = two(a)\n        c = three(b)\n    return c\n",
        "def f(x):\n    a = one(x)\n    b = two(a, 1)\n    c = three(b)\n    return c\n",
    ),
    "fuller-comment": (
        "a.py",
        "x = 1\n",
        "# why it is so\nx = 1\n",
        "# why it is so\n# and since when\nx = 1\n",
    ),
    "insert-superset": (
        "a.py",
        "def f(x):\n    one(x)\n    return x\n",
        "def f(x):\n    one(x)\n    two(x)\n    return x\n",
        "def f(x):\n    one(x)\n    two(x)\n    three(x)\n    return x\n",
    ),
    "replaced-respelled": (
        "a.py",
        "def f(x):\n    y = not x in one\n    return y\n",
        "def f(x):\n    y = two(x) + 1\n    return y\n",
        "def f(x):\n    y = x not in one\n    return y\n",
    ),
    "same-code": (
        "a.py",
        "def f(x):\n    return one(x)\n",
        "def f(x):\n    return two(16, x)  # so\n",
        "def f(x):\n    return two(0x10, x)\n",
    ),
    "same-wrapper": (
        "a.py",
        "def f(x):\n    one(x)\n    two(x)\n",
        "def f(x):\n    if x:\n        zero(x, x)\n        one(x)\n        two(x)\n",
        "def f(x):\n    if x:\n        one(x)\n        two(x)\n",
    ),
    "import-bindings": (
        "a.py",
        "x = 1\n",
        "import os, sys\n\nx = 1\n\n\ndef f():\n    return os, sys\n",
        "import sys\n\nx = 1\n\n\ndef g():\n    return sys\n",
    ),
    "import-names": (
        "a.py",
        "from m import a\nx = 1\n",
        "x = 1\n",
        "from m import a, b\nx = 1\nb()\n",
    ),
    "import-union": (
        "a.py",
        "x = 1\n",
        "from m import a\n\nx = 1\n\n\ndef f():\n    return a()\n",
        "from m import b\n\nx = 1\n\n\ndef g():\n    return b()\n",
    ),
    "insert-both": (
        "a.py",
        "def f():\n    p = P()\n    return p\n",
        'def f():\n    p = P()\n    p.add_argument("-a")\n    return p\n',
        'def f():\n    p = P()\n    p.add_argument("-b")\n    return p\n',
    ),
    "keep-import": (
        "a.py",
        "import m\n\nx = 1\n",
        "import z\n\nx = 1\n",
        "import m\nimport y\n\nx = 1\n\n\ndef f():\n    return m.y\n",
    ),
    "lines": (
        "a.py",
        "x = [\n    1,\n    2 3 4,\n    5,\n    6,\n]\n",
        "x = [\n    0,\n    2 3 4,\n    5,\n    6,\n]\n",
        "x = [\n    1,\n    2 3 4,\n    5,\n    7,\n]\n",
    ),
    "replaced-neutral": (
        "a.py",
        "def f(a):\n    # first\n    x = one(a)\n    y = two(x)\n    return y\n",
        "def f(a):\n    return three(a)\n",
        "def f(a):\n    x = one(a)\n    y = two(x)\n    return y\n",
    ),
    "sweep": (
        "a.py",
        "".join(f"def f{n}():\n    return old_name({n})\n\n\n" for n in range(8))
        + "x = old_name(1, 2)\n",
        "".join(f"def f{n}():\n    return old_name({n})\n\n\n" for n in range(8))
        + "x = old_name(1, 3, 4)\n",
        "".join(f"def f{n}():\n    return new_name({n})\n\n\n" for n in range(8))
        + "x = new_name(1, 2)\n",
    ),
    "combine-lines": (
        "a.md",
        "# A\n\nOne line of words.\nAnother line.\nThird line of it.\n",
        "# A\n\nOne line of many words.\nAnother line.\nThird line of it.\n",
        "# A\n\nOne line of words.\nAnother line.\nThe third line of it.\n",
    ),
    "combine-words": (
        "a.md",
        "# A\n\nIt runs on Python and needs nothing else at all from you today.\n",
        "# A\n\nIt works on Python and needs nothing else at all from you today.\n",
        "# A\n\nIt runs on Python and needs nothing else at all from you tomorrow.\n",
    ),
    "contained": (
        "tool.sh",
        "run --fast --jobs 1 here\n",
        "run --slow --jobs 2 here\n",
        "run --slow --jobs 1 here\n",
    ),
    "deletion": ("a.toml", "a = 1\nb = 2\nc = 3\n", "a = 1\nc = 3\n", "a = 1\nb = 2\nc = 4\n"),
    "insertion": ("a.toml", "a = 1\n", "a = 1\nb = 2\n", "a = 1\nc = 3\n"),
    "larger-pin": ("requirements.txt", "x==1.0\n", "x==1.1\n", "x==1.2\n"),
    "released": (
        "CHANGES.md",
        "# Changes\n\n## 1.0\n\n- one entry of it\n",
        "# Changes\n\n## 1.0 (unreleased)\n\n- one entry of it\n",
        "# Changes\n\n## 1.0 (2024-01-02)\n\n- one entry of it\n",
    ),
    "union": (
        "a.toml",
        '[project]\nkeywords = ["a"]\n',
        '[project]\nkeywords = ["a", "b"]\n',
        '[project]\nkeywords = ["a", "c"]\n',
    ),
    "cell-id": (
        "a.ipynb",
        notebook(""),
        notebook('"id": "one", '),
        notebook('"id": "two", '),
    ),
}

ON = "engine: {pins: larger, prose: true}\n"

#: Strategies that would settle the case of another one when that is off.
ALSO = {
    "deletion-of-annotations": ["deletion-of-respelled"],
    "deletion-of-comments": ["deletion-of-respelled"],
    "fuller-comment": ["same-code"],
    "replaced-neutral": ["replaced-respelled"],
}


def merged(name: str, book: RuleBook) -> FileMerge:
    path, *texts = CASES[name]
    base, ours, theirs = (text.encode() for text in texts)
    decider = book.decider(path)
    return merge_file(
        path,
        ThreeWay(base=base, ours=ours, theirs=theirs),
        [decider],
        options=book.engine_options(path),
        formats=book.format_options(path),
    )


def test_every_strategy_has_a_case() -> None:
    """The table below is whole."""
    assert set(CASES) == {*COMMON, *PYTHON, *FORMATS}


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_strategy_is_switched_off(name: str) -> None:
    """On, it settles the texts; off, they stay open, and a rule of a path leaves others alone."""
    on = merged(name, load_text(f"version: 1\n{ON}"))
    assert on.clean
    assert name in {decision.strategy for decision in on.decisions}
    rules = f"version: 1\n{ON.strip()[:-1]}, off: %s}}\n"
    off = merged(name, load_text(rules % f"[{', '.join([name, *ALSO.get(name, [])])}]"))
    assert not off.clean
    assert name not in {d.strategy for d in off.decisions if d.outcome is Outcome.RESOLVED}
    elsewhere = rules % f"{{strategy: {name}, path: other/**, reason: only there}}"
    assert merged(name, load_text(elsewhere)).text() == on.text()


@pytest.mark.parametrize("name", sorted(set(CASES) - {"import-bindings", "cell-id"}))
@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_a_strategy_is_turned_round(name: str, side: str) -> None:
    """Off, a symbol rule decides what it would have settled."""
    rule = (
        "rules:\n  - id: mine\n    reason: we want it so\n"
        f"    match: {{path: {CASES[name][0]}, symbol: '**'}}\n"
        f"    action: take-{side}\n    wholesale: true\n"
    )
    off = ", ".join([name, *ALSO.get(name, [])])
    book = load_text(f"version: 1\n{ON.strip()[:-1]}, off: [{off}]}}\n{rule}")
    merge = merged(name, book)
    if not merge.clean:
        # Engines that ask no questions while they merge are asked afterwards, by the cascade.
        path, base, ours, theirs = CASES[name]
        outcome = Cascade(
            labels=LABELS,
            rules=book,
            engine=lambda *_: merge,
        ).resolve(conflict_of(base, ours, theirs, path))
        assert isinstance(outcome, Resolved), outcome
        decisions = outcome.decisions
    else:
        decisions = merge.decisions
    assert "mine" in {decision.rule for decision in decisions}


class _Knows:
    """A decider that has an answer by one strategy."""

    def __init__(self, strategy: str) -> None:
        self._strategy = strategy

    def decide(self, question: Question) -> Answer:
        return Answer(strategy=self._strategy, side=Side.THEIRS, reason="commits say so")


@pytest.mark.parametrize("name", sorted(HISTORY))
def test_history_is_switched_off(name: str) -> None:
    """Answers from the commits do not count where their strategy is off."""
    conflict = conflict_of("x = 1\n", "x = 2\n", "x = 3\n", "a.py")
    cascade = Cascade(labels=LABELS, history=lambda _: [_Knows(name)])
    assert isinstance(cascade.resolve(conflict), Resolved)
    off = load_text(f"version: 1\nengine: {{off: [{name}]}}\n")
    assert isinstance(replace(cascade, disabled=off.disabled).resolve(conflict), Deferred)


def test_a_newer_base_is_switched_off() -> None:
    """A file is merged from the merge base where the newest common state is off."""
    conflict = conflict_of("x = 1\n", "x = 2\n", "x = 3\n", "a.py")
    newer = conflict_of("x = 2\n", "x = 2\n", "x = 3\n", "a.py")
    decision = Decision(
        symbol="",
        outcome=Outcome.RESOLVED,
        strategy="newest-common-state",
        side=Side.BOTH,
        reason="Both had x = 2.",
    )
    cascade = Cascade(labels=LABELS, rebase=lambda _: Rebased(conflict=newer, decision=decision))
    assert isinstance(cascade.resolve(conflict), Resolved)
    off = replace(cascade, disabled=lambda _: frozenset({"newest-common-state"}))
    assert isinstance(off.resolve(conflict), Deferred)


def test_an_unknown_strategy_is_an_error() -> None:
    """A mistyped name is refused with the nearest one."""
    from mergewright.model.errors import RuleFileError

    with pytest.raises(RuleFileError, match="did you mean 'insert-both'"):
        load_text("version: 1\nengine: {off: [insert-bot]}\n")


def test_format_switches() -> None:
    """Pins, recorded values and prose are set in the rule file; what is not said stays as it is."""
    plain = load_text("version: 1\n").format_options("a.md")
    assert (plain.versions, plain.pins, plain.golden, plain.prose) == (
        "larger",
        "off",
        "whole",
        False,
    )
    said = load_text(
        "version: 1\nengine: {versions: false, pins: smaller, golden: merge, prose: true}\n"
    ).format_options("a.md")
    assert (said.versions, said.pins, said.golden, said.prose) == ("off", "smaller", "merge", True)
    assert load_text("version: 1\nengine: {pins: off}\n").format_options("a").pins == "off"


def test_pins_are_turned_round() -> None:
    """``pins: smaller`` keeps the smaller of two raised pins."""
    path, base, ours, theirs = CASES["larger-pin"]
    book = load_text("version: 1\nengine: {pins: smaller}\n")
    texts: ThreeWay[bytes | None] = ThreeWay(
        base=base.encode(), ours=ours.encode(), theirs=theirs.encode()
    )
    merge = merge_file(path, texts, formats=book.format_options(path))
    assert merge.text() == b"x==1.1\n"
    assert {d.strategy for d in merge.decisions} >= {"smaller-pin"}


def test_recorded_values_merge_where_the_rules_say_so() -> None:
    """``golden: merge`` merges recorded values by key."""
    texts: ThreeWay[bytes | None] = ThreeWay(
        base=b'{"a": 1, "b": 1}\n', ours=b'{"a": 2, "b": 1}\n', theirs=b'{"a": 1, "b": 2}\n'
    )
    path = "golden_values_x.json"
    assert not merge_file(path, texts).clean
    book = load_text("version: 1\nengine: {golden: merge}\n")
    merge = merge_file(path, texts, formats=book.format_options(path))
    assert merge.text() == b'{"a": 2, "b": 2}\n'


#: Names that stand as strategies in reports and need no switch: what git does too, and the actions
#: of rules and the memory, each with a section or rule of its own.
UNSWITCHED = {
    "same", "same-on-both", "one-side", "whole-side", "git-clean", "git", "defer", "failed",
    "leave", "follow", "larger", "prefer-abstraction", "memory", "rules", "binary", "smaller-pin",
    "smaller-version", "audit", "layout",
}  # fmt: skip


def test_no_strategy_is_without_a_switch() -> None:
    """Each name that the source gives to a decision is a strategy with a switch, or listed here."""
    found: set[str] = set()
    for folder in ("python", "formats", "history", "resolve", "workflows", "text"):
        for path in sorted((ROOT / "src/mergewright" / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            found.update(re.findall(r'strategy="([a-z][a-z-]*)"', text))
            found.update(re.findall(r'_decided?\(\s*[^"()]*?,\s*"([a-z][a-z-]*)"', text))
    assert len(found) > 20
    assert found - UNSWITCHED <= set(STRATEGIES), sorted(found - UNSWITCHED - set(STRATEGIES))


def test_the_reference_lists_every_strategy() -> None:
    """The documentation of rule files names each strategy and what it settles."""
    text = Path(ROOT / "docs/rules.md").read_text(encoding="utf-8")
    for name, what in STRATEGIES.items():
        assert f"| `{name}` | {what} |" in text, name
