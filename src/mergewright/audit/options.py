"""Command-line and configuration names: what ``args.X`` reads, and what nobody reads any more."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from functools import cached_property

from mergewright.audit.index import Index
from mergewright.audit.lost import both_touched
from mergewright.audit.source import Fact
from mergewright.audit.values import Finding, Place, Tier, Trees


class _Names:
    """Names of one tree: provided ones with a file each, reads by file, deprecated aliases."""

    def __init__(self, index: Index) -> None:
        self.reads: dict[str, set[str]] = defaultdict(set)
        self.provided: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        for path in index.python_paths:
            found = index.sources.text(index.tree, path)
            for name in found.reads:
                self.reads[name].add(path)
            for name in found.provided:
                self.provided.setdefault(name, path)
            self.aliases.update(found.aliases)


class Options:
    """Checks of argument and option names.

    Args:
        trees: The four trees.
        indexes: Indexes by name.
    """

    def __init__(self, trees: Trees, indexes: Mapping[str, Index]) -> None:
        self.trees = trees
        self.indexes = indexes

    @cached_property
    def _names(self) -> dict[str, _Names]:
        return {name: _Names(index) for name, index in self.indexes.items() if name != "base"}

    def by_text(self) -> list[Finding]:
        """Names that nothing provides, and deprecated ones; asks the text of all files."""
        return [*self._unknown(), *self._aliases()]

    def by_facts(self) -> list[Finding]:
        """Arguments added twice and options without use; asks the facts of files both touched."""
        return [*self._doubled(), *self._unread()]

    def _unknown(self) -> list[Finding]:
        """``args.X`` where a parent provided X and the merged tree does not."""
        merged, ours, theirs = (self._names[n] for n in ("merged", "ours", "theirs"))
        out = []
        for name in sorted(set(merged.reads) - set(merged.provided)):
            had = [
                side
                for side, names in (("ours", ours), ("theirs", theirs))
                if name in names.provided
            ]
            if not had or len(name) < 3:
                continue
            places = [p for path in sorted(merged.reads[name]) for p in self._places(path, name)]
            if not places:
                continue
            side = "both" if len(had) == 2 else had[0]
            who = "both parents" if side == "both" else side
            out.append(
                Finding(
                    check="unknown-argument",
                    tier=Tier.ERROR,
                    subject=f"args.{name}",
                    message=f"`args.{name}` is read, but no argument or field provides it",
                    places=tuple(places),
                    cause=f"{who} provided it; the merge kept the reads alone",
                    had=side,
                    repair=self._successor(name),
                    origin=self._names[had[0]].provided[name],
                    analysers=("options",),
                )
            )
        return out

    def _places(self, path: str, name: str) -> list[Place]:
        """Reads that are new here: not guarded, and not broken in the same way in a parent."""
        data = self.trees.merged.data(path) or b""
        if re.search(rb"(?:has|get)attr\(\s*args\s*,\s*['\"]" + name.encode(), data):
            return []
        known: set[bytes] = set()
        for side in ("ours", "theirs"):
            if name not in self._names[side].provided:
                known |= {
                    row.strip() for row in (self.indexes[side].tree.data(path) or b"").splitlines()
                }
        needle = re.compile(rb"(?<!#)\bargs\." + name.encode() + rb"\b(?!\s*=[^=])")
        source = self.indexes["merged"].source(path)
        out = []
        for number, row in enumerate(data.splitlines(), 1):
            match = needle.search(row)
            if match and row.strip() not in known and b"#" not in row[: match.start()]:
                symbol = source.symbol_at(number) if source is not None else ""
                text = row.decode("utf-8", "replace").strip()
                out.append(Place(path=path, line=number, symbol=symbol, text=text))
        return out

    def _successor(self, name: str) -> str:
        """The argument that took a name's place, where one parent names it."""
        for side in ("ours", "theirs", "merged"):
            new = self._names[side].aliases.get(name)
            if new:
                return f"read `args.{new}`"
        merged, base = self._names["merged"].provided, None
        words = set(name.split("_"))
        close = [
            other
            for other in merged
            if len(words) >= 3
            and len(other.split("_")) == len(words)
            and len(words & set(other.split("_"))) == len(words) - 1
            and other not in self._names["theirs"].provided
        ]
        del base
        return f"perhaps `args.{close[0]}`" if len(close) == 1 else ""

    def _aliases(self) -> list[Finding]:
        """A deprecated alias that the merge reads and ours does not: it is false for the new flag."""
        out = []
        aliases = {**self._names["ours"].aliases, **self._names["merged"].aliases}
        merged, ours, theirs = (self._names[n] for n in ("merged", "ours", "theirs"))
        for old, new in sorted(aliases.items()):
            if old not in merged.provided:
                continue
            # Theirs' own code, written before ours made an alias of the name.
            made_by_ours = old in ours.aliases and old not in theirs.aliases
            for path in sorted(merged.reads.get(old, ())):
                before = self.trees.ours.data(path)
                after = self.trees.merged.data(path)
                if after is None:
                    continue
                before = before or b""
                here = path in ours.reads.get(new, ())
                if not here and not (made_by_ours and path in theirs.reads.get(old, ())):
                    continue
                if after.count(f"args.{old}".encode()) <= before.count(f"args.{old}".encode()):
                    continue
                places = self._places(path, old)
                if places:
                    why = f"ours read `args.{new}` here" if here else f"ours reads `args.{new}`"
                    out.append(
                        Finding(
                            check="deprecated-alias",
                            tier=Tier.REVIEW,
                            subject=f"args.{old}",
                            message=f"`args.{old}` is a deprecated alias that is false when "
                            f"callers pass the new flag; {why}",
                            places=tuple(places),
                            cause="the merge took theirs' older name",
                            had="ours",
                            repair=f"read `args.{new}`",
                            renamed=new,
                            analysers=("options",),
                        )
                    )
        return out

    def _doubled(self) -> list[Finding]:
        """One flag added twice in a file where neither parent does: argparse raises at start."""
        out = []
        for path in both_touched(self.trees):
            if not path.endswith(".py") or path not in self.trees.merged.files:
                continue
            counts = {}
            for name in ("ours", "theirs", "merged"):
                source = self.indexes[name].source(path)
                counts[name] = Counter(
                    {
                        fact.name: sum(
                            n
                            for f, n in source.facts.items()
                            if f.kind == "cliarg" and f.name == fact.name
                        )
                        for fact in source.facts
                        if fact.kind == "cliarg" and fact.name.startswith("-")
                    }
                    if source is not None
                    else {}
                )
            merged = self.indexes["merged"].source(path)
            for flag, count in sorted(counts["merged"].items()):
                if count < 2 or count <= max(counts["ours"][flag], counts["theirs"][flag], 1):
                    continue
                lines = sorted(
                    line
                    for fact, found in (merged.fact_lines if merged else {}).items()
                    if fact.kind == "cliarg" and fact.name == flag
                    for line in found
                )
                out.append(
                    Finding(
                        check="duplicate-argument",
                        tier=Tier.ERROR,
                        subject=f"flag:{flag}",
                        message=f"argument `{flag}` is added {count} times; argparse raises",
                        places=tuple(Place(path=path, line=line) for line in lines[::-1]),
                        cause="both sides' copies were kept",
                        analysers=("options",),
                    )
                )
        return out

    def _unread(self) -> list[Finding]:
        """Options that one side added with their use, of which the merge kept the option alone."""
        candidates: list[tuple[str, str, Fact, int]] = []
        for path in both_touched(self.trees):
            if not path.endswith(".py") or path not in self.trees.merged.files:
                continue
            base, merged = (self.indexes[n].source(path) for n in ("base", "merged"))
            if merged is None:
                continue
            for side in ("ours", "theirs"):
                source = self.indexes[side].source(path)
                if source is None:
                    continue
                for fact in source.facts:
                    if fact.kind != "field" or len(fact.name) < 8 or not merged.facts[fact]:
                        continue
                    if base is not None and base.facts[fact]:
                        continue
                    if "_" not in fact.name or fact.name.isupper():
                        continue
                    candidates.append((path, side, fact, merged.fact_lines[fact][0]))
        readers = self._readers({fact.name for _, _, fact, _ in candidates})
        out = []
        for path, side, fact, line in candidates:
            before = readers[side][fact.name] - {path}
            if not before or readers["merged"][fact.name] - {path}:
                continue
            shown = ", ".join(sorted(before)[:3])
            out.append(
                Finding(
                    check="option-without-use",
                    tier=Tier.REVIEW,
                    subject=f"option:{fact.owner}.{fact.name}",
                    message=f"`{fact.owner}.{fact.name}` is declared, but nothing reads it any "
                    f"more; {side} read it in {shown}",
                    places=(Place(path=path, line=line, symbol=fact.owner),),
                    had=side,
                    cause="the merge kept the option and dropped what used it",
                    analysers=("options",),
                )
            )
        return out

    def _readers(self, names: set[str]) -> dict[str, dict[str, set[str]]]:
        """Tree name to name to the files (tests left out) in which it stands; one pass a blob."""
        out: dict[str, dict[str, set[str]]] = {
            which: defaultdict(set) for which in ("ours", "theirs", "merged")
        }
        if not names:
            return out
        word = re.compile(rb"\w{8,}")
        wanted = {name.encode() for name in names}
        known: dict[str, set[bytes]] = {}
        for which, found in out.items():
            index = self.indexes[which]
            for path in index.python_paths:
                if "test" in path or path.startswith("docs"):
                    continue
                oid = index.tree.files[path]
                here = known.get(oid)
                if here is None:
                    here = known[oid] = wanted & set(word.findall(index.tree.read(oid)))
                for name in here:
                    found[name.decode()].add(path)
        return out
