"""Policy checks: what a team's rules say of whole files, held against the merged tree."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from mergewright.audit.values import Finding, Place, Repair, Tier, Tree, Trees
from mergewright.model.threeway import Side


@dataclass(frozen=True, slots=True, kw_only=True)
class PathPolicy:
    """What one rule says of one path.

    Attributes:
        rule: Id of the rule.
        reason: Why the team wants it.
        side: The side that the path must come from.
        kind: ``pinned``, ``coupled``, ``override`` or ``generated``.
    """

    rule: str
    reason: str
    side: Side
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename:
    """A declared textual edit: ``old`` became ``new`` in some paths."""

    paths: frozenset[str]
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """The policy as values; built from a rule file by the workflow.

    Attributes:
        paths: What the rules say of paths.
        renames: Declared edits, which may stand in overridden files.
        sources: Path of a ``pyproject.toml`` to the dotted name of its table of git sources.
        edited: Paths that steps of the rule file (patched callers, restored imports) may edit.
        missing_groups: Dockerfile path, line and text of dependency groups that do not exist.
    """

    paths: Mapping[str, PathPolicy] = field(default_factory=dict)
    renames: Sequence[Rename] = ()
    sources: Mapping[str, str] = field(default_factory=dict)
    edited: frozenset[str] = frozenset()
    missing_groups: Sequence[tuple[str, int, str]] = ()


def _found(
    check: str,
    tier: Tier,
    subject: str,
    path: str,
    message: str,
    *,
    line: int = 0,
    repair: str = "",
    cause: str = "",
    had: str = "",
    patch: Repair | None = None,
) -> Finding:
    """A finding of the policy at one place; ``subject`` names the rule or the package."""
    return Finding(
        check=check,
        tier=tier,
        subject=subject,
        message=message,
        places=(Place(path=path, line=line),),
        cause=cause,
        had=had,
        repair=repair,
        patch=patch,
        analysers=("policy",),
    )


def policy_findings(trees: Trees, policy: Policy, labels: Mapping[str, str]) -> list[Finding]:
    """Breaches of the policy."""
    out: list[Finding] = []
    for path, rule in sorted(policy.paths.items()):
        wanted = trees.parent(rule.side).files.get(path)
        merged = trees.merged.files.get(path)
        if wanted == merged:
            continue
        if rule.kind in {"pinned", "coupled"}:
            found = _pinned(trees, policy, path, rule, labels)
        elif rule.kind == "generated":
            found = _generated(trees, path, rule)
        else:
            found = _overridden(trees, policy, path, rule)
        if found is not None:
            out.append(found)
    out = _one_a_rule(out)
    for path, table in sorted(policy.sources.items()):
        out.extend(_sources(trees, path, table))
    out.extend(
        _found(
            "dependency-group",
            Tier.ERROR,
            f"group:{text}",
            path,
            text,
            line=line,
            cause="the Dockerfile and pyproject.toml come from different sides",
        )
        for path, line, text in policy.missing_groups
    )
    return out


def _one_a_rule(findings: list[Finding]) -> list[Finding]:
    """Many generated files of one rule in one state are one finding with many places."""
    groups: dict[tuple[str, str, Tier], list[Finding]] = {}
    for finding in findings:
        single = finding.path if finding.check != "generated-file" else ""
        groups.setdefault((finding.subject + single, finding.check, finding.tier), []).append(
            finding
        )
    out = []
    for group in groups.values():
        first = group[0]
        if len(group) > 1:
            rest = first.message.removeprefix(first.path).strip()
            first = replace(
                first,
                message=f"{len(group)} files of rule {first.subject.partition(':')[2]}, each: {rest}",
                places=tuple(place for f in group for place in f.places),
            )
        out.append(first)
    return out


def _pinned(
    trees: Trees, policy: Policy, path: str, rule: PathPolicy, labels: Mapping[str, str]
) -> Finding | None:
    side = rule.side
    wanted, merged = trees.parent(side).data(path), trees.merged.data(path)
    if path in policy.sources and wanted is not None and merged is not None:
        table = policy.sources[path]
        if _same_but_table(wanted, merged, table):
            return _found(
                "sources-reconciled",
                Tier.HINT,
                f"policy:{rule.rule}",
                path,
                f"{path} differs from {side.value}'s only in its git sources ({table})",
                repair="say in the pull request which sources were added and why",
            )
    what = "pinned to" if rule.kind == "pinned" else "one of a group that comes whole from"
    label = labels.get(side.value, side.value)
    state = "is gone" if merged is None else "was added" if wanted is None else "differs"
    repair = f"git checkout {label} -- {path}" if wanted is not None else f"git rm --cached {path}"
    patch = Repair(
        path=path,
        before=merged,
        after=wanted,
        mode=trees.parent(side).modes.get(path, 0o100644),
        summary=f"restore {path} from {side.value}",
    )
    return _found(
        "pinned-file" if rule.kind == "pinned" else "coupled-file",
        Tier.ERROR,
        f"policy:{rule.rule}",
        path,
        f"{path} is {what} {side.value}, and {state} (rule {rule.rule}: {rule.reason})",
        repair=repair,
        patch=patch if wanted is not None else None,
    )


def _same_but_table(one: bytes, other: bytes, dotted: str) -> bool:
    """Whether two TOML texts say the same apart from one table."""
    try:
        pair = [tomllib.loads(text.decode("utf-8")) for text in (one, other)]
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return False
    for document in pair:
        node: object = document
        *parents, last = dotted.split(".")
        for part in parents:
            node = node.get(part, {}) if isinstance(node, dict) else {}
        if isinstance(node, dict):
            node.pop(last, None)
    return pair[0] == pair[1]


def _generated(trees: Trees, path: str, rule: PathPolicy) -> Finding | None:
    merged = trees.merged.data(path)
    if merged is None:
        return None
    if trees.merged.files[path] in {trees.ours.files.get(path), trees.theirs.files.get(path)}:
        # Whole, though not from the side that the rule names.
        other = rule.side.other.value
        return _found(
            "generated-file",
            Tier.REVIEW,
            f"policy:{rule.rule}",
            path,
            f"{path} is {other}'s; the rule {rule.rule} takes {rule.side.value}'s and "
            "generates it again",
        )
    known = {
        line
        for tree in (trees.ours, trees.theirs)
        for line in (tree.data(path) or b"").splitlines()
    }
    fresh = sum(line not in known for line in merged.splitlines())
    if fresh:
        return None
    return _found(
        "generated-file",
        Tier.ERROR,
        f"policy:{rule.rule}",
        path,
        f"{path} is a mixture of both sides' lines: it was merged as text, not generated",
        repair="take one side whole and generate it again",
    )


def _overridden(trees: Trees, policy: Policy, path: str, rule: PathPolicy) -> Finding | None:
    wanted, merged = trees.parent(rule.side).data(path), trees.merged.data(path)
    if wanted is None or merged is None:
        return None
    for rename in policy.renames:
        if path in rename.paths:
            old, new = re.escape(rename.old.encode()), rename.new.encode()
            wanted = re.sub(rb"\b" + old + rb"\b", new.replace(b"\\", b"\\\\"), wanted)
    if wanted == merged:
        return None
    changed = [
        line
        for line in difflib.unified_diff(
            wanted.decode("utf-8", "replace").splitlines(),
            merged.decode("utf-8", "replace").splitlines(),
            n=0,
            lineterm="",
        )
        if line[:1] in "+-" and not line.startswith(("+++", "---"))
    ]
    declared = " beyond the declared edits" if policy.renames or path in policy.edited else ""
    return _found(
        "override-edited",
        Tier.HINT if path in policy.edited else Tier.REVIEW,
        f"policy:{rule.rule}",
        path,
        f"{path} is taken from {rule.side.value} by rule {rule.rule}, and differs from it "
        f"in {len(changed)} lines{declared}: {'; '.join(f'`{c[:80]}`' for c in changed[:3])}",
        repair="say in the pull request why, or add the edit to the rule file",
    )


def _sources(trees: Trees, path: str, table: str) -> list[Finding]:
    """Git sources that theirs has and the merged file does not, or has differently."""
    read = {
        name: _table(tree, path, table)
        for name, tree in (
            ("ours", trees.ours),
            ("theirs", trees.theirs),
            ("merged", trees.merged),
            ("base", trees.base),
        )
    }
    theirs, merged, ours = read["theirs"], read["merged"], read["ours"]
    out = []
    for package, source in sorted(theirs.items()):
        if not _is_git(source):
            continue
        if package not in merged:
            removed = package in read["base"] and package not in ours
            out.append(
                _found(
                    "git-source-missing",
                    Tier.REVIEW,
                    f"source:{package}",
                    path,
                    f"theirs pins `{package}` to a git source ({_shown(source)}) that the "
                    f"merged {path} does not have",
                    had="theirs",
                    cause="theirs' code may need what only this revision has"
                    + ("; ours took the source out since the base" if removed else ""),
                    repair=f"add it to [{table}] and generate the lock again",
                )
            )
        elif merged[package] != source and ours.get(package) == merged[package]:
            out.append(
                _found(
                    "git-source-differs",
                    Tier.HINT,
                    f"source:{package}",
                    path,
                    f"`{package}`: ours' {_shown(merged[package])} was kept, theirs has "
                    f"{_shown(source)}",
                    repair="check that ours' revision has what theirs' code needs",
                )
            )
    return out


def _table(tree: Tree, path: str, dotted: str) -> dict[str, object]:
    try:
        node: object = tomllib.loads((tree.data(path) or b"").decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError):
        return {}
    for part in dotted.split("."):
        node = node.get(part) if isinstance(node, dict) else None
    return dict(node) if isinstance(node, dict) else {}


def _is_git(source: object) -> bool:
    if isinstance(source, list):
        return any(_is_git(entry) for entry in source)
    return isinstance(source, dict) and "git" in source


def _shown(source: object) -> str:
    if isinstance(source, dict):
        return str(source.get("rev") or source.get("branch") or source.get("tag") or source)[:60]
    return str(source)[:60]


def soften_overridden(findings: Sequence[Finding], policy: Policy) -> list[Finding]:
    """Losses in files that a rule takes whole from the other side are advice, not errors."""
    out = []
    for finding in findings:
        rule = policy.paths.get(finding.path)
        if (
            rule is not None
            and rule.kind in {"override", "pinned", "coupled", "generated"}
            and finding.check.startswith("lost-")
            and finding.had == rule.side.other.value
        ):
            finding = finding.lowered(
                Tier.HINT, f"rule {rule.rule} takes {finding.path} from {rule.side.value}"
            )
        out.append(finding)
    return out
