"""The loaded rules: which rule speaks for a path or a contested symbol. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mergewright.formats.options import FormatOptions
from mergewright.model.conflict import Conflict
from mergewright.model.history import HistorySource, Verdict
from mergewright.model.merge import Answer, Question
from mergewright.model.resolution import Evidence, EvidenceKind
from mergewright.model.threeway import Side, ThreeWay
from mergewright.python.engine import EngineOptions
from mergewright.rules.abstraction import with_abstraction
from mergewright.rules.patterns import matches
from mergewright.rules.union import union
from mergewright.rules.versions import larger
from mergewright.rules.words import Action, Changed, Follow, Level

if TYPE_CHECKING:
    from mergewright.rules.schema import Match, MemorySection, Rule, RuleFile


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedRule:
    """A rule with its place.

    Attributes:
        rule: The rule as the schema reads it.
        file: Name of the file it stands in.
        line: Line of its first key, from 1.
    """

    rule: Rule
    file: str
    line: int

    @property
    def id(self) -> str:
        """Name of the rule."""
        return self.rule.id

    @property
    def place(self) -> str:
        """``file:line`` for messages."""
        return f"{self.file}:{self.line}"

    def evidence(self) -> tuple[Evidence, ...]:
        """The rule as evidence, with the commits that it cites."""
        text = f"rule '{self.rule.id}' ({self.place}): {self.rule.reason}"
        return (Evidence(kind=EvidenceKind.RULE, text=text, commits=self.rule.commit),)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRule:
    """What the rules say of a whole path.

    Attributes:
        action: ``pinned``, ``take-ours``, ``take-theirs``, ``union``, ``leave``, ``coupled``,
            ``regenerate``, ``by-need`` or ``newer``.
        side: Where the path comes from as a whole, ``None`` when the action takes no side.
        loaded: The deciding rule.
    """

    action: Action
    side: Side | None
    loaded: LoadedRule

    @property
    def id(self) -> str:
        """Id of the deciding rule."""
        return self.loaded.id

    @property
    def reason(self) -> str:
        """The rule's reason; of a generated file also how it is made again."""
        from mergewright.rules.schema import RegenerateRule

        rule = self.loaded.rule
        if not isinstance(rule, RegenerateRule):
            return rule.reason
        how = f"run {shlex.join(rule.command)}" if rule.command else rule.manual
        return f"{rule.reason}; to make it again: {how}"

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """The rule as evidence."""
        return self.loaded.evidence()

    @property
    def applies_to_clean(self) -> bool:
        """Whether it also speaks where the merge is clean."""
        return self.loaded.rule.applies_to_clean


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleWarning:
    """Something about the rules that a reader should know.

    Attributes:
        rule: Id of the rule.
        place: ``file:line``.
        text: One sentence.
    """

    rule: str
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: rule '{self.rule}' {self.text}"


#: Actions that give no answer where they cannot prove one; they hide no later rule.
_PROVING = {Action.LARGER, Action.PREFER_ABSTRACTION, Action.MERGE_FROM_COMMON}

_WORDS = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")

_SIDES = {
    Action.TAKE_OURS: Side.OURS,
    Action.PINNED: Side.OURS,
    Action.TAKE_THEIRS: Side.THEIRS,
}


def _side(rule: Rule) -> Side | None:
    from mergewright.rules.schema import CoupledRule, RegenerateRule

    if isinstance(rule, CoupledRule | RegenerateRule):
        return Side(rule.side.value)
    return _SIDES.get(rule.action)


def _changed(match: Match, versions: ThreeWay[object]) -> bool:
    if match.changed is None:
        return True
    ours = versions.ours != versions.base
    theirs = versions.theirs != versions.base
    return {
        Changed.OURS: ours and not theirs,
        Changed.THEIRS: theirs and not ours,
        Changed.BOTH: ours and theirs,
    }[match.changed]


def _mentions(match: Match, question: Question) -> bool:
    """Whether a side's text holds one of the identifiers that the other side's does not."""
    for words, side in ((match.ours_mentions, Side.OURS), (match.theirs_mentions, Side.THEIRS)):
        if words is None:
            continue
        has = set(_WORDS.findall(question.versions.get(side) or b""))
        lacks = set(_WORDS.findall(question.versions.get(side.other) or b""))
        if not any(word.encode() in has - lacks for word in words):
            return False
    return True


