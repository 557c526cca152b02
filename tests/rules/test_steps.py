"""What the rules do to a merged tree."""

from __future__ import annotations

from textwrap import dedent

import pytest

from mergewright.model.threeway import Side
from mergewright.rules.deleted import Deletion, need
from mergewright.rules.names import imported_modules
from mergewright.rules.trees import MemoryTree, Reference, references

from .helpers import one_rule, step, text_of

RENAME = """
    match: {path: '**/*.py'}
    action: rename
    from: args.hybrid
    to: args.dynamic
    forms: [attribute, keyword, getattr, flag]
"""


def test_rename_changes_each_said_form_and_nothing_else() -> None:
    """Attributes of the owner, keywords, getattr and flags change; look-alikes do not."""
    before = '''
        # args.hybrid stays in a comment
        def run(args, other):
            """Uses args.hybrid."""
            if args.hybrid and self.args.hybrid:
                start(hybrid=True, text="hybrid", flag="--hybrid")
            other.hybrid = getattr(args, "hybrid", None) or getattr(other, "hybrid")
            hybrid = args.hybrid_more
    '''
    after = '''
        # args.hybrid stays in a comment
        def run(args, other):
            """Uses args.hybrid."""
            if args.dynamic and self.args.dynamic:
                start(dynamic=True, text="hybrid", flag="--dynamic")
            other.hybrid = getattr(args, "dynamic", None) or getattr(other, "hybrid")
            hybrid = args.hybrid_more
    '''
    result = step(one_rule(RENAME), {"a.py": before, "b.py": before}, ours={"b.py": before})
    assert text_of(result, "a.py") == dedent(after)
    assert text_of(result, "b.py") is None, "a file that the merge does not change is not touched"
    (edit,) = result.edits
    assert "5 places" in edit.decisions[0].reason
    assert edit.decisions[0].rule == "the-rule"


def test_rename_keeps_bytes_outside() -> None:
    """Line ends, tabs and form feeds around the renamed name are copied."""
    book = one_rule(RENAME)
    result = step(book, {"a.py": "x = args.hybrid\nif (:\n"})
    assert text_of(result, "a.py") is None, "text that is no Python is left"
    assert result.notes[0].warning
    result = step(book, {"a.py": "\x0cif y:\r\n\tx = args.hybrid  # é\r\n"})
    assert text_of(result, "a.py") == "\x0cif y:\r\n\tx = args.dynamic  # é\r\n"


def test_open_pinned_and_generated_files_are_not_touched() -> None:
    """A step leaves conflicts and files of another rule's side alone."""
    text = "x = args.hybrid\n"
    assert step(one_rule(RENAME), {"a.py": text}, open_paths=("a.py",)).edits == ()
    from mergewright.rules.loading import load_text

    lines = "\n".join("    " + line.strip() for line in RENAME.strip().split("\n"))
    book = load_text(
        "version: 1\nrules:\n"
        "  - {id: pin, reason: r, match: {path: a.py}, action: pinned}\n"
        "  - id: ren\n    reason: r\n" + lines + "\n"
    )
    assert [edit.path for edit in step(book, {"a.py": text, "b.py": text}).edits] == ["b.py"]


CALLERS = """
    match: {path: '**/*.py'}
    action: patch-callers
    interface: core/offload.py
    table:
      - {call: group_commit, becomes: group_offload}
      - call: init_handler
        becomes: init_handler
        arguments:
          - {from: [0, stages]}
          - {name: layers, from: [1, layers]}
          - {name: last, from: [2, last], or: 'False'}
          - {name: margin, value: '1'}
      - {call: not_there, becomes: nowhere}
"""
INTERFACE = """
    class Interface:
        def group_offload(self, tensor): ...
        def init_handler(self, stages, *, layers, last, margin): ...
"""


