"""Which commits added and dropped a thing, and whether the other side removed it on purpose."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from mergewright.audit.index import Sources
from mergewright.audit.source import Fact, Source, read_source
from mergewright.audit.values import CommitRef, Finding, Tier, Tree, Trees, Verdict
from mergewright.model.threeway import Side


@dataclass(frozen=True, slots=True)
class Change:
    """What one commit did to one path.

    Attributes:
        commit: Full id.
        title: First line of the message.
        old: Blob id before; ``None`` when the commit added the path.
        new: Blob id after; ``None`` when it deleted it.
    """

    commit: str
    title: str
    old: str | None
    new: str | None


#: Changes of some paths on one side since the merge base, oldest first.
History = Callable[[Side, Sequence[str]], Mapping[str, Sequence[Change]]]


class Blame:
    """Asks the history of both sides since the merge base.

    Args:
        trees: The four trees; their blobs and those of the commits between can be read.
        history: The changes of paths.
        sources: The shared sources.
    """

    def __init__(self, trees: Trees, history: History, sources: Sources) -> None:
        self.trees = trees
        self.history = history
        self.sources = sources
        self._counts: dict[tuple[str, bytes], int] = {}

    def _read(self, oid: str) -> Source:
        reader = Tree(files={"x.py": oid}, read=self.trees.ours.read)
        return self.sources.get(reader, "x.py") or read_source(b"")

    def _has(self, oid: str | None, word: bytes, test: Callable[[Source], bool]) -> bool:
        if oid is None or not self._count(oid, word):
            return False
        return test(self._read(oid))

    def _count(self, oid: str | None, word: bytes) -> int:
        """How often a word stands in a version; a commit that keeps the count is not looked into."""
        if oid is None:
            return 0
        key = (oid, word)
        kept = self._counts.get(key)
        if kept is None:
            kept = self._counts[key] = self.trees.ours.read(oid).count(word)
        return kept

    def added(
        self, side: Side, path: str, word: str, test: Callable[[Source], bool]
    ) -> Change | None:
        """The first commit of a side since the base after which a file has something."""
        word_bytes = word.encode()
        for change in self.history(side, [path])[path]:
            if self._count(change.new, word_bytes) == self._count(change.old, word_bytes):
                continue
            if self._has(change.new, word_bytes, test) and not self._has(
                change.old, word_bytes, test
            ):
                return change
        return None

    def removed(
        self, side: Side, path: str, word: str, test: Callable[[Source], bool]
    ) -> Change | None:
        """The last commit of a side since the base after which a file no longer has something."""
        word_bytes = word.encode()
        for change in reversed(self.history(side, [path])[path]):
            if self._count(change.new, word_bytes) == self._count(change.old, word_bytes):
                continue
            if self._has(change.old, word_bytes, test) and not self._has(
                change.new, word_bytes, test
            ):
                return change
        return None

    # -- findings ------------------------------------------------------------------------------

    def prepare(self, findings: Iterable[Finding]) -> None:
        """Ask for all paths at once: one walk a side instead of one a finding."""
        paths = sorted({p for f in findings if f.tier is not Tier.HINT for p in self._paths(f)})
        if paths:
            for side in (Side.OURS, Side.THEIRS):
                self.history(side, paths)

    def _paths(self, finding: Finding) -> list[str]:
        if finding.check.startswith("lost-") or finding.check == "undefined-name":
            return [finding.path]
        return [finding.origin] if finding.origin else []

    def explain(self, finding: Finding) -> Finding:
        """The finding with the commits that it rests on, and its verdict."""
        if finding.tier is Tier.HINT:
            return finding
        if finding.check == "lost-file":
            return self._explain_file(finding)
        if finding.check == "lost-lines":
            return self._explain_lines(finding)
        if finding.check.startswith("lost-"):
            return self._explain_fact(finding)
        if finding.check == "missing-attribute" and finding.origin:
            name = finding.subject.rpartition(".")[2]
            owner = finding.subject.rpartition(".")[0].rsplit(".", 1)[-1]

            def member(source: Source) -> bool:
                return any(
                    (key == owner or key.endswith("." + owner))
                    and (name in cls.members or name in cls.attributes)
                    for key, cls in source.classes.items()
                )

            return self._with_commits(finding, finding.origin, name, member)
        if finding.check == "missing-name" and finding.origin:
            name = finding.subject.rsplit(":", 1)[-1]
            return self._with_commits(finding, finding.origin, name, lambda s: name in s.names)
        if finding.check == "undefined-name":
            name = finding.subject.rsplit(":", 1)[-1]
            return self._with_commits(finding, finding.path, name, lambda s: binds(s, name))
        if finding.check == "call-mismatch" and finding.origin:
            return self._explain_call(finding)
        return finding

    def _explain_call(self, finding: Finding) -> Finding:
        """The commit that gave the function the face that the call does not fit."""
        name = finding.origin_symbol
        merged = self.trees.merged.files.get(finding.origin)
        if merged is None:
            return finding
        face = self._read(merged).functions.get(name)
        if face is None:
            return finding
        side = Side.THEIRS if finding.had == "ours" else Side.OURS

        def same(source: Source) -> bool:
            other = source.functions.get(name)
            return other is not None and other.params == face.params

        change = self._faced(side, finding.origin, name.rsplit(".", 1)[-1], same)
        if change is None:
            return finding
        ref = CommitRef(
            role=f"signature by {side.value}", commit=change.commit, summary=change.title
        )
        return replace(finding, commits=(*finding.commits, ref))

    def _faced(
        self, side: Side, path: str, short: str, same: Callable[[Source], bool]
    ) -> Change | None:
        """The first commit of a side that gave a function its face.

        The name stands as often as before; only commits that touch a header are looked into.
        """
        header = re.compile(
            rb"def[ \t]+"
            + re.escape(short.encode())
            + rb"[ \t]*\(.*?\)[ \t]*(?:->[^:\n]*)?:[ \t]*\r?\n",
            re.DOTALL,
        )

        def headers(oid: str | None) -> list[bytes]:
            return [] if oid is None else header.findall(self.trees.ours.read(oid))

        for change in self.history(side, [path])[path]:
            if change.new is None or headers(change.new) == headers(change.old):
                continue
            if same(self._read(change.new)) and not (
                change.old is not None and same(self._read(change.old))
            ):
                return change
        return None

    def _with_commits(
        self, finding: Finding, path: str, word: str, test: Callable[[Source], bool]
    ) -> Finding:
        refs: list[CommitRef] = []
        if finding.had in {"ours", "theirs"}:
            side = Side(finding.had)
            added = self.added(side, path, word, test)
            if added is not None:
                refs.append(CommitRef(role="added", commit=added.commit, summary=added.title))
            dropped = self.removed(side.other, path, word, test)
            if dropped is not None:
                refs.append(
                    CommitRef(
                        role=f"dropped by {side.other.value}",
                        commit=dropped.commit,
                        summary=dropped.title,
                    )
                )
        return replace(finding, commits=(*finding.commits, *refs)) if refs else finding

    def _explain_fact(self, finding: Finding) -> Finding:
        kind, owner, name = finding.subject.split(":", 2)
        fact = Fact(kind, owner, name)
        word = re.split(r"[^\w-]+", name.split("(")[-1].strip("=)"))[-1] or name
        if kind == "import":
            word = re.split(r"[:. ]", name)[-1]

        def test(source: Source) -> bool:
            return source.facts[fact] > 0

        out = self._with_commits(finding, finding.path, word, test)
        if finding.had not in {"ours", "theirs"}:
            return out
        other = Side(finding.had).other
        for ref in out.commits:
            if ref.role.startswith("dropped by"):
                return _intentional(out, ref)
        holder = owner
        while holder:
            # The other side removed what it stood in: the removal is that commit's.
            if self._symbol_gone(finding.path, holder, other):
                held = holder

                def stands(source: Source, held: str = held) -> bool:
                    return source.span_of(held) is not None

                change = self.removed(other, finding.path, holder.rsplit(".", 1)[-1], stands)
                if change is not None:
                    ref = CommitRef(
                        role=f"dropped by {other.value}", commit=change.commit, summary=change.title
                    )
                    return _intentional(replace(out, commits=(*out.commits, ref)), ref)
            holder = holder.rpartition(".")[0]
        return out

    def _symbol_gone(self, path: str, symbol: str, side: Side) -> bool:
        base = self.trees.base.files.get(path)
        other = self.trees.parent(side).files.get(path)
        if base is None or self._read(base).span_of(symbol) is None:
            return False
        return other is None or self._read(other).span_of(symbol) is None

    def _explain_lines(self, finding: Finding) -> Finding:
        """Lines are removed on purpose when one commit of the other side took all of them."""
        if finding.had not in {"ours", "theirs"}:
            return finding
        side = Side(finding.had)
        parent = self.trees.parent(side).data(finding.path)
        if parent is None:
            return finding
        rows = parent.splitlines()
        wanted = {rows[n - 1].strip() for n in finding.lines if n <= len(rows)}
        for change in reversed(self.history(side.other, [finding.path])[finding.path]):
            if change.old is None:
                continue
            read = self.trees.ours.read
            before = {row.strip() for row in read(change.old).splitlines()}
            after = {row.strip() for row in read(change.new).splitlines()} if change.new else set()
            if wanted <= before and not wanted & after:
                ref = CommitRef(
                    role=f"dropped by {side.other.value}",
                    commit=change.commit,
                    summary=change.title,
                )
                return _intentional(replace(finding, commits=(*finding.commits, ref)), ref)
        for change in self.history(side, [finding.path])[finding.path]:
            if change.new is None:
                continue
            after = {row.strip() for row in self.trees.ours.read(change.new).splitlines()}
            if wanted & after:
                ref = CommitRef(role="added", commit=change.commit, summary=change.title)
                return replace(finding, commits=(*finding.commits, ref))
        return finding

    def _explain_file(self, finding: Finding) -> Finding:
        if finding.had not in {"ours", "theirs"}:
            return finding
        side = Side(finding.had)
        refs = []
        for change in self.history(side, [finding.path])[finding.path]:
            if change.old is None:
                refs.append(CommitRef(role="added", commit=change.commit, summary=change.title))
                break
        for change in reversed(self.history(side.other, [finding.path])[finding.path]):
            if change.new is None:
                ref = CommitRef(
                    role=f"dropped by {side.other.value}",
                    commit=change.commit,
                    summary=change.title,
                )
                return _intentional(replace(finding, commits=(*finding.commits, *refs, ref)), ref)
        return replace(finding, commits=(*finding.commits, *refs))


def binds(source: Source, name: str) -> bool:
    """Whether a file binds a name anywhere: by definition, import or assignment at its top."""
    return name in source.names or any(
        (fact.kind in {"def", "class"} and fact.name == name)
        or (fact.kind == "import" and re.split(r"[:. ]", fact.name)[-1] == name)
        for fact in source.facts
    )


def _intentional(finding: Finding, ref: CommitRef) -> Finding:
    return replace(
        finding,
        verdict=Verdict.INTENTIONAL,
        tier=max(finding.tier, Tier.HINT, key=lambda tier: tier.rank),
        advisory=finding.advisory or f"{ref.role} in {ref.commit[:12]}",
    )
