"""One side's uses of named things in a file that was taken from the other side."""

from __future__ import annotations

import ast
from textwrap import dedent, indent

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
    assert "train: line 4 is not put in: the side changed it" in refused
    assert "LegacyLoader stays: not every use of pack was kept" in refused
    assert "LegacyLoader(batches)" in text


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
    text, refused = kept(theirs, ours="import pack\n", base="")
    assert text == theirs
    assert any(why in reason for reason in refused), refused


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("class A:\n    def f(self):\n        self.h = Alt()\n        return self.h.run()\n", "needs it"),
        ("class A:\n    h = Alt()\n", "read from outside"),
        ("h = Alt()\n", "read from outside"),
        ("def f():\n    global HOOK\n    HOOK = Alt()\ndef g():\n    return HOOK\n", "is read"),
        ("def f(it):\n    def g():\n        nonlocal it\n        it = Alt(it)\n    return it\n", "is read"),
        ("def f(a, out):\n    out.append(Alt(a.pop()))\n    return out\n", "needs it"),
        ("def f(a, out):\n    out.extend(save(a, fmt=Alt))\n    return out\n", "needs it"),
        ("def f(a):\n    Alt(a.pop())\n    return a\n", "needs it"),
        ("def f(a):\n    Alt(*a)\n    return a\n", "needs it"),
        ("def f(a):\n    it = Alt(next(a))\n    return a\n", "needs it"),
        ("def f(a):\n    it = load(a)\n    if a:\n        it = Alt(a)\n    return it\n", "is read"),
        ("def f(a):\n    it = Alt(a)\n    return locals()\n", "is read"),
        ("def f(it):\n    it = Alt(it)\n    return it.total\n", "reads an attribute"),
        ("def f(it):\n    if it.pop():\n        Alt(it)\n    return it\n", "all that its block holds"),
        ("def f(it):\n    for x in it:\n        Alt(x)\n        Alt(it)\n    return it\n", "all that its block"),
        ("def f(it):\n    with it, Alt(it):\n        pass\n", "needs it"),
        ("def f(it):\n    x: Alt = load(it)\n", "needs it"),
        ("__all__ = ['Alt']\n", "as a string"),
        ("def f(x: 'list[Alt]'): ...\n", "as a string"),
        ("import o\ndef f(x):\n    return o.Alt(x)\n", "through its module"),
        ("def f(Alt):\n    Alt(1)\n    return 2\n", "binds it"),
        ("try:\n    from p import Alt\n    OLD = True\nexcept ImportError:\n    OLD = False\n", "condition"),
        ("try:\n    from p import Alt\nexcept ImportError:\n    OLD = False\n", "condition"),
        ("def f():\n    from p import Alt\n", "all that its block holds"),
        ("class Err(Exception):\n    from p import Alt\n", "all that its block holds"),
        ("if a:\n    from p import Alt\nelse:\n    b = 1\n", "all that its block holds"),
    ],
)  # fmt: skip
def test_what_may_be_needed_is_never_taken_out(body: str, why: str) -> None:
    """Fields, class members, globals, arguments, effects, exports: refused, and nothing changes."""
    theirs = f"from o import Alt\n\n{body}"
    found = keep_uses(
        theirs.encode(), b"import Wrap\n", theirs.encode(), uses=["Wrap"], instead_of=["Alt"]
    )
    assert found is not None
    assert found.data.decode() == theirs
    assert why in found.refused[0]


