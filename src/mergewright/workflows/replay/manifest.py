"""Manifests: JSON lines, one conflicted file of one historical merge each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from mergewright.model.errors import UsageError
from mergewright.workflows.replay.cases import Case, Collection

_FIELDS = ("repo", "merge", "p1", "p2", "path", "ours_blob", "theirs_blob", "truth_blob")


def read_manifests(paths: Iterable[Path]) -> Collection:
    """The cases of manifest files.

    A line is an object with ``repo``, ``merge``, ``p1`` (ours), ``p2`` (theirs), ``base``,
    ``path``, ``date``, ``kind`` and the blob ids ``base_blob``, ``ours_blob``, ``theirs_blob``,
    ``truth_blob``; ``accepted`` names the commit of the accepted result where it is not ``merge``.

    Raises:
        UsageError: a file is no manifest; the message starts with ``file:line``.
    """
    collection = Collection()
    known: set[str] = set()
    for path in paths:
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"Cannot read the manifest {path}: {error}") from error
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except ValueError as error:
                raise UsageError(f"{path}:{number}: not a line of JSON: {error}") from error
            missing = [name for name in _FIELDS if name not in value]
            if missing:
                raise UsageError(f"{path}:{number}: without {', '.join(missing)}")
            case = Case(
                repo=value["repo"],
                merge=value["merge"],
                ours=value["p1"],
                theirs=value["p2"],
                base=value.get("base"),
                path=value["path"],
                blobs=(value.get("base_blob"), value["ours_blob"], value["theirs_blob"]),
                accepted_blob=value["truth_blob"],
                date=value.get("date", ""),
                kind=value.get("kind", "full"),
                label=value.get("label", ""),
            )
            collection.seen["listed files"] += 1
            if case.ident in known:
                collection.excluded.add("listed-twice", case.ident)
                continue
            known.add(case.ident)
            collection.cases.append(case)
    collection.sort()
    return collection
