"""Rules in words: what each does, and how safe it is."""

from __future__ import annotations

from dataclasses import dataclass

from mergewright.rules.book import LoadedRule
from mergewright.rules.schema import (
    AbstractionRule,
    CallersRule,
    CallPatch,
    CoupledRule,
    DecidingRule,
    DeletedRule,
    FallBackRule,
    FormatSection,
    HistoryRule,
    Match,
    NeedRule,
    RegenerateRule,
    RenameRule,
    Rule,
    SourcesRule,
    UsesRule,
)
from mergewright.rules.words import Action

_WHAT = {
    Action.TAKE_OURS: "takes ours",
    Action.TAKE_THEIRS: "takes theirs",
    Action.PINNED: "keeps ours byte for byte, also where the merge is clean; verified after writing",
    Action.UNION: "keeps the lines of both sides, each once, ours first",
    Action.LEAVE: "leaves it to a person; nothing later decides it",
    Action.COUPLED: "takes all of these files from one side together, also where the merge is clean",
    Action.REGENERATE: "takes a generated file whole from one side and lists how to make it again",
    Action.BY_NEED: "lets a deletion stand unless something in the merged tree needs the file",
    Action.NEWER: "takes the submodule commit that contains the other one",
    Action.FOLLOW: "puts a file that one side made in a directory that the other side renamed into "
    "the directory's new place",
    Action.LARGER: "takes the version that went further when both moved the same way",
    Action.PREFER_ABSTRACTION: "puts one side's helper in the place of the explicit check that the "
    "other side's text still makes",
    Action.TAKE_AHEAD: "takes the side that contains the other's work",
    Action.MERGE_FROM_COMMON: "merges again from the newest state that both sides had",
    Action.KEEP_OURS: "puts the named symbols back as ours has them, also where the merge is clean",
    Action.KEEP_THEIRS: "puts the named symbols back as theirs has them, also where it is clean",
    Action.DROP: "takes the named symbols out of the result where ours does not have them",
    Action.RENAME: "writes a name otherwise, by syntax, in files that the merge changes",
    Action.PATCH_CALLERS: "writes calls of an interface as the interface that is kept wants them",
    Action.RESTORE_IMPORTS: "puts back an import of a side whose name is used and bound nowhere",
    Action.FALL_BACK: "takes one side's whole file when the merged one calls a missing helper",
    Action.KEEP_USES: "puts one side's uses of named things into the file as it was taken from the "
    "other side, with the arguments that follow, and takes out what was used instead",
    Action.GIT_SOURCES: "adds git sources that only theirs has; layout and comments stay",
    Action.RESTORE_DELETED: "brings back files of theirs that are needed and were not deleted on "
    "purpose",
}

