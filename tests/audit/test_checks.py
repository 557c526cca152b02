"""Text, options, pairs, structure and policy checks."""

from __future__ import annotations

from time import process_time

import pytest
from tests.audit.trees import LABELS, Files, checks, facts_only, one, tree, trees

from mergewright.audit.importorder import _too_early
from mergewright.audit.index import Index, Sources
from mergewright.audit.lines import duplicate_keys, restored
from mergewright.audit.policy import PathPolicy, Policy, Rename
from mergewright.audit.run import AuditOptions, audit_trees
from mergewright.audit.values import AuditReport, Tier
from mergewright.model.threeway import Side
from mergewright.rules.loading import load_rules
from mergewright.workflows.auditpolicy import policy_of


def with_policy(
    policy: Policy, base: Files, ours: Files, theirs: Files, merged: Files
) -> AuditReport:
    options = AuditOptions(analysers=(), policy=policy)
    return audit_trees(trees(base, ours, theirs, merged), labels=LABELS, options=options)


# -- lines -------------------------------------------------------------------------------------


def test_a_markdown_section_that_dev_added_is_missed() -> None:
    """The lines are dev's own, so their loss is told with the heading that they stand under."""
    old = "# Data\n\nintro text here\n"
    section = "\n## Packing Scheduler\n\nIt packs sequences of many lengths.\n"
    report = facts_only(
        {"readme.md": old},
        {"readme.md": old + section},
        {"readme.md": old.replace("intro", "short intro")},
        {"readme.md": old.replace("intro", "short intro")},
    )
    found = one(report, "lost-lines")
    assert found.tier is Tier.REVIEW
    assert found.had == "ours"
    assert "Packing Scheduler" in found.message


def test_base_lines_that_main_changed_are_no_loss() -> None:
    """Only what a side added since the base can be lost."""
    report = facts_only(
        {"a.yaml": "a: 1\nb: 2\n"},
        {"a.yaml": "a: 1\nb: 2\nc: 3\n"},
        {"a.yaml": "a: 9\nb: 2\n"},
        {"a.yaml": "a: 9\nb: 2\nc: 3\n"},
    )
    assert checks(report) == []


def test_whitespace_brackets_and_comments_are_no_loss() -> None:
    """What says nothing is not missed."""
    report = facts_only(
        {"a.sh": "one\n"},
        {"a.sh": "one\n# a remark of dev\n  two   three\n)\n"},
        {"a.sh": "zero\none\n"},
        {"a.sh": "zero\none\ntwo three\n"},
    )
    assert checks(report) == []


def test_lost_lines_go_back_after_the_line_that_they_followed() -> None:
    """Only into one certain place."""
    assert restored("a.md", b"a\nb\nc\n", b"a\nz\n", [2, 3]) == b"a\nb\nc\nz\n"
    assert restored("a.md", b"a\nb\nc\n", b"a\nx\na\n", [2, 3]) is None


@pytest.mark.parametrize(
    ("path", "text", "keys"),
    [
        ("a.json", b'{"a": 1, "b": {"c": 1, "c": 2}}', ["c"]),
        ("a.toml", b"[t]\na = 1\nb = 2\na = 3\n[t]\n", ["t.a", "[t]"]),
        ("a.toml", b"[[t]]\na = 1\n[[t]]\na = 1\n", []),
        ("a.toml", b'a = [\n  "x = 1",\n  "x = 1",\n]\nb = """\nc = 1\nc = 1\n"""\n', []),
        ("a.yaml", b"a:\n  b: 1\n  b: 2\nc: [1]\n", ["a.b"]),
        ("a.yaml", b"a: &x {b: 1}\nc: *x\n", []),
        ("a.yaml", b"{{ template }}: [", []),
    ],
)
def test_keys_that_stand_twice(path: str, text: bytes, keys: list[str]) -> None:
    """In one table; arrays of tables and texts are left alone."""
    assert [key for _, key in duplicate_keys(path, text)] == keys


