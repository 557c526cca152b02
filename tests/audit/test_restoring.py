"""Restoring patches, one case or more for each kind of thing that a merge loses or breaks."""

from __future__ import annotations

from textwrap import dedent

import pytest
from tests.audit.trees import Files, audited, facts_only, one, trees

from mergewright.audit.analysers import Ruff
from mergewright.audit.edits import add_parameter, parse_text, rename_calls
from mergewright.audit.policy import PathPolicy, Policy
from mergewright.audit.renames import call_change
from mergewright.audit.run import AuditOptions
from mergewright.audit.source import CallChange, Function, Parameter
from mergewright.audit.values import AuditReport
from mergewright.model.threeway import Side
from mergewright.workflows.fixing import make_fixes, select

HEAD = """\
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pkg.types import Tensor

__all__ = ["Layer", "run"]


class Mixin:
    ...


class Layer(Mixin):
    \"\"\"A layer.\"\"\"

    size: int = 1
    \"\"\"Its size.\"\"\"

    @staticmethod
    def first(x, *, deep=False):
        from pkg.enums import A

        y = run(x, os.sep)
        z = run(x, A)
        if deep:
            y = z
        return y, z

    def last(self, a, b=None):
        return a


def add(parser):
    group = parser.add_argument_group("g")
    group.add_argument("--size", type=int)
    group.add_argument("--depth", type=int)


def run(x, y):
    return x
"""
#: What main changed elsewhere, so that the file is nobody's as a whole.
MAIN = HEAD.replace("return x\n", "return x * 2\n")


def fixed(ours: str, check: str, *, base: str = HEAD, theirs: str = MAIN) -> str:
    """The merged text is theirs'; what ours added to base is lost, and restored by ``--fix``."""
    files: tuple[Files, Files, Files, Files] = (
        {"m.py": base},
        {"m.py": ours},
        {"m.py": theirs},
        {"m.py": theirs},
    )
    return repaired(facts_only(*files), check, *files)


def repaired(report: AuditReport, check: str, *files: Files, path: str = "m.py") -> str:
    found = one(report, check)
    assert found.patch is not None, found
    fixes = make_fixes([found], trees(*files))
    assert [o.reason for o in fixes.outcomes if not o.applied] == []
    after = fixes.changes[path][1].decode()
    compile(after, path, "exec")
    return after


@pytest.mark.parametrize(
    ("check", "old", "new"),
    [
        ("lost-keyword", "z = run(x, A)", "z = run(x, A, sms=4)"),
        ("lost-decorator", "    @staticmethod\n", "    @staticmethod\n    @cached(size=3)\n"),
        ("lost-export", '"Layer", "run"', '"Layer", "extra", "run"'),
        ("lost-base-class", "class Layer(Mixin):", "class Layer(Mixin, Other[int]):"),
        ("lost-base-class", "class Mixin:", "class Mixin(Other):"),
        ("lost-parameter", "*, deep=False", "*, deep=False, wide: bool = True"),
        ("lost-parameter", "def run(x, y):", "def run(x, y, z=None):"),
        ("lost-import", "pkg.types import Tensor", "pkg.types import Tensor, Optional"),
        (
            "lost-import",
            "        from pkg.enums import A\n",
            "        from pkg.enums import A\n        import json\n",
        ),
        ("lost-field", 'size."""\n', 'size."""\n\n    wide: int = 2\n    """How wide."""\n'),
        (
            "lost-command-line-argument",
            "type=int)\n\n\ndef run",
            'type=int)\n    group.add_argument("--wide")\n\n\ndef run',
        ),
        (
            "lost-function",
            "    def last",
            "    def middle(self):\n        return 3\n\n    def last",
        ),
        ("lost-class", "def add(", "class New:\n    x = 1\n\n\ndef add("),
        ("lost-name", "def add(", "LIMIT = 3\n\n\ndef add("),
    ],
)
def test_a_lost_thing_goes_back_as_ours_has_it(check: str, old: str, new: str) -> None:
    """One thing of ours is lost; the patch gives ours' text with main's change in it."""
    assert HEAD.count(old) == 1
    ours = HEAD.replace(old, new)
    assert fixed(ours, check) == MAIN.replace(old, new)


def test_keywords_go_back_into_several_calls_in_their_order() -> None:
    """Each call gets the value that its counterpart has."""
    ours = HEAD.replace("run(x, os.sep)", "run(x, os.sep, sms=1)").replace(
        "run(x, A)", "run(x, A, sms=2)"
    )
    out = fixed(ours, "lost-keyword")
    assert "run(x, os.sep, sms=1)" in out
    assert "run(x, A, sms=2)" in out


