"""Random merges whose right answer is known: a model, two edited copies, and their texts.

A model is a mapping of sections to mappings of keys to values (scalars or lists of words) with a
comment for some keys. The edits of the two sides are drawn independently, so that they meet now and
then. The checks below know the models, the standard parsers and nothing of the engines.
"""

from __future__ import annotations

import configparser
import copy
import io
import json
import random
import re
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML

from mergewright.formats import merge_for
from mergewright.model.merge import FileMerge
from mergewright.model.threeway import Side, ThreeWay, settle

WORDS = ("alpha", "beta", "gamma", "delta", "eps", "zeta", "eta", "theta", "iota", "kappa")


@dataclass
class Model:
    """Sections of keys and values; comments by (section, key)."""

    sections: dict[str, dict[str, Any]] = field(default_factory=dict)
    comments: dict[tuple[str, str], str] = field(default_factory=dict)

    def copy(self) -> Model:
        return Model(copy.deepcopy(self.sections), dict(self.comments))


def scalar(rng: random.Random) -> Any:
    return rng.choice([rng.randint(0, 99), rng.choice(WORDS) + str(rng.randint(0, 9)), True, False])


def word_list(rng: random.Random) -> list[str]:
    return [f"{w}{rng.randint(0, 9)}" for w in rng.sample(WORDS, rng.randint(1, 4))]


def make_model(rng: random.Random, *, comments: bool = True) -> Model:
    model = Model()
    for s in range(rng.randint(1, 4)):
        section = f"sec{s}"
        model.sections[section] = {}
        for k in range(rng.randint(1, 6)):
            key = "keywords" if k == 2 else f"key{k}"
            value = word_list(rng) if key == "keywords" else scalar(rng)
            model.sections[section][key] = value
            if comments and rng.random() < 0.3:
                model.comments[section, key] = f"note {section} {key} {rng.randint(0, 999)}"
    return model


def insert(mapping: dict[str, Any], key: str, value: Any, at: int) -> dict[str, Any]:
    items = list(mapping.items())
    items.insert(at, (key, value))
    return dict(items)


def edit(rng: random.Random, model: Model, side: str, *, comments: bool) -> Model:
    new = model.copy()
    for _ in range(rng.randint(0, 4)):
        name = rng.choice(sorted(new.sections)) if new.sections else ""
        keys = new.sections.get(name, {})
        action = rng.random()
        if action < 0.35 and keys:
            key = rng.choice(sorted(keys))
            if isinstance(keys[key], list):
                edit_list(rng, keys[key], side)
            else:
                keys[key] = scalar(rng)
        elif action < 0.6:
            key = rng.choice([f"{side}{rng.randint(0, 5)}", f"new{rng.randint(0, 2)}"])
            if key not in keys and name:
                new.sections[name] = insert(keys, key, scalar(rng), rng.randint(0, len(keys)))
                if comments and rng.random() < 0.4:
                    new.comments[name, key] = f"note {side} {key} {rng.randint(0, 999)}"
        elif action < 0.75 and len(keys) > 1:
            key = rng.choice(sorted(keys))
            del keys[key]
            new.comments.pop((name, key), None)
        elif action < 0.85:
            section = rng.choice([f"{side}sec", "newsec"])
            if section not in new.sections:
                new.sections = insert(
                    new.sections,
                    section,
                    {"key0": scalar(rng), "key1": scalar(rng)},
                    rng.randint(0, len(new.sections)),
                )
        elif action < 0.92 and comments and keys:
            key = rng.choice(sorted(keys))
            new.comments[name, key] = f"note {side} {key} {rng.randint(0, 999)}"
        elif len(new.sections) > 1:
            del new.sections[name]
            new.comments = {at: text for at, text in new.comments.items() if at[0] != name}
    return new


def edit_list(rng: random.Random, words: list[str], side: str) -> None:
    if rng.random() < 0.6 or len(words) < 2:
        words.insert(rng.randint(0, len(words)), f"{side}{rng.randint(0, 99)}")
    else:
        words.pop(rng.randrange(len(words)))


# -- texts -------------------------------------------------------------------------------------


