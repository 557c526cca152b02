"""Layout-free fingerprints of snippets."""

from __future__ import annotations

from mergewright.python.source import Source, digest


def fingerprint(data: bytes) -> str:
    """Digest of a snippet's tokens without layout; comments count, except above its first statement.

    For one statement it equals :attr:`mergewright.python.outline.Symbol.fingerprint`.
    """
    return digest(tokens(data)).hex()


def tokens(data: bytes) -> list[bytes]:
    """Tokens of a snippet without layout, statement by statement; comments count."""
    found: list[bytes] = []
    for index, item in enumerate(Source(data).items()):
        if index:
            found.append(b"\n")
            found.extend(line.strip() for line in item.lead.splitlines() if line.strip())
        found.extend(item.tokens)
    return found
