"""Restoring patches, renamed methods, and the gates that they must pass."""

from __future__ import annotations

from tests.audit.trees import Files, audited, facts_only, one, trees

from mergewright.audit.repairs import Repairer
from mergewright.audit.values import Finding
from mergewright.workflows.fixing import make_fixes, select

OLD = '''
    from pkg.enums import A


    class Layer:
        """A layer."""

        size: int = 1

        def first(self, x):
            return run(x, size=self.size)

        def last(self, x):
            return x
    '''


def patched(finding: Finding, base: Files, ours: Files, theirs: Files, merged: Files) -> str:
    patch = Repairer(trees(base, ours, theirs, merged)).with_patch(finding).patch
    assert patch is not None
    assert patch.after is not None
    return patch.after.decode()


def restored(ours: str, merged: str, check: str, theirs: str | None = None) -> str:
    """What the patch of the only finding of a check makes of the merged text."""
    main = theirs if theirs is not None else merged
    files = ({"m.py": OLD}, {"m.py": ours}, {"m.py": main}, {"m.py": merged})
    return patched(one(facts_only(*files), check), *files)


def test_a_method_goes_back_between_its_neighbours() -> None:
    """With its comment and the blank line that it had."""
    method = "        # dev's helper\n        def middle(self, x):\n            return x + 1\n\n"
    ours = OLD.replace("        def last", method + "        def last")
    main = OLD.replace("return x\n", "return x * 2\n")
    out = restored(ours, main, "lost-function")
    assert (
        "\n    # dev's helper\n    def middle(self, x):\n        return x + 1\n\n    def last"
        in out
    )
    assert "return x * 2" in out


def test_a_field_goes_back() -> None:
    """After the field that it followed."""
    ours = OLD.replace("size: int = 1\n", "size: int = 1\n        wide: bool = False\n")
    main = OLD.replace("return x\n", "return x * 2\n")
    out = restored(ours, main, "lost-field")
    assert "    size: int = 1\n    wide: bool = False\n" in out


def test_a_keyword_argument_goes_back() -> None:
    """Into the one call of its function."""
    ours = OLD.replace("size=self.size)", "size=self.size, sms=4)")
    main = OLD.replace("size=self.size)", "size=self.size + 1)")
    assert "run(x, size=self.size + 1, sms=4)" in restored(ours, main, "lost-keyword")


def test_a_parameter_goes_back_as_the_last_one() -> None:
    """With its annotation and default."""
    ours = OLD.replace("def last(self, x)", "def last(self, x, ids: int | None = None)")
    main = OLD.replace("return x\n", "return x * 2\n")
    assert "def last(self, x, ids: int | None = None):" in restored(ours, main, "lost-parameter")


def test_a_helper_call_goes_back() -> None:
    """A statement of its own, after the statement that it followed."""
    ours = OLD.replace(
        "            return run(",
        "            y = x\n            self.last(y)\n            return run(",
    )
    main = OLD.replace("            return run(", "            y = x\n            return run(2 * ")
    out = restored(ours, main, "lost-call")
    assert "        y = x\n        self.last(y)\n        return run(2 * x" in out


def test_an_import_joins_the_import_of_its_module() -> None:
    """The use was kept, so the name is undefined; the patch imports it as ours did."""
    ours = OLD.replace("import A", "import A, B") + "\n\n    V = B\n"
    main = OLD.replace("return x\n", "return x * 2\n")
    merged = main + "\n\n    V = B\n"
    files = ({"m.py": OLD}, {"m.py": ours}, {"m.py": main}, {"m.py": merged})
    out = patched(one(audited(*files), "undefined-name"), *files)
    assert out.startswith("from pkg.enums import A, B\n")


def test_no_patch_where_the_place_is_not_certain() -> None:
    """The neighbours are gone as well."""
    ours = "def a(): ...\n\n\ndef lost(): ...\n\n\ndef c(): ...\n"
    report = facts_only({"m.py": ""}, {"m.py": ours}, {"m.py": "x = 1\n"}, {"m.py": "x = 1\n"})
    assert {f.check for f in report.findings if f.patch is not None} == set()
    assert len([f for f in report.findings if f.check == "lost-function"]) == 3


def test_a_renamed_method_is_called_by_its_new_name() -> None:
    """Only where no argument must be dropped or given."""
    body = "        chunk = cls.manager().current()\n        chunk.mark(tensor)\n        return tensor\n"
    dev = f"class Offload:\n    @classmethod\n    def mark_not_offload(cls, tensor):\n{body}"
    main = dev.replace("mark_not_offload", "mark_not_offloadable")
    use = "from pkg.off import Offload\n\ndef f(t):\n    return Offload.mark_not_offloadable(t)\n"
    files = (
        {"pkg/off.py": "class Offload: ...\n", "pkg/use.py": "x = 1\n"},
        {"pkg/off.py": dev, "pkg/use.py": "x = 1\n"},
        {"pkg/off.py": main, "pkg/use.py": use},
        {"pkg/off.py": dev, "pkg/use.py": use},
    )
    found = one(audited(*files), "missing-attribute")
    assert "call `mark_not_offload` instead" in found.repair
    assert "Offload.mark_not_offload(t)" in patched(found, *files)


def test_a_selection_is_applied_one_after_the_other() -> None:
    """Each patch starts from the text that the ones before left."""
    ours = OLD.replace("size: int = 1\n", "size: int = 1\n        a: int = 2\n        b: int = 3\n")
    main = OLD.replace("return x\n", "return x * 2\n")
    files = ({"m.py": OLD}, {"m.py": ours}, {"m.py": main}, {"m.py": main})
    report = facts_only(*files)
    fixes = make_fixes(select(report, "lost-field"), trees(*files))
    assert [outcome.applied for outcome in fixes.outcomes] == [True, True]
    (_, after) = fixes.changes["m.py"]
    assert b"    size: int = 1\n    a: int = 2\n    b: int = 3\n" in after
    assert "+    a: int = 2" in fixes.diff()


def test_a_gate_refuses_a_patch() -> None:
    """A restored definition that stands there already would be defined twice."""
    method = "        def middle(self, x):\n            return x + 1\n\n"
    ours = OLD.replace("        def last", method + "        def last")
    main = OLD.replace("return x\n", "return x * 2\n")
    files = ({"m.py": OLD}, {"m.py": ours}, {"m.py": main}, {"m.py": main})
    finding = one(facts_only(*files), "lost-function")
    there = main + "\n        def middle(self, y):\n            return y\n"
    fixes = make_fixes([finding], trees(*files[:3], {"m.py": there}))
    (outcome,) = fixes.outcomes
    assert not outcome.applied
    assert "duplicate-definition" in outcome.reason
    assert not fixes.changes
