"""Names that one side changed in the whole tree, for text of the other side that does not know it.

A side renamed an identifier when its base files hold the old name, its own tree holds it nowhere any
more, and token by token the old one was replaced by one new one that base did not have. Such a renaming
is carried into the other side's version of a contested path before it is merged; the renaming is then no
change there, and new code of the other side gets the new name. In files that merged cleanly the old name
is reported.
"""

from __future__ import annotations

import keyword
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from mergewright.model.conflict import Conflict, FileVersion
from mergewright.model.plan import MergePlan, PathPlan
from mergewright.model.resolution import (
    Decision,
    Deferred,
    Evidence,
    EvidenceKind,
    Outcome,
    PathOutcome,
    Resolved,
)
from mergewright.model.threeway import Side, ThreeWay
from mergewright.python.source import raw_tokens, source_of
from mergewright.python.sweeps import Sweep, apply, count_substitutions
from mergewright.resolve.engines import PYTHON_SUFFIXES
from mergewright.resolve.treeconflicts import is_content
from mergewright.rules.trees import Tree, changed_paths
from mergewright.text.lines import common_ends, words_of

#: Shorter names are too common to be told apart from others.
_SHORT = 4
#: Places outside of the file in question that a renaming must stand in, unless a definition is among them.
LEAST_ELSEWHERE = 2
# Bytes of text whose words are told from each other in one go.
_AT_ONCE = 1 << 20
# Larger files are data.
_MOST_BYTES = 2_000_000
#: What in front of a name says how it is meant.
_TELLING = frozenset(
    {b"def", b"class", b"import", b"as", b"for", b"del", b"global", b"nonlocal", b"lambda"}
)
#: What stands before and behind a name.
Use = tuple[bytes, bytes]
# A merge that changes more files than this is not searched: reading them all would take long.
_MOST_FILES = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Renaming:
    """One side's new name for an identifier.

    Attributes:
        side: The side.
        old: The name that it gave up.
        new: The name that it took.
        places: How often it replaced the one by the other, by path.
        definitions: The paths in which a definition of the name was renamed.
    """

    side: Side
    old: bytes
    new: bytes
    places: dict[str, int]
    definitions: frozenset[str]

    def proved_without(self, path: str) -> bool:
        """Whether the renaming is proved by other files than this one."""
        elsewhere = sum(count for name, count in self.places.items() if name != path)
        return elsewhere >= LEAST_ELSEWHERE or bool(self.definitions - {path})

    @property
    def sweep(self) -> Sweep:
        """The renaming as a substitution of tokens."""
        return Sweep((self.old,), (self.new,), self.new, sum(self.places.values()))

    def __str__(self) -> str:
        count, files = sum(self.places.values()), len(self.places)
        where = f"{files} files" if files > 1 else "1 file"
        return f"`{self.old.decode()}` → `{self.new.decode()}` ({count} places in {where})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a side did to the words of the files that it changed.

    Attributes:
        given_up: Words that the files held in base and do not hold any more.
        before: All words that they held in base.
        taken: Files in which the side has words that none of its files had in base.
        holders: The files whose base holds a word that the side gave up.
        come: Words of the lines that are new in a file, at least all that are new in it.
    """

    given_up: frozenset[bytes]
    before: frozenset[bytes]
    taken: frozenset[str]
    holders: dict[bytes, list[str]]
    come: dict[str, set[bytes]]


class Renamings:
    """The renamings of both sides, looked for when a name is asked for.

    Args:
        sides: The trees of base, ours and theirs.
    """

    def __init__(self, sides: ThreeWay[Tree]) -> None:
        self._sides = sides
        self._changed: dict[Side, dict[str, None]] = {}
        #: What is known of the words of a side.
        self.read: dict[Side, Words] = {}
        self._known: dict[Side, dict[bytes, Renaming | None]] = {Side.OURS: {}, Side.THEIRS: {}}
        self._gone: dict[tuple[Side, bytes], bool] = {}
        self._uses: dict[tuple[Side, bytes], frozenset[Use]] = {}
        self._pairs: dict[tuple[Side, str], Counter[tuple[bytes, bytes]]] = {}

    def of(self, side: Side, words: Collection[bytes], path: str = "") -> list[Renaming]:
        """The renamings of a side among some words; :meth:`is_gone` is still to be asked of each.

        Args:
            side: ``OURS`` or ``THEIRS``.
            words: Names that the other side's text holds.
            path: Only those that other files than this one may prove.
        """
        asked = {
            word
            for word in self.given_up(side).intersection(words)
            if not path or self.words(side).holders.get(word, []) != [path]
        }
        known = self._known[side]
        new = {
            word
            for word in asked
            if word not in known and len(word) >= _SHORT and not keyword.iskeyword(word.decode())
        }
        if new:
            known.update((word, self._find(side, word)) for word in new)
        return [found for word in sorted(asked) if (found := known.get(word)) is not None]

    def changed(self, side: Side) -> Collection[str]:
        """The Python files that a side changed, added or deleted."""
        if side not in self._changed:
            self._changed[side] = dict.fromkeys(
                changed_paths(self._sides.base, self._sides.get(side), PYTHON_SUFFIXES)
            )
        return self._changed[side]

    def is_left(self, side: Side, path: str, tree: Tree) -> bool:
        """Whether a tree has a changed file as the side has it: without any word it gave up."""
        entry = tree.entries().get(path)
        return (
            entry is not None
            and path in self.changed(side)
            and entry[1] == self._sides.get(side).entries().get(path, (0, ""))[1]
        )

    def given_up(self, side: Side) -> frozenset[bytes]:
        """Words that the files a side changed held in base and do not hold any more."""
        return self.words(side).given_up

    def words(self, side: Side) -> Words:
        """What a side did to the words of its files; read when asked for."""
        if side not in self.read:
            paths = self.changed(side) if len(self.changed(side)) <= _MOST_FILES else ()
            # Words of lines that a file has before and after say nothing of it.
            gone: dict[str, set[bytes]] = {}
            come: dict[str, set[bytes]] = {}
            kept: set[bytes] = set()
            both: list[bytes] = []
            size = 0
            for path in paths:
                base, now = _text(self._sides.base, path), _text(self._sides.get(side), path)
                start, end = common_ends(base, now)
                old = set(base[start : len(base) - end].split(b"\n"))
                new = set(now[start : len(now) - end].split(b"\n"))
                gone[path], come[path] = _words(old - new), _words(new - old)
                both += [base[:start], base[len(base) - end :], *(old & new)]
                size += len(base)
                if size > _AT_ONCE:
                    kept |= words_of(b"\n".join(both))
                    both, size = [], 0
            kept |= words_of(b"\n".join(both))
            before = kept.union(*gone.values())
            given_up = before.difference(kept, *come.values())
            holders: dict[bytes, list[str]] = {}
            for path, words in gone.items():
                for word in words & given_up:
                    holders.setdefault(word, []).append(path)
            self.read[side] = Words(
                given_up=frozenset(given_up),
                before=frozenset(before),
                taken=frozenset(path for path, words in come.items() if not words <= before),
                holders=holders,
                come=come,
            )
        return self.read[side]

    def may_hold(self, side: Side, path: str) -> bool:
        """Whether a file that the other side changed may hold a name that a side renamed.

        Where the side left the file alone, such a name came with the other side's lines: what base has
        there, the side has still.
        """
        if path in self.changed(side) or len(self.changed(side.other)) > _MOST_FILES:
            return True
        return not self.given_up(side).isdisjoint(self.words(side.other).come.get(path, ()))

    def is_gone(self, renaming: Renaming) -> bool:
        """Whether the old name stands in none of the files that the side did not change, either.

        All of them are read for that: to be asked last.
        """
        key = (renaming.side, renaming.old)
        if key not in self._gone:
            tree, changed = self._sides.get(renaming.side), self.changed(renaming.side)
            self._gone[key] = not any(
                renaming.old in data and renaming.old in words_of(data)
                for path in tree.entries()
                if path.endswith(PYTHON_SUFFIXES) and path not in changed
                if (data := tree.read(path)) is not None
            )
        return self._gone[key]

    def _find(self, side: Side, old: bytes) -> Renaming | None:
        counts: Counter[bytes] = Counter()
        places: dict[bytes, dict[str, int]] = {}
        definitions: dict[bytes, set[str]] = {}
        texts = self._texts(side, old)
        if not any(path in self.words(side).taken for path, _, _ in texts):
            return None  # the new name would be none that base had
        for path, base, now in texts:
            for (before, after), count in self._substitutions(side, path, base, now).items():
                if before != old:
                    continue
                counts[after] += count
                places.setdefault(after, {})[path] = count
                if _defines(base, old) and _defines(now, after):
                    definitions.setdefault(after, set()).add(path)
        if not counts:
            return None
        (new, count), *more = counts.most_common(2)
        if more and more[0][1] * 4 > count:
            return None
        name = new.decode("utf-8", "replace")
        if not name.isidentifier() or keyword.iskeyword(name) or new in self.words(side).before:
            return None
        return Renaming(
            side=side,
            old=old,
            new=new,
            places=places[new],
            definitions=frozenset(definitions.get(new, ())),
        )

    def _texts(self, side: Side, old: bytes) -> list[tuple[str, bytes, bytes]]:
        """The files that lost a name and are still there: path, base and what the side made of it."""
        found = []
        for path in self.words(side).holders.get(old, ()):
            base, now = self._sides.base.read(path), self._sides.get(side).read(path)
            if base is not None and now is not None:
                found.append((path, base, now))
        return found

    def uses(self, renaming: Renaming) -> frozenset[Use]:
        """How the old name stood in base: on what it was called, whether it was bound."""
        key = (renaming.side, renaming.old)
        if key not in self._uses:
            texts = self._texts(*key)
            self._uses[key] = frozenset(
                use for _, base, _ in texts for use in _uses(base, renaming.old)
            )
        return self._uses[key]

    def _substitutions(
        self, side: Side, path: str, base: bytes, now: bytes
    ) -> Counter[tuple[bytes, bytes]]:
        """Single tokens that were replaced by single ones in a file."""
        key = (side, path)
        if key not in self._pairs:
            found: Counter[tuple[bytes, bytes]] = Counter()
            counted = count_substitutions(base, now, self.given_up(side))
            for (old, new), (count, _) in counted.items():
                if len(old) == len(new) == 1:
                    found[old[0], new[0]] += count
            self._pairs[key] = found
        return self._pairs[key]


def _text(tree: Tree, path: str) -> bytes:
    data = tree.read(path)
    return b"" if data is None or len(data) > _MOST_BYTES else data


def _words(lines: set[bytes]) -> set[bytes]:
    return words_of(b"\n".join(lines))


def _uses(data: bytes, name: bytes) -> set[Use]:
    """How a name stands in a text: ``s.`` in front of it or ``def``, ``=`` or ``(`` behind it."""
    tokens = [token for token, _, _ in raw_tokens(source_of(data))]
    found: set[Use] = set()
    for n, token in enumerate(tokens):
        if token != name:
            continue
        before = tokens[n - 1] if n else b""
        if before == b".":
            before = (tokens[n - 2] if n > 1 else b"") + b"."
        elif before not in _TELLING:
            before = b""
        behind = tokens[n + 1] if n + 1 < len(tokens) else b""
        found.add((before, behind if behind in {b"=", b"("} else b""))
    return found


def _defines(data: bytes, name: bytes) -> int:
    return len(re.findall(rb"\b(?:def|class)\s+" + re.escape(name) + rb"\b", data))


# -- contested paths ---------------------------------------------------------------------------------


def carry(
    plan: MergePlan,
    found: Renamings,
    resolve: Callable[[Conflict], PathOutcome],
    *,
    off: Callable[[str], bool],
    known: Callable[[Conflict], tuple[bool, Resolved | None]] = lambda _: (False, None),
) -> tuple[PathPlan, ...]:
    """Decide contested Python paths again with each side's renamings made in the other's text.

    Args:
        plan: The plan so far.
        found: The renamings.
        resolve: Decides one conflict, as the cascade does.
        off: Whether sweeps are switched off for a path.
        known: What was made of a path before, by :func:`again`, and whether it was asked.

    Returns:
        The entries of the plan. A path whose conflict stays open is given back as it was.
    """
    out: list[PathPlan] = []
    for entry in plan.paths:
        outcome = entry.outcome
        made = None
        conflict = entry.conflict
        if conflict is not None and may_carry(conflict, outcome) and not off(entry.path):
            asked, made = known(conflict)
            if not asked:
                made = again(conflict, found, resolve)
        if made is None or (isinstance(outcome, Resolved) and outcome.data == made.data):
            out.append(entry)
        else:
            out.append(replace(entry, outcome=made))
    return tuple(out)


def may_carry(conflict: Conflict, outcome: PathOutcome) -> bool:
    """Whether structure alone decided a Python file, or left it open."""
    if not conflict.path.endswith(PYTHON_SUFFIXES) or not is_content(conflict):
        return False
    if conflict.versions.base is None:
        return False
    if isinstance(outcome, Deferred):
        return outcome.strategy != "leave"
    return isinstance(outcome, Resolved) and outcome.strategy == "python"


def again(
    conflict: Conflict, found: Renamings, resolve: Callable[[Conflict], PathOutcome]
) -> Resolved | None:
    """A contested path decided with each side's renamings in the other's text; ``None`` if nothing comes of it."""
    texts = conflict.texts
    if texts.base is None or texts.ours is None or texts.theirs is None:
        return None
    changed = {Side.BASE: texts.base, Side.OURS: texts.ours, Side.THEIRS: texts.theirs}
    made: list[Renaming] = []
    for side in (Side.OURS, Side.THEIRS):
        other = changed[side.other]
        words = words_of(other)
        for renaming in found.of(side, words, conflict.path):
            if not (
                renaming.proved_without(conflict.path)
                and _fits(renaming, other, texts.base, found)
                and found.is_gone(renaming)
            ):
                continue
            made.append(renaming)
            for which in (Side.BASE, side.other):
                changed[which] = apply(changed[which], [renaming.sweep])
    if not made:
        return None
    versions = ThreeWay(
        base=_with(conflict.versions.base, changed[Side.BASE]),
        ours=_with(conflict.versions.ours, changed[Side.OURS]),
        theirs=_with(conflict.versions.theirs, changed[Side.THEIRS]),
    )
    outcome = resolve(replace(conflict, versions=versions))
    if not isinstance(outcome, Resolved) or outcome.data is None:
        return None
    return replace(outcome, decisions=(*outcome.decisions, *(_decision(r) for r in made)))


def _fits(renaming: Renaming, other: bytes, base: bytes, found: Renamings) -> bool:
    """Whether the other side means the same thing by the old name, and nothing yet by the new one.

    It uses the name only as base did: on the same receivers, bound where base bound it. ``os.path.exists``
    is no ``store.exists``.
    """
    return (
        re.search(rb"\b" + re.escape(renaming.new) + rb"\b", other) is None
        and _defines(other, renaming.old) <= _defines(base, renaming.old)
        and b"\r" not in other
        and _uses(other, renaming.old) <= found.uses(renaming)
    )


def _with(version: FileVersion | None, data: bytes) -> FileVersion | None:
    return None if version is None else version.with_data(data)


def _decision(renaming: Renaming) -> Decision:
    reason = (
        f"{renaming.side.value} renamed {renaming} and left none of the old name; "
        f"the text of {renaming.side.other.value} follows"
    )
    return Decision(
        symbol="",
        outcome=Outcome.RESOLVED,
        strategy="sweep",
        side=Side.NEITHER,
        reason=reason,
        evidence=(Evidence(kind=EvidenceKind.STRUCTURE, text=reason),),
    )


# -- paths that merged cleanly -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class OldName:
    """An old name in a file that merged cleanly.

    Attributes:
        path: The file.
        line: The first line with it, from 1.
        renaming: What the other side made of the name.
    """

    path: str
    line: int
    renaming: Renaming

    def __str__(self) -> str:
        renaming = self.renaming
        return (
            f"{self.path}:{self.line}: `{renaming.old.decode()}` is called `{renaming.new.decode()}` "
            f"by {renaming.side.value}, which renamed it in {len(renaming.places)} "
            f"file{'s' if len(renaming.places) > 1 else ''} and left none"
        )


def old_names(merged: Tree, found: Renamings, side: Side) -> Iterator[OldName]:
    """Names that a side gave up in files which merged cleanly, brought there by the other side's changes.

    Args:
        merged: The cleanly merged files.
        found: The renamings.
        side: The side that renamed.
    """
    if not found.given_up(side):
        return
    for path in found.changed(side.other):
        if found.is_left(side, path, merged) or not found.may_hold(side, path):
            continue
        data = merged.read(path)
        if data is None or len(data) > _MOST_BYTES:
            continue
        for renaming in found.of(side, words_of(data), path):
            if renaming.proved_without(path) and not _defines(data, renaming.old):
                line = _line(data, renaming.old)
                if line and found.is_gone(renaming):
                    yield OldName(path=path, line=line, renaming=renaming)


def _line(data: bytes, name: bytes) -> int:
    """The first line that holds a name in its code; 0 when only strings and comments do."""
    swept = apply(data, [Sweep((name,), (name,), name + b"\0", 0)])
    at = swept.find(b"\0")
    return 0 if at < 0 else data.count(b"\n", 0, at) + 1


def mended(name: OldName, data: bytes, found: Renamings) -> tuple[bytes, Decision] | None:
    """A file that merged cleanly with the new name; ``None`` where that may mean something else.

    Args:
        name: The old name in it.
        data: Its bytes.
        found: The renamings.
    """
    renaming = name.renaming
    if not _fits(renaming, data, b"", found):
        return None
    return apply(data, [renaming.sweep]), _decision(renaming)