def test_a_doubled_key_of_a_union_merge_is_an_error() -> None:
    """Neither parent has it twice."""
    report = facts_only(
        {"a.toml": "[t]\nx = 1\n"},
        {"a.toml": "[t]\nx = 1\ny = 2\n"},
        {"a.toml": "[t]\nx = 1\ny = 3\n"},
        {"a.toml": "[t]\nx = 1\ny = 2\ny = 3\n"},
    )
    assert one(report, "duplicate-key").tier is Tier.ERROR


def test_markers_that_were_committed() -> None:
    """Markers that a parent has already (a test's data) are not told."""
    data = "<<<<<<< a\nx\n=======\ny\n>>>>>>> b\n"
    report = facts_only(
        {"d.txt": data}, {"d.txt": data + "1\n"}, {"d.txt": data + "2\n"}, {"d.txt": data + data}
    )
    assert len(one(report, "conflict-marker").places) == 2
    report = facts_only(
        {"d.txt": data}, {"d.txt": data + "1\n"}, {"d.txt": "2\n" + data}, {"d.txt": "2\n" + data}
    )
    assert "conflict-marker" not in checks(report)


@pytest.mark.parametrize(
    ("path", "told"), [("run.sh", True), ("a.cu", True), ("readme.md", False), ("data.bin", False)]
)
def test_the_middle_of_a_conflict_that_was_left_over(path: str, told: bool) -> None:
    """Sides and outer markers were tidied up, the line between them was not; in prose it may be."""
    report = facts_only(
        {path: "one\n"}, {path: "one\ntwo\n"}, {path: "zero\none\n"}, {path: "one\n=======\ntwo\n"}
    )
    assert ("conflict-marker" in checks(report)) is told


# -- options -----------------------------------------------------------------------------------

ARGUMENTS = (
    "import argparse\n\ndef add(parser):\n"
    '    parser.add_argument("--dynamic-context-parallel", action="store_true")\n'
)


def test_main_reads_an_argument_that_only_main_provides() -> None:
    """The merge took dev's parser and main's reader."""
    main = ARGUMENTS.replace("dynamic", "hybrid")
    use = "def run(args):\n    return args.hybrid_context_parallel\n"
    report = facts_only(
        {"arguments.py": "", "run.py": "x = 1\n"},
        {"arguments.py": ARGUMENTS, "run.py": use.replace("hybrid", "dynamic")},
        {"arguments.py": main, "run.py": use},
        {"arguments.py": ARGUMENTS, "run.py": use},
    )
    found = one(report, "unknown-argument")
    assert found.tier is Tier.ERROR
    assert found.had == "theirs"
    assert found.repair == "perhaps `args.dynamic_context_parallel`"


def test_a_deprecated_alias_is_read_where_dev_read_the_new_name() -> None:
    """The alias is false when callers pass the new flag."""
    both = ARGUMENTS + (
        '    parser.add_argument("--hybrid-context-parallel",\n'
        '        help="Deprecated, use --dynamic-context-parallel")\n'
    )
    use = "def run(args):\n    return args.hybrid_context_parallel\n"
    report = facts_only(
        {"arguments.py": both, "run.py": "x = 1\n"},
        {"arguments.py": both, "run.py": use.replace("hybrid", "dynamic")},
        {"arguments.py": both, "run.py": use},
        {"arguments.py": both, "run.py": use},
    )
    found = one(report, "deprecated-alias")
    assert found.repair == "read `args.dynamic_context_parallel`"


@pytest.mark.parametrize("before", ["def run(args):\n    return args.other\n", None])
def test_an_alias_that_ours_made_is_read_by_code_of_theirs(before: str | None) -> None:
    """Ours does not read the argument here, or does not have the file; theirs' code still does."""
    alias = ARGUMENTS + (
        '    parser.add_argument("--hybrid-context-parallel",\n'
        '        help="Deprecated, use --dynamic-context-parallel")\n'
    )
    main = ARGUMENTS.replace("dynamic", "hybrid")
    old: Files = {} if before is None else {"run.py": before}
    use: Files = {"run.py": "def run(args):\n    return args.hybrid_context_parallel\n"}
    versions: list[Files] = [
        {"arguments.py": main, **old},
        {"arguments.py": alias, **old},
        {"arguments.py": main, **use},
        {"arguments.py": alias, **use},
    ]
    assert one(facts_only(*versions), "deprecated-alias").path == "run.py"
    # An alias of both is theirs' own affair.
    versions[0] = {**versions[0], "arguments.py": alias}
    versions[2] = {**versions[2], "arguments.py": alias}
    assert "deprecated-alias" not in checks(facts_only(*versions))


