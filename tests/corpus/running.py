"""Runs the engines on golden cases and judges what comes out; the judge shares no engine code."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from tests.corpus.cases import VERSIONS, BuiltHistory, Case, build_history, expected_text

from mergewright.git.linemerge import merge_text
from mergewright.git.repository import Repository
from mergewright.model.conflict import MODE_REGULAR, Conflict, ConflictKind, FileVersion, blob_id
from mergewright.model.merge import Decider, FileMerge
from mergewright.model.resolution import Deferred, Failed, Resolved
from mergewright.model.threeway import ThreeWay
from mergewright.resolve.cascade import Cascade, NoRules, Rules
from mergewright.resolve.engines import GitText, is_python, loaded, merge_file
from mergewright.rules.loading import load_text
from mergewright.testing import CommitSpec, build_repository
from mergewright.workflows.resolving import Settings, plan_merge
from mergewright.workflows.sources import default_sources

Judgement = Literal["right", "open", "wrong", "order", "layout", "other-conflict"]

#: Path to the right text (or ``None``) and the symbols that stay open.
Ideal = dict[str, tuple[bytes | None, tuple[str, ...]]]

LABELS = ThreeWay(base="base", ours="ours", theirs="theirs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What came out for one file.

    Attributes:
        data: The text, with diff3 markers at open places; ``None`` when the file is deleted.
        open: Symbols of the open places, in order (``""`` for each place of git's own text).
        method: The strategy that settled the path, or that gave up.
    """

    data: bytes | None
    open: tuple[str, ...]
    method: str

    @property
    def clean(self) -> bool:
        """Whether nothing is left open."""
        return not self.open


def conflict_of(path: str, versions: ThreeWay[bytes | None]) -> Conflict:
    """Three texts as a contested path."""

    def version(data: bytes | None) -> FileVersion | None:
        if data is None:
            return None
        oid = blob_id(data)
        return FileVersion(path=path, mode=MODE_REGULAR, oid=oid, data=data)

    kind = ConflictKind.BOTH_MODIFIED
    if versions.base is None:
        kind = ConflictKind.BOTH_ADDED
    elif versions.ours is None:
        kind = ConflictKind.DELETED_BY_OURS
    elif versions.theirs is None:
        kind = ConflictKind.DELETED_BY_THEIRS
    return Conflict(path=path, kind=kind, versions=versions.map(version))


def git_text(conflict: Conflict) -> GitText:
    """What git makes of the texts."""
    data, places = merge_text(conflict.texts, LABELS)
    lines = 0
    inside = False
    for line in data.split(b"\n"):
        if line.startswith((b"<<<<<<< ours", b"=======")):
            inside = True
        elif line.startswith((b"||||||| base", b">>>>>>> theirs")):
            inside = False
        elif inside:
            lines += 1
    return GitText(data=data, open_places=places, contested_lines=lines)


def has_engine(path: str, versions: ThreeWay[bytes | None]) -> bool:
    """Whether the engine that is meant for this path exists."""
    if is_python(path, versions):
        return loaded("mergewright.python.engine", "merge_python") is not None
    return loaded("mergewright.formats", "merge_for") is not None


@lru_cache(maxsize=64)
def _rules(text: str | None) -> Rules:
    return NoRules() if text is None else load_text(text)


def plain_markers(data: bytes) -> bytes:
    """Markers of our labels without the symbol and the reason behind them."""
    return re.sub(rb"(?m)^(<{7} ours|\|{7} base|>{7} theirs)\b[^\r\n]*", rb"\1", data)


@lru_cache(maxsize=4096)
def run_texts(path: str, versions: ThreeWay[bytes | None], rules: str | None = None) -> Result:
    """Put three texts through the whole cascade, gates and git's own text included.

    Raises:
        AssertionError: The tool itself failed on the path.
    """
    merges: list[FileMerge] = []
    book = load_text(rules) if rules is not None else None

    def engine(
        where: str, texts: ThreeWay[bytes | None], deciders: Sequence[Decider] = ()
    ) -> FileMerge:
        if book is None:
            merges.append(merge_file(where, texts, deciders))
        else:
            merges.append(
                merge_file(
                    where,
                    texts,
                    deciders,
                    options=book.engine_options(where),
                    formats=book.format_options(where),
                )
            )
        return merges[-1]

    cascade = Cascade(labels=LABELS, rules=_rules(rules), git_text=git_text, engine=engine)
    conflict = conflict_of(path, versions)
    outcome = cascade.resolve(conflict)
    if isinstance(outcome, Failed):
        raise AssertionError(f"{path}: {outcome.error}\n{outcome.traceback}")  # noqa: TRY004
    if isinstance(outcome, Resolved):
        return Result(data=outcome.data, open=(), method=outcome.strategy)
    assert isinstance(outcome, Deferred)
    opened: tuple[str, ...] = ("",) * outcome.open_places
    if merges and outcome.strategy == merges[-1].method and merges[-1].contested:
        opened = tuple(place.symbol for place in merges[-1].contested)
    # Without a text of its own the worktree keeps what git wrote.
    left = git_text(conflict).data if outcome.data is None else outcome.data
    data = plain_markers(left)
    return Result(data=data, open=opened, method=outcome.strategy)