_WHOLE = "The other side's changes to the file are lost; the report says so, the audit lists them."
_PROVED = "Safe: it acts only where it is proved, and leaves a note otherwise."
_SAFETY = {
    Action.TAKE_OURS: _WHOLE,
    Action.TAKE_THEIRS: _WHOLE,
    Action.PINNED: _WHOLE,
    Action.COUPLED: _WHOLE,
    Action.UNION: "Both sides' lines are kept; their order may not matter.",
    Action.LEAVE: "Safe: nothing is decided.",
    Action.REGENERATE: "The file does not fit the merged tree until it is generated again.",
    Action.BY_NEED: "An edit of a deleted file is lost when nothing refers to the file by name; a "
    "name that is put together while running is not seen.",
    Action.NEWER: _PROVED,
    Action.FOLLOW: "The file's content stays; what names its old place is not changed.",
    Action.LARGER: _PROVED,
    Action.PREFER_ABSTRACTION: _PROVED,
    Action.TAKE_AHEAD: "As safe as the evidence that the rule asks for.",
    Action.MERGE_FROM_COMMON: "The new merge passes the same gates as any other.",
    Action.KEEP_OURS: "Theirs' changes to these symbols are lost; each one is reported.",
    Action.KEEP_THEIRS: "Ours' changes to these symbols are lost; each one is reported.",
    Action.DROP: "Code of theirs is left out; each symbol is reported.",
    Action.RENAME: "Touches only the forms that the rule says, in files that the merge changes.",
    Action.PATCH_CALLERS: "Acts only in files that import the interface, and on calls that fit the "
    "table wholly; others are reported.",
    Action.RESTORE_IMPORTS: _PROVED,
    Action.FALL_BACK: _WHOLE,
    Action.KEEP_USES: "Only statements that the side added are put in; what the other side changed "
    "since the merge base is never overwritten, and what would guess is reported.",
    Action.GIT_SOURCES: "Only the table of sources may differ afterwards; otherwise nothing is "
    "written.",
    Action.RESTORE_DELETED: "Files only come back, nothing is lost; each file has its reason.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """A rule in words.

    Attributes:
        what: What it does, and for what.
        why: The rule's reason.
        example: The rule's example, or one that follows from its kind.
        safety: What it may cost.
    """

    what: str
    why: str
    example: str
    safety: str


def describe_match(match: Match) -> str:
    """What a rule speaks for, in words, a part a line."""
    parts: list[str] = []
    if match.path is not None:
        parts.append(" or ".join(match.path))
    if match.except_:
        parts.append("except " + ", ".join(match.except_))
    if match.symbol is not None:
        parts.append("symbol " + " or ".join(match.symbol))
    if match.kind is not None:
        parts.append("kind " + " or ".join(match.kind))
    if match.place is not None:
        parts.append("place " + " or ".join(match.place))
    if match.changed is not None:
        parts.append(f"changed by {match.changed.value}")
    if match.ours_mentions is not None:
        parts.append("ours alone mentions " + " or ".join(match.ours_mentions))
    if match.theirs_mentions is not None:
        parts.append("theirs alone mentions " + " or ".join(match.theirs_mentions))
    if match.group is not None:
        parts.append("the work " + " or ".join(match.group))
    if match.history is not None:
        text = "history " + " or ".join(match.history)
        if match.evidence is not None:
            text += f", evidence at least {match.evidence.value}"
        parts.append(text)
    return "\n".join(parts)


def details(rule: Rule) -> str:
    """The keys of a rule beside its match, in words; empty when there are none."""
    parts: list[str] = []
    if isinstance(rule, DecidingRule):
        if rule.applies_to_clean:
            parts.append("also where the merge is clean")
        if rule.audit:
            parts.append("followed by the audit: " + ", ".join(rule.audit))
    elif isinstance(rule, HistoryRule):
        if rule.applies_to_clean:
            parts.append("also where the merge is clean")
    elif isinstance(rule, CoupledRule):
        parts.append(f"side {rule.side.value}")
        if rule.dockerfile is not None:
            parts.append(f"groups of {rule.dockerfile} must exist in {rule.pyproject}")
    elif isinstance(rule, RegenerateRule):
        parts.append(f"side {rule.side.value}")
        parts.append(" ".join(rule.command) if rule.command else rule.manual)
    elif isinstance(rule, NeedRule):
        parts.append(f"when needed: {rule.needed}")
    elif isinstance(rule, AbstractionRule):
        parts.append(f"{rule.broad} of {rule.side.value} instead of {rule.narrow}")
    elif isinstance(rule, RenameRule):
        parts.append(f"{rule.from_} → {rule.to} ({', '.join(rule.forms)})")
    elif isinstance(rule, CallersRule):
        parts.append(f"interface {rule.interface}")
        parts += [_row(row) for row in rule.table]
    elif isinstance(rule, FallBackRule):
        parts.append(f"side {rule.side.value}")
    elif isinstance(rule, UsesRule):
        parts.append(f"{', '.join(rule.uses)} as {rule.side.value} uses it")
        if rule.instead_of:
            parts.append(f"instead of {', '.join(rule.instead_of)}")
    elif isinstance(rule, SourcesRule):
        parts += [f"{c.package}: {c.side.value} ({c.reason})" for c in rule.choices]
    elif isinstance(rule, DeletedRule) and rule.accidental:
        parts.append("no decision: " + ", ".join(rule.accidental))
    return "\n".join(parts)


def explain(loaded: LoadedRule) -> Explanation:
    """A rule in words, for ``resolve rules explain``."""
    rule = loaded.rule
    what = f"{_WHAT[rule.action]}, for: {'; '.join(describe_match(rule.match).split(chr(10)))}"
    extra = details(rule)
    if extra:
        what += f" ({'; '.join(extra.split(chr(10)))})"
    safety = _SAFETY[rule.action]
    if rule.match.speaks_for_symbols and safety is _WHOLE:
        safety = "Only contested places are decided; what one side alone changed stays as merged."
    return Explanation(
        what=what[:1].upper() + what[1:],
        why=rule.reason,
        example=rule.example or _example(rule),
        safety=safety,
    )


def _row(row: CallPatch) -> str:
    """A row of a caller table in one line."""
    added = "".join(f", {argument.name}={argument.value}" for argument in row.adds)
    return f"{row.call}(…) → {row.becomes}(…{added})"


def _example(rule: Rule) -> str:
    if isinstance(rule, RenameRule):
        return f"x = {rule.from_} → x = {rule.to}"
    if isinstance(rule, CallersRule):
        return _row(rule.table[0])
    if rule.match.path:
        return f"a conflict in {rule.match.path[0]}"
    if rule.match.history:
        return f"a symbol whose history is {rule.match.history[0].value}"
    return "any conflict that fits"


def describe_format(section: FormatSection) -> str:
    """The formatting step in one line."""
    tools = ", ".join(f"{t.name}{' (findings)' if t.findings else ''}" for t in section.tools)
    return f"formatting: {tools}, from {section.environment}"
