"""Path lineages: what the changes of the commits tell must be what their trees hold."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from tests.history.shapes import Story

from mergewright.git.commits import walk_touching
from mergewright.git.repository import Repository
from mergewright.history.lineage import path_lineage, symbol_lineage
from mergewright.history.pieces import pieces, telling
from mergewright.model.threeway import Side, ThreeWay
from mergewright.testing import build_repository
from mergewright.workflows.history import gather


def _wild_story(seed: int) -> Story:
    """Edits, renames back and forth, deletions, merges inside the sides, on one file and its neighbours."""
    chance = random.Random(seed)
    lines = [f"value_{n} = {n}\n" for n in range(30)]
    story = Story().commit(
        "base", files={"a.py": "".join(lines), "b.py": "import os\n", "d.txt": "d\n"}
    )
    for side in ("x", "y"):
        heads = ["base"]
        for number in range(14):
            name = f"{side}{number}"
            parent = chance.choice(heads[-3:])
            tree = story.trees[parent]
            here = [path for path in ("a.py", "c.py", "sub/a.py") if path in tree]
            files: dict[str, str | None] = {}
            what = chance.choice(["edit", "edit", "rename", "delete", "other", "merge"])
            if not here:
                files["a.py"] = "".join(lines) + f"fresh = {number}\n"
            elif what == "rename":
                target = chance.choice(["a.py", "c.py", "sub/a.py"])
                files[here[0]] = None
                files[target] = tree[here[0]].decode() + chance.choice(["", f"z{number} = 1\n"])
            elif what == "delete":
                files[here[0]] = None
            elif what == "edit":
                files[here[0]] = tree[here[0]].decode() + f"{name} = {number}\n"
            else:
                files["d.txt"] = f"{name}\n"
            parents = [parent]
            if what == "merge" and len(heads) > 2:
                other = chance.choice(heads[:-1])
                if other != parent:
                    parents.append(other)
                    for path in ("a.py", "c.py"):
                        if path in story.trees[other] and path not in files:
                            files[path] = story.trees[other][path].decode()
            story.commit(name, parents, files)
            heads.append(name)
    return story


@pytest.mark.parametrize("seed", range(12))
def test_states_from_changes_are_those_of_the_trees(seed: int, tmp_path: Path) -> None:
    """The versions of a file are the same whether changes or trees are read, through renames and merges."""
    story = _wild_story(seed)
    tips = ["x13", "y13"]
    ids = build_repository(
        tmp_path, story.commits, branches={"dev": tips[0], "main": tips[1]}, bare=True
    )
    repository = Repository.open(tmp_path)
    paths: dict[str, ThreeWay[str | None]] = {
        path: ThreeWay(base=None, ours=None, theirs=None) for path in ("a.py", "c.py", "d.txt")
    }
    facts = gather(repository, ids[tips[0]], ids[tips[1]], paths)
    assert facts.traced >= paths.keys()
    by_trees = replace(facts, traced=frozenset())
    for path in (*paths, "sub/a.py"):
        for side in (Side.OURS, Side.THEIRS):
            assert path_lineage(facts, side, path) == path_lineage(by_trees, side, path)


def test_a_name_found_on_one_side_is_traced_on_the_other(tmp_path: Path) -> None:
    """Theirs renames the file: the commits of ours under its earlier name carry their changes."""
    text = "".join(f"line_{n} = {n}\n" for n in range(20))
    story = (
        Story()
        .commit("base", files={"old.py": text})
        .commit("mine", ["base"], {"old.py": text + "more = 1\n"})
        .commit("moved", ["base"], {"old.py": None, "new.py": text})
    )
    ids = build_repository(
        tmp_path, story.commits, branches={"dev": "mine", "main": "moved"}, bare=True
    )
    repository = Repository.open(tmp_path)
    names = {"new.py"}
    ours, theirs = walk_touching(
        repository, [ids["mine"], ids["moved"]], hide=[ids["base"]], names=names
    )
    assert names == {"new.py", "old.py"}
    assert [change.path for commit in ours for change in commit.changes] == ["old.py"]
    assert [change.old_path for commit in theirs for change in commit.changes] == ["old.py"]


def test_origin_names_the_commit_of_each_piece_that_the_tip_has(tmp_path: Path) -> None:
    """What was added and taken away again has no origin; what stands at the tip has its first commit."""
    first = "def work(one):\n    start(one)\n    return finish(one)\n"
    second = first.replace("    return", "    middle(one)\n    return")
    third = second.replace("    start(one)\n", "").replace("middle(one)", "middle(one, 2)")
    told = (
        Story()
        .commit("base", files={"pkg/core.py": first})
        .commit("adds", ["base"], {"pkg/core.py": second})
        .commit("alters", ["adds"], {"pkg/core.py": third})
        .commit("other", ["base"], {"pkg/core.py": first.replace("finish", "end")})
        .build(tmp_path, "alters", "other")
    )
    history = told.history()
    lineage = symbol_lineage(
        history.path_lineage("pkg/core.py", Side.OURS),
        history.facts.read,
        "work",
        first.encode(),
        history.locate,
    )
    adds, alters = (told.ids[name] for name in ("adds", "alters"))
    assert set(lineage.origin.added.values()) <= {adds, alters}
    assert lineage.origin.added.keys() == telling(third.encode()) - telling(first.encode())
    gone = [piece for piece in pieces(first.encode()) if piece.startswith(b"start")]
    assert gone
    assert all(lineage.origin.removed[piece] == alters for piece in gone)
