"""Edits follow code that the other side put elsewhere."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mergewright.model.merge import FileMerge
from mergewright.model.threeway import ThreeWay
from mergewright.python.engine import EngineOptions, merge_python
from mergewright.python.reindent import indentation, parsed, shifted
from mergewright.python.source import Source

WRAPPERS = {
    "if": "    if ready(source):\n{}",
    "with": "    with source.lock:\n{}",
    "for": "    for part in source.parts():\n{}",
    "try": "    try:\n{}    except OSError as error:\n        report(error)\n",
    "else": "    if source.closed:\n        return None\n    else:\n{}",
    "deep": "    with source.lock:\n        if ready(source):\n{}",
}

STATEMENTS = st.sampled_from(
    [
        "value_{n} = source.read({n}, limit)\n",
        "# Step {n} needs the lock.\nsource.write(value, offset={n})\n",
        'log(\n    "step {n}",\n    source,\n)\n',
        'run("""\nselect {n}\n  from t\n""", source)\n',
        "if source.flag_{n}:\n    source.reset({n})\nelse:\n    source.skip({n})\n",
        "\nsource.items[{n}] = [part for part in source if part.size > {n}]\n",
    ]
)


def merged(path: str, versions: ThreeWay[bytes], *, moves: bool = True) -> FileMerge:
    """The engine's merge of three texts that are all there."""
    base, ours, theirs = versions
    return merge_python(
        path, ThreeWay(base=base, ours=ours, theirs=theirs), options=EngineOptions(moves=moves)
    )


def function(body: str) -> bytes:
    return f"import os\n\n\ndef handle(source, limit):\n{body}    return source\n".encode()


def indented(text: str, levels: int = 1) -> str:
    """Statements at an indentation; the inner lines of strings stay."""
    out, inside = [], False
    for line in text.splitlines(keepends=True):
        keep = inside or not line.strip()
        out.append(line if keep else "    " * levels + line)
        if line.count('"""') == 1:
            inside = not inside
    return "".join(out)


@settings(max_examples=60)
@given(
    texts=st.lists(STATEMENTS, min_size=2, max_size=6),
    edit=st.integers(0, 5),
    bounds=st.tuples(st.integers(0, 5), st.integers(0, 5)),
    wrapper=st.sampled_from(sorted(WRAPPERS)),
    inserted=st.booleans(),
    unwrap=st.booleans(),
    swap=st.booleans(),
)
def test_an_edit_and_a_wrapping_commute(
    texts: list[str],
    edit: int,
    bounds: tuple[int, int],
    wrapper: str,
    inserted: bool,
    unwrap: bool,
    swap: bool,
) -> None:
    """Wrapping a run and editing in it gives the edited run, wrapped; and so the other way round."""
    statements = [text.format(n=n + 1) for n, text in enumerate(texts)]
    first, last = sorted(bound % len(statements) for bound in bounds)
    at = first + edit % (last - first + 1)
    edited = list(statements)
    if inserted and at < last:
        edited[at] += "audit(source)\n"
    else:
        edited[at] = edited[at].replace("source", "source.inner", 1)

    def wrapped(run: list[str]) -> bytes:
        depth = 3 if wrapper == "deep" else 2
        inner = WRAPPERS[wrapper].format(indented("".join(run[first : last + 1]), depth))
        return function(indented("".join(run[:first])) + inner + indented("".join(run[last + 1 :])))

    def plain(run: list[str]) -> bytes:
        return function(indented("".join(run)))

    before, after = (wrapped, plain) if unwrap else (plain, wrapped)
    moved, changed = after(statements), before(edited)
    ours, theirs = (changed, moved) if swap else (moved, changed)
    merge = merged("pkg/io.py", ThreeWay(base=before(statements), ours=ours, theirs=theirs))
    if merge.clean:
        assert merge.text() == after(edited)
    else:
        # What is left open shows both sides; it is not taken for settled.
        assert any(piece.versions.ours != piece.versions.theirs for piece in merge.contested)
        # A statement may be taken for the wrapper where both are an ``if``.
        run = statements[first : last + 1]
        assert len(run) < 3 or any(text.startswith("if ") for text in run)


def test_nothing_follows_when_switched_off() -> None:
    """The switch leaves the place open."""
    base = function(indented("source.open()\nsource.read(limit)\n"))
    ours = function("    if limit:\n" + indented("source.open()\nsource.read(limit)\n", 2))
    theirs = function(indented("source.open()\nsource.read(limit, 2)\n"))
    versions = ThreeWay(base=base, ours=ours, theirs=theirs)
    assert merged("a.py", versions).clean
    assert not merged("a.py", versions, moves=False).clean


