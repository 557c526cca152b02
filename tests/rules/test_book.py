"""Which rule speaks, and what it answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mergewright.model.conflict import MODE_REGULAR, Conflict, ConflictKind, FileVersion
from mergewright.model.history import EvidenceClass, Standing, Verdict
from mergewright.model.merge import Answer, Question
from mergewright.model.threeway import Side, ThreeWay
from mergewright.rules.book import RuleBook
from mergewright.rules.loading import load_text
from mergewright.rules.patterns import check_pattern, matches
from mergewright.rules.union import union


def version(path: str, text: str) -> FileVersion:
    return FileVersion(path=path, mode=MODE_REGULAR, oid=text, data=text.encode())


def conflict(path: str, kind: ConflictKind = ConflictKind.BOTH_MODIFIED) -> Conflict:
    return Conflict(
        path=path,
        kind=kind,
        versions=ThreeWay(
            base=version(path, "b"), ours=version(path, "o"), theirs=version(path, "t")
        ),
    )


def question(symbol: str, kind: str = "both-changed", path: str = "a.py") -> Question:
    return Question(
        path=path,
        symbol=symbol,
        kind=kind,
        versions=ThreeWay(base=b"b\n", ours=b"o\n", theirs=b"t\n"),
    )


def book_of(*rules: str) -> RuleBook:
    text = "version: 1\nrules:\n"
    for index, rule in enumerate(rules):
        text += f"  - {{id: r{index}, reason: because, {rule}}}\n"
    return load_text(text)


def test_first_match_wins() -> None:
    """Of two rules for one path the first decides."""
    book = book_of(
        "match: {path: a.py}, action: take-theirs", "match: {path: '*.py'}, action: leave"
    )
    rule = book.for_path(conflict("a.py"))
    assert rule is not None
    assert (rule.id, rule.side) == ("r0", Side.THEIRS)
    other = book.for_path(conflict("b.py"))
    assert other is not None
    assert (other.id, other.side) == ("r1", None)
    assert book.for_path(conflict("b.txt")) is None


def test_only_pins_and_always_speak_for_clean_paths() -> None:
    """A clean merge is touched by 'pinned' and 'when: always' alone."""
    book = book_of(
        "match: {path: a}, action: take-theirs",
        "match: {path: b}, action: pinned",
        "match: {path: c}, action: take-theirs, when: always",
    )
    assert book.for_path("a") is None
    pinned, always = book.for_path("b"), book.for_path("c")
    assert pinned is not None
    assert always is not None
    assert (pinned.side, always.side) == (Side.OURS, Side.THEIRS)
    assert book.speaks_for_clean_paths
    assert not book_of("match: {path: a}, action: leave").speaks_for_clean_paths


def test_kind_changed_and_except() -> None:
    """Kind of conflict, changed side and exceptions narrow a rule."""
    book = book_of(
        "match: {path: '**/*.py', except: 'vendor/**', kind: both-added}, action: leave",
        "match: {path: x/y.py, changed: ours}, action: take-ours, when: always",
    )
    assert book.for_path(conflict("p/a.py")) is None
    assert book.for_path(conflict("p/a.py", ConflictKind.BOTH_ADDED)) is not None
    assert book.for_path(conflict("vendor/a.py", ConflictKind.BOTH_ADDED)) is None
    changed = ThreeWay(base=1, ours=2, theirs=1)
    assert book.for_path("x/y.py", versions=changed) is not None
    assert book.for_path("x/y.py", versions=changed.swapped()) is None
    assert book.for_path("x/y.py") is None


def test_symbol_rules_answer_questions() -> None:
    """A rule with a symbol speaks for that symbol's questions and not for the path."""
    book = book_of(
        "match: {path: a.py, symbol: Scheduler.**}, action: take-ours",
        "match: {symbol: 'notes', place: both-added}, action: union",
        "match: {symbol: '**', path: stop.py}, action: leave",
    )
    assert book.for_path(conflict("a.py")) is None
    decider = book.decider("a.py")
    for symbol in ("Scheduler", "Scheduler.run", "Scheduler.Inner.run"):
        answer = decider.decide(question(symbol))
        assert answer is not None
        assert (answer.side, answer.rule) == (Side.OURS, "r0")
    assert decider.decide(question("Schedulers")) is None
    assert decider.decide(question("notes")) is None
    answer = decider.decide(question("notes", "both-added"))
    assert answer is not None
    assert answer.text == b"o\nt\n"
    left = book.decider("stop.py").decide(question("anything"))
    assert left is not None
    assert (left.strategy, left.side, left.text, left.base) == ("leave", None, None, None)