@pytest.mark.parametrize(
    ("theirs", "left"),
    [
        ("def f(a):\n    it = Alt(a)\n    return a\n", "def f(a):\n    return a\n"),
        ("def f(a):\n    it: int = Alt(a, n=-1)\n    return a\n", "def f(a):\n    return a\n"),
        ("def f(a):\n    if a:\n        Alt(a)\n        Alt(1)\n    return a\n", "def f(a):\n    return a\n"),
        ("def f(a):\n    if a:\n        if len(a) > 1:\n            a = iter(Alt(a))\n    return a\n",
         "def f(a):\n    return a\n"),
        ("def f(a):\n    from o import Alt\n    Alt(a)\n    return a\n", "def f(a):\n    return a\n"),
        ("if TYPE_CHECKING:\n    from o import Alt\nx = 1\n", "x = 1\n"),
        ("if TYPE_CHECKING:\n    from o import Alt\n    from o import b\n",
         "if TYPE_CHECKING:\n    from o import b\n"),
        ('def f(a):\n    """Alt."""\n    Alt(a)\n', 'def f(a):\n    """Alt."""\n'),
    ],
)  # fmt: skip
def test_what_nothing_can_need_goes(theirs: str, left: str) -> None:
    """The call alone, a local that is not read, a name around itself; with the ``if`` around them."""
    found = keep_uses(theirs.encode(), b"import Wrap\n", b"", uses=["Wrap"], instead_of=["Alt"])
    assert found is not None
    assert (found.data.decode(), found.refused) == (left, ())


def test_what_was_used_instead_stays_where_a_kept_use_was_refused() -> None:
    """Else the file would have neither."""
    theirs = "def f(a):\n    if a:\n        a = Alt(a)\n    return a\n"
    found = keep_uses(
        theirs.encode(),
        b"def f(a, b):\n    a = Wrap(a, b)\n    return a\n",
        b"def f(a):\n    return a\n",
        uses=["Wrap"],
        instead_of=["Alt"],
    )
    assert found is not None
    assert found.data.decode() == theirs
    assert "Alt stays: not every use of Wrap was kept" in found.refused


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "why"),
    [
        ("go(a)\n", "total = 0\ngo(a)\ntotal += Wrap(a)\n", "go(a)\n", "reads total"),
        ("go(a)\n", "x = 0\ngo(a)\nx = Wrap(x)\n", "go(a)\n", "reads x"),
        ("go(a)\n", "x = 0\ngo(a)\nif a:\n    x = 1\n    Wrap(x)\nelse:\n    y = x\n", "go(a)\n", "reads x"),
        ("go(a)\nend(a)\nx = 1\n", "go(a)\nx = 2\nWrap(x)\nend(a)\nx = 1\n", "go(a)\nend(a)\nx = 1\n", "reads x"),
        ("go(a)\n", "go(a)\nWrap(a, LIMIT)\n", "go(a)\n", "reads LIMIT, which is not there"),
        ("go(a)\n", "go(a)\nWrap(a, join)\n", "go(a)\n", "reads join, which is something else"),
        ("go(a)\n", "go(a)\nWrap(a, log)\n", "log = 1\ngo(a)\n", "reads log, which is something else"),
        ("go(a)\n", "global T\ngo(a)\nT = Wrap(a)\n", "go(a)\n", "binds T, which is from outside"),
        ("go(a)\n", "go(a)\nn = Wrap(a)\nend(n)\n", "n = 5\ngo(a)\nend(n)\n", "binds n, which line"),
        ("go(a)\n", "go(a)\nn = Wrap(a)\nend(n)\n", "tell(n)\ngo(a)\n", "binds n, which line"),
        ("go(a)\n", "go(a)\nn = Wrap(a)\nend(n)\n", "go(a)\n", "nothing there reads"),
        ("# load it\nx = load(a)\ngo(x)\n", "# load it\nx = Wrap(a)\ngo(x)\n", "# load it\nx = load(a)\ngo(x)\n",
         "in the place of line"),
        ("x = load(a)\ngo(x)\n", "x = Wrap(a)\ngo(x)\n", "x = other(a)\ngo(x)\n", "in the place of line"),
        ("go(a)\n", "go(a)\nWrap(a)\n", "go(a)\nif a:\n    Wrap(a)\n", "is used there already"),
        ("go(a)\n", "go(a)\nif a:\n    init()\n    Wrap(a)\n", "init()\ngo(a)\n", "which was there before"),
        ("x = load(a)\n", "x = load(Wrap(a))\n", "x = load(a)\n", "the side changed it"),
        ("go(a)\n", "go(a)\nawait Wrap(a)\n", "go(a)\n", "not async"),
        ("go(a)\n", "go(a)\nWrap(a)\n", "go(a)\nif a: return\n", "before or after line"),
        ("go(a)\n", "go(a)\na = Wrap(a)\n", "go(a)\ntell(a)\n", "before or after line"),
        ("go(a)\n", "go(a)\nWrap(a)\n", "go(a)\na = 2\n", "before or after line"),
    ],
)  # fmt: skip
def test_a_use_that_would_not_mean_the_same_is_refused(
    base: str, ours: str, theirs: str, why: str
) -> None:
    """Names that are not there or are others, a use in another's place, a use that is there."""
    head = "from m import {}\n{}\n\n"

    def text(body: str, *, own: bool) -> bytes:
        start = head.format(
            "join" if own else "x as join", "LIMIT = 1\nlog = 2\n" if own else "log = 2\n"
        )
        key = "async def" if "await" in body else "def"
        return f"{start}{key} f(a):\n{indent(body, '    ')}".encode()

    taken = text(theirs, own=False)
    found = keep_uses(taken, text(ours, own=True), text(base, own=False), uses=["Wrap"])
    assert found is not None
    assert found.data == taken
    assert any(why in reason for reason in found.refused), found.refused