def test_a_keyword_goes_into_a_call_of_many_lines_and_into_an_empty_one() -> None:
    """On a line of its own, comments kept; or between the brackets."""
    long = "run(\n            x,\n            A,  # why\n        )"
    base = HEAD.replace("run(x, A)", long).replace("run(x, os.sep)", "go()")
    ours = base.replace("  # why\n", "  # why\n            sms=4,\n").replace("go()", "go(n=1)")
    main = base.replace("return x\n", "return x * 2\n")
    files = ({"m.py": base}, {"m.py": ours}, {"m.py": main}, {"m.py": main})
    fixes = make_fixes(select(facts_only(*files), "lost-keyword"), trees(*files))
    assert fixes.changes["m.py"][1].decode() == ours.replace("return x\n", "return x * 2\n")


def test_a_call_goes_back_with_the_branch_that_it_stood_in() -> None:
    """The whole branch is gone, so it comes back whole."""
    branch = "        if y:\n            record(y)\n"
    helper = "\n\ndef record(x):\n    return x\n"
    base = HEAD + helper
    ours = base.replace("        if deep:", branch + "        if deep:")
    main = MAIN + helper
    assert fixed(ours, "lost-call", base=base, theirs=main) == main.replace(
        "        if deep:", branch + "        if deep:"
    )


def test_an_assignment_with_a_helper_call_goes_back_unless_its_name_is_bound() -> None:
    """Bound to something else, nobody knows which of the two is meant."""
    ours = HEAD.replace("        if deep:", "        w = add(y)\n        if deep:")
    assert "        w = add(y)\n        if deep:" in fixed(ours, "lost-call")
    other = MAIN.replace("        if deep:", "        w = 3\n        if deep:")
    files = ({"m.py": HEAD}, {"m.py": ours}, {"m.py": other}, {"m.py": other})
    assert one(facts_only(*files), "lost-call").patch is None


def test_a_definition_goes_back_although_its_neighbour_is_gone_too() -> None:
    """Order is of no concern to definitions: the nearest one that stands will do."""
    two = "    def one(self):\n        return 1\n\n    def two(self):\n        return 2\n\n"
    ours = HEAD.replace("    def last", two + "    def last")
    files = ({"m.py": HEAD}, {"m.py": ours}, {"m.py": MAIN}, {"m.py": MAIN})
    fixes = make_fixes(select(facts_only(*files), "lost-function"), trees(*files))
    assert all(o.applied for o in fixes.outcomes)
    assert fixes.changes["m.py"][1].decode() == MAIN.replace("    def last", two + "    def last")


def test_a_parameter_between_others_only_where_all_callers_count_alike() -> None:
    """Main's callers give ``b`` at the second place; nothing may slip in before it."""
    ours = parse_text(b"def f(a, new=1, b=2): ...\n")
    main = parse_text(b"def f(a, b=2): ...\n")
    assert ours is not None
    assert main is not None
    assert add_parameter(main, ours, main, "f", "new") is None
    assert add_parameter(main, ours, ours, "f", "new") == ours.data
    assert add_parameter(main, ours, None, "f", "new") == ours.data


MANAGER = """
    class Group:
        def {name}(self, tensor, {more}forced=None, delay=False):
            chunk = self.current()
            chunk.add(tensor, forced)
            chunk.flush(delay)
            return tensor

        def current(self):
            return self
    """
USE = """
    from pkg.off import Group

    def f(t):
        return Group().group_commit({arguments})
    """


def renamed(arguments: str, other: str) -> tuple[AuditReport, tuple[Files, ...]]:
    dev = MANAGER.format(name="group_offload", more="")
    main = MANAGER.format(name="group_commit", more="name=None, ")
    use, more = USE.format(arguments=arguments), USE.format(arguments=other)
    empty = {"pkg/use.py": "x = 1\n", "pkg/more.py": "x = 1\n"}
    calls = {"pkg/use.py": use, "pkg/more.py": more}
    files: tuple[Files, ...] = (
        {"pkg/off.py": "class Group: ...\n", **empty},
        {"pkg/off.py": dev, **empty},
        {"pkg/off.py": main, **calls},
        {"pkg/off.py": dev, **calls},
    )
    return audited(*files), files