@pytest.mark.parametrize(
    ("edit", "follows"), [("limit * 2", True), ("limit * 2, *rest, 3, last=4", False)]
)
def test_what_rewrites_the_moved_code_is_left_with_its_new_place(edit: str, follows: bool) -> None:
    """A small edit follows; one of more than a third of the statements is for a person to make."""
    run = "rows = source.read(limit)\nsource.keep(rows)\n"
    base = function(indented(run))
    ours = function("    with source.lock:\n" + indented(run, 2))
    theirs = function(indented(run.replace("limit", edit)))
    for versions in (
        ThreeWay(base=base, ours=ours, theirs=theirs),
        ThreeWay(base=base, ours=theirs, theirs=ours),
    ):
        merge = merged("a.py", versions)
        assert merge.clean is follows
        if not follows:
            (place,) = merge.contested
            assert "moved the code below `with source.lock:`" in place.reason


def test_the_reason_names_the_new_place() -> None:
    """An edit that cannot follow says where the code went."""
    body = "    lines = self.path.read_text({}).splitlines()\n    return [line[:width] for line in lines]\n"

    def module(job: str | None, view: str | None) -> bytes:
        def method(argument: str | None) -> str:
            if argument is None:
                return ""
            return textwrap.indent("\ndef render(self, width):\n" + body.format(argument), "    ")

        return (
            "class Job:\n    def run(self):\n        return 1\n"
            + method(job)
            + "\n\nclass View:\n    path = None\n"
            + method(view)
        ).encode()

    versions = ThreeWay(
        base=module("", None), ours=module(None, '"utf-8"'), theirs=module('"latin-1"', None)
    )
    merge = merged("a.py", versions)
    assert [piece.symbol for piece in merge.contested] == ["Job.render"]
    assert "ours moved the code to View.render" in merge.contested[0].reason
    assert merge.decisions[-1].reason == merge.contested[0].reason


@pytest.mark.parametrize("indent", [b"", b"  ", b"\t", b"        "])
def test_reindented_statements_keep_their_strings(indent: bytes) -> None:
    """Indentation moves; the value of a string that spans lines does not."""
    source = Source(b'if x:\n    # why\n    run("""\n  a\n    b\n""",\n        y)\n\n    z = 1\n')
    items = source.items()[0].sections()[0].items()
    text = shifted(items, indent)
    assert b'"""\n  a\n    b\n"""' in text
    again = parsed(text, "def")
    assert again is not None
    assert [item.fingerprint for item in again] == [item.fingerprint for item in items]
    assert indentation(again[0].core) == indent
    assert shifted(again, b"    ") == shifted(items, b"    ")


RUN = b"""\
    total = 0
    for item in items:
        total += item.price * rate
    total = total + surcharge(items)
    for entry in journal:
        entry.total = total
"""
LOCAL = b"    limit = find_limit(items)\n"
CALL = b"    _book(items, rate)\n"
HELPER = b"\n\ndef _book(items, rate):\n" + RUN


def function_of(name: bytes, body: bytes) -> bytes:
    return b"def " + name + b"(items, rate):\n" + body + b"    return rate\n"


def test_an_edit_does_not_follow_into_code_that_two_places_share() -> None:
    """A helper that stands for a copy the other side left alone gets no edit of one copy."""
    one, two = function_of(b"a", LOCAL + RUN), b"\n\n" + function_of(b"b", RUN)
    merge = merged(
        "pkg/io.py",
        ThreeWay(
            base=one + two,
            ours=function_of(b"a", LOCAL + CALL) + b"\n\n" + function_of(b"b", CALL) + HELPER,
            theirs=one.replace(b"surcharge(items)", b"surcharge(items) * 2") + two,
        ),
    )
    assert not merge.clean
    assert "_book" in merge.contested[0].reason


@pytest.mark.parametrize(
    ("old", "new", "follows"),
    [
        (b"surcharge(items)", b"surcharge(items) * 2", True),
        (b"surcharge(items)", b"surcharge(items, limit)", False),  # a local of the old function
        (b"    for entry", b"    if total < 0:\n        return None\n    for entry", False),
    ],
)
def test_an_edit_that_means_something_else_in_a_helper_stays_open(
    old: bytes, new: bytes, follows: bool
) -> None:
    """Names and ways out of the old function are not those of a helper."""
    head = b"limit = 10\n\n\n"
    base = head + function_of(b"a", LOCAL + RUN)
    ours = head + function_of(b"a", LOCAL + CALL) + HELPER
    merge = merged("pkg/io.py", ThreeWay(base=base, ours=ours, theirs=base.replace(old, new)))
    assert merge.clean is follows


def test_both_moves_of_one_file_are_told() -> None:
    """Each side moved what the other edited: the report names both."""
    base = b"def f(source):\n    one = source.read(1, limit)\n    middle(source)\n    two = source.read(2, limit)\n"
    ours = base.replace(b"    one = source", b"    with lock:\n        one = source").replace(
        b"read(2, limit)", b"read(2, limit, strict)"
    )
    theirs = base.replace(b"    two = source", b"    with lock:\n        two = source").replace(
        b"read(1, limit)", b"read(1, limit, strict)"
    )
    merge = merged("pkg/io.py", ThreeWay(base=base, ours=ours, theirs=theirs))
    assert merge.clean
    assert [d.strategy for d in merge.decisions].count("follow-move") == 2
