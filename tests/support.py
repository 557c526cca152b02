"""What several tests share."""

import json
import os
from collections.abc import Mapping
from pathlib import Path

from mergewright.model.conflict import MODE_REGULAR, Conflict, ConflictKind, FileVersion
from mergewright.model.threeway import ThreeWay

ROOT = Path(__file__).parents[1]
SCHEMA = json.loads((ROOT / "schemas" / "report-v1.json").read_text(encoding="utf-8"))


def conflict_of(base: str, ours: str, theirs: str, path: str = "f.txt") -> Conflict:
    """A both-modified conflict of three texts."""

    def version(text: str) -> FileVersion:
        return FileVersion(
            path=path, mode=MODE_REGULAR, oid=f"{hash(text):040x}"[-40:], data=text.encode()
        )

    return Conflict(
        path=path,
        kind=ConflictKind.BOTH_MODIFIED,
        versions=ThreeWay(base=version(base), ours=version(ours), theirs=version(theirs)),
    )


def with_source(env: Mapping[str, str] = os.environ) -> dict[str, str]:
    """An environment in which ``python -m mergewright`` runs this source tree."""
    return {**env, "PYTHONPATH": str(ROOT / "src")}
