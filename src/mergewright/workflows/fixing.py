"""Applies restoring patches of the audit, through the same gates as a resolution."""

from __future__ import annotations

import contextlib
import difflib
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mergewright.audit.repairs import Repairer
from mergewright.audit.values import AuditReport, Finding, Repair, Trees
from mergewright.model.errors import RepositoryError, UsageError
from mergewright.model.resolution import Decision, Outcome
from mergewright.model.threeway import Side, ThreeWay


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixed:
    """What became of one selected finding.

    Attributes:
        finding: The finding.
        applied: Whether its patch is part of the result.
        reason: Why not, or what it does.
    """

    finding: Finding
    applied: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fixes:
    """The outcome of a selection.

    Attributes:
        outcomes: One entry a selected finding.
        changes: Path to its text before (``None``: not there) and after.
        modes: Modes of files that are created.
    """

    outcomes: tuple[Fixed, ...]
    changes: Mapping[str, tuple[bytes | None, bytes]]
    modes: Mapping[str, int]

    def diff(self) -> str:
        """All changes as a unified diff."""
        parts: list[str] = []
        for path, (before, after) in sorted(self.changes.items()):
            old = (before or b"").decode("utf-8", "replace").splitlines(keepends=True)
            new = after.decode("utf-8", "replace").splitlines(keepends=True)
            head = f"a/{path}" if before is not None else "/dev/null"
            parts.extend(
                line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"
                for line in difflib.unified_diff(old, new, head, f"b/{path}")
            )
        return "".join(parts)


def select(report: AuditReport, selection: str) -> list[Finding]:
    """The findings that a selection names: ids, names of checks, tiers, or ``all``; by comma.

    Raises:
        UsageError: A part of it names nothing.
    """
    chosen: dict[str, Finding] = {}
    open_findings = [f for f in report.findings if not f.decision]
    for part in filter(None, (p.strip() for p in selection.split(","))):
        found = [
            f
            for f in open_findings
            if part == "all"
            or part in {f.id, f.check, f.tier.value}
            or (len(part) >= 4 and f.id.startswith(part))
        ]
        if not found and part != "all":
            raise UsageError(
                f"--fix {part}: no finding has this id, check or tier",
                hint="Ids stand behind the tier in the report.",
            )
        chosen.update({f.id: f for f in found})
    return list(chosen.values())


def make_fixes(findings: Sequence[Finding], trees: Trees) -> Fixes:
    """Apply the patches one after the other, each to the text that the ones before left.

    A patch whose result a gate refuses is left out and says which gate it was. Only gates that the
    text before the patch passed count: what was broken before is not the patch's doing.
    """
    changes: dict[str, tuple[bytes | None, bytes]] = {}
    modes: dict[str, int] = {}
    outcomes: list[Fixed] = []
    current = trees
    for finding in findings:
        fresh = _fresh(finding, current)
        if fresh is None:
            reason = "no patch can be made whose place is certain"
            if finding.patch is not None:
                reason = "an earlier patch already restored it"
            outcomes.append(Fixed(finding=finding, applied=False, reason=reason))
            continue
        files = (fresh, *fresh.more)
        # What a rule pins is taken whole, as in a resolution; no gate is asked there.
        gated = () if finding.check in {"pinned-file", "coupled-file"} else files
        refused = next(filter(None, (_refused(current, finding, f) for f in gated)), "")
        if refused:
            outcomes.append(Fixed(finding=finding, applied=False, reason=refused))
            continue
        for file in files:
            original = changes.get(file.path, (trees.merged.data(file.path), b""))[0]
            changes[file.path] = (original, file.after or b"")
            if file.path not in trees.merged.files:
                modes[file.path] = file.mode
        current = Trees(
            base=trees.base,
            ours=trees.ours,
            theirs=trees.theirs,
            merged=current.merged.overlaid({file.path: file.after for file in files}),
        )
        outcomes.append(Fixed(finding=finding, applied=True, reason=fresh.summary))
    return Fixes(outcomes=tuple(outcomes), changes=changes, modes=modes)


def _fresh(finding: Finding, trees: Trees) -> Repair | None:
    """The patch of a finding for the text as it stands now."""
    kept = finding.patch
    if kept is not None and all(
        trees.merged.data(file.path) == file.before for file in (kept, *kept.more)
    ):
        return kept
    return Repairer(trees).with_patch(replace(finding, patch=None)).patch