def toml_value(value: Any, wide: bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        if wide:
            return "[\n" + "".join(f"    {json.dumps(v)},\n" for v in value) + "]"
        return "[" + ", ".join(json.dumps(v) for v in value) + "]"
    return json.dumps(value)


def to_toml(model: Model, wide: bool) -> str:
    out = []
    for name, keys in model.sections.items():
        out.append(f"[{name}]\n")
        for key, value in keys.items():
            comment = model.comments.get((name, key))
            if comment:
                out.append(f"# {comment}\n")
            out.append(f"{key} = {toml_value(value, wide)}\n")
        out.append("\n")
    return "".join(out).rstrip("\n") + "\n"


def to_json(model: Model, wide: bool) -> str:
    if wide:
        return json.dumps(model.sections, indent=2) + "\n"
    lines = [f"  {json.dumps(name)}: {json.dumps(keys)}" for name, keys in model.sections.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def to_yaml(model: Model, wide: bool) -> str:
    out = []
    for name, keys in model.sections.items():
        out.append(f"{name}:\n")
        for key, value in keys.items():
            comment = model.comments.get((name, key))
            if comment:
                out.append(f"  # {comment}\n")
            if isinstance(value, list):
                indent = "    " if wide else "  "
                out.append(f"  {key}:\n" + "".join(f"{indent}- {v}\n" for v in value))
            elif value is False:
                out.append(f"  {key}:\n")
            elif value is True:
                out.append(f"  {key}: true\n")
            else:
                out.append(f"  {key}: {value}\n")
        if wide:
            out.append("\n")
    return "".join(out).rstrip("\n") + "\n"


def to_ini(model: Model, wide: bool) -> str:
    sign = " = " if wide else "="
    out = []
    for name, keys in model.sections.items():
        out.append(f"[{name}]\n")
        for key, value in keys.items():
            comment = model.comments.get((name, key))
            if comment:
                out.append(f"# {comment}\n")
            if isinstance(value, list):
                out.append(f"{key}{sign.rstrip()}\n" + "".join(f"    {v}\n" for v in value))
            else:
                out.append(f"{key}{sign}{value}\n")
        out.append("\n")
    return "".join(out).rstrip("\n") + "\n"


# -- reading back ------------------------------------------------------------------------------


def read_toml(text: str) -> dict[str, dict[str, Any]]:
    return tomllib.loads(text)


def read_json(text: str) -> dict[str, dict[str, Any]]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len({key for key, _ in pairs}) == len(pairs), "a key twice"
        return dict(pairs)

    loaded: dict[str, dict[str, Any]] = json.loads(text, object_pairs_hook=unique)
    return loaded


def read_yaml(text: str) -> dict[str, dict[str, Any]]:
    loaded = YAML(typ="safe", pure=True).load(io.StringIO(text))
    return {name: dict(keys or {}) for name, keys in (loaded or {}).items()}


def read_ini(text: str) -> dict[str, dict[str, Any]]:
    parser = configparser.RawConfigParser(strict=True)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string(text)
    out: dict[str, dict[str, Any]] = {}
    for name in parser.sections():
        out[name] = {}
        for key, value in parser.items(name):
            lines = [line for line in value.split("\n") if line.strip()]
            out[name][key] = lines if value.startswith("\n") or not value else value
    return out


def as_ini(model: Model) -> dict[str, dict[str, Any]]:
    return {
        name: {k: v if isinstance(v, list) else str(v) for k, v in keys.items()}
        for name, keys in model.sections.items()
    }


def as_yaml(model: Model) -> dict[str, dict[str, Any]]:
    """``False`` stands for a key without a value."""
    return {
        name: {key: None if value is False else value for key, value in keys.items()}
        for name, keys in model.sections.items()
    }


def as_is(model: Model) -> dict[str, dict[str, Any]]:
    return copy.deepcopy(model.sections)


@dataclass(frozen=True)
class Format:
    """A keyed format: how a model is written and read."""

    path: str
    write: Callable[[Model, bool], str]
    read: Callable[[str], dict[str, dict[str, Any]]]
    data: Callable[[Model], dict[str, dict[str, Any]]] = as_is
    comments: bool = True


KEYED = {
    "toml": Format("conf.toml", to_toml, read_toml),
    "json": Format("conf.json", to_json, read_json, comments=False),
    "yaml": Format("conf.yaml", to_yaml, read_yaml, as_yaml),
    "ini": Format("conf.ini", to_ini, read_ini, as_ini),
}


def run(path: str, texts: ThreeWay[str]) -> FileMerge:
    merge = merge_for(path)
    assert merge is not None
    return merge(texts.map(lambda text: text.encode("utf-8")))


def check_keyed(name: str, rng: random.Random) -> bool:
    """One random merge of a keyed format, checked; gives whether it came out clean."""
    form = KEYED[name]
    base = make_model(rng, comments=form.comments)
    models = ThreeWay(
        base=base,
        ours=edit(rng, base, "o", comments=form.comments),
        theirs=edit(rng, base, "t", comments=form.comments),
    )
    wide = rng.random() < 0.5
    texts = models.map(lambda model: form.write(model, wide))
    merge = run(form.path, texts)
    data = models.map(form.data)
    context = "\n----\n".join((*texts, merge.text().decode(), "\n".join(merge.notes)))
    lines = {line.rstrip(",\n ") for text in texts for line in text.split("\n")}
    if merge.clean:
        check_data(form.read(merge.text().decode()), data, None, context)
        if form.comments:
            check_comments(merge.text().decode(), models, context)
    else:
        for side in (Side.OURS, Side.THEIRS):
            text = merge.text(side).decode()
            check_data(form.read(text), data, side, context)
    if merge.method != "lines" and wide:
        for line in merge.text().decode().split("\n"):
            assert line.rstrip(",\n ") in lines, f"a line of neither version: {line!r}\n{context}"
    check_one_sided(form.path, texts, context)
    assert run(form.path, texts.swapped()).clean == merge.clean, context
    return merge.clean


def check_one_sided(path: str, texts: ThreeWay[str], context: str) -> None:
    """Where only one side changed something the result is that side, byte for byte."""
    one = run(path, ThreeWay(base=texts.base, ours=texts.ours, theirs=texts.base))
    assert one.clean, context
    assert one.text().decode() == texts.ours, context
    two = run(path, ThreeWay(base=texts.base, ours=texts.base, theirs=texts.theirs))
    assert two.text().decode() == texts.theirs, context


_NONE = object()


def check_data(
    result: dict[str, dict[str, Any]],
    data: ThreeWay[dict[str, dict[str, Any]]],
    side: Side | None,
    context: str,
) -> None:
    names = {*data.base, *data.ours, *data.theirs, *result}
    for name in names:
        sections = data.map(lambda model: model.get(name))  # noqa: B023
        got = result.get(name)
        settled = settle(sections)
        whole = sections.ours is None or sections.theirs is None
        if settled is not None and (side is None or whole):
            # A removal beside a changed comment stays open, though the values are settled.
            allowed = [sections.get(settled), *([] if side is None else [sections.get(side)])]
            assert got in allowed, f"section {name}: {got}\n{context}"
            continue
        if sections.ours is None or sections.theirs is None:
            # Removed on one side, changed on the other: must be open, and follow the choice.
            assert side is not None, f"section {name} lost an edit silently\n{context}"
            assert got == sections.get(side), f"section {name}: {got}\n{context}"
            continue
        assert got is not None, f"section {name} is lost\n{context}"
        for key in {*(sections.base or {}), *sections.ours, *sections.theirs, *got}:
            values = sections.map(lambda keys: _NONE if keys is None else keys.get(key, _NONE))  # noqa: B023
            check_value(f"{name}.{key}", values, got.get(key, _NONE), side, context)


def check_value(
    path: str, values: ThreeWay[Any], got: Any, side: Side | None, context: str
) -> None:
    settled = settle(values)
    if settled is not None:
        allowed = [values.get(settled), *([] if side is None else [values.get(side)])]
        assert got in allowed, f"{path}: {got!r}\n{context}"
        return
    if all(isinstance(value, list) for value in values) and isinstance(got, list):
        b, o, t, r = (Counter(some) for some in (*values, got))
        for word in {*b, *o, *t, *r}:
            one = settle(ThreeWay(base=b[word], ours=o[word], theirs=t[word]))
            low = (
                min(o[word], t[word])
                if one is None or side is not None
                else (ThreeWay(base=b[word], ours=o[word], theirs=t[word]).get(one))
            )
            high = max(o[word], t[word])
            assert low <= r[word] <= high, f"{path}: {word} {r[word]} times\n{context}"
        return
    assert side is not None, f"{path} contradicts and came out as {got!r}\n{context}"
    assert got == values.get(side), f"{path}: {got!r} is not {side.value}'s\n{context}"


def check_comments(text: str, models: ThreeWay[Model], context: str) -> None:
    notes = models.map(lambda model: Counter(model.comments.values()))
    found = Counter(re.findall(r"# (note [^\n]*)", text))
    for note in {*notes.base, *notes.ours, *notes.theirs, *found}:
        counts = notes.map(lambda some: some[note])  # noqa: B023
        settled = settle(counts)
        assert settled is not None
        assert found[note] == counts.get(settled), f"comment {note}: {found[note]}\n{context}"


# -- lists of lines ----------------------------------------------------------------------------


def make_lines(rng: random.Random, name: str) -> list[str]:
    if name == "requirements":
        return [f"{w}=={rng.randint(1, 5)}.{rng.randint(0, 9)}" for w in rng.sample(WORDS, 5)]
    if name == "patterns":
        return [f"{w}/*.log" for w in rng.sample(WORDS, 5)]
    return [
        f"{w.title()} {v.title()}"
        for w, v in zip(rng.sample(WORDS, 5), rng.sample(WORDS, 5), strict=True)
    ]


def edit_lines(rng: random.Random, lines: list[str], name: str, side: str) -> list[str]:
    new = list(lines)
    for _ in range(rng.randint(0, 3)):
        action = rng.random()
        if action < 0.55 or len(new) < 2:
            fresh = f"{side}{rng.randint(0, 9)}"
            line = (
                f"{fresh}==1.0"
                if name == "requirements"
                else f"{fresh}/"
                if name == "patterns"
                else f"{fresh} Person"
            )
            if not any(old.split("==")[0] == fresh for old in new) and line not in new:
                new.insert(rng.randint(0, len(new)), line)
        elif action < 0.8:
            new.pop(rng.randrange(len(new)))
        elif name == "requirements":
            at = rng.randrange(len(new))
            new[at] = new[at].split("==")[0] + f"=={rng.randint(1, 9)}.{rng.randint(0, 9)}"
    return new


LINES = {"requirements": "requirements.txt", "names": "AUTHORS", "patterns": ".gitignore"}


def check_lines(name: str, rng: random.Random) -> bool:
    """One random merge of a list of lines, checked; gives whether it came out clean."""
    base = sorted(make_lines(rng, name)) if rng.random() < 0.5 else make_lines(rng, name)
    versions = ThreeWay(
        base=base, ours=edit_lines(rng, base, name, "o"), theirs=edit_lines(rng, base, name, "t")
    )
    end = rng.choice(["\n", ""])
    texts = versions.map(lambda lines: "\n".join(lines) + end if lines else "")
    merge = run(LINES[name], texts)
    context = "\n----\n".join((*texts, merge.text().decode(), "\n".join(merge.notes)))
    allowed = {line for text in texts for line in text.split("\n")}
    for side in (Side.OURS,) if merge.clean else (Side.OURS, Side.THEIRS):
        result = merge.text(side).decode()
        got = [line for line in result.split("\n") if line]
        assert len(set(got)) == len(got), f"a line twice\n{context}"
        assert set(got) <= allowed, context
        by_name = [line.split("==")[0] for line in got]
        assert len(set(by_name)) == len(by_name), f"a name twice\n{context}"
        for line in {*versions.base, *versions.ours, *versions.theirs}:
            there = versions.map(lambda lines: line in lines)  # noqa: B023
            settled = settle(there)
            assert settled is not None
            if there.get(settled):
                named = line.split("==")[0] in by_name
                assert line in got or not merge.clean or (name == "requirements" and named), (
                    f"{line} is lost\n{context}"
                )
            elif merge.clean and name != "requirements":
                assert line not in got, f"{line} came back\n{context}"
    check_one_sided(LINES[name], texts, context)
    assert run(LINES[name], texts.swapped()).clean == merge.clean, context
    return merge.clean


# -- changelogs and documents ------------------------------------------------------------------

Log = list[tuple[str, list[str]]]
PHRASES = (
    "Fix the reader of {} files", "Add an option for {} input", "Drop support for {} servers",
    "Document how {} is called", "Speed up {} on large inputs", "Deprecate the old {} switch",
)  # fmt: skip


def entry(rng: random.Random, mark: str) -> str:
    return rng.choice(PHRASES).format(rng.choice(WORDS)) + f" ({mark}{rng.randint(0, 9999)})."


def make_log(rng: random.Random) -> Log:
    return [
        (f"1.{v}", list(dict.fromkeys(entry(rng, "b") for _ in range(rng.randint(1, 5)))))
        for v in range(rng.randint(1, 4), 0, -1)
    ]


def edit_log(rng: random.Random, log: Log, side: str) -> Log:
    new = [(title, list(entries)) for title, entries in log]
    for _ in range(rng.randint(0, 4)):
        _, entries = rng.choice(new)
        action = rng.random()
        if action < 0.45:
            entries.insert(rng.randint(0, len(entries)), entry(rng, side))
        elif action < 0.6 and len(entries) > 1:
            entries.pop(rng.randrange(len(entries)))
        elif action < 0.8 and entries:
            at = rng.randrange(len(entries))
            entries[at] = entries[at].removesuffix(".") + f" thanks {side}."
        elif action < 0.9:
            version = rng.choice([f"2.{'0' if side == 'o' else '1'}", "1.9"])
            if all(t != version for t, _ in new):
                new.insert(0, (version, [entry(rng, side)]))
    return new


def to_rst(log: Log) -> str:
    parts = ["Changes\n=======\n"]
    for title, entries in log:
        parts.append(f"\nVersion {title}\n-------------\n\n" + "".join(f"* {e}\n" for e in entries))
    return "".join(parts)


def to_md(log: Log) -> str:
    parts = ["# Changes\n"]
    for title, entries in log:
        parts.append(f"\n## {title}\n\n" + "".join(f"- {e}\n" for e in entries))
    return "".join(parts)


def read_log(text: str) -> Log:
    log: Log = []
    for line in text.split("\n"):
        heading = re.fullmatch(r"(?:Version|##) (\d\.\d)", line)
        if heading:
            log.append((heading.group(1), []))
        elif line.startswith(("* ", "- ")):
            log[-1][1].append(line[2:])
    return log


LOGS = {"CHANGES.rst": to_rst, "CHANGELOG.md": to_md, "notes.md": to_md}


def check_log(path: str, rng: random.Random) -> bool:
    """One random merge of a changelog, checked; gives whether it came out clean."""
    base = make_log(rng)
    versions = ThreeWay(base=base, ours=edit_log(rng, base, "o"), theirs=edit_log(rng, base, "t"))
    texts = versions.map(LOGS[path])
    merge = run(path, texts)
    context = "\n----\n".join((*texts, merge.text().decode(), "\n".join(merge.notes)))
    if merge.clean:
        got = read_log(merge.text().decode())
        titles = [title for title, _ in got]
        assert len(set(titles)) == len(titles), f"a heading twice\n{context}"
        if path != "notes.md":
            ranked = [tuple(map(int, title.split("."))) for title in titles]
            before = [[tuple(map(int, t.split("."))) for t, _ in log] for log in versions]
            if all(some == sorted(some, reverse=True) for some in before):
                assert ranked == sorted(ranked, reverse=True), f"headings out of order\n{context}"
        sections = versions.map(dict)
        result = dict(got)
        for title in {*sections.base, *sections.ours, *sections.theirs}:
            entries = sections.map(lambda log: log.get(title, []))  # noqa: B023
            found = Counter(result[title])
            for line in {*entries.base, *entries.ours, *entries.theirs, *found}:
                there = entries.map(lambda some: line in some)  # noqa: B023
                settled = settle(there)
                assert settled is not None
                if there.get(settled):
                    # An edit of both sides may combine; then its words stand in one line.
                    stem = line.split(" thanks ")[0].removesuffix(".")
                    assert found[line] == 1 or any(stem in other for other in found), (
                        f"{line!r} is lost\n{context}"
                    )
                else:
                    assert not found[line] or "thanks" in line, f"{line!r} came back\n{context}"
                assert found[line] <= 1, f"{line!r} is doubled\n{context}"
            for stem in {line.split(" thanks ")[0].removesuffix(".") for line in found}:
                copies = [line for line in found if line.startswith(stem)]
                assert len(copies) == 1, f"a stale copy of {stem!r}\n{context}"
    check_one_sided(path, texts, context)
    assert run(path, texts.swapped()).clean == merge.clean, context
    return merge.clean


# -- notebooks ---------------------------------------------------------------------------------

Cells = list[tuple[str, list[str], int]]


def make_cells(rng: random.Random) -> Cells:
    return [
        (f"c{n}", [f"{w}_{n} = {rng.randint(0, 99)}" for w in rng.sample(WORDS, 3)], n)
        for n in range(rng.randint(1, 4))
    ]


def edit_cells(rng: random.Random, cells: Cells, side: str) -> Cells:
    new = [(name, list(lines), count) for name, lines, count in cells]
    for _ in range(rng.randint(0, 3)):
        action = rng.random()
        at = rng.randrange(len(new))
        name, lines, _ = new[at]
        if action < 0.4:
            lines[rng.randrange(len(lines))] = f"{side}v{rng.randint(0, 99)} = {rng.randint(0, 99)}"
        elif action < 0.6:
            new[at] = (name, lines, rng.randint(10, 99))
        elif action < 0.85:
            fresh = f"{side}{rng.randint(0, 999)}"
            if all(other != fresh for other, _, _ in new):
                new.insert(rng.randint(0, len(new)), (fresh, [f"print('{fresh}')"], 0))
        elif len(new) > 1:
            new.pop(at)
    return new


def to_notebook(cells: Cells) -> str:
    def outputs(count: int) -> list[dict[str, Any]]:
        return [{"name": "stdout", "output_type": "stream", "text": [str(count)]}] if count else []

    data = {
        "cells": [
            {
                "cell_type": "code",
                "execution_count": count or None,
                "id": name,
                "metadata": {},
                "outputs": outputs(count),
                "source": [f"{line}\n" for line in lines[:-1]] + lines[-1:],
            }
            for name, lines, count in cells
        ],
        "metadata": {"kernelspec": {"name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(data, indent=1) + "\n"


def check_notebook(rng: random.Random) -> bool:
    """One random merge of a notebook, checked; gives whether it came out clean."""
    base = make_cells(rng)
    versions = ThreeWay(
        base=base, ours=edit_cells(rng, base, "o"), theirs=edit_cells(rng, base, "t")
    )
    texts = versions.map(to_notebook)
    merge = run("n.ipynb", texts)
    context = "\n----\n".join((*texts, merge.text().decode(), "\n".join(merge.notes)))
    if merge.clean:
        cells = json.loads(merge.text())["cells"]
        found = {cell["id"]: cell for cell in cells}
        assert len(found) == len(cells), f"an id twice\n{context}"
        sources = versions.map(lambda some: {name: lines for name, lines, _ in some})
        for name in {*sources.base, *sources.ours, *sources.theirs}:
            texts_of = sources.map(lambda some: some.get(name))  # noqa: B023
            settled = settle(texts_of)
            got = found.get(name)
            lines = None if got is None else "".join(got["source"]).split("\n")
            if settled is not None:
                assert lines == texts_of.get(settled), f"cell {name}: {lines}\n{context}"
            else:
                assert lines is not None, f"cell {name} is lost\n{context}"
                for at, line in enumerate(lines):
                    here = texts_of.map(lambda some: some[at] if some else None)  # noqa: B023
                    one = settle(here)
                    assert one is not None, f"cell {name}: {line!r}\n{context}"
                    assert line == here.get(one), f"cell {name}: {line!r}\n{context}"
            if got is not None:
                runs = [(ls == lines, c) for v in versions for n, ls, c in v if n == name]
                stale = len({count for _, count in runs}) == 1
                owned = any(own for own, _ in runs)
                assert owned or stale or got["outputs"] == [], f"outputs of no run\n{context}"
    check_one_sided("n.ipynb", texts, context)
    assert run("n.ipynb", texts.swapped()).clean == merge.clean, context
    return merge.clean


CHECKS: dict[str, Callable[[random.Random], bool]] = {
    **{name: (lambda rng, name=name: check_keyed(name, rng)) for name in KEYED},  # type: ignore[misc]
    **{name: (lambda rng, name=name: check_lines(name, rng)) for name in LINES},  # type: ignore[misc]
    **{path: (lambda rng, path=path: check_log(path, rng)) for path in LOGS},  # type: ignore[misc]
    "notebook": check_notebook,
}
