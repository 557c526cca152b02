"""Decision memory: contested things and what was accepted for them before; as values.

A remembered thing is known by its symbol's last name and the layout-free contents of its three versions, so
that it is found again after moves and reformatting. Answers that contradict each other stay remembered, as
contradictory, and decide nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from mergewright.history.locate import symbol_text
from mergewright.history.pieces import code_key, contains_run, is_significant, pieces
from mergewright.history.verdicts import same_code
from mergewright.model.errors import UsageError
from mergewright.model.merge import Answer, Question
from mergewright.model.resolution import Evidence, EvidenceKind
from mergewright.model.threeway import Side

#: Version of the text form and of the keys.
FORMAT = 1
_SECONDS_PER_DAY = 86400


def key_of(question: Question) -> str:
    """What a contested thing is known by."""
    digest = hashlib.blake2b(digest_size=16)
    digest.update(question.symbol.rpartition(".")[2].encode("utf-8", "surrogateescape"))
    for text in question.versions:
        digest.update(b"\0-" if text is None else b"\0+" + code_key(text))
    return digest.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One accepted answer.

    Attributes:
        key: From :func:`key_of`.
        path: Where it stood.
        symbol: Dotted name of the symbol; empty at file level.
        kind: Kind of the contested place.
        side: The side whose text was accepted; ``None`` when it was a text of its own.
        text: The accepted text where no side had it; ``None`` otherwise.
        merge: Full id of the commit where it was accepted.
        time: When that commit was made, seconds since the epoch.
        author: Who made it.
        title: First line of its message.
    """

    key: str
    path: str
    symbol: str
    kind: str
    side: Side | None
    text: bytes | None = field(default=None, repr=False)
    merge: str
    time: int
    author: str
    title: str

    @property
    def answer(self) -> tuple[Side | None, bytes | None]:
        """What was accepted, in a form that equal answers share."""
        return self.side, None if self.text is None else code_key(self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """All that is remembered of one contested thing.

    Attributes:
        memories: Oldest first; never empty.
    """

    memories: tuple[Memory, ...]

    @property
    def contradictory(self) -> bool:
        """Whether different answers were accepted."""
        return len({m.answer for m in self.memories}) > 1

    @property
    def newest(self) -> Memory:
        """The last accepted answer."""
        return self.memories[-1]


def recall(memories: Iterable[Memory]) -> Remembered | None:
    """Put memories of one key together; the same merge counts once."""
    found = {(m.merge, m.path, m.answer): m for m in memories}
    ordered = tuple(sorted(found.values(), key=lambda m: (m.time, m.merge, m.path)))
    return Remembered(memories=ordered) if ordered else None


@dataclass(frozen=True, slots=True)
class MemoryDecider:
    """Answers from memory; made only where a rule file says so.

    Attributes:
        find: Gives the memories of a key.
        now: The time to measure age from, seconds since the epoch.
        expire_days: Memories older than this decide nothing; ``None`` for no limit.
        agreeing: So many accepted merges must agree.
    """

    find: Callable[[str], Sequence[Memory]]
    now: int
    expire_days: int | None = None
    agreeing: int = 1

    def decide(self, question: Question) -> Answer | None:
        """The accepted answer, if all that are remembered agree and are young enough."""
        known = recall(self.find(key_of(question)))
        if known is None or known.contradictory or len(known.memories) < self.agreeing:
            return None
        newest = known.newest
        if (
            self.expire_days is not None
            and self.now - newest.time > self.expire_days * _SECONDS_PER_DAY
        ):
            return None
        if newest.side is not None and question.versions.get(newest.side) is None:
            deleted = True
        else:
            deleted = False
        count = len(known.memories)
        times = "once" if count == 1 else f"{count} times"
        what = (
            "deleted it"
            if deleted
            else f"took {newest.side.value}"
            if newest.side is not None
            else "wrote a text of its own"
        )
        reason = (
            f"The same was settled {times} before; {newest.merge[:10]} ({newest.title}) {what}."
        )
        return Answer(
            strategy="memory",
            reason=reason,
            side=newest.side,
            text=None if newest.side is not None else newest.text,
            evidence=(
                Evidence(
                    kind=EvidenceKind.MEMORY,
                    text=reason,
                    commits=tuple(m.merge for m in known.memories),
                ),
            ),
        )


def accepted_answer(question: Question, accepted: bytes) -> tuple[Side | None, bytes | None] | None:
    """What an accepted file says to a question, or ``None`` where it cannot be told for certain.

    Args:
        question: The contested thing.
        accepted: The whole accepted file.

    Returns:
        A side and no text, or no side and a text of its own.
    """
    ours, theirs = question.versions.ours, question.versions.theirs
    symbol = symbol_text(accepted, question.symbol) if question.symbol else accepted
    if question.kind in _WHOLE:
        if symbol is None:
            side = next(
                (s for s in (Side.OURS, Side.THEIRS) if question.versions.get(s) is None), None
            )
            return None if side is None else (side, None)
        for side in (Side.OURS, Side.THEIRS):
            if same_code(question.versions.get(side), symbol):
                return side, None
        # A text that holds conflict markers was never accepted, whatever the history says.
        return None if b"\n<<<<<<< " in b"\n" + symbol else (None, symbol)
    if symbol is None or not ours or not theirs:
        return None
    # A place inside the symbol: one side's pieces stand there in one run, the other's do not.
    whole = pieces(symbol)
    mine, other = pieces(ours), pieces(theirs)
    if sum(map(is_significant, mine)) == 0 or sum(map(is_significant, other)) == 0:
        return None
    in_ours, in_theirs = contains_run(whole, mine), contains_run(whole, other)
    if in_ours == in_theirs:
        return None
    return (Side.OURS, None) if in_ours else (Side.THEIRS, None)


#: Kinds of questions about a whole symbol.
_WHOLE = ("symbol", "both-added", "delete-change", "change-delete")


def as_text(memories: Iterable[Memory]) -> str:
    """Memories as lines of JSON, sorted, to be shared and reviewed as a text file."""
    ordered = sorted(memories, key=lambda m: (m.path, m.symbol, m.key, m.time, m.merge))
    head = json.dumps({"mergewright-memory": FORMAT})
    return "\n".join([head, *(json.dumps(_plain(memory)) for memory in ordered), ""])


def _plain(memory: Memory) -> dict[str, Any]:
    return {
        "key": memory.key,
        "path": memory.path,
        "symbol": memory.symbol,
        "kind": memory.kind,
        "side": None if memory.side is None else memory.side.value,
        "text": None if memory.text is None else memory.text.decode("latin-1"),
        "merge": memory.merge,
        "time": memory.time,
        "author": memory.author,
        "title": memory.title,
    }


def from_text(text: str) -> tuple[Memory, ...]:
    """Read what :func:`as_text` wrote.

    Raises:
        UsageError: It is no such text, or of another version.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    try:
        head = json.loads(lines[0]) if lines else {}
        if not isinstance(head, dict) or head.get("mergewright-memory") != FORMAT:
            raise UsageError(f"this is no memory file of version {FORMAT}")
        return tuple(_memory(json.loads(line)) for line in lines[1:])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"the memory file cannot be read: {error}") from error


def _memory(data: dict[str, Any]) -> Memory:
    text = data["text"]
    return Memory(
        key=str(data["key"]),
        path=str(data["path"]),
        symbol=str(data["symbol"]),
        kind=str(data["kind"]),
        side=None if data["side"] is None else Side(data["side"]),
        text=None if text is None else str(text).encode("latin-1"),
        merge=str(data["merge"]),
        time=int(data["time"]),
        author=str(data["author"]),
        title=str(data["title"]),
    )
