"""Decision groups, one decision for a whole group, and features half taken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.history.shapes import Story, Told, body

from mergewright.cli.groups import groups as groups_command
from mergewright.cli.groups import take as take_command
from mergewright.git.repository import Repository
from mergewright.model.errors import UsageError
from mergewright.model.threeway import Side
from mergewright.testing import git
from mergewright.workflows.groups import features_made_whole, groups_of_merge, take_group
from mergewright.workflows.resolving import Settings, plan_merge
from mergewright.workflows.sources import default_sources
from mergewright.workflows.writing import undo

A, B, C = "pkg/a.py", "pkg/b.py", "pkg/c.py"
START = {
    A: body("total = sum(data)", "return total", name="alpha"),
    B: body("total = sum(data)", "return total", name="beta"),
    C: body("return data", name="gamma"),
}


def contest() -> Story:
    """One commit of main meets dev in two files, and another commit of main in the second."""
    told = Story().commit("base", files=START)
    told.commit(
        "feature",
        ["base"],
        {
            A: START[A].replace("sum(data)", "fsum(data, exact=True)"),
            B: START[B].replace("sum(data)", "fsum(data, exact=True)"),
            C: START[C] + "\n\ndef helper(values):\n    return fsum(values, exact=True)\n",
        },
        "Add exact sums (#12)",
    )
    told.commit(
        "dev",
        ["base"],
        {
            A: START[A].replace("sum(data)", "quick_sum(data)"),
            B: START[B].replace("sum(data)", "quick_sum(data)"),
        },
        "Add quick sums (#11)",
    )
    return told


def merging(folder: Path) -> Told:
    """A worktree in which git stopped."""
    built = contest().build(folder, "dev", "feature", bare=False)
    assert git(folder, "merge", "main", check=False).returncode == 1
    return Told(Repository.open(folder), built.ids, built.ours, built.theirs)


def test_places_of_one_commit_are_one_group(tmp_path: Path) -> None:
    """Contested places across files and clean files of the same commit stand together."""
    built = contest().build(tmp_path, "dev", "feature")
    found = groups_of_merge(built.repository, "dev", "main")
    assert len(found.groups) == 1
    group = found.groups[0]
    assert group.title == "Add exact sums (#12)"
    assert built.named(group.theirs) == ["feature"]
    assert group.open == 2
    assert [(p.path, p.symbol, p.state) for p in group.places] == [
        (A, "alpha", "open"),
        (B, "beta", "open"),
        (C, "", "clean"),
    ]
    assert found.half_taken == ()


@pytest.mark.parametrize("side", ["ours", "theirs"])
def test_take_decides_the_whole_group(tmp_path: Path, side: str) -> None:
    """One command settles every contested place of the group and leaves nothing open."""
    built = merging(tmp_path)
    group = groups_of_merge(built.repository, built.ours, built.theirs).groups[0].id
    done = CliRunner().invoke(
        take_command, [group[:8], side, "-C", str(tmp_path)], standalone_mode=False
    )
    assert done.return_value == 0, done.output
    wanted = built.ours if side == "ours" else built.theirs
    for path in (A, B):
        assert (tmp_path / path).read_bytes() == git(tmp_path, "show", f"{wanted}:{path}").stdout
    assert git(tmp_path, "diff", "--name-only", "--diff-filter=U").stdout == b""
    assert C in done.output + (done.stderr or "")


def test_dry_run_writes_nothing(tmp_path: Path) -> None:
    """The same plan, not written."""
    built = merging(tmp_path)
    before = (tmp_path / A).read_bytes()
    group = groups_of_merge(built.repository, built.ours, built.theirs).groups[0].id
    done = CliRunner().invoke(
        take_command, [group, "ours", "--dry-run", "-C", str(tmp_path)], standalone_mode=False
    )
    assert done.return_value == 0
    assert (tmp_path / A).read_bytes() == before


def test_unknown_group_is_refused(tmp_path: Path) -> None:
    """The error lists the groups that there are."""
    built = merging(tmp_path)
    with pytest.raises(UsageError, match="names no group"):
        take_group(built.repository, "zzzz", Side.OURS)


def half(folder: Path) -> Told:
    """Dev's feature: a class, its selection, a flag and a test; the merge kept flag and test alone."""
    te = "class Base:\n    def forward(self, x):\n        return x\n"
    fused = (
        te
        + "\n\nclass FusedDense(Base):\n    def forward(self, x):\n        return self.grouped(x)\n"
    )
    refactored = te.replace("return x", "return self.call(x)")
    config = "class Config:\n    layers: int = 2\n"
    flag = config + "    use_dense_grouped_gemm: bool = False\n"
    told = Story().commit("base", files={"te.py": te, "config.py": config})
    told.commit("feature", ["base"], {"te.py": fused, "config.py": flag}, "Add FusedDense (#18)")
    told.commit("ref", ["base"], {"te.py": refactored}, "Call through (#20)")
    told.commit(
        "sync", ["feature", "ref"], {"te.py": refactored, "config.py": flag}, "Merge main into dev"
    )
    return told.build(folder, "feature", "ref")


