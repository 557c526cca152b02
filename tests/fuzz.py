"""Merge random edits of real files, whose right merge is known, and look for silent faults.

::

    python -m tests.fuzz --merges 20000 --seed 1 --output DIR

The files are those of the running Python's standard library, whole or in part. Each merge goes through
the whole cascade with its gates, as ``resolve`` would do it. Counted are: ``right`` (clean, the right
program), ``exact`` (also the right text), ``open`` (a conflict that shows all edits), and the faults:
``wrong`` (clean, another program), ``unparsable``, ``lost`` (a conflict in which an edit is missing),
``doubled`` (an edit stands more often than it ought to), ``silent`` (clean, though both sides
contradict each other), ``crash``. A fault is minimised and, with ``--output``, written in the form of
a golden case. Exit status 1 when there is a fault.
"""

from __future__ import annotations

import argparse
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.corpus.edits import Scenario, canonical, parse, scenario, tokens
from tests.corpus.running import Result, run_texts

from mergewright.model.threeway import ThreeWay

FAULTS = ("wrong", "unparsable", "lost", "doubled", "silent", "crash")


def library_files(limit: int = 120_000) -> list[Path]:
    """Files of the standard library that are Python 3 in UTF-8, not larger than ``limit`` bytes."""
    root = Path(sysconfig.get_paths()["stdlib"])
    skipped = {"site-packages", "lib2to3", "idlelib", "__pycache__"}
    return [
        path
        for path in sorted(root.rglob("*.py"))
        if not skipped & set(path.parts) and 0 < path.stat().st_size <= limit
    ]


def pieces(data: bytes, random: Random, lines: int) -> bytes:
    """A run of whole top-level statements of about so many lines, or all of the text."""
    tree = parse(data)
    if tree is None or len(tree.body) < 4 or data.count(b"\n") <= lines:
        return data
    first = random.randrange(len(tree.body) - 2)
    rows = data.split(b"\n")
    start = tree.body[first].lineno - 1
    end = start
    for node in tree.body[first:]:
        end = node.end_lineno or end
        if end - start >= lines:
            break
    decorators = getattr(tree.body[first], "decorator_list", [])
    start = min([start, *(d.lineno - 1 for d in decorators)])
    return b"\n".join(rows[start:end]) + b"\n"


def draw(random: Random, files: list[Path], lines: int | None = None) -> Scenario | None:
    """One scenario; of at most about so many lines of a file, or of mixed sizes."""
    data = random.choice(files).read_bytes()
    if b"\r" in data or data.startswith(b"\xef\xbb\xbf"):
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    text = pieces(data, random, lines or random.choice([40, 80, 80, 160, 10**6]))
    if parse(text) is None:
        return None
    return scenario(text, random, edits=random.randint(2, 8), clash=random.random() < 0.15)


def judge(case: Scenario) -> tuple[str, Result | None]:
    """Merge and say what came out."""
    versions = case.versions
    texts: ThreeWay[bytes | None] = ThreeWay(
        base=versions.base, ours=versions.ours, theirs=versions.theirs
    )
    try:
        result = run_texts.__wrapped__("module.py", texts)
    except Exception:  # noqa: BLE001 - any exception is the finding
        return "crash", None
    data = result.data or b""
    right = case.right
    if not result.clean:
        found, wanted = tokens(data, case), tokens(right, case)
        lost = any(found[token] < 1 for token in wanted)
        return ("lost" if lost else "open"), result
    if parse(data) is None:
        return "unparsable", result
    if case.clashes:
        return "silent", result
    if data == right:
        return "exact", result
    if canonical(data) == canonical(right):
        found, wanted = tokens(data, case), tokens(right, case)
        return ("right" if found == wanted else "doubled"), result
    return "wrong", result


def minimise(case: Scenario, fault: str) -> Scenario:
    """Fewer edits and less text with the same fault."""
    shrunk = True
    while shrunk:
        shrunk = False
        for index in reversed(range(len(case.edits) + len(case.clashes))):
            smaller = case.without(index)
            if _same(smaller, fault):
                case, shrunk = smaller, True
        for start, end in _statements(case.base):
            cut = case.cut(start, end)
            if cut is not None and _same(cut, fault):
                case, shrunk = cut, True
                break
    return case