class History:
    def __init__(self, verdict: Verdict) -> None:
        self._verdict = verdict

    def verdict(self, question: Question) -> Verdict:
        return self._verdict


def test_history_rules() -> None:
    """A rule on history needs the standing and evidence at least as strong as it says."""
    book = book_of(
        "match: {history: ours-ahead, evidence: at-least pull-request}, action: take-ours"
    )
    commits = ("c" * 40,)

    def ask(standing: Standing, evidence: EvidenceClass) -> Answer | None:
        verdict = Verdict(
            standing=standing, reason="dev went on", evidence=evidence, commits=commits
        )
        return book.decider("a.py", History(verdict)).decide(question("f"))

    answer = ask(Standing.OURS_AHEAD, EvidenceClass.TRAILER)
    assert answer is not None
    assert answer.side is Side.OURS
    assert answer.evidence[1].commits == commits
    assert ask(Standing.OURS_AHEAD, EvidenceClass.TITLE) is None
    assert ask(Standing.THEIRS_AHEAD, EvidenceClass.TRAILER) is None
    assert book.decider("a.py").decide(question("f")) is None


def test_warnings() -> None:
    """Shadowed rules and rules that matched nothing are told with their place."""
    book = book_of(
        "match: {path: 'src/**'}, action: leave",
        "match: {path: src/a/b.py}, action: union",
        "match: {path: src/*.py, kind: binary}, action: union",
        "match: {path: docs/x}, action: union",
        "match: {path: src/b.py}, action: pinned",
    )
    assert [w.rule for w in book.shadowed()] == ["r1", "r2"]
    assert "rules.yaml:4" in str(book.shadowed()[0])
    assert [w.rule for w in book.unused({"r0", "r3"})] == ["r1", "r2", "r4"]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("**/*.py", "a.py", True),
        ("**/*.py", "x/y/a.py", True),
        ("*.py", "x/a.py", False),
        ("a/**", "a/b/c", True),
        ("a/**", "a", False),
        ("a/**/c", "a/c", True),
        ("a/**/c", "a/b/b/c", True),
        ("a/**/c", "ab/c", False),
        ("a?c", "a/c", False),
        ("a[!x]c", "a/c", False),
        ("a[bx]c", "abc", True),
        ("**", "any/thing", True),
        ("**/**/x", "x", True),
        ("a.b", "aXb", False),
    ],
)
def test_globs(pattern: str, text: str, expected: bool) -> None:
    """``*`` stays in its segment, ``**`` crosses them."""
    assert check_pattern(pattern, "/") is None
    assert matches((pattern,), text, "/") is expected


LINES = st.lists(st.sampled_from(["a", "b", "c", "d", ""]), max_size=6).map(
    lambda lines: "".join(f"{line}\n" for line in lines).encode()
)


@given(LINES, LINES, LINES)
def test_union_loses_nothing(base: bytes, ours: bytes, theirs: bytes) -> None:
    """A line that one side alone added stands in the union, and nothing is invented."""
    result = set(union(ThreeWay(base=base, ours=ours, theirs=theirs)).split(b"\n"))
    old, left, right = (set(text.split(b"\n")) for text in (base, ours, theirs))
    assert (left - old) | (right - old) <= result
    assert result <= old | left | right | {b""}


def test_union_keeps_an_edit_over_its_stale_copy() -> None:
    """The line that one side edited does not come back from the other side."""
    result = union(ThreeWay(base=b"a\nold\n", ours=b"a\nnew\n", theirs=b"a\nold\nmore"))
    assert result == b"a\nnew\nmore"


