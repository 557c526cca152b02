"""Limits: large and hostile Python files, contested in several places, through engine and gates.

    python benchmarks/limits.py [--sizes 1000,5000,20000,50000] [--budget SECONDS]

Prints processor seconds for each text, what came out, and for the growing module seconds for each
thousand lines: a constant figure is linear growth. Exit status 1 when a text takes longer than the
budget by more than half, or fails.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from speed import module  # noqa: E402 - beside this file; puts this checkout's package on the path

from mergewright.model.resolution import Failed  # noqa: E402
from mergewright.model.threeway import ThreeWay  # noqa: E402
from mergewright.workflows.texts import merge_texts  # noqa: E402

Texts = ThreeWay[bytes | None]


def growing(lines: int) -> Texts:
    """A module of so many lines, contested every 375 lines and changed by one side every 150."""
    functions = max(1, lines // 15)
    return ThreeWay(
        base=module(functions),
        ours=module(functions, ours=True),
        theirs=module(functions, theirs=True),
    )


def _texts(make: Callable[[str], str]) -> Texts:
    return ThreeWay(base=make("base"), ours=make("ours"), theirs=make("theirs")).map(str.encode)


def _edited(parts: list[str], side: str, changes: dict[str, dict[int, str]]) -> str:
    own = changes.get(side, {})
    return "".join(own.get(n, part) for n, part in enumerate(parts))


def equal_statements() -> Texts:
    """10,000 equal statements; each side changes another one and both one."""
    parts = ["step()\n"] * 10_000
    changes = {
        "ours": {1000: "ours()\n", 5000: "step(1)\n"},
        "theirs": {9000: "theirs()\n", 5000: "step(2)\n"},
    }
    return _texts(lambda side: _edited(parts, side, changes))


def deep_blocks() -> Texts:
    """Ninety nested blocks (Python allows a hundred), changed at the bottom by both."""
    head = "".join(" " * n + "if x:\n" for n in range(90))
    return _texts(lambda side: head + " " * 90 + f"call({side}=1)\n")


def deep_brackets() -> Texts:
    """A list of a thousand levels, changed at the bottom by both."""
    return _texts(lambda side: "x = " + "[" * 1000 + f"'{side}'" + "]" * 1000 + "\n")


def deep_chain() -> Texts:
    """A chain of a thousand calls; both sides change one of them."""
    at = {"ours": 100, "theirs": 900}
    return _texts(
        lambda side: (
            "x = a"
            + "".join(f".f({side if n == at.get(side) else n!r})" for n in range(1000))
            + "\n"
        )
    )


def long_line() -> Texts:
    """One line of a megabyte, a list in which each side changes one element."""
    at = {"ours": 10_000, "theirs": 90_000}
    return _texts(
        lambda side: (
            "x = ["
            + ", ".join(f"'{side}'" if n == at.get(side) else f"'{n:06}'" for n in range(100_000))
            + "]\n"
        )
    )


def large_dict() -> Texts:
    """A dictionary of 5,000 entries; both sides change and add some."""
    at = {"ours": 1000, "theirs": 4000}
    return _texts(
        lambda side: (
            "x = {\n"
            + "".join(f"    'key{n}': {side if n == at.get(side) else n!r},\n" for n in range(5000))
            + (f"    '{side}': 1,\n" if side != "base" else "")
            + "}\n"
        )
    )


def large_list() -> Texts:
    """A list of 5,000 elements; both sides change one and add one."""
    at = {"ours": 1000, "theirs": 4000}
    return _texts(
        lambda side: (
            "x = [\n"
            + "".join(f"    {side if n == at.get(side) else n!r},\n" for n in range(5000))
            + (f"    '{side}',\n" if side != "base" else "")
            + "]\n"
        )
    )


def large_class() -> Texts:
    """A class of 3,000 methods; both sides change some, and add one at one place."""
    at = {"ours": {10, 1500}, "theirs": {20, 1500, 2900}}

    def make(side: str) -> str:
        methods = (
            f"\n    def method_{n}(self, a):\n        value = a + {n}\n"
            f"        return {side if n in at.get(side, ()) else 'value'}\n"
            for n in range(3000)
        )
        added = f"\n    def by_{side}(self):\n        pass\n" if side != "base" else ""
        return "class A:\n" + "".join(methods) + added

    return _texts(make)


HOSTILE = (
    equal_statements, deep_blocks, deep_brackets, deep_chain, long_line, large_dict, large_list, large_class,
)  # fmt: skip


def measured(name: str, texts: Texts, budget: float) -> tuple[float, bool]:
    """Merge, print a row, and say how long it took and whether all is well."""
    size = len(texts.ours or b"")
    before = time.process_time()
    outcome = merge_texts(texts, path="file.py", budget=budget)
    took = time.process_time() - before
    said = f"{outcome.outcome.value}, {getattr(outcome, 'strategy', '')}"
    notes = "; ".join(outcome.notes)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"| {name} | {size:,} | {took:.2f} | {peak:.0f} | {said} | {notes} |", flush=True)
    return took, not isinstance(outcome, Failed) and took <= 1.5 * budget + 1


def main() -> int:
    """Measure all; 1 when a text fails or takes too long."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--sizes", default="1000,5000,10000,20000,50000")
    parser.add_argument("--budget", type=float, default=30.0)
    given = parser.parse_args()
    well = []
    print("| text | bytes | processor s | peak MiB | outcome | notes |")
    print("| --- | ---: | ---: | ---: | --- | --- |")
    rates = []
    for lines in map(int, given.sizes.split(",")):
        took, fine = measured(f"{lines:,} lines", growing(lines), given.budget)
        rates.append(f"{took / lines * 1000:.3f}")
        well.append(fine)
    well += [measured(make.__name__, make(), given.budget)[1] for make in HOSTILE]
    print(f"\nprocessor seconds for each thousand lines: {', '.join(rates)}")
    return int(not all(well))


if __name__ == "__main__":
    sys.exit(main())