def path_matches(match: Match, path: str) -> bool:
    """Whether the path keys of a match agree with a path."""
    if match.path is not None and not matches(match.path, path, "/"):
        return False
    return not (match.except_ and matches(match.except_, path, "/"))


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleBook:
    """All rules of a run, in order; the first that matches decides.

    Attributes:
        rules: The rules with their places.
        files: The rule files that they come from, the user's first.
    """

    rules: tuple[LoadedRule, ...] = ()
    files: tuple[RuleFile, ...] = ()

    def for_path(
        self,
        subject: Conflict | str,
        *,
        versions: ThreeWay[Any] | None = None,
    ) -> PathRule | None:
        """The rule that speaks for a whole path.

        Args:
            subject: A contested path, or the name of a path that merged cleanly; for the latter
                only rules are asked that also speak for clean merges.
            versions: For a clean path, something that tells its three versions apart (object
                ids), for rules that ask which side changed; without it such rules do not match.
        """
        conflict = subject if isinstance(subject, Conflict) else None
        path = conflict.path if conflict is not None else str(subject)
        names = (path, *conflict.related) if conflict is not None else (path,)
        compared: ThreeWay[object] | None = versions
        if conflict is not None:
            compared = conflict.versions.map(
                lambda version: None if version is None else (version.oid, version.mode)
            )
        for loaded in self.rules:
            rule = loaded.rule
            match = rule.match
            if rule.level is not Level.PATH:
                continue
            if conflict is None and not rule.applies_to_clean:
                continue
            if not any(path_matches(match, name) for name in names):
                continue
            if match.kind is not None and (conflict is None or conflict.kind not in match.kind):
                continue
            if match.changed is not None and (compared is None or not _changed(match, compared)):
                continue
            if (
                rule.action is Action.REGENERATE
                and conflict is None
                and compared is not None
                # What one side alone changed comes whole from that side already.
                and compared.base in (compared.ours, compared.theirs)
            ):
                continue
            return PathRule(action=rule.action, side=_side(rule), loaded=loaded)
        return None

    @property
    def speaks_for_clean_paths(self) -> bool:
        """Whether any rule may change a path that merged cleanly."""
        return any(
            loaded.rule.level is Level.PATH and loaded.rule.applies_to_clean
            for loaded in self.rules
        )

    def engine_options(self, path: str = "") -> EngineOptions:
        """The Python engine's switches for a path: the first file that says one decides it."""
        names = {"versions", "sweeps", "layout", "formatter", "budget"}
        said = {k: v for k, v in self._said().items() if k in names}
        if "sweeps" in said:
            said["sweeps"] = said["sweeps"] is not False
        return EngineOptions(disabled=self.disabled(path), **said)

    @property
    def sweeps_everywhere(self) -> bool:
        """Whether renamings proved from the trees also change files that merged cleanly."""
        return bool(self._said().get("sweeps") == "everywhere")

    def format_options(self, path: str = "") -> FormatOptions:
        """The switches of the merges by format for a path."""
        said = {k: v for k, v in self._said().items() if k in {"pins", "golden", "prose"}}
        if self._said().get("versions") is False:
            said = {"versions": "off", **said}
        return FormatOptions(disabled=self.disabled(path), **said)

    def disabled(self, path: str = "") -> frozenset[str]:
        """Names of the strategies that settle nothing in a file; all files' words add up."""
        return frozenset(
            switch.strategy
            for file in self.files
            for switch in file.engine.off
            if (switch.path is None or matches(switch.path, path, "/"))
            and not (switch.except_ and matches(switch.except_, path, "/"))
        )

    def _said(self) -> dict[str, Any]:
        said: dict[str, Any] = {}
        for file in self.files:
            for name in file.engine.model_fields_set:
                value = getattr(file.engine, name)
                if value is not None:
                    said.setdefault(name, value)
        return said

    @property
    def memory(self) -> MemorySection | None:
        """How earlier decisions may settle conflicts; ``None`` where no file lets them."""
        said = next((file.memory for file in self.files if file.memory is not None), None)
        return said if said is not None and said.use else None

    def steps(self) -> tuple[LoadedRule, ...]:
        """The rules that work on what was merged, in file order."""
        return tuple(loaded for loaded in self.rules if loaded.rule.level is Level.STEP)

    def audited(self, path: str) -> tuple[Follow, ...]:
        """The checks that the deciding rules ask for on a path."""
        from mergewright.rules.schema import DecidingRule

        found: dict[Follow, None] = {}
        for loaded in self.rules:
            if isinstance(loaded.rule, DecidingRule) and path_matches(loaded.rule.match, path):
                found.update(dict.fromkeys(loaded.rule.audit))
        return tuple(found)

    def find(self, name: str) -> LoadedRule | None:
        """The rule of an id."""
        return next((loaded for loaded in self.rules if loaded.id == name), None)

    def decider(
        self, path: str, history: HistorySource | None = None, *, groups: bool = False
    ) -> RuleDecider:
        """What the symbol rules say to the questions of one file.

        Args:
            path: The path of the file.
            history: What history says, for rules that match it; without it they never match.
            groups: Only the rules that decide a group: somebody looked at that work as a whole, so
                they are asked before history.
        """
        rules = tuple(
            loaded
            for loaded in self.rules
            if loaded.rule.level is Level.SYMBOL
            and path_matches(loaded.rule.match, path)
            and (not groups or loaded.rule.match.group is not None)
        )
        return RuleDecider(rules=rules, history=history)

    def clean_decider(self, path: str, history: HistorySource) -> RuleDecider:
        """What the rules that match history say of places of a file that merged cleanly."""
        rules = tuple(
            loaded
            for loaded in self._clean_symbol_rules()
            if loaded.rule.match.group is None and path_matches(loaded.rule.match, path)
        )
        return RuleDecider(rules=rules, history=history)

    def clean_groups(self) -> tuple[tuple[LoadedRule, Side], ...]:
        """The rules that decide groups also where they merged cleanly, each with its side."""
        return tuple(
            (loaded, _SIDES[loaded.rule.action])
            for loaded in self._clean_symbol_rules()
            if loaded.rule.match.group is not None
        )

    @property
    def speaks_for_clean_symbols(self) -> bool:
        """Whether any rule by history or group may change what merged cleanly."""
        return bool(self._clean_symbol_rules())

    def _clean_symbol_rules(self) -> tuple[LoadedRule, ...]:
        return tuple(
            loaded
            for loaded in self.rules
            if loaded.rule.level is Level.SYMBOL and loaded.rule.applies_to_clean
        )

    def unused(self, used: Collection[str]) -> tuple[RuleWarning, ...]:
        """A warning for each rule that matched nothing in a merge.

        Args:
            used: Ids of the rules that decided something, or were applied.
        """
        return tuple(
            RuleWarning(rule=loaded.id, place=loaded.place, text="matched nothing in this merge")
            for loaded in self.rules
            if loaded.id not in used
        )

    def shadowed(self) -> tuple[RuleWarning, ...]:
        """A warning for each rule that an earlier one keeps from ever being asked."""
        found: list[RuleWarning] = []
        for index, later in enumerate(self.rules):
            if later.rule.level is Level.STEP:
                continue
            for earlier in self.rules[:index]:
                if _covers(earlier.rule, later.rule):
                    found.append(
                        RuleWarning(
                            rule=later.id,
                            place=later.place,
                            text=f"is never asked: '{earlier.id}' ({earlier.place}) matches all "
                            "that it matches",
                        )
                    )
                    break
        return tuple(found)


