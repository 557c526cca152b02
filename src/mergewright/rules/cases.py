"""A pack's own cases: what must follow from its rules, checked without any repository."""

from __future__ import annotations

from dataclasses import dataclass

from mergewright.model.conflict import (
    MODE_REGULAR,
    MODE_SUBMODULE,
    MODE_SYMLINK,
    Conflict,
    ConflictKind,
    FileVersion,
)
from mergewright.model.history import Standing, Verdict
from mergewright.model.merge import Question
from mergewright.model.threeway import ThreeWay
from mergewright.rules.book import PathRule, RuleBook
from mergewright.rules.schema import Case
from mergewright.rules.steps import run_steps
from mergewright.rules.trees import MemoryTree
from mergewright.rules.words import Changed

#: What a case writes when no rule may speak.
NOBODY = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """What came out of a case.

    Attributes:
        name: The case's name.
        passed: Whether all that it asks for holds.
        detail: What came instead; empty when it passed.
    """

    name: str
    passed: bool
    detail: str = ""


def run_cases(book: RuleBook) -> tuple[CaseResult, ...]:
    """Run the cases of all files of a book, in order.

    A case of a rule that a file leaves out of the pack it extends is left out with it.
    """
    return tuple(
        run_case(book, case)
        for file in book.files
        for case in file.tests
        if book.find(case.rule) is not None or case.rule not in {rule.id for rule in file.rules}
    )


def run_case(book: RuleBook, case: Case) -> CaseResult:
    """Run one case."""
    if case.rule != NOBODY and book.find(case.rule) is None:
        return CaseResult(
            name=case.name, passed=False, detail=f"there is no rule '{case.rule}' to expect"
        )
    if case.merged is not None:
        return _step_case(book, case)
    if case.symbol is not None:
        return _symbol_case(book, case)
    return _path_case(book, case)


def _result(case: Case, rule: str | None, action: str | None) -> CaseResult:
    got = rule or NOBODY
    if got != case.rule:
        return CaseResult(
            name=case.name, passed=False, detail=f"expected rule '{case.rule}', got '{got}'"
        )
    if case.action is not None and case.action != action:
        return CaseResult(
            name=case.name, passed=False, detail=f"expected '{case.action}', got '{action}'"
        )
    return CaseResult(name=case.name, passed=True)


def _path_result(case: Case, found: PathRule | None) -> CaseResult:
    if found is None:
        return _result(case, None, None)
    return _result(case, found.id, found.action)


def _texts(changed: Changed) -> ThreeWay[bytes]:
    return {
        Changed.OURS: ThreeWay(base=b"base\n", ours=b"ours\n", theirs=b"base\n"),
        Changed.THEIRS: ThreeWay(base=b"base\n", ours=b"base\n", theirs=b"theirs\n"),
        Changed.BOTH: ThreeWay(base=b"base\n", ours=b"ours\n", theirs=b"theirs\n"),
    }[changed]


def _path_case(book: RuleBook, case: Case) -> CaseResult:
    texts = _texts(case.changed)
    if case.kind is None:
        found = book.for_path(case.path, versions=texts)
        return _path_result(case, found)
    modes = {ConflictKind.SUBMODULE: MODE_SUBMODULE, ConflictKind.SYMLINK: MODE_SYMLINK}
    mode = modes.get(case.kind, MODE_REGULAR)

    def version(text: bytes) -> FileVersion:
        return FileVersion(path=case.path, mode=mode, oid=text.hex(), data=text)

    versions: ThreeWay[FileVersion | None] = ThreeWay(
        base=None if case.kind is ConflictKind.BOTH_ADDED else version(texts.base),
        ours=None if case.kind is ConflictKind.DELETED_BY_OURS else version(texts.ours),
        theirs=None if case.kind is ConflictKind.DELETED_BY_THEIRS else version(texts.theirs),
    )
    found = book.for_path(Conflict(path=case.path, kind=case.kind, versions=versions))
    return _path_result(case, found)


@dataclass(frozen=True, slots=True)
class _Said:
    """History that says what the case says."""

    standing: Standing
    verdict_of: Verdict

    def verdict(self, question: Question) -> Verdict:  # noqa: ARG002 - the protocol's signature
        return self.verdict_of


def _symbol_case(book: RuleBook, case: Case) -> CaseResult:
    standing = case.history or Standing.UNKNOWN
    verdict = Verdict(
        standing=standing,
        reason="as the case says",
        evidence=case.evidence,
        works=() if case.group is None else (case.group,),
        base=b"common\n" if standing is Standing.DIVERGED else None,
    )
    texts = _texts(case.changed)
    question = Question(
        path=case.path,
        symbol=case.symbol or "",
        kind=case.place.value,
        versions=ThreeWay(
            base=texts.base if case.base is None else case.base.encode(),
            ours=texts.ours if case.ours is None else case.ours.encode(),
            theirs=texts.theirs if case.theirs is None else case.theirs.encode(),
        ),
    )
    answer = book.decider(case.path, _Said(standing, verdict)).decide(question)
    if answer is None:
        return _result(case, None, None)
    loaded = book.find(answer.rule or "")
    return _result(case, answer.rule, None if loaded is None else loaded.rule.action)


def _step_case(book: RuleBook, case: Case) -> CaseResult:
    others = {path: text.encode() for path, text in case.others.items()}

    def side(text: str | None) -> MemoryTree:
        return MemoryTree(others | ({} if text is None else {case.path: text.encode()}))

    outcome = run_steps(
        book,
        side(case.merged),
        ThreeWay(base=side(case.base), ours=side(case.ours), theirs=side(case.theirs)),
    )
    worked = {note.rule for note in outcome.notes}
    if case.rule == NOBODY:
        used = ", ".join(sorted(worked))
        return CaseResult(
            name=case.name, passed=not used, detail=f"expected no rule, got {used}" if used else ""
        )
    if case.rule not in worked:
        return _result(case, ", ".join(sorted(worked)) or None, None)
    if case.result is not None:
        edits = {edit.path: edit.data for edit in outcome.edits}
        text = edits.get(case.path, (case.merged or "").encode()).decode("utf-8", "replace")
        if text != case.result:
            return CaseResult(
                name=case.name, passed=False, detail=f"expected {case.result!r}, got {text!r}"
            )
    loaded = book.find(case.rule)
    return _result(case, case.rule, None if loaded is None else loaded.rule.action)