def _same(case: Scenario, fault: str) -> bool:
    texts = (*case.versions, case.right)
    return all(parse(text) is not None for text in texts) and judge(case)[0] == fault


def _statements(data: bytes) -> Iterator[tuple[int, int]]:
    """Spans of whole lines that hold one statement with the blank lines and comments above."""
    tree = parse(data)
    if tree is None:
        return
    starts = [0]
    for line in data.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    stack = [tree.body]
    while stack:
        body = stack.pop()
        above = None
        for node in body:
            first = min([node, *getattr(node, "decorator_list", [])], key=lambda n: n.lineno)
            top = above if above is not None else first.lineno - 1
            bottom = node.end_lineno or first.lineno
            yield starts[top], min(starts[bottom], len(data))
            above = bottom
            for field in ("body", "orelse", "finalbody", "handlers"):
                inner = getattr(node, field, None)
                if isinstance(inner, list) and inner:
                    stack.append([part for part in inner if hasattr(part, "lineno")])


def write(case: Scenario, fault: str, folder: Path) -> None:
    """Write a fault as a golden case without its description."""
    folder.mkdir(parents=True, exist_ok=True)
    versions = case.versions
    _, result = judge(case)
    texts = {
        "base": versions.base,
        "ours": versions.ours,
        "theirs": versions.theirs,
        "expected_ideal": case.right,
        "expected_now": (result.data if result else None) or b"",
    }
    for stem, data in texts.items():
        (folder / f"{stem}.py").write_bytes(data)
    kinds = ", ".join(f"{edit.owner} {edit.change.kind}" for edit in case.edits)
    (folder / "about.txt").write_text(f"{fault}: {kinds}; clashes: {len(case.clashes)}\n", "utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Merge random edits of the standard library.")
    parser.add_argument("--merges", type=int, default=20_000, help="how many (default 20,000)")
    parser.add_argument("--seed", type=int, default=1, help="of the first merge; each has its own")
    parser.add_argument("--output", type=Path, help="where minimised faults go")
    parser.add_argument("--lines", type=int, help="lines a text; mixed sizes unless given")
    parser.add_argument("--seconds", type=float, help="stop after so long")
    parser.add_argument("--quiet", action="store_true", help="no line for each fault")
    options = parser.parse_args(arguments)
    files = library_files()
    counts: Counter[str] = Counter()
    kinds: Counter[str] = Counter()
    began = time.monotonic()
    seed = options.seed
    slowest = (0.0, 0)
    while sum(counts.values()) < options.merges:
        if options.seconds and time.monotonic() - began > options.seconds:
            break
        seed += 1
        case = draw(Random(seed), files, options.lines)
        if case is None:
            continue
        before = time.monotonic()
        verdict, _ = judge(case)
        slowest = max(slowest, (time.monotonic() - before, seed))
        counts[verdict] += 1
        if verdict in FAULTS:
            small = minimise(case, verdict)
            label = "+".join(
                sorted(f"{e.owner}:{e.change.kind}" for e in small.edits)
                + [f"clash:{first.kind}" for first, _ in small.clashes]
            )
            kinds[f"{verdict} {label}"] += 1
            if not options.quiet:
                sys.stderr.write(f"{verdict} seed {seed - 1}: {label}\n")
            if options.output and kinds[f"{verdict} {label}"] <= 3:
                write(small, verdict, options.output / f"{verdict}-{seed - 1}")
    took = time.monotonic() - began
    total = sum(counts.values())
    sys.stdout.write(
        f"{total} merges in {took:.0f} s; slowest {slowest[0]:.2f} s (seed {slowest[1] - 1})\n"
    )
    for verdict, count in counts.most_common():
        sys.stdout.write(f"{count:7} {verdict}\n")
    for kind, count in kinds.most_common(20):
        sys.stdout.write(f"        {count:5} {kind}\n")
    return int(any(counts[fault] for fault in FAULTS))


if __name__ == "__main__":
    sys.exit(main())
