"""The store of what was read before: safe beside other runs, bounded, deletable at any time."""

from __future__ import annotations

import os
import threading
from collections import Counter
from pathlib import Path

import pytest
from tests.history.shapes import PATH, Story, Told
from tests.history.test_verdicts import ONE, TWO, story

from mergewright.git.merging import merge_commits
from mergewright.history.patches import Profile
from mergewright.model.history import EvidenceClass, Standing, Twin
from mergewright.model.merge import Question
from mergewright.model.threeway import Side
from mergewright.workflows import history, history_store
from mergewright.workflows.history import LazyHistory, conflict_paths, open_history, store_for
from mergewright.workflows.history_store import HistoryStore

CHANGE = Profile(Counter({b"x = \xff": 2}), Counter({b"y": 1}))


def test_what_is_kept_is_found_again(tmp_path: Path) -> None:
    """Texts, known absences and changes come back from another connection."""
    file = tmp_path / "deep" / "history.sqlite"
    with HistoryStore(file) as store:
        store.keep_symbol("a" * 40, "f", b"def f(): pass\n")
        store.keep_symbol("a" * 40, "g", None)
        store.keep_change("c" * 40, CHANGE)
        store.keep_twins("k", [TWIN])
    with HistoryStore(file) as store:
        assert store.twins("k") == (TWIN,)
        assert store.twins("other") is None
        assert store.symbol("a" * 40, "f") == (True, b"def f(): pass\n")
        assert store.symbol("a" * 40, "g") == (True, None)
        assert store.symbol("b" * 40, "f") == (False, None)
        assert store.change("c" * 40) == CHANGE
        assert store.change("d" * 40) is None


TWIN = Twin(
    ours=("a" * 40, "b" * 40),
    theirs=("c" * 40,),
    evidence=EvidenceClass.TITLE,
    detail="equal title",
    others=(EvidenceClass.SIMILARITY,),
    derived=Side.THEIRS,
    partial=True,
)


def test_a_damaged_store_is_made_anew(tmp_path: Path) -> None:
    """What is no database, with or without the files beside it, is replaced: the next run finds what is kept."""
    file = tmp_path / "history.sqlite"
    for name in ("", "-wal", "-shm"):
        Path(f"{file}{name}").write_bytes(b"this is no database" * 100)
    with HistoryStore(file) as store:
        assert store.change("c" * 40) is None
        store.keep_change("c" * 40, CHANGE)
    with HistoryStore(file) as store:
        assert store.change("c" * 40) == CHANGE


@pytest.mark.parametrize("damage", ["folder", "readonly"])
def test_a_store_that_cannot_be_used_is_no_error(tmp_path: Path, damage: str) -> None:
    """A file that cannot be opened or written only means that nothing is known."""
    file = tmp_path / "history.sqlite"
    if damage == "folder":
        file.mkdir()
    else:
        file = Path("/proc/version/history.sqlite")
    with HistoryStore(file) as store:
        store.keep_symbol("a" * 40, "f", b"x")
        store.keep_change("c" * 40, CHANGE)
        store.flush()
        assert store.symbol("a" * 40, "f") == (False, None)
        assert store.change("c" * 40) is None


def test_deleted_while_open(tmp_path: Path) -> None:
    """The files may go at any time; the next run makes them again."""
    file = tmp_path / "history.sqlite"
    store = HistoryStore(file)
    store.keep_symbol("a" * 40, "f", b"x")
    for path in tmp_path.iterdir():
        path.unlink()
    store.close()
    with HistoryStore(file) as again:
        assert again.symbol("a" * 40, "f") == (False, None)
        again.keep_symbol("a" * 40, "f", b"x")
        again.flush()
        assert again.symbol("a" * 40, "f") == (True, b"x")


def test_runs_beside_each_other(tmp_path: Path) -> None:
    """Many writers at once lose nothing and damage nothing."""
    file = tmp_path / "history.sqlite"

    def work(number: int) -> None:
        with HistoryStore(file) as store:
            for item in range(20):
                store.keep_symbol(f"{item:040d}", "f", f"text {item}".encode())
                store.keep_symbol(f"{item:040d}", f"own{number}", None)
            store.flush()

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with HistoryStore(file) as store:
        assert all(
            store.symbol(f"{item:040d}", "f") == (True, f"text {item}".encode())
            for item in range(20)
        )
        known = [store.symbol(f"{0:040d}", f"own{n}")[0] for n in range(6)]
    assert known.count(True) == 6


