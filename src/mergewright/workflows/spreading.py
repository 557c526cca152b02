"""A work taken or left as a whole: what a decision means for the places that merged cleanly.

Both ways are three-way merges of the merged text, through the gates: the change of a commit made again
(a feature of which a part is missing), or taken back (a work that a decision leaves). Where any of that
leaves something open in a path, its text stays as it is and the path is named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mergewright.history.features import put_back
from mergewright.history.groups import HalfTaken
from mergewright.history.merge_history import MergeHistory
from mergewright.history.pieces import holds
from mergewright.history.verdicts import short
from mergewright.model.conflict import MODE_REGULAR, Conflict
from mergewright.model.plan import PathPlan
from mergewright.model.resolution import (
    Decision,
    Evidence,
    EvidenceKind,
    Outcome,
    PathOutcome,
    Resolved,
)
from mergewright.model.threeway import Side, ThreeWay
from mergewright.workflows.texts import merge_texts

#: Gives the text of a path in the merge; ``None`` where it has none.
Text = Callable[[str], bytes | None]


@dataclass(kw_only=True)
class Spread:
    """What a decision changes at places that merged cleanly.

    Attributes:
        texts: Path to its new text; ``None`` where the file goes away.
        commits: Path to the commits whose change was made again or taken back.
        left: Paths at which that is a person's task, each with the reason.
    """

    texts: dict[str, bytes | None] = field(default_factory=dict)
    commits: dict[str, dict[str, None]] = field(default_factory=dict)
    left: dict[str, str] = field(default_factory=dict)

    def plans(
        self,
        strategy: str,
        side: Side,
        modes: Mapping[str, int],
        conflicts: Mapping[str, Conflict | None],
    ) -> tuple[PathPlan, ...]:
        """The changes as plans of paths.

        Args:
            strategy: ``take-ours``, ``take-theirs`` or ``whole-feature``.
            side: The side whose work stands.
            modes: Git's file modes by path.
            conflicts: The conflicts of the paths that are settled in the same plan.
        """
        return tuple(
            PathPlan(
                conflict=conflicts.get(path),
                outcome=Resolved(
                    path=path,
                    data=text,
                    mode=modes.get(path, MODE_REGULAR),
                    strategy=strategy,
                    decisions=(
                        Decision(
                            symbol="",
                            outcome=Outcome.RESOLVED,
                            strategy=strategy,
                            side=side,
                            reason="It belongs to a work that was decided as a whole.",
                            evidence=(
                                Evidence(
                                    kind=EvidenceKind.COMMIT,
                                    text="The change of "
                                    + ", ".join(map(short, self.commits[path])),
                                    commits=tuple(self.commits[path]),
                                ),
                            ),
                        ),
                    ),
                ),
            )
            for path, text in self.texts.items()
        )


def take_back(
    history: MergeHistory, commits: Sequence[str], paths: Iterable[str], text: Text
) -> Spread:
    """The clean paths of a work without that work.

    Args:
        history: The history of the merge.
        commits: Full ids of the work's commits, in any order.
        paths: The paths that merged cleanly.
        text: Gives the merged text of a path.
    """
    order = {oid: n for n, oid in enumerate(history.commits)}
    newest_first = sorted(commits, key=order.__getitem__, reverse=True)
    return _change(history, newest_first, paths, text, back=True)


def make_whole(history: MergeHistory, work: HalfTaken, text: Text) -> Spread:
    """The paths in which a half-taken feature misses something, with what is missing.

    First the missing definitions, as their side has them now; then the rest of what the commit did (an
    import, a selection inside a function).

    Args:
        history: The history of the merge.
        work: The feature.
        text: Gives the merged text of a path.
    """
    facts = history.facts
    tip = facts.side(work.side).tip
    texts: dict[str, bytes] = {}
    left: dict[str, str] = {}
    for path in dict.fromkeys(part.path for part in work.missing):
        blob, merged = facts.blob_at(tip, path), text(path)
        if blob is None or merged is None:
            continue
        whole = facts.read(blob)
        lacking = whole
        for part in work.missing:
            if part.path == path:
                lacking = put_back(lacking, b"", part.symbol)
        outcome = merge_texts(ThreeWay(base=lacking, ours=merged, theirs=whole), path=path)
        if isinstance(outcome, Resolved) and outcome.data is not None:
            texts[path] = outcome.data
        else:
            left[path] = _why(outcome)

    def with_parts(path: str) -> bytes | None:
        return texts.get(path, text(path))

    changed = [change.path for change in history.commits[work.commit].changes]
    paths = [path for path in changed if path not in left]
    spread = _change(history, [work.commit], paths, with_parts, back=False)
    spread.left.update(left)
    for path, data in texts.items():
        if path not in spread.left:
            spread.texts.setdefault(path, data)
            spread.commits.setdefault(path, {})[work.commit] = None
    return spread


def _why(outcome: PathOutcome) -> str:
    return getattr(outcome, "reason", "") or "it cannot be merged"


def _change(
    history: MergeHistory,
    commits: Sequence[str],
    paths: Iterable[str],
    text: Text,
    *,
    back: bool,
) -> Spread:
    found = Spread()
    read = history.facts.read
    for path in paths:
        merged = now = text(path)
        used: dict[str, None] = {}
        for oid in commits:
            change = next((c for c in history.commits[oid].changes if c.path == path), None)
            if change is None:
                continue
            before, after = (
                None if blob is None else read(blob) for blob in (change.old_oid, change.new_oid)
            )
            old, new = (after, before) if back else (before, after)
            if now == new or (not back and holds(now, old, new)):
                continue
            if now == old:
                now = new
                used[oid] = None
                continue
            outcome = merge_texts(ThreeWay(base=old, ours=now, theirs=new), path=path)
            if not isinstance(outcome, Resolved):
                found.left[path] = _why(outcome)
                break
            if outcome.data != now:
                now = outcome.data
                used[oid] = None
        if now != merged and used and path not in found.left:
            found.texts[path] = now
            found.commits[path] = used
    return found