def test_a_use_is_not_put_beside_what_it_stands_for() -> None:
    """Where the replaced name must stay, the use that takes its place is refused as well."""
    base = "def f(a):\n    a = Alt(a)\n    return a.total\n"
    found = keep_uses(
        base.encode(),
        base.replace("Alt", "Wrap").encode(),
        base.encode(),
        uses=["Wrap"],
        instead_of=["Alt"],
    )
    assert found is not None
    assert found.data.decode() == base
    assert any("in the place of line 2" in reason for reason in found.refused), found.refused
    found = keep_uses(
        base.replace(".total", "").encode(),
        base.replace("Alt", "Wrap").replace(".total", "").encode(),
        base.replace(".total", "").encode(),
        uses=["Wrap"],
        instead_of=["Alt"],
    )
    assert found is not None
    assert found.refused == ()
    assert found.data.decode() == base.replace("Alt", "Wrap").replace(".total", "")


def test_what_only_the_side_reads_of_a_use_is_said() -> None:
    """The use is put in for what is read; the rest of what it binds is named."""
    base = "def f(a):\n    go(a)\n    return 1\n"
    ours = "def f(a):\n    a, n = Wrap(a)\n    go(a)\n    return n\n"
    found = keep_uses(base.encode(), ours.encode(), base.encode(), uses=["Wrap"])
    assert found is not None
    assert found.data.decode() == ours.replace("return n", "return 1")
    assert found.refused == ("f: line 2 is put in; nothing there reads its n",)


def test_a_last_line_without_an_end_gets_one() -> None:
    """Else what is put in would be part of its comment."""
    base = "def f(a):\n    go(a)  # end"
    found = keep_uses(
        base.encode(), f"{base}\n    Wrap(a)\n".encode(), base.encode(), uses=["Wrap"]
    )
    assert found is not None
    assert found.data.decode() == f"{base}\n    Wrap(a)\n"


def test_texts_whose_offsets_are_not_known_are_left() -> None:
    """A byte order mark and other encodings."""
    text = b"from o import a, Alt\nAlt(a)\na\n"
    for data in (b"\xef\xbb\xbf" + text, b"# coding: latin-1\n# \xe4\n" + text):
        assert keep_uses(data, b"import Wrap\n", text, uses=["Wrap"], instead_of=["Alt"]) is None


