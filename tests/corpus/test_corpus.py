"""Every golden case comes out as it ought to; every known failure as it does now."""

from __future__ import annotations

import difflib
from pathlib import Path

import pytest
from tests.corpus.cases import CORPUS, VERSIONS, Case, build_history, expected_text, find
from tests.corpus.running import (
    Ideal,
    Judgement,
    Result,
    TreeResult,
    build_case,
    ideal_of,
    judge,
    judge_tree,
    run_file,
    run_tree,
    sides_of_markers,
    tree_of,
)

from mergewright.git.repository import Repository
from mergewright.history.locate import symbol_text
from mergewright.model.merge import Question
from mergewright.model.threeway import ThreeWay
from mergewright.testing import build_repository, git
from mergewright.workflows.resolving import plan_merge
from mergewright.workflows.sources import default_sources

CASES = find()
FILES = [case for case in CASES if case.form == "file"]
TREES = [case for case in CASES if case.form == "tree"]
HISTORIES = [case for case in CASES if case.form == "history"]


def ids(case: Case) -> str:
    return ("known:" if case.known else "") + case.name


def each(cases: list[Case]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=ids)


def result_of(case: Case, versions: ThreeWay[bytes | None] | None = None) -> Result:
    if case.about.pending:
        pytest.skip(f"pending: {case.about.pending}")
    result = run_file(case, versions)
    if result is None:
        pytest.skip("its engine is not built yet")
    return result


def difference(wanted: bytes | None, got: bytes | None, name: str) -> str:
    def lines(data: bytes | None) -> list[str]:
        text = (data or b"").decode("utf-8", "backslashreplace")
        return [repr(line)[1:-1] for line in text.splitlines(keepends=True)]

    return "\n".join(
        difflib.unified_diff(lines(wanted), lines(got), name, "what came out", lineterm="")
    )


def test_enough_cases() -> None:
    """The corpus keeps its promised size, by form."""
    assert len(FILES) + len(TREES) >= 320
    assert len(HISTORIES) >= 60
    names = [case.name for case in CASES]
    assert len(names) == len(set(names)), "a case stands twice"
    titles = [case.about.title for case in CASES]
    assert len(titles) == len(set(titles)), "a title stands twice"


def test_no_stray_folder() -> None:
    """Every folder with files belongs to a case (``demo/`` holds the README's repository)."""
    folders = {case.folder for case in CASES}
    for path in CORPUS.rglob("*"):
        topic = path.relative_to(CORPUS).parts[0]
        if path.is_file() and path.parent != CORPUS and topic != "demo":
            assert folders & set(path.parents), f"{path} belongs to no case"


@each(FILES)
def test_file_case_is_well_formed(case: Case) -> None:
    """The right result is there, parses when the sides do, and its markers fit the sides."""
    allowed = {"case", "base", "ours", "theirs"}
    allowed |= {"expected_now", "expected_ideal"} if case.known else {"expected"}
    found = {p.name.split(".")[0] for p in case.folder.iterdir()}
    assert found <= allowed, f"unknown files {found - allowed}"
    assert (case.about.now is not None) == case.known
    if case.known:
        assert case.file("expected_now"), "a known failure says what comes out now"
    ideal = case.data(case.ideal_stem)
    assert (ideal is None) == (case.about.outcome == "deleted")
    if case.about.outcome == "conflict":
        assert case.about.open, "a conflict names the symbols that stay open"
    if ideal is None:
        return
    sides = ThreeWay(base=ideal, ours=ideal, theirs=ideal)
    if case.about.outcome == "conflict":
        marked = sides_of_markers(ideal)
        assert marked is not None, "markers do not balance"
        assert len({*marked}) > 1, "the markers hold nothing"
        sides = marked
    if case.path.endswith((".py", ".pyi")):
        given = [text for text in case.versions if text is not None]
        if all(tree_of(text) is not None for text in given):
            for text in (sides.ours, sides.theirs):
                assert tree_of(text) is not None, "the right result does not parse"


