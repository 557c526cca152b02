"""Merge random edits of real files, whose right merge is known, and look for silent faults.

::

    python -m tests.fuzz --merges 20000 --seed 1 --jobs 2 --output DIR

The files are those of the running Python's standard library, whole or in part, and generated modules.
The sides edit, move, wrap, split, rename and reformat; line ends, indentation and encoding vary; in
some texts statements get look-alikes first, which differ in one argument or in nothing. Each
merge goes through the whole cascade with its gates, as ``resolve`` would do it. Counted are: ``right``
(clean, the right program), ``exact`` (also the right text), ``open`` (a conflict that shows all edits),
and the faults: ``wrong`` (clean, another program), ``unparsable``, ``lost`` (an edit is missing, also
from a conflict), ``doubled`` (an edit stands more often than it ought to), ``silent`` (clean, though
both sides contradict each other), ``ends`` (an untouched line has another end), ``crash``. A fault is
minimised and, with ``--output``, written in the form of a golden case. The summary tells for each kind
of edit how many merges held it, how many stayed open and how many were faults. Exit status 1 when
there is a fault.
"""

from __future__ import annotations

import argparse
import re
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache, partial
from itertools import count
from multiprocessing import Pool
from pathlib import Path
from random import Random

from tests.corpus.drawing import apart, scenario, sound
from tests.corpus.edits import Scenario, canonical, parse, tokens
from tests.corpus.generators import module_text
from tests.corpus.running import Result, run_texts
from tests.corpus.twins import twinned

from mergewright.model.threeway import ThreeWay

FAULTS = ("wrong", "unparsable", "lost", "doubled", "silent", "ends", "crash")

#: Share of the texts that a generator writes; the rest is of the standard library.
GENERATED = 0.25

#: Share of the texts in which some statements get a look-alike.
TWINNED = 0.3

_TOP = re.compile(rb"(?:def|class|async def|import|from|@|__all__|[A-Z_]+ = )")


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
    """A run of top-level statements of about so many lines, or all of the text.

    The cut is made by the lines alone: a whole file is not parsed for a small piece of it.
    """
    rows = data.split(b"\n")
    tops = [n for n, row in enumerate(rows) if _TOP.match(row)]
    if len(tops) < 4 or len(rows) <= lines:
        return data
    start = random.choice(tops[:-2])
    end = next((n for n in tops if n - start >= lines), len(rows))
    return b"\n".join(rows[start:end]).rstrip(b"\n") + b"\n"


def draw(
    random: Random, files: list[Path], lines: int | None = None, twins: float = TWINNED
) -> Scenario | None:
    """One scenario; of at most about so many lines of a file, or of mixed sizes.

    ``twins`` is the share of texts in which statements get a look-alike.
    """
    if random.random() < GENERATED:
        text = module_text(random)
    else:
        data = random.choice(files).read_bytes()
        if b"\r" in data or data.startswith(b"\xef\xbb\xbf") or b"\f" in data:
            return None
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            return None
        size = random.choices([40, 80, 160, 10**6], [40, 45, 12, 3])[0]
        text = pieces(data, random, lines or size)
    if parse(text) is None:
        return None
    if random.random() < twins:
        text = twinned(text, random)
    return scenario(
        text,
        random,
        edits=random.randint(2, 8),
        reshape=0.35,
        clash=random.random() < 0.2,
        growth=random.random() < 0.25,
        dress=text.count(b"\n") < 200,
    )


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
        shown = [change.token for pair in case.clashes for change in pair]
        lost = any(found[token] < 1 for token in wanted) or any(t not in data for t in shown)
        return ("lost" if lost else "open"), result
    if parse(data) is None:
        return "unparsable", result
    if case.clashes:
        return "silent", result
    if data == right:
        return "exact", result
    docstrings = not case.dress.formatted
    if canonical(data, docstrings=docstrings) == canonical(right, docstrings=docstrings):
        found, wanted = tokens(data, case), tokens(right, case)
        if found != wanted:
            return "doubled" if any(found[t] > wanted[t] for t in wanted) else "lost", result
        return ("ends" if _ends_changed(data, case) else "right"), result
    return "wrong", result


def _ends_changed(data: bytes, case: Scenario) -> bool:
    """Whether a line of the base that no side touched has another end in the result.

    Lines are told by their text, whatever their indentation: a side that has one less often than the
    base touched it.
    """
    base, ours, theirs, result = (_ends(text) for text in (*case.versions, data))
    return any(
        len(ends) == 1
        and ends == ours.get(line) == theirs.get(line)
        and not result.get(line, ends).keys() <= ends.keys()
        for line, ends in base.items()
    )


def _ends(data: bytes) -> dict[bytes, Counter[bytes]]:
    """How often each line of a text has each end."""
    found: dict[bytes, Counter[bytes]] = {}
    for line in data.split(b"\n")[:-1]:
        text = line.rstrip(b"\r")
        found.setdefault(text.strip(), Counter())[line[len(text) :]] += 1
    return found