def test_a_comment_that_was_there_is_not_put_in_again() -> None:
    """Only what the side wrote above its statement comes along."""
    base = "def f(a):\n    go(a)\n    # load it\n    x = load(a)\n"
    ours = base.replace("    # load it\n", "    # load it\n    # wrapped\n    Wrap(a)\n")
    found = keep_uses(base.encode(), ours.encode(), base.encode(), uses=["Wrap"])
    assert found is not None
    assert found.data.decode() == base.replace("go(a)\n", "go(a)\n    # wrapped\n    Wrap(a)\n")
    assert found.refused == ()


@pytest.mark.parametrize(
    ("ours", "why"),
    [
        ("LOADER = Wrap(1)\ndef f(a): go(a)\n", "line 1 uses Wrap outside of functions"),
        ("class A:\n    h = Wrap(1)\ndef f(a): go(a)\n", "line 2 uses Wrap outside of functions"),
        ("class A(Wrap): ...\ndef f(a): go(a)\n", "line 1 uses Wrap outside of functions"),
        ("@Wrap\ndef f(a): go(a)\n", "its header uses Wrap"),
        ("def f(a, b=Wrap): go(a)\n", "its header uses Wrap"),
        ("def f(a): go(a)\ndef f(a): Wrap(a)\n", "is there twice"),
        ("import m\ndef f(a): m.n.Wrap(a)\n", "line 2 uses Wrap through its module"),
    ],
)
def test_uses_that_no_statement_of_a_function_makes_are_said(ours: str, why: str) -> None:
    """Module level, classes, headers and functions of one name are left, never in silence."""
    theirs = "def f(a): go(a)\n"
    found = keep_uses(theirs.encode(), ours.encode(), theirs.encode(), uses=["Wrap"])
    assert found is not None
    assert found.data.decode() == theirs
    assert any(why in reason for reason in found.refused), found.refused


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
    text, _ = kept(f"from data import {names}\n", ours="import pack\n", base="")
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


