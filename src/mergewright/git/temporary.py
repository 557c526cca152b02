"""Where short-lived files of git go: memory, where the system offers it, else the temporary folder."""

from __future__ import annotations

import os
import sys
from functools import lru_cache

_MEMORY = "/dev/shm"  # noqa: S108 - folders in it are made by mkdtemp
# Free bytes below which the disk is taken: a merge writes some megabytes, seldom more.
_LEAST_FREE = 1 << 30


@lru_cache(maxsize=1)
def temporary_folder() -> str | None:
    """The folder for ``dir`` of :mod:`tempfile`; ``None`` for its own choice.

    A merge in memory makes and removes some hundred small files and folders. On a disk each removal may
    wait for it, longer altogether than git needs to merge. A folder that the user named is obeyed.
    """
    if sys.platform != "linux" or any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP")):
        return None
    try:
        free = os.statvfs(_MEMORY)
    except OSError:
        return None
    enough = free.f_bavail * free.f_frsize >= _LEAST_FREE
    return _MEMORY if enough and os.access(_MEMORY, os.W_OK | os.X_OK) else None
