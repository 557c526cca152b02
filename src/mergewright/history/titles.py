"""What commit messages tell: own numbers, numbers of others, trailers, normalised titles, reverts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from mergewright.model.history import CommitFacts

_TAG = re.compile(r"^\s*(?:\[[^\]]{1,40}\]|\([a-z0-9_.\-/ ]{1,24}\))\s*[:\-]?\s*", re.IGNORECASE)
_PREFIX = re.compile(
    r"^\s*(?:feat|fix|chore|ci|docs?|test|tests|build|perf|refactor|style|revert|cp|backport|hotfix"
    r"|cherry-?pick(?:ed)?)(?:\([^)]{0,40}\))?!?\s*:\s*",
    re.IGNORECASE,
)
_IMPORTED = re.compile(r"^\s*(?:[\w.\-]+/[\w.\-]+)?!\d+\s*-\s*")
_NUMBER = re.compile(r"(?<![\w&])[#!](\d{1,7})\b")
_OWN = re.compile(r"\(#(\d{1,7})\)\s*$")
_OWN_IMPORTED = re.compile(r"^\s*(?:[\w.\-]+/[\w.\-]+)?!(\d{1,7})\s*-")
_TRAILING = re.compile(r"\s*\((?:#\d{1,7}|dev|main|[a-z0-9.\-]*\bbranch)\)\s*$", re.IGNORECASE)
_INTO = re.compile(r"\s+in?to\s+`?[\w./\-]+`?\s*$", re.IGNORECASE)
_TRAILER = re.compile(
    r"\(?(?:cherry[ -]picked from(?: commit)?|backport(?:ed)? (?:of|from)(?: commit)?"
    r"|cherry[ -]pick of(?: commit)?)[: ]+([0-9a-f]{7,64})\b",
    re.IGNORECASE,
)
_REVERTED = re.compile(r"^\s*(?:\[[^\]]*\]\s*)*Revert\s+[\"“](.+)[\"”]", re.IGNORECASE)
_REVERTED_ID = re.compile(r"This reverts commit ([0-9a-f]{7,64})", re.IGNORECASE)
_RELAND = re.compile(r"^\s*(?:\[[^\]]*\]\s*)*(?:Re-?apply|Re-?land)\b[\s:\"“]*", re.IGNORECASE)
# A number in the body may name the same work; these words before it say that it does not.
_OTHER_RELATION = re.compile(
    r"(?:fix(?:es|ed)?|clos(?:e|es|ed)|resolv(?:e|es|ed)|revert(?:s|ed)?|see|cf\.?|after|before|needs"
    r"|depends on|blocked by|follow[ -]?up (?:to|of)|unlike|related(?: to)?|issue|bug)[:\s(]*"
    r"(?:(?:pr|mr|pull request|commit)\s*)?$",
    re.IGNORECASE,
)
_BODY_NUMBER = re.compile(r"(?:(?<![\w&/])[#!]|https?://\S+?/(?:pull|merge_requests)/)(\d{1,7})\b")


def _body_numbers(body: str) -> frozenset[int]:
    found: set[int] = set()
    for match in _BODY_NUMBER.finditer(body):
        line = body[body.rfind("\n", 0, match.start()) + 1 : match.start()]
        # A list ("fixes #1, #2") hangs on the words before its first number.
        before = re.split(r"[#!]\d", line, maxsplit=1)[0] if "," in line else line
        if not _OTHER_RELATION.search(before.rstrip(" ,")) and not line.lstrip().startswith("*"):
            found.add(int(match.group(1)))
    return frozenset(found)


@dataclass(frozen=True, slots=True)
class Message:
    """What one commit message says.

    Attributes:
        own: Number of the pull request that landed the commit, if the title ends in one.
        titled: Numbers of other pull requests in the title.
        named: Numbers in the body that no phrase ("fixes #7") declares to be something else.
        picked: Ids (possibly short) of commits that a trailer declares as the source.
        reverts: Normalised title of what it reverts, or ``None``.
        reverted_ids: Ids of commits that the body says are reverted.
        reland: Whether the title says that something is applied again.
        key: The title without tags, prefixes, numbers and punctuation; what remains is compared.
    """

    own: int | None
    titled: frozenset[int]
    named: frozenset[int]
    picked: tuple[str, ...]
    reverts: str | None
    reverted_ids: tuple[str, ...]
    reland: bool
    key: str


def normalise_title(title: str) -> str:
    """The words of a title without tags, conventional prefixes, numbers and punctuation."""
    text = title.strip()
    previous = None
    while previous != text:
        previous = text
        for pattern in (_IMPORTED, _RELAND, _TAG, _PREFIX):
            text = pattern.sub("", text, count=1)
        for pattern in (_TRAILING, _INTO):
            text = pattern.sub("", text, count=1)
        text = text.strip("`'\"“” \t")
    text = _NUMBER.sub(" ", text.lower())
    return " ".join(re.findall(r"[\w]+", text))


@lru_cache(maxsize=65536)
def _read(title: str, body: str) -> Message:
    own_match = _OWN.search(title) or _OWN_IMPORTED.search(title)
    own = int(own_match.group(1)) if own_match else None
    reverted = _REVERTED.search(title)
    return Message(
        own=own,
        titled=frozenset(int(n) for n in _NUMBER.findall(title)) - {own or -1},
        named=_body_numbers(body),
        picked=tuple(_TRAILER.findall(body)),
        reverts=normalise_title(reverted.group(1)) if reverted else None,
        reverted_ids=tuple(_REVERTED_ID.findall(body)),
        reland=bool(_RELAND.match(title)),
        key=normalise_title(title),
    )


def read_message(commit: CommitFacts) -> Message:
    """What the message of a commit says."""
    return _read(commit.title, commit.body)
