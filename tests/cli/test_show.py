"""The report for people."""

import io

from mergewright.cli import show


def test_idle_rules_are_one_line() -> None:
    """Several rules that matched nothing are one warning; others stand as they are."""
    idle = [f"pack:{n}: rule '{r}' matched nothing in this merge" for n, r in ((1, "a"), (2, "b"))]
    assert show.folded(["x", idle[0]]) == ["x", idle[0]]
    assert show.folded([idle[0], "x", idle[1]]) == [
        "x",
        "2 rules matched nothing in this merge: a, b",
    ]


def test_what_the_stream_cannot_say_is_escaped() -> None:
    """A terminal of a poor encoding shows escapes and does not break the run."""
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    show.print_lines(["caf\u00e9 …"], stream)
    assert raw.getvalue() == b"caf\\xe9 \\u2026\n"
