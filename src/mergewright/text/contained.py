"""A place where one side did all that the other did, and more."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from mergewright.model.merge import Answer, Question
from mergewright.model.resolution import Evidence, EvidenceKind
from mergewright.model.threeway import Side, ThreeWay
from mergewright.text.merge import merged_sequence

#: A word. A number, a version or a date is one: its parts mean nothing alone.
WORD = r"\w*\d(?:[\w.+:-]|[,/](?=\d))*\w|\w+"
#: Words and signs; where layout says something, also line starts with their indentation, and blanks.
_WORDS = re.compile(WORD.encode() + rb"|[^\w\s]")
_LAID_OUT = re.compile(rb"\n[ \t]*|[^\S\n]+|" + _WORDS.pattern)
#: In prose: code, and lines whose indentation says something.
_PLACED = re.compile(rb"`|~~~|::|^[ \t]+\S", re.MULTILINE)
#: Above so many words a place is no edit that could be compared word by word.
_MOST = 3000


class Contained:
    """Answers, as a decider, where the merge by words of both edits is one side's text.

    The three texts are merged by words. When no word is contested and the outcome has all the words
    of one side in their order, every edit of the other side is among that side's own.
    """

    strategy = "contained"

    def __init__(self, *, layout: bool) -> None:
        """Make a decider.

        Args:
            layout: Whether blanks, line breaks and indentation say something in the text. Where
                they do not, they still do beside code and in indented lines.
        """
        self._layout = layout

    def decide(self, question: Question) -> Answer | None:
        """The side that contains the other's edit, where both edited what base has."""
        base, ours, theirs = question.versions
        if question.kind != "both-changed" or not base or not ours or not theirs:
            return None
        layout = self._layout or any(_PLACED.search(text) for text in (base, ours, theirs))
        tokens = _LAID_OUT if layout else _WORDS
        side = containing(
            ThreeWay(
                base=tokens.findall(base),
                ours=tokens.findall(ours),
                theirs=tokens.findall(theirs),
            )
        )
        if side is None or _moved(
            base, question.versions.get(side), question.versions.get(side.other)
        ):
            return None
        reason = f"{side.value} made every edit that {side.other.value} made here, and more"
        return Answer(
            strategy=self.strategy,
            side=side,
            reason=reason,
            evidence=(Evidence(kind=EvidenceKind.STRUCTURE, text=reason),),
        )


def _moved(base: bytes, text: bytes | None, other: bytes | None) -> bool:
    """Whether a text has a line at another place that the other side took away."""
    before, here, there = (
        Counter(line.strip() for line in (data or b"").splitlines()) for data in (base, text, other)
    )
    return any(there[line] < before[line] and here[line] > there[line] for line in before if line)


def containing(words: ThreeWay[Sequence[bytes]]) -> Side | None:
    """The side whose words are the outcome of the merge by words; ``None`` when neither's are."""
    if not all(words) or max(len(some) for some in words) > _MOST:
        return None
    if words.ours == words.theirs or words.base in (words.ours, words.theirs):
        return None
    merged = merged_sequence(words)
    if merged == words.ours:
        return Side.OURS
    return Side.THEIRS if merged == words.theirs else None