def test_a_field_that_only_sets_its_successor_is_an_alias() -> None:
    """A dataclass that warns that the old field is deprecated and sets the new one."""
    config = (
        "class Config:\n    old_parallel: bool = False\n    new_parallel: bool = False\n\n"
        "    def __post_init__(self):\n        if self.old_parallel:\n"
        '            warn("old_parallel is deprecated")\n\n            self.new_parallel = True\n'
    )
    both = "from dataclasses import dataclass\n\n@dataclass\n" + config
    report = facts_only(
        {"c.py": both, "run.py": "x = 1\n"},
        {"c.py": both, "run.py": "def f(args):\n    return args.new_parallel\n"},
        {"c.py": both, "run.py": "def f(args):\n    return args.old_parallel\n"},
        {"c.py": both, "run.py": "def f(args):\n    return args.old_parallel\n"},
    )
    assert one(report, "deprecated-alias").repair == "read `args.new_parallel`"


def test_one_flag_added_twice() -> None:
    """Argparse raises at start."""
    flag = '    parser.add_argument("--fast")\n'
    first = ARGUMENTS.replace("    parser", flag + "    parser")
    report = facts_only(
        {"a.py": ARGUMENTS},
        {"a.py": ARGUMENTS + flag},
        {"a.py": first},
        {"a.py": first + flag},
    )
    assert one(report, "duplicate-argument").tier is Tier.ERROR


def test_an_option_whose_class_was_dropped() -> None:
    """The config flag stayed, its only reader went with the class."""
    config = "class Config:\n    a: int = 1\n"
    flag = config + "    use_fused_dense: bool = False\n"
    fused = "class Fused:\n    def build(self, c):\n        return c.use_fused_dense\n"
    report = facts_only(
        {"c.py": config, "f.py": "x = 1\n"},
        {"c.py": flag, "f.py": "x = 1\n" + fused},
        {"c.py": config + "    b: int = 2\n", "f.py": "x = 2\n"},
        {"c.py": flag + "    b: int = 2\n", "f.py": "x = 2\n"},
    )
    assert one(report, "option-without-use").had == "ours"
    assert one(report, "lost-class").had == "ours"


# -- pairs -------------------------------------------------------------------------------------


def test_an_item_that_is_removed_twice() -> None:
    """One side pops it in the helper, the other removes it after the call."""
    head = "class Handler:\n    def __init__(self):\n        self._groups = []\n\n"
    helper_pop = "    def one(self):\n        return self._groups.pop()\n\n"
    helper_peek = "    def one(self):\n        return self._groups[-1]\n\n"
    bulk_plain = "    def bulk(self):\n        while self._groups:\n            self.one()\n"
    bulk_remove = bulk_plain.replace(
        "self.one()", "g = self.one()\n            self._groups.remove(g)"
    )
    report = facts_only(
        {"h.py": head},
        {"h.py": head + helper_pop + bulk_plain},
        {"h.py": head + helper_peek + bulk_remove},
        {"h.py": head + helper_pop + bulk_remove},
    )
    found = one(report, "double-effect")
    assert found.tier is Tier.ERROR
    assert "removed twice" in found.message


def test_what_a_parent_does_itself_is_not_told() -> None:
    """Removing after popping may be meant; then a parent has it."""
    text = (
        "class H:\n    def one(self):\n        return self.g.pop()\n\n    def bulk(self):\n"
        "        self.one()\n        self.g.remove(1)\n"
    )
    report = facts_only({"h.py": ""}, {"h.py": text + "x=1\n"}, {"h.py": "y=1\n"}, {"h.py": text})
    assert "double-effect" not in checks(report)


