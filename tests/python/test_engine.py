"""The structural merge on small texts; the corpus holds the larger cases."""

import pytest

from mergewright.model.merge import FileMerge
from mergewright.model.threeway import Side, ThreeWay
from mergewright.python.engine import merge_python
from mergewright.python.fingerprint import fingerprint
from mergewright.python.gates import check, undefined_names
from mergewright.python.outline import outline


def merge(base: str | None, ours: str, theirs: str) -> FileMerge:
    return merge_python(
        "m.py",
        ThreeWay(
            base=None if base is None else base.encode(), ours=ours.encode(), theirs=theirs.encode()
        ),
    )


def clean(base: str | None, ours: str, theirs: str) -> str:
    result = merge(base, ours, theirs)
    assert result.clean, result.contested
    return result.text().decode()


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = (a +\n     b)\n", "x = a + b\n"),
        ("f(a,\n  b,\n)\n", "f(a, b)\n"),
        ("x = 'a'\n", 'x = "a"\n'),
        ("if (x):\n  a\n  b\n", "if x:\n    a\n    b\n"),
        ("from a import (b,\n  c)\n", "from a import (b, c)\n"),
    ],
)
def test_fingerprint_ignores_layout(one: str, other: str) -> None:
    """Line breaks, quotes, redundant parentheses and trailing commas are layout."""
    assert fingerprint(one.encode()) == fingerprint(other.encode())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("x = (a,)\n", "x = a\n"),
        ("x = a[b,]\n", "x = a[b]\n"),
        ("if x:\n    a\n    b\n", "if x:\n    a\nb\n"),
        ("a\nb\n", "a; c\n"),
        ("x = 'a b'\n", "x = 'a  b'\n"),
        ("x = f(*(yield))\n", "x = f(*a)\n"),
    ],
)
def test_fingerprint_keeps_meaning(one: str, other: str) -> None:
    """What changes the program changes the fingerprint."""
    assert fingerprint(one.encode()) != fingerprint(other.encode())


def test_keywords_of_one_call() -> None:
    """Two keywords added to one call are both kept, and the proof names them."""
    result = merge("f(a, b=1)\n", "f(a, b=1, mask=m)\n", "f(a, b=1, ids=i)\n")
    assert result.text() == b"f(a, b=1, mask=m, ids=i)\n"
    assert "keyword `mask`" in result.decisions[0].reason
    assert "keyword `ids`" in result.decisions[0].reason


def test_both_add_methods() -> None:
    """Methods added by both at one place: ours first, then theirs."""
    base = "class A:\n    def a(self):\n        pass\n"
    ours = base + "\n    def o(self):\n        pass\n"
    theirs = base + "\n    def t(self):\n        pass\n"
    assert clean(base, ours, theirs) == ours + "\n    def t(self):\n        pass\n"


def test_reformatted_side_keeps_its_layout() -> None:
    """A file that one side reformatted is no conflict."""
    base = "def f(a, b):\n    x = g(a, b)\n    return x\n"
    ours = "def f(\n    a,\n    b,\n):\n    x = g(\n        a,\n        b,\n    )\n    return x\n"
    theirs = "def f(a, b):\n    x = g(a, b)\n    return x + 1\n"
    assert clean(base, ours, theirs) == ours.replace("return x\n", "return x + 1\n")


def test_plain_statements_at_one_place_stay_contested() -> None:
    """The order of plain statements may matter: both inserted ones stay open."""
    result = merge("a()\nz()\n", "a()\no()\nz()\n", "a()\nt()\nz()\n")
    (piece,) = result.contested
    assert piece.versions == ThreeWay(base=b"", ours=b"o()\n", theirs=b"t()\n")


def test_deleted_and_changed_stays_contested() -> None:
    """A deleted function that the other side changed stays contested as one symbol."""
    base = "def f():\n    return 1\n\n\ndef g():\n    pass\n"
    result = merge(base, "def g():\n    pass\n", base.replace("1", "2"))
    (piece,) = result.contested
    assert piece.symbol == "f"
    assert piece.kind == "delete-change"


def test_moved_definition_and_edit_combine() -> None:
    """A function moved by one side and edited by the other is moved and edited."""
    f, g, h = (f"def {n}():\n    return {n * 3}\n\n\n" for n in "fgh")
    assert clean(f + g + h, g + h + f, f.replace("fff", "changed") + g + h) == (
        g + h + f.replace("fff", "changed")
    )


def test_versions_take_the_larger() -> None:
    """A version that both raised is the larger one."""
    text = clean('__version__ = "1.1"\n', '__version__ = "1.2.dev0"\n', '__version__ = "1.1.4"\n')
    assert text == '__version__ = "1.2.dev0"\n'


