"""A wrong rule file never does harm: a located error, or a book that works."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from mergewright.model.conflict import MODE_REGULAR, Conflict, ConflictKind, FileVersion
from mergewright.model.errors import RuleFileError
from mergewright.model.merge import Question
from mergewright.model.threeway import ThreeWay
from mergewright.rules.book import RuleBook
from mergewright.rules.cases import run_cases
from mergewright.rules.describe import explain
from mergewright.rules.loading import built_in_folder, load_text
from mergewright.rules.steps import run_steps
from mergewright.rules.trees import MemoryTree

PACKS = [(built_in_folder() / f"{n}.yaml").read_bytes() for n in ("nightly-sync", "feature-branch")]
WORDS = [
    *("", "null", "~", "true", "-1", "3.5", "[]", "{}", "*", "**", "!!binary", "&x", "*x", "<<"),
    *("2026-01-01", "take-theirs", "regenerate", "ours", "'", '"', "|", ">", "#", "%YAML 1.1"),
    *("\t", "\u2028", "\ufeff", "\x00", "🙂", "a" * 300, "[" * 60, "{a: " * 60, "- " * 50),
]
LOCATED = re.compile(r"^fuzz\.yaml:\d+:\d+: \S")


def broken(rng: random.Random) -> bytes:
    """A good pack with one to four faults: bytes, words, lines, indents."""
    data = rng.choice(PACKS)
    for _ in range(rng.randint(1, 4)):
        lines = data.split(b"\n")
        at = rng.randrange(len(lines))
        kind = rng.randrange(9)
        if kind == 0:
            lines[at] = lines[at][: rng.randint(0, len(lines[at]))]
        elif kind == 1:
            del lines[at : at + rng.randint(1, 4)]
        elif kind == 2:
            lines[at:at] = lines[at : at + rng.randint(1, 5)]
        elif kind == 3:
            lines[at] = b" " * rng.randint(1, 7) + lines[at]
        elif kind == 4:
            lines[at] = lines[at].lstrip()
        elif kind == 5:
            word = rng.choice(WORDS).encode()
            spot = rng.randint(0, len(lines[at]))
            lines[at] = lines[at][:spot] + word + lines[at][spot:]
        elif kind == 6:
            head, colon, _ = lines[at].partition(b": ")
            lines[at] = head + colon + rng.choice(WORDS).encode()
        elif kind == 7:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
        else:
            raw = bytearray(lines[at] or b"x")
            raw[rng.randrange(len(raw))] = rng.randrange(256)
            lines[at] = bytes(raw)
        data = b"\n".join(lines)
    return data


def use(book: RuleBook) -> None:
    """Ask a book everything that a merge would ask it."""
    book.shadowed()
    book.unused(())
    book.engine_options("a.py")
    book.format_options("a.md")
    run_cases(book)
    for loaded in book.rules:
        explain(loaded)
        book.audited(loaded.id)
    paths = [".github/CODEOWNERS", "uv.lock", "megatron/training/utils.py", "a/golden_values.json"]
    for path in paths:
        book.for_path(path)
        version = FileVersion(path=path, mode=MODE_REGULAR, oid="1", data=b"x = 1\n")
        versions: ThreeWay[FileVersion | None] = ThreeWay(base=None, ours=version, theirs=version)
        for kind in ConflictKind:
            book.for_path(Conflict(path=path, kind=kind, versions=versions))
        texts = ThreeWay(base=b"v 1.0\n", ours=b"v 1.1\n", theirs=None)
        question = Question(path=path, symbol="A.b", kind="both-changed", versions=texts)
        book.decider(path).decide(question)
    tree = MemoryTree(dict.fromkeys(paths, b"import os\nx = args.hybrid_context_parallel\n"))
    empty = MemoryTree({})
    run_steps(book, tree, ThreeWay(base=empty, ours=empty, theirs=tree))


def outcomes(seeds: range) -> Iterator[str]:
    for seed in seeds:
        data = broken(random.Random(seed))
        message = ""
        try:
            use(load_text(data, "fuzz.yaml"))
        except RuleFileError as error:
            message = error.message
        assert not message or LOCATED.match(message), (seed, message)
        yield "error" if message else "works"


def test_two_hundred_broken_rule_files() -> None:
    """Each gives a located error or a working pack; both do happen."""
    seen = list(outcomes(range(200)))
    assert seen.count("error") > 50
    assert seen.count("works") > 10


@pytest.mark.long
def test_thousands_of_broken_rule_files() -> None:
    """The same at length."""
    assert len(list(outcomes(range(1000, 6000)))) == 5000