@each([case for case in FILES if not case.known])
def test_case(case: Case) -> None:
    """The engine gives exactly the right result."""
    result = result_of(case)
    ideal = case.data("expected")
    verdict = judge(case, result, ideal)
    if verdict != "right":
        pytest.fail(
            f"{case.name}: {verdict} ({result.method}; open: {result.open})\n"
            + difference(ideal, result.data, "expected")
            + "\nIf it was right before, something broke. To record it as a known failure (the"
            f"\nright result is kept): python -m tests.corpus.manage demote {case.name}"
        )


@each([case for case in FILES if case.known])
def test_known_failure(case: Case) -> None:
    """A known failure comes out as recorded; any change is looked at, a good one is promoted."""
    result = result_of(case)
    verdict = judge(case, result, case.data("expected_ideal"))
    if verdict == "right":
        target = f"corpus/{case.name}"
        pytest.fail(
            f"{case.name} works now. Promote it:\n"
            f"  python -m tests.corpus.manage promote {case.name}\n"
            "which does:\n"
            f"  git mv corpus/known_failures/{case.name} {target}\n"
            f"  git rm {target}/expected_now.* and git mv {target}/expected_ideal.* to expected.*\n"
            f"  drop the key `now` from {target}/case.yaml"
        )
    now = case.data("expected_now")
    if result.data != now or verdict != case.about.now:
        pytest.fail(
            f"{case.name} fails in another way than recorded: {case.about.now} then, {verdict} now"
            f" (open: {result.open})\n"
            + difference(now, result.data, "expected_now")
            + "\nIf the change is meant:"
            f" python -m tests.corpus.manage refresh {case.name}"
        )


@each([case for case in FILES if not case.known])
def test_sides_swapped(case: Case) -> None:
    """Swapping the sides leaves the same symbols open."""
    if not case.about.symmetric:
        pytest.skip("the case says that its sides differ")
    result = result_of(case)
    mirrored = result_of(case, case.versions.swapped())
    assert mirrored.clean == result.clean
    assert sorted(mirrored.open) == sorted(result.open)


@each([case for case in FILES if case.about.rules is None])
def test_one_side_unchanged(case: Case) -> None:
    """When one side equals the base the other comes out, byte for byte; equal sides too."""
    base, ours, theirs = case.versions
    for changed in (ours, theirs):
        if base is None or changed is None:
            continue
        three: tuple[ThreeWay[bytes | None], ...] = (
            ThreeWay(base=base, ours=changed, theirs=base),
            ThreeWay(base=base, ours=base, theirs=changed),
            ThreeWay(base=base, ours=changed, theirs=changed),
        )
        for versions in three:
            result = result_of(case, versions)
            assert result.clean
            assert result.data == changed


