"""Composed statements in the layout of the side that reformatted."""

import ast

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from mergewright.model.threeway import Side, ThreeWay
from mergewright.python.engine import EngineOptions, merge_python
from mergewright.python.layout import compose


def merged(base: str, ours: str, theirs: str, *, layout: bool = True) -> str:
    versions = ThreeWay(base=base.encode(), ours=ours.encode(), theirs=theirs.encode())
    result = merge_python("m.py", versions, options=EngineOptions(layout=layout))
    assert result.clean, result.contested
    return result.text().decode()


@pytest.mark.parametrize(
    ("base", "relaid", "edited", "wanted"),
    [
        pytest.param(
            "x = f(a, b)\n", "x = f(\n    a,\n    b,\n)\n", "x = f(a, c=1, b=2)\n",
            "x = f(\n    a,\n    c=1,\n    b=2,\n)\n", id="exploded",
        ),
        pytest.param(
            "x = f(\n    a,\n    b,\n)\n", "x = f(a, b)\n", "x = f(\n    a,\n    b,\n    c,\n)\n",
            "x = f(a, b, c)\n", id="joined",
        ),
        pytest.param(
            "x = ['a', 'b']\n", 'x = ["a", "b"]\n', "x = ['a', 'b', 'c']\n",
            'x = ["a", "b", "c"]\n', id="quotes",
        ),
        pytest.param(
            "x = ['a', 'b']\n", 'x = ["a", "b"]\n', "x = ['a', 'b', 'say \"c\"']\n",
            'x = ["a", "b", \'say "c"\']\n', id="a quote inside keeps its own",
        ),
        pytest.param(
            "x = {1: a}\n", "x = {\n    1: a,\n}\n", "x = {1: a, 2: b}\n",
            "x = {\n    1: a,\n    2: b,\n}\n", id="one element",
        ),
        pytest.param(
            "x = f( a )\n", "x = f(a)\n", "x = f( g( a ) )\n", "x = f(g(a))\n", id="padding",
        ),
        pytest.param(
            "if (a):\n    b\n", "if a:\n    b\n", "if (a and c):\n    b\n",
            "if a and c:\n    b\n", id="parentheses",
        ),
        pytest.param(
            "x = a and b\n", "x = (\n    a\n    and b\n)\n", "x = a and c and b\n",
            "x = (\n    a\n    and c\n    and b\n)\n", id="operands",
        ),
        pytest.param(
            "x = q.a().b()\n", "x = (\n    q\n    .a()\n    .b()\n)\n", "x = q.a().c(1).b()\n",
            "x = (\n    q\n    .a()\n    .c(1)\n    .b()\n)\n", id="links of a chain",
        ),
        pytest.param(
            "def f(a, b):\n    pass\n", "def f(\n    a,\n    b,\n):\n    pass\n",
            "def f(a, b, *, c=1, **d):\n    pass\n",
            "def f(\n    a,\n    b,\n    *,\n    c=1,\n    **d,\n):\n    pass\n", id="parameters",
        ),
        pytest.param(
            "class A(B, m=C):\n    pass\n", "class A(\n    B,\n    m=C,\n):\n    pass\n",
            "class A(B, D, m=C):\n    pass\n", "class A(\n    B,\n    D,\n    m=C,\n):\n    pass\n",
            id="bases",
        ),
        pytest.param(
            "x = f(a, b)\n", "x = f(\n    a,\n    b,\n)\n", "x = f(a)\n", "x = f(\n    a,\n)\n",
            id="removed",
        ),
    ],
)  # fmt: skip
def test_content_of_one_side_in_the_layout_of_the_other(
    base: str, relaid: str, edited: str, wanted: str
) -> None:
    """What one side edited comes out as the other side has reformatted the statement."""
    assert merged(base, relaid, edited) == wanted
    assert merged(base, edited, relaid) == wanted


def test_switched_off() -> None:
    """Without the switch, the edited side's text is taken as it is."""
    base, relaid, edited = "x = f(a, b)\n", "x = f(\n    a,\n    b,\n)\n", "x = f(a, c)\n"
    assert merged(base, relaid, edited, layout=False) == edited


def test_comments_go_with_their_elements() -> None:
    """A trailing comment stays behind its own element when another one follows."""
    base = "x = {\n    1: a,\n    2: b,  # two\n}\n"
    ours = "x = {\n    1: a,  # one\n    2: b,  # two\n}\n"
    theirs = "x = {\n    1: a,\n    2: b,  # two\n    3: c,  # three\n}\n"
    assert merged(base, ours, theirs) == (
        "x = {\n    1: a,  # one\n    2: b,  # two\n    3: c,  # three\n}\n"
    )


def test_filled_lines_stay_filled() -> None:
    """Lists that fill their lines keep their breaks."""
    base = (
        "from base import (first_name, second_name, third_name, fourth_name,\n"
        "                  fifth_name, sixth_name)\n"
    )
    ours = base.replace("second_name", "second_name, other")
    theirs = base.replace("fourth_name", "fourth").replace("sixth_name", "seventh_name")
    assert merged(base, ours, theirs) == (
        "from base import (first_name, second_name, other, third_name, fourth,\n"
        "                  fifth_name, seventh_name)\n"
    )


def test_filled_lines_break_where_they_become_too_long() -> None:
    """No line becomes longer than 79 columns, unless a version has a longer one."""
    base = (
        "from base import (first_name, second_name, third_name, fourth_name,\n"
        "                  fifth_name, sixth_name)\n"
    )
    ours = base.replace("first_name", "first_name_xyz1")
    theirs = base.replace("fourth_name", "fourth_name_long_er")
    assert merged(base, ours, theirs) == (
        "from base import (first_name_xyz1, second_name, third_name,\n"
        "                  fourth_name_long_er,\n"
        "                  fifth_name, sixth_name)\n"
    )


