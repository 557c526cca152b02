"""Finds the cases of a repository: merge commits of a range, and pull requests that landed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Any

from mergewright.git.commits import walk
from mergewright.git.merging import InMemoryMerge, merge_commits
from mergewright.git.repository import Repository
from mergewright.git.trees import Objects, TreeEntry
from mergewright.model.conflict import (
    MODE_EXECUTABLE,
    MODE_REGULAR,
    Conflict,
    ConflictKind,
    FileVersion,
)
from mergewright.model.errors import MergewrightError, RepositoryError, UsageError
from mergewright.model.history import CommitFacts
from mergewright.model.threeway import ThreeWay
from mergewright.workflows.replay.cases import Case, Collection, case_from_json
from mergewright.workflows.replay.judge import has_markers, parses

#: Part of the key of kept scans: raise it when what a scan finds changes.
SCAN_VERSION = 1

#: Conflicts whose answer is one text under one path.
_JUDGED_KINDS = {
    ConflictKind.BOTH_MODIFIED,
    ConflictKind.BOTH_ADDED,
    ConflictKind.DELETED_BY_OURS,
    ConflictKind.DELETED_BY_THEIRS,
    ConflictKind.RENAMED_BY_OURS,
    ConflictKind.RENAMED_BY_THEIRS,
    ConflictKind.RENAME_DELETE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which merges and paths are wanted.

    Attributes:
        subject: Regular expression that the subject must contain.
        since: First day, ISO 8601; empty for no limit.
        until: Last day, inclusive.
        paths: Patterns of wanted paths (``*`` also matches ``/``).
        branch: Only what landed on this branch itself: its first parents; empty for all.
        minimum: Fewest judged files of a merge.
        last: At most so many merges with a judged file, the newest ones.
        both_changed: Judge every file that both sides changed, conflict or not.
    """

    subject: str = ""
    since: str = ""
    until: str = ""
    paths: tuple[str, ...] = ("*.py", "*.pyi")
    branch: str = ""
    minimum: int = 1
    last: int | None = None
    both_changed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing:
    """What was merged and what was accepted.

    Attributes:
        accepted: The commit that holds the accepted result.
        ours: The branch's tip before.
        theirs: The tip that was merged.
        label: How people call it.
        pull: Whether it was a pull request, not a merge commit.
    """

    accepted: str
    ours: str
    theirs: str
    label: str = ""
    pull: bool = False

    @property
    def where(self) -> str:
        """For the list of exclusions."""
        return f"{self.accepted} {self.label}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """One landing to look into; done in a worker.

    Attributes:
        repository: The git directory.
        name: How the repository is called in cases.
        landing: The landing.
        paths: Patterns of wanted paths.
        both_changed: As in :class:`Filter`.
    """

    repository: str
    name: str
    landing: Landing
    paths: tuple[str, ...]
    both_changed: bool

    @property
    def key(self) -> str:
        """Under which the found things are kept."""
        return json.dumps(
            [
                SCAN_VERSION,
                self.name,
                self.landing.accepted,
                self.landing.ours,
                self.landing.theirs,
                self.landing.label,
                self.landing.pull,
                self.paths,
                self.both_changed,
            ]
        )


@dataclass(slots=True, kw_only=True)
class Found:
    """What one scan gives.

    Attributes:
        cases: The files to judge.
        kind: Why the landing as a whole is left out; empty if it is not.
        files: Files left out: kind and path.
        seen: What it counts as, for the report.
    """

    cases: list[Case] = field(default_factory=list)
    kind: str = ""
    files: list[tuple[str, str]] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """A value for the store."""
        return {
            "cases": [case.as_json() for case in self.cases],
            "kind": self.kind,
            "files": self.files,
            "seen": self.seen,
        }


def found_from_json(value: dict[str, Any]) -> Found:
    """The inverse of :meth:`Found.as_json`."""
    return Found(
        cases=[case_from_json(case) for case in value["cases"]],
        kind=value["kind"],
        files=[(kind, path) for kind, path in value["files"]],
        seen=list(value["seen"]),
    )


# --- finding landings -----------------------------------------------------------------------------


def merge_landings(
    repository: Repository, revisions: str, wanted: Filter, collection: Collection
) -> Iterator[Landing]:
    """Merge commits of a range, newest first; what the filters leave out is counted.

    Args:
        repository: Where the commits are.
        revisions: ``A..B``, or one revision for its whole history.
        wanted: The filters.
        collection: Where exclusions go.
    """
    tip, hidden = _range(repository, revisions)
    commits = walk(repository, [tip], hide=hidden, changes=False)
    own = _first_parents(repository, wanted.branch, hidden)
    reverted = reverted_commits(commits)
    pattern = _pattern(wanted.subject)
    for commit in commits:
        if len(commit.parents) < 2:
            continue
        collection.seen["merge commits"] += 1
        kind = _filtered(commit, wanted, pattern, own)
        if not kind and len(commit.parents) > 2:
            kind = "octopus"
        if not kind and commit.oid in reverted:
            kind = "reverted-later"
        if kind:
            collection.excluded.add(kind, commit.oid)
            continue
        yield Landing(accepted=commit.oid, ours=commit.parents[0], theirs=commit.parents[1])


_NUMBER = re.compile(r"\(#(\d+)\)\s*$")


def pull_landings(
    repository: Repository, revisions: str, wanted: Filter, collection: Collection
) -> Iterator[Landing]:
    """Pull requests that landed as one commit, newest first.

    A commit with one parent whose subject ends in ``(#N)``, where ``refs/pull/N/head`` is there.
    """
    tip, hidden = _range(repository, revisions)
    commits = walk(repository, [tip], hide=hidden, changes=False)
    own = _first_parents(repository, wanted.branch, hidden)
    reverted = reverted_commits(commits)
    pattern = _pattern(wanted.subject)
    for commit in commits:
        number = _NUMBER.search(commit.title)
        if number is None or len(commit.parents) != 1:
            continue
        collection.seen["pull requests landed as one commit"] += 1
        label = f"#{number[1]}"
        kind = _filtered(commit, wanted, pattern, own)
        if not kind and commit.oid in reverted:
            kind = "reverted-later"
        head = ""
        if not kind:
            try:
                head = repository.resolve(f"refs/pull/{number[1]}/head")
            except RepositoryError:
                kind = "head-of-the-pull-request-missing"
        if kind:
            collection.excluded.add(kind, f"{commit.oid} {label}")
            continue
        yield Landing(
            accepted=commit.oid, ours=commit.parents[0], theirs=head, label=label, pull=True
        )


def listed_landings(
    repository: Repository, path: Path, collection: Collection
) -> Iterator[Landing]:
    """Pull requests of a list.

    A line is ``BASE HEAD LANDED [LABEL]``: the branch's tip before (``-`` for the parent of the
    landed commit), the head that was to be merged, the commit that landed (the last one where
    several did), and a name; ``#`` begins a comment.

    Raises:
        UsageError: a line has another form.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"Cannot read the list {path}: {error}") from error
    for number, line in enumerate(lines, start=1):
        words = line.split("#", 1)[0].split() if line.lstrip().startswith("#") else line.split()
        if not words:
            continue
        if len(words) < 3:
            raise UsageError(f"{path}:{number}: BASE HEAD LANDED [LABEL] is wanted")
        base, head, landed = words[:3]
        label = " ".join(words[3:])
        collection.seen["listed pull requests"] += 1
        ids = []
        for kind, revision in (
            ("landed-commit-missing", landed),
            ("base-missing", f"{landed}^1" if base == "-" else base),
            ("head-of-the-pull-request-missing", head),
        ):
            try:
                ids.append(repository.resolve(revision))
            except RepositoryError:
                collection.excluded.add(kind, f"{path.name}:{number} {revision} {label}".strip())
                break
        else:
            yield Landing(accepted=ids[0], ours=ids[1], theirs=ids[2], label=label, pull=True)


