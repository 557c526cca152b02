"""Runs: supervised children, time limits, resumption, order."""

import os
from pathlib import Path

import pytest
from tests.replay import history

from mergewright.model.errors import UsageError
from mergewright.workflows.replay import running
from mergewright.workflows.replay.jobs import CodeChangedError, Tool
from mergewright.workflows.replay.peers import choose_peers
from mergewright.workflows.replay.request import Replayed, Request, replay
from mergewright.workflows.replay.scanning import Filter
from mergewright.workflows.replay.session import Progress
from mergewright.workflows.replay.store import Store


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("merged") / "example"
    history.merges(folder)
    return folder


def request_for(repo: Path, *peers: str, timeout: float = 60.0, jobs: int = 1) -> Request:
    return Request(
        repo=repo,
        revisions="main",
        wanted=Filter(both_changed=True),
        peers=peers,
        structure_only=True,
        timeout=timeout,
        jobs=jobs,
    )


def without_times(done: Replayed) -> dict[str, object]:
    """The report without what may differ between two runs."""
    report = {key: value for key, value in done.report.items() if key != "timing"}
    for entry in report["files"]:
        for result in entry["results"].values():
            del result["seconds"], result["cached"]
    return report


def fake_program(folder: Path, name: str, script: str) -> None:
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)


@pytest.fixture
def fakes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return folder


def test_straw_men_and_git_are_judged(repo: Path) -> None:
    """Always ours is right where ours was accepted; git leaves the contested file open."""
    with Store(None) as store:
        done = replay(request_for(repo, "git", "ours", "theirs"), store)
    verdicts = {
        entry["date"][:16]: {tool: r["verdict"] for tool, r in entry["results"].items()}
        for entry in done.report["files"]
    }
    assert len(verdicts) == 5
    settled, disjoint, gone = (verdicts[key] for key in sorted(verdicts)[:3])
    assert settled["git"] == "open"
    assert (settled["ours"], settled["theirs"]) == ("wrong", "wrong")
    assert disjoint["git"] == disjoint["mergewright"] == "correct"
    assert (gone["git"], gone["ours"], gone["theirs"]) == ("open", "wrong", "correct")
    summary = done.report["summary"]["git"]
    assert (summary["files"], summary["merges"]["total"]) == (5, 5)


def test_a_stopped_run_goes_on_and_ends_the_same(repo: Path, tmp_path: Path) -> None:
    """What was done before the stop is not done again, and the report is the same."""
    request = request_for(repo, "git", "ours")

    class StopError(Exception):
        pass

    def stop(progress: Progress) -> None:
        if progress.done >= 2:
            raise StopError

    with Store(tmp_path / "a.sqlite") as store, pytest.raises(StopError):
        replay(request, store, progress=stop)
    seen: list[Progress] = []
    with Store(tmp_path / "a.sqlite") as store:
        resumed = replay(request, store, progress=seen.append)
        again = replay(request, store, progress=seen.append)
    with Store(None) as store:
        whole = replay(request, store)
    assert seen[-1].total <= 3, "the finished merges were done again"
    assert without_times(resumed) == without_times(whole) == without_times(again)
    assert again.report["timing"]["git"]["from_earlier_runs"] == 5


def test_a_tool_that_stalls_is_a_crash_of_that_file(repo: Path, fakes: Path) -> None:
    """Beyond the time limit a peer is stopped; the other tools are judged as ever."""
    fake_program(fakes, "weave-driver", 'if [ "$1" = --version ]; then echo 1; else sleep 60; fi')
    with Store(None) as store:
        done = replay(request_for(repo, "weave", "ours", timeout=1), store)
    assert done.report["summary"]["weave"]["crash"] == 4  # git's own conflict for the deletion
    assert done.report["summary"]["ours"]["crash"] == 0
    assert done.report["files"][0]["results"]["weave"]["error"] == "timeout after 1 s"


def test_a_tool_that_ran_out_of_time_gets_more_when_there_is_more(repo: Path, fakes: Path) -> None:
    """A kept timeout holds for the same limit; with a longer one the tool is asked again."""
    script = 'if [ "$1" = --version ]; then echo 1; else sleep 3; cp "$2" "$5"; fi'
    fake_program(fakes, "weave-driver", script)
    with Store(None) as store:
        crashes = []
        for timeout in (1, 1, 30):
            started: list[Progress] = []
            request = request_for(repo, "weave", timeout=timeout, jobs=2)
            done = replay(request, store, progress=started.append)
            crashes.append((done.report["summary"]["weave"]["crash"], bool(started)))
    assert crashes == [(4, True), (4, False), (0, True)]


def test_a_tool_that_takes_its_process_along_is_a_crash(repo: Path, fakes: Path) -> None:
    """A killed worker process costs the file, not the run."""
    fake_program(
        fakes, "weave-driver", 'if [ "$1" = --version ]; then echo 1; else kill -9 $PPID; fi'
    )
    with Store(None) as store:
        done = replay(request_for(repo, "weave", "ours"), store)
    assert done.report["summary"]["weave"]["crash"] == 4
    assert "died" in done.report["files"][0]["results"]["weave"]["error"]
    assert done.report["summary"]["ours"]["files"] == 5


