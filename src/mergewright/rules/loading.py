"""Finds and reads rule files; every error is located as ``file:line:column``."""

from __future__ import annotations

import difflib
import os
import stat
import types
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

from mergewright.model.errors import RuleFileError
from mergewright.rules import RULE_FILE_NAME
from mergewright.rules.book import LoadedRule, RuleBook
from mergewright.rules.schema import RegenerateRule, RuleFile
from mergewright.rules.yamlfile import MAX_BYTES, Document, Location, Mark, error_at, parse

#: Names of the packs that are shipped.
BUILT_IN = ("default", "feature-branch", "nightly-sync")


def built_in_folder() -> Path:
    """The folder of the shipped packs: inside the wheel, or the source tree's ``rules/``."""
    installed = Path(__file__).parents[1] / "_rules"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "rules"


def load_rules(
    paths: Sequence[Path | str] = (), *, root: Path | None = None, environment: bool = True
) -> RuleBook:
    """Read the rules that hold for a repository.

    Args:
        paths: Rule files as the user named them (``--rules``), in order; a word that is no file
            but the name of a shipped pack means that pack. Without any, ``.mergewright.yaml`` at
            the root is read, else the shipped default, which takes no side for anybody.
        root: The repository's worktree, ``None`` for a bare repository.
        environment: Whether to look for ``.mergewright.yaml`` at the root.

    Raises:
        RuleFileError: A file is missing, is no regular file, points outside of the repository, is
            too large, or says something that the schema does not know.
    """
    files: list[tuple[Path, str]] = []
    for given in paths:
        path = Path(given)
        if str(given) in BUILT_IN and not path.exists():
            path = built_in_folder() / f"{given}.yaml"
        files.append((path, str(given)))
    if not files and root is not None and environment:
        own = root / RULE_FILE_NAME
        if os.path.lexists(own):
            _stay_inside(own, root)
            files.append((own, RULE_FILE_NAME))
    if not files:
        files.append((built_in_folder() / "default.yaml", "default"))
    loaded: list[tuple[RuleFile, Document]] = [
        parse_rules(read_rule_file(path, name), name) for path, name in files
    ]
    return _assemble(loaded)


def load_text(text: str | bytes, name: str = "rules.yaml") -> RuleBook:
    """Rules from a text, for tests and tools; the same checks as :func:`load_rules`."""
    data = text.encode() if isinstance(text, str) else text
    return _assemble([parse_rules(data, name)])


def _stay_inside(path: Path, root: Path) -> None:
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise RuleFileError(f"{path.name}:1:1: the rule file cannot be read: {error}") from None
    if not target.is_relative_to(root.resolve()):
        raise RuleFileError(
            f"{path.name}:1:1: the rule file is a link that points outside of the repository "
            f"({target})",
            hint="Name the file with --rules if you trust it.",
        )


def read_rule_file(path: Path, name: str) -> bytes:
    """The bytes of a rule file.

    Raises:
        RuleFileError: The file is missing, is not a regular file, or is too large.
    """
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise RuleFileError(f"{name}:1:1: this is a directory, not a rule file")
        if not stat.S_ISREG(status.st_mode):
            raise RuleFileError(f"{name}:1:1: this is not a regular file")
        if status.st_size > MAX_BYTES:
            raise RuleFileError(
                f"{name}:1:1: the file is larger than {MAX_BYTES} bytes ({status.st_size})"
            )
        with path.open("rb") as stream:
            return stream.read(MAX_BYTES + 1)
    except FileNotFoundError:
        hint = None
        near = difflib.get_close_matches(str(name), BUILT_IN, 1)
        if near:
            hint = f"Did you mean the shipped pack '{near[0]}'?"
        raise RuleFileError(f"{name}:1:1: there is no such file", hint=hint) from None
    except (OSError, ValueError) as error:
        raise RuleFileError(f"{name}:1:1: the file cannot be read: {error}") from None


