"""The story of a symbol: what ``resolve explain PATH::SYMBOL`` tells."""

from __future__ import annotations

import json
import re
from pathlib import Path

import networkx as nx
import pytest
from click.testing import CliRunner
from tests.history.shapes import PATH, Told
from tests.history.test_verdicts import BASE, ONE, THREE, TWO, story

from mergewright.cli.main import cli
from mergewright.history.graph import TWIN, commit_graph, first_parents, works
from mergewright.history.stories import as_dot, graph_of
from mergewright.model.errors import UsageError
from mergewright.workflows.history import symbol_story


def chain(folder: Path) -> Told:
    return story(
        [
            ("pr1", ONE, "[Dev] Check the data (#31)"),
            ("pr2", TWO, "[Dev] Log the total (#32)"),
            ("pr3", THREE, "[Dev] Set the level (#33)"),
        ],
        [("squash", TWO, 'Check "and" log (#31) (#47)')],
    ).build(folder, "pr3", "squash")


def test_text_names_commits_states_and_conclusion(tmp_path: Path) -> None:
    """Both sides' commits with author, date, title and state, and what was concluded."""
    built = chain(tmp_path)
    done = CliRunner().invoke(
        cli, ["explain", f"{PATH}::work", "-C", str(tmp_path), "--merge", "dev", "main"]
    )
    assert done.exit_code == 0, done.output
    text = done.output
    lines = [line.split() for line in text.splitlines() if "state" in line and "[" in line]
    assert [line[0] for line in lines] == [
        built.ids[name][:10] for name in ("pr1", "pr2", "pr3", "squash")
    ]
    states = re.findall(r"\[state (\S+?)[\],]", text)
    assert states == ["A", "B", "C", "B"]
    assert "Ada Example" in text
    assert "2026-01-05" in text
    assert "concluded: ours-ahead by lineage" in text


def test_text_says_what_only_one_side_did(tmp_path: Path) -> None:
    """What is new, gone or untouched on a side is said in words; nobody has to know that it is contested."""
    added = BASE + "\n\n" + ONE.replace("def work", "def other")
    told = story(
        [("new", added, "Add it"), ("gone", BASE, "Drop it"), ("again", added, "Add it again")], []
    )
    told.commit("side", ["base"], {"notes.txt": "x\n"}, "Notes").build(tmp_path, "again", "side")

    def explained(symbol: str) -> list[str]:
        options = ["-C", str(tmp_path), "--merge", "dev", "main"]
        done = CliRunner().invoke(cli, ["explain", f"{PATH}::{symbol}", *options])
        assert done.exit_code == 0, done.output
        return [line.strip() for line in done.output.splitlines()]

    other = explained("other")
    assert "ours (dev), not there at the merge base:" in other
    assert any(line.endswith("Drop it  [gone]") for line in other)
    assert other[-3:] == [
        "theirs (main), not there at the merge base:",
        "never there",
        "concluded: only ours changed it, so nothing of it is contested.",
    ]
    work = explained("work")
    assert work.count("no commit changed it") == 2
    assert work[-1].startswith("concluded: same by lineage.")


def test_json_and_dot(tmp_path: Path) -> None:
    """The same as data, and as a graph that quotes what it is given."""
    built = chain(tmp_path)
    options = ["-C", str(tmp_path), "--merge", "dev", "main"]
    data = json.loads(
        CliRunner().invoke(cli, ["explain", f"{PATH}::work", "--json", *options]).output
    )
    assert data["verdict"]["standing"] == "ours-ahead"
    assert [step["state"] for step in data["steps"]] == ["A", "B", "C", "B"]
    assert data["twins"][0]["theirs"] == [built.ids["squash"]]
    dot = CliRunner().invoke(cli, ["explain", f"{PATH}::work", "--dot", *options]).output
    assert dot.startswith(f'digraph "{PATH}::work" {{')
    assert 'Check \\"and\\" log' in dot
    assert dot.count("{") == dot.count("}")


def test_graph_joins_equal_states(tmp_path: Path) -> None:
    """The graph runs from the base along both sides and is tied where states are equal."""
    built = chain(tmp_path)
    told = symbol_story(built.repository, "dev", "main", PATH, "work")
    graph = graph_of(told)
    same = [(a, b) for a, b, d in graph.edges(data=True) if d["kind"] == "same"]
    assert same == [(f"ours:{built.ids['pr2']}", f"theirs:{built.ids['squash']}")]
    plain = nx.DiGraph((a, b) for a, b, d in graph.edges(data=True) if d["kind"] == "next")
    assert nx.is_arborescence(plain)
    assert as_dot(told).count("->") == graph.number_of_edges()


def test_unknown_names_are_refused(tmp_path: Path) -> None:
    """A path or symbol that no version has is an error that says so."""
    built = chain(tmp_path)
    with pytest.raises(UsageError, match="neither side"):
        symbol_story(built.repository, "dev", "main", "pkg/nothing.py", "work")
    with pytest.raises(UsageError, match="no version"):
        symbol_story(built.repository, "dev", "main", PATH, "nothing")


def test_commit_graph_of_a_merge(tmp_path: Path) -> None:
    """Parents, first-parent lines and twins stand in one graph; twins tie commits to one work."""
    built = chain(tmp_path)
    history = built.history()
    graph = commit_graph(history.facts, history.twins.twins)
    ids = built.ids
    assert graph.nodes[ids["base"]]["side"] == "base"
    assert graph.nodes[ids["pr2"]]["side"] == "ours"
    assert first_parents(graph, ids["pr3"]) == [ids["pr3"], ids["pr2"], ids["pr1"]]
    tied = {(a, b) for a, b, d in graph.edges(data=True) if d["kind"] == TWIN}
    assert (ids["pr1"], ids["squash"]) in tied
    assert ids["squash"] in works(graph)[ids["pr1"]]
