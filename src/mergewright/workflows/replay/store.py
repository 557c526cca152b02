"""Results on disk: a killed run goes on where it was, and peers do not run twice."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from mergewright.model.errors import UsageError
from mergewright.workflows.replay.attempts import Answer, DecisionRecord
from mergewright.workflows.replay.cases import Case
from mergewright.workflows.replay.jobs import Job, Result, Tool
from mergewright.workflows.replay.judge import JUDGE_VERSION, Score, SymbolVerdict, Verdict
from mergewright.workflows.replay.peers import Attempt, limit_of

_FORMAT = 1

# Whether it is worth reading an answer for the sake of its error.
_TIMEOUT = '"error":"timeout after '

_SCHEMA = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS results (
    tool TEXT NOT NULL, version TEXT NOT NULL, judge INTEGER NOT NULL, key TEXT NOT NULL,
    seconds REAL NOT NULL, score TEXT, answer TEXT NOT NULL, output BLOB,
    unusable TEXT NOT NULL,
    PRIMARY KEY (tool, version, judge, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS states (
    judge INTEGER NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, PRIMARY KEY (judge, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS scans (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """One judged result as kept; its text is read on demand.

    Attributes:
        score: The judge's word; ``None`` when the case cannot be judged.
        answer: What the tool said, without its text.
        unusable: Why the case cannot be judged.
        cached: Whether an earlier run left it, so that its time is of that run.
    """

    score: Score | None
    answer: Answer
    unusable: str = ""
    cached: bool = False


class Store:
    """The SQLite file.

    Args:
        path: Where it is; made when missing. ``None`` keeps everything in memory.
    """

    def __init__(self, path: Path | None) -> None:
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._db = sqlite3.connect(":memory:" if path is None else path, timeout=60)
            self._db.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;" + _SCHEMA)
            found = self._db.execute("SELECT value FROM facts WHERE name='format'").fetchone()
        except sqlite3.Error as error:
            raise UsageError(f"{path} cannot be used as a store of results: {error}") from error
        if found is None:
            self._db.execute("INSERT INTO facts VALUES ('format', ?)", (str(_FORMAT),))
            self._db.commit()
        elif found[0] != str(_FORMAT):
            raise UsageError(
                f"{path} has format {found[0]}; this version reads {_FORMAT}.",
                hint="Take another file with --db; results are worked out again.",
            )

    def known(self, tool: Tool, cases: Iterable[Case], limit: float) -> set[int]:
        """Indices of the cases for which the tool's result is there.

        A tool that ran out of time is asked again when it may take longer now.

        Args:
            tool: The tool.
            cases: The cases.
            limit: Seconds that the tool may take in this run.
        """
        found = set()
        for index, case in enumerate(cases):
            row = self._db.execute(
                "SELECT answer FROM results WHERE tool=? AND version=? AND judge=? AND key=?",
                (_name(tool), tool.version, JUDGE_VERSION, tool.key(case)),
            ).fetchone()
            if row is None:
                continue
            spent = limit_of(json.loads(row[0])["error"]) if _TIMEOUT in row[0] else None
            if spent is None or spent >= limit:
                found.add(index)
        return found

    def state(self, case: Case) -> bytes | None:
        """What the judge kept of a case."""
        found = self._db.execute(
            "SELECT value FROM states WHERE judge=? AND key=?", (JUDGE_VERSION, case.content_key)
        ).fetchone()
        return None if found is None else bytes(found[0])

    def put(self, job: Job, results: Iterable[Result]) -> None:
        """Keep the results of one job, all or none."""
        with self._db:
            for result in results:
                case = job.cases[result.case]
                self._db.execute(
                    "INSERT OR REPLACE INTO results VALUES (?,?,?,?,?,?,?,?,?)",
                    (
                        _name(result.tool),
                        result.tool.version,
                        JUDGE_VERSION,
                        result.tool.key(case),
                        result.answer.attempt.seconds,
                        None if result.score is None else _score_text(result.score),
                        _answer_text(result.answer),
                        result.output,
                        result.unusable,
                    ),
                )
                if result.state is not None:
                    self._db.execute(
                        "INSERT OR REPLACE INTO states VALUES (?,?,?)",
                        (JUDGE_VERSION, case.content_key, result.state),
                    )

    def get(self, tool: Tool, case: Case) -> Stored | None:
        """One result, without its text."""
        found = self._db.execute(
            "SELECT score, answer, unusable FROM results"
            " WHERE tool=? AND version=? AND judge=? AND key=?",
            (_name(tool), tool.version, JUDGE_VERSION, tool.key(case)),
        ).fetchone()
        if found is None:
            return None
        score, answer, unusable = found
        return Stored(
            score=None if score is None else _score(json.loads(score)),
            answer=_answer(json.loads(answer)),
            unusable=unusable,
        )

    def output(self, tool: Tool, case: Case) -> bytes | None:
        """The text of one result."""
        import zlib

        found = self._db.execute(
            "SELECT output FROM results WHERE tool=? AND version=? AND judge=? AND key=?",
            (_name(tool), tool.version, JUDGE_VERSION, tool.key(case)),
        ).fetchone()
        return None if found is None or found[0] is None else zlib.decompress(found[0])

    def scan(self, key: str) -> Any:
        """What :meth:`put_scan` kept, ``None`` if nothing."""
        found = self._db.execute("SELECT value FROM scans WHERE key=?", (key,)).fetchone()
        return None if found is None else json.loads(found[0])

    def put_scan(self, key: str, value: Any) -> None:
        """Keep what a walk found out about one commit."""
        with self._db:
            self._db.execute("INSERT OR REPLACE INTO scans VALUES (?,?)", (key, json.dumps(value)))

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


# Under these names results of our own tool are kept.
_OWN_NAMES = {
    "structure": "mergewright/structure",
    "merge": "mergewright",
    "merge-without-history": "mergewright/without-history",
}


def _name(tool: Tool) -> str:
    return tool.name if tool.peer else _OWN_NAMES[tool.mode]


def _score_text(score: Score) -> str:
    return json.dumps(
        {
            "verdict": score.verdict.value,
            "ordered": score.ordered,
            "exact": score.exact,
            "unordered": score.unordered,
            "symbols": {key: value.value for key, value in score.symbols.items()},
            "damaged": list(score.damaged),
            "differing": list(score.differing),
            "hunks": score.hunks,
        },
        separators=(",", ":"),
    )


def _score(value: dict[str, Any]) -> Score:
    return Score(
        verdict=Verdict(value["verdict"]),
        ordered=value["ordered"],
        exact=value["exact"],
        unordered=value["unordered"],
        symbols={key: SymbolVerdict(v) for key, v in value["symbols"].items()},
        damaged=tuple(value["damaged"]),
        differing=tuple(value["differing"]),
        hunks=value["hunks"],
    )


def _answer_text(answer: Answer) -> str:
    attempt = answer.attempt
    return json.dumps(
        {
            "seconds": attempt.seconds,
            "error": attempt.error,
            "deleted": attempt.deleted,
            "strategy": answer.strategy,
            "reason": answer.reason,
            "gates": list(answer.gates),
            "notes": list(answer.notes),
            "merge_seconds": answer.merge_seconds,
            "decisions": [
                [
                    d.symbol,
                    d.outcome,
                    d.strategy,
                    d.side,
                    d.rule,
                    d.reason,
                    [list(e) for e in d.evidence],
                    d.group,
                    d.fate,
                ]
                for d in answer.decisions
            ],
        },
        separators=(",", ":"),
    )


def _answer(value: dict[str, Any]) -> Answer:
    return Answer(
        attempt=Attempt(
            data=None, seconds=value["seconds"], error=value["error"], deleted=value["deleted"]
        ),
        strategy=value["strategy"],
        reason=value["reason"],
        gates=tuple(value["gates"]),
        notes=tuple(value["notes"]),
        merge_seconds=value.get("merge_seconds", 0.0),
        decisions=tuple(
            DecisionRecord(
                symbol=symbol,
                outcome=outcome,
                strategy=strategy,
                side=side,
                rule=rule,
                reason=reason,
                evidence=tuple((kind, text, tuple(ids)) for kind, text, ids in evidence),
                group=group,
                fate=fate,
            )
            for symbol, outcome, strategy, side, rule, reason, evidence, group, fate in value[
                "decisions"
            ]
        ),
    )
