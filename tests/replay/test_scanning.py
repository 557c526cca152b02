"""What a walk of a repository finds, and what it leaves out by which name."""

from pathlib import Path

import pytest
from tests.replay import history

from mergewright.model.errors import UsageError
from mergewright.workflows.replay import request as request_module
from mergewright.workflows.replay.cases import Case, Collection
from mergewright.workflows.replay.request import Request, collect_cases
from mergewright.workflows.replay.scanning import Exclusions, Filter, Found, Scan, look_into
from mergewright.workflows.replay.store import Store


@pytest.fixture(scope="module")
def merged(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("merged") / "example"
    return folder, history.merges(folder)


@pytest.fixture(scope="module")
def pulled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("pulled") / "example"
    return folder, history.pulls(folder)


def here(scan: Scan, _limit: float) -> Found:
    """Looks into a landing in this process: children have tests of their own."""
    return look_into(scan)


def collected(folder: Path, wanted: Filter | None = None, **more: str) -> Collection:
    request = Request(repo=folder, wanted=wanted or Filter(), jobs=2, **more)  # type: ignore[arg-type]
    with Store(None) as store:
        return collect_cases(request, store, look=here)


def test_every_merge_is_a_case_or_counted(merged: tuple[Path, dict[str, str]]) -> None:
    """Each merge commit of the range is judged or left out under its own name."""
    folder, ids = merged
    found = collected(folder, revisions="main")
    names = {oid: name for name, oid in ids.items()}
    assert [(names[case.merge], case.kind) for case in found.cases] == [
        ("settled", "both-modified"),
        ("gone", "deleted-by-theirs"),
        ("criss-1", "both-modified"),
        ("criss-2", "both-modified"),
    ]
    assert dict(found.excluded.counts) == {
        "nothing-contested": 1,
        "equals-a-parent": 1,
        "accepted-has-markers": 1,
        "accepted-does-not-parse": 1,
        "no-file-to-judge": 2,
        "reverted-later": 1,
        "several-merge-bases": 1,
        "no-merge-base": 1,
        "octopus": 1,
        "fast-forward": 1,
    }
    assert found.seen["merge commits"] == 13


@pytest.mark.parametrize("jobs", [1, 3])
def test_no_landing_is_lost_between_batches(
    merged: tuple[Path, dict[str, str]], monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    """However landings are grouped, each is judged or counted exactly once."""
    monkeypatch.setattr(request_module, "BATCH", 1)
    request = Request(repo=merged[0], revisions="main", jobs=jobs)
    looked: list[str] = []

    def watch(scan: Scan, _limit: float) -> Found:
        looked.append(scan.landing.accepted)
        return look_into(scan)

    with Store(None) as store:
        found = collect_cases(request, store, look=watch)
    whole = sum(found.excluded.counts[kind] for kind in ("octopus", "reverted-later"))
    assert len(looked) == len(set(looked)) == found.seen["merge commits"] - whole


def test_a_case_holds_the_three_versions_and_the_accepted_one(
    merged: tuple[Path, dict[str, str]],
) -> None:
    """The blobs of a case are those of merge base, both parents and the merge."""
    folder, ids = merged
    found = collected(folder, revisions="main")
    (case,) = [case for case in found.cases if case.merge == ids["settled"]]
    assert (case.repo, case.path, case.conflicted) == ("example", "a.py", True)
    assert (case.ours, case.theirs) == (ids["settled-ours"], ids["settled-theirs"])
    assert case.base == ids["settled-base"]
    (gone,) = [case for case in found.cases if case.merge == ids["gone"]]
    assert gone.accepted_blob is None
    assert gone.blobs[2] is None


@pytest.mark.parametrize(
    ("wanted", "kind", "count"),
    [
        (Filter(subject="^sett"), "subject-not-asked-for", 12),
        (Filter(since="2027-01-01"), "date-not-asked-for", 13),
        (Filter(until="2020-01-01"), "date-not-asked-for", 13),
        (Filter(paths=("*.txt",)), "path-not-asked-for", 6),
        (Filter(branch="main"), "not-on-the-branch", 1),
        (Filter(minimum=2), "fewer-files-than-asked-for", 4),
    ],
    ids=["subject", "since", "until", "path", "branch", "minimum"],
)
def test_filters_count_what_they_leave_out(
    merged: tuple[Path, dict[str, str]], wanted: Filter, kind: str, count: int
) -> None:
    """A merge or path that a filter does not want is counted by the filter's name."""
    found = collected(merged[0], wanted, revisions="main")
    assert found.excluded.counts[kind] == count


def test_last_takes_the_newest_merges(merged: tuple[Path, dict[str, str]]) -> None:
    """``--last 1`` judges the newest merge that has something to judge."""
    found = collected(merged[0], Filter(last=1), revisions="main")
    assert [case.merge for case in found.cases] == [merged[1]["criss-2"]]
    assert found.excluded.counts["older-than-asked-for"] > 0


def test_both_changed_also_judges_what_git_merges(merged: tuple[Path, dict[str, str]]) -> None:
    """Files that both sides changed are cases when asked for, marked as without a conflict."""
    found = collected(merged[0], Filter(both_changed=True), revisions="main")
    (case,) = [case for case in found.cases if case.merge == merged[1]["disjoint"]]
    assert not case.conflicted


def test_a_second_scan_reads_what_the_first_kept(merged: tuple[Path, dict[str, str]]) -> None:
    """Scans are kept in the store, and give the same cases."""
    request = Request(repo=merged[0], revisions="main")
    with Store(None) as store:
        first = collect_cases(request, store, look=here)
        again = collect_cases(request, store, look=here)
    assert first.cases == again.cases
    assert first.excluded == again.excluded


def test_pull_requests_are_found_by_number(pulled: tuple[Path, dict[str, str]]) -> None:
    """A commit that ends in (#N) landed refs/pull/N/head; merge bases, not two-dot diffs, count."""
    folder, ids = pulled
    found = collected(folder, Filter(both_changed=True), revisions="main", pulls="auto")
    assert dict(found.seen) == {
        "pull requests landed as one commit": 4,
        "landed as the head is": 1,
        "merge cleanly, landed as merged": 1,
        "merge with conflicts": 1,
    }
    assert dict(found.excluded.counts) == {
        "base-had-not-moved": 1,
        "head-of-the-pull-request-missing": 1,
    }
    assert [(case.label, case.conflicted) for case in found.cases] == [("#1", False), ("#3", True)]
    assert found.cases[0].base == ids["root"]
    assert found.cases[0].ours == ids["moved-on"]


def test_pull_requests_of_a_list(pulled: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    """A list names base, head and landed commit; what is missing is counted."""
    folder, ids = pulled
    path = tmp_path / "pulls.txt"
    path.write_text(
        "# base head landed label\n"
        f"- {ids['head-1']} {ids['land-1']} first\n"
        f"{ids['land-2']} {ids['head-3']} {ids['land-3']} #3 third push\n"
        f"- {'0' * 40} {ids['land-3']} lost\n",
        encoding="utf-8",
    )
    found = collected(folder, Filter(both_changed=True), pulls=str(path))
    assert [case.label for case in found.cases] == ["first", "#3 third push"]
    assert dict(found.excluded.counts) == {"head-of-the-pull-request-missing": 1}
    path.write_text("one two\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"pulls.txt:1: BASE HEAD LANDED"):
        collected(folder, pulls=str(path))


def test_the_exclusion_list(tmp_path: Path) -> None:
    """Lines name a merge, with repository and path where wanted."""
    path = tmp_path / "exclude.txt"
    path.write_text("# noise\naaaaaaaa\no/r bbbbbbbb b.py  # half\n", encoding="utf-8")
    listed = Exclusions.read(path)

    def case(merge: str, name: str, repo: str = "o/r") -> Case:
        return Case(
            repo=repo,
            merge=merge * 40,
            ours="1",
            theirs="2",
            base="3",
            path=name,
            blobs=("a", "b", "c"),
            accepted_blob="d",
        )

    collection = Collection(
        cases=[case("a", "a.py"), case("b", "a.py"), case("b", "b.py"), case("b", "b.py", "o/s")]
    )
    listed.apply(collection)
    assert [(c.merge[0], c.path, c.repo) for c in collection.cases] == [
        ("b", "a.py", "o/r"),
        ("b", "b.py", "o/s"),
    ]
    assert collection.excluded.counts["on-the-exclusion-list"] == 2
    path.write_text("not a commit\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"exclude.txt:1"):
        Exclusions.read(path)


def test_inputs_that_do_not_fit_together(tmp_path: Path) -> None:
    """No input, two kinds of input and a folder without a repository are told apart."""
    with pytest.raises(UsageError, match="Nothing to replay"):
        collected(None)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no git repository"):
        collected(tmp_path, revisions="main")
    with pytest.raises(UsageError, match="two dots"):
        collected(history_folder(tmp_path), revisions="main...main")


def history_folder(tmp_path: Path) -> Path:
    history.pulls(tmp_path / "r")
    return tmp_path / "r"
