"""Joins git to the audit: which trees, their blobs as values, the report."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from mergewright.audit.analysers import DiagnosticCache, Pyrefly, Ruff, extra_analyser
from mergewright.audit.blame import Change, History
from mergewright.audit.decisions import DEFAULT_NAME, read_decisions
from mergewright.audit.policy import Policy
from mergewright.audit.run import AuditOptions, audit_trees
from mergewright.audit.values import EMPTY_TREE, AuditReport, Tree, Trees
from mergewright.git.commits import walk
from mergewright.git.process import run_git
from mergewright.git.repository import Repository
from mergewright.model.conflict import MODE_REGULAR, MODE_SUBMODULE, MODE_SYMLINK, blob_id
from mergewright.model.errors import UsageError
from mergewright.model.threeway import Side
from mergewright.rules import RULE_FILE_NAME
from mergewright.workflows.fixing import Fixes, make_fixes, select, write_fixes


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is audited, as ids and names.

    Attributes:
        base: Tree-ish of the merge base; ``None`` when there is none.
        ours: Tree-ish of the branch merged into.
        theirs: Tree-ish of the branch that was merged.
        merged: Tree-ish of the result; ``None`` for the worktree's files.
        remarks: What a reader should know of the choice.
        history: Whether ours and theirs are commits whose history can be asked.
    """

    base: str | None
    ours: str
    theirs: str
    merged: str | None
    remarks: tuple[str, ...] = ()
    history: bool = True


class Reader:
    """Trees and path histories of a repository, as values for the audit.

    Args:
        folder: The repository: a worktree, a folder in one, or a bare repository.
    """

    def __init__(self, folder: Path) -> None:
        self.repository = Repository.open(folder)
        self._blobs: dict[str, bytes] = {}
        self._walks: dict[tuple[str, str | None], dict[str, list[Change]]] = {}

    def git(self, *arguments: str) -> str:
        """Output of a question to git; empty when the answer is no."""
        done = run_git(arguments, cwd=self.repository.git_dir, statuses=(0, 1, 128))
        return os.fsdecode(done.stdout).strip() if done.returncode == 0 else ""

    def blob(self, oid: str) -> bytes:
        """Bytes of a blob, kept for later: the four trees share most of theirs."""
        kept = self._blobs.get(oid)
        if kept is None:
            kept = self._blobs[oid] = self.repository.objects.blob(oid)
        return kept

    def tree(self, treeish: str) -> Tree:
        """A tree as a value; blobs are read when asked for."""
        files: dict[str, str] = {}
        others: dict[str, str] = {}
        modes: dict[str, int] = {}
        for path, entry in self.repository.objects.entries(treeish).items():
            _put(path, entry.mode, entry.oid, files, others, modes)
        return Tree(files=files, read=self.blob, others=others, modes=modes)

    def worktree(self) -> Tree:
        """The tracked files as they stand in the worktree.

        Raises:
            RepositoryError: There is no worktree.
        """
        root = self.repository.require_worktree()
        files: dict[str, str] = {}
        others: dict[str, str] = {}
        modes: dict[str, int] = {}
        extra: dict[str, bytes] = {}
        tracked = {e.path: (e.mode, e.oid) for e in self.repository.index_entries().values()}
        for stage in self.repository.stages():
            tracked.setdefault(stage.path, (stage.mode, stage.oid))
        for path, (mode, oid) in tracked.items():
            if mode in (MODE_SYMLINK, MODE_SUBMODULE):
                others[path] = f"{mode:o}:{oid}"
                continue
            on_disk = root / path
            try:
                if on_disk.is_symlink() or not on_disk.is_file():
                    continue
                data = on_disk.read_bytes()
            except OSError:
                continue
            if b"\r\n" in data and blob_id(data) != oid:
                # A checkout that turns line ends is no change.
                plain = data.replace(b"\r\n", b"\n")
                if blob_id(plain) == oid:
                    data = plain
            key = blob_id(data)
            extra[key] = data
            _put(path, mode, key, files, others, modes)

        def read(oid: str) -> bytes:
            found = extra.get(oid)
            return self.blob(oid) if found is None else found

        return Tree(files=files, read=read, others=others, modes=modes)

    def history(
        self, tip: str, hide: str | None, paths: Sequence[str]
    ) -> Mapping[str, Sequence[Change]]:
        """What the commits of one side did to some paths, oldest first.

        Args:
            tip: Full id of the side.
            hide: Full id of the merge base; its history is left out.
            paths: The paths; renames are not followed.
        """
        known = self._walks.setdefault((tip, hide), {})
        missing = [path for path in paths if path not in known]
        if missing:
            for path in missing:
                known[path] = []
            wanted = set(missing)
            commits = walk(self.repository, [tip], hide=[hide] if hide else [], paths=missing)
            for commit in reversed(commits):
                if len(commit.parents) > 1:
                    # A merge of this side repeats what its commits did.
                    continue
                for change in commit.changes:
                    if change.path in wanted:
                        known[change.path].append(
                            Change(
                                commit.oid,
                                commit.title,
                                None if change.old_oid is None else change.old_oid,
                                change.new_oid,
                            )
                        )
        return {path: known[path] for path in paths}