def test_callers_are_patched_by_the_table() -> None:
    """Methods are renamed and arguments mapped, in files that import the interface."""
    before = """
        from core.offload import Interface as off

        def f(x, other):
            off.group_commit(x, name="a")
            off.init_handler(1, layers=2)
            off.init_handler(
                1,
                2,
                True,
            )
    """
    after = """
        from core.offload import Interface as off

        def f(x, other):
            off.group_offload(x, name="a")
            off.init_handler(1, layers=2, last=False, margin=1)
            off.init_handler(
                1,
                layers=2,
                last=True,
                margin=1,
            )
    """
    stranger = "def f(off):\n    off.group_commit(1)\n"
    result = step(
        one_rule(CALLERS), {"core/offload.py": INTERFACE, "a.py": before, "b.py": stranger}
    )
    assert text_of(result, "a.py") == dedent(after)
    assert text_of(result, "b.py") is None, "a file that does not import the interface is left"


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("off.init_handler(*a)", "by * or **"),
        ("off.init_handler(1, layers=2, other=3)", "what becomes of other"),
        ("off.init_handler(1, # why\n 2)", "a comment"),
        ("off.not_there()", "has no 'nowhere'"),
    ],
)
def test_calls_that_cannot_be_mapped_are_reported(call: str, problem: str) -> None:
    """A call outside the table is a warning with its line, and stays as it is."""
    text = f"import core.offload as off\n{call}\n"
    result = step(one_rule(CALLERS), {"core/offload.py": INTERFACE, "a.py": text})
    assert result.edits == ()
    assert problem in result.notes[0].text
    assert "line 2" in result.notes[0].text
    assert result.notes[0].warning


def test_callers_are_right_where_the_interface_still_has_the_name() -> None:
    """Nothing is patched when the interface kept the old method."""
    interface = INTERFACE + "    def group_commit(self): ...\n"
    text = "from core.offload import off\noff.group_commit()\n"
    result = step(one_rule(CALLERS), {"core/offload.py": interface, "a.py": text})
    assert result.edits == ()
    result = step(
        one_rule(CALLERS),
        {"core/offload.py": "<<<<<<<", "a.py": text},
        ours={"core/offload.py": INTERFACE},
        open_paths=("core/offload.py",),
    )
    assert text_of(result, "a.py") == text.replace("commit", "offload"), "ours' names will stand"
    relative = "from .offload import off\noff.group_commit()\n"
    result = step(one_rule(CALLERS), {"core/offload.py": INTERFACE, "core/a.py": relative})
    assert text_of(result, "core/a.py") == relative.replace("commit", "offload")


RESTORE = "match: {path: '**/*.py'}\naction: restore-imports"


def test_a_lost_import_whose_name_is_used_comes_back() -> None:
    """It is put behind the import that stood before it on its side."""
    ours = "import os\nfrom enums import Scope\nimport sys\n\nprint(os, sys, Scope)\n"
    merged = "import os\nimport sys\n\nprint(os, sys, Scope, 1)\n"
    result = step(one_rule(RESTORE), {"a.py": merged}, ours={"a.py": ours})
    assert text_of(result, "a.py") == ours.replace("Scope)", "Scope, 1)")
    assert "'Scope' is used in line 4" in result.edits[0].decisions[0].reason
    assert result.edits[0].decisions[0].side is Side.OURS


def test_imports_are_not_restored_without_need_or_proof() -> None:
    """Unused, ambiguous, conditional and star imports are left; the doubtful ones are reported."""
    book = one_rule(RESTORE)
    merged = "def f(Scope):\n    return Scope\n"
    assert step(book, {"a.py": merged}, ours={"a.py": "from a import Scope\n"}).notes == ()
    merged = "x: Scope = 1\n"
    both = step(
        book,
        {"a.py": merged},
        ours={"a.py": "from a import Scope\n"},
        theirs={"a.py": "from b import Scope\n"},
    )
    assert both.edits == ()
    assert "imported in two ways" in both.notes[0].text
    guarded = step(
        book,
        {"a.py": merged},
        ours={"a.py": "try:\n    from a import Scope\nexcept E:\n    pass\n"},
    )
    assert guarded.edits == ()
    assert "under a condition" in guarded.notes[0].text
    star = step(book, {"a.py": "from z import *\n" + merged}, ours={"a.py": "import Scope\n"})
    assert (star.edits, star.notes) == ((), ())