def test_a_line_that_fits_again_is_not_broken() -> None:
    """A side broke a line that was too long; shortened by the other, it needs no breaks."""
    base = f"def f(first=1, second=2) -> {'x' * 60}:\n    pass\n"
    relaid = f"def f(\n    first=1, second=2\n) -> {'x' * 60}:\n    pass\n"
    edited = "def f(first=1, second=2) -> X:\n    pass\n"
    assert merged(base, relaid, edited) == edited


def test_what_the_other_side_left_alone_keeps_its_layout() -> None:
    """The editing side's own white space stays where the reformatting side changed nothing."""
    base = "x=f(a,b)+g( [1,2] )\n"
    relaid = "x=f(a, b)+g( [1,2] )\n"
    edited = "x=f(a,b)+g([1, 2, 3])\n"
    assert merged(base, relaid, edited) == "x=f(a, b)+g([1, 2, 3])\n"


def test_brackets_and_commas_go_together() -> None:
    """Both sides changed where a list breaks: it is laid out wholly as by one of them."""
    base = "def f(\n    a: A\n) -> B:\n    pass\n"
    relaid = "def f(\n    a: A,\n) -> B:\n    pass\n"
    edited = "def f(a: C) -> B:\n    pass\n"
    assert merged(base, relaid, edited) == "def f(\n    a: C,\n) -> B:\n    pass\n"


@pytest.mark.parametrize(
    ("base", "relaid", "edited", "wanted"),
    [
        ("q.add( a ).add(b)\n", "q.add(a).add(b)\n", "q.add( a ).add(c)\n", "q.add(a).add(c)\n"),
        ("q.add(a).add( b )\n", "q.add(a).add(b)\n", "q.add(z).add( b )\n", "q.add(z).add(b)\n"),
        (
            "q.add(a, 1).add(\n    b, 2)\n",
            "q.add(\n    a, 1).add(\n    b, 2)\n",
            "q.add(c, 1).add(\n    b, 2)\n",
            "q.add(\n    c, 1).add(\n    b, 2)\n",
        ),
    ],
)
def test_a_name_called_twice_in_a_chain(base: str, relaid: str, edited: str, wanted: str) -> None:
    """Each call of a chain is held against its own counterpart, not the last of its name."""
    assert merged(base, relaid, edited) == wanted


def test_tuple_of_one_stays_a_tuple() -> None:
    """The comma of a tuple of one is no layout."""
    base, relaid, edited = "x = (a, b)\n", "x = (\n    a,\n    b\n)\n", "x = (a,)\n"
    assert ast.dump(ast.parse(merged(base, relaid, edited))) == ast.dump(ast.parse(edited))


def test_precedence_is_kept() -> None:
    """Parentheses that mean something are not taken out with the ones that do not."""
    base, relaid, edited = "x = (a)\n", "x = a\n", "x = (a or b) and c\n"
    assert ast.dump(ast.parse(merged(base, relaid, edited))) == ast.dump(ast.parse(edited))
    base, relaid, edited = "x = (a + b) + c\n", "x = a + b + c\n", "x = (a - b) + c - (d - e)\n"
    assert ast.dump(ast.parse(merged(base, relaid, edited))) == ast.dump(ast.parse(edited))


def test_text_that_does_not_parse_is_kept() -> None:
    """What cannot be read is given back as it is."""
    versions = ThreeWay(base=b"x = (\n", ours=b"x = (a\n", theirs=b"x = (b\n")
    assert compose(b"x = (c\n", "statement", versions, Side.OURS) == b"x = (c\n"


# -- properties ---------------------------------------------------------------------------------

_NAMES = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6, unique=True)
_ATOMS = st.sampled_from(
    ["1", "'s'", "x", "(y)", "g(1, 'z')", "[1, 2]", "u if v else w", "p and q"]
)


@st.composite
def _calls(draw: st.DrawFn) -> str:
    """A call with keywords, in one of four layouts."""
    arguments = [f"{name}={draw(_ATOMS)}" for name in draw(_NAMES)]
    kind = draw(st.sampled_from(["line", "exploded", "hugged", "filled"]))
    if kind == "exploded":
        inside = "".join(f"\n    {a},{draw(st.sampled_from(['', '  # note']))}" for a in arguments)
        return f"value = call({inside}\n)\n"
    if kind == "hugged":
        return "value = call(" + ",\n             ".join(arguments) + ")\n"
    if kind == "filled":
        half = len(arguments) // 2 or 1
        text = ", ".join(arguments[:half])
        rest = ",\n    " + ", ".join(arguments[half:]) if arguments[half:] else ""
        return f"value = call(\n    {text}{rest})\n"
    return f"value = call({', '.join(arguments)})\n"


@settings(max_examples=100, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
@given(_calls(), _calls(), _calls())
def test_a_dressing_changes_no_token(meant: str, styled: str, base: str) -> None:
    """Whatever the layout is taken from, the program and its comments are the same; twice is once."""
    versions = ThreeWay(base=base.encode(), ours=styled.encode(), theirs=meant.encode())
    result = compose(meant.encode(), "statement", versions, Side.OURS)
    text = result.decode()
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(meant))
    assert text.count("# note") == meant.count("# note")
    again = compose(bytes(result), "statement", versions, Side.OURS)
    assert bytes(again) == bytes(result)
