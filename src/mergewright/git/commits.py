"""Commits of a range as values, with the paths that each changed; renames followed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

import pygit2
from pygit2.enums import DeltaStatus, SortMode

from mergewright.git.process import git_version, run_git
from mergewright.git.repository import Repository
from mergewright.git.scratch import Scratch
from mergewright.model.errors import RepositoryError
from mergewright.model.history import CommitFacts, PathChange

# The message comes last and ends with the commit's own id, which no message can hold.
_FORMAT = "%x01%H%x1f%P%x1f%an%x1f%ae%x1f%at%x1f%ct%x1f%B%x02%H%x02"
#: First version that can show merges against their first parent without walking it alone.
_FIRST_PARENT_DIFFS = (2, 31)


def walk(
    repository: Repository,
    tips: Sequence[str],
    *,
    hide: Sequence[str] = (),
    changes: bool = True,
    paths: Sequence[str] = (),
    first_parent: bool = False,
    limit: int | None = None,
) -> tuple[CommitFacts, ...]:
    """The commits that tips reach and hidden ones do not, children before parents.

    Args:
        repository: Where the commits are.
        tips: Full ids to start from.
        hide: Full ids whose whole history is left out (the merge base).
        changes: Whether to look up the changed paths, with renames; costs most of the time.
        paths: Only commits that changed one of these files or folders; empty for all. Paths are
            taken as they are, renames are not followed (see :func:`file_history`).
        first_parent: Follow only first parents.
        limit: Stop after so many commits.

    Raises:
        RepositoryError: A commit or tree is not there.
    """
    version = git_version()
    if not tips:
        return ()
    if version is None or version < _FIRST_PARENT_DIFFS:
        return tuple(
            _walk_with_libgit2(
                repository,
                tips,
                hide=hide,
                changes=changes,
                paths=paths,
                first_parent=first_parent,
                limit=limit,
            )
        )
    output = _log(
        repository,
        tips,
        hide=hide,
        changes=changes,
        paths=paths,
        first_parent=first_parent,
        limit=None if paths else limit,
    )
    found = _parse_log(output)
    if paths:
        # Git also gives merges that differ from another parent than the first.
        found = (facts for facts in found if _names_any(facts, paths))
        if not changes:
            found = (replace(facts, changes=()) for facts in found)
        if limit is not None:
            found = islice(found, limit)
    return tuple(found)


def _log(
    repository: Repository,
    tips: Sequence[str],
    *,
    hide: Sequence[str],
    changes: bool,
    paths: Sequence[str] = (),
    first_parent: bool = False,
    limit: int | None = None,
) -> bytes:
    arguments = ["log", "-z", "--topo-order", "--encoding=UTF-8", f"--format=format:{_FORMAT}"]
    if changes or paths:
        # The limit is on the number of possible pairs of one commit; beyond it only exact renames.
        arguments += [
            "--raw",
            "--no-abbrev",
            "-M",
            "-l1000",
            "--diff-merges=first-parent",
            "--root",
        ]
    else:
        arguments.append("--no-patch")
    if first_parent:
        arguments.append("--first-parent")
    if limit is not None:
        arguments.append(f"--max-count={limit}")
    if paths:
        # All commits, also those of a side whose work a merge threw away; and each one whole.
        arguments += ["--full-history", "--full-diff"]
    # Through standard input: a merge can ask for more paths than a command line holds. Lines end
    # at line feeds there, so that the rare path with one goes the other way.
    lines = [*map(str.encode, tips), *(b"^" + oid.encode() for oid in hide), b"--"]
    raw = [os.fsencode(path) for path in paths]
    lines += [path for path in raw if b"\n" not in path]
    with Scratch(repository.objects_dir, shallow=repository.common_dir / "shallow") as scratch:
        done = run_git(
            [
                "--literal-pathspecs",
                *arguments,
                "--stdin",
                "--",
                *(path for path in raw if b"\n" in path),
            ],
            cwd=scratch.git_dir,
            name="log",
            data=b"\n".join([*lines, b""]),
            extra=scratch.environment,
        )
    return done.stdout


@dataclass(slots=True)
class _Record:
    """One commit of a log, its changes not yet parsed."""

    facts: CommitFacts
    output: bytes = field(repr=False)
    start: int
    end: int
    parsed: bool = False

    def touches(self, names: set[bytes]) -> bool:
        return not names.isdisjoint(self.output[self.start : self.end].split(b"\0"))

    def whole(self) -> CommitFacts:
        if self.parsed:
            return self.facts
        changes, _ = _parse_raw(self.output, self.start)
        return replace(self.facts, changes=changes)

    def parse(self) -> None:
        self.facts, self.parsed = self.whole(), True


def walk_touching(
    repository: Repository,
    tips: Sequence[str],
    *,
    hide: Sequence[str] = (),
    names: set[str],
    more: Callable[[Sequence[Sequence[CommitFacts]]], Iterable[str]] | None = None,
) -> tuple[tuple[CommitFacts, ...], ...]:
    """All commits that each tip reaches and hidden ones do not, children before parents, by one walk each.

    Those that changed one of the named files against their first parent carry all their changes, with
    renames; the others carry none.

    Args:
        repository: Where the commits are.
        tips: Full ids to start from, each by itself.
        hide: Full ids whose whole history is left out (the merge base).
        names: The files; earlier names of them are added as any of the walks finds renames.
        more: Gives further files, which are added too, from the commits of each walk with all changes.

    Raises:
        RepositoryError: A commit or tree is not there.
    """
    version = git_version()
    if version is None or version < _FIRST_PARENT_DIFFS:
        walks = [walk(repository, [tip], hide=hide) for tip in tips]
        names.update(() if more is None else more(walks))
        while any(_earlier_names(found, names) for found in walks):
            pass
        return tuple(
            tuple(
                facts
                if any(name in names for change in facts.changes for name in _both_names(change))
                else replace(facts, changes=())
                for facts in found
            )
            for found in walks
        )
    logs = [list(_records(_log(repository, [tip], hide=hide, changes=True))) for tip in tips]
    if more is not None:
        names.update(more([[record.whole() for record in log] for log in logs]))
    records = [record for log in logs for record in log]
    asked: set[str] = set()
    while names - asked:
        new = {os.fsencode(name) for name in names - asked}
        asked |= names
        for record in records:
            if not record.parsed and record.touches(new):
                record.parse()
        _earlier_names((record.facts for record in records if record.parsed), names)
    return tuple(tuple(record.facts for record in log) for log in logs)


def _both_names(change: PathChange) -> tuple[str, ...]:
    return (change.path,) if change.old_path is None else (change.path, change.old_path)


def _earlier_names(commits: Iterable[CommitFacts], names: set[str]) -> bool:
    """Add the earlier names of files; whether there were any."""
    before = len(names)
    for facts in commits:
        for change in facts.changes:
            if change.old_path is not None and change.path in names:
                names.add(change.old_path)
    return len(names) != before


def _records(output: bytes) -> Iterator[_Record]:
    position = 0
    while position < len(output):
        fields, first = _header(output, position)
        # A path may begin as a record does. After entries two NULs stand, the end of the last path and
        # the end of the record, and nowhere else: no path and no status is empty.
        if output.startswith(b"\0", first):
            position = first + 1
        else:
            position = output.find(b"\0\0", first)
            position = len(output) if position < 0 else position + 2
        yield _Record(_facts(fields, ()), output, first, position)


def _header(output: bytes, position: int) -> tuple[list[bytes], int]:
    """The fields of the record that begins at a position, and where its raw entries begin."""
    start = output.index(b"\x01", position) + 1
    mark = b"\x02" + output[start : output.index(b"\x1f", start)] + b"\x02"
    end = output.index(mark, start)
    return output[start:end].split(b"\x1f", 6), end + len(mark)


def _names_any(facts: CommitFacts, paths: Sequence[str]) -> bool:
    prefixes = [path.rstrip("/") for path in paths]
    return any(
        name == prefix or name.startswith(prefix + "/")
        for change in facts.changes
        for name in (change.path, change.old_path)
        if name is not None
        for prefix in prefixes
    )


def _parse_log(output: bytes) -> Iterator[CommitFacts]:
    # A record: \x01 header [NUL raw entries …]; records are parted by NUL or a line feed.
    position = 0
    while position < len(output):
        fields, first = _header(output, position)
        changes, position = _parse_raw(output, first)
        yield _facts(fields, changes)


def _parse_raw(output: bytes, position: int) -> tuple[tuple[PathChange, ...], int]:
    found = []
    while position < len(output) and output[position] in b"\0\n":
        position += 1
    while position < len(output) and output[position : position + 1] == b":":
        end = output.index(b"\0", position)
        _, _, old, new, status = output[position + 1 : end].split(b" ")
        position = end + 1
        end = output.index(b"\0", position)
        path = output[position:end]
        position = end + 1
        origin = None
        if status[:1] in b"RC":
            origin = path
            end = output.index(b"\0", position)
            path = output[position:end]
            position = end + 1
        found.append(
            PathChange(
                path=os.fsdecode(path),
                old_path=None if origin is None else os.fsdecode(origin),
                old_oid=_oid(old.decode("ascii")),
                new_oid=_oid(new.decode("ascii")),
            )
        )
    while position < len(output) and output[position] in b"\0\n":
        position += 1
    return tuple(found), position


def _oid(text: str) -> str | None:
    return text if text.strip("0") else None


def _facts(fields: Sequence[bytes], changes: tuple[PathChange, ...]) -> CommitFacts:
    oid, parents, author, email, time, committed, message = fields
    title, body = _split_message(message.decode("utf-8", "replace"))
    return CommitFacts(
        oid=oid.decode("ascii"),
        parents=tuple(parents.decode("ascii").split()),
        author=author.decode("utf-8", "replace"),
        email=email.decode("utf-8", "replace"),
        time=int(time or b"0"),
        committed=int(committed or b"0"),
        title=title,
        body=body,
        changes=changes,
    )


def _split_message(message: str) -> tuple[str, str]:
    title, _, body = message.strip("\n").partition("\n")
    return title.strip(), body.strip("\n")


def _walk_with_libgit2(
    repository: Repository,
    tips: Sequence[str],
    *,
    hide: Sequence[str],
    changes: bool,
    paths: Sequence[str],
    first_parent: bool,
    limit: int | None,
) -> Iterator[CommitFacts]:
    handle = repository.handle
    try:
        walker = handle.walk(pygit2.Oid(hex=tips[0]), SortMode.TOPOLOGICAL | SortMode.TIME)
        for tip in tips[1:]:
            walker.push(pygit2.Oid(hex=tip))
        for oid in hide:
            walker.hide(pygit2.Oid(hex=oid))
        if first_parent:
            walker.simplify_first_parent()
        count = 0
        for commit in walker:
            if limit is not None and count >= limit:
                return
            if paths and not _touches(repository, commit, paths):
                continue
            count += 1
            yield _commit_facts(
                commit, tuple(_changes_with_libgit2(handle, commit)) if changes else ()
            )
    except (KeyError, ValueError, pygit2.GitError) as error:
        raise RepositoryError(
            f"the history cannot be walked: {error}",
            hint="History may be missing: git fetch --unshallow.",
        ) from error


def _commit_facts(commit: pygit2.Commit, changes: tuple[PathChange, ...]) -> CommitFacts:
    title, body = _split_message(commit.raw_message.decode("utf-8", "replace"))
    author = commit.author
    return CommitFacts(
        oid=str(commit.id),
        parents=tuple(str(parent) for parent in commit.parent_ids),
        author=author.raw_name.decode("utf-8", "replace"),
        email=author.raw_email.decode("utf-8", "replace"),
        time=author.time,
        committed=commit.commit_time,
        title=title,
        body=body,
        changes=changes,
    )


def _touches(repository: Repository, commit: pygit2.Commit, paths: Sequence[str]) -> bool:
    prefixes = tuple(path.rstrip("/") for path in paths)
    parent = str(commit.parent_ids[0]) if commit.parent_ids else None
    return any(
        change.path == prefix or change.path.startswith(prefix + "/")
        for change in repository.objects.changes(parent, str(commit.id))
        for prefix in prefixes
    )


def _changes_with_libgit2(handle: pygit2.Repository, commit: pygit2.Commit) -> Iterator[PathChange]:
    if commit.parent_ids:
        parent = handle[commit.parent_ids[0]].peel(pygit2.Commit)
        diff = parent.tree.diff_to_tree(commit.tree)
    else:
        diff = commit.tree.diff_to_tree(swap=True)
    diff.find_similar()
    for delta in diff.deltas:
        old, new = str(delta.old_file.id), str(delta.new_file.id)
        renamed = delta.status in (DeltaStatus.RENAMED, DeltaStatus.COPIED)
        gone = delta.status == DeltaStatus.DELETED
        yield PathChange(
            path=os.fsdecode((delta.old_file if gone else delta.new_file).raw_path),
            old_path=os.fsdecode(delta.old_file.raw_path) if renamed else None,
            old_oid=_oid(old),
            new_oid=_oid(new),
        )


def file_history(
    commits: Iterable[CommitFacts], tip: str, path: str
) -> tuple[tuple[CommitFacts, PathChange], ...]:
    """The commits that changed a file, newest first, through its renames.

    Args:
        commits: The commits of a range with their changes, children before parents, as
            :func:`walk` gives them.
        tip: Full id of the commit at which the file has the name ``path``.
        path: The file.

    Returns:
        Each commit with what it did to the file; merges count against their first parent.
    """
    found = []
    # The names that the file has at each commit, handed down from children to parents.
    names: dict[str, set[str]] = {tip: {path}}
    for commit in commits:
        wanted = names.pop(commit.oid, None)
        if not wanted:
            continue
        before = set(wanted)
        for change in commit.changes:
            if change.path not in wanted:
                continue
            found.append((commit, change))
            before.discard(change.path)
            if change.old_oid is not None:
                before.add(change.old_path or change.path)
        for number, parent in enumerate(commit.parents):
            # Only the first parent was compared; in the others the file has the name of the merge.
            names.setdefault(parent, set()).update(wanted if number else before)
    return tuple(found)