def test_imports_after_docstring_and_future() -> None:
    """With no import left the statement follows the docstring; never before ``__future__``."""
    book = one_rule(RESTORE)
    ours = {"a.py": '"""Doc."""\n\nimport os\n\nprint(os)\n'}
    result = step(book, {"a.py": '"""Doc."""\n\nprint(os, 1)\n'}, ours=ours)
    assert text_of(result, "a.py") == '"""Doc."""\nimport os\n\nprint(os, 1)\n'
    ours = {"a.py": "from __future__ import annotations\nimport os\ndef f(x: os.P): ...\n"}
    merged = {"a.py": "from __future__ import annotations\ndef f(x: os.P, y): ...\n"}
    result = step(book, merged, ours=ours)
    assert text_of(result, "a.py") == (
        "from __future__ import annotations\nimport os\ndef f(x: os.P, y): ...\n"
    )


FALL_BACK = """
    match: {path: '**/delta.py'}
    action: fall-back
    if: missing-helper
    side: ours
"""


def test_fall_back_when_a_helper_is_missing() -> None:
    """The merged file calls a helper of ours that the merge dropped: ours is taken whole."""
    ours = "class D:\n    def _h(self): ...\n    def run(self): self._h()\n"
    theirs = "class D:\n    def run(self): ...\n"
    merged = "class D:\n    def run(self): self._h()\n"
    sides = {"ours": {"x/delta.py": ours}, "theirs": {"x/delta.py": theirs}}
    result = step(one_rule(FALL_BACK), {"x/delta.py": merged}, **sides)
    assert text_of(result, "x/delta.py") == ours
    assert "_h (line 2)" in result.edits[0].decisions[0].reason
    inherited = "class D(Base):\n    def run(self): self.other()\n"
    assert step(one_rule(FALL_BACK), {"x/delta.py": inherited}, **sides).edits == ()


SCHEDULE = """
    match: {path: data_schedule.py, symbol: [Base.**, wrap, Legacy*]}
"""
OURS = """\
import a

# The base.
class Base:
    x = 1

def wrap(it):
    return it
"""


def test_keep_ours_puts_symbols_back() -> None:
    """A changed symbol is ours' again, a lost one returns to its place with its comment."""
    merged = "import a\n\ndef wrap(it, other):\n    return other\n\nclass New: ...\n"
    result = step(
        one_rule(SCHEDULE + "    action: keep-ours\n"),
        {"data_schedule.py": merged},
        ours={"data_schedule.py": OURS},
    )
    assert text_of(result, "data_schedule.py") == OURS + "\nclass New: ...\n"
    reasons = [d.reason for d in result.edits[0].decisions]
    assert "Base of ours put back" in reasons[0]
    assert "wrap is ours' again" in reasons[1]


def test_drop_takes_out_what_ours_does_not_have() -> None:
    """A legacy path that only theirs has is not appended."""
    merged = OURS + "\n# old\nclass LegacyScheduler:\n    y = 2\n"
    result = step(
        one_rule(SCHEDULE + "    action: drop\n"),
        {"data_schedule.py": merged},
        ours={"data_schedule.py": OURS},
        theirs={"data_schedule.py": merged},
    )
    assert text_of(result, "data_schedule.py") == OURS


SOURCES = """
    match: {path: pyproject.toml}
    action: git-sources
    choices:
      - {package: nemo-run, side: theirs, reason: ours has a parse error}
"""