def test_feature_half_taken_is_found(tmp_path: Path) -> None:
    """The class that the merge dropped is named with its commit and text; the flag is what stayed."""
    built = half(tmp_path)
    found = groups_of_merge(built.repository, "dev", "main", result=built.ids["sync"]).half_taken
    assert [(built.names[w.commit], w.side) for w in found] == [("feature", Side.OURS)]
    assert [(p.path, p.symbol) for p in found[0].missing] == [("te.py", "FusedDense")]
    assert found[0].missing[0].text.startswith(b"class FusedDense(Base):")
    assert found[0].present == ("config.py",)
    assert groups_of_merge(built.repository, "dev", "main").half_taken == ()


def test_command_lists_groups_and_halves(tmp_path: Path) -> None:
    """Text and JSON name the same; a feature half taken gives status 1."""
    built = half(tmp_path)
    options = ["-C", str(tmp_path), "--merge", "dev", "main", "--result", built.ids["sync"]]
    text = CliRunner().invoke(groups_command, options, standalone_mode=False)
    assert text.return_value == 1
    assert "missing te.py::FusedDense" in text.output
    data = json.loads(CliRunner().invoke(groups_command, [*options, "--json"]).output)
    assert data["half_taken"][0]["missing"][0]["symbol"] == "FusedDense"


def test_removed_on_purpose_is_no_half(tmp_path: Path) -> None:
    """A definition that the other side had and removed by a commit of its own is not missing."""
    told = Story().commit("base", files={A: START[A], B: "x = 1\n"})
    more = START[A] + "\n\ndef extra(values):\n    return [v for v in values if v]\n"
    told.commit("dev1", ["base"], {A: more, B: "x = 1\nflag_for_extra = True\n"}, "Add extra (#3)")
    told.commit("dev2", ["dev1"], {A: more.replace("sum(", "fsum(")}, "Use fsum")
    told.commit("main1", ["base"], {A: more, B: "x = 1\nflag_for_extra = True\n"}, "Add extra (#4)")
    told.commit("main2", ["main1"], {A: START[A].replace("sum(", "max(")}, "Remove extra")
    told.commit("sync", ["dev2", "main2"], {A: START[A].replace("sum(", "max(")}, "Merge main")
    built = told.build(tmp_path, "dev2", "main2")
    found = groups_of_merge(built.repository, "dev", "main", result=built.ids["sync"])
    assert found.half_taken == ()


@pytest.mark.parametrize("name", ["id", "#12", "#11"])
def test_a_rule_decides_a_group(tmp_path: Path, name: str) -> None:
    """One rule settles all places of a work, named by a commit or by a pull request of either side."""
    built = contest().build(tmp_path / "r", "dev", "feature")
    rules = tmp_path / "rules.yaml"
    group = built.ids["feature"][:9] if name == "id" else name
    rules.write_text(
        "version: 1\nrules:\n  - id: exact\n    reason: the team keeps main's exact sums\n"
        f"    match: {{group: '{group}'}}\n    action: take-theirs\n",
        encoding="utf-8",
    )
    settings = Settings(rules=(rules,), sources=default_sources)
    with plan_merge(built.repository, "dev", "main", settings=settings) as planned:
        decisions = [d for entry in planned.plan.paths for d in entry.outcome.decisions]
        assert [d.rule for d in decisions] == ["exact", "exact"]
        assert planned.text(A) == contest().trees["feature"][A]
    wrong = rules.read_text(encoding="utf-8").replace(group, "#99")
    rules.write_text(wrong, encoding="utf-8")
    with plan_merge(built.repository, "dev", "main", settings=settings) as planned:
        assert all(entry.outcome.decisions[0].rule is None for entry in planned.plan.paths)
        assert any("matched nothing" in warning for warning in planned.plan.warnings)


def test_take_whole_takes_the_clean_part_of_the_work_back(tmp_path: Path) -> None:
    """With --whole the helper that came with the losing work goes too, and undo brings it back."""
    merging(tmp_path)
    arguments = ["#11", "ours", "-C", str(tmp_path)]
    arguments[0] = groups_of_merge(Repository.open(tmp_path), "dev", "main").groups[0].id
    merged = (tmp_path / C).read_text(encoding="utf-8")
    assert "helper" in merged
    result = CliRunner().invoke(take_command, [*arguments, "--whole"], standalone_mode=False)
    assert result.return_value == 0, result.output
    assert (tmp_path / C).read_text(encoding="utf-8") == START[C]
    assert "quick_sum" in (tmp_path / A).read_text(encoding="utf-8")
    undo(Repository.open(tmp_path))
    assert (tmp_path / C).read_text(encoding="utf-8") == merged


