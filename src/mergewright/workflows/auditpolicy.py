"""Turns a rule file into the policy that the audit checks: pure values, path by path."""

from __future__ import annotations

from collections.abc import Iterable

from mergewright.audit.policy import PathPolicy, Policy, Rename
from mergewright.audit.values import Trees
from mergewright.model.threeway import Side, ThreeWay
from mergewright.rules.book import PathRule, RuleBook, path_matches
from mergewright.rules.coupled import missing_groups
from mergewright.rules.schema import (
    CallersRule,
    CoupledRule,
    FallBackRule,
    ImportsRule,
    RenameRule,
    SourcesRule,
    SymbolRule,
    UsesRule,
)
from mergewright.rules.words import Action

_KINDS = {
    Action.PINNED: "pinned",
    Action.COUPLED: "coupled",
    Action.REGENERATE: "generated",
    Action.TAKE_OURS: "override",
    Action.TAKE_THEIRS: "override",
}


def policy_of(book: RuleBook, trees: Trees) -> Policy:
    """What a rule book says of the files of a merge.

    Args:
        book: The rules.
        trees: The four trees.
    """
    every = sorted(set(trees.merged.files) | set(trees.ours.files) | set(trees.theirs.files))
    paths: dict[str, PathPolicy] = {}
    for path in every:
        versions: ThreeWay[object] = ThreeWay(
            base=trees.base.files.get(path),
            ours=trees.ours.files.get(path),
            theirs=trees.theirs.files.get(path),
        )
        if versions.ours == versions.theirs == trees.merged.files.get(path):
            continue
        rule = book.for_path(path, versions=versions)
        if rule is None or rule.side is None or not _applies(rule):
            continue
        paths[path] = PathPolicy(
            rule=rule.id, reason=rule.reason, side=rule.side, kind=_KINDS[rule.action]
        )
    renames: list[Rename] = []
    sources: dict[str, str] = {}
    edited: set[str] = set()
    for loaded in book.steps():
        step = loaded.rule
        here = [path for path in every if path_matches(step.match, path)]
        if isinstance(step, RenameRule):
            renames.append(Rename(paths=frozenset(here), old=step.from_, new=step.to))
        elif isinstance(step, SourcesRule):
            sources.update(dict.fromkeys(here, step.table))
        elif isinstance(step, CallersRule | ImportsRule | SymbolRule | FallBackRule | UsesRule):
            edited.update(path for path in here if path in paths)
    return Policy(
        paths=paths,
        renames=tuple(renames),
        sources=sources,
        edited=frozenset(edited),
        missing_groups=tuple(_groups(book, trees)),
    )


def _applies(rule: PathRule) -> bool:
    """Rules that hold for a path whether or not it conflicted."""
    return rule.action in _KINDS and rule.side in {Side.OURS, Side.THEIRS}


def _groups(book: RuleBook, trees: Trees) -> Iterable[tuple[str, int, str]]:
    for loaded in book.rules:
        rule = loaded.rule
        if not isinstance(rule, CoupledRule) or rule.dockerfile is None or rule.pyproject is None:
            continue
        dockerfile = trees.merged.data(rule.dockerfile)
        pyproject = trees.merged.data(rule.pyproject)
        if dockerfile is None or pyproject is None:
            continue
        for use in missing_groups(dockerfile, pyproject) or ():
            text = f"the {use.kind} `{use.name}` that {rule.dockerfile} asks for is missing"
            yield rule.dockerfile, use.line, f"{text} in {rule.pyproject}"