def test_git_sources_are_reconciled() -> None:
    """New ones are added, a named one is theirs', others differ and are reported; layout stays."""
    ours = """\
        [project]
        name = "x"   # kept

        [tool.uv.sources]
        # ours pins
        nemo-run = { git = "https://g/nemo", rev = "1" }
        te = { git = "https://g/te", rev = "5" }
        local = { path = "../l" }

        [tool.black]
        line-length = 100
    """
    theirs = """\
        [project]
        name = "y"

        [tool.uv.sources]
        nemo-run = { git = "https://g/nemo", rev = "2" }
        te = { git = "https://g/te", rev = "6" }
        resiliency = { git = "https://g/res", rev = "9" }
        torch = { index = "p" }
    """
    expected = (
        dedent(ours)
        .replace('rev = "1"', 'rev = "2"')
        .replace(
            'local = { path = "../l" }\n',
            'local = { path = "../l" }\nresiliency = { git = "https://g/res", rev = "9" }\n',
        )
    )
    result = step(
        one_rule(SOURCES),
        {"pyproject.toml": ours},
        ours={"pyproject.toml": ours},
        theirs={"pyproject.toml": theirs},
    )
    assert text_of(result, "pyproject.toml") == expected
    warnings = [note.text for note in result.notes if note.warning]
    assert len(warnings) == 1
    assert warnings[0].startswith("source of te differs: ours")


def test_git_sources_bad_input_is_left() -> None:
    """A file that is no TOML is reported and left."""
    for ours, theirs in (("x =", "[tool.uv.sources]\na={git='u'}"), ("x=1", "y =")):
        result = step(
            one_rule(SOURCES),
            {"pyproject.toml": ours},
            ours={"pyproject.toml": ours},
            theirs={"pyproject.toml": theirs},
        )
        assert result.edits == ()
        assert result.notes[0].warning


RESTORE_DELETED = """
    match: {path: '**'}
    action: restore-deleted
    accidental: ['chore: nightly sync*']
"""


def deletion(title: str, parents: int = 1) -> list[Deletion]:
    return [
        Deletion(commit="d" * 40, title=title, author="Dev", date="2026-01-02", parents=parents)
    ]


def test_restore_deleted_files() -> None:
    """Needed and not deleted on purpose: restored; on purpose or unneeded: skipped, with reasons."""
    theirs = {
        "lib/needed.py": "x = 1\n",
        "lib/purpose.py": "x = 2\n",
        "lib/unused.py": "x = 3\n",
        "lib/wanted.py": "x = 4\n",
    }
    merged = {"app.py": "from lib.needed import x\nimport lib.wanted\n"}
    result = step(
        one_rule(RESTORE_DELETED),
        merged,
        theirs=theirs,
        deletions={
            "lib/needed.py": deletion("chore: nightly sync main into dev (01_01_2026)"),
            "lib/purpose.py": deletion("remove purpose"),
            "lib/wanted.py": deletion("remove wanted"),
        },
    )
    assert [edit.path for edit in result.edits] == ["lib/needed.py"]
    notes = {note.path: note for note in result.notes}
    assert "needed by app.py (imports lib.needed)" in notes["lib/needed.py"].text
    assert notes["lib/purpose.py"].text.startswith(
        "not restored: ours deleted it on purpose in dddddddddddd 'remove purpose' (Dev, 2026-01-02)"
    )
    assert "nothing in the merged tree refers to it" in notes["lib/unused.py"].text
    assert notes["lib/wanted.py"].warning
    assert "still needed by app.py" in notes["lib/wanted.py"].text


def test_references() -> None:
    """Imports, dotted names, paths and neighbours count; look-alikes do not."""
    texts = {
        "a/x.py": "from . import target\n",
        "a/y.py": "import a.targets\n",
        "b/z.py": "importlib.import_module('a.target')\n",
        "run.sh": "python a/target.py\n",
        "doc.md": "see my-a/target.py and a/target.pyc\n",
        "tools/conv/use.sh": "bash ./step.sh\n",
        "tools/other/use.sh": "bash ./step.sh\n",
    }
    tree = MemoryTree({path: text.encode() for path, text in texts.items()})
    found = references(tree, ["a/target.py", "tools/conv/step.sh"])
    assert [ref.path for ref in found["a/target.py"]] == ["a/x.py", "b/z.py", "run.sh"]
    assert [ref.path for ref in found["tools/conv/step.sh"]] == ["tools/conv/use.sh"]


