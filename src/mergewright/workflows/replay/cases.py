"""What is replayed: one conflicted file of one historical merge, as a plain value."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One conflicted file of one historical merge.

    Attributes:
        repo: Name of the repository (``owner/name`` in manifests).
        merge: Full id of the commit that holds the accepted result.
        ours, theirs: Full ids of the commits that were merged.
        base: Full id of their one merge base; ``None`` where not recorded.
        path: The contested path.
        blobs: Ids of base, ours and theirs; ``None`` where a side does not have the path.
        accepted_blob: Id of the accepted version; ``None`` where the path was deleted.
        date: When the merge was committed, ISO 8601.
        kind: Why it is contested, as the source of the case calls it.
        label: How people call the merge (a pull request's number, say).
        conflicted: Whether git leaves a conflict; ``False`` for files that both sides changed and
            that a line merge settles.
    """

    repo: str
    merge: str
    ours: str
    theirs: str
    base: str | None
    path: str
    blobs: tuple[str | None, str | None, str | None]
    accepted_blob: str | None
    date: str = ""
    kind: str = "full"
    label: str = ""
    conflicted: bool = True

    @property
    def order(self) -> tuple[str, str, str, str]:
        """Sort key: the deterministic order of every run and report."""
        return (self.repo, self.date, self.merge, self.path)

    @property
    def ident(self) -> str:
        """``repo merge path``: names the case in reports and comparisons."""
        return f"{self.repo} {self.merge} {self.path}"

    @property
    def content_key(self) -> str:
        """Digest of the path and the four texts: what a result without history depends on."""
        return _key(self.path, *self.blobs, self.accepted_blob)

    @property
    def history_key(self) -> str:
        """Digest that names the merged commits as well."""
        return _key(self.content_key, self.ours, self.theirs, self.base)

    @property
    def question_key(self) -> str:
        """Digest of the three versions alone: equal for cases that ask the same."""
        return _key(self.path.rsplit("/", 1)[-1].rsplit(".", 1)[-1], *self.blobs)

    def as_json(self) -> dict[str, Any]:
        """A value for JSON; :func:`case_from_json` reads it."""
        return asdict(self)


def case_from_json(value: dict[str, Any]) -> Case:
    """The inverse of :meth:`Case.as_json`."""
    base, ours, theirs = value["blobs"]
    return Case(**{**value, "blobs": (base, ours, theirs)})


def _key(*parts: str | None) -> str:
    text = "\0".join("-" if part is None else part for part in parts)
    return hashlib.blake2b(text.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


@dataclass(slots=True)
class Tally:
    """Everything that was looked at and is no case, each kind under its own name.

    Attributes:
        counts: Kind of exclusion to number.
        examples: Kind to the first few places.
    """

    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    #: Examples kept for each kind.
    KEPT = 20

    def add(self, kind: str, where: str) -> None:
        """Count one exclusion."""
        self.counts[kind] += 1
        places = self.examples.setdefault(kind, [])
        if len(places) < self.KEPT:
            places.append(where)

    def update(self, other: Tally) -> None:
        """Add all of another tally."""
        self.counts.update(other.counts)
        for kind, places in other.examples.items():
            mine = self.examples.setdefault(kind, [])
            mine.extend(places[: self.KEPT - len(mine)])

    def as_json(self) -> dict[str, dict[str, Any]]:
        """Kind to count and examples, sorted by kind."""
        return {
            kind: {"count": count, "examples": self.examples.get(kind, [])}
            for kind, count in sorted(self.counts.items())
        }


@dataclass(slots=True)
class Collection:
    """Cases to judge, and what was left out.

    Attributes:
        cases: In deterministic order.
        excluded: What is not judged and why.
        seen: What was looked at (merges walked, pull requests listed …), for the report.
    """

    cases: list[Case] = field(default_factory=list)
    excluded: Tally = field(default_factory=Tally)
    seen: Counter[str] = field(default_factory=Counter)

    def sort(self) -> None:
        """Put the cases into the order of the run."""
        self.cases.sort(key=lambda case: case.order)


def merges(cases: Iterable[Case]) -> dict[tuple[str, str], list[Case]]:
    """Cases grouped by merge, in order."""
    groups: dict[tuple[str, str], list[Case]] = {}
    for case in cases:
        groups.setdefault((case.repo, case.merge), []).append(case)
    return groups
