"""What the audit speaks in: trees, findings and the report; frozen values."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from mergewright.audit.source import CallChange
from mergewright.model.conflict import blob_id
from mergewright.model.threeway import Side


class Tier(StrEnum):
    """How sure a finding is."""

    #: Broken or lost beyond doubt: a parent had it whole, or it cannot run.
    ERROR = "error"
    #: One side's work is missing, or a mismatch the index cannot confirm: someone should look.
    REVIEW = "review"
    #: Advice: harmless in itself, often a trace of something else.
    HINT = "hint"

    @property
    def rank(self) -> int:
        """Errors first."""
        return ("error", "review", "hint").index(self.value)


class Verdict(StrEnum):
    """Why a thing is gone."""

    #: The default: nobody removed it, so the merge did.
    ACCIDENT = "accident"
    #: A named commit of the other side removed it.
    INTENTIONAL = "intentional"
    #: Not a loss (a mismatch, a doubled thing, a policy breach).
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in the merged tree.

    Attributes:
        path: The path of the file.
        line: 1-based line; 0 for the whole file.
        symbol: Dotted path of the enclosing symbol; empty at file level.
        text: The source line, stripped; empty when unknown.
    """

    path: str
    line: int = 0
    symbol: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRef:
    """A commit that a finding rests on.

    Attributes:
        role: ``added``, ``dropped`` or ``removed-by-other-side``.
        commit: Full id.
        summary: First line of its message; data of the repository, shown as such.
    """

    role: str
    commit: str
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repair:
    """A restoring patch.

    Attributes:
        path: The file that it changes.
        before: Text the patch was made for; ``None`` when the file is restored whole.
        after: Text with the repair; ``None`` when the file is to be removed.
        mode: Git's file mode of the result.
        summary: What it does, one sentence.
        more: Patches of further files that belong to it: all or none.
    """

    path: str
    before: bytes | None = field(repr=False)
    after: bytes | None = field(repr=False)
    mode: int = 0o100644
    summary: str = ""
    more: tuple[Repair, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that the merge broke, lost or did against the policy.

    Attributes:
        check: Name of the check (``undefined-name``, ``lost-field`` …).
        tier: How sure it is.
        subject: What it is about, stable under edits elsewhere; part of the id.
        message: What is wrong, one sentence.
        places: Where it shows, first the best one; at least one.
        cause: Likely cause, one sentence; empty when nothing is known.
        had: Which parents had it whole (``ours``, ``theirs``, ``both``) or empty.
        repair: What to do, in words or as a command.
        patch: Restoring patch, where one can be made.
        verdict: Accident or intentional, for losses.
        commits: Commits that it rests on.
        analysers: Which analysers or checks saw it.
        advisory: Why its tier was lowered (an overridden file), or empty.
        decision: What the decisions file says of it, or empty.
        origin: File in which the missing thing was, or the called function stands.
        origin_symbol: Dotted path of that thing in its file.
        renamed: New name of a missing method, or of an argument, where it is proved.
        change: How the arguments of a renamed method go over, where that is known.
        lines: Lines of the parent that a line audit found lost.
        lost: Subjects of lost facts that were folded into it as its cause.
    """

    check: str
    tier: Tier
    subject: str
    message: str
    places: tuple[Place, ...]
    cause: str = ""
    had: str = ""
    repair: str = ""
    patch: Repair | None = None
    verdict: Verdict = Verdict.NONE
    commits: tuple[CommitRef, ...] = ()
    analysers: tuple[str, ...] = ()
    advisory: str = ""
    decision: str = ""
    lost: tuple[str, ...] = ()
    origin: str = ""
    origin_symbol: str = ""
    renamed: str = ""
    change: CallChange | None = None
    lines: tuple[int, ...] = ()

    @property
    def path(self) -> str:
        """The path of the first place."""
        return self.places[0].path

    @property
    def id(self) -> str:
        """Stable id: the check, the subject and the first path; no line, no commit, no count."""
        text = f"{self.check}\0{self.path}\0{self.subject}"
        return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:10]

    def lowered(self, tier: Tier, reason: str) -> Finding:
        """The same finding in a lower tier, with the reason."""
        if tier.rank <= self.tier.rank:
            return self
        return replace(self, tier=tier, advisory=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """One version of the repository's files, as values.

    Attributes:
        files: Path to blob id, for regular files; symlinks and submodules are left out.
        read: Gives the bytes of a blob id; the id determines the bytes.
        others: Path to ``mode:id`` of symlinks and submodules.
        modes: Modes of files that are not plain regular ones.
    """

    files: Mapping[str, str]
    read: Callable[[str], bytes] = field(repr=False)
    others: Mapping[str, str] = field(default_factory=dict)
    modes: Mapping[str, int] = field(default_factory=dict)

    def data(self, path: str) -> bytes | None:
        """The bytes of a path; ``None`` where the tree does not have it."""
        oid = self.files.get(path)
        return None if oid is None else self.read(oid)

    def overlaid(self, changes: Mapping[str, bytes | None]) -> Tree:
        """The tree with some files replaced, added or (``None``) removed."""
        files = dict(self.files)
        extra: dict[str, bytes] = {}
        for path, data in changes.items():
            if data is None:
                files.pop(path, None)
                continue
            oid = blob_id(data)
            extra[oid] = data
            files[path] = oid
        below = self.read

        def read(oid: str) -> bytes:
            found = extra.get(oid)
            return below(oid) if found is None else found

        return Tree(files=files, read=read, others=self.others, modes=self.modes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trees:
    """What is audited: the merged tree against its parents and their base.

    ``base`` is an empty tree where there is none; then nothing counts as old.
    """

    base: Tree
    ours: Tree
    theirs: Tree
    merged: Tree

    def parent(self, side: Side) -> Tree:
        """Base, ours or theirs.

        Raises:
            ValueError: ``side`` names no single version.
        """
        named = {Side.BASE: self.base, Side.OURS: self.ours, Side.THEIRS: self.theirs}
        if side not in named:
            raise ValueError(f"{side.value!r} names no single version")
        return named[side]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """The outcome of one audit.

    Attributes:
        labels: How base, ours, theirs and merged are called (commit ids or names).
        findings: All findings, errors first.
        notes: What the audit itself could not do; never empty when a check was skipped.
        complete: Whether every check ran to its end; ``False`` means "not proved clean".
        seconds: Wall time.
        timings: Seconds by stage.
        python_lines: Size of the merged tree's Python text, in lines.
    """

    labels: Mapping[str, str]
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    complete: bool = True
    seconds: float = 0.0
    timings: Mapping[str, float] = field(default_factory=dict)
    python_lines: int = 0

    def of_tier(self, tier: Tier) -> tuple[Finding, ...]:
        """The undecided findings of one tier."""
        return tuple(f for f in self.findings if f.tier is tier and not f.decision)


EMPTY_TREE = Tree(files={}, read=lambda _: b"")
