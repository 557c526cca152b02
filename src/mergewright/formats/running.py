"""From three texts to a merge that may be believed: engine, gates, fallback to lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mergewright.formats import (
    gates,
    initext,
    jsontext,
    lists,
    markup,
    notebook,
    tomltext,
    yamltext,
)
from mergewright.formats.document import Merged, UnmergeableError, merge_documents
from mergewright.formats.kinds import FormatKind, regenerate_command
from mergewright.formats.options import FormatOptions
from mergewright.model.merge import Contested, Decider, FileMerge, Question
from mergewright.model.resolution import Decision, Evidence, EvidenceKind, Outcome
from mergewright.model.threeway import Side, ThreeWay, settle
from mergewright.text.merge import merge_lines

Engine = Callable[[ThreeWay[str | None], str, FormatOptions, Sequence[Decider]], Merged]

_ENGINES: dict[FormatKind, Engine] = {
    FormatKind.TOML: tomltext.merge,
    FormatKind.JSON: jsontext.merge,
    FormatKind.YAML: yamltext.merge,
    FormatKind.INI: initext.merge,
    FormatKind.REQUIREMENTS: lists.merge_requirements,
    FormatKind.NAMES: lists.merge_names,
    FormatKind.PATTERNS: lists.merge_patterns,
    FormatKind.CHANGELOG: markup.merge_changelog,
    FormatKind.MARKUP: markup.merge_document,
    FormatKind.NOTEBOOK: notebook.merge,
}

# Above this size a text is no configuration or document that a person wrote.
_SIZE = 4_000_000


def run(
    kind: FormatKind,
    path: str,
    versions: ThreeWay[bytes | None],
    options: FormatOptions,
    deciders: Sequence[Decider],
) -> FileMerge:
    """Merge by the engine of a kind; whatever fails a gate falls back, first to lines."""
    if kind is FormatKind.LOCK:
        command = regenerate_command(path)
        return _whole(
            path, versions, deciders, "lock",
            f"a lock file is never merged by text: take one side whole, then run `{command}`",
        )  # fmt: skip
    if kind is FormatKind.GOLDEN:
        if options.golden == "whole" or not path.lower().endswith(".json"):
            return _whole(
                path, versions, deciders, "golden",
                "recorded values come from one run: take one side whole, or record them again",
            )  # fmt: skip
        kind = FormatKind.JSON
    if kind is FormatKind.REQUIREMENTS and any(lists.is_compiled(data or b"") for data in versions):
        return _whole(
            path, versions, deciders, "lock",
            "a compiled requirements file is never merged by text: take one side whole, then "
            "compile it again (its header names the command)",
        )  # fmt: skip
    if any(data is not None and len(data) > _SIZE for data in versions):
        return _by_lines(path, versions, f"{kind} engine: larger than {_SIZE} bytes")
    engine = _ENGINES[kind]
    try:
        merge = merge_documents(
            versions, lambda texts: engine(texts, path, options, deciders), str(kind)
        )
    except (UnmergeableError, RecursionError) as error:
        return _by_lines(path, versions, f"{kind} engine: {error}")
    fault = _fault(path, merge, versions)
    if fault:
        return _by_lines(path, versions, f"{kind} engine: {fault}")
    return merge


def _fault(path: str, merge: FileMerge, versions: ThreeWay[bytes | None]) -> str:
    """What is wrong with a merge; empty when nothing is."""
    if merge.clean:
        for result in gates.check(path, merge.text(), versions, merge.decisions):
            if not result.passed:
                return f"gate {result.gate} failed: {result.detail}"
        return ""
    for side in (Side.OURS, Side.THEIRS):
        data = versions.get(side)
        if (
            data is not None
            and gates.parses(path, data)
            and not gates.parses(path, merge.text(side))
        ):
            return (
                f"gate parse failed: the text with {side.value} at the open places does not parse"
            )
    return ""


def _by_lines(path: str, versions: ThreeWay[bytes | None], why: str) -> FileMerge:
    """The line merge; one that is clean and fails a gate is left open as a whole."""
    note = f"{why}; merged by lines"
    if versions.ours is None or versions.theirs is None:
        return _open_whole(versions, "lines", "one side does not have the file", (note,))
    merge = merge_lines(versions.map(lambda data: data or b""))
    if merge.clean:
        for result in gates.check(path, merge.text(), versions, merge.decisions):
            if not result.passed:
                reason = f"the line merge is clean, but gate {result.gate} fails: {result.detail}"
                return _open_whole(versions, "lines", reason, (note,))
    return replace(merge, notes=(*merge.notes, note))


def _whole(
    path: str,
    versions: ThreeWay[bytes | None],
    deciders: Sequence[Decider],
    method: str,
    reason: str,
) -> FileMerge:
    """A file that one side gives as a whole, if one side or a decider speaks; else it stays open."""
    side = settle(versions)
    if side is not None:
        data = versions.get(side)
        word = (
            "both sides say the same"
            if versions.ours == versions.theirs
            else f"only {side.value} changed it"
        )
        return FileMerge(
            pieces=(data,) if data else (),
            decisions=(_decision("", side, "whole-side", word, None),),
            method=method,
        )
    question = Question(path=path, symbol="", kind="both-changed", versions=versions)
    for decider in deciders:
        answer = decider.decide(question)
        if answer is None or answer.side not in {Side.BASE, Side.OURS, Side.THEIRS}:
            continue
        data = versions.get(answer.side)
        return FileMerge(
            pieces=(data,) if data else (),
            decisions=(_decision("", answer.side, answer.strategy, answer.reason, answer.rule),),
            method=method,
        )
    return _open_whole(versions, method, reason, ())


def _decision(symbol: str, side: Side, strategy: str, reason: str, rule: str | None) -> Decision:
    kind = EvidenceKind.RULE if rule else EvidenceKind.STRUCTURE
    return Decision(
        symbol=symbol,
        outcome=Outcome.RESOLVED,
        strategy=strategy,
        side=side,
        rule=rule,
        reason=reason,
        evidence=(Evidence(kind=kind, text=reason),),
    )


def _open_whole(
    versions: ThreeWay[bytes | None], method: str, reason: str, notes: tuple[str, ...]
) -> FileMerge:
    kind = "both-changed" if versions.base is not None else "both-added"
    return FileMerge(
        pieces=(
            Contested(
                symbol="", kind=kind, versions=versions.map(lambda data: data or b""), reason=reason
            ),
        ),
        decisions=(
            Decision(
                symbol="", outcome=Outcome.DEFERRED, strategy="defer", side=Side.BOTH, reason=reason
            ),
        ),
        method=method,
        notes=notes,
    )