def parse_rules(data: bytes, name: str) -> tuple[RuleFile, Document]:
    """Check the bytes of a rule file against the schema.

    Raises:
        RuleFileError: With the place of the first faults, and the nearest valid names.
    """
    document = parse(data, name)
    if not isinstance(document.value, dict):
        raise error_at(
            name, document.mark(()), "a rule file is a mapping that begins with 'version: 1'"
        )
    try:
        rules = RuleFile.model_validate(document.value)
    except ValidationError as error:
        raise _located(error, document) from None
    seen: dict[str, Location] = {}
    for index, rule in enumerate(rules.rules):
        if rule.id in seen:
            first = document.mark(seen[rule.id]).line
            raise error_at(
                name,
                document.mark(("rules", index, "id")),
                f"the rule id '{rule.id}' stands here again (first in line {first})",
            )
        seen[rule.id] = ("rules", index, "id")
    for index, pack in enumerate(rules.extends):
        if pack not in BUILT_IN:
            raise error_at(
                name,
                document.mark(("extends", index)),
                f"there is no shipped pack '{pack}'{_nearest(pack, BUILT_IN)}",
            )
    return rules, document


def _assemble(loaded: Iterable[tuple[RuleFile, Document]]) -> RuleBook:
    """Join files in order; the packs that a file extends follow its own rules."""
    rules: list[LoadedRule] = []
    files: list[RuleFile] = []
    ids: set[str] = set()
    done: set[str] = set()

    def add(file: RuleFile, document: Document, without: frozenset[str]) -> None:
        files.append(file)
        known = set()
        for index, rule in enumerate(file.rules):
            known.add(rule.id)
            if rule.id in without or rule.id in ids:
                # An own rule of the same id replaces that of the pack it extends.
                continue
            ids.add(rule.id)
            mark = document.mark(("rules", index))
            rules.append(LoadedRule(rule=rule, file=document.name, line=mark.line))
        dropped = without | frozenset(file.without)
        for pack in file.extends:
            if pack in done:
                continue
            done.add(pack)
            base, base_document = parse_rules(
                read_rule_file(built_in_folder() / f"{pack}.yaml", pack), pack
            )
            known |= {rule.id for rule in base.rules}
            add(base, base_document, dropped)
        for index, name in enumerate(file.without):
            if name not in known:
                raise error_at(
                    document.name,
                    document.mark(("without", index)),
                    f"no rule '{name}' to leave out{_nearest(name, known)}",
                )

    for file, document in loaded:
        add(file, document, frozenset())
    runners = {name for file in files for name in file.runners}
    for file, document in loaded:
        for index, rule in enumerate(file.rules):
            if isinstance(rule, RegenerateRule) and rule.runner not in {None, *runners}:
                raise error_at(
                    document.name,
                    document.mark(("rules", index, "runner")),
                    f"no file defines the runner '{rule.runner}'{_nearest(str(rule.runner), runners)}",
                )
    return RuleBook(rules=tuple(rules), files=tuple(files))


# -- errors with their place ------------------------------------------------------------------


def _nearest(word: str, valid: Iterable[str]) -> str:
    near = difflib.get_close_matches(word, list(valid), 1, cutoff=0.5)
    return f"; did you mean '{near[0]}'?" if near else ""