def test_line_ends_and_bom_survive() -> None:
    """CRLF and a byte-order mark of one side are kept as that side has them."""
    base = "a = 1\n\n\ndef f():\n    pass\n"
    ours = "\ufeff" + base.replace("\n", "\r\n")
    theirs = base + "\n\ndef g():\n    pass\n"
    assert clean(base, ours, theirs) == ours + "\r\n\r\ndef g():\r\n    pass\r\n"


@pytest.mark.parametrize("text", ["", "a = 1", "a = 1\n", "\n\n# only a comment\n", "def f(:\n"])
def test_one_side_equal_to_base(text: str) -> None:
    """A side equal to base yields to the other, byte for byte."""
    other = "b = 2\n" + text
    assert clean(text, text, other) == other
    assert clean(text, other, text) == other


def test_outline() -> None:
    """Dotted paths, spans and fingerprints of nested symbols."""
    text = b"import os\nX = 1\n\n\nclass A:\n    y = 2\n\n    @p\n    def f(self):\n        pass\n"
    symbols = outline(text).symbols
    assert list(symbols) == ["import os", "X", "A", "A.y", "A.f"]
    method = symbols["A.f"]
    assert text[method.start : method.end] == b"    @p\n    def f(self):\n        pass\n"
    assert method.fingerprint == fingerprint(b"@p\ndef f(self):\n    pass\n")


def gates(base: str, ours: str, theirs: str, candidate: str) -> set[str]:
    versions = ThreeWay(base=base, ours=ours, theirs=theirs).map(str.encode)
    return {g.gate for g in check("m.py", candidate.encode(), versions) if not g.passed}


def test_gates() -> None:
    """Each gate stops what it is for, and passes what is right."""
    base, ours = "import os\nos.x\n", "import os\nos.x\ndef f(): pass\n"
    theirs = "import os\nos.x\ndef g(): pass\n"
    both = "import os\nos.x\ndef f(): pass\ndef g(): pass\n"
    assert gates(base, ours, theirs, both) == set()
    assert gates(base, ours, theirs, both + "def g(): pass\n") == {"duplicate-definition"}
    assert gates(base, ours, theirs, "os.x\ndef f(): pass\ndef g(): pass\n") == {"undefined-name"}
    assert gates(base, ours, theirs, ours) == {"conservation"}
    assert gates(base, ours, theirs, "def f(:\n") == {"parse"}


def test_method_added_to_both_parts_of_a_split_class() -> None:
    """A method that both sides added may not stand in a class and in what was split off it."""
    a, b, c = (f"    def {name}(self):\n        return '{name}'\n" for name in "abc")
    base, ours = f"class A:\n{a}{b}", f"class A:\n{a}{c}{b}"
    theirs = f"class A:\n{a}class B:\n{c}{b}"
    in_both = f"class A:\n{a}{c}class B:\n{c}{b}"
    assert "duplicate-definition" not in gates(base, ours, theirs, theirs)
    assert gates(base, ours, theirs, in_both) == {"duplicate-definition"}
    assert gates(base, theirs, ours, in_both) == {"duplicate-definition"}
    # Two classes that have nothing to do with each other may have methods of one name.
    apart = f"class B:\n{c}"
    assert gates(base, ours, base + apart, ours + apart) == set()


def test_undefined_names_see_scopes() -> None:
    """Comprehensions, nested functions, globals and class bodies bind what they bind."""
    text = b"""
class A:
    x = 1
    def f(self):
        global made
        made = [y for y in range(3)]
        def g():
            return self, made
        return g, missing
del_me = lambda q: q
"""
    assert undefined_names(text) == {"missing"}


def test_side_choice_joins_pieces() -> None:
    """Joining one side's lines at each contested place gives whole lines."""
    result = merge("x = 1", "x = 2", "x = 3")
    assert result.text(Side.THEIRS) == b"x = 3"


@pytest.mark.parametrize(
    ("changed", "gone"),
    [
        ('def f(a: int) -> int:\n    """New words."""\n    return a\n', True),
        ("def f(a):\n    # why\n    return a\n", True),
        ("def f(a):\n    return a + 1\n", False),
        ("@cached\ndef f(a):\n    return a\n", False),
    ],
)
def test_deleted_and_changed_in_what_does_not_run(changed: str, gone: bool) -> None:
    """A deletion stands where the other side changed only annotations, docstrings, comments."""
    base = (
        'def f(a):\n    """Words."""\n    return a\n'
        if '"""' in changed
        else "def f(a):\n    return a\n"
    )
    rest = "\n\ndef g():\n    pass\n"
    result = merge(base + rest, rest.lstrip("\n"), changed + rest)
    assert result.clean is gone


