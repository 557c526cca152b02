"""Trees from dictionaries, for the audit's tests."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import dedent

from mergewright.audit.run import AuditOptions, audit_trees
from mergewright.audit.values import AuditReport, Finding, Tree, Trees
from mergewright.model.conflict import blob_id

Files = Mapping[str, str | bytes]


def tree(files: Files) -> Tree:
    blobs = {}
    paths = {}
    for path, text in files.items():
        data = text if isinstance(text, bytes) else dedent(text).lstrip("\n").encode()
        oid = blob_id(data)
        blobs[oid] = data
        paths[path] = oid
    return Tree(files=paths, read=blobs.__getitem__)


def trees(base: Files, ours: Files, theirs: Files, merged: Files) -> Trees:
    return Trees(base=tree(base), ours=tree(ours), theirs=tree(theirs), merged=tree(merged))


LABELS = {"base": "b", "ours": "o", "theirs": "t", "merged": "m"}


def audited(
    base: Files,
    ours: Files,
    theirs: Files,
    merged: Files,
    options: AuditOptions | None = None,
) -> AuditReport:
    return audit_trees(trees(base, ours, theirs, merged), labels=LABELS, options=options)


def facts_only(base: Files, ours: Files, theirs: Files, merged: Files) -> AuditReport:
    """An audit without analysers."""
    return audited(base, ours, theirs, merged, AuditOptions(analysers=()))


def one(report: AuditReport, check: str) -> Finding:
    """The only finding of a check."""
    found = [f for f in report.findings if f.check == check]
    assert len(found) == 1, [f"{f.check}: {f.message}" for f in report.findings]
    return found[0]


def checks(report: AuditReport) -> list[str]:
    """Names of the checks that spoke; which files were taken whole is no concern of most tests."""
    return [f.check for f in report.findings if f.check != "taken-whole"]
