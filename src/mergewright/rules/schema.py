"""The typed schema of a rule file.

Keys are written in kebab-case. Unknown keys are errors. Every model is frozen: evaluation is pure.
"""

from __future__ import annotations

import ast
import re
from difflib import get_close_matches
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from mergewright.model.conflict import ConflictKind
from mergewright.model.history import EvidenceClass, Standing
from mergewright.model.strategies import STRATEGIES
from mergewright.rules.patterns import check_pattern, is_literal, names_a_file
from mergewright.rules.words import Action, Changed, Follow, Level

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
    #: Statements that both sides inserted at one place.
    INSERTIONS = "insertions"
    #: The header of a definition or compound statement.
    HEADER = "header"
    #: A comment.
    COMMENT = "comment"
    #: A definition with open places inside, as a whole.
    SYMBOL = "symbol"


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


Identifiers = Annotated[
    tuple[Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")], ...],
    BeforeValidator(_as_tuple),
    Field(min_length=1),
]


Works = Annotated[
    tuple[Annotated[str, Field(pattern=r"^(#[0-9]{1,7}|[0-9a-f]{7,64})$")], ...],
    BeforeValidator(_as_tuple),
    Field(min_length=1),
]


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
        ours_mentions: Identifiers of which the place's text of ours holds one that theirs' does not;
            they make the rule speak for symbols.
        theirs_mentions: The same with the sides exchanged.
        evidence: ``at-least CLASS``: the weakest class of evidence that the history may rest on.
        group: Decision groups, each by the (short) id of a commit of its work or by ``#N``, the number
            of the pull request that brought it; makes the rule speak for symbols, before history.
    """

    path: Patterns | None = None
    except_: Patterns = ()
    symbol: Patterns | None = None
    kind: Annotated[tuple[ConflictKind, ...], BeforeValidator(_as_tuple)] | None = None
    place: Annotated[tuple[Place, ...], BeforeValidator(_as_tuple)] | None = None
    changed: Changed | None = None
    history: Annotated[tuple[Standing, ...], BeforeValidator(_as_tuple)] | None = None
    ours_mentions: Identifiers | None = None
    theirs_mentions: Identifiers | None = None
    evidence: AtLeast | None = None
    group: Works | None = None

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
        parts = (
            self.symbol,
            self.place,
            self.history,
            self.ours_mentions,
            self.theirs_mentions,
            self.group,
        )
        return any(part is not None for part in parts)


Identifier = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9._-]{0,79}$")]
Name = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
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

    @property
    def level(self) -> Level:
        """Whether the rule decides paths, symbols, or works on what was merged."""
        return Level.STEP

    @property
    def applies_to_clean(self) -> bool:
        """Whether a rule for paths also speaks where the merge is clean."""
        return False

    @field_validator("reason")
    @classmethod
    def _has_words(cls, value: str) -> str:
        if not value.strip():
            raise PydanticCustomError("blank_reason", "a reason must say something")
        return value.strip()


class DecidingRule(RuleBase):
    """A rule that decides a path or a symbol; the first one that matches wins.

    Attributes:
        when: Whether it also speaks where the merge is clean (always so for ``pinned``). Of rules for
            symbols only those that match history or a group can.
        wholesale: Permits to take whole files by a glob that does not name them.
        audit: Checks that follow for the file, whatever its other findings.
    """

    action: Literal[Action.TAKE_OURS, Action.TAKE_THEIRS, Action.PINNED, Action.UNION, Action.LEAVE]
    match: Match
    when: When | None = None
    wholesale: bool = False
    audit: Annotated[tuple[Follow, ...], BeforeValidator(_as_tuple)] = ()

    @model_validator(mode="after")
    def _consistent(self) -> DecidingRule:
        if self.match.speaks_for_symbols:
            if self.action is Action.PINNED:
                raise PydanticCustomError(
                    "pinned_symbol", "'pinned' holds for whole paths; it cannot match symbols"
                )
            if self.when is When.ALWAYS and (
                self.action not in {Action.TAKE_OURS, Action.TAKE_THEIRS}
                or (self.match.history is None and self.match.group is None)
            ):
                raise PydanticCustomError(
                    "symbol_always",
                    "'when: always' holds for whole paths, and for rules that take a side by "
                    "'history' or 'group'",
                )
        if self.match.kind is not None and self.applies_to_clean:
            raise PydanticCustomError(
                "kind_always", "'kind' matches conflicts only; this rule also speaks where none is"
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
        if match.group is not None:
            return False
        if match.history is not None and Standing.UNKNOWN not in match.history:
            return False
        if match.ours_mentions is not None or match.theirs_mentions is not None:
            return False
        if match.kind is not None and set(match.kind) <= _WHOLE_ONLY:
            return False
        return not self.commit

    @property
    def level(self) -> Level:
        """Symbols when the match names any, else paths."""
        return Level.SYMBOL if self.match.speaks_for_symbols else Level.PATH

    @property
    def applies_to_clean(self) -> bool:
        """Whether the rule also speaks where the merge is clean."""
        return self.action is Action.PINNED or self.when is When.ALWAYS


class OneSide(StrEnum):
    """A side that can be taken."""

    OURS = "ours"
    THEIRS = "theirs"


class CoupledRule(RuleBase):
    """Files that must come from one side together.

    Attributes:
        side: The side, for all of them; also where a file merged cleanly.
        dockerfile: The one of them whose ``uv sync`` groups must exist in ``pyproject.toml``.
        pyproject: The one that declares the groups.
    """

    action: Literal[Action.COUPLED]
    match: Match
    side: OneSide
    dockerfile: str | None = None
    pyproject: str | None = None

    @property
    def level(self) -> Level:
        """The rule decides paths."""
        return Level.PATH

    @property
    def applies_to_clean(self) -> bool:
        """It also speaks where the merge is clean."""
        return True

    @model_validator(mode="after")
    def _named(self) -> CoupledRule:
        paths = self.match.path
        if paths is None or len(paths) < 2 or not all(is_literal(path) for path in paths):
            raise PydanticCustomError(
                "coupled_paths", "'coupled' needs 'match: {path: […]}' with at least two full paths"
            )
        _only(self.match, "coupled", {"path"})
        for member in (self.dockerfile, self.pyproject):
            if member is not None and member not in paths:
                raise PydanticCustomError(
                    "coupled_member",
                    "{member} is not one of the coupled paths",
                    {"member": repr(member)},
                )
        if (self.dockerfile is None) != (self.pyproject is None):
            raise PydanticCustomError(
                "coupled_pair", "'dockerfile' and 'pyproject' are checked against each other"
            )
        return self


Argument = Annotated[str, Field(min_length=1, max_length=2000)]


class RegenerateRule(RuleBase):
    """Generated files: never merged by text, taken whole, then generated again.

    Attributes:
        side: The side whose file is the base of the new one.
        command: Arguments of the command that generates it, run by ``resolve regenerate``.
        before: Commands that must run first, in the same place.
        directory: Where the command runs: ``root``, or beside each ``file``.
        runner: Name of the runner.
        manual: How a person generates it, where no single command does.
    """

    action: Literal[Action.REGENERATE]
    match: Match
    side: OneSide
    command: tuple[Argument, ...] = ()
    before: tuple[tuple[Argument, ...], ...] = ()
    directory: Literal["root", "file"] = "root"
    runner: Identifier | None = None
    manual: str = ""

    @property
    def level(self) -> Level:
        """The rule decides paths."""
        return Level.PATH

    @property
    def applies_to_clean(self) -> bool:
        """It also speaks where the merge is clean."""
        return True

    @model_validator(mode="after")
    def _complete(self) -> RegenerateRule:
        if self.match.path is None:
            raise PydanticCustomError("regenerate_path", "'regenerate' needs 'match: {path: …}'")
        _only(self.match, "regenerate", {"path", "except_", "changed"})
        if not self.command and not self.manual.strip():
            raise PydanticCustomError(
                "regenerate_how", "'regenerate' needs a 'command', or 'manual' words that say how"
            )
        return self


class NeedRule(RuleBase):
    """Deleted by one side, changed by the other.

    Attributes:
        needed: What happens when something in the merged tree still refers to the file: keep the
            changed version, or leave the conflict.
    """

    action: Literal[Action.BY_NEED]
    match: Match
    needed: Literal["keep", "leave"] = "keep"

    @property
    def level(self) -> Level:
        """The rule decides paths."""
        return Level.PATH

    @model_validator(mode="after")
    def _kinds(self) -> NeedRule:
        _only(self.match, "by-need", {"path", "except_", "kind", "changed"})
        allowed = {ConflictKind.DELETED_BY_OURS, ConflictKind.DELETED_BY_THEIRS}
        if self.match.kind is None or not set(self.match.kind) <= allowed:
            raise PydanticCustomError(
                "need_kind",
                "'by-need' needs 'kind: deleted-by-ours' or 'kind: deleted-by-theirs', or both",
            )
        return self


class NewerRule(RuleBase):
    """Submodules moved by both sides."""

    action: Literal[Action.NEWER]
    match: Match

    @property
    def level(self) -> Level:
        """The rule decides paths."""
        return Level.PATH

    @model_validator(mode="after")
    def _kinds(self) -> NewerRule:
        _one_kind(self.match, "newer", ConflictKind.SUBMODULE)
        return self


class FollowRule(RuleBase):
    """Files that one side put into a directory that the other side renamed."""

    action: Literal[Action.FOLLOW]
    match: Match

    @property
    def level(self) -> Level:
        """The rule decides paths."""
        return Level.PATH

    @model_validator(mode="after")
    def _kinds(self) -> FollowRule:
        _one_kind(self.match, "follow", ConflictKind.DIRECTORY_RENAME)
        return self


class LargerRule(RuleBase):
    """Versions moved by both sides: the one that went further, when both went the same way."""

    action: Literal[Action.LARGER]
    match: Match

    @property
    def level(self) -> Level:
        """The rule decides symbols."""
        return Level.SYMBOL

    @model_validator(mode="after")
    def _place(self) -> LargerRule:
        _only(self.match, "larger", {"path", "except_", "symbol", "place"})
        return self


_NAME = r"^[A-Za-z_][A-Za-z0-9_]*$"


class AbstractionRule(RuleBase):
    """A helper of one side that covers more than the explicit check in its place.

    Attributes:
        side: The side that has the helper.
        broad: Name of the helper.
        narrow: Name of the function that the other side still calls.
    """

    action: Literal[Action.PREFER_ABSTRACTION]
    match: Match
    side: OneSide
    broad: Annotated[str, Field(pattern=_NAME)]
    narrow: Annotated[str, Field(pattern=_NAME)]

    @property
    def level(self) -> Level:
        """The rule decides symbols."""
        return Level.SYMBOL

    @model_validator(mode="after")
    def _scope(self) -> AbstractionRule:
        _only(self.match, "prefer-abstraction", {"path", "except_", "symbol", "place"})
        return self


class HistoryRule(RuleBase):
    """What follows from the history of a contested symbol.

    Attributes:
        when: Whether ``take-ahead`` also speaks where the merge is clean.
    """

    action: Literal[Action.TAKE_AHEAD, Action.MERGE_FROM_COMMON]
    match: Match
    when: When | None = None

    @property
    def applies_to_clean(self) -> bool:
        """Whether the rule also speaks where the merge is clean."""
        return self.when is When.ALWAYS

    @property
    def level(self) -> Level:
        """The rule decides symbols."""
        return Level.SYMBOL

    @model_validator(mode="after")
    def _history(self) -> HistoryRule:
        standings = set(self.match.history or ())
        if not standings:
            raise PydanticCustomError("history_missing", "this action needs 'match: {history: …}'")
        ahead = {Standing.OURS_AHEAD, Standing.THEIRS_AHEAD}
        if self.action is Action.TAKE_AHEAD and not standings <= ahead:
            raise PydanticCustomError(
                "history_ahead", "'take-ahead' needs 'history: ours-ahead' or 'theirs-ahead'"
            )
        if self.action is Action.MERGE_FROM_COMMON and standings != {Standing.DIVERGED}:
            raise PydanticCustomError(
                "history_diverged", "'merge-from-common' needs 'history: diverged'"
            )
        if self.action is Action.MERGE_FROM_COMMON and self.applies_to_clean:
            raise PydanticCustomError(
                "common_always", "'merge-from-common' speaks for contested places only; drop 'when'"
            )
        if self.match.kind is not None and self.applies_to_clean:
            raise PydanticCustomError(
                "kind_always", "'kind' matches conflicts only; this rule also speaks where none is"
            )
        return self


class SymbolRule(RuleBase):
    """Symbols that must, or must not, stand in the result, also where the merge is clean."""

    action: Literal[Action.KEEP_OURS, Action.KEEP_THEIRS, Action.DROP]
    match: Match

    @model_validator(mode="after")
    def _symbols(self) -> SymbolRule:
        if self.match.symbol is None or self.match.path is None:
            raise PydanticCustomError(
                "symbol_missing", "this action needs 'match: {path: …, symbol: …}'"
            )
        _only(self.match, self.action.value, {"path", "except_", "symbol"})
        return self


class Form(StrEnum):
    """Forms of a name that a rename changes."""

    #: ``args.old`` (also ``self.args.old``).
    ATTRIBUTE = "attribute"
    #: ``f(old=…)``.
    KEYWORD = "keyword"
    #: ``"old"`` as the whole literal of a ``getattr``, ``hasattr``, ``setattr`` or ``delattr``.
    GETATTR = "getattr"
    #: ``"old"`` as any whole string literal.
    STRING = "string"
    #: ``"--old-with-dashes"`` as a whole string literal.
    FLAG = "flag"
    #: ``from owner import old`` and the uses of the name that it binds.
    IMPORT = "import"


_DOTTED = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$"


_TEMPLATE = r"^(self\.)?[A-Za-z_{][A-Za-z0-9_{}]*$"


class RenameRule(RuleBase):
    """A name that is written otherwise in the merged files.

    Attributes:
        from_: The dotted name as it stands (written ``from``).
        to: The dotted name that it becomes.
        forms: The forms that are changed; each must be said.

    Only files that the merge changes against ours are touched.
    """

    action: Literal[Action.RENAME]
    match: Match
    from_: Annotated[str, Field(pattern=_DOTTED)]
    to: Annotated[str, Field(pattern=_DOTTED)]
    forms: Annotated[tuple[Form, ...], BeforeValidator(_as_tuple), Field(min_length=1)]

    @model_validator(mode="after")
    def _names(self) -> RenameRule:
        _only(self.match, "rename", {"path", "except_"})
        old, new = self.from_.split("."), self.to.split(".")
        if old[:-1] != new[:-1]:
            raise PydanticCustomError(
                "rename_owner", "'from' and 'to' must differ in their last name only"
            )
        if old == new:
            raise PydanticCustomError("rename_same", "'from' and 'to' are the same")
        for form in (Form.ATTRIBUTE, Form.IMPORT):
            if form in self.forms and len(old) < 2:
                raise PydanticCustomError(
                    "rename_owner_needed",
                    "the {form} form needs a dotted name, such as args.name",
                    {"form": form.value},
                )
        return self


class NewArgument(Strict):
    """One argument of a patched call.

    Attributes:
        name: Its keyword; without it the argument is positional.
        from_: Where its value was: positions (from 0) or keywords, the first that is there.
        value: The value as Python, instead of ``from``.
        or_: The value when none of ``from`` is there (written ``or``); without it the argument
            is left out.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")] | None = None
    from_: Annotated[tuple[int | str, ...], BeforeValidator(_as_tuple)] = ()
    value: Argument | None = None
    or_: Argument | None = None

    @field_validator("value", "or_")
    @classmethod
    def _expression(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                compile(value, "<rule>", "eval", dont_inherit=True, flags=ast.PyCF_ONLY_AST)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                raise PydanticCustomError(
                    "not_an_expression",
                    "{value} is not a Python expression",
                    {"value": repr(value)},
                ) from None
        return value

    @model_validator(mode="after")
    def _source(self) -> NewArgument:
        if bool(self.from_) == (self.value is not None):
            raise PydanticCustomError("argument_source", "give either 'from' or 'value'")
        if self.value is not None and self.or_ is not None:
            raise PydanticCustomError("argument_or", "'or' belongs to 'from'")
        return self


class CallPatch(Strict):
    """One row of a caller table.

    Attributes:
        call: Name of the method or function as the callers still write it.
        becomes: Its name in the interface.
        receiver: Patterns of the dotted receiver (``off_interface``, ``self.*``); without it any.
        owner: The new receiver; ``{name}`` stands for the string that the call passes as ``name``.
            It must be bound in the calling function.
        arguments: The new argument list; without it the arguments stay as they are.
        adds: Keyword arguments, each with a value, that are put into a call that does not pass them;
            its other arguments stay.
    """

    call: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    becomes: Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
    receiver: Patterns | None = None
    owner: Annotated[str, Field(pattern=_TEMPLATE)] | None = None
    arguments: tuple[NewArgument, ...] | None = None
    adds: tuple[NewArgument, ...] = ()

    @field_validator("receiver")
    @classmethod
    def _receivers(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if value is None else _check_patterns(value, ".")

    @field_validator("owner")
    @classmethod
    def _fields(cls, value: str | None) -> str | None:
        if value is not None and not re.fullmatch(r"([^{}]|\{[A-Za-z_][A-Za-z0-9_]*\})+", value):
            raise PydanticCustomError("owner_fields", "write '{keyword}' for a part of the name")
        return value

    @model_validator(mode="after")
    def _order(self) -> CallPatch:
        named = False
        for argument in self.arguments or ():
            if argument.name is not None:
                named = True
            elif named:
                raise PydanticCustomError(
                    "argument_order", "positional arguments stand before those with a name"
                )
        if self.call == self.becomes and self.arguments is None and not self.adds:
            raise PydanticCustomError("call_same", "the row changes neither name nor arguments")
        if self.adds and (self.arguments is not None or self.owner is not None):
            raise PydanticCustomError(
                "adds_alone",
                "'adds' keeps the arguments as they are; it goes without 'arguments' and 'owner'",
            )
        if any(argument.name is None or argument.value is None for argument in self.adds):
            raise PydanticCustomError(
                "adds_keywords", "each of 'adds' needs a 'name' and a 'value'"
            )
        return self


class CallersRule(RuleBase):
    """Callers of an interface that is kept as one side has it.

    Attributes:
        interface: Path of the file that holds the interface.
        known_as: Dotted names under which other modules hand the interface on.
        side: The side whose interface is kept; its text counts while the interface is open.
        table: What becomes of each call.
    """

    action: Literal[Action.PATCH_CALLERS]
    match: Match
    interface: Annotated[str, Field(min_length=1)]
    known_as: Annotated[
        tuple[Annotated[str, Field(pattern=_DOTTED)], ...], BeforeValidator(_as_tuple)
    ] = ()
    side: OneSide = OneSide.OURS
    table: Annotated[tuple[CallPatch, ...], Field(min_length=1)]

    @field_validator("interface")
    @classmethod
    def _path(cls, value: str) -> str:
        _check_patterns((value,), "/")
        if not names_a_file(value) or not value.endswith(".py"):
            raise PydanticCustomError("interface_path", "'interface' names one Python file")
        return value

    @model_validator(mode="after")
    def _scope(self) -> CallersRule:
        _only(self.match, "patch-callers", {"path", "except_"})
        return self


class ImportsRule(RuleBase):
    """Imports of a side that the merge lost though their names are used."""

    action: Literal[Action.RESTORE_IMPORTS]
    match: Match

    @model_validator(mode="after")
    def _scope(self) -> ImportsRule:
        _only(self.match, "restore-imports", {"path", "except_"})
        return self


class FallBackRule(RuleBase):
    """One side's whole file when the merged one calls a helper that is not there."""

    action: Literal[Action.FALL_BACK]
    match: Match
    if_: Literal["missing-helper"]
    side: OneSide
    wholesale: bool = False

    @model_validator(mode="after")
    def _scope(self) -> FallBackRule:
        _only(self.match, "fall-back", {"path", "except_"})
        paths = self.match.path
        if not self.wholesale and not (paths and all(names_a_file(path) for path in paths)):
            raise PydanticCustomError(
                "wholesale",
                "takes whole files it does not name: name them, or say 'wholesale: true'",
            )
        return self


class UsesRule(RuleBase):
    """One side's uses of named things, also where the file was taken from the other side.

    Attributes:
        side: The side whose uses are kept.
        uses: The names whose uses are kept.
        instead_of: Names that the other side uses in their place; their uses and imports go where
            the side has none (written ``instead-of``).
    """

    action: Literal[Action.KEEP_USES]
    match: Match
    side: OneSide
    uses: Annotated[tuple[Name, ...], BeforeValidator(_as_tuple), Field(min_length=1)]
    instead_of: Annotated[tuple[Name, ...], BeforeValidator(_as_tuple)] = ()

    @model_validator(mode="after")
    def _scope(self) -> UsesRule:
        _only(self.match, "keep-uses", {"path", "except_"})
        if set(self.uses) & set(self.instead_of):
            raise PydanticCustomError(
                "uses_same", "a name stands under 'uses' and under 'instead-of'"
            )
        return self


class SourceChoice(Strict):
    """Which revision of a git source holds when both sides name one.

    Attributes:
        package: Name of the package.
        side: Whose source holds.
        reason: Why.
    """

    package: Annotated[str, Field(min_length=1)]
    side: OneSide
    reason: Annotated[str, Field(min_length=1)]


class SourcesRule(RuleBase):
    """Git sources of a ``pyproject.toml`` that only theirs has are added to ours.

    Attributes:
        table: Dotted name of the table.
        choices: Packages whose source is decided otherwise than "ours is kept and reported".
    """

    action: Literal[Action.GIT_SOURCES]
    match: Match
    table: Annotated[str, Field(min_length=1)] = "tool.uv.sources"
    choices: tuple[SourceChoice, ...] = ()

    @model_validator(mode="after")
    def _scope(self) -> SourcesRule:
        _only(self.match, "git-sources", {"path"})
        if self.match.path is None or not all(names_a_file(path) for path in self.match.path):
            raise PydanticCustomError("sources_path", "'git-sources' needs the file's path")
        return self


class DeletedRule(RuleBase):
    """Files of theirs that are missing in the result.

    Attributes:
        accidental: Globs of titles of commits whose deletions are no decision (earlier syncs).
    """

    action: Literal[Action.RESTORE_DELETED]
    match: Match
    accidental: Annotated[tuple[str, ...], BeforeValidator(_as_tuple)] = ()

    @model_validator(mode="after")
    def _scope(self) -> DeletedRule:
        _only(self.match, "restore-deleted", {"path", "except_"})
        return self


def _only(match: Match, action: str, allowed: set[str]) -> None:
    """Refuse keys of a match that an action does not look at."""
    for name in Match.model_fields:
        if name in match.model_fields_set and name not in allowed:
            raise PydanticCustomError(
                "match_key",
                "'{action}' does not look at '{key}' in its match",
                {"action": action, "key": _kebab(name)},
            )


def _one_kind(match: Match, action: str, kind: ConflictKind) -> None:
    """Refuse a match that is not about paths of exactly one kind of conflict."""
    _only(match, action, {"path", "except_", "kind"})
    if match.kind != (kind,):
        raise PydanticCustomError(
            "one_kind", "'{action}' needs 'kind: {kind}'", {"action": action, "kind": kind.value}
        )


Rule = Annotated[
    DecidingRule
    | CoupledRule
    | RegenerateRule
    | NeedRule
    | NewerRule
    | FollowRule
    | LargerRule
    | AbstractionRule
    | HistoryRule
    | SymbolRule
    | RenameRule
    | CallersRule
    | ImportsRule
    | FallBackRule
    | UsesRule
    | SourcesRule
    | DeletedRule,
    Field(discriminator="action"),
]

#: Rules that decide a whole path.
PathLevel = DecidingRule | CoupledRule | RegenerateRule | NeedRule | NewerRule | FollowRule
#: Rules that answer an engine's questions.
SymbolLevel = DecidingRule | HistoryRule | LargerRule | AbstractionRule
#: Rules that work on what was merged; all that match are applied, in file order.
StepLevel = (
    SymbolRule
    | RenameRule
    | CallersRule
    | ImportsRule
    | FallBackRule
    | UsesRule
    | SourcesRule
    | DeletedRule
)


class LocalRunner(Strict):
    """Commands run on this machine, in the worktree."""

    kind: Literal["local"]


class ContainerRunner(Strict):
    """What Docker and Slurm runners share.

    Attributes:
        images: Container images by variant.
        variant: The variant that is used unless another is asked for.
        workdir: Where the worktree is mounted.
    """

    images: Annotated[dict[Identifier, Argument], Field(min_length=1)]
    variant: Identifier
    workdir: Annotated[str, Field(pattern=r"^/[^:]*$")] = "/workspace"

    @model_validator(mode="after")
    def _variant(self) -> ContainerRunner:
        if self.variant not in self.images:
            raise PydanticCustomError(
                "variant",
                "there is no image for the variant {variant}",
                {"variant": repr(self.variant)},
            )
        return self


class DockerRunner(ContainerRunner):
    """Commands run in a container on this machine.

    Attributes:
        gpus: Value of ``--gpus``.
        leftovers: Paths, relative to the root, that the container leaves behind owned by root and
            that a second container removes.
        options: Further arguments of ``docker run``.
    """

    kind: Literal["docker"]
    gpus: Argument | None = None
    leftovers: tuple[Argument, ...] = ()
    options: tuple[Argument, ...] = ()

    @field_validator("leftovers")
    @classmethod
    def _inside(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for path in value:
            problem = check_pattern(path, "/")
            if problem is not None or not is_literal(path):
                raise PydanticCustomError(
                    "leftover", "{path} is no plain path below the root", {"path": repr(path)}
                )
        return value


class SlurmRunner(ContainerRunner):
    """Commands run by ``srun`` in a container (Pyxis).

    Attributes:
        nodes: Number of nodes.
        gpus_per_node: Value of ``--gpus-per-node``.
        enroot: Name of an archive to make from the image first with ``enroot import``, for
            clusters that need one; without it the image's name is given to ``srun``.
        options: Further arguments of ``srun``.
    """

    kind: Literal["slurm"]
    nodes: Annotated[int, Field(ge=1, le=1000)] = 1
    gpus_per_node: Annotated[int, Field(ge=0, le=64)] | None = None
    enroot: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+\.sqsh$")] | None = None
    options: tuple[Argument, ...] = ()


Runner = Annotated[LocalRunner | DockerRunner | SlurmRunner, Field(discriminator="kind")]


class FormatTool(Strict):
    """A formatter or checker that the user has installed.

    Attributes:
        name: Name of the executable in the environment.
        arguments: Arguments before the files.
        version: Beginning of the version it must report (``24``); another version is an error.
        path: Globs of the files it is run on, among the changed ones.
        findings: Whether it only reports; otherwise it rewrites the files.
    """

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]+$")]
    arguments: tuple[Argument, ...] = ()
    version: Annotated[str, Field(pattern=r"^[0-9][0-9A-Za-z.]*$")] | None = None
    path: Patterns = ("**/*.py",)
    findings: bool = False

    @field_validator("path")
    @classmethod
    def _paths(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return _check_patterns(value, "/")


class FormatSection(Strict):
    """The formatting step; it runs only when a rule file asks for it.

    Attributes:
        environment: Folder of the environment with the tools (its ``bin`` is looked into),
            absolute or relative to the root.
        tools: The tools, in the order in which they run.
    """

    environment: Annotated[str, Field(min_length=1)]
    tools: Annotated[tuple[FormatTool, ...], Field(min_length=1)]


class CommitSection(Strict):
    """How ``resolve commit`` makes the merge commit.

    Attributes:
        message: The subject; ``{theirs}``, ``{ours}`` and ``{date}`` (day_month_year) are filled in.
        sign_off: Whether a ``Signed-off-by`` trailer is added.
    """

    message: Annotated[str, Field(min_length=1, max_length=500)] = "Merge {theirs} into {ours}"
    sign_off: bool = False

    @field_validator("message")
    @classmethod
    def _fields(cls, value: str) -> str:
        try:
            value.format(theirs="", ours="", date="")
        except (KeyError, IndexError, ValueError, AttributeError):
            raise PydanticCustomError(
                "message_fields", "only {theirs}, {ours} and {date} are filled in"
            ) from None
        if "\n" in value:
            raise PydanticCustomError("message_line", "the subject is one line")
        return value


class Case(Strict):
    """One of the pack's own cases, run by ``resolve rules test``.

    Attributes:
        name: What it shows.
        path: The path that is looked up, or that the texts stand in.
        kind: Kind of the conflict; without it the path merged cleanly.
        symbol: A contested symbol; the symbol rules are asked.
        place: Kind of the contested place.
        changed: Which side changed it.
        history: What history says of it.
        evidence: The class it rests on.
        group: A commit id or ``#N`` of the work that the symbol belongs to.
        merged: Text of the merged file; the steps are run on it.
        base: Text of base, for the steps or of the contested place; likewise ours and theirs.
        ours: Text of ours.
        theirs: Text of theirs.
        others: Further files of the merged tree, for the steps.
        rule: Id of the rule that must decide or work; ``none`` when no rule may.
        action: The action that must follow.
        result: The text after the steps.
    """

    name: Annotated[str, Field(min_length=1)]
    path: Annotated[str, Field(min_length=1)]
    kind: ConflictKind | None = None
    symbol: str | None = None
    place: Place = Place.BOTH_CHANGED
    changed: Changed = Changed.BOTH
    history: Standing | None = None
    evidence: EvidenceClass | None = None
    group: str | None = None
    merged: str | None = None
    base: str | None = None
    ours: str | None = None
    theirs: str | None = None
    others: dict[str, str] = {}
    rule: Identifier
    action: Action | None = None
    result: str | None = None


class SwitchedOff(Strict):
    """A strategy that settles nothing.

    Attributes:
        strategy: Its name, as reports give it.
        path: Globs of the files that it is off for; everywhere without it.
        except_: Globs of files that are left out (written ``except``).
        reason: Why.
    """

    strategy: str
    path: Patterns | None = None
    except_: Patterns = ()
    reason: str = ""

    @field_validator("strategy")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in STRATEGIES:
            near = get_close_matches(value, STRATEGIES, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise PydanticCustomError(
                "unknown_strategy",
                "{name} is no strategy{hint}",
                {"name": repr(value), "hint": hint},
            )
        return value

    @field_validator("path")
    @classmethod
    def _paths(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if value is None else _check_patterns(value, "/")

    @field_validator("except_")
    @classmethod
    def _except(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return _check_patterns(value, "/") if value else value


def _as_switches(value: Any) -> Any:
    """A bare name stands for a strategy that is off everywhere."""
    value = _as_tuple(value) if not isinstance(value, dict) else (value,)
    if not isinstance(value, tuple):
        return value
    return tuple({"strategy": entry} if isinstance(entry, str) else entry for entry in value)


class EngineSection(Strict):
    """Switches of the engines (``engine:``); what is not said keeps the engine's default.

    Attributes:
        versions: Whether version assignments that both sides raised are settled by the larger.
        pins: The same for pins of dependencies; ``smaller`` turns it round.
        golden: ``merge`` merges recorded values by structure, ``whole`` leaves them to one side.
        prose: Whether edits of different words of one paragraph are combined.
        sweeps: Whether one side's proven mechanical substitution is applied to the other's text;
            ``everywhere`` also carries renamings proved from the trees into files that merged
            cleanly.
        layout: Whether composed statements get the layout of the side that reformatted them.
        formatter: Whether they are formatted as the repository's texts prove that it formats.
        budget: Seconds for one file.
        off: Strategies that settle nothing, everywhere or for some paths; what they would have
            settled is asked of history and rules, and stays open without an answer.
    """

    versions: bool | None = None
    pins: Literal["larger", "smaller", "off"] | None = None
    golden: Literal["whole", "merge"] | None = None
    prose: bool | None = None
    sweeps: bool | Literal["everywhere"] | None = None
    layout: bool | None = None
    formatter: bool | None = None
    budget: Annotated[float, Field(gt=0, le=3600)] | None = None
    off: Annotated[tuple[SwitchedOff, ...], BeforeValidator(_as_switches)] = ()

    @field_validator("pins", mode="before")
    @classmethod
    def _off_is_a_word(cls, value: Any) -> Any:
        # YAML 1.1 readers, and people, take a bare ``off`` for false.
        return "off" if value is False else value


class MemorySection(Strict):
    """Whether earlier decisions may settle conflicts (``memory:``); without it they never do.

    Attributes:
        use: Whether they may.
        expire_days: Decisions older than so many days decide nothing.
        agreeing: So many accepted merges must agree.
        shared: Text files of memories, relative to the repository's root.
    """

    use: bool = True
    expire_days: Annotated[int, Field(ge=1, le=36500)] | None = 365
    agreeing: Annotated[int, Field(ge=1, le=1000)] = 1
    shared: Annotated[tuple[str, ...], BeforeValidator(_as_tuple)] = ()


class RuleFile(Strict):
    """A whole rule file.

    Attributes:
        version: Version of the schema; this code reads version 1.
        name: Name of the pack.
        description: What it is for, a sentence or two.
        extends: Built-in packs whose rules follow the file's own, in this order.
        without: Ids of rules of those packs that are left out.
        engine: Switches of the engine.
        memory: Whether earlier decisions may settle conflicts; the first file that says so decides.
        rules: The rules, in order; the first that matches decides.
        runners: Where commands run, by name.
        format: The formatting step.
        commit: How the merge is committed.
        tests: The pack's own cases.
    """

    version: int
    name: str = ""
    description: str = ""
    extends: Annotated[tuple[str, ...], BeforeValidator(_as_tuple)] = ()
    without: Annotated[tuple[Identifier, ...], BeforeValidator(_as_tuple)] = ()
    engine: EngineSection = EngineSection()
    memory: MemorySection | None = None
    rules: tuple[Rule, ...] = ()
    runners: dict[Identifier, Runner] = {}
    format: FormatSection | None = None
    commit: CommitSection | None = None
    tests: tuple[Case, ...] = ()

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