def test_a_resource_that_both_sides_release_at_other_places() -> None:
    """Each parent closes once, the merge twice."""

    def body(first: str, last: str) -> str:
        return f"def f(c):\n{first}    work(c)\n    more(c)\n{last}\n\ndef work(c): ...\ndef more(c): ...\n"

    close = "    c.close()\n"
    report = facts_only(
        {"f.py": body("", "")},
        {"f.py": body(close, "")},
        {"f.py": body("", close)},
        {"f.py": body(close, close)},
    )
    assert one(report, "double-effect").tier is Tier.REVIEW


# -- structure ---------------------------------------------------------------------------------


def test_an_implementer_without_the_new_abstract_method() -> None:
    """Main added the abstract method, dev added a class."""
    face = (
        "from abc import ABC, abstractmethod\n\nclass Face(ABC):\n    @abstractmethod\n"
        "    def run(self): ...\n"
    )
    more = face + "    @abstractmethod\n    def stop(self): ...\n"
    mine = "from pkg.face import Face\n\nclass Mine(Face):\n    def run(self): ...\n"
    report = facts_only(
        {"pkg/face.py": face},
        {"pkg/face.py": face, "pkg/mine.py": mine},
        {"pkg/face.py": more},
        {"pkg/face.py": more, "pkg/mine.py": mine},
    )
    found = one(report, "interface-not-implemented")
    assert found.tier is Tier.ERROR
    assert "`stop`" in found.message


def test_an_override_that_no_longer_fits_its_base() -> None:
    """Main widened the interface, dev's implementer takes less."""
    face = "class Face:\n    def run(self, x):\n        return x\n"
    wide = face.replace("self, x", "self, x, y")
    mine = (
        "from pkg.face import Face\n\nclass Mine(Face):\n    def run(self, x):\n        return x\n"
    )
    report = facts_only(
        {"pkg/face.py": face},
        {"pkg/face.py": face, "pkg/mine.py": mine},
        {"pkg/face.py": wide},
        {"pkg/face.py": wide, "pkg/mine.py": mine},
    )
    assert one(report, "override-mismatch").tier is Tier.REVIEW


def test_imports_that_close_a_circle() -> None:
    """Each side's import is fine alone."""
    report = facts_only(
        {"p/a.py": "X = 1\n", "p/b.py": "Y = 1\n"},
        {"p/a.py": "from p.b import Y\nX = 1\n", "p/b.py": "Y = 1\n"},
        {"p/a.py": "X = 1\n", "p/b.py": "from p.a import X\nY = 1\n"},
        {"p/a.py": "from p.b import Y\nX = 1\n", "p/b.py": "from p.a import X\nY = 1\n"},
    )
    assert "p.a" in one(report, "import-cycle").message


PACKAGE = {
    "p/__init__.py": "from p.base import Base\nfrom p.tool import Tool\n",
    "p/base.py": "class Base: ...\n",
    "p/tool.py": "from p.base import Base\n\nclass Tool(Base): ...\n",
    "p/far.py": "X = 1\n",
}


def sorted_package(tool: str, more: Files | None = None) -> AuditReport:
    """Ours turned the imports of the package round, theirs let a module import from the package."""
    turned = {"p/__init__.py": "from p.tool import Tool\nfrom p.base import Base\n"}
    theirs = {**PACKAGE, "p/tool.py": tool, **(more or {})}
    return facts_only(PACKAGE, {**PACKAGE, **turned}, theirs, {**theirs, **turned})


@pytest.mark.parametrize(
    "tool",
    ["from p import Base\n\nclass Tool(Base): ...\n", "from . import Base, Other\nTool = 1\n"],
)
def test_an_order_of_imports_that_closes_a_circle(tool: str) -> None:
    """The package loads a module before the name that the module wants of it."""
    found = one(sorted_package(tool), "import-order")
    assert found.tier is Tier.ERROR
    assert [p.path for p in found.places] == ["p/__init__.py", "p/tool.py"]
    assert found.places[0].line == 1
    assert "`p.tool` before it has `Base`" in found.message