def test_relative_imports_differ_by_their_dots() -> None:
    """One side moves an import a package up, the other adds a name: not the same module."""
    base = "from .utils import chunked\n\nchunked()\n"
    result = merge(
        base, base.replace(".utils", "..utils"), base.replace("chunked\n", "chunked, windowed\n", 1)
    )
    assert not result.clean or b"from ..utils import chunked" in result.text()


def test_import_moved_by_both_sides() -> None:
    """A relative module and an absolute one do not combine to a third."""
    result = merge("from app import x\n", "from app.app import x\n", "from .app import x\n")
    assert not result.clean


def test_an_import_that_one_side_sorted_and_the_other_deleted_goes_away() -> None:
    """Moving an import inside a block does not make it a new one; what is added keeps its place."""
    shape = "def f():\n    try:\n{}    except ImportError:\n        {}.on = True\n"

    def text(*lines: str, name: str) -> str:
        return shape.format("".join(f"        {line}\n" for line in lines), name)

    parse, legacy, core = (
        "from tool.args import parse",
        "from tool.legacy import module",
        "from tool.core import run",
    )
    language = "from tool.core.language import Model"
    assert clean(
        text(parse, legacy, core, name="module"),
        text(core, legacy, parse, name="module"),
        text(parse, core, language, name="Model"),
    ) == text(core, language, parse, name="Model")


def test_an_element_added_by_both_at_different_places_is_not_doubled() -> None:
    """Where it belongs is a question; twice is no answer."""
    result = merge(
        'x = f(["a", "c", "b"])\n', 'x = f(["a", "s", "c", "b"])\n', 'x = f(["a", "c", "b", "s"])\n'
    )
    assert [place.symbol for place in result.contested] == ["x"]


def test_a_key_added_before_one_that_ours_moved_stays_open() -> None:
    """The place of the addition went away with its neighbour."""
    result = merge(
        "x = {\n    'm': 1,\n    'a': 1,\n}\n",
        "x = {\n    'a': 1,\n    'n': 1,\n    'm': 1,\n    'o': 1,\n}\n",
        "x = {\n    'm': 1,\n    'a': 1,\n    't': 1,\n}\n",
    )
    assert not result.clean


def test_an_argument_is_not_carried_into_an_f_string() -> None:
    """Older Pythons give wrong places for calls inside f-strings: nothing is written there."""
    calls = "".join(f"add({n}, None)\n" for n in range(4))
    text = clean(
        calls + "end()\n",
        calls + 'log(f"{1}: {add(5, None)}", (\n    6,\n))\nend()\n',
        calls.replace("None", "False") + "end()\n",
    )
    assert compile(text, "m.py", "exec")
    assert 'log(f"{1}: {add(5, ' in text
    assert text.startswith(calls.replace("None", "False"))


@pytest.mark.parametrize(
    ("before", "changed"),
    [
        # Shifted: what the first became is what the second was.
        (("f(a, x=1, y=2)", "f(a, x=1)"), ("f(a, x=1)", "f(a, x=3)")),
        (("f(a, x=1)", "f(a, x=1, y=2)"), ("f(a, x=3)", "f(a, x=1)")),
        (("f(a, x=1, y=2)", "f(a, x=1)", "f(a, x=1)"), ("f(a, x=1)", "f(a, x=1)", "f(a, x=3)")),
        # One is left, as like the one as the other; or two are as like the one there was.
        (("f(a, x=1)", "f(a, x=2)"), ("f(a, x=3)",)),
        (("f(a, x=1)",), ("f(a, x=2)", "f(a, x=3)")),
        (("f(a, x=1, y=2)",), ("f(a, y=2, x=1, z=4)", "f(a, x=1, y=2, w=5)")),
        # What it is called on was renamed in one of them.
        (("a.f(x=1)",), ("b.f(x=1, y=2)", "a.f(x=1, y=3)")),
    ],
)
def test_look_alikes_stay_open_where_both_changed_them(
    before: tuple[str, ...], changed: tuple[str, ...]
) -> None:
    """An edit of one of several look-alikes is not put into another one, whoever made it."""
    base, ours = (
        "def g(a):\n" + "".join(f"    {row}\n" for row in (*rows, "h(a)", "q(a)"))
        for rows in (before, changed)
    )
    for row in dict.fromkeys(before):
        theirs = base.replace(f"    {row}\n", f"    {row[:-1]}, z=9)\n", 1)
        for result in (merge(base, ours, theirs), merge(base, theirs, ours)):
            assert not result.clean
            assert any("cannot be told" in d.reason for d in result.decisions)
    # What one side alone worked at is its own, whatever it did.
    assert clean(base, ours, base.replace("q(a)", "q(b)")) == ours.replace("q(a)", "q(b)")


