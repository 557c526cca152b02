"""What the judge keeps between runs, as compressed JSON: never a pickle from a file."""

from __future__ import annotations

import json
import zlib

from mergewright.workflows.replay.judge import JudgeState, Leaf, Table


def dump_state(state: JudgeState) -> bytes:
    """A judge's state as bytes."""
    tables = [
        None
        if table is None
        else [table.sequence, [[k, v.digest, v.first, v.last] for k, v in table.leaves.items()]]
        for table in state.tables
    ]
    memo = {key.hex(): list(value) for key, value in state.memo.items()}
    return zlib.compress(json.dumps([tables, memo], separators=(",", ":")).encode(), 6)


def load_state(data: bytes) -> JudgeState:
    """The inverse of :func:`dump_state`."""
    tables, memo = json.loads(zlib.decompress(data))
    return JudgeState(
        tables=tuple(
            None
            if table is None
            else Table(
                {k: Leaf(digest, first, last) for k, digest, first, last in table[1]}, table[0]
            )
            for table in tables
        ),
        memo={bytes.fromhex(key): (label, digest) for key, (label, digest) in memo.items()},
    )