def quick_class() -> Story:
    """Dev's class, its selection and its flag; main refactored the class's file."""
    start = {
        A: "class Plain:\n    def run(self, data):\n        return data\n",
        B: "from pkg import a\n\n\ndef choose(config):\n    return a.Plain\n",
        C: "fast = False\n",
    }
    told = Story().commit("base", files=start)
    told.commit(
        "feature",
        ["base"],
        {
            A: start[A]
            + "\n\nclass Quick(Plain):\n    def run(self, data):\n        return fast(data)\n",
            B: start[B].replace(
                "return a.Plain", "if config.fast:\n        return a.Quick\n    return a.Plain"
            ),
            C: "fast = False\nquick = True\n",
        },
        "Add the quick class (#21)",
    )
    told.commit(
        "other", ["base"], {A: start[A].replace("return data", "return list(data)")}, "Give a list"
    )
    told.commit(
        "merge",
        ["feature", "other"],
        {A: start[A].replace("return data", "return list(data)"), B: start[B]},
        "Merge main into dev",
    )
    return told


def test_the_missing_parts_of_a_feature_are_shown(tmp_path: Path) -> None:
    """Of a merge that dropped a class and its selection and kept the flag, both are brought back."""
    built = quick_class().build(tmp_path, "feature", "other")
    found = features_made_whole(built.repository, "dev", "main", built.ids["merge"])
    ((work, spread),) = found
    assert [(part.path, part.symbol) for part in work.missing] == [(A, "Quick")]
    assert spread.left == {}
    assert sorted(spread.texts) == [A, B]
    assert b"class Quick" in (spread.texts[A] or b"")
    assert b"return list(data)" in (spread.texts[A] or b"")
    assert b"return a.Quick" in (spread.texts[B] or b"")
    arguments = ["-C", str(tmp_path), "--merge", "dev", "main", "--result", built.ids["merge"]]
    shown = CliRunner().invoke(groups_command, [*arguments, "--complete"], standalone_mode=False)
    assert shown.return_value == 1
    assert "+class Quick(Plain):" in shown.output


def test_a_feature_that_a_rule_cut_in_half_is_completed(tmp_path: Path) -> None:
    """Main's version of a file is taken by rule; the class that it lacks is restored, undo included."""
    folder = tmp_path / "r"
    quick_class().build(folder, "feature", "other", bare=False)
    assert git(folder, "merge", "main", check=False).returncode == 1
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "version: 1\nrules:\n  - id: main\n    reason: main leads here\n"
        f"    match: {{path: {A}}}\n    action: take-theirs\n",
        encoding="utf-8",
    )
    before = (folder / A).read_bytes()
    arguments = ["-C", str(folder), "--rules", str(rules), "--complete"]
    result = CliRunner().invoke(groups_command, [*arguments, "--dry-run"], standalone_mode=False)
    assert result.return_value == 0, result.output
    assert (folder / A).read_bytes() == before
    CliRunner().invoke(groups_command, arguments, standalone_mode=False)
    after = (folder / A).read_text(encoding="utf-8")
    assert "class Quick" in after
    assert "return list(data)" in after
    assert git(folder, "ls-files", "-u").stdout == b""
    undo(Repository.open(folder))
    assert (folder / A).read_bytes() == before


def test_a_helper_inside_a_function_is_no_part_of_a_feature(tmp_path: Path) -> None:
    """A function that was rewritten has other helpers; only what others can name is missed."""
    inner = "\n    def scale(value):\n        return 2 * value\n\n    return scale(data)\n"
    start = {A: "def alpha(data):\n    return data\n", B: "LIMIT = 1\n"}
    told = Story().commit("base", files=start)
    told.commit(
        "feature",
        ["base"],
        {A: "def alpha(data):" + inner, B: "LIMIT = 1\nSCALED_BY_TWO = True\n"},
        "Scale (#31)",
    )
    told.commit("other", ["base"], {A: "def alpha(data):\n    return list(data)\n"}, "Give a list")
    told.commit(
        "merge", ["feature", "other"], {A: "def alpha(data):\n    return [2 * v for v in data]\n"}
    )
    built = told.build(tmp_path, "feature", "other")
    found = groups_of_merge(built.repository, "dev", "main", result=built.ids["merge"])
    assert found.half_taken == ()