def _put(
    path: str,
    mode: int,
    oid: str,
    files: dict[str, str],
    others: dict[str, str],
    modes: dict[str, int],
) -> None:
    if mode in (MODE_SYMLINK, MODE_SUBMODULE):
        others[path] = f"{mode:o}:{oid}"
        return
    files[path] = oid
    if mode != MODE_REGULAR:
        modes[path] = mode


def choose_target(
    reader: Reader,
    merge: str | None,
    *,
    trees: tuple[str, str, str] | None = None,
    base: str | None = None,
) -> Target:
    """What to audit.

    Args:
        reader: The repository.
        merge: A merge commit, or a later commit on top of one; ``None`` for the merge in progress
            or the newest merge at HEAD.
        trees: Ours, theirs and merged as revisions, instead of a merge commit.
        base: Overrides the merge base.

    Raises:
        RepositoryError: There is no such commit.
        UsageError: There is no merge to be found.
    """
    repository = reader.repository
    remarks: tuple[str, ...] = ()
    merged: str | None
    if trees is not None:
        ours, theirs, merged = (_full_id(reader, name) for name in trees)
        commits = [reader.git("rev-parse", "-q", "--verify", f"{i}^{{commit}}") for i in trees[:2]]
        if base is None and all(commits):
            base, remarks = _merge_base(repository, commits[0], commits[1])
        elif base is not None:
            base = _full_id(reader, base)
        else:
            remarks = ("trees without history and no --base: nothing counts as old",)
        return Target(
            base=base,
            ours=ours,
            theirs=theirs,
            merged=merged,
            remarks=remarks,
            history=all(commits),
        )
    head = repository.resolve(merge or "HEAD")
    other = "" if merge is not None else reader.git("rev-parse", "-q", "--verify", "MERGE_HEAD")
    if other:
        ours, theirs, merged = head, other, None
    else:
        merged = head
        found = reader.git("rev-list", "--first-parent", "--min-parents=2", "-n", "1", head)
        if not found:
            raise UsageError(
                f"{head[:12]} is no merge and has none below it",
                hint="name a merge commit, or use --trees OURS THEIRS MERGED",
            )
        _, *parents = reader.git("rev-list", "--parents", "-n", "1", found).split()
        ours, theirs = parents[0], parents[1]
        if found != head:
            remarks += (f"{head[:12]} is compared with the parents of merge {found[:12]}",)
        if len(parents) > 2:
            remarks += (f"{found[:12]} has {len(parents)} parents; the first two are compared",)
    if base is None:
        base, more = _merge_base(repository, ours, theirs)
        remarks += more
    else:
        base = _full_id(reader, base)
    return Target(base=base, ours=ours, theirs=theirs, merged=merged, remarks=remarks)


def _full_id(reader: Reader, name: str) -> str:
    found = reader.git("rev-parse", "-q", "--verify", "--end-of-options", f"{name}^{{commit}}")
    found = found or reader.git(
        "rev-parse", "-q", "--verify", "--end-of-options", f"{name}^{{tree}}"
    )
    if not found:
        raise UsageError(f"{name!r} names no commit or tree")
    return found.splitlines()[-1]


def _merge_base(
    repository: Repository, ours: str, theirs: str
) -> tuple[str | None, tuple[str, ...]]:
    found = repository.merge_bases(ours, theirs)
    if not found:
        return None, ("the histories are unrelated: nothing counts as old",)
    if len(found) > 1:
        return found[0], (f"there are {len(found)} merge bases; {found[0][:12]} is used",)
    return found[0], ()


def read_trees(reader: Reader, target: Target) -> Trees:
    """The four trees of a target."""
    return Trees(
        base=reader.tree(target.base) if target.base is not None else EMPTY_TREE,
        ours=reader.tree(target.ours),
        theirs=reader.tree(target.theirs),
        merged=reader.tree(target.merged) if target.merged is not None else reader.worktree(),
    )