def test_an_order_of_imports_that_closes_a_circle_through_another_module() -> None:
    """What the module imports is loaded as early as the module."""
    more: Files = {"p/far.py": "from p import Base\nX = 1\n"}
    found = one(sorted_package("import p.far\nTool = 1\n", more), "import-order")
    assert found.places[1].path == "p/far.py"


@pytest.mark.parametrize(
    "tool",
    [
        "from p import base\nTool = base.Base\n",
        "def make():\n    from p import Base\n    return Base()\nTool = 1\n",
        "from p.base import Base\nTool = Base\n",
        "from p import Elsewhere\nTool = 1\n",
        '"""Use it so:\n\nfrom p import Base\n"""\n\nTool = 1\n',
        '"""Not with this:\n\nimport p.early\n"""\n\nTool = 1\n',
    ],
)
def test_an_order_of_imports_that_harms_nobody(tool: str) -> None:
    """A submodule is found by itself, a function imports later, what is nowhere is another finding.

    A line of a docstring imports nothing.
    """
    more: Files = {"p/early.py": "from p import Base\nX = 1\n"}
    assert "import-order" not in checks(sorted_package(tool, more))


def test_the_order_of_many_imports_is_looked_at_in_linear_time() -> None:
    """Eight times the imports take about eight times the time, far from 64 times."""

    def seconds(count: int) -> float:
        files = {f"p/m{n}.py": f"N{n} = {n}\n" for n in range(count)}
        files["p/__init__.py"] = "".join(f"from p.m{n} import N{n}\n" for n in range(count))
        files["p/m0.py"] = "from p import Later\nN0 = 0\n"
        index = Index(tree(files), Sources())
        start = process_time()
        assert not _too_early(index, "p", lambda path: index.sources.text(index.tree, path))
        return process_time() - start

    assert min(seconds(3200) for _ in range(3)) < 40 * min(seconds(400) for _ in range(3))


def test_an_order_of_imports_that_a_parent_has_is_not_told() -> None:
    """The package was broken before."""
    broken = {
        **PACKAGE,
        "p/__init__.py": "from p.tool import Tool\nfrom p.base import Base\n",
        "p/tool.py": "from p import Base\nTool = Base\n",
    }
    more = {**broken, "p/far.py": "X = 2\n"}
    assert "import-order" not in checks(facts_only(PACKAGE, broken, PACKAGE, more))


@pytest.mark.parametrize("style", ["alembic", "django"])
def test_two_migration_heads(style: str) -> None:
    """Each side added one on top of the same one."""

    def step(name: str, parent: str) -> str:
        if style == "alembic":
            return f'revision = "{name}"\ndown_revision = "{parent}"\n'
        return (
            "from django.db import migrations\n\nclass Migration(migrations.Migration):\n"
            f'    dependencies = [("app", "{parent}")]\n'
        )

    folder = "db/versions" if style == "alembic" else "app/migrations"
    base = {f"{folder}/a.py": step("a", "zero")}
    ours, theirs = {f"{folder}/b.py": step("b", "a")}, {f"{folder}/c.py": step("c", "a")}
    report = facts_only(base, base | ours, base | theirs, base | ours | theirs)
    assert one(report, "migration-heads").tier is Tier.ERROR


def test_a_deleted_file_that_is_still_named() -> None:
    """Main deleted the script, dev added a call of it."""
    base = {"tools/run_all_tests.sh": "echo\n", "ci.yml": "a: 1\n"}
    report = facts_only(
        base,
        base | {"ci.yml": "a: 1\nrun: tools/run_all_tests.sh\n"},
        {"ci.yml": "a: 1\n"},
        {"ci.yml": "a: 1\nrun: tools/run_all_tests.sh\n"},
    )
    assert one(report, "deleted-file-named").had == "ours"


# -- policy ------------------------------------------------------------------------------------