def test_need() -> None:
    """Who deleted it, when, and whether anything needs it decide a delete/modify conflict."""
    ref = Reference(path="a.py", target="b.py", how="imports b")
    stands = need("main", deletion("drop legacy"), [], keep_when_needed=True)
    assert stands.keep is False
    assert "main deleted it in dddddddddddd 'drop legacy' (Dev, 2026-01-02)" in stands.reason
    assert need("main", deletion("x"), [ref], keep_when_needed=True).keep is True
    assert need("main", deletion("x"), [ref], keep_when_needed=False).keep is None
    assert need("main", [], [], keep_when_needed=True).keep is None


def test_coupled_groups_must_exist() -> None:
    """A Dockerfile's groups and extras are looked up in pyproject.toml."""
    book = one_rule(
        """
        match: {path: [pyproject.toml, Dockerfile]}
        action: coupled
        side: ours
        dockerfile: Dockerfile
        pyproject: pyproject.toml
        """
    )
    dockerfile = """\
        RUN uv venv && uv sync --only-group build \\
            # a comment
            --extra dev --group no_pypi_wheels \\
            --group=${GROUP} && uv pip install --group-by x
    """
    pyproject = """\
        [project.optional-dependencies]
        dev = []
        [dependency-groups]
        build = []
    """
    result = step(book, {"Dockerfile": dockerfile, "pyproject.toml": pyproject})
    assert [note.text for note in result.notes] == [
        "line 1 asks for the group 'no_pypi_wheels', which pyproject.toml does not declare"
    ]
    fixed = pyproject + "        no-pypi-wheels = []\n"
    assert step(book, {"Dockerfile": dockerfile, "pyproject.toml": fixed}).notes == ()


OWNER_TABLE = """
    match: {path: '**/*.py'}
    action: patch-callers
    interface: offload.py
    table:
      - call: group_commit
        becomes: group_offload
        owner: '{name}_manager'
        arguments:
          - {from: [0, tensor]}
          - {name: released, from: released}
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "m_manager = off()\nx = off.group_commit(x, name='m', released=[q])\n",
            "m_manager = off()\nx = m_manager.group_offload(x, released=[q])\n",
        ),
        ("x = off.group_commit(x, name='m')\n", "'m_manager' is not bound in the calling function"),
        ("m_manager = 1\nx = off.group_commit(x, name=n)\n", "no plain string as name"),
        ("m_manager = 1\nx = off.group_commit(x, name='m', k=1)\n", "what becomes of k"),
    ],
)
def test_a_new_receiver_is_made_from_an_argument(before: str, after: str) -> None:
    """The receiver's name may hold a string that the call passes; it must be bound there."""
    interface = "class I:\n    def group_offload(self, tensor, released=None): ...\n"
    head = "import offload as off\n"
    result = step(one_rule(OWNER_TABLE), {"offload.py": interface, "a.py": head + before})
    if after.endswith("\n"):
        assert text_of(result, "a.py") == head + after
    else:
        assert after in result.notes[0].text
    other = interface.replace("released", "freed")
    assert step(one_rule(OWNER_TABLE), {"offload.py": other, "a.py": head + before}).edits == ()


def test_imported_modules_equal_those_of_the_syntax_tree() -> None:
    """Reading import lines finds what the parsed tree holds, for all forms of the statement."""
    text = (
        b"import os, sys as s\nimport a.b.c\n"
        b"from x.y import (  # why (so)\n    p,\n    q as r,  # not )\n)\n"
        b"from . import here\nfrom ..up import (there,)\nfrom . upper import z\n"
        b"try:\n    from m import n; import k\nexcept E:\n    import \\\n        late\n"
        b"from w import *\nimported = 1\nfrom_x = 2\n"
    )
    assert imported_modules(text, "pkg/sub/mod.py") == {
        *("os", "sys", "a.b.c", "x.y", "x.y.p", "x.y.q", "pkg.sub", "pkg.sub.here", "pkg.up"),
        *("pkg.up.there", "pkg.sub.upper", "pkg.sub.upper.z", "m", "m.n", "late", "w", "w.*"),
    }


