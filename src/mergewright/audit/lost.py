"""Lost facts: what both parents had, or one side added since the base, and the merge dropped."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from mergewright.audit.analysers import PYTHON_SUFFIXES
from mergewright.audit.index import Index
from mergewright.audit.source import Fact, Source
from mergewright.audit.values import Finding, Place, Tier, Trees, Verdict

#: Methods of built-in types: a call of one says nothing of a helper of the repository.
_BUILTIN_METHODS = frozenset(
    name
    for kind in (list, dict, set, frozenset, tuple, str, bytes, int, float)
    for name in dir(kind)
)

#: Fact kinds in the order in which a loss is told: an outer loss hides the inner ones.
KINDS = (
    "class",
    "def",
    "field",
    "global",
    "param",
    "cliarg",
    "kwarg",
    "import",
    "export",
    "base",
    "decorator",
    "call",
)

_NOUN = {
    "class": "class",
    "def": "function",
    "field": "class field",
    "global": "module-level name",
    "param": "parameter",
    "cliarg": "command-line argument",
    "kwarg": "keyword argument",
    "import": "import",
    "export": "`__all__` entry",
    "base": "base class",
    "decorator": "decorator",
    "call": "call",
}


@dataclass(frozen=True, slots=True)
class Lost:
    """One lost fact.

    Attributes:
        path: The file.
        fact: What is gone.
        side: ``both``, ``ours`` or ``theirs``: who had it and did not remove it.
        count: How many of it are gone.
        line: Where the side (ours, when both) had it.
    """

    path: str
    fact: Fact
    side: str
    count: int
    line: int


def both_touched(trees: Trees) -> Iterator[str]:
    """Paths where a merge could have lost something.

    A path is left out when the merged version is one that a clean merge of one side's change
    gives: then nothing of the other side was there to lose.
    """
    names = set(trees.ours.files) | set(trees.theirs.files)
    for path in sorted(names):
        base, ours = trees.base.files.get(path), trees.ours.files.get(path)
        theirs, merged = trees.theirs.files.get(path), trees.merged.files.get(path)
        if merged == ours == theirs:
            continue
        if (ours == base and merged == theirs) or (theirs == base and merged == ours):
            continue
        yield path


def required(base: int, ours: int, theirs: int) -> int:
    """How many of a fact a merge must keep, by counts alone.

    What both added may be the same thing, so the larger count counts once; what one side removed
    need not stay.
    """
    if ours >= base and theirs >= base:
        return max(ours, theirs)
    return max(0, ours + theirs - base)


class LostFacts:
    """Finds lost facts in Python files.

    Args:
        trees: The four trees.
        indexes: Indexes of ``base``, ``ours``, ``theirs`` and ``merged``.
    """

    def __init__(self, trees: Trees, indexes: Mapping[str, Index]) -> None:
        self.trees = trees
        self.indexes = indexes

    @cached_property
    def paths(self) -> list[str]:
        """Python files in which something could be lost."""
        return [path for path in both_touched(self.trees) if path.endswith(PYTHON_SUFFIXES)]

    def _facts(self, name: str, path: str) -> Source:
        return self.indexes[name].source(path) or Source()

    def lost(self) -> list[Lost]:
        """All lost facts of files that are still there; outermost losses only."""
        out: list[Lost] = []
        for path in self.paths:
            if path in self.trees.merged.files:
                out.extend(self._lost_in(path))
        return self._without_moved(out)

    def _lost_in(self, path: str) -> Iterator[Lost]:
        base, ours, theirs, merged = (
            self._facts(name, path) for name in ("base", "ours", "theirs", "merged")
        )
        if ours.error or theirs.error or merged.error or base.error:
            return
        if path not in self.trees.ours.files or path not in self.trees.theirs.files:
            # One side does not have the file at all: all of the other's facts are its own.
            if path not in self.trees.ours.files:
                ours = base if path in self.trees.base.files else Source()
            else:
                theirs = base if path in self.trees.base.files else Source()
        gone: list[Lost] = []
        totals = {
            name: _by_name(source.facts)
            for name, source in (("ours", ours), ("theirs", theirs), ("merged", merged))
        }
        for fact in set(ours.facts) | set(theirs.facts):
            b, o = base.facts[fact], ours.facts[fact]
            t, m = theirs.facts[fact], merged.facts[fact]
            need = required(b, o, t)
            if m >= need:
                continue
            if min(o, t) > m and need > m:
                side = "both"
            elif o > b and o > m:
                side = "ours"
            elif t > b and t > m:
                side = "theirs"
            else:
                continue
            key = (fact.kind, fact.name)
            if fact.kind not in {"param", "decorator", "base", "field"} and totals["merged"][
                key
            ] >= max(totals["ours"][key], totals["theirs"][key]):
                continue
            source = theirs if side == "theirs" else ours
            lines = source.fact_lines.get(fact) or [0]
            gone.append(Lost(path, fact, side, need - m, lines[0]))
        yield from outermost(gone, merged)

    def _without_moved(self, lost: list[Lost]) -> list[Lost]:
        """Drop definitions that stand in another file of the merged tree that gained them."""
        wanted = {
            (entry.fact.kind, entry.fact.name)
            for entry in lost
            if entry.fact.kind in {"def", "class", "global", "cliarg", "field"}
        }
        needle = re.compile(
            rb"\b(?:" + b"|".join(sorted({re.escape(n.encode()) for _, n in wanted})) + rb")\b"
        )
        gained: set[tuple[str, str, str]] = set()
        merged, ours, theirs = self.trees.merged, self.trees.ours, self.trees.theirs
        for path, oid in merged.files.items():
            if not wanted or not path.endswith(PYTHON_SUFFIXES):
                continue
            in_ours, in_theirs = ours.files.get(path), theirs.files.get(path)
            if oid == in_ours == in_theirs or not needle.search(merged.read(oid)):
                continue
            here = _by_name(self._facts("merged", path).facts)
            for key in wanted & set(here):
                for name, other in (("ours", in_ours), ("theirs", in_theirs)):
                    if oid == other:
                        continue
                    before = _by_name(self._facts(name, path).facts) if other else Counter()
                    if here[key] > before[key]:
                        gained.add((key[0], key[1], name))
        out = []
        for entry in lost:
            key = (entry.fact.kind, entry.fact.name)
            sides = ("ours", "theirs") if entry.side == "both" else (entry.side,)
            if all((key[0], key[1], side) in gained for side in sides):
                continue
            out.append(entry)
        return out

    def files(self) -> list[tuple[str, str]]:
        """Lost files of any kind with who had them; renamed ones left out."""
        merged_ids = set(self.trees.merged.files.values())
        out = []
        for path in both_touched(self.trees):
            if path in self.trees.merged.files:
                continue
            base = self.trees.base.files.get(path)
            ours, theirs = self.trees.ours.files.get(path), self.trees.theirs.files.get(path)
            if ours is not None and theirs is not None:
                side = "both"
            elif base is None:
                side = "ours" if ours is not None else "theirs"
            elif ours not in (None, base) or theirs not in (None, base):
                # One side deleted it, the other changed it: the deletion stood.
                side = "ours" if ours is not None else "theirs"
            else:
                continue
            if (ours or theirs) in merged_ids:
                continue
            out.append((path, side))
        return out

    def findings(self) -> list[Finding]:
        """Lost facts and files as findings, without commits or patches."""
        out = [self._finding(entry) for entry in self.lost()]
        return [f for f in out if f is not None] + [
            self._file_finding(path, side) for path, side in self.files()
        ]

    def _finding(self, entry: Lost) -> Finding | None:
        fact, path = entry.fact, entry.path
        merged = self._facts("merged", path)
        tier = Tier.ERROR if entry.side == "both" else Tier.REVIEW
        advisory = ""
        if fact.kind == "import":
            bound = fact.name.rsplit(" as ", 1)[-1].rsplit(":", 1)[-1].split(".")[0]
            if bound != "*" and bound not in merged.used and not _reexported(self, path, bound):
                tier, advisory = Tier.HINT, "the name is no longer used in this file"
        if fact.kind == "call" and not self._own_helper(fact.name):
            return None
        if fact.kind == "call" and entry.side == "both":
            # The body was rewritten by both sides: counts of calls alone prove no loss.
            tier, advisory = Tier.REVIEW, "a call may have been folded into another"
        holder = merged.span_of(fact.owner) if fact.owner else None
        where = Place(path=path, line=holder.start if holder else 0, symbol=fact.owner, text="")
        had = {"both": "both parents", "ours": "ours", "theirs": "theirs"}[entry.side]
        inside = f" in `{fact.owner}`" if fact.owner else ""
        times = f" ({entry.count} times)" if entry.count > 1 else ""
        verb = "had" if entry.side == "both" else "added"
        return Finding(
            check=f"lost-{_SLUG.get(fact.kind, fact.kind)}",
            tier=tier,
            subject=f"{fact.kind}:{fact.owner}:{fact.name}",
            message=f"{_NOUN[fact.kind]} `{fact.name}`{inside} is gone{times}; {had} {verb} it",
            places=(where,),
            had=entry.side,
            verdict=Verdict.ACCIDENT,
            advisory=advisory,
            analysers=("facts",),
        )

    def _own_helper(self, callee: str) -> bool:
        """Whether a call's last name is defined once or more in files of this merge's interest."""
        head, _, short = callee.rpartition(".")
        short = short.removesuffix("()")
        if head and short in _BUILTIN_METHODS and head not in {"self", "cls"}:
            return False
        return short in self._defined and not short.startswith("__")

    @cached_property
    def _defined(self) -> frozenset[str]:
        names: set[str] = set()
        for path in self.paths:
            for name in ("ours", "theirs", "merged"):
                source = self._facts(name, path)
                names.update(f.name for f in source.facts if f.kind in {"def", "class"})
        return frozenset(names)

    def _file_finding(self, path: str, side: str) -> Finding:
        had = "both parents" if side == "both" else side
        deleted = path in self.trees.base.files and side != "both"
        reason = (
            f"{'theirs' if side == 'ours' else 'ours'} deleted it, {had} went on changing it"
            if deleted
            else f"{had} {'had' if side == 'both' else 'added'} it"
        )
        return Finding(
            check="lost-file",
            tier=Tier.ERROR if side == "both" else Tier.REVIEW,
            subject=f"file:{path}",
            message=f"{path} is gone; {reason}",
            places=(Place(path=path),),
            had=side,
            verdict=Verdict.ACCIDENT,
            analysers=("facts",),
        )


_SLUG = {
    "def": "function",
    "param": "parameter",
    "kwarg": "keyword",
    "cliarg": "command-line-argument",
    "global": "name",
    "base": "base-class",
}


def _reexported(facts: LostFacts, path: str, name: str) -> bool:
    """Whether another file of the merged tree imports a name from this module."""
    index = facts.indexes["merged"]
    module = index.module_of(path)
    for other in index.readers(name):
        source = index.source(other)
        if other == path or source is None:
            continue
        for entry in source.imports.values():
            if entry.name == name and index.absolute(other, entry) == module:
                return True
    return False


def _by_name(facts: Mapping[Fact, int]) -> Counter[tuple[str, str]]:
    out: Counter[tuple[str, str]] = Counter()
    for fact, count in facts.items():
        out[fact.kind, fact.name] += count
    return out


def outermost(lost: Iterable[Lost], merged: Source) -> Iterator[Lost]:
    """Losses whose owner still stands; those inside a lost definition are told by it."""
    entries = list(lost)
    gone = {
        f"{e.fact.owner}.{e.fact.name}" if e.fact.owner else e.fact.name
        for e in entries
        if e.fact.kind in {"def", "class"}
    }
    standing = set(merged.functions) | set(merged.classes)
    by_owner: dict[str, list[Lost]] = defaultdict(list)
    for entry in sorted(entries, key=lambda e: (KINDS.index(e.fact.kind), e.line)):
        owner = entry.fact.owner
        if owner and owner not in standing:
            # Its holder is gone as well: told by the holder, or removed on purpose with it.
            continue
        if owner and any(owner == g or owner.startswith(g + ".") for g in gone):
            continue
        by_owner[owner].append(entry)
    for group in by_owner.values():
        calls = {e.fact.name for e in group if e.fact.kind == "call"}
        for entry in group:
            if entry.fact.kind == "kwarg" and entry.fact.name.split("(")[0] in calls:
                continue
            yield entry