def test_size_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound the older half goes."""
    monkeypatch.setattr(history_store, "MAX_BYTES", 200_000)
    file = tmp_path / "history.sqlite"
    with HistoryStore(file) as store:
        for item in range(60):
            store.keep_symbol(f"{item:040d}", "f", os.urandom(8000))
            store.flush()
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 1_000_000
    with HistoryStore(file) as store:
        assert store.symbol(f"{59:040d}", "f")[0]
        assert not store.symbol(f"{0:040d}", "f")[0]


def told(folder: Path, *, bare: bool) -> Told:
    return story([("pr1", ONE, "Check"), ("pr2", TWO, "Log")], [("squash", ONE, "Squash")]).build(
        folder, "pr2", "squash", bare=bare
    )


def test_verdicts_do_not_depend_on_the_store(tmp_path: Path) -> None:
    """Without a store, with an empty one and with a full one: the same verdict."""
    from mergewright.git.merging import merge_commits

    built = told(tmp_path / "repo", bare=False)
    verdicts = []
    with merge_commits(built.repository, "dev", "main") as merge:
        paths = conflict_paths(merge.conflicts)
        for store in (None, HistoryStore(tmp_path / "s"), HistoryStore(tmp_path / "s")):
            history = open_history(built.repository, merge.source, paths, store=store)
            verdicts.append(history.symbol_verdict(PATH, "work"))
            if store is not None:
                store.close()
    assert verdicts[0] == verdicts[1] == verdicts[2]
    assert verdicts[0].standing is Standing.OURS_AHEAD


def test_where_the_store_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the git folder; nowhere for a bare repository, unless a folder is given."""
    monkeypatch.delenv("MERGEWRIGHT_CACHE", raising=False)
    bare = told(tmp_path / "bare", bare=True)
    assert store_for(bare.repository) is None
    work = told(tmp_path / "work", bare=False)
    found = store_for(work.repository)
    assert found is not None
    assert found.path == tmp_path / "work" / ".git" / "mergewright" / "history.sqlite"
    monkeypatch.setenv("MERGEWRIGHT_CACHE", str(tmp_path / "cache"))
    given = store_for(bare.repository)
    assert given is not None
    assert given.path.parent == tmp_path / "cache"


def test_missing_history_is_no_error(tmp_path: Path) -> None:
    """A commit that is not there makes every verdict unknown, with the reason."""
    from mergewright.git.merging import merge_commits
    from mergewright.model.plan import MergeSource

    built = told(tmp_path / "repo", bare=True)
    with merge_commits(built.repository, "dev", "main") as merge:
        source = MergeSource(
            operation="merge",
            commits=merge.source.commits.map(lambda _: "f" * 40),
            labels=merge.source.labels,
            engine="x",
        )
        history = LazyHistory(built.repository, source, merge.conflicts)
        verdict = history.verdict(
            Question(path=PATH, symbol="work", kind="symbol", versions=merge.conflicts[0].texts)
        )
        assert verdict.standing is Standing.UNKNOWN
        assert "not known" in verdict.reason
        assert history.rebase(merge.conflicts[0]).conflict == merge.conflicts[0]


@pytest.mark.slow
def test_cost_grows_in_line_with_the_commits(tmp_path: Path) -> None:
    """Ten times the commits that do not touch the path cost no more looks into the path's blobs."""
    counts = []
    for length in (20, 200):
        line = Story().commit("base", files={PATH: ONE, "other.txt": "0\n"})
        parent = "base"
        for number in range(length):
            line.commit(f"c{number}", [parent], {"other.txt": f"{number}\n"}, f"Step {number}")
            parent = f"c{number}"
        line.commit("dev", [parent], {PATH: TWO}, "Log")
        line.commit("main", ["base"], {PATH: ONE.replace("sum", "fsum")}, "Use fsum")
        history = line.build(tmp_path / str(length), "dev", "main").history()
        reads: Counter[str] = Counter()
        read = history.facts.read

        def counting(oid: str, read=read, reads=reads) -> bytes:  # type: ignore[no-untyped-def]
            reads[oid] += 1
            return bytes(read(oid))

        object.__setattr__(history.facts, "read", counting)
        history.symbol_verdict(PATH, "work")
        counts.append(len(reads))
    assert counts[0] == counts[1]


def test_a_second_run_of_a_merge_walks_no_history(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was concluded is kept with the question: the same answers, without a look at the commits."""
    monkeypatch.setenv("MERGEWRIGHT_CACHE", str(tmp_path / "cache"))
    told = story(
        [("pr1", ONE, "Check the data"), ("pr2", TWO, "Log the total")],
        [("squash", ONE, "Something else entirely")],
    )
    built = told.build(tmp_path / "r", "pr2", "squash")
    with merge_commits(built.repository, "dev", "main") as merge:
        first = LazyHistory(built.repository, merge.source, merge.conflicts)
        question = Question(
            path=PATH, symbol="work", kind="both-changed", versions=merge.conflicts[0].texts
        )
        verdict = first.verdict(question)
        rebased = first.rebase(merge.conflicts[0])
        monkeypatch.setattr(history, "open_history", None)
        second = LazyHistory(built.repository, merge.source, merge.conflicts)
        assert second.verdict(question) == verdict
        assert second.rebase(merge.conflicts[0]) == rebased
        assert verdict.standing is Standing.OURS_AHEAD
        other = LazyHistory(built.repository, merge.source, (), reuse=False)
        with pytest.raises(TypeError):
            other.verdict(question)
