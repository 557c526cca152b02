"""A debugging aid: the texts of chosen files in a folder, and the largest classes of trouble."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from mergewright.workflows.replay.blobs import BlobReader
from mergewright.workflows.replay.document import result_json
from mergewright.workflows.replay.jobs import Tool, locate
from mergewright.workflows.replay.session import Row
from mergewright.workflows.replay.store import Store


def dump(
    rows: Iterable[Row], tool: Tool, store: Store, repos: str, folder: Path, only: frozenset[str]
) -> int:
    """Write base, ours, theirs, result, accepted and the decisions of each chosen file.

    Args:
        rows: The judged cases.
        tool: Whose results.
        store: Where the results are.
        repos: Folder of repositories.
        folder: A folder is made in it for each file.
        only: The verdicts to choose; ``damage`` chooses files with damaged symbols.

    Returns:
        How many files were chosen.
    """
    readers: dict[str, BlobReader] = {}
    chosen = 0
    for row in rows:
        stored = row.results[tool.name]
        score = stored.score
        if score is None:
            continue
        if score.verdict.value not in only and not ("damage" in only and score.damaged):
            continue
        chosen += 1
        case = row.case
        if case.repo not in readers:
            readers[case.repo] = BlobReader(locate(repos, case.repo))
        reader = readers[case.repo]
        name = f"{case.repo.replace('/', '+')}-{case.merge[:8]}-{case.path.replace('/', '+')}"
        into = folder / score.verdict.value / name[-180:]
        into.mkdir(parents=True, exist_ok=True)
        ending = Path(case.path).suffix or ".txt"
        texts = [None if oid is None else reader.read(oid) for oid in case.blobs]
        texts.append(store.output(tool, case))
        texts.append(None if case.accepted_blob is None else reader.read(case.accepted_blob))
        names = ("base", "ours", "theirs", "result", "accepted")
        for label, text in zip(names, texts, strict=True):
            if text is not None:
                (into / (label + ending)).write_bytes(text)
        about = {"case": case.as_json(), "result": result_json(stored, peer=tool.peer)}
        (into / "about.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")
    for reader in readers.values():
        reader.close()
    return chosen


def classes(rows: Sequence[Row], tool: Tool) -> list[tuple[str, int, int, str]]:
    """The largest classes of open and wrong: ``(class, places, files, an example)``.

    Open places are told by the strategy that gave up and its reason without names; wrong and
    damaged symbols by the strategy that decided them.
    """
    places: Counter[str] = Counter()
    files: dict[str, set[str]] = {}
    example: dict[str, str] = {}
    for row in rows:
        stored = row.results[tool.name]
        if stored.score is None:
            continue
        where = f"{row.case.repo} {row.case.merge[:8]} {row.case.path}"

        def count(name: str, symbol: str, where: str = where) -> None:
            places[name] += 1
            files.setdefault(name, set()).add(where)
            example.setdefault(name, f"{where} {symbol}".strip())

        for gate in stored.answer.gates:
            count(f"gate failed: {gate}", "")
        for decision in stored.answer.decisions:
            if decision.outcome != "resolved":
                count(f"open: {decision.strategy}", decision.symbol)
            elif decision.fate in {"wrong", "damage"}:
                count(f"{decision.fate}: {decision.strategy}", decision.symbol)
        if stored.score.damaged:
            count(f"damage, file {stored.score.verdict.value}", stored.score.damaged[0])
        if stored.answer.attempt.error:
            count("crash: " + stored.answer.attempt.error.strip().splitlines()[-1][:60], "")
    return [(name, n, len(files[name]), example[name]) for name, n in places.most_common()]
