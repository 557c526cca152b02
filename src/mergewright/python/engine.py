"""The Python engine's face: three texts in, settled bytes and contested places out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from time import thread_time

from mergewright.model.merge import Contested, Decider, FileMerge, Piece
from mergewright.model.resolution import Decision
from mergewright.model.threeway import Side, ThreeWay, settle
from mergewright.python import imports, moves
from mergewright.python.arguments import carry_on
from mergewright.python.blocks import BudgetExceeded, StructuralMerge, decided, left
from mergewright.python.formatting import Formatting, Polish, relaid
from mergewright.python.gates import undefined_names
from mergewright.python.outline import outline
from mergewright.python.source import Item, source_of
from mergewright.python.sweeps import Sweeps, apply
from mergewright.text.lines import UTF8_BOM, with_final_newline
from mergewright.text.merge import merge_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """Switches of the engine; a rule file's ``engine:`` section sets them.

    Attributes:
        budget: Seconds of processor time for one file; when they are used up the line merge answers, and says so.
        versions: Settle version assignments that both sides raised by taking the larger.
        sweeps: Apply one side's proven mechanical substitution to the other side's text.
        moves: Carry an edit to where the other side put the code (below a new condition, into a
            new helper, into another class).
        disabled: Names of strategies that settle nothing (:mod:`mergewright.model.strategies`): what
            they would have settled is asked of the deciders and stays open without an answer.
        layout: Put composed statements into the layout of the side that reformatted them.
        formatter: Format composed statements as the repository does, where its texts prove how.
        formatting: The formatter with the repository's settings; ``None`` when there is none.
    """

    budget: float = 20.0
    versions: bool = True
    sweeps: bool = True
    moves: bool = True
    disabled: frozenset[str] = frozenset()
    layout: bool = True
    formatter: bool = True
    formatting: Formatting | None = None


def merge_python(
    path: str,
    versions: ThreeWay[bytes | None],
    *,
    deciders: Sequence[Decider] = (),
    options: EngineOptions = EngineOptions(),
) -> FileMerge:
    """Merge three versions of a Python file per symbol.

    Args:
        path: The file's path, for the questions to ``deciders``.
        versions: The three texts; base is ``None`` when both sides added the file.
        deciders: History, policy and memory, asked in this order where two changes meet.
        options: Switches and limits.
    """
    filled = versions.map(lambda data: data or b"")
    boms = filled.map(lambda data: data.startswith(UTF8_BOM))
    bom_side = settle(boms)
    texts = filled.map(lambda data: data.removeprefix(UTF8_BOM))
    crlf = texts.map(_all_crlf)
    crlf_side = settle(
        ThreeWay(base=crlf.base if filled.base else crlf.ours, ours=crlf.ours, theirs=crlf.theirs)
    )
    to_crlf = False
    if any(crlf):
        if not all(c or b"\r" not in t for c, t in zip(crlf, texts, strict=True)):
            return merge_lines(filled)  # mixed line ends: a line is a line
        texts = texts.map(lambda data: data.replace(b"\r\n", b"\n"))
        to_crlf = bool(crlf.get(crlf_side)) if crlf_side is not None else crlf.ours
    emptied = _emptied(texts)
    if emptied is not None:
        return FileMerge(pieces=(emptied,), decisions=(left(emptied),), method="python")
    notes: tuple[str, ...] = ()
    method = "python"
    deadline = thread_time() + options.budget
    try:
        pieces, decisions = _structural(path, texts, deciders, options, deadline)
        follow = options.moves and "follow-move" not in options.disabled
        if follow and texts.base and _unfollowed((pieces, decisions)):
            pieces, decisions = _followed(
                path, texts, deciders, options, deadline, (pieces, decisions)
            )
    except (BudgetExceeded, RecursionError) as error:
        why = (
            f"the time budget of {options.budget:g} s was used up"
            if isinstance(error, BudgetExceeded)
            else "nested too deeply for the structural merge"
        )
        notes, method, decisions = (f"{why}: merged by lines",), "lines", []
        pieces = list(merge_lines(texts).pieces)
    pieces = _joined(pieces)
    if to_crlf:
        pieces = [_crlf(piece) for piece in pieces]
    if bom_side is not None and boms.get(bom_side) and pieces:
        pieces = [UTF8_BOM, *pieces]
    return FileMerge(pieces=tuple(pieces), decisions=tuple(decisions), method=method, notes=notes)


def _emptied(texts: ThreeWay[bytes]) -> Contested | None:
    """A file that one side emptied and the other changed: deleted against changed, as a whole."""
    if not texts.base.strip() or texts.ours == texts.theirs:
        return None
    for side in (Side.OURS, Side.THEIRS):
        other = texts.get(side.other)
        if not texts.get(side).strip() and other != texts.base:
            kind = "delete-change" if side is Side.OURS else "change-delete"
            reason = f"{side.value} emptied the file, {side.other.value} changed it"
            return Contested(symbol="", kind=kind, versions=texts, reason=reason)
    return None


def _structural(
    path: str,
    texts: ThreeWay[bytes],
    deciders: Sequence[Decider],
    options: EngineOptions,
    deadline: float,
    *,
    align: bool = True,
) -> tuple[list[Piece], list[Decision]]:
    """The structural merge, run again with imports kept when the result uses a deleted one.

    With ``align``, a formatting that one side brought in is carried to the other texts first.
    """
    polish = None
    if options.layout and options.formatter and options.formatting is not None:
        polish = Polish(texts, options.formatting, path.endswith(".pyi"))
    items: ThreeWay[Sequence[Item]] = texts.map(lambda text: source_of(text).items())
    keep: frozenset[str] = frozenset()
    sweeps = Sweeps(texts) if options.sweeps and "sweep" not in options.disabled else None
    while True:
        merge = StructuralMerge(
            path,
            deciders,
            deadline,
            versions_rule=options.versions and "larger-version" not in options.disabled,
            keep_names=keep,
            sweeps=sweeps,
            disabled=options.disabled,
            layout=options.layout,
            texts=texts,
        )
        pieces = merge.block(items, "", "")
        if polish is not None:
            if align and relaid(pieces):
                aligned = _aligned(polish, path, pieces, deciders, options, deadline)
                if aligned is not None:
                    return aligned
            align = False
            pieces = polish(pieces)
            if polish.used is not None:
                merge.note_layout(
                    Side.BOTH,
                    f"{polish.count} composed statements formatted by {polish.used}, which gives "
                    "back their versions unchanged",
                )
        if not all(isinstance(piece, bytes) for piece in pieces):
            return pieces, merge.decisions
        result = b"".join(p for p in _joined(pieces) if isinstance(p, bytes))
        mended = imports.reconcile(result, texts, keep)
        if mended is not None and "import-bindings" in options.disabled:
            reason = f"the imports do not fit each other: {'; '.join(mended[1])}"
            open_ = Contested(symbol="", kind="both-changed", versions=texts, reason=reason)
            return [open_], [left(open_)]
        if mended is not None:
            result, notes = mended
            merge.note_imports(notes)
        if sweeps is not None:
            for side, sweep in sweeps.unfinished(result):
                carried = sweeps.carried(sweep, result)
                if carried != result:
                    pairs = zip(result.splitlines(), carried.splitlines(), strict=True)
                    lines = [n for n, (was, now) in enumerate(pairs, 1) if was != now]
                    merge.note_sweep(side, sweep, list(dict.fromkeys(_symbols_at(result, lines))))
                    result = carried
            for side in (Side.OURS, Side.THEIRS):
                for change in sweeps.of_arguments(side):
                    result, lines = carry_on(result, change)
                    merge.note_arguments(side, change, _symbols_at(result, lines))
        missing = _missing_names(result, texts)
        if missing and sweeps is not None:
            for name in sorted(missing):
                found = sweeps.renaming(name)
                if found is not None:
                    merge.note_sweep(*found, _readers(result, name))
                    result = apply(result, [found[1]])
            missing = _missing_names(result, texts)
        if keep or not missing:
            return [result], merge.decisions
        keep = missing


_Result = tuple[list[Piece], list[Decision]]


def _followed(
    path: str,
    texts: ThreeWay[bytes],
    deciders: Sequence[Decider],
    options: EngineOptions,
    deadline: float,
    result: _Result,
) -> _Result:
    """The merge with edits carried to where the other side put their code; as it was if none was."""

    def merge(runs: ThreeWay[Sequence[Item]], scope: str, parent: str) -> bytes | None:
        return merge_runs(runs, scope, parent, deadline=deadline, options=options)

    notes: list[Decision] = []
    try:
        sources = texts.map(source_of)
        for mover in (Side.OURS, Side.THEIRS):
            plans = moves.plans(moves.survey(sources, mover))
            # All at once; when that helps nothing, each for itself.
            for chosen in [plans, *([plan] for plan in plans if len(plans) > 1)]:
                carried = moves.carry(texts, mover, chosen, merge) if chosen else None
                if carried is None:
                    continue
                pieces, decisions = _structural(path, carried.texts, deciders, options, deadline)
                if _unfollowed((pieces, decisions)) < _unfollowed(result):
                    texts = carried.texts
                    sources = texts.map(source_of)
                    notes += (moves.decision(note) for note in carried.notes)
                    result = pieces, decisions
                    break
            if plans:
                result = moves.named(*result, plans, mover)
    except (BudgetExceeded, RecursionError):
        pass  # what was found before is as good as it was
    return result[0], [*result[1], *notes]


def merge_runs(
    runs: ThreeWay[Sequence[Item]],
    scope: str,
    parent: str,
    *,
    deadline: float = float("inf"),
    options: EngineOptions = EngineOptions(),
) -> bytes | None:
    """Merge three runs of statements of one block; ``None`` when something stays open.

    Args:
        runs: The statements.
        scope: Dotted path of the definition around them.
        parent: Its kind, as in :class:`Item`.
        deadline: ``time.thread_time()`` value after which :class:`BudgetExceeded` is raised.
        options: Switches of the engine.
    """
    again = StructuralMerge(
        "",
        (),
        deadline,
        versions_rule=options.versions and "larger-version" not in options.disabled,
        disabled=options.disabled,
        layout=options.layout,
    )
    pieces = again.block(runs, scope, parent)
    settled = [piece for piece in pieces if isinstance(piece, bytes)]
    return b"".join(settled) if len(settled) == len(pieces) else None


def _unfollowed(result: _Result) -> int:
    """How many edits wait for their code to be found: open places, and what a deletion took along."""
    pieces, decisions = result
    return _places(pieces) + sum(
        1
        for decision in decisions
        if decision.strategy.startswith(("deletion-of-", "replaced-"))
        or (decision.strategy == "sweep" and decision.side in {Side.OURS, Side.THEIRS})
    )


def _aligned(
    polish: Polish,
    path: str,
    pieces: Sequence[Piece],
    deciders: Sequence[Decider],
    options: EngineOptions,
    deadline: float,
) -> tuple[list[Piece], list[Decision]] | None:
    """The merge of texts that are all formatted as one side formatted the file.

    ``None`` where no side did, or where it would leave more open than the texts as they are.
    """
    found = polish.aligned()
    if found is None:
        return None
    side, settings, texts = found
    try:
        again, decisions = _structural(path, texts, deciders, options, deadline, align=False)
    except (BudgetExceeded, RecursionError):
        return None  # the merge of the texts as they are is done
    if _places(again) > _places(pieces):
        return None
    reason = (
        f"{side.value} formatted the file by {settings}; what {side.other.value} changed is "
        "formatted the same way"
    )
    return again, [*decisions, decided("", "layout", side, reason)]


def _places(pieces: Sequence[Piece]) -> int:
    """How many places are open."""
    return sum(1 for piece in pieces if isinstance(piece, Contested))


def _readers(result: bytes, name: str) -> list[str]:
    """Dotted paths of the functions and assignments whose text holds a name."""
    token = name.encode()
    symbols = outline(result).symbols.values()
    return [s.path.split("#")[0] for s in symbols if s.kind != "class" and token in s.text]


def _symbols_at(result: bytes, lines: Sequence[int]) -> list[str]:
    """Dotted paths of the functions that hold lines (from 1); the file itself as ``""``."""
    symbols = [s for s in outline(result).symbols.values() if s.kind != "class"]
    starts = [0, *accumulate(map(len, result.splitlines(keepends=True)))]
    found = []
    for line in lines:
        inside = [s for s in symbols if s.start <= starts[line - 1] < s.end]
        found.append(max(inside, key=lambda s: s.start).path.split("#")[0] if inside else "")
    return found


def _missing_names(result: bytes, texts: ThreeWay[bytes]) -> frozenset[str]:
    """Names that the result reads and no longer binds, though both sides alone are whole."""
    found = undefined_names(result)
    if not found:
        return frozenset()
    known = [undefined_names(text) for text in (texts.ours, texts.theirs)]
    return found.difference(*(names or frozenset() for names in known))


def _all_crlf(data: bytes) -> bool:
    return b"\r\n" in data and data.count(b"\r\n") == data.count(b"\n") == data.count(b"\r")


def _crlf(piece: Piece) -> Piece:
    if isinstance(piece, bytes):
        return piece.replace(b"\n", b"\r\n")
    return Contested(
        symbol=piece.symbol,
        kind=piece.kind,
        versions=piece.versions.map(lambda text: text.replace(b"\n", b"\r\n")),
        reason=piece.reason,
    )


def _joined(pieces: Sequence[Piece]) -> list[Piece]:
    """Neighbouring bytes as one piece; every piece but the last ends its line."""
    out: list[Piece] = []
    run: list[bytes] = []
    filled = [p for p in pieces if not isinstance(p, bytes) or p]
    for index, piece in enumerate(filled):
        last = index == len(filled) - 1
        if isinstance(piece, bytes):
            run.append(piece if last else with_final_newline(piece, b"\n"))
            continue
        if run:
            out.append(b"".join(run))
            run = []
        if not last:
            piece = Contested(
                symbol=piece.symbol,
                kind=piece.kind,
                versions=piece.versions.map(lambda text: with_final_newline(text, b"\n")),
                reason=piece.reason,
            )
        out.append(piece)
    if run:
        out.append(b"".join(run))
    return out
