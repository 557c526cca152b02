"""Where decisions stand in the result."""

from mergewright.model.resolution import Outcome
from mergewright.model.threeway import ThreeWay
from mergewright.workflows.texts import merge_texts

BASE = b"import a\n\n\nclass C:\n    x = 1\n\n    def f(self):\n        return 1\n\n\nLIMIT = 1\n"


def test_resolved_symbols_have_their_lines() -> None:
    """A decision names the first and last line of its symbol in the result."""
    outcome = merge_texts(
        ThreeWay(
            base=BASE.replace(b"return 1", b"return g(1)"),
            ours=BASE.replace(
                b"return 1", b"return g(\n            1,\n            a=2,\n        )"
            ),
            theirs=BASE.replace(b"return 1", b"return g(1, b=3)"),
        ),
        path="a.py",
    )
    assert outcome.outcome is Outcome.RESOLVED
    spans = {d.symbol: d.span for d in outcome.decisions}
    first, last = spans["C.f"] or (0, 0)
    assert outcome.data is not None
    lines = outcome.data.split(b"\n")
    assert lines[first - 1] == b"    def f(self):"
    assert (lines[last], lines[last + 1]) == (b"", b"")


def test_open_places_have_the_lines_of_their_markers() -> None:
    """What is left names the lines from the first to the last marker."""
    outcome = merge_texts(
        ThreeWay(
            base=BASE,
            ours=BASE.replace(b"x = 1", b"x = f()").replace(b"LIMIT = 1", b"LIMIT = g()"),
            theirs=BASE.replace(b"x = 1", b"x = h()").replace(b"LIMIT = 1", b"LIMIT = k()"),
        ),
        path="a.py",
    )
    assert outcome.outcome is Outcome.DEFERRED
    assert outcome.data is not None
    lines = outcome.data.split(b"\n")
    left = [d for d in outcome.decisions if d.outcome is Outcome.DEFERRED]
    assert len(left) == 2
    for decision in left:
        assert decision.span is not None
        first, last = decision.span
        assert lines[first - 1].startswith(b"<<<<<<<")
        assert lines[last - 1].startswith(b">>>>>>>")
        assert decision.symbol.rpartition(".")[2].encode() in lines[first - 1]