def cache_folder() -> Path | None:
    """Where diagnostics are kept between runs; ``None`` when switched off by the environment."""
    if os.environ.get("MERGEWRIGHT_NO_CACHE"):
        return None
    root = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(root) / "mergewright" / "audit"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """What to audit and how.

    Attributes:
        folder: The repository.
        merge: See :func:`choose_target`.
        trees: See :func:`choose_target`.
        base: See :func:`choose_target`.
        rules: Rule files or names of shipped packs whose policy is checked.
        decisions: File of decisions; ``None`` for the default one, where it is there.
        extras: Names of further analysers (``ty``, ``vulture``).
        overlay: Files that replace those of the merged tree: a plan before it is written.
        timeout: Seconds for one analyser on one tree.
        cache: Where diagnostics of whole trees are kept; ``None`` keeps nothing.
    """

    folder: Path
    merge: str | None = None
    trees: tuple[str, str, str] | None = None
    base: str | None = None
    rules: Sequence[str | os.PathLike[str]] = ()
    decisions: Path | None = None
    extras: Sequence[str] = ()
    overlay: Mapping[str, bytes | None] = field(default_factory=dict)
    timeout: float = 300.0
    cache: DiagnosticCache | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """A report with what is needed to act on it.

    Attributes:
        report: The report.
        trees: What was audited.
        target: Which trees these are.
        reader: The repository.
    """

    report: AuditReport
    trees: Trees = field(repr=False)
    target: Target
    reader: Reader = field(repr=False)

    def fixes(self, selection: str) -> Fixes:
        """The patches of a selection (see :func:`mergewright.workflows.fixing.select`)."""
        return make_fixes(select(self.report, selection), self.trees)

    def write(self, fixes: Fixes) -> None:
        """Write patches into the worktree.

        Raises:
            RepositoryError: Bare, or the worktree is not at what was audited.
            UsageError: Something else than the worktree's own merge was audited.
        """
        root = self.reader.repository.require_worktree()
        if self.target.merged is not None:
            head = self.reader.repository.resolve("HEAD")
            objects = self.reader.repository.objects
            if objects.tree_id(head) != objects.tree_id(self.target.merged):
                raise UsageError(
                    "repairs are written into the worktree, but another commit was audited",
                    hint="Check that commit out first, or add --dry-run.",
                )
        write_fixes(fixes, root)


def run_audit(request: AuditRequest) -> Audit:
    """Audit a merge of a repository.

    Raises:
        RepositoryError: The repository cannot be read.
        RuleFileError: A rule file cannot be used.
        UsageError: There is no merge to audit, or the decisions file cannot be used.
    """
    reader = Reader(request.folder)
    target = choose_target(reader, request.merge, trees=request.trees, base=request.base)
    four = read_trees(reader, target)
    if request.overlay:
        four = replace(four, merged=four.merged.overlaid(request.overlay))
    return audit_values(request, reader, target, four)


def audit_values(request: AuditRequest, reader: Reader, target: Target, four: Trees) -> Audit:
    """Audit four trees that are values already; see :func:`run_audit`.

    Args:
        request: Rules, decisions, analysers; its merge, trees, base and overlay are not looked at.
        reader: The repository, for the history of both sides.
        target: Which commits the trees are.
        four: The trees.
    """
    labels = {
        "base": target.base or "",
        "ours": target.ours,
        "theirs": target.theirs,
        "merged": target.merged or "worktree",
    }
    cache = request.cache if request.cache is not None else DiagnosticCache(cache_folder())
    options = AuditOptions(
        analysers=(Ruff(), Pyrefly(), *(extra_analyser(name) for name in request.extras)),
        cache=cache,
        timeout=request.timeout,
        decisions=_decisions(request, four),
        policy=_policy(request, reader, four),
        history=_history(reader, target),
    )
    report = audit_trees(four, labels=labels, remarks=target.remarks, options=options)
    return Audit(report=report, trees=four, target=target, reader=reader)


def _history(reader: Reader, target: Target) -> History | None:
    if not target.history:
        return None
    tips = {Side.OURS: target.ours, Side.THEIRS: target.theirs}

    def history(side: Side, paths: Sequence[str]) -> Mapping[str, Sequence[Change]]:
        return reader.history(tips[side], target.base, paths)

    return history


def _policy(request: AuditRequest, reader: Reader, trees: Trees) -> Policy:
    """The policy of the named rule files, or of the one at the root of the worktree."""
    root = reader.repository.workdir
    if not request.rules and (root is None or not os.path.lexists(root / RULE_FILE_NAME)):
        # The shipped default takes no side; loading it takes as long as a small audit.
        return Policy()
    from mergewright.rules.loading import load_rules
    from mergewright.workflows.auditpolicy import policy_of

    rules = [Path(rule) if isinstance(rule, os.PathLike) else rule for rule in request.rules]
    return policy_of(load_rules(rules, root=root), trees)


def _decisions(request: AuditRequest, trees: Trees) -> Mapping[str, str]:
    if request.decisions is not None:
        try:
            data = request.decisions.read_bytes()
        except OSError as error:
            raise UsageError(f"cannot read {request.decisions}: {error.strerror}") from error
        return read_decisions(data, str(request.decisions))
    kept = trees.merged.data(DEFAULT_NAME)
    return {} if kept is None else read_decisions(kept, DEFAULT_NAME)
