"""One function over many items in child processes: what one process would answer, and none is left."""

from __future__ import annotations

import dataclasses
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mergewright.git.repository import Repository
from mergewright.model.conflict import Conflict
from mergewright.model.plan import MergePlan
from mergewright.model.resolution import Deferred, Failed, PathOutcome
from mergewright.resolve.cascade import BudgetExceeded, Cascade
from mergewright.testing import CommitSpec, build_repository
from mergewright.workflows import parallel
from mergewright.workflows.history_store import HistoryStore
from mergewright.workflows.parallel import (
    LEAST_WEIGHT,
    WorkerLostError,
    beside,
    spread,
    usable_cores,
)
from mergewright.workflows.resolving import Settings, plan_merge
from mergewright.workflows.sources import default_sources
from mergewright.workflows.texts import time_limit

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing is forked here"),
    # The runner's own threads do not touch what the children use.
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]


@pytest.fixture(autouse=True)
def _forking(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forks also beside the threads of a test runner; afterwards no child of this process is left."""
    monkeypatch.setattr(parallel, "may_fork", lambda: True)
    before = set(_children())
    yield
    assert set(_children()) <= before


def _children() -> list[int]:
    task = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
    return [int(pid) for pid in task.read_text().split()] if task.exists() else []


def _heavy(_item: object) -> int:
    return LEAST_WEIGHT


def forked(work: Callable[[Any], Any], items: Sequence[Any], **how: Any) -> Iterator[Any]:
    return spread(work, items, jobs=3, weight=_heavy, **how)


@settings(
    max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(items=st.lists(st.integers(), max_size=12), jobs=st.integers(1, 5))
def test_the_answers_come_in_the_order_of_the_items(items: list[int], jobs: int) -> None:
    """Whatever the number of processes, the answers are those of one."""
    found = spread(
        lambda n: (n, n * n), items, jobs=jobs, weight=lambda n: abs(n) % 9 * LEAST_WEIGHT
    )
    assert list(found) == [(n, n * n) for n in items]


def test_the_work_is_done_in_other_processes_at_once() -> None:
    """Children share the items, at most as many as asked for; this process does none of the work."""
    pids = list(forked(lambda _: os.getpid(), range(9)))
    assert os.getpid() not in pids
    assert 1 <= len(set(pids)) <= 3


@pytest.mark.parametrize(
    "how", [{"jobs": 1}, {"weight": lambda _: 10}], ids=["one process", "little work"]
)
def test_nothing_is_forked_where_it_does_not_pay(how: dict[str, Any]) -> None:
    """One process, or little to do: this process does it, and nothing is prepared for a fork."""

    def before() -> None:
        pytest.fail("prepared for a fork")

    found = spread(
        lambda _: os.getpid(), range(4), **{"jobs": 3, "weight": _heavy, **how}, before=before
    )
    assert set(found) == {os.getpid()}


def test_what_is_shared_is_prepared_before_the_fork() -> None:
    """What ``before`` reads is there in every child."""
    known: list[str] = []
    found = forked(lambda _: tuple(known), range(4), before=lambda: known.append("read"))
    assert set(found) == {("read",)}


def test_closures_over_what_cannot_be_pickled_work() -> None:
    """A fork has what this process has; only answers are sent."""
    rest = iter(lambda: 7, 0)  # an iterator over a function cannot be pickled
    assert list(forked(lambda n: n * next(rest), range(3))) == [0, 7, 14]


def test_the_first_error_in_the_order_of_the_items_is_raised() -> None:
    """As in one process: the answers before it are given, its own error is raised, with where it was."""

    def work(n: int) -> int:
        if n >= 2:
            time.sleep(0.05 if n == 2 else 0)
            raise KeyError(f"item {n}")
        return n

    found = forked(work, range(5))
    assert [next(found), next(found)] == [0, 1]
    with pytest.raises(KeyError, match="item 2") as caught:
        next(found)
    assert "in work" in "".join(caught.value.__notes__)


def test_an_answer_or_error_that_cannot_be_sent_is_an_error() -> None:
    """What cannot leave a child is told, not waited for."""

    class StrangeError(Exception):
        """Of no module that the parent could look in."""

    def work(n: int) -> object:
        if n == 1:
            raise StrangeError("odd")
        return (lambda: n) if n == 0 else n

    found = forked(work, [2, 0])
    assert next(found) == 2
    with pytest.raises(Exception, match="pickle"):
        next(found)
    with pytest.raises(RuntimeError, match="odd"):
        list(forked(work, [2, 1]))


def _die(n: int) -> int:
    if n == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return n


def test_a_child_that_is_killed_costs_its_own_item_alone() -> None:
    """The item it was at gets the answer for that; another child does the rest."""
    found = forked(_die, range(8), lost=lambda n, how: f"{n}: {how}")
    told = "1: the process that worked at it ended by SIGKILL"
    assert list(found) == [0, told, 2, 3, 4, 5, 6, 7]


def test_a_child_that_is_killed_is_an_error_where_no_answer_stands_for_it() -> None:
    """Nobody takes a lost answer for an empty one."""
    with pytest.raises(WorkerLostError, match="SIGKILL"):
        list(forked(_die, range(4)))


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_leaving_early_ends_the_children(error: type[BaseException]) -> None:
    """An interrupt or an error of the one who asks leaves no child behind, however long it would work."""

    def consume() -> None:
        for _ in forked(lambda n: time.sleep(60 if n else 0), range(4)):
            raise error

    start = time.monotonic()
    with pytest.raises(error):
        consume()
    assert time.monotonic() - start < 30


def test_the_time_limit_of_a_file_holds_in_a_child() -> None:
    """The clock is a signal; a child has one of its own."""

    def work(n: int) -> str:
        try:
            with time_limit(0.05):
                while n:
                    pass
        except BudgetExceeded as spent:
            return str(spent)
        return "done"

    assert list(forked(work, [0, 1, 0])) == [
        "done",
        "the time limit of 0.05 s for one file ran out",
        "done",
    ]


def test_usable_cores_is_a_number() -> None:
    """At least one, at most what the machine has."""
    assert 1 <= usable_cores() <= (os.cpu_count() or 1)


def test_a_store_of_history_is_used_on_both_sides_of_a_fork(tmp_path: Path) -> None:
    """Released before the fork, it is opened anew by whoever asks; what was kept is known everywhere."""
    with HistoryStore(tmp_path / "history.sqlite") as store:
        store.keep_answer(b"before", ["kept"])

        def work(n: int) -> object:
            store.keep_answer(b"child %d" % n, n)
            store.flush()
            return store.answer(b"before")

        assert list(forked(work, range(4), before=store.release)) == [["kept"]] * 4
        assert [store.answer(b"child %d" % n) for n in range(4)] == [0, 1, 2, 3]


# -- whole merges ----------------------------------------------------------------------------------


def _module(
    n: int, *, limit: int = 1, scale: int = 1, width: str = "width", more: str = ""
) -> bytes:
    calls = "\n".join(f"    total += measure_{width}(items[{k}], {n})" for k in range(12))
    return (
        f"import os\n\nLIMIT = {limit}\n\n\n"
        f"def run_{n}(items):\n    total = 0\n{calls}\n    return total\n\n\n"
        f"def moved_{n}(value):\n    found = os.fspath(value)\n    rows = [found, LIMIT]\n"
        f"    return rows[{scale}:]\n{more}"
    ).encode()


def _build(folder: Path) -> Repository:
    """Files that are settled, left open, swept by a renaming, and moved from."""
    names = [f"pkg/m{n}.py" for n in range(6)]
    words = "def measure_{}(item, n):\n    return len(item) + n\n"
    more = "\n\ndef new(items):\n    return measure_width(items, 2)\n"
    base = {path: _module(n) for n, path in enumerate(names)}
    ours = {path: _module(n, scale=2, limit=1 + n % 2, more=more) for n, path in enumerate(names)}
    theirs = {path: _module(n, limit=3, width="breadth") for n, path in enumerate(names)}
    # One function moved by theirs, while ours edits it.
    head, _, moved = theirs["pkg/m4.py"].partition(b"\n\ndef moved_4")
    theirs["pkg/m4.py"] = head + b"\n"
    theirs["pkg/there.py"] = b"import os\n\nLIMIT = 3\n\n\ndef moved_4" + moved
    commits = [
        CommitSpec(name="base", files={**base, "pkg/w.py": words.format("width").encode()}),
        CommitSpec(
            name="ours",
            parents=("base",),
            files={**ours, "pkg/w.py": words.format("width").encode()},
        ),
        CommitSpec(
            name="theirs",
            parents=("base",),
            files={**theirs, "pkg/w.py": words.format("breadth").encode()},
        ),
    ]
    path = folder / "repo.git"
    build_repository(path, commits, branches={"dev": "ours", "main": "theirs"}, head="dev")
    return Repository.open(path)


_RULES = """\
version: 1
rules:
  - {id: limits, match: {path: pkg/m1.py, symbol: LIMIT}, action: take-theirs, reason: Set upstream.}
  - {id: nobody, match: {path: docs/a.py}, action: take-theirs, reason: Nothing fits this.}
"""


@pytest.fixture
def merge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], MergePlan]:
    """Plans one merge with some number of processes."""
    monkeypatch.setattr(parallel, "LEAST_WEIGHT", 2)
    repository = _build(tmp_path)
    rules = tmp_path / "rules.yaml"
    rules.write_text(_RULES, encoding="utf-8")

    def planned(jobs: int) -> MergePlan:
        how = Settings(jobs=jobs, rules=(rules,), sources=default_sources)
        with plan_merge(repository, "dev", "main", settings=how) as found:
            return found.plan

    return planned


def _plain(plan: MergePlan) -> list[object]:
    """A plan but for its times."""
    told: list[object] = [plan.source, plan.warnings, plan.notes]
    for entry in plan.paths:
        outcome = entry.outcome
        fields = {f.name: getattr(outcome, f.name) for f in dataclasses.fields(outcome)}
        told.append((entry.conflict, type(outcome), {**fields, "seconds": 0}))
    return told


def test_a_plan_is_the_same_for_every_number_of_processes(
    merge: Callable[[int], MergePlan],
) -> None:
    """Outcomes, their order, decisions, notes, open places, and which rules were never used."""
    alone = merge(1)
    said = {d.strategy for entry in alone.paths for d in entry.outcome.decisions}
    assert {"sweep", "follow-move"} <= said
    assert any("nobody" in warning for warning in alone.warnings)
    assert not any("limits" in warning for warning in alone.warnings)
    for jobs in (2, 3):
        assert _plain(merge(jobs)) == _plain(alone)


def test_a_path_whose_process_is_killed_is_a_failed_path(
    merge: Callable[[int], MergePlan], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rest of the merge is planned all the same."""
    alone = merge(1)
    resolve = Cascade.resolve

    def killed(cascade: Cascade, conflict: Conflict) -> PathOutcome:
        if conflict.path == "pkg/m3.py":
            os.kill(os.getpid(), signal.SIGKILL)
        return resolve(cascade, conflict)

    monkeypatch.setattr(Cascade, "resolve", killed)
    plan = merge(2)
    failed = [entry for entry in plan.paths if isinstance(entry.outcome, Failed)]
    assert [entry.path for entry in failed] == ["pkg/m3.py"]
    assert "SIGKILL" in failed[0].outcome.error  # type: ignore[union-attr]
    assert [entry.path for entry in plan.paths] == [entry.path for entry in alone.paths]


def test_only_the_paths_that_are_wanted_are_decided(tmp_path: Path) -> None:
    """The others stay open, but where an edit follows its definition to another file."""
    how = Settings(only=lambda conflict: conflict.path == "pkg/m1.py")
    with plan_merge(_build(tmp_path), "dev", "main", settings=how) as found:
        told = {entry.path: entry.outcome for entry in found.plan.paths if entry.conflict}
    left = {
        path
        for path, outcome in told.items()
        if isinstance(outcome, Deferred) and "not asked" in outcome.reason
    }
    assert left == {"pkg/m3.py", "pkg/m5.py"}
    assert set(told) - left == {"pkg/m1.py", "pkg/m4.py"}


def test_items_beside_others_are_worked_at_with_them() -> None:
    """Their answers are kept once those of the others are used up."""
    kept: list[tuple[str, str]] = []
    both = beside(
        partial(spread, jobs=3),
        ["a", "b"],
        str.upper,
        lambda item, answer: kept.append((item, answer)),
        weight=LEAST_WEIGHT,
    )
    assert list(both(lambda n: -n, [1, 2, 3], weight=_heavy)) == [-1, -2, -3]
    assert kept == [("a", "A"), ("b", "B")]
