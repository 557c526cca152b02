"""Decision memory: learnt from accepted merges, contradictions decide nothing, off unless a rule file says so."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from tests.history.shapes import PATH, Story, Told, body

from mergewright.cli.memory import memory as command
from mergewright.history.memory import (
    Memory,
    MemoryDecider,
    accepted_answer,
    as_text,
    from_text,
    key_of,
    recall,
)
from mergewright.model.errors import UsageError
from mergewright.model.merge import Question
from mergewright.model.threeway import Side, ThreeWay
from mergewright.workflows.memory import MemoryStore, learn, memory_decider
from mergewright.workflows.resolving import Settings, plan_merge

BASE = body("total = sum(data)", "return total")
OURS = BASE.replace("sum(data)", "max(data)")
THEIRS = BASE.replace("sum(data)", "min(data)")


def question(
    base: str = BASE, ours: str = OURS, theirs: str = THEIRS, symbol: str = "work"
) -> Question:
    versions: ThreeWay[bytes | None] = ThreeWay(
        base=base.encode(), ours=ours.encode(), theirs=theirs.encode()
    )
    return Question(path=PATH, symbol=symbol, kind="symbol", versions=versions)


def remembered(side: Side | None = Side.THEIRS, merge: str = "a" * 40, **more: object) -> Memory:
    values: dict[str, object] = {
        "key": key_of(question()),
        "path": PATH,
        "symbol": "work",
        "kind": "symbol",
        "side": side,
        "text": None if side is not None else b"def work(data):\n    return 0\n",
        "merge": merge,
        "time": 1_000_000_000,
        "author": "Ada Example",
        "title": "Merge main into dev",
    }
    return Memory(**{**values, **more})  # type: ignore[arg-type]


def test_key_follows_moves_and_layout() -> None:
    """Another file, another class, another layout: the same contested thing."""
    wide = {
        side: text.replace("(data)", "( data, )") for side, text in (("o", OURS), ("t", THEIRS))
    }
    moved = question(ours=wide["o"], theirs=wide["t"], symbol="Tools.work")
    assert key_of(moved) == key_of(question())
    assert key_of(question(symbol="other")) != key_of(question())
    assert key_of(question(ours=THEIRS, theirs=OURS)) != key_of(question())


def test_contradictions_decide_nothing() -> None:
    """Two merges with different answers are remembered as contradictory."""
    known = [remembered(Side.OURS), remembered(Side.THEIRS, "b" * 40)]
    found = recall(known)
    assert found is not None
    assert found.contradictory
    assert MemoryDecider(lambda _: known, now=1_000_000_000).decide(question()) is None


def test_age_and_agreement() -> None:
    """Old memories and too few of them decide nothing."""
    one = [remembered()]
    two = [*one, remembered(merge="b" * 40)]
    day = 86400
    young = MemoryDecider(lambda _: one, now=1_000_000_000 + day, expire_days=2)
    answer = young.decide(question())
    assert answer is not None
    assert answer.side is Side.THEIRS
    assert answer.evidence[0].commits == ("a" * 40,)
    old = MemoryDecider(lambda _: one, now=1_000_000_000 + 3 * day, expire_days=2)
    assert old.decide(question()) is None
    assert MemoryDecider(lambda _: one, now=0, agreeing=2).decide(question()) is None
    assert MemoryDecider(lambda _: two, now=0, agreeing=2).decide(question()) is not None


def test_what_was_accepted() -> None:
    """A side, a text of its own, a deletion; what cannot be told for certain is nothing."""
    own = BASE.replace("sum(data)", "fsum(data)")
    assert accepted_answer(question(), OURS.encode()) == (Side.OURS, None)
    assert accepted_answer(question(), own.encode()) == (None, own.encode())
    assert accepted_answer(question(), b"x = 1\n") is None
    place = Question(
        path=PATH,
        symbol="work",
        kind="both-changed",
        versions=ThreeWay(
            base=b"    total = sum(data)\n",
            ours=b"    total = max(data)\n",
            theirs=b"    total = min(data)\n",
        ),
    )
    assert accepted_answer(place, THEIRS.encode()) == (Side.THEIRS, None)
    assert accepted_answer(place, own.encode()) is None


@given(
    st.lists(
        st.builds(
            remembered,
            side=st.sampled_from([Side.OURS, Side.THEIRS, None]),
            merge=st.text("0123456789abcdef", min_size=40, max_size=40),
            title=st.text(max_size=20),
        ),
        max_size=5,
    )
)
def test_text_form_round_trip(memories: list[Memory]) -> None:
    """What is written as text reads back the same, whatever stands in it."""
    assert sorted(from_text(as_text(memories)), key=repr) == sorted(memories, key=repr)


def test_bad_text_is_refused() -> None:
    """Another version, and what is no memory file, are errors that say so."""
    for text in ("", "hello", '{"mergewright-memory": 99}\n', '{"mergewright-memory": 1}\n{}\n'):
        with pytest.raises(UsageError):
            from_text(text)


def synced(folder: Path) -> Told:
    """A sync of main into dev that took main's text, and the same conflict once more."""
    told = Story().commit("base", files={PATH: BASE})
    told.commit("dev1", ["base"], {PATH: OURS}, "Use max")
    told.commit("main1", ["base"], {PATH: THEIRS}, "Use min")
    told.commit("sync", ["dev1", "main1"], {PATH: THEIRS}, "Merge main into dev")
    told.commit("again", ["base"], {PATH: OURS}, "Use max on another branch")
    return told.build(folder, "again", "main1")