def _covers_patterns(
    wide: tuple[str, ...] | None, narrow: tuple[str, ...] | None, separator: str
) -> bool:
    """Whether all that ``narrow`` matches is surely matched by ``wide``."""
    if wide is None:
        return True
    if narrow is None:
        return all(set(pattern) == {"*"} and len(pattern) == 2 for pattern in wide[:1])
    # A pattern read as a text: where it matches itself as a name, its wildcards fall inside those
    # of the wider one. Only '**', '*' and literals are judged; classes never count as covered.
    for pattern in narrow:
        if pattern in wide:
            continue
        if any(char in pattern for char in "?["):
            return False
        probes = [pattern.replace("**", word).replace("*", "x") for word in ("y", f"y{separator}z")]
        if "**" in pattern:
            probes.append(pattern.replace(f"**{separator}", "").replace("*", "x"))
        if not all(any(matches((w,), probe, separator) for w in wide) for probe in probes):
            return False
        if "*" in pattern and not any("*" in w for w in wide):
            return False
    return True


def _covers(earlier: Rule, later: Rule) -> bool:
    a, b = earlier.match, later.match
    if earlier.level is not later.level or earlier.action in _PROVING:
        return False
    if later.applies_to_clean and not earlier.applies_to_clean:
        return False
    if a.except_ and a.except_ != b.except_:
        return False
    if not _covers_patterns(a.path, b.path, "/"):
        return False
    if not _covers_patterns(a.symbol, b.symbol, "."):
        return False
    for wide, narrow in (
        (a.kind, b.kind),
        (a.place, b.place),
        (a.history, b.history),
        (a.group, b.group),
    ):
        if wide is not None and (narrow is None or not set(narrow) <= set(wide)):
            return False
    if a.changed is not None and a.changed is not b.changed:
        return False
    if (a.ours_mentions, a.theirs_mentions) not in (
        (None, None),
        (b.ours_mentions, b.theirs_mentions),
    ):
        return False
    # The command of a generated file is run whoever decides where the file comes from.
    if later.action is Action.REGENERATE and earlier.action is Action.COUPLED:
        return False
    if a.evidence is None:
        return True
    return b.evidence is not None and b.evidence.at_least(a.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleDecider:
    """The symbol rules for one file, as an engine asks them."""

    rules: tuple[LoadedRule, ...]
    history: HistorySource | None = None

    def decide(self, question: Question) -> Answer | None:
        """The answer of the first rule that matches, ``None`` when none does."""
        verdict: Verdict | None = None
        for loaded in self.rules:
            match = loaded.rule.match
            if match.symbol is not None and not matches(match.symbol, question.symbol, "."):
                continue
            if match.place is not None and question.kind not in match.place:
                continue
            if not _changed(match, question.versions.map(lambda text: text)):
                continue
            if not _mentions(match, question):
                continue
            if match.history is not None or match.group is not None:
                if self.history is None:
                    continue
                if verdict is None:
                    verdict = self.history.verdict(question)
            if match.group is not None and not _of_group(match.group, verdict):
                continue
            if match.history is not None and verdict is not None:
                if verdict.standing not in match.history:
                    continue
                if match.evidence is not None and (
                    verdict.evidence is None or not verdict.evidence.at_least(match.evidence)
                ):
                    continue
            answer = _answer(loaded, question, verdict if match.history or match.group else None)
            if answer is not None:
                return answer
        return None


def _of_group(groups: tuple[str, ...], verdict: Verdict | None) -> bool:
    """Whether one of the groups is the work that a place belongs to."""
    works = () if verdict is None else verdict.works
    return any(
        work == group or (group[0] != "#" and work.startswith(group))
        for group in groups
        for work in works
    )


def _answer(loaded: LoadedRule, question: Question, verdict: Verdict | None) -> Answer | None:
    from mergewright.rules.schema import AbstractionRule

    rule = loaded.rule
    evidence = loaded.evidence()
    reason = rule.reason
    if verdict is not None:
        reason = f"{rule.reason} ({verdict.reason})"
        evidence += (
            Evidence(kind=EvidenceKind.COMMIT, text=verdict.reason, commits=verdict.commits),
        )
    if rule.action is Action.UNION:
        return Answer(
            strategy="union",
            text=union(question.versions),
            rule=rule.id,
            reason=reason,
            evidence=evidence,
        )
    if rule.action is Action.LARGER:
        further = larger(question.versions)
        if further is None:
            return None
        return Answer(
            strategy="larger",
            side=further[0],
            rule=rule.id,
            reason=f"{rule.reason} ({further[1]})",
            evidence=evidence,
        )
    if isinstance(rule, AbstractionRule):
        text = with_abstraction(
            question.versions, narrow=rule.narrow, broad=rule.broad, side=Side(rule.side.value)
        )
        if text is None:
            return None
        return Answer(
            strategy="prefer-abstraction",
            text=text,
            rule=rule.id,
            reason=f"{rule.reason} ({rule.broad} instead of {rule.narrow} in the other side's text)",
            evidence=evidence,
        )
    side = _SIDES.get(rule.action)
    base: bytes | None = None
    if rule.action is Action.TAKE_AHEAD:
        side = None if verdict is None else verdict.ahead
    elif rule.action is Action.MERGE_FROM_COMMON:
        base = None if verdict is None else verdict.base
    if rule.action is not Action.LEAVE and side is None and base is None:
        return None
    if rule.action is Action.LEAVE:
        return Answer(strategy="leave", rule=rule.id, reason=reason, evidence=evidence)
    return Answer(
        strategy=rule.action.value,
        side=side,
        base=base,
        rule=rule.id,
        reason=reason,
        evidence=evidence,
        group=None if verdict is None else verdict.group,
    )