def _models(annotation: Any) -> list[type[BaseModel]]:
    """All models that an annotation may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    if get_origin(annotation) is Literal:
        return []
    if get_origin(annotation) is Annotated:
        return _models(get_args(annotation)[0])
    if get_origin(annotation) in {Union, types.UnionType, tuple, list, dict}:
        return [model for part in get_args(annotation) for model in _models(part)]
    return []


def _tags(model: type[BaseModel]) -> set[str]:
    """Values of the keys that tell the models of a union apart."""
    return {
        str(getattr(value, "value", value))
        for name in ("action", "kind")
        if name in model.model_fields and get_origin(model.model_fields[name].annotation) is Literal
        for value in get_args(model.model_fields[name].annotation)
    }


def _allowed_keys(location: Location) -> set[str]:
    """The keys that a mapping at the location may have."""
    models: list[type[BaseModel]] = [RuleFile]
    for part in location:
        if isinstance(part, int):
            continue
        tagged = [model for model in models if part in _tags(model)]
        if tagged:
            models = tagged
            continue
        found: list[type[BaseModel]] = []
        for model in models:
            for field in model.model_fields.values():
                if field.alias == part:
                    found.extend(_models(field.annotation))
        # A part that is neither a field nor a tag is a name of the user's own (a runner's).
        models = found or models
    return {field.alias or "" for model in models for field in model.model_fields.values()}


def _place(location: Location, document: Document) -> Location:
    """The location in the document: pydantic adds tags of unions, which are no keys there."""
    value: Any = document.value
    out: list[str | int] = []
    for part in location:
        if isinstance(value, dict) and part in value:
            value = value[str(part)]
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        elif isinstance(value, dict) or part == 0:
            # A tag of a union, a missing key, or the only item of a value written without a list.
            continue
        else:
            break
        out.append(part)
    return tuple(out)


def _located(error: ValidationError, document: Document) -> RuleFileError:
    lines: list[tuple[Mark, str]] = []
    faults = error.errors(include_url=False)
    for fault in faults:
        location: Location = tuple(fault["loc"])
        kind = fault["type"]
        if kind == "too_short" and any(
            len(other["loc"]) > len(location) and other["loc"][: len(location)] == location
            for other in faults
        ):
            # Entries with faults of their own were not counted.
            continue
        place = _place(location, document)
        mark = document.mark(place)
        context = fault.get("ctx", {})
        if kind == "extra_forbidden":
            word = str(location[-1])
            allowed = _allowed_keys(location[:-1])
            mark = document.mark(place, key=True)
            message = f"unknown key '{word}'{_nearest(word, allowed)}"
            if not message.endswith("?"):
                message += f"; known keys: {', '.join(sorted(allowed))}"
        elif kind == "missing":
            message = f"the key '{location[-1]}' is missing"
        elif kind in {"enum", "literal_error", "union_tag_invalid"}:
            expected = context.get("expected") or context.get("expected_tags", "")
            choices = [_bare(w) for w in str(expected).replace(" or ", ", ").split(", ") if w]
            given = fault["input"]
            if kind == "union_tag_invalid":
                given = context.get("tag", "")
                key = str(context.get("discriminator", "")).strip("'")
                mark = document.mark((*place, key))
            message = f"unknown value {given!r}{_nearest(str(given), choices)}"
            if not message.endswith("?"):
                message += f"; known values: {', '.join(choices)}"
        elif kind == "union_tag_not_found":
            key = str(context.get("discriminator", "")).strip("'")
            message = f"the key '{key}' is missing"
        elif kind in {"model_type", "model_attributes_type"}:
            message = "expected a mapping"
        elif kind == "too_short":
            message = f"the list needs at least {context['min_length']}, and has "
            message += str(context["actual_length"] or "nothing in it")
        else:
            text = fault["msg"]
            message = text[:1].lower() + text[1:]
        lines.append((mark, message))
    lines.sort(key=lambda entry: (entry[0].line, entry[0].column))
    unique = list(dict.fromkeys(lines))
    first, *rest = unique
    text = f"{document.name}:{first[0].line}:{first[0].column}: {first[1]}"
    for mark, message in rest[:9]:
        text += f"\n{document.name}:{mark.line}:{mark.column}: {message}"
    if len(rest) > 9:
        text += f"\n… and {len(rest) - 9} more"
    return RuleFileError(text)


def _bare(word: str) -> str:
    """The plain word of an expected value as pydantic prints it."""
    word = word.strip()
    if word.startswith("<") and ": " in word:
        word = word.split(": ", 1)[1].rstrip(">")
    return word.strip("'")