def test_engine_options() -> None:
    """The engine section sets the engine's switches; the rest keeps its default."""
    options = load_text("version: 1\nengine: {versions: false, budget: 5}\n").engine_options()
    assert (options.versions, options.sweeps, options.budget) == (False, True, 5.0)


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "side"),
    [
        ("v==1.0\n", "v==1.2\n", "v==1.10\n", Side.THEIRS),
        ("v==1.10\n", "v==1.2\n", "v==1.3\n", Side.OURS),
        ("v==1.5\n", "v==1.2\n", "v==1.7\n", None),
        ("a==1.0 b==2.0\n", "a==1.1 b==2.0\n", "a==1.2 b==2.1\n", Side.THEIRS),
        ("a==1.0 b==2.0\n", "a==1.3 b==2.0\n", "a==1.2 b==2.1\n", None),
        ("v==1.0\n", "v>=1.2\n", "v==1.3\n", None),
        ("no version\n", "none\n", "never\n", None),
        ("uses: a/b@v3\n", "uses: a/b@v4\n", "uses: a/b@v5\n", Side.THEIRS),
        (f"a@{'1' * 40} # v1.0\n", f"a@{'2' * 40} # v1.3\n", f"a@{'3' * 40} # v1.2\n", Side.OURS),
        (f"a@{'1' * 40} # v1.0\n", f"a@{'2' * 40} # v1.3\n", f"a@{'3' * 40} # v1.3\n", None),
        (f"a@{'1' * 40}\n", f"a@{'2' * 40} # v1.3\n", f"a@{'3' * 40} # v1.2\n", None),
        (f"a@{'1' * 40}\n", f"a@{'2' * 40}\n", f"a@{'3' * 40}\n", None),
        ("FROM x:26.02-py3\n", "FROM x:26.03-py3\n", "FROM x:26.04-py3\n", Side.THEIRS),
    ],
)
def test_larger(base: str, ours: str, theirs: str, side: Side | None) -> None:
    """Both moved the same way: the further one; another direction or other text: no answer."""
    book = book_of("match: {path: a.py}, action: larger")
    texts = ThreeWay(base=base.encode(), ours=ours.encode(), theirs=theirs.encode())
    asked = Question(path="a.py", symbol="", kind="both-changed", versions=texts)
    answer = book.decider("a.py").decide(asked)
    assert (None if answer is None else answer.side) == side


def test_history_actions() -> None:
    """Take-ahead takes the side that is ahead; merge-from-common gives the newest common state."""
    book = book_of(
        "match: {history: [ours-ahead, theirs-ahead]}, action: take-ahead",
        "match: {history: diverged}, action: merge-from-common",
    )
    ahead = Verdict(standing=Standing.THEIRS_AHEAD, reason="r", evidence=EvidenceClass.LINEAGE)
    answer = book.decider("a.py", History(ahead)).decide(question("f"))
    assert answer is not None
    assert answer.side is Side.THEIRS
    common = Verdict(standing=Standing.DIVERGED, reason="r", base=b"newer\n")
    answer = book.decider("a.py", History(common)).decide(question("f"))
    assert answer is not None
    assert (answer.side, answer.base) == (None, b"newer\n")
    assert book.decider("a.py", History(replace(common, base=None))).decide(question("f")) is None


def test_mentions() -> None:
    """A rule may ask for a name that one side's text holds and the other's does not."""
    book = book_of("match: {path: a.py, ours-mentions: is_wide}, action: take-ours")
    texts = ThreeWay(base=b"a", ours=b"if is_wide(x):", theirs=b"if is_narrow(x):")
    asked = Question(path="a.py", symbol="f", kind="both-changed", versions=texts)
    assert book.decider("a.py").decide(asked) is not None
    assert book.decider("a.py").decide(replace(asked, versions=texts.swapped())) is None


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        (
            b"    if narrow(x) and y:\n",
            b"    if (\n        cls.broad(x)\n        and y\n    ):\n",
            b"    if (narrow(x) and y) or z:\n",
            b"    if (cls.broad(x) and y) or z:\n",
        ),
        (b"narrow(x)\n", b"broad(x)\n", b"# why\nnot narrow(x)\n", b"# why\nnot broad(x)\n"),
        (b"narrow(x)\n", b"broad(x, 1)\n", b"not narrow(x)\n", None),
        (b"narrow(x)\n", b"broad(x)\n", b"other(x)\n", None),
        (b"narrow(x)\n", b"broad(x)\n", b"broad(x) or narrow(x)\n", None),
        (None, b"broad(x)\n", b"narrow(x)\n", None),
    ],
)
def test_prefer_abstraction(
    base: bytes | None, ours: bytes, theirs: bytes, expected: bytes | None
) -> None:
    """Where ours only put its helper in, theirs' text gets the helper too; else no answer."""
    book = book_of(
        "match: {path: a.py}, action: prefer-abstraction, side: ours, broad: broad, narrow: narrow"
    )
    texts = ThreeWay(base=base, ours=ours, theirs=theirs)
    answer = book.decider("a.py").decide(
        Question(path="a.py", symbol="f", kind="both-changed", versions=texts)
    )
    assert (None if answer is None else answer.text) == expected