def reverted_commits(commits: Sequence[CommitFacts]) -> set[str]:
    """Ids that a later commit of the same walk says it reverts."""
    found: set[str] = set()
    for commit in commits:
        found.update(re.findall(r"This reverts commit ([0-9a-f]{40})", commit.body))
    return found


def _range(repository: Repository, revisions: str) -> tuple[str, list[str]]:
    first, dots, last = revisions.rpartition("..")
    if first.endswith("."):
        raise UsageError(f"{revisions}: a range with two dots is wanted, A..B.")
    tip = repository.resolve(last or "HEAD")
    return tip, [repository.resolve(first)] if dots and first else []


def _pattern(subject: str) -> re.Pattern[str] | None:
    try:
        return re.compile(subject) if subject else None
    except re.error as error:
        raise UsageError(f"--subject {subject!r} is no regular expression: {error}") from error


def _first_parents(
    repository: Repository, branch: str, hidden: Sequence[str]
) -> frozenset[str] | None:
    if not branch:
        return None
    tip = repository.resolve(branch)
    commits = walk(repository, [tip], hide=hidden, changes=False, first_parent=True)
    return frozenset(commit.oid for commit in commits)


def _filtered(
    commit: CommitFacts,
    wanted: Filter,
    pattern: re.Pattern[str] | None,
    own: frozenset[str] | None,
) -> str:
    if own is not None and commit.oid not in own:
        return "not-on-the-branch"
    if pattern is not None and not pattern.search(commit.title):
        return "subject-not-asked-for"
    day = _date(commit.committed)[:10]
    if (wanted.since and day < wanted.since) or (wanted.until and day > wanted.until):
        return "date-not-asked-for"
    return ""


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat()


