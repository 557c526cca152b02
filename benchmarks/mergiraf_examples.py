"""Our results on mergiraf's own Python examples, beside what mergiraf expects of itself.

The examples are not part of this repository. Get mergiraf's repository (codeberg.org/mergiraf/mergiraf
or a mirror) anywhere outside of it, then::

    python benchmarks/mergiraf_examples.py PATH/TO/mergiraf/examples/python

Each example is a folder ``working/…`` with ``Base``, ``Left``, ``Right``, ``Expected``, or ``failing/…``
with ``ExpectedCurrently`` and ``ExpectedIdeally``; for those the ideal is compared. Exit status 1 when a
result is worse than the expectation: open where mergiraf is clean, more contested lines, or clean with
another program.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import sys
from collections import Counter
from pathlib import Path

from mergewright.model.resolution import Deferred, Resolved
from mergewright.model.threeway import ThreeWay
from mergewright.workflows.texts import merge_texts

OPENERS = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")


def contested_lines(data: bytes) -> int:
    """Lines between conflict markers, base's left out."""
    count, state = 0, None
    for line in data.split(b"\n"):
        if line[:7] in OPENERS:
            state = line[:7]
        elif state in (OPENERS[0], OPENERS[2]):
            count += 1
        if state == OPENERS[3]:
            state = None
    return count


def tree(data: bytes) -> str | None:
    """The syntax tree, or ``None`` when the text does not parse."""
    try:
        return ast.dump(ast.parse(data))
    except SyntaxError:
        return None


def members(data: bytes) -> list[str] | None:
    """The top-level statements' trees, sorted, imported names one by one."""
    try:
        body = ast.parse(data).body
    except SyntaxError:
        return None
    found: list[str] = []
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            module = getattr(node, "module", "")
            found += [f"{module}:{ast.dump(name)}" for name in node.names]
        elif isinstance(node, ast.ClassDef):
            found.append(node.name + repr(sorted(ast.dump(member) for member in node.body)))
        else:
            found.append(ast.dump(node))
    return sorted(found)


def compare(ours: bytes, wanted: bytes, *, clean: bool) -> str:
    """One word for how our result stands to the expectation."""
    wanted_clean = b"\n<<<<<<<" not in b"\n" + wanted
    if ours == wanted:
        return "equal"
    if clean and not wanted_clean:
        return "settled (expectation: conflict)"
    if not clean:
        if wanted_clean:
            return "WORSE: open"
        fewer = contested_lines(ours) <= contested_lines(wanted)
        return "conflict, not larger" if fewer else "WORSE: larger conflict"
    if tree(ours) == tree(wanted):
        return "same tree, other layout"
    if members(ours) is not None and members(ours) == members(wanted):
        return "same members, other order"
    return "WORSE: other program"


def main(arguments: list[str] | None = None) -> int:
    """Run all examples; 1 when one is worse, 2 when there are none."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("folder", type=Path, help="mergiraf's examples/python")
    parser.add_argument("--diff", action="store_true", help="show every difference")
    options = parser.parse_args(arguments)
    counts: Counter[str] = Counter()
    bases = sorted(options.folder.glob("*/*/Base.py"))
    for base in bases:
        folder = base.parent
        texts: ThreeWay[bytes | None] = ThreeWay(
            base=base.read_bytes(),
            ours=(folder / "Left.py").read_bytes(),
            theirs=(folder / "Right.py").read_bytes(),
        )
        expected = folder / "Expected.py"
        if not expected.exists():
            expected = folder / "ExpectedIdeally.py"
        outcome = merge_texts(texts, path="example.py")
        if isinstance(outcome, (Resolved, Deferred)) and outcome.data is not None:
            clean = isinstance(outcome, Resolved)
            word = compare(outcome.data, expected.read_bytes(), clean=clean)
            data = outcome.data
        else:
            word, data = "WORSE: failed", b""
        counts[word] += 1
        print(f"{word:32} {folder.parent.name}/{folder.name}")
        if options.diff and word != "equal":
            lines = [
                x.decode("utf-8", "replace").splitlines() for x in (expected.read_bytes(), data)
            ]
            print("\n".join(difflib.unified_diff(*lines, "mergiraf expects", "ours", lineterm="")))
    for word, count in sorted(counts.items()):
        print(f"{count:4} {word}")
    if not bases:
        print(f"no examples under {options.folder}", file=sys.stderr)
        return 2
    return int(any(word.startswith("WORSE") for word in counts))


if __name__ == "__main__":
    sys.exit(main())