def test_changed_code_ends_the_run(repo: Path) -> None:
    """Results of other code than the run began with are not kept."""
    tool = Tool(name="mergewright", version="other", peer=False, structure_only=True)
    from mergewright.workflows.replay import request as module
    from mergewright.workflows.replay.session import Settings, run

    with Store(None) as store:
        collection = module.collect_cases(request_for(repo), store)
        with pytest.raises(CodeChangedError):
            run(collection, [tool], Settings(repos=str(repo)), store)


def test_absent_and_unknown_peers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A peer that is not installed is told; one without adapter is an error."""
    monkeypatch.setenv("PATH", str(tmp_path))
    assert choose_peers(["weave", "ours"]) == ({"ours": "always"}, ("weave",))
    with pytest.raises(UsageError, match="No peer 'diffy'"):
        choose_peers(["diffy"])


def test_a_sample_is_the_same_for_the_same_seed(repo: Path) -> None:
    """Sample and seed decide which files; the number left out is told."""
    from dataclasses import replace

    with Store(None) as store:
        first, second, other = (
            replay(replace(request_for(repo, "ours"), sample=3, seed=seed), store)
            for seed in (1, 1, 2)
        )
    assert without_times(first) == without_times(second)
    assert first.report["excluded"]["not-in-the-sample"]["count"] == 2
    assert [r.case for r in first.rows] != [r.case for r in other.rows]


def test_no_child_outlives_a_run(repo: Path) -> None:
    """All child processes are gone when a run is over."""
    with Store(None) as store:
        replay(request_for(repo, "ours"), store)
    assert running._supervisors == []


def test_a_store_of_another_format_is_refused(tmp_path: Path) -> None:
    """A file that is no store, or one of another format, is not written to."""
    path = tmp_path / "no.sqlite"
    path.write_text("text " * 400, encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be used"):
        Store(path)


def test_two_rule_files_are_two_columns(repo: Path, tmp_path: Path) -> None:
    """Each rule file is a column of its own; the rule that decided is named and judged."""
    from dataclasses import replace

    rules = tmp_path / "mine.yaml"
    rules.write_text(
        "version: 1\nrules:\n  - id: keep-ours\n    reason: The team keeps its own.\n"
        "    match: {path: a.py}\n    action: take-ours\n",
        encoding="utf-8",
    )
    request = replace(
        request_for(repo, "ours"),
        structure_only=False,
        rules=("default", str(rules)),
        wanted=Filter(),
    )
    with Store(None) as store:
        done = replay(request, store)
    assert [tool.name for tool in done.tools[:2]] == ["mergewright[default]", "mergewright[mine]"]
    mine, ours = (done.report["summary"][name] for name in ("mergewright[mine]", "ours"))
    assert {key: mine[key] for key in ("correct", "wrong", "open")} == {
        key: ours[key] for key in ("correct", "wrong", "open")
    }
    (row,) = done.report["rules"]["mergewright[mine]"]
    assert (row["name"], row["right"] + row["wrong"] > 0) == ("keep-ours", True)
    assert done.report["timing"]["mergewright[mine]"]["merges"]["number"] > 0


def test_rules_of_the_repository_hold_by_default(repo: Path) -> None:
    """Without ``--rules`` the repository's own rule file is replayed, else the shipped default."""
    from dataclasses import replace

    from mergewright.workflows.replay.request import own_tools

    request = replace(request_for(repo), structure_only=False)
    assert own_tools(request)[0].rules == ("default",)
    own = repo / ".mergewright.yaml"
    own.write_text("version: 1\nrules: []\n", encoding="utf-8")
    try:
        assert own_tools(request)[0].rules == (str(own),)
    finally:
        own.unlink()
    with pytest.raises(UsageError, match="neither a rule file nor"):
        own_tools(replace(request, rules=("no-such-pack",)))


def test_whole_merges_without_history_stand_beside_in_one_run(repo: Path) -> None:
    """Each rule file has a further column that asks no history, with results of its own."""
    from dataclasses import replace

    from mergewright.workflows.replay.request import own_tools

    request = replace(request_for(repo), structure_only=False, without_history=True)
    with Store(repo.parent / "without.sqlite") as store:
        done = replay(request, store)
        again = replay(request, store)
    names = ["mergewright", "mergewright[without history]"]
    assert [(tool["name"], tool["mode"]) for tool in done.report["tools"]] == [
        (names[0], "merge"),
        (names[1], "merge-without-history"),
    ]
    assert set(done.report["summary"]) == set(names)
    assert all(r.cached for row in again.rows for r in row.results.values())
    both = own_tools(replace(request, rules=("default", "nightly-sync")))
    assert [(tool.name, tool.history) for tool in both] == [
        ("mergewright[default]", True),
        ("mergewright[default, without history]", False),
        ("mergewright[nightly-sync]", True),
        ("mergewright[nightly-sync, without history]", False),
    ]


def test_structure_alone_stands_beside_history_in_one_run(repo: Path) -> None:
    """A further column of our own tool, with its own results."""
    from dataclasses import replace

    from mergewright.workflows.replay.request import own_tools

    request = replace(request_for(repo), structure_only=False, with_structure=True)
    assert [(t.name, t.structure_only) for t in own_tools(request)] == [
        ("mergewright", False),
        ("mergewright[structure]", True),
    ]
    with Store(repo.parent / "beside.sqlite") as store:
        done = replay(request, store)
    assert set(done.report["summary"]) == {"mergewright", "mergewright[structure]"}