# --- looking into one landing ---------------------------------------------------------------------


def look_into(scan: Scan) -> Found:
    """What one landing gives: files to judge, or why not.

    Never raises for what the repository holds; a landing that cannot be read is left out as
    ``missing-objects``.
    """
    landing = scan.landing
    try:
        repository = Repository.open(scan.repository)
        objects = Objects(repository.handle)
        accepted = objects.tree_id(landing.accepted)
        sides = objects.tree_id(landing.ours), objects.tree_id(landing.theirs)
        bases = repository.merge_bases(landing.ours, landing.theirs)
        if not bases:
            return Found(kind="no-merge-base")
        if len(bases) > 1:
            return Found(kind="several-merge-bases")
        if landing.theirs == bases[0]:
            return Found(kind="nothing-to-merge")
        if landing.ours == bases[0]:
            return _fast_forward(landing, accepted == sides[1])
        if accepted in sides and not landing.pull:
            return Found(kind="equals-a-parent")
        with merge_commits(repository, landing.ours, landing.theirs) as merge:
            return _contested(scan, repository, merge, bases[0], accepted)
    except RepositoryError as error:
        return Found(kind="missing-objects", files=[("missing-objects", error.message)])
    except MergewrightError as error:
        return Found(kind="cannot-be-merged", files=[("cannot-be-merged", error.message)])


def _fast_forward(landing: Landing, equal: bool) -> Found:  # noqa: FBT001 - private
    if not landing.pull:
        return Found(kind="fast-forward")
    # The branch had not moved on: there was nothing to merge, only to land.
    return Found(
        kind="base-had-not-moved",
        seen=["landed as the head is" if equal else "landed otherwise than the head is"],
    )


def _contested(
    scan: Scan, repository: Repository, merge: InMemoryMerge, base: str, accepted: str
) -> Found:
    landing, objects = scan.landing, merge.objects
    found = Found()
    if landing.pull:
        if not merge.conflicts:
            same = merge.tree == accepted
            found.seen.append(
                "merge cleanly, landed as merged" if same else "merge cleanly, landed otherwise"
            )
        else:
            found.seen.append("merge with conflicts")
    date = _date(repository.commit(landing.accepted).commit_time)

    def case(
        path: str, blobs: tuple[str | None, str | None, str | None], kind: str, *, conflicted: bool
    ) -> None:
        excluded = ""
        entry = objects.entry(accepted, path)
        if not any(fnmatchcase(path, pattern) for pattern in scan.paths):
            excluded = "path-not-asked-for"
        elif entry is None and None not in blobs[1:]:
            excluded = "accepted-tree-has-no-such-path"
        elif entry is not None and entry.mode not in (MODE_REGULAR, MODE_EXECUTABLE):
            excluded = "accepted-is-no-file"
        else:
            excluded = _unfit(objects, path, blobs, entry)
        if excluded:
            found.files.append((excluded, path))
            return
        found.cases.append(
            Case(
                repo=scan.name,
                merge=landing.accepted,
                ours=landing.ours,
                theirs=landing.theirs,
                base=base,
                path=path,
                blobs=blobs,
                accepted_blob=None if entry is None else entry.oid,
                date=date,
                kind=kind,
                label=landing.label,
                conflicted=conflicted,
            )
        )

    contested = set()
    for conflict in merge.conflicts:
        contested.add(conflict.path)
        contested.update(conflict.related)
        if not _judgeable(conflict):
            found.files.append((f"{conflict.kind.value}-conflict", conflict.path))
            continue
        oids = conflict.versions.map(lambda version: None if version is None else version.oid)
        case(
            conflict.path,
            (oids.base, oids.ours, oids.theirs),
            conflict.kind.value,
            conflicted=True,
        )
    if scan.both_changed:
        for path, blobs in changed_by_both(objects, base, landing):
            if path not in contested:
                case(path, blobs, "both-modified", conflicted=False)
    if not found.cases and not found.files:
        found.kind = "nothing-contested"
    elif not found.cases:
        found.kind = "no-file-to-judge"
    return found


def _judgeable(conflict: Conflict) -> bool:
    return conflict.kind in _JUDGED_KINDS and all(
        version is None or version.is_text for version in conflict.versions
    )


