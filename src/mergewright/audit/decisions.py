"""Decisions on findings, kept in a file so that they are not asked again.

The file is a YAML mapping of finding ids to a verdict, for example::

    3f2a9c01de: "intentional: 1a2b3c4d5e6f removed the flag"
    77c0ffee01: "accepted: only the nightly build calls it"
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from mergewright.audit.values import Finding, Verdict
from mergewright.model.errors import UsageError

#: Where decisions are looked for when no file is named, relative to the root.
DEFAULT_NAME = ".mergewright-audit.yaml"

_ID = re.compile(r"[0-9a-f]{10}")
_INTENTIONAL = re.compile(r"intentional:\s*([0-9a-f]{7,64})\b")


def read_decisions(data: bytes, name: str) -> dict[str, str]:
    """The decisions of a file.

    Args:
        data: Content of the file.
        name: Its name, for messages.

    Raises:
        UsageError: It is no mapping of ids to ``intentional: COMMIT …`` or ``accepted: REASON``.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        loaded = YAML(typ="base", pure=True).load(data.decode("utf-8"))
    except (YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{name}: not readable as YAML: {str(error).splitlines()[0]}") from error
    if loaded is None:
        return {}
    if not isinstance(loaded, dict):
        raise UsageError(f"{name}: must map finding ids to decisions")
    out: dict[str, str] = {}
    for key, value in loaded.items():
        identifier = str(key)
        if not _ID.fullmatch(identifier):
            raise UsageError(f"{name}: {identifier!r} is no finding id (ten hexadecimal digits)")
        if isinstance(value, dict) and len(value) == 1:
            # `intentional: 1a2b3c4` without quotes reads as a nested mapping.
            ((word, rest),) = value.items()
            value = f"{word}: {rest}"
        text = str(value).strip()
        if not _INTENTIONAL.match(text) and not re.match(r"accepted:\s*\S", text):
            raise UsageError(
                f"{name}: {identifier}: write 'intentional: COMMIT' or 'accepted: REASON'",
                hint="A removal counts as intentional only with the commit that removed it.",
            )
        out[identifier] = text
    return out


def decide(findings: Iterable[Finding], decisions: Mapping[str, str]) -> list[Finding]:
    """The findings with what was decided of them."""
    out = []
    for finding in findings:
        text = decisions.get(finding.id)
        if text is None:
            out.append(finding)
            continue
        verdict = Verdict.INTENTIONAL if _INTENTIONAL.match(text) else finding.verdict
        out.append(replace(finding, decision=text, verdict=verdict))
    return out


def unused(findings: Iterable[Finding], decisions: Mapping[str, str]) -> list[str]:
    """Ids that decide nothing any more."""
    known = {finding.id for finding in findings}
    return sorted(identifier for identifier in decisions if identifier not in known)
