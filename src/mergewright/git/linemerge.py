"""Git's own conflict text for three blobs."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Literal

from mergewright.git.process import git_version, run_git
from mergewright.git.temporary import temporary_folder
from mergewright.model.errors import RepositoryError
from mergewright.model.threeway import Side, ThreeWay
from mergewright.text.markers import render
from mergewright.text.merge import merge_lines

Style = Literal["merge", "diff3", "zdiff3"]

#: First versions of git that know a style other than ``merge``.
_STYLE_VERSIONS = {"merge": (1, 6), "diff3": (1, 7), "zdiff3": (2, 35)}
_FAVOR = {"ours": "--ours", "theirs": "--theirs", "union": "--union"}


def merge_text(
    versions: ThreeWay[bytes | None],
    labels: ThreeWay[str],
    *,
    style: Style = "diff3",
    marker_size: int = 7,
    favor: Literal["ours", "theirs", "union"] | None = None,
) -> tuple[bytes, int]:
    """What ``git merge-file`` makes of three texts; our own line merge where there is no git.

    Args:
        versions: The texts; ``None`` counts as empty.
        labels: What stands behind the markers.
        style: Git's name of the conflict style.
        marker_size: Length of the markers.
        favor: Settle conflicts by one side or by both in a row.

    Returns:
        The text and the number of conflicts in it (at most 127, as git counts them).

    Raises:
        RepositoryError: One of the texts is binary to git, or git failed.
    """
    version = git_version()
    if version is not None and version >= _STYLE_VERSIONS[style]:
        return _merge_with_git(versions, labels, style, marker_size, favor)
    if any(data is not None and b"\0" in data[:8000] for data in versions):
        raise RepositoryError("a binary file cannot be merged by lines")
    # Without git the project's own line merge stands in; its text may differ in extent.
    merged = merge_lines(versions.map(lambda data: data or b""))
    if favor in {"ours", "theirs"}:
        return merged.text(Side(favor)), 0
    if favor == "union":
        both = [
            piece if isinstance(piece, bytes) else piece.versions.ours + piece.versions.theirs
            for piece in merged.pieces
        ]
        return b"".join(both), 0
    shown: Literal["diff3", "merge"] = "merge" if style == "merge" else "diff3"
    # Git's markers carry labels alone.
    plain = tuple(
        piece if isinstance(piece, bytes) else replace(piece, symbol="", reason="")
        for piece in merged.pieces
    )
    merged = replace(merged, pieces=plain)
    return render(merged, labels, size=marker_size, style=shown), min(len(merged.contested), 127)


def _merge_with_git(
    versions: ThreeWay[bytes | None],
    labels: ThreeWay[str],
    style: Style,
    marker_size: int,
    favor: str | None,
) -> tuple[bytes, int]:
    with tempfile.TemporaryDirectory(prefix="mergewright-", dir=temporary_folder()) as folder:
        where = Path(folder)
        for name, data in zip(("base", "ours", "theirs"), versions, strict=True):
            (where / name).write_bytes(data or b"")
        options = [] if style == "merge" else [f"--{style}"]
        if favor is not None:
            options.append(_FAVOR[favor])
        done = run_git(
            [
                "merge-file",
                "--stdout",
                f"--marker-size={marker_size}",
                *options,
                "-L",
                labels.ours,
                "-L",
                labels.base,
                "-L",
                labels.theirs,
                "ours",
                "base",
                "theirs",
            ],
            cwd=where,
            statuses=range(128),
        )
    return done.stdout, done.returncode