def run_file(case: Case, versions: ThreeWay[bytes | None] | None = None) -> Result | None:
    """Merge a case's three texts; ``None`` while no engine for the path exists."""
    texts = case.versions if versions is None else versions
    if not has_engine(case.path, texts):
        return None
    return run_texts(case.path, texts, case.about.rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeResult:
    """What came out for a merge of two commits.

    Attributes:
        files: Contested and expected paths with their texts; ``None`` where there is no file.
        open: Symbols that stay open, by path.
        reasons: Why, in the report's words, by path.
        planned: The paths that the plan speaks of.
    """

    files: dict[str, bytes | None]
    open: dict[str, tuple[str, ...]]
    reasons: dict[str, str]
    planned: frozenset[str]


def build_case(case: Case, folder: Path) -> BuiltHistory | None:
    """Build the repository of a history or tree case; the history's commits, if it has one."""
    if case.form == "history":
        built = build_history(case.about)
        build_repository(folder, built.commits, branches=built.branches)
        return built
    trees = {stem: case.tree(stem) or {} for stem in ("base", "ours", "theirs")}
    commits = [
        CommitSpec(name=stem, files=files, parents=() if stem == "base" else ("base",))
        for stem, files in trees.items()
    ]
    build_repository(folder, commits, branches={"dev": "ours", "main": "theirs"})
    return None


def ideal_of(case: Case, built: BuiltHistory | None) -> Ideal:
    """The right text and the symbols that stay open, by path."""
    if built is not None:
        return {
            path: (None, wanted.open) if wanted.open else (expected_text(built, path, wanted), ())
            for path, wanted in case.about.expected.items()
        }
    tree = case.tree(case.ideal_stem) or {}
    opened: dict[str, tuple[str, ...]] = {}
    for name in case.about.open:
        path, _, symbol = name.partition("::")
        opened[path] = (*opened.get(path, ()), symbol)
    gone = set().union(*(case.tree(stem) or {} for stem in VERSIONS)) - set(tree) - set(opened)
    wanted: Ideal = dict.fromkeys(gone, (None, ()))
    wanted.update({path: (data, ()) for path, data in tree.items()})
    wanted.update({path: (None, symbols) for path, symbols in opened.items()})
    return wanted


def run_tree(case: Case, folder: Path, paths: Sequence[str]) -> TreeResult:
    """Merge the two branches of a built case in memory with all sources and the case's rules.

    Raises:
        AssertionError: The tool itself failed on a path.
    """
    rules: list[Path] = []
    if case.about.rules is not None:
        rules = [folder.with_suffix(".yaml")]
        rules[0].write_text(case.about.rules, encoding="utf-8")
    settings = Settings(rules=rules, sources=default_sources)
    files: dict[str, bytes | None] = {}
    opened: dict[str, tuple[str, ...]] = {}
    reasons: dict[str, str] = {}
    repository = Repository.open(folder)
    with plan_merge(repository, "dev", "main", labels=LABELS, settings=settings) as plan:
        for entry in plan.plan.paths:
            outcome = entry.outcome
            if isinstance(outcome, Failed):
                raise AssertionError(f"{entry.path}: {outcome.error}\n{outcome.traceback}")  # noqa: TRY004
            files[entry.path] = plan.text(entry.path)
            if isinstance(outcome, Deferred):
                symbols = [d.symbol for d in outcome.decisions if d.outcome == "deferred"]
                opened[entry.path] = tuple(symbols) or ("",) * outcome.open_places
                reasons[entry.path] = outcome.reason
                text = files[entry.path]
                files[entry.path] = None if text is None else plain_markers(text)
        planned = frozenset(files)
        for path in paths:
            if path not in files:
                files[path] = plan.merge.read(path)
    return TreeResult(files=files, open=opened, reasons=reasons, planned=planned)


def judge_tree(result: TreeResult, ideal: Ideal, *, moves: bool) -> Judgement:
    """How the result of a whole merge stands to the right one; the worst path counts.

    ``moves`` says that code moves between the files of the case.
    """
    found: set[Judgement] = set()
    for path, (data, symbols) in ideal.items():
        got = result.open.get(path, ())
        if symbols:
            named = sorted(set(got)) == sorted(set(symbols)) or set(got) == {""}
            found.add("right" if named else "other-conflict" if got else "wrong")
        elif got:
            found.add("open")
        elif result.files.get(path) == data:
            found.add("right")
        else:
            # A clean file that lacks what waits at an open place of another one is not lost: an
            # edit of a function that moved there.
            waits = result.open and (moves or path not in result.planned)
            found.add("open" if waits else "wrong")
    if result.open.keys() - ideal.keys():
        found.add("open")
    order: tuple[Judgement, ...] = ("wrong", "open", "other-conflict", "right")
    return next(verdict for verdict in order if verdict in found)


def tree_of(data: bytes) -> str | None:
    """The syntax tree without positions; ``None`` when it does not parse."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.dump(ast.parse(data))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def unordered(data: bytes) -> object:
    """The syntax tree with the statements of modules and classes, and imported names, sorted."""

    def members(body: list[ast.stmt]) -> list[object]:
        found: list[object] = []
        for node in body:
            if isinstance(node, ast.ClassDef):
                header = ast.dump(
                    ast.ClassDef(node.name, node.bases, node.keywords, [], node.decorator_list)
                )
                found.append((header, members(node.body)))
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                found += [f"{ast.dump(node).split('names=')[0]} {ast.dump(n)}" for n in node.names]
            else:
                found.append(ast.dump(node))
        return sorted(found, key=repr)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return members(ast.parse(data).body)


def sides_of_markers(data: bytes) -> ThreeWay[bytes] | None:
    """The three texts that a file with diff3 markers stands for; ``None`` when unbalanced."""
    order = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")
    texts: dict[str, list[bytes]] = {"base": [], "ours": [], "theirs": []}
    state = 0
    for line in data.splitlines(keepends=True):
        if re.match(rb"(<{7}|\|{7}|={7}|>{7})( |\r?\n|$)", line):
            sign = line[:7]
            if sign == order[state]:
                state = (state + 1) % 4
                continue
            if sign in (order[0], order[3]):
                return None
        for name in (
            ("base", "ours", "theirs") if state == 0 else (("ours", "base", "theirs")[state - 1],)
        ):
            texts[name].append(line)
    if state != 0:
        return None
    return ThreeWay(**{name: b"".join(lines) for name, lines in texts.items()})


def _same_conflict(data: bytes | None, ideal: bytes | None) -> bool:
    """Whether two texts with markers leave the same open, not cut larger than the ideal.

    Where blank lines stand, inside or outside of a place, makes no difference.
    """
    if data is None or ideal is None:
        return False
    got, wanted = sides_of_markers(data), sides_of_markers(ideal)
    if got is None or wanted is None:
        return False

    def solid(text: bytes) -> list[bytes]:
        return [line.rstrip() for line in text.split(b"\n") if line.strip()]

    same = all(solid(a) == solid(b) for a, b in zip(got, wanted, strict=True))
    return same and len(solid(data)) <= len(solid(ideal))


def judge(case: Case, result: Result, ideal: bytes | None) -> Judgement:
    """How a result stands to the right one.

    ``open``: left open though it can be settled. ``wrong``: settled, and it says something else.
    ``order``: settled, the same definitions, imports and assignments of modules and classes in
    another order. ``layout``: settled, the same syntax tree, other text. ``other-conflict``: rightly
    left open, with other places or other text around them.
    """
    if case.about.outcome == "conflict":
        if result.clean:
            return "wrong"
        # Git's own text, taken where it is as small or where a gate failed, has no symbols.
        from_git = result.method == "git" or result.method.startswith("gate-")
        named = from_git or sorted(result.open) == sorted(case.about.open)
        return "right" if named and _same_conflict(result.data, ideal) else "other-conflict"
    if not result.clean:
        return "open"
    if result.data == ideal:
        return "right"
    if case.path.endswith((".py", ".pyi")) and result.data is not None and ideal is not None:
        got = tree_of(result.data)
        if got is not None and got == tree_of(ideal):
            return "layout"
        if got is not None and unordered(result.data) == unordered(ideal):
            return "order"
    return "wrong"
