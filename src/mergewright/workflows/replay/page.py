"""The report as one HTML page: everything is in the file, nothing is loaded from elsewhere.

The texts of a file are stored as a table of its distinct lines and, for each version, runs of line
numbers; long stretches that are equal in all versions are left out. The page works out the
differences itself, so any two versions can be put side by side.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from mergewright.model.errors import RepositoryError, UsageError
from mergewright.text.diff import matches
from mergewright.workflows.replay.blobs import BlobReader
from mergewright.workflows.replay.jobs import Tool, locate
from mergewright.workflows.replay.request import Replayed
from mergewright.workflows.replay.session import Row
from mergewright.workflows.replay.store import Store

#: Equal lines that stay around a difference.
CONTEXT = 12

#: Lines of one version beyond which a text is cut, with a note.
LONGEST = 6000


def write_page(done: Replayed, store: Store, path: Path) -> None:
    """Write the page.

    Args:
        done: The replay.
        store: Where the results' texts are.
        path: The file.

    Raises:
        UsageError: the file cannot be written.
    """
    template = resources.files(__package__).joinpath("page.html").read_text(encoding="utf-8")
    head, _, rest = template.partition("/*REPORT*/")
    middle, _, tail = rest.partition("<!--FILES-->")
    try:
        with path.open("w", encoding="utf-8") as stream:
            stream.write(head + _script(overview(done.report)) + middle)
            # One line a file, written as it is made: the page may be larger than memory likes.
            for line in details(done, store):
                stream.write(line + "\n")
            stream.write(tail)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error


def _script(value: object) -> str:
    """JSON that can stand in a script element: no ``</`` and no comment can end it early."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def overview(report: Mapping[str, Any]) -> dict[str, Any]:
    """The part of the report that the page needs at once: figures, and a short row a file."""
    tools = [tool["name"] for tool in report["tools"]]
    own = [tool["name"] for tool in report["tools"] if not tool["peer"]]
    files = []
    for entry in report["files"]:
        results = entry["results"]
        names = {
            decision["rule"] or decision["strategy"]
            for tool in own
            for decision in results[tool].get("decisions", ())
        } | {results[tool]["strategy"] for tool in own}
        files.append(
            {
                "repo": entry["repo"],
                "merge": entry["merge"],
                "path": entry["path"],
                "date": entry["date"][:10],
                "label": entry["label"],
                "verdicts": [results[tool]["verdict"] for tool in tools],
                "damage": [len(results[tool]["damaged"]) for tool in tools],
                "by": sorted(names - {""}),
            }
        )
    return {**{key: value for key, value in report.items() if key != "files"}, "files": files}


def details(done: Replayed, store: Store) -> Iterator[str]:
    """One compressed line a file: texts, verdicts, decisions."""
    readers: dict[str, BlobReader] = {}
    try:
        for row, entry in zip(done.rows, done.report["files"], strict=True):
            repo = row.case.repo
            if repo not in readers:
                readers[repo] = BlobReader(locate(done.repos, repo))
            texts = _texts(row, done.tools, store, readers[repo])
            value = {**entry, **pack(texts)}
            data = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(
                "utf-8", "surrogatepass"
            )
            yield base64.b64encode(zlib.compress(data, 9)).decode("ascii")
    finally:
        for reader in readers.values():
            reader.close()


def _texts(
    row: Row, tools: Sequence[Tool], store: Store, reader: BlobReader
) -> dict[str, str | None]:
    case = row.case
    texts: dict[str, str | None] = {}
    versions = zip(
        ("base", "ours", "theirs", "accepted"), (*case.blobs, case.accepted_blob), strict=True
    )
    for name, oid in versions:
        try:
            data = None if oid is None else reader.read(oid)
        except RepositoryError:
            data = None
        texts[name] = None if data is None else data.decode("utf-8", "replace")
    for tool in tools:
        output = store.output(tool, case)
        texts[f"tool:{tool.name}"] = None if output is None else output.decode("utf-8", "replace")
    return texts


def pack(texts: Mapping[str, str | None]) -> dict[str, Any]:
    """Texts as ``lines`` (distinct ones) and ``versions`` (runs of line numbers).

    A version is ``None`` or a list of items: ``[first, count]`` is a run of consecutive line
    numbers, a negative number stands for so many lines that are equal in all versions.
    """
    split = {name: None if text is None else _lines(text)[:LONGEST] for name, text in texts.items()}
    present = {name: lines for name, lines in split.items() if lines is not None}
    hidden = _equal_everywhere(present)
    numbers: dict[str, int] = {}
    versions: dict[str, list[Any] | None] = dict.fromkeys(split)
    for name, lines in present.items():
        items: list[Any] = []
        for position, line in enumerate(lines):
            if hidden[name][position]:
                if items and isinstance(items[-1], int):
                    items[-1] -= 1
                else:
                    items.append(-1)
                continue
            number = numbers.setdefault(line, len(numbers))
            last = items[-1] if items else None
            if isinstance(last, list) and last[0] + last[1] == number:
                last[1] += 1
            else:
                items.append([number, 1])
        versions[name] = items
    return {"lines": list(numbers), "versions": versions}


def _lines(text: str) -> list[str]:
    lines = text.split("\n")
    return lines[:-1] if lines and not lines[-1] else lines


def _equal_everywhere(texts: Mapping[str, Sequence[str]]) -> dict[str, list[bool]]:
    """Which lines of each version are left out: far inside a run that all versions share.

    A run is consecutive in every version, so that what is left out is the same text everywhere.
    """
    hidden = {name: [False] * len(lines) for name, lines in texts.items()}
    if len(texts) < 2:
        return hidden
    pivot_name, *others = texts
    pivot = texts[pivot_name]
    pairs = {name: dict(_matches(pivot, texts[name])) for name in others}

    def followed(position: int) -> bool:
        """Whether the line and the next one stand together in every version."""
        return all(
            position in pair and pair.get(position + 1) == pair[position] + 1
            for pair in pairs.values()
        )

    start = 0
    while start < len(pivot):
        end = start
        while end + 1 < len(pivot) and followed(end):
            end += 1
        # Lines start … end are one run; where it reaches an end of all texts no context is needed.
        first = all(pair.get(start) == start == 0 for pair in pairs.values())
        final = all(
            end + 1 == len(pivot) and pair.get(end) == len(texts[name]) - 1
            for name, pair in pairs.items()
        )
        low = start + (0 if first else CONTEXT)
        high = end + 1 - (0 if final else CONTEXT)
        if high - low > CONTEXT and all(start in pair for pair in pairs.values()):
            for position in range(low, high):
                hidden[pivot_name][position] = True
                for name, pair in pairs.items():
                    hidden[name][pair[position]] = True
        start = end + 1
    return hidden


def _matches(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Matching lines; equal beginnings and ends are taken off first."""
    head = 0
    while head < len(left) and head < len(right) and left[head] == right[head]:
        head += 1
    tail = 0
    while (
        tail < len(left) - head
        and tail < len(right) - head
        and left[len(left) - 1 - tail] == right[len(right) - 1 - tail]
    ):
        tail += 1
    middle = matches(left[head : len(left) - tail], right[head : len(right) - tail])
    return [
        *((position, position) for position in range(head)),
        *((a + head, b + head) for a, b in middle),
        *((len(left) - tail + n, len(right) - tail + n) for n in range(tail)),
    ]
