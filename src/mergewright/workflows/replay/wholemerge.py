"""Our own tool on a whole merge: rules and, as a rule, history included; nothing written."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from mergewright.git.repository import Repository
from mergewright.model.conflict import Conflict
from mergewright.model.errors import RepositoryError
from mergewright.model.plan import PathPlan
from mergewright.model.resolution import Deferred
from mergewright.model.threeway import ThreeWay
from mergewright.workflows.replay.attempts import LABELS, Answer, answer
from mergewright.workflows.replay.cases import Case
from mergewright.workflows.replay.peers import Attempt
from mergewright.workflows.resolving import InMemoryPlan, Settings, plan_merge
from mergewright.workflows.sources import default_sources, no_sources

#: A landing whose commits or blobs are not in the repository.
MISSING = "missing-objects"


def resolve_merge(
    repository: Path,
    cases: Sequence[Case],
    rules: Sequence[str],
    limit: float,
    *,
    history: bool = True,
) -> list[Answer | str]:
    """What the tool makes of the judged files of one merge.

    Args:
        repository: The git directory.
        cases: Files of one and the same merge.
        rules: Rule files or names of shipped packs.
        limit: Seconds that one file may take.
        history: Whether history and memory are asked.

    Returns:
        In the order of ``cases``: the answer, or why the case cannot be judged.
    """
    first = cases[0]
    wanted = {case.path for case in cases}
    settings = Settings(
        rules=tuple(rules),
        sources=default_sources if history else no_sources,
        budget=limit,
        only=lambda conflict: bool(wanted & _paths(conflict)),
    )
    started = time.perf_counter()
    try:
        planned = plan_merge(
            Repository.open(repository), first.ours, first.theirs, labels=LABELS, settings=settings
        )
    except RepositoryError:
        return [MISSING] * len(cases)
    seconds = time.perf_counter() - started
    with planned:
        return [replace(_answer(planned, case), merge_seconds=seconds) for case in cases]


def _paths(conflict: Conflict) -> set[str]:
    """All paths under which a conflict may be listed."""
    versions = (version.path for version in conflict.versions if version is not None)
    return {conflict.path, *conflict.related, *versions}


def _answer(planned: InMemoryPlan, case: Case) -> Answer:
    entry = _entry(planned.plan.paths, case.path)
    if entry is not None:
        if entry.conflict is None:
            return answer(entry.outcome, ThreeWay(base=None, ours=None, theirs=None))
        found = answer(entry.outcome, entry.conflict.texts)
        if isinstance(entry.outcome, Deferred) and entry.outcome.data is None:
            # Git's own text stays in the worktree; the whole file as one conflict if it has none.
            git = planned.merge.read(entry.outcome.path)
            if git is not None and b"<<<<<<<" in git:
                found = replace(found, attempt=replace(found.attempt, data=git))
        return found
    # No conflict in the whole merge (a rename was followed, say): git's clean result.
    data = planned.merge.read(case.path)
    return Answer(attempt=Attempt(data=data, deleted=data is None), strategy="git-clean")


def _entry(paths: Sequence[PathPlan], path: str) -> PathPlan | None:
    for entry in paths:
        if entry.path == path:
            return entry
    for entry in paths:
        if entry.conflict is not None and path in _paths(entry.conflict):
            return entry
    return None