OLD = """
    match: {path: '**/*.py'}
    action: rename
    from: paint.Color
    to: paint.Shade
    forms: [%s]
"""


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("match x:\n    case Color.RED: pass\n    case {'k': Color.B.c, **r} | [Color.A, *s]: pass\n", None),
        ("match x:\n    case Color(Color=Color.RED) as c: pass\n    case a.Color(): pass\n",
         "match x:\n    case Shade(Color=Shade.RED) as c: pass\n    case a.Color(): pass\n"),
        ("f(f'{Color:{Color}}', Color, Color=Color[0])\n", "f(f'{Shade:{Shade}}', Shade, Color=Shade[0])\n"),
        ("class A(Color, metaclass=Color):\n    def f(self, c: Color = Color) -> Color: self.Color = c\n",
         "class A(Shade, metaclass=Shade):\n    def f(self, c: Shade = Shade) -> Shade: self.Color = c\n"),
        ("with Color as c, Color(c) as (d, e): pass\n", None),
        ("del Color.x, Color[0]\nColor.y = Color[1] = 1\nColor.z += 1\n", None),
        ("x: Color\ny: Color = [c for c in Color if Color]\n", None),
        ('"""The Color."""\nx = "a Color here"\n', '"""The Color."""\nx = "a Color here"\n'),
        ("from .paint import Shade\nx = Shade, Color\n", None),
        ("def f(shade): return Color(Shade=1).Shade\n", "def f(shade): return Shade(Shade=1).Shade\n"),
    ],
)  # fmt: skip
def test_every_use_of_an_imported_name_follows(body: str, after: str | None) -> None:
    """Patterns of values and classes, interpolations, annotations; not keywords and attributes."""
    before = f"from paint import Color\n{body}"
    result = step(one_rule(OLD % "import"), {"a.py": before}, ours={"a.py": ""})
    wanted = body.replace("Color", "Shade") if after is None else after
    assert text_of(result, "a.py") == f"from paint import Shade\n{wanted}"
    assert not any(note.warning for note in result.notes)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("match x:\n    case Color: pass\n", "line 3 binds Color too"),
        ("match x:\n    case [Color, *_]: pass\n", "binds Color too"),
        ("match x:\n    case {'a': 1, **Color}: pass\n", "binds Color too"),
        ("match x:\n    case A() as Color: pass\n", "binds Color too"),
        ("import Color\n", "binds Color too"),
        ("import Color.b\n", "binds Color too"),
        ("import x as Color\n", "binds Color too"),
        ("from ink import Color\n", "binds Color too"),
        ("with x as (Color, b): pass\n", "binds Color too"),
        ("try: pass\nexcept E as Color: pass\n", "binds Color too"),
        ("try: pass\nexcept ImportError: Color = None\n", "binds Color too"),
        ("def f(*Color): pass\n", "binds Color too"),
        ("x = lambda Color: Color\n", "binds Color too"),
        ("if (Color := 1): pass\n", "binds Color too"),
        ("Color += 1\n", "binds Color too"),
        ("del Color\n", "deletes it"),
        ("def f():\n    global Color\n", "declares it"),
        ("type Color = int\n", ""),
        ("def Shade(x): return x\nprint(Shade(Color(1)))\n", "line 2 has a Shade already"),
        ("def f(Shade): return Color(Shade)\n", "has a Shade already"),
        ("from ink import Shade\n", "has a Shade already"),
        ("from paint import Tint as Shade\n", "has a Shade already"),
        ("from ink import *\nx = Shade\n", "has a Shade already"),
        ("__all__ = ['Color']\n", "line 2 has it as a string"),
        ("def f(x: 'list[Color]'): pass\n", "has it as a string"),
        ("patch('lib.mod.Color')\n", "has it as a string"),
        ("x = []  # type: list[Color]\n", "a type comment has it"),
    ],
)
def test_a_name_that_stands_for_something_else_is_left_with_a_word(body: str, why: str) -> None:
    """Bound otherwise, the new name taken, or written as a string: nothing is renamed."""
    before = f"from paint import Color\n{body}"
    result = step(
        one_rule(OLD % "import, string" if "Color'" not in body else OLD % "import"),
        {"a.py": before},
        ours={"a.py": ""},
    )
    assert text_of(result, "a.py") is None
    assert any(note.warning and why in note.text for note in result.notes), result.notes


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("from paint import *\nx = Color\n", "star import"),
        (
            "def f():\n    from paint import Color\ndef g(): return Color\n",
            "line 3 uses a Color that is not",
        ),
    ],
)
def test_a_name_that_is_imported_elsewhere_is_left_with_a_word(text: str, why: str) -> None:
    """What a star import brings, and a name that only another function imports."""
    result = step(one_rule(OLD % "import"), {"a.py": text}, ours={"a.py": ""})
    assert text_of(result, "a.py") is None
    assert any(note.warning and why in note.text for note in result.notes), result.notes


@pytest.mark.parametrize(
    "text", ["x = {'Color': 1, 'Shade': 2}\n", "x = {'a': 1, 'Shade': 0, 'Color': 1}\n"]
)
def test_a_key_that_is_there_already_is_not_made_again(text: str) -> None:
    """Two keys would become one; one of the values would be lost."""
    result = step(one_rule(OLD % "string"), {"a.py": text}, ours={"a.py": ""})
    assert text_of(result, "a.py") is None
    assert any("has both keys" in note.text and note.warning for note in result.notes)


def test_an_export_follows_its_import_and_stays_with_it() -> None:
    """With the form ``string`` the export is renamed with the name, and never without it."""
    rule = one_rule(OLD % "import, string")
    text = "from paint import Color\n__all__ = ['Color']\n"
    result = step(rule, {"a.py": text}, ours={"a.py": ""})
    assert text_of(result, "a.py") == text.replace("Color", "Shade")
    result = step(rule, {"a.py": f"{text}Shade = 1\n"}, ours={"a.py": ""})
    assert text_of(result, "a.py") is None
    assert result.notes[0].warning