@each(HISTORIES)
def test_history_case_is_well_formed(case: Case, tmp_path: Path) -> None:
    """Its commits build, git contests the paths that it says, and what it expects exists."""
    built = build_history(case.about)
    assert build_repository(tmp_path / "r", built.commits, branches=built.branches) == built.ids
    done = git(
        tmp_path / "r",
        "merge-tree",
        "--write-tree",
        "--name-only",
        "-z",
        "dev",
        "main",
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    _, *rest = done.stdout.split(b"\0\0")[0].split(b"\0")
    contested = sorted(name.decode() for name in rest if name) if done.returncode else []
    assert contested == sorted(case.about.contested)
    assert set(contested) <= set(case.about.expected)
    for path, wanted in case.about.expected.items():
        if not wanted.open:
            text = expected_text(built, path, wanted)
            if text is not None and path.endswith(".py"):
                assert tree_of(text) is not None
    names = set(built.trees)
    for verdict in case.about.verdicts:
        assert set(verdict.commits) <= names
        assert any(verdict.path in tree for tree in built.trees.values())
    if case.about.outcome == "conflict":
        assert any(wanted.open for wanted in case.about.expected.values())


@each(TREES)
def test_tree_case_is_well_formed(case: Case) -> None:
    """All four trees are there, and Python files of the right one parse."""
    for stem in (*VERSIONS, case.ideal_stem):
        assert case.tree(stem), f"{case.name} has no folder {stem}"
    for path, data in (case.tree(case.ideal_stem) or {}).items():
        if path.endswith(".py"):
            assert tree_of(data) is not None, path


def _merged(case: Case, folder: Path) -> tuple[Judgement, TreeResult, Ideal]:
    if case.about.pending:
        pytest.skip(f"pending: {case.about.pending}")
    built = build_case(case, folder)
    ideal = ideal_of(case, built)
    result = run_tree(case, folder, list(ideal))
    return judge_tree(result, ideal, moves=case.form == "tree"), result, ideal


@each([case for case in HISTORIES + TREES if not case.known])
def test_merge_case(case: Case, tmp_path: Path) -> None:
    """A whole merge, with the commits of both sides, gives exactly the right result."""
    verdict, result, ideal = _merged(case, tmp_path / "r")
    if verdict != "right":
        parts = [
            difference(data, result.files.get(path), f"expected {path}")
            for path, (data, _) in ideal.items()
        ]
        pytest.fail(
            f"{case.name}: {verdict}; open: {result.open}; {result.reasons}\n"
            + "\n".join(parts)
            + f"\nTo record it: python -m tests.corpus.manage demote {case.name}"
        )


@each([case for case in HISTORIES if case.about.verdicts])
def test_verdicts_of_history(case: Case, tmp_path: Path) -> None:
    """History says who is ahead, on evidence of the class asked for, and names the commits."""
    if case.about.pending:
        pytest.skip(f"pending: {case.about.pending}")
    built = build_case(case, tmp_path / "r")
    assert built is not None
    names = {oid: name for name, oid in built.ids.items()}
    repository = Repository.open(tmp_path / "r")
    with plan_merge(repository, "dev", "main") as plan:
        conflicts = {conflict.path: conflict for conflict in plan.merge.conflicts}
        history = default_sources(repository, plan.merge.source, plan.merge.conflicts).verdicts
        assert history is not None
        for wanted in case.about.verdicts:
            symbol = wanted.symbol
            texts = conflicts[wanted.path].texts.map(
                lambda data, symbol=symbol: data and symbol_text(data, symbol)  # type: ignore[misc]
            )
            got = history.verdict(
                Question(path=wanted.path, symbol=symbol, kind="both-changed", versions=texts)
            )
            assert got.standing == wanted.verdict, got.reason
            if wanted.evidence is not None:
                assert got.evidence is not None
                assert got.evidence.at_least(wanted.evidence), got.reason
            twins = [oid for twin in got.twins for oid in (*twin.ours, *twin.theirs)]
            named = {names[oid] for oid in (*got.commits, *got.follow_ups, *twins)}
            assert set(wanted.commits) <= named, got.reason


@each([case for case in HISTORIES + TREES if case.known])
def test_known_merge_failure(case: Case, tmp_path: Path) -> None:
    """A known failure of a whole merge comes out as recorded; a good one is promoted."""
    verdict, result, _ = _merged(case, tmp_path / "r")
    if verdict == "right":
        pytest.fail(
            f"{case.name} works now. Promote it: python -m tests.corpus.manage promote {case.name}"
            f"\n(git mv corpus/known_failures/{case.name} corpus/{case.name}; git rm -r its"
            " expected_now; git mv expected_ideal, if any, to expected; drop `now` from case.yaml)"
        )
    now = case.tree("expected_now") or {}
    got = {path: data for path, data in result.files.items() if data is not None}
    if verdict != case.about.now or got != now:
        parts = [
            difference(now.get(path), got.get(path), f"expected_now {path}")
            for path in sorted({*now, *got})
        ]
        pytest.fail(
            f"{case.name} fails in another way than recorded: {case.about.now} then, {verdict} now"
            f"; open: {result.open}\n"
            + "\n".join(parts)
            + f"\nIf the change is meant: python -m tests.corpus.manage refresh {case.name}"
        )