def test_calls_of_a_renamed_method_are_mapped_in_all_files() -> None:
    """What only the old one takes goes; what would stand elsewhere is given by name."""
    report, files = renamed('t, name="x", forced=[t]', "t, None, [t], delay=True")
    (found,) = [f for f in report.findings if f.check == "missing-attribute"]
    fixes = make_fixes([found], trees(*files))
    assert [o.applied for o in fixes.outcomes] == [True], fixes.outcomes
    texts = {path: after.decode() for path, (_, after) in fixes.changes.items()}
    assert "group_offload(t, forced=[t])" in texts["pkg/use.py"]
    assert "group_offload(t, [t], delay=True)" in texts["pkg/more.py"] or (
        "group_offload(t, forced=[t], delay=True)" in texts["pkg/more.py"]
    )


def test_a_call_that_cannot_be_mapped_leaves_all_files_alone() -> None:
    """An argument with an effect of its own, or arguments that are not seen."""
    report, _ = renamed('t, name="x"', "t, next_name()")
    (found,) = [f for f in report.findings if f.check == "missing-attribute"]
    assert found.patch is None
    known = frozenset({"a", "gone"})
    change = CallChange(("a", "gone"), ("a",), frozenset({"a"}), frozenset({"a"}), known, known)
    for call in ("o.old(*args)", "o.old(a, **more)", "o.old(a, # why\n gone=1)", "run(o.old)"):
        text = parse_text(f"{call}\n".encode())
        assert text is not None
        assert rename_calls(text, frozenset({1}), "old", "new", change) is None


def test_an_argument_of_a_renamed_method_stays_where_a_new_parameter_may_be_it() -> None:
    """The renamed method takes ``label`` where the old one took ``name``, and needs neither."""
    tensor, name, label = (
        Parameter(word, "both", word == "tensor") for word in ("tensor", "name", "label")
    )

    def removable(old: list[Parameter], new: list[Parameter]) -> frozenset[str]:
        change = call_change(
            *(Function(tuple(params), (), 1, bound=False) for params in (old, new))
        )
        assert change is not None
        return change.removable

    assert removable([tensor, name], [tensor, label]) == frozenset()
    assert "name" in removable([tensor, label, name], [tensor, label])


def test_many_lines_of_arguments_stay_one_a_line() -> None:
    """The layout of the call is kept."""
    text = parse_text(b"o.old(\n    a,\n    gone=1,\n    b=2,\n)\n")
    assert text is not None
    known = frozenset({"a", "gone", "b"})
    change = CallChange(
        ("a", "gone", "b"), ("a", "b"), frozenset("ab"), frozenset("a"), known, known
    )
    made = rename_calls(text, frozenset({1}), "old", "new", change)
    assert made == b"o.new(\n    a,\n    b=2,\n)\n"


def test_a_name_that_another_file_imports_goes_back_into_its_module() -> None:
    """The import shows the loss, the definition is what is restored."""
    lib = "def keep():\n    return 1\n\n\ndef helper():\n    return 2\n"
    main = "def keep():\n    return 3\n"
    use = "from pkg.lib import helper, keep\n\nX = helper() + keep()\n"
    files: tuple[Files, ...] = (
        {"pkg/lib.py": main.replace("3", "1"), "pkg/use.py": "x = 1\n"},
        {"pkg/lib.py": lib, "pkg/use.py": use},
        {"pkg/lib.py": main, "pkg/use.py": "x = 1\n"},
        {"pkg/lib.py": main, "pkg/use.py": use},
    )
    out = repaired(audited(*files), "missing-name", *files, path="pkg/lib.py")
    assert out == lib.replace("return 1", "return 3")


def test_an_equal_field_that_stands_twice_is_kept_once() -> None:
    """With the string below it; two different ones are left to a person."""
    head = "class C:\n    a: int = 1\n"
    field = '    beta: float = 0.9\n    """Beta."""\n'
    files: tuple[Files, ...] = (
        {"c.py": head},
        {"c.py": head + field},
        {"c.py": head + "    gamma: int = 3\n" + field},
        {"c.py": head + field + "    gamma: int = 3\n" + field},
    )
    out = repaired(audited(*files), "duplicate-field", *files, path="c.py")
    assert out == head + field + "    gamma: int = 3\n"
    other = (*files[:3], {"c.py": head + field + "    beta: float = 0.1\n"})
    assert one(audited(*other), "duplicate-field").patch is None