def test_learnt_answer_settles_only_where_a_file_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same conflict stays open without a ``memory:`` section and is settled with one."""
    monkeypatch.setenv("MERGEWRIGHT_CACHE", str(tmp_path / "cache"))
    built = synced(tmp_path / "repo")
    learnt = learn(built.repository, built.ids["sync"])
    assert learnt.merges == 1
    assert {(m.symbol, m.side) for m in learnt.memories} == {("work", Side.THEIRS)}
    assert all(m.merge == built.ids["sync"] for m in learnt.memories)
    with MemoryStore(tmp_path / "cache" / "memory.sqlite") as store:
        assert store.add(learnt.memories) == len(learnt.memories)
        assert store.add(learnt.memories) == 0
    rules = tmp_path / "rules.yaml"
    for text, count in (
        ("rules: []\n", 0),
        ("memory: {expire-days: null}\n", 1),
        ("memory: {use: false}\n", 0),
    ):
        rules.write_text("version: 1\n" + text)
        with plan_merge(built.repository, "dev", "main", settings=Settings(rules=[rules])) as plan:
            assert len(plan.plan.resolved) == count
            if count:
                decisions = plan.plan.resolved[0].decisions
                assert plan.plan.resolved[0].data == THEIRS.encode()
                assert [d.strategy for d in decisions if d.side is Side.THEIRS] == ["memory"]


def test_what_a_pull_request_landed_counts(tmp_path: Path) -> None:
    """A repair after the merge inside a pull request is what was accepted."""
    repaired = BASE.replace("sum(data)", "fsum(data)")
    told = Story().commit("base", files={PATH: BASE})
    told.commit("dev1", ["base"], {PATH: OURS}, "Use max")
    told.commit("main1", ["base"], {PATH: THEIRS}, "Use min")
    told.commit("merge", ["dev1", "main1"], {PATH: THEIRS}, "Merge main into sync branch")
    told.commit("repair", ["merge"], {PATH: repaired}, "Repair")
    told.commit("land", ["dev1", "repair"], {PATH: repaired}, "Sync main into dev (#9)")
    built = told.build(tmp_path, "land", "main1")
    learnt = learn(built.repository, "dev")
    assert [(m.side, m.text, built.names[m.merge]) for m in learnt.memories] == [
        (None, repaired.encode(), "land")
    ]


def test_commands(tmp_path: Path) -> None:
    """Learn, show, share, forget: each says what it did."""
    built = synced(tmp_path / "repo")
    options = ["-C", str(tmp_path / "repo"), "--file", str(tmp_path / "m.sqlite")]
    run = CliRunner().invoke
    assert run(command, ["learn", built.ids["sync"], *options]).exit_code == 0
    shown = run(command, ["show", *options]).output
    assert f"{PATH}::work" in shown
    assert built.ids["sync"][:10] in shown
    text = run(command, ["show", "--text", *options]).output
    (tmp_path / "shared.txt").write_text(text)
    other = [*options[:3], str(tmp_path / "other.sqlite")]
    assert run(command, ["import", str(tmp_path / "shared.txt"), *other]).exit_code == 0
    assert run(command, ["show", "--text", *other]).output == text
    assert isinstance(run(command, ["forget", *options]).exception, UsageError)
    assert run(command, ["forget", "pkg/*", *options]).exit_code == 0
    assert run(command, ["show", *options]).output == ""


def test_bare_repository_needs_a_place(tmp_path: Path) -> None:
    """Nothing is written into a bare repository."""
    synced(tmp_path)
    done = CliRunner().invoke(command, ["show", "-C", str(tmp_path)])
    assert isinstance(done.exception, UsageError)


def test_no_memory_no_decider(tmp_path: Path) -> None:
    """Without anything remembered nobody is asked."""
    built = synced(tmp_path)
    assert memory_decider(built.repository, expire_days=None, agreeing=1) is None