def changed_by_both(
    objects: Objects, base: str, landing: Landing
) -> Iterator[tuple[str, tuple[str | None, str | None, str | None]]]:
    """Paths that both sides changed, each in its own way, from their merge base on."""
    before = objects.tree_id(base)
    ours = {
        change.path: change for change in objects.changes(before, objects.tree_id(landing.ours))
    }
    for change in objects.changes(before, objects.tree_id(landing.theirs)):
        mine = ours.get(change.path)
        if mine is None:
            continue
        versions = ThreeWay(base=change.old, ours=mine.new, theirs=change.new)
        if versions.ours is None or versions.theirs is None:
            continue
        if all(
            entry is None or entry.mode in (MODE_REGULAR, MODE_EXECUTABLE) for entry in versions
        ):
            oids = versions.map(lambda entry: None if entry is None else entry.oid)
            if oids.ours != oids.theirs:
                yield change.path, (oids.base, oids.ours, oids.theirs)


def _unfit(
    objects: Objects,
    path: str,
    blobs: tuple[str | None, str | None, str | None],
    accepted: TreeEntry | None,
) -> str:
    if accepted is not None:
        truth = objects.blob(accepted.oid)
        if not _is_text(truth):
            return "binary"
        if has_markers(truth):
            return "accepted-has-markers"
        if not parses(path, truth):
            return "accepted-does-not-parse"
    for oid in blobs:
        if oid is None:
            continue
        data = objects.blob(oid)
        if not _is_text(data):
            return "binary"
        if has_markers(data):
            return "version-has-markers"
        if not parses(path, data):
            return "version-does-not-parse"
    return ""


def _is_text(data: bytes) -> bool:
    return FileVersion(path="", mode=MODE_REGULAR, oid="", data=data).is_text


# --- all of them ----------------------------------------------------------------------------------


def collect(
    landings: Iterator[Landing],
    wanted: Filter,
    repository: str,
    name: str,
    collection: Collection,
    look: Callable[[Sequence[Scan]], Iterator[Found]],
    *,
    batch: int,
) -> None:
    """Look into landings and gather their cases.

    Args:
        landings: Newest first.
        wanted: The filters.
        repository: The git directory.
        name: How the repository is called.
        collection: Where all goes.
        look: Looks into some landings, in order; several at once where it can.
        batch: How many at once.
    """
    taken = 0
    known: set[tuple[str, str | None]] = set()
    while True:
        some = list(islice(landings, batch))
        if not some:
            break
        scans = [
            Scan(
                repository=repository,
                name=name,
                landing=landing,
                paths=wanted.paths,
                both_changed=wanted.both_changed,
            )
            for landing in some
        ]
        for scan, found in zip(scans, look(scans), strict=True):
            where = scan.landing.where
            collection.seen.update(found.seen)
            if wanted.last is not None and taken >= wanted.last:
                collection.excluded.add("older-than-asked-for", where)
                continue
            for kind, path in found.files:
                collection.excluded.add(kind, f"{where} {path}")
            if found.kind:
                collection.excluded.add(found.kind, where)
                continue
            if len(found.cases) < wanted.minimum:
                collection.excluded.add("fewer-files-than-asked-for", where)
                continue
            taken += 1
            for case in found.cases:
                key = (case.question_key, case.accepted_blob)
                if key in known:
                    collection.excluded.add("repeated", f"{where} {case.path}")
                else:
                    known.add(key)
                    collection.cases.append(case)
        if wanted.last is not None and taken >= wanted.last:
            break
    collection.sort()


@dataclass(frozen=True, slots=True)
class Exclusions:
    """What a file says is not to be judged.

    Each line is ``[REPO] MERGE [PATH]``, the merge by 8 or more digits of its id; ``#`` begins a
    comment.
    """

    lines: tuple[tuple[str, ...], ...]

    @classmethod
    def read(cls, path: Path) -> Exclusions:
        """Read a list.

        Raises:
            UsageError: it cannot be read, or a line names no commit.
        """
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"Cannot read the exclusion list {path}: {error}") from error
        lines = []
        for number, line in enumerate(text.splitlines(), start=1):
            words = tuple(line.partition("#")[0].split())
            if not words:
                continue
            if not any(re.fullmatch(r"[0-9a-f]{8,40}", word) for word in words[:2]):
                raise UsageError(f"{path}:{number}: [REPO] MERGE [PATH] is wanted")
            lines.append(words)
        return cls(tuple(lines))

    def holds(self, case: Case) -> bool:
        """Whether a case is on the list."""
        for words in self.lines:
            rest = list(words)
            if not re.fullmatch(r"[0-9a-f]{8,40}", rest[0]) and rest.pop(0) != case.repo:
                continue
            if case.merge.startswith(rest[0]) and (
                len(rest) == 1 or " ".join(rest[1:]) == case.path
            ):
                return True
        return False

    def apply(self, collection: Collection) -> None:
        """Take the listed cases out and count them."""
        kept = []
        for case in collection.cases:
            if self.holds(case):
                collection.excluded.add("on-the-exclusion-list", case.ident)
            else:
                kept.append(case)
        collection.cases = kept