def test_a_deprecated_alias_is_read_by_its_new_name() -> None:
    """Only where the finding shows."""
    flags = dedent("""\
        import argparse

        p = argparse.ArgumentParser()
        p.add_argument("--wide-mode", action="store_true")
        p.add_argument("--old-mode", action="store_true", help="Deprecated, use --wide-mode.")
        """)
    files: tuple[Files, ...] = (
        {"a.py": flags, "u.py": "def f(args):\n    return args.old_mode\n"},
        {"a.py": flags, "u.py": "def f(args):\n    return args.wide_mode\n"},
        {"a.py": flags, "u.py": "def f(args):\n    return args.old_mode, 1\n"},
        {"a.py": flags, "u.py": "def f(args):\n    return args.old_mode, 1\n"},
    )
    out = repaired(facts_only(*files), "deprecated-alias", *files, path="u.py")
    assert out == "def f(args):\n    return args.wide_mode, 1\n"


def test_files_and_lines_go_back() -> None:
    """A lost file whole; lost lines in as many blocks as they stood in."""
    text = "# A\n\none\n\n# B\n\ntwo\n"
    ours = text.replace("one\n", "one\nours one\n").replace("two\n", "two\nours two\n")
    main = text.replace("# B", "# B of main")
    files: tuple[Files, ...] = (
        {"n.md": text, "x.txt": "x\n"},
        {"n.md": ours, "x.txt": "x\n", "new.py": "x = 1\n"},
        {"n.md": main, "x.txt": "y\n"},
        {"n.md": main, "x.txt": "y\n"},
    )
    report = facts_only(*files)
    fixes = make_fixes(select(report, "lost-lines,lost-file"), trees(*files))
    assert fixes.changes["n.md"][1].decode() == ours.replace("# B", "# B of main")
    assert fixes.changes["new.py"] == (None, b"x = 1\n")
    assert "--- /dev/null" in fixes.diff()


def test_a_pinned_file_goes_back_whole() -> None:
    """Also where a gate would rather have main's change in it."""
    files: tuple[Files, ...] = (
        {"p.toml": "a = 1\n"},
        {"p.toml": "a = 1\nb = 2\n"},
        {"p.toml": "a = 3\n"},
        {"p.toml": "a = 3\nb = 2\n"},
    )
    rule = PathPolicy(rule="mine", reason="ours on purpose", side=Side.OURS, kind="pinned")
    policy = Policy(paths={"p.toml": rule})
    report = audited(*files, AuditOptions(analysers=(), policy=policy))
    assert repaired_bytes(report, "pinned-file", *files) == b"a = 1\nb = 2\n"


def repaired_bytes(report: AuditReport, check: str, *files: Files) -> bytes:
    fixes = make_fixes([one(report, check)], trees(*files))
    ((_, after),) = fixes.changes.values()
    return after


def test_a_static_method_that_became_an_instances_is_left_to_a_person() -> None:
    """Called on the class it would take the tensor for itself; the new name is told all the same."""
    dev = MANAGER.format(name="group_offload", more="").replace("self.current()", "self")
    main = MANAGER.format(name="group_commit", more="name=None, ").replace("self.current()", "self")
    main = main.replace(
        "        def group_commit(self, ", "        @staticmethod\n        def group_commit("
    )
    use = USE.format(arguments="t").replace("Group()", "Group")
    files: tuple[Files, ...] = (
        {"pkg/off.py": "class Group: ...\n", "pkg/use.py": "x = 1\n"},
        {"pkg/off.py": dev, "pkg/use.py": "x = 1\n"},
        {"pkg/off.py": main, "pkg/use.py": use},
        {"pkg/off.py": dev, "pkg/use.py": use},
    )
    found = one(audited(*files), "missing-attribute")
    assert "call `group_offload` instead" in found.repair
    assert found.patch is None


def test_many_doubled_fields_are_mended_one_by_one() -> None:
    """The gate names five at most; that a sixth is named then is no new fault."""
    fields = [f"    field_{'long' * n}{n}: int = {n}\n" for n in range(7)]
    head = "class C:\n    a: int = 1\n"
    files: tuple[Files, ...] = (
        {"c.py": head},
        {"c.py": head + "".join(fields)},
        {"c.py": head + "    gamma: int = 3\n" + "".join(fields)},
        {"c.py": head + "".join(fields) + "    gamma: int = 3\n" + "".join(fields)},
    )
    report = audited(*files, AuditOptions(analysers=(Ruff(),)))
    fixes = make_fixes(select(report, "duplicate-field"), trees(*files))
    assert all(o.applied for o in fixes.outcomes), fixes.outcomes
    assert fixes.changes["c.py"][1].decode() == head + "".join(fields) + "    gamma: int = 3\n"
