"""The report as plain data, held against its JSON Schema."""

import json

import jsonschema
from tests.support import SCHEMA

from mergewright.model.conflict import MODE_REGULAR, Conflict, ConflictKind, FileVersion
from mergewright.model.plan import MergePlan, MergeSource, PathPlan
from mergewright.model.resolution import (
    Decision,
    Deferred,
    Evidence,
    EvidenceKind,
    Failed,
    GateResult,
    Outcome,
    Resolved,
)
from mergewright.model.threeway import Side, ThreeWay
from mergewright.resolve.planning import plan_paths
from mergewright.resolve.reporting import path_fields, report

SOURCE = MergeSource(
    operation="merge",
    commits=ThreeWay(base=None, ours="1" * 40, theirs="2" * 40),
    labels=ThreeWay(base="base", ours="dev", theirs="main"),
    engine="index",
)


def conflict(path: str) -> Conflict:
    version = FileVersion(path=path, mode=MODE_REGULAR, oid="0" * 40, data=b"")
    return Conflict(
        path=path,
        kind=ConflictKind.BOTH_MODIFIED,
        versions=ThreeWay(base=version, ours=version, theirs=version),
    )


DECISION = Decision(
    symbol="f.g",
    outcome=Outcome.RESOLVED,
    strategy="combine",
    side=Side.BOTH,
    rule="r",
    reason="why",
    evidence=(Evidence(kind=EvidenceKind.COMMIT, text="t", commits=("3" * 40,)),),
    span=(1, 2),
    group="g",
)
OUTCOMES = (
    Resolved(
        path="a.py",
        data=b"",
        mode=MODE_REGULAR,
        strategy="python",
        decisions=(DECISION,),
        gates=(GateResult(gate="parses", passed=True),),
    ),
    Resolved(path="gone", data=None, mode=MODE_REGULAR, strategy="take-ours", drop=("old",)),
    Deferred(path="b\udce9", data=None, mode=MODE_REGULAR, reason="left", open_places=3),
    Failed(path="c", error="KeyError: 1", traceback="Traceback"),
)


def plan() -> MergePlan:
    paths = tuple(PathPlan(conflict=conflict(o.path), outcome=o) for o in OUTCOMES)
    return MergePlan(source=SOURCE, paths=paths, warnings=("w",), seconds=1.5)


def test_report_fits_its_schema() -> None:
    """Every kind of outcome gives a report that the schema accepts."""
    value = report(plan(), version="1.0", extra={"dry_run": True, "staged": False})
    jsonschema.validate(value, SCHEMA)
    assert json.loads(json.dumps(value)) == value
    assert value["summary"] | {"by_kind": {}} == {
        "paths": 4,
        "resolved": 2,
        "deferred": 1,
        "failed": 1,
        "open_places": 4,
        "decisions": 1,
        "by_kind": {},
        "by_strategy": {"combine": 1},
        "by_rule": {"r": 1},
        "by_side": {"both": 1},
    }


def test_every_model_value_is_in_the_schema() -> None:
    """The schema's enumerations hold the values of the model, no more and no less."""
    defs = SCHEMA["$defs"]
    assert defs["path"]["properties"]["kind"]["enum"][1:] == [kind.value for kind in ConflictKind]
    assert defs["outcome"]["enum"] == [outcome.value for outcome in Outcome]
    properties = defs["decision"]["properties"]
    assert properties["side"]["enum"] == [side.value for side in Side]
    kinds = properties["evidence"]["items"]["properties"]["kind"]["enum"]
    assert kinds == [kind.value for kind in EvidenceKind]


def test_paths_that_are_no_utf8_keep_their_bytes() -> None:
    """A path that JSON cannot hold is escaped, its bytes stand beside it."""
    assert path_fields("a b") == {"path": "a b"}
    assert path_fields("b\udce9\n") == {"path": "b\\xe9\\n", "path_base64": "YukK"}


def test_plan_is_sorted_whatever_the_order_of_conflicts() -> None:
    """Paths come sorted, progress is told after each, rules' warnings are asked last."""
    told: list[tuple[int, int, str]] = []
    done = plan_paths(
        SOURCE,
        [conflict("b"), conflict("a")],
        lambda conflicts: [Failed(path=c.path, error="e") for c in conflicts],
        clean=(PathPlan(conflict=None, outcome=Failed(path="ab", error="e")),),
        warnings=lambda: [f"{len(told)} told"],
        progress=lambda *args: told.append(args),
    )
    assert [p.path for p in done.paths] == ["a", "ab", "b"]
    assert told == [(1, 2, "a"), (2, 2, "b")]
    assert done.warnings == ("2 told",)
