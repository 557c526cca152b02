"""Jobs on a dask cluster of two worker processes."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.replay import history
from tests.replay.test_running import without_times

from mergewright.model.errors import UsageError
from mergewright.workflows.replay.request import Request, replay
from mergewright.workflows.replay.scanning import Filter
from mergewright.workflows.replay.store import Store

distributed = pytest.importorskip("distributed", reason="the extra mergewright[dask] is not there")

pytestmark = [
    pytest.mark.slow,
    # Of distributed's own making: sockets and loops that it leaves to the collector.
    pytest.mark.filterwarnings("default"),
]


def test_two_workers_give_the_same_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run on two dask workers, repositories found by path there, equals the local one."""
    repos = tmp_path / "repos"
    history.merges(repos / "example")
    request = Request(
        repo=repos / "example",
        revisions="main",
        wanted=Filter(both_changed=True),
        peers=("git", "ours"),
        structure_only=True,
        jobs=2,
    )
    # Workers inherit it: there the folder of repositories is found by the worker's own path.
    monkeypatch.setenv("MERGEWRIGHT_REPOS", str(repos))
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Store(None) as store,
    ):
        remote = replay(
            replace(request, executor="dask", scheduler=cluster.scheduler_address), store
        )
    monkeypatch.delenv("MERGEWRIGHT_REPOS")
    with Store(None) as store:
        local = replay(request, store)
    assert without_times(remote) == without_times(local)
    assert len(remote.rows) == 5


def test_no_scheduler_answers(tmp_path: Path) -> None:
    """An address at which nothing listens is an error that names it."""
    from mergewright.workflows.replay import cluster

    with (
        pytest.raises(UsageError, match=r"127\.0\.0\.1:9"),
        cluster.dask_executor("tcp://127.0.0.1:9", patience=1),
    ):
        pass
