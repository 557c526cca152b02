"""The verdicts that the golden history cases name."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.corpus.cases import Case, build_history, find

from mergewright.git.merging import merge_commits
from mergewright.git.repository import Repository
from mergewright.testing import build_repository
from mergewright.workflows.history import conflict_paths, open_history

CASES = [case for case in find() if case.form == "history" and case.about.verdicts]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_verdict(case: Case, tmp_path: Path) -> None:
    """Standing as written, evidence at least as strong, and the named commits among the proof."""
    built = build_history(case.about)
    build_repository(tmp_path, built.commits, branches=built.branches, bare=True)
    repository = Repository.open(tmp_path)
    names = {oid: name for name, oid in built.ids.items()}
    with merge_commits(repository, "dev", "main") as merge:
        history = open_history(repository, merge.source, conflict_paths(merge.conflicts))
        for wanted in case.about.verdicts:
            found = history.symbol_verdict(wanted.path, wanted.symbol)
            assert found.standing is wanted.verdict, found.reason
            if wanted.evidence is not None:
                assert found.evidence is not None
                assert found.evidence.at_least(wanted.evidence), found.reason
            assert set(wanted.commits) <= {names[oid] for oid in found.commits}, found.reason