def _mended(finding: Finding, path: str) -> tuple[Decision, ...]:
    """Symbols whose calls are mended: there the text is neither side's, which a gate must know."""
    symbols = [place.symbol for place in finding.places if place.path == path]
    if finding.check == "double-effect":
        symbols.append(finding.origin_symbol)
    elif not finding.renamed and (finding.check != "call-mismatch" or finding.change is None):
        return ()
    return tuple(
        Decision(
            symbol=symbol,
            outcome=Outcome.RESOLVED,
            strategy="audit",
            side=Side.NEITHER,
            rule=f"audit {finding.check}",
        )
        for symbol in symbols
    )


def _refused(trees: Trees, finding: Finding, repair: Repair) -> str:
    """Which gate a patched text fails that the text before it passed; empty when none."""
    path, before, after = repair.path, repair.before, repair.after
    if after is None:
        return f"{path} would be removed"
    decisions = _mended(finding, path)
    mends = "duplicate-definition" if finding.check == "duplicate-field" else ""
    # Only here: the engines behind the gates take longer to load than a small audit runs.
    from mergewright.formats.gates import check as format_gates
    from mergewright.python.gates import check as python_gates

    check = python_gates if path.endswith((".py", ".pyi")) else format_gates
    versions: ThreeWay[bytes | None] = ThreeWay(
        base=trees.base.data(path), ours=trees.ours.data(path), theirs=trees.theirs.data(path)
    )
    failed = {g.gate: g for g in check(path, after, versions, decisions) if not g.passed}
    if failed and before is not None:
        for gate in check(path, before, versions, decisions):
            old = failed.get(gate.gate)
            # A gate that failed before stays silent unless the patch makes it fail otherwise. It
            # names a few things only: one mended lets another be named.
            if gate.passed or old is None:
                continue
            if gate.gate == mends or len(old.detail) <= len(gate.detail):
                del failed[gate.gate]
    if not failed:
        return ""
    gate = next(iter(failed.values()))
    return f"the gate '{gate.gate}' refused it: {gate.detail}"


def write_fixes(fixes: Fixes, root: Path) -> None:
    """Write the changes into a worktree, all or none.

    Args:
        fixes: What to write.
        root: The worktree's folder.

    Raises:
        RepositoryError: A file is not as the audit read it, or cannot be written; nothing is
            changed then.
    """
    staged: list[tuple[Path, Path]] = []
    undo: list[tuple[Path, bytes | None]] = []
    try:
        for path, (before, after) in sorted(fixes.changes.items()):
            target = _inside(root, path)
            now = target.read_bytes() if target.is_file() else None
            after = _as_checked_out(path, now, before, after)
            target.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as stream:
                stream.write(after)
            mode = target.stat().st_mode if now is not None else fixes.modes.get(path, 0o100644)
            Path(stream.name).chmod(mode & 0o777)
            staged.append((Path(stream.name), target))
            undo.append((target, now))
        for made, target in staged:
            made.replace(target)
    except (OSError, RepositoryError) as error:
        for made, _ in staged:
            made.unlink(missing_ok=True)
        for target, data in undo:
            with contextlib.suppress(OSError):
                if data is None:
                    target.unlink(missing_ok=True)
                elif target.read_bytes() != data:
                    target.write_bytes(data)
        if isinstance(error, RepositoryError):
            raise
        raise RepositoryError(f"the repairs cannot be written: {error}") from error


def _as_checked_out(path: str, now: bytes | None, before: bytes | None, after: bytes) -> bytes:
    """What to write: with the line ends of the checkout, if that is all that differs."""
    if now == before:
        return after
    if now is not None and before is not None and now.replace(b"\r\n", b"\n") == before:
        return after.replace(b"\n", b"\r\n")
    raise RepositoryError(f"{path} has changed since it was audited")


def _inside(root: Path, path: str) -> Path:
    """The place of a path in a worktree, never through a symlink that leaves it."""
    target = root / path
    parts = path.split("/")
    if os.path.isabs(path) or ".." in parts or ".git" in parts:  # noqa: PTH117 - text of a repository
        raise RepositoryError(f"{path} does not lie in the worktree")
    folder = root
    for part in parts[:-1]:
        folder = folder / part
        if folder.is_symlink():
            raise RepositoryError(f"{path} lies behind a symlink")
    if target.is_symlink():
        raise RepositoryError(f"{path} is a symlink")
    return target