def minimise(case: Scenario, fault: str) -> Scenario:
    """Fewer edits and less text with the same fault."""
    shrunk = True
    while shrunk:
        shrunk = False
        for index in reversed(range(case.size)):
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
    return apart(case) and sound(case) and judge(case)[0] == fault


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
    (folder / "about.txt").write_text(f"{fault}: {', '.join(case.kinds)}\n", "utf-8")


@dataclass(frozen=True, slots=True)
class Merged:
    """One merge of a run: what came out and what it was made of."""

    seed: int
    verdict: str
    kinds: tuple[str, ...]
    seconds: float


def run(seed: int, lines: int | None = None, twins: float = TWINNED) -> Merged | None:
    """Draw and judge one merge; ``None`` when the text offers too little."""
    case = draw(Random(seed), _library(), lines, twins)
    if case is None:
        return None
    before = time.process_time()
    verdict, _ = judge(case)
    kinds = [kind.removeprefix("ours:").removeprefix("theirs:") for kind in case.kinds]
    kinds = [kind.removeprefix("both:") for kind in kinds]
    return Merged(seed, verdict, tuple(dict.fromkeys(kinds)), time.process_time() - before)


@cache
def _library() -> list[Path]:
    return library_files()


def report_fault(merged: Merged, options: argparse.Namespace, seen: Counter[str]) -> None:
    """Minimise a fault, name it and write it down."""
    case = draw(Random(merged.seed), _library(), options.lines, options.twins)
    assert case is not None
    small = minimise(case, merged.verdict)
    label = f"{merged.verdict} {' '.join(small.kinds)}"
    seen[label] += 1
    if not options.quiet:
        sys.stderr.write(f"seed {merged.seed}: {label}\n")
    if options.output and seen[label] <= 3:
        write(small, merged.verdict, options.output / f"{merged.verdict}-{merged.seed}")


def main(arguments: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description="Merge random edits of the standard library.")
    parser.add_argument("--merges", type=int, default=20_000, help="how many (default 20,000)")
    parser.add_argument("--seed", type=int, default=1, help="of the first merge; each has its own")
    parser.add_argument("--output", type=Path, help="where minimised faults go")
    parser.add_argument("--lines", type=int, help="lines a text; mixed sizes unless given")
    parser.add_argument(
        "--twins", type=float, default=TWINNED, help="share of texts with look-alike statements"
    )
    parser.add_argument("--seconds", type=float, help="stop after so long")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--quiet", action="store_true", help="no line for each fault")
    options = parser.parse_args(arguments)
    done: list[Merged] = []
    faults: Counter[str] = Counter()
    began = time.monotonic()
    with ExitStack() as stack:
        seeds = count(options.seed)
        if options.jobs > 1:
            pool = stack.enter_context(Pool(options.jobs))
            # A pool reads all that it is given at once: ten seeds make a merge at the very least.
            limit = range(options.seed, options.seed + 10 * options.merges)
            results = pool.imap(
                partial(run, lines=options.lines, twins=options.twins), limit, chunksize=8
            )
        else:
            results = (run(seed, options.lines, options.twins) for seed in seeds)  # type: ignore[assignment]
        for merged in results:
            if merged is None:
                continue
            done.append(merged)
            if merged.verdict in FAULTS:
                report_fault(merged, options, faults)
            late = options.seconds and time.monotonic() - began > options.seconds
            if late or len(done) >= options.merges:
                break
    sys.stdout.write(summary(done, faults, time.monotonic() - began))
    return int(any(merged.verdict in FAULTS for merged in done))


def summary(done: list[Merged], faults: Counter[str], took: float) -> str:
    """The counts of a run: verdicts, each kind of edit with its verdicts, the faults."""
    slowest = max(done, key=lambda merged: merged.seconds)
    work = sum(merged.seconds for merged in done)
    lines = [
        (
            f"{len(done)} merges in {took:.0f} s; {1000 * work / len(done):.0f} ms of work a merge;"
            f" slowest {slowest.seconds:.2f} s (seed {slowest.seed})"
        )
    ]
    verdicts = Counter(merged.verdict for merged in done)
    lines += [f"{number:7} {verdict}" for verdict, number in verdicts.most_common()]
    lines += ["", "  merges   open  fault  kind"]
    kinds = sorted({kind for merged in done for kind in merged.kinds})
    for kind in sorted(kinds, key=lambda name: (name.rpartition(":")[0], name)):
        those = [merged.verdict for merged in done if kind in merged.kinds]
        wrong = sum(verdict in FAULTS for verdict in those)
        lines.append(f"{len(those):8} {those.count('open'):6} {wrong:6}  {kind}")
    if faults:
        lines += ["", *(f"{number:7} {label}" for label, number in faults.most_common(30))]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
