"""The typed schema of a rule file.

Keys are written in kebab-case. Unknown keys are errors. Every model is frozen: evaluation is pure.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from mergewright.model.conflict import ConflictKind
from mergewright.model.history import EvidenceClass, Standing
from mergewright.rules.patterns import check_pattern, names_a_file

#: Version of the schema that this code reads.
SCHEMA_VERSION = 1


def _kebab(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _as_tuple(value: Any) -> Any:
    """A single value counts as a list of one."""
    if isinstance(value, list):
        return tuple(value)
    if value is None or isinstance(value, (dict, tuple)):
        return value
    return (value,)


class Strict(BaseModel):
    """Base of all parts of a rule file."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        alias_generator=_kebab,
        validate_by_name=False,
        validate_by_alias=True,
        str_max_length=20_000,
    )


class Place(StrEnum):
    """Kinds of contested places inside a file (``match: {place: …}``)."""

    BOTH_CHANGED = "both-changed"
    BOTH_ADDED = "both-added"
    DELETE_CHANGE = "delete-change"
    CHANGE_DELETE = "change-delete"
    ORDER = "order"


class Changed(StrEnum):
    """Which side changed the thing against the merge base (``match: {changed: …}``)."""

    OURS = "ours"
    THEIRS = "theirs"
    BOTH = "both"


class When(StrEnum):
    """Whether a rule for whole paths speaks only for conflicts, or also for clean merges."""

    CONFLICTED = "conflicted"
    ALWAYS = "always"


def _check_patterns(values: tuple[str, ...], separator: str) -> tuple[str, ...]:
    if not values:
        raise PydanticCustomError("empty_pattern_list", "a list of patterns must not be empty")
    for value in values:
        problem = check_pattern(value, separator)
        if problem is not None:
            raise PydanticCustomError(
                "bad_pattern", "{problem}: {pattern}", {"problem": problem, "pattern": repr(value)}
            )
    return values


Patterns = Annotated[tuple[str, ...], BeforeValidator(_as_tuple)]


def _at_least(value: Any) -> Any:
    if not isinstance(value, str) or not value.startswith("at-least "):
        classes = ", ".join(kind.value for kind in EvidenceClass)
        raise PydanticCustomError(
            "evidence_form", "write 'at-least CLASS', with one of: {classes}", {"classes": classes}
        )
    return value.removeprefix("at-least ").strip()


AtLeast = Annotated[EvidenceClass, BeforeValidator(_at_least)]