def rule(kind: str, side: Side = Side.OURS) -> PathPolicy:
    return PathPolicy(rule="r", reason="the team wants it", side=side, kind=kind)


def test_a_pinned_file_that_differs() -> None:
    """The repair is the command, and a patch."""
    report = with_policy(
        Policy(paths={"CODEOWNERS": rule("pinned")}),
        {"CODEOWNERS": "a\n"},
        {"CODEOWNERS": "b\n"},
        {"CODEOWNERS": "c\n"},
        {"CODEOWNERS": "c\n"},
    )
    found = one(report, "pinned-file")
    assert found.repair == "git checkout o -- CODEOWNERS"
    assert found.patch is not None
    assert found.patch.after == b"b\n"


def test_git_sources_may_be_reconciled_and_only_they() -> None:
    """A source that only main has must be there; any other difference breaks the group."""
    policy = Policy(
        paths={"pyproject.toml": rule("coupled")}, sources={"pyproject.toml": "tool.uv.sources"}
    )
    ours = '[project]\nname = "x"\n[tool.uv.sources]\na = {git = "g", rev = "1"}\n'
    theirs = '[project]\nname = "y"\n[tool.uv.sources]\nb = {git = "h", rev = "2"}\n'
    reconciled = ours + 'b = {git = "h", rev = "2"}\n'
    versions = [{"pyproject.toml": t} for t in ("", ours, theirs)]
    report = with_policy(policy, *versions, {"pyproject.toml": ours})
    assert "`b`" in one(report, "git-source-missing").message
    report = with_policy(
        policy, {"pyproject.toml": theirs}, *versions[1:], {"pyproject.toml": ours}
    )
    assert "ours took the source out" in one(report, "git-source-missing").cause
    report = with_policy(policy, *versions, {"pyproject.toml": reconciled})
    assert one(report, "sources-reconciled").tier is Tier.HINT
    report = with_policy(policy, *versions, {"pyproject.toml": theirs})
    assert one(report, "coupled-file").tier is Tier.ERROR


def test_a_lock_file_that_was_merged_as_text() -> None:
    """A mixture of both sides' lines is no lock of any state."""
    report = with_policy(
        Policy(paths={"uv.lock": rule("generated")}),
        {"uv.lock": "a 1\nb 1\n"},
        {"uv.lock": "a 2\nb 1\n"},
        {"uv.lock": "a 1\nb 2\n"},
        {"uv.lock": "a 2\nb 2\n"},
    )
    assert one(report, "generated-file").tier is Tier.ERROR


def test_an_overridden_file_may_have_the_declared_edit_only() -> None:
    """The rename is declared; everything else is told."""
    policy = Policy(
        paths={"t.py": rule("override", Side.THEIRS)},
        renames=(Rename(paths=frozenset({"t.py"}), old="args.old", new="args.new"),),
    )
    versions = [{"t.py": t} for t in ("y = args.old\nx = 1\n",) * 2 + ("y = args.old\n",)]
    assert checks(with_policy(policy, *versions, {"t.py": "y = args.new\n"})) == []
    report = with_policy(policy, *versions, {"t.py": "y = args.new\nz = 1\n"})
    assert one(report, "override-edited").tier is Tier.REVIEW


def test_losses_in_an_overridden_file_are_advice() -> None:
    """The rule says that main may win there."""
    base, ours, theirs = "", "def f(): ...\n", "def g(): ...\n"
    policy = Policy(paths={"t.py": rule("override", Side.THEIRS)})
    report = with_policy(policy, {"t.py": base}, {"t.py": ours}, {"t.py": theirs}, {"t.py": theirs})
    found = one(report, "lost-function")
    assert found.tier is Tier.HINT
    assert "rule r" in found.advisory


def test_the_shipped_default_is_no_policy() -> None:
    """Without a rule file there is nothing to check, so the audit does not load the shipped one."""
    empty = trees({}, {}, {}, {"a.py": "x = 1\n"})
    assert policy_of(load_rules(), empty) == Policy()
    assert not load_rules().rules
