"""What history says of the contested symbols of real merges, held against what was accepted.

    python benchmarks/history_verdicts.py MANIFEST... --repositories DIR [--limit N] [--markdown FILE]

For every symbol that both sides changed differently the verdict is asked, whatever structure makes of the
symbol. Printed are the precision of each class of evidence (verdicts that name a side, against accepted
results that are one side's text), the coverage, and the largest kinds of symbols that history cannot
decide, with what was accepted there.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from mergewright.git.repository import Repository
from mergewright.history.merge_history import MergeHistory
from mergewright.model.errors import MergewrightError
from mergewright.model.history import Standing, Verdict
from mergewright.model.threeway import Side, ThreeWay
from mergewright.workflows.history import gather
from mergewright.workflows.replay.blobs import BlobReader, find_repository
from mergewright.workflows.replay.cases import Case
from mergewright.workflows.replay.judge import Judge, python_table
from mergewright.workflows.replay.manifest import read_manifests

KINDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One contested symbol.

    Attributes:
        shape: Kind of symbol, and how the sides differ from the base.
        verdict: What history says; ``None`` of what has no name to follow (an ``if``, an import).
        accepted: ``ours``, ``theirs``, ``base`` or ``neither``.
        where: Repository, merge, path and symbol.
    """

    shape: str
    where: str
    verdict: Verdict | None
    accepted: str


def symbol_of(key: str) -> str | None:
    """The dotted name behind a key of the judge; ``None`` of a statement or an import."""
    name = key.removesuffix("()").replace("=", "")
    if ":" in key or key.startswith("import ") or "#" in key or name.endswith(".doc"):
        return None
    return name if all(part.isidentifier() for part in name.split(".")) else None


def kind_of(key: str) -> str:
    """Function, class header, assignment, import or statement."""
    if key.startswith("import "):
        return "import"
    if key.endswith("()"):
        return "class header"
    if "=" in key:
        return "assignment"
    return "statement" if symbol_of(key) is None else "function"


def judged(history: MergeHistory, case: Case, texts: Sequence[bytes | None]) -> Iterable[Judged]:
    """The contested symbols of one file."""
    judge = Judge(case.path, *texts)
    tables = [
        None if text is None else python_table(text.decode("utf-8", "surrogateescape"))
        for text in texts
    ]
    if any(table is None for table in tables[1:]):
        return
    for key in judge.contested:
        base, ours, theirs, accepted = (
            None if table is None else table.digest(key) for table in tables
        )
        how = (
            "both added"
            if base is None
            else "deleted against changed"
            if ours is None or theirs is None
            else "both changed"
        )
        result = next(
            (
                side
                for side, digest in (("ours", ours), ("theirs", theirs), ("base", base))
                if digest == accepted
            ),
            "neither",
        )
        symbol = symbol_of(key)
        verdict = None if symbol is None else history.symbol_verdict(case.path, symbol)
        yield Judged(
            shape=f"{kind_of(key)}, {how}",
            where=f"{case.ident}::{key}",
            verdict=verdict,
            accepted=result,
        )


def look(cases: Sequence[Case], directory: Path) -> list[Judged]:
    """All contested symbols of one merge."""
    first = cases[0]
    paths: dict[str, ThreeWay[str | None]] = {
        case.path: ThreeWay(base=case.path, ours=case.path, theirs=case.path) for case in cases
    }
    bases = None if first.base is None else (first.base,)
    facts = gather(Repository.open(directory), first.ours, first.theirs, paths, bases=bases)
    history = MergeHistory(facts, paths, names=paths)
    found: list[Judged] = []
    with BlobReader(directory) as blobs:
        for case in cases:
            ids = (*case.blobs, case.accepted_blob)
            texts = [None if oid is None else blobs.read(oid) for oid in ids]
            found += judged(history, case, texts)
    return found


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def tables(found: Sequence[Judged]) -> str:
    """The three tables as Markdown."""
    lines = [
        "| evidence | verdicts that name a side | accepted a side | as the verdict | precision |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    named: dict[str, Counter[str]] = {}
    for item in found:
        if item.verdict is None or item.verdict.ahead is None or item.verdict.evidence is None:
            continue
        counts = named.setdefault(item.verdict.evidence.value, Counter())
        counts["all"] += 1
        if item.accepted in (Side.OURS.value, Side.THEIRS.value):
            counts["either"] += 1
            counts["right"] += item.accepted == item.verdict.ahead.value
    total = sum(named.values(), Counter())
    for name, counts in [
        *sorted(named.items(), key=lambda row: -row[1]["all"]),
        ("all", total),
    ]:
        either, right = counts["either"], counts["right"]
        lines.append(f"| {name} | {counts['all']} | {either} | {right} | {_share(right, either)} |")
    standings = Counter(
        "no name to follow" if item.verdict is None else item.verdict.standing.value
        for item in found
    )
    lines += ["", "| verdict | symbols | share |", "| --- | ---: | ---: |"]
    lines += [f"| {n} | {c} | {_share(c, len(found))} |" for n, c in standings.most_common()]
    lines += [
        "",
        "| what history cannot decide | symbols | ours | theirs | base | neither |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    undecided: dict[str, Counter[str]] = {}
    for item in found:
        verdict = item.verdict
        if verdict is None:
            why = "no name to follow"
        elif verdict.standing is Standing.UNKNOWN:
            why = "no commit ties the two changes together"
        elif verdict.standing is Standing.DIVERGED and verdict.base is None:
            removed = "removed it in" in verdict.reason
            why = "removed by a named commit" if removed else "one work on both sides, both went on"
        else:
            continue
        undecided.setdefault(f"{item.shape}: {why}", Counter())[item.accepted] += 1
    ranked = sorted(undecided.items(), key=lambda row: (-row[1].total(), row[0]))
    for name, counts in ranked[:KINDS]:
        parts = " | ".join(str(counts[side]) for side in ("ours", "theirs", "base", "neither"))
        lines.append(f"| {name} | {counts.total()} | {parts} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run over manifests and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("manifests", nargs="+", type=Path)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--limit", type=int, help="only so many merges")
    parser.add_argument("--markdown", type=Path)
    parser.add_argument(
        "--not-followed",
        action="store_true",
        help="name verdicts that the accepted text contradicts",
    )
    options = parser.parse_args()
    cases = read_manifests(options.manifests).cases
    merges = [list(g) for _, g in groupby(cases, key=lambda c: (c.repo, c.merge))]
    found: list[Judged] = []
    for number, group in enumerate(merges[: options.limit], 1):
        try:
            found += look(group, find_repository(options.repositories, group[0].repo))
        except MergewrightError as error:
            print(f"{group[0].ident}: {error}", file=sys.stderr)
        print(f"\r{number} of {len(merges)} merges", end="", file=sys.stderr)
    print(file=sys.stderr)
    text = tables(found)
    print(text, end="")
    if options.not_followed:
        for one in found:
            side = None if one.verdict is None else one.verdict.ahead
            if one.verdict is not None and side is not None and one.accepted == side.other.value:
                print(f"{one.where}: {one.verdict.standing.value}. {one.verdict.reason}")
    if options.markdown is not None:
        options.markdown.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