def test_like_statements_with_certain_places_merge() -> None:
    """Statements that resemble each other merge where each side's changes have one place only."""
    base = "def g(a):\n    f(a, x=1)\n    f(a, x=2)\n    f(a, x=3)\n"
    ours = base.replace("x=1", "x=1, y=1")
    theirs = base.replace("    f(a, x=3)\n", "")
    assert clean(base, ours, theirs) == "def g(a):\n    f(a, x=1, y=1)\n    f(a, x=2)\n"


def test_a_parameter_that_one_side_removed_and_the_other_changed_stays_open() -> None:
    """Where both sides only removed parameters by name, what was changed in one of them is not lost."""
    base = "def f(a, b, c):\n    return c\n"
    ours = "def f(c):\n    return c\n"
    theirs = "def f(a: int, c):\n    return c\n"
    assert not merge(base, ours, theirs).clean
    assert not merge(base, theirs, ours).clean
    assert clean(base, ours, "def f(a, c):\n    return c\n") == ours


def test_definitions_in_another_order_are_not_taken_for_each_other() -> None:
    """In a class that one side indented anew its methods are not paired by their number."""
    base = (
        "class C(B):\n"
        "    def load(self, path, mode=False):\n        if mode:\n            self.h = path\n\n"
        "    def close(self):\n        self.h = None\n"
    )
    ours = (
        "class C(B):\n"
        "  def close(self):\n    self.h = None\n\n"
        "  def load(self, path, mode=False):\n    if mode:\n      self.g = path\n"
    )
    theirs = base.replace("path, mode", "path: str, mode")
    assert not merge(base, ours, theirs).clean
    assert not merge(base, theirs, ours).clean


def test_a_reworded_comment_above_what_was_replaced_leaves_line_ends_alone() -> None:
    """Where line ends are mixed, each line of the comment keeps the one it has."""
    base = "def f(a):\n    # Counts twice,\r\n    # as the first run\n    # is a dry one.\r\n    a.go(1)\n"
    ours = base.replace("a.go(1)", "wholly_other()")
    theirs = base.replace("# is a dry one.\r\n", "# only warms.\n")
    merged = base.replace("# is a dry one.\r\n", "# only warms.\n").replace(
        "a.go(1)", "wholly_other()"
    )
    assert clean(base, ours, theirs) == merged
    assert clean(base, theirs, ours) == merged


def test_what_both_wrote_is_not_mixed_with_its_look_alike() -> None:
    """Both made two of one statement; where one deleted the next, the two are not combined."""
    base = "def g(a):\n    f(a, x=1)\n    k('options', a.rest)\n    q(a)\n"
    two = "    f(a, x=1, y=1, z=1)\n    f(a, x=2)\n"
    ours = f"def g(a):\n{two}    q(a)\n"
    theirs = f"def g(a):\n{two}    k('options', a.rest)\n    q(a)\n"
    for result in (merge(base, ours, theirs), merge(base, theirs, ours)):
        assert not result.clean or result.text().decode() == ours


def test_a_renamed_definition_is_not_taken_for_its_deleted_look_alike() -> None:
    """One of two alike classes is gone, the other has a new name: which one cannot be told."""
    base = (
        "class Writer(Codec, codecs.Writer):\n    pass\n\n\n"
        "class Reader(Codec, codecs.Reader):\n    pass\n\n\ndef entry():\n    return 1\n"
    )
    ours = "class Other(Codec, codecs.Other):\n    pass\n\n\ndef entry():\n    return 1\n"
    for name in ("Writer", "Reader"):
        theirs = base.replace(f"codecs.{name}):\n", f"codecs.{name}):\n    # Kept for old files.\n")
        assert not merge(base, ours, theirs).clean
        assert not merge(base, theirs, ours).clean
    assert clean(base, ours, base.replace("return 1", "return 2")) == ours.replace("1", "2")


def test_an_unpacked_mapping_deleted_and_changed_stays_open() -> None:
    """An unpacked mapping has no name: what one side put in its place is a change of it."""
    base = "f(a, mode=1, **{'key': a.key})\n"
    ours = base.replace("'key'", "'name'")
    theirs = "f(a, mode=1)\n"
    assert not merge(base, ours, theirs).clean
    assert not merge(base, theirs, ours).clean


