"""How composed statements are laid out, against how people laid them out when they merged.

Every file of the manifests is merged by structure alone four times: without layout, with the layout of
the side that reformatted, with the formatter on settings proved by the texts, and with the formatter on
the settings that the merged commits configure. Looked at are the statements and headers of the results
that stand in the accepted file with the same syntax tree, and that no side has as they are (or that come
out differently in the four): how many of them have the very text of the accepted file. A result that
means something else, has other comments or other open places than the one without layout is a fault,
counted apart.

Usage: python benchmarks/layout.py MANIFESTS REPOS [--jobs 2] [--out ROWS.json]

MANIFESTS is a folder of ``*.jsonl`` (as of ``resolve replay``), REPOS one with ``<owner>+<name>/repo`` for
each manifest; repositories are only read.
"""

from __future__ import annotations

import argparse
import ast
import copy
import io
import json
import sys
import time
import tokenize
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from multiprocessing import Pool
from pathlib import Path
from typing import Any

from mergewright.git.repository import Repository
from mergewright.model.errors import RepositoryError
from mergewright.model.merge import FileMerge
from mergewright.model.threeway import ThreeWay
from mergewright.python.engine import EngineOptions, merge_python
from mergewright.workflows.formatter import formatting, formatting_of

VARIANTS = ("plain", "layout", "proved", "configured")


@cache
def repository(path: Path) -> Repository:
    """A repository, opened once in each worker."""
    return Repository.open(path)


def statements(text: bytes) -> dict[str, list[str]]:
    """Texts of simple statements and of headers by their syntax tree."""
    source = text.decode("utf-8", "surrogateescape")
    found: dict[str, list[str]] = defaultdict(list)
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return found
    lines = source.splitlines(keepends=True)

    def first(node: ast.stmt) -> int:
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        return min([d.lineno for d in decorators] + [node.lineno])

    for node in ast.walk(tree):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        if body is None:
            end = node.end_lineno or node.lineno
            found[ast.dump(node)].append("".join(lines[node.lineno - 1 : end]))
        elif isinstance(body, list) and body and body[0].lineno > node.lineno:
            bare: Any = copy.copy(node)
            for name in ("body", "orelse", "finalbody", "handlers"):
                if hasattr(bare, name):
                    setattr(bare, name, [])
            found["header " + ast.dump(bare)].append(
                "".join(lines[first(node) - 1 : first(body[0]) - 1])
            )
    return found


def meaning(merge: FileMerge) -> tuple[object, ...]:
    """What must not depend on layout: the program and its comments, and how much is open."""
    text = merge.text().decode("utf-8", "surrogateescape")
    try:
        module = ast.parse(text)
        for node in ast.walk(module):
            # Formatters strip and indent docstrings, and take away the prefix u.
            if isinstance(node, ast.Constant):
                node.kind = None
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                node.value.value = " ".join(str(node.value.value).split())
        tree = ast.dump(module)
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        comments = Counter(t.string.lstrip("#! ") for t in tokens if t.type == tokenize.COMMENT)
    except (SyntaxError, ValueError, tokenize.TokenError):
        return (len(merge.contested),)
    return tree, tuple(sorted(comments.items())), len(merge.contested)


def measure(job: tuple[Mapping[str, Any], Path]) -> dict[str, Any]:
    """One file: figures of its statements, faults and seconds for each variant."""
    row, path = job
    objects = repository(path).objects

    def blob(name: str) -> bytes | None:
        oid = row.get(f"{name}_blob")
        return None if oid is None else objects.blob(oid)

    versions = ThreeWay(base=blob("base"), ours=blob("ours"), theirs=blob("theirs"))
    accepted = blob("truth") or b""
    commits = ThreeWay(base=row.get("base"), ours=row["p1"], theirs=row["p2"])
    options = EngineOptions()
    chosen = {
        "plain": replace(options, layout=False),
        "layout": options,
        "proved": replace(options, formatting=formatting()),
        "configured": replace(options, formatting=formatting_of(objects, commits)(row["path"])),
    }
    merges: dict[str, FileMerge] = {}
    seconds: dict[str, float] = {}
    for name in VARIANTS:
        start = time.perf_counter()
        merges[name] = merge_python(row["path"], versions, options=chosen[name])
        seconds[name] = time.perf_counter() - start
    texts = {name: merge.text() for name, merge in merges.items()}
    result: dict[str, Any] = {
        "repo": row["repo"], "merge": row["merge"], "path": row["path"], "seconds": seconds,
        "statements": 0, "equal": dict.fromkeys(VARIANTS, 0), "faults": [],
        "changed": [n for n in VARIANTS[1:] if texts[n] != texts["plain"]],
    }  # fmt: skip
    if result["changed"]:
        plain = meaning(merges["plain"])
        result["faults"] = [n for n in result["changed"] if meaning(merges[n]) != plain]
    tables = {name: statements(text) for name, text in texts.items()}
    sides = [statements(text or b"") for text in (versions.ours, versions.theirs)]
    right = statements(accepted)
    for key in right:
        if not all(key in table for table in tables.values()):
            continue
        written = {name: Counter(table[key]) for name, table in tables.items()}
        known = Counter(sides[0].get(key, [])) | Counter(sides[1].get(key, []))
        contested = {
            text
            for counts in written.values()
            for text in counts
            if text not in known or any(c[text] != counts[text] for c in written.values())
        }
        if not contested:
            continue
        wanted = Counter(right[key])
        result["statements"] += max(
            sum(n for text, n in counts.items() if text in contested) for counts in written.values()
        )
        for name, counts in written.items():
            found = counts & wanted
            result["equal"][name] += sum(n for text, n in found.items() if text in contested)
    return result


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("manifests", type=Path)
    parser.add_argument("repos", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    jobs = []
    for manifest in sorted(arguments.manifests.glob("*.jsonl")):
        folder = arguments.repos / manifest.stem / "repo"
        rows = (json.loads(line) for line in manifest.read_text(encoding="utf-8").splitlines())
        jobs += [(row, folder) for row in rows]
    rows = []
    with Pool(arguments.jobs) as pool:
        for row in pool.imap(guarded, jobs, chunksize=4):
            if row is not None:
                rows.append(row)
    if arguments.out is not None:
        arguments.out.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    total = sum(row["statements"] for row in rows)
    print(
        f"{len(rows)} files, {total} statements that no side has as they came out, or that differ"
    )
    for name in VARIANTS:
        equal = sum(row["equal"][name] for row in rows)
        changed = sum(name in row["changed"] for row in rows)
        faults = sum(name in row["faults"] for row in rows)
        seconds = sum(row["seconds"][name] for row in rows)
        print(
            f"{name:10} text as accepted {equal:5} ({100 * equal / max(total, 1):.1f} %), "
            f"files changed {changed}, faults {faults}, {seconds:.1f} s"
        )
    for row in rows:
        if row["faults"]:
            print("fault:", row["repo"], row["merge"], row["path"], row["faults"])
    return 1 if any(row["faults"] for row in rows) else 0


def guarded(job: tuple[Mapping[str, Any], Path]) -> dict[str, Any] | None:
    """The measure of one file; ``None`` where its blobs are not there."""
    try:
        return measure(job)
    except RepositoryError as error:
        print(f"{job[0]['repo']} {job[0]['path']}: {error.message}", file=sys.stderr)
        return None


if __name__ == "__main__":
    sys.exit(main())