class Match(Strict):
    """What a rule speaks for; all given keys must agree.

    Attributes:
        path: Globs relative to the repository's root; ``**`` crosses directories.
        except_: Globs of paths that are left out (written ``except``).
        symbol: Patterns of dotted symbol names; they make the rule speak for symbols.
        kind: Kinds of conflict of the whole path.
        place: Kinds of contested place; they make the rule speak for symbols.
        changed: Which side changed the path (or the symbol) against the merge base.
        history: What history says of the symbol; makes the rule speak for symbols.
        evidence: ``at-least CLASS``: the weakest class of evidence that the history may rest on.
    """

    path: Patterns | None = None
    except_: Patterns = ()
    symbol: Patterns | None = None
    kind: Annotated[tuple[ConflictKind, ...], BeforeValidator(_as_tuple)] | None = None
    place: Annotated[tuple[Place, ...], BeforeValidator(_as_tuple)] | None = None
    changed: Changed | None = None
    history: Annotated[tuple[Standing, ...], BeforeValidator(_as_tuple)] | None = None
    evidence: AtLeast | None = None

    @field_validator("path")
    @classmethod
    def _paths(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if value is None else _check_patterns(value, "/")

    @field_validator("except_")
    @classmethod
    def _except(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return _check_patterns(value, "/") if value else value

    @field_validator("symbol")
    @classmethod
    def _symbols(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if value is None else _check_patterns(value, ".")

    @model_validator(mode="after")
    def _together(self) -> Match:
        if not self.model_fields_set:
            raise PydanticCustomError("empty_match", "a match needs at least one key")
        if self.evidence is not None and self.history is None:
            raise PydanticCustomError("evidence_alone", "'evidence' needs 'history' beside it")
        return self

    @property
    def speaks_for_symbols(self) -> bool:
        """Whether the rule is asked for each contested symbol, not for the path."""
        return any(part is not None for part in (self.symbol, self.place, self.history))


class Action(StrEnum):
    """What a rule does with a contested path or symbol."""

    TAKE_OURS = "take-ours"
    TAKE_THEIRS = "take-theirs"
    PINNED = "pinned"
    UNION = "union"
    LEAVE = "leave"


Identifier = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,79}$")]
CommitId = Annotated[str, Field(pattern=r"^[0-9a-f]{7,64}$")]

_WHOLE_ONLY = {ConflictKind.BINARY, ConflictKind.SYMLINK, ConflictKind.SUBMODULE, ConflictKind.MODE}


class RuleBase(Strict):
    """What all rules have.

    Attributes:
        id: Name of the rule, unique in the file: lower case letters, digits, ``.``, ``_``, ``-``.
        reason: Why the team wants it; stands in every report.
        example: A real case, for ``resolve rules explain``.
        commit: Ids of commits that the rule rests on; shown as evidence.
    """

    id: Identifier
    reason: Annotated[str, Field(min_length=1)]
    example: str = ""
    commit: Annotated[tuple[CommitId, ...], BeforeValidator(_as_tuple)] = ()

    @field_validator("reason")
    @classmethod
    def _has_words(cls, value: str) -> str:
        if not value.strip():
            raise PydanticCustomError("blank_reason", "a reason must say something")
        return value.strip()


class DecidingRule(RuleBase):
    """A rule that decides a path or a symbol; the first one that matches wins.

    Attributes:
        when: Whether it also speaks where the merge is clean (always so for ``pinned``).
        wholesale: Permits to take whole files by a glob that does not name them.
    """

    action: Literal[Action.TAKE_OURS, Action.TAKE_THEIRS, Action.PINNED, Action.UNION, Action.LEAVE]
    match: Match
    when: When | None = None
    wholesale: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> DecidingRule:
        if self.match.speaks_for_symbols:
            if self.action is Action.PINNED:
                raise PydanticCustomError(
                    "pinned_symbol", "'pinned' holds for whole paths; it cannot match symbols"
                )
            if self.when is When.ALWAYS:
                raise PydanticCustomError(
                    "symbol_always", "'when: always' holds for whole paths only"
                )
        if self.match.kind is not None and self.when is When.ALWAYS:
            raise PydanticCustomError(
                "kind_always", "'kind' matches conflicts only; it contradicts 'when: always'"
            )
        if self.action is Action.PINNED and self.when is When.CONFLICTED:
            raise PydanticCustomError(
                "pinned_when", "'pinned' also speaks where the merge is clean; drop 'when'"
            )
        if self._needs_wholesale and not self.wholesale:
            raise PydanticCustomError(
                "wholesale",
                "takes one side for files it does not name: name the path or the symbol, cite a "
                "'commit', match 'history', or say 'wholesale: true'",
            )
        return self

    @property
    def _needs_wholesale(self) -> bool:
        if self.action not in {Action.TAKE_OURS, Action.TAKE_THEIRS, Action.PINNED}:
            return False
        match = self.match
        if match.path is not None and all(names_a_file(pattern) for pattern in match.path):
            return False
        if match.symbol is not None and not any(
            set(pattern) <= {"*", "?", "."} for pattern in match.symbol
        ):
            return False
        if match.history is not None and Standing.UNKNOWN not in match.history:
            return False
        if match.kind is not None and set(match.kind) <= _WHOLE_ONLY:
            return False
        return not self.commit

    @property
    def applies_to_clean(self) -> bool:
        """Whether the rule also speaks where the merge is clean."""
        return self.action is Action.PINNED or self.when is When.ALWAYS


Rule = DecidingRule


class EngineSection(Strict):
    """Switches of the engine (``engine:``)."""


class RuleFile(Strict):
    """A whole rule file.

    Attributes:
        version: Version of the schema; this code reads version 1.
        name: Name of the pack.
        description: What it is for, a sentence or two.
        extends: Built-in packs whose rules follow the file's own, in this order.
        without: Ids of rules of those packs that are left out.
        engine: Switches of the engine.
        rules: The rules, in order; the first that matches decides.
    """

    version: int
    name: str = ""
    description: str = ""
    extends: Annotated[tuple[str, ...], BeforeValidator(_as_tuple)] = ()
    without: Annotated[tuple[Identifier, ...], BeforeValidator(_as_tuple)] = ()
    engine: EngineSection = EngineSection()
    rules: tuple[Rule, ...] = ()

    @field_validator("version", mode="before")
    @classmethod
    def _known_version(cls, value: Any) -> Any:
        if type(value) is not int or value != SCHEMA_VERSION:
            raise PydanticCustomError(
                "schema_version",
                "this version of mergewright reads rule files of version {version}",
                {"version": SCHEMA_VERSION},
            )
        return value