ADDS = """
    match: {path: '**/*.py'}
    action: patch-callers
    interface: core/state.py
    known-as: core.mpu
    table:
      - call: setup
        becomes: setup
        adds:
          - {name: smallest, value: args.smallest}
"""
STATE = "def setup(size=1, dynamic=False, smallest=1, order='tp'): ...\n"
HEAD = "from core import mpu\nargs = get_args()\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "mpu.setup(\n    2,\n    dynamic=True,\n    order='x',\n)\n",
            "mpu.setup(\n    2,\n    dynamic=True,\n    smallest=args.smallest,\n    order='x',\n)\n",
        ),
        ("mpu.setup()\n", "mpu.setup(smallest=args.smallest)\n"),
        ("mpu.setup(1)\n", "mpu.setup(1, smallest=args.smallest)\n"),
        ("mpu.setup(order='x')\n", "mpu.setup(smallest=args.smallest, order='x')\n"),
        (
            "mpu.setup(1, order='x', dynamic=d)",
            "mpu.setup(1, order='x', dynamic=d, smallest=args.smallest)",
        ),
        ("mpu.setup(1, True, 2)\n", "the call passes it by position"),
        ("mpu.setup(smallest=3)\n", "the call passes it by name"),
    ],
)
def test_an_argument_is_added_where_the_parameters_have_it(before: str, after: str) -> None:
    """A call that does not pass the argument gets it, the rest as it was; else it is left."""
    result = step(one_rule(ADDS), {"core/state.py": STATE, "a.py": HEAD + before})
    assert text_of(result, "a.py") == (HEAD + after if "setup" in after else None)
    assert not any(note.warning for note in result.notes)


@pytest.mark.parametrize(
    ("text", "interface", "problem"),
    [
        (HEAD + "mpu.setup(**more)\n", STATE, "by * or **"),
        (HEAD + "mpu.setup(1, # why\n2)\n", STATE, "a comment"),
        (HEAD.replace("args", "arguments") + "mpu.setup(1)\n", STATE, "args is not bound there"),
        (HEAD + "mpu.setup(1)\n", "def setup(size): ...\n", "does not take smallest"),
        (HEAD + "mpu.setup(1)\n", STATE + STATE, "does not define one function"),
    ],
)
def test_an_argument_that_cannot_be_added_is_told(text: str, interface: str, problem: str) -> None:
    """What would be a guess or no valid call stays as it is, with a warning."""
    result = step(one_rule(ADDS), {"core/state.py": interface, "a.py": text})
    assert text_of(result, "a.py") is None
    assert [problem in note.text for note in result.notes] == [True]


def test_an_argument_counts_the_instance_of_a_method() -> None:
    """``self`` is no place among the arguments of a call on an instance."""
    state = "class S:\n    def setup(self, size=1, smallest=1): ...\n"
    result = step(one_rule(ADDS), {"core/state.py": state, "a.py": HEAD + "mpu.setup(1)\n"})
    assert text_of(result, "a.py") == HEAD + "mpu.setup(1, smallest=args.smallest)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("()", "(dynamic=True, smallest=args.smallest)"),
        ("( )", "( dynamic=True, smallest=args.smallest)"),
        ("(order=o)", "(dynamic=True, smallest=args.smallest, order=o)"),
        ("(1,order=o,)", "(1, dynamic=True, smallest=args.smallest,order=o,)"),
        ("(\n    1,\n)", "(\n    1,\n    dynamic=True,\n    smallest=args.smallest,\n)"),
        ("(smallest=2)", "(dynamic=True, smallest=2)"),
        ("(1, d)", "(1, d, smallest=args.smallest)"),
    ],
)
def test_arguments_are_added_in_the_order_of_the_parameters(before: str, after: str) -> None:
    """Several arguments that one call lacks stand one after the other, each where it belongs."""
    rule = ADDS.rstrip() + "\n          - {name: dynamic, value: 'True'}\n"
    text = HEAD + "mpu.setup"
    result = step(one_rule(rule), {"core/state.py": STATE, "a.py": f"{text}{before}\n"})
    assert text_of(result, "a.py") == f"{text}{after}\n"