def test_a_method_added_between_methods_that_went_to_another_class() -> None:
    """It is not left behind in the first class."""
    base = (
        "class A(B):\n    def one(self):\n        return 1\n\n    def two(self, a):\n        return a\n\n"
        "    def three(self, b):\n        return b\n"
    )
    ours = base.replace("    def two", "\nclass C:\n    def two")
    theirs = base.replace("    def three", "    def new(self):\n        return 0\n\n    def three")
    both = ours.replace("    def three", "    def new(self):\n        return 0\n\n    def three")
    for result in (merge(base, ours, theirs), merge(base, theirs, ours)):
        assert not result.clean or result.text().decode() == both


def test_an_edit_does_not_follow_one_of_equal_statements() -> None:
    """One side put one of two equal statements below a new condition: which one cannot be told."""
    base = (
        "def g(a):\n    a.load(a.first, 'r', mode=1)\n    b = a.load(a.other, 'r')\n"
        "    a.load(a.first, 'r', mode=1)\n"
    )
    ours = (
        "def g(a):\n    if a.more:\n        a.load(a.first, 'r', mode=1)\n"
        "    a.load(a.first, 'r', mode=1)\n    b = a.load(a.other, 'r')\n"
    )
    theirs = base[: base.rindex("    a.load")] + "    a.load(a.first, 'r', mode=2)\n"
    assert not merge(base, ours, theirs).clean
    assert not merge(base, theirs, ours).clean


def test_an_edit_does_not_follow_an_equal_statement_of_the_run_that_moved() -> None:
    """Both of two equal statements went below a header; the edit of the first is not made in the second."""
    base = "def g(a):\n    a.add(a.suite())\n    # Both.\n    a.add(a.suite())\n"
    ours = (
        "def g(a):\n    with a.lock():\n        a.add(a.suite())  # Only once.\n"
        "        # Both.\n        a.add(a.suite())\n"
    )
    theirs = base.replace("suite()", "suite(1)", 1)
    right = ours.replace("suite()", "suite(1)", 1)
    for result in (merge(base, ours, theirs), merge(base, theirs, ours)):
        assert not result.clean or result.text().decode() == right


@pytest.mark.parametrize("note", ["queue.split()  # Twice.", "# Twice.\n    queue.split()"])
def test_a_comment_on_a_statement_that_the_other_side_moved_is_not_lost(note: str) -> None:
    """A short statement that stands elsewhere in its block is not deleted, and its comment with it."""
    base = "def g(queue):\n    queue.split()\n    queue.cast(1)\n    queue.load(2)\n"
    theirs = base.replace("queue.split()", note)
    for rows in (
        "queue.cast(1)\n    queue.split()\n    queue.load(2)\n",
        "queue.cast(1)\n    queue.load(2)\n    queue.split()\n",
    ):
        ours = f"def g(queue):\n    {rows}"
        for result in (merge(base, ours, theirs), merge(base, theirs, ours)):
            assert not result.clean or result.text().decode() == ours.replace("queue.split()", note)


def test_statements_edited_while_another_moved_past_them() -> None:
    """Anchored at the one that moved, the edited ones would seem gone, and a comment with them."""
    base = "def g(a):\n    a.check(a.first, '', 0)\n    a.insert('1.0', 'two')\n    a.equal(a.two, '1.2')\n"
    ours = "def g(a):\n    a.insert('2.0', 'two')\n    a.equal(a.two, '2.2')\n    a.check(a.first, '', 0)\n"
    theirs = base.replace("    a.equal", "    # As strings.\n    a.equal")
    for result in (merge(base, ours, theirs), merge(base, theirs, ours)):
        assert not result.clean


@pytest.mark.parametrize("swap", [False, True])
def test_a_comment_that_one_side_put_a_statement_below_is_in_both_sides_of_the_conflict(
    swap: bool,
) -> None:
    """Ours moved the statement before it; whichever side is taken, the comment stands."""
    base = b"def f(a):\n    load(a)\n    # Keep it.\n    store(a)\n    close(a)\n    return a\n"
    ours = base.replace(b"    load(a)\n", b"").replace(b"    return", b"    load(a)\n    return")
    theirs = base.replace(b"    store(a)", b"    if not a:\n        return None\n    store(a)")
    if swap:
        ours, theirs = theirs, ours
    merge = merge_python("a.py", ThreeWay(base=base, ours=ours, theirs=theirs))
    (place,) = merge.contested
    assert all(text.count(b"# Keep it.\n") == 1 for text in place.versions)
    assert all(merge.text(side).count(b"# Keep it.\n") == 1 for side in (Side.OURS, Side.THEIRS))
