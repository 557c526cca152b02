"""The documents about rules cannot drift from the rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import BaseModel

from mergewright.model.conflict import ConflictKind
from mergewright.model.history import EvidenceClass, Standing
from mergewright.rules import schema
from mergewright.rules.loading import load_rules, load_text

ROOT = Path(__file__).parents[2]
REFERENCE = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
DOCUMENT = (ROOT / "docs" / "nightly-sync.md").read_text(encoding="utf-8")
#: The table of the policy; the tables of figures come after it.
POLICY = DOCUMENT.partition("\n## ")[0]
GUIDE = DOCUMENT.partition("## The guide")[2].partition("\n## ")[0]


def _rows(text: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("| ") and not line.startswith(("| the ", "| ---"))
    ]


ROWS, GUIDE_ROWS = _rows(POLICY), _rows(GUIDE)


def test_every_rule_of_the_pack_is_in_the_table() -> None:
    """And every rule that the table names is in the pack."""
    named = {word for row in ROWS for word in re.findall(r"`([a-z][a-z0-9-]+)`", row[1])}
    known = {loaded.id for loaded in load_rules(["nightly-sync"]).rules}
    assert known <= named
    assert {word for word in named if word not in {"wholesale", "commit"}} <= known


def test_every_rule_of_the_guide_is_in_its_pack() -> None:
    """The table of the guide names rules of both packs."""
    for row in GUIDE_ROWS:
        pack = "feature-branch" if "(feature-branch)" in row[1] else "nightly-sync"
        known = {loaded.id for loaded in load_rules([pack]).rules}
        assert set(re.findall(r"`([a-z][a-z0-9-]+)`", row[1])) <= known, row
    assert len(GUIDE_ROWS) >= 7


@pytest.mark.parametrize("row", [*ROWS, *GUIDE_ROWS], ids=lambda row: row[0][:60])
def test_every_point_of_the_policy_has_a_test(row: list[str]) -> None:
    """The named case, test function or golden case exists."""
    assert len(row) == 3
    proof = row[2]
    if proof.startswith('"'):
        pack = "feature-branch" if "(feature-branch)" in row[1] else "nightly-sync"
        cases = [case.name for file in load_rules([pack]).files for case in file.tests]
        assert proof.strip('"') in cases
    elif "::" in proof:
        file, _, name = proof.strip("`").partition("::")
        assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8")
    else:
        assert (ROOT / proof.strip("`")).is_dir()


def test_reference_names_every_word_of_the_schema() -> None:
    """Each key, action, kind, place, standing and class of evidence is explained."""
    models = [
        value
        for value in vars(schema).values()
        if isinstance(value, type) and issubclass(value, BaseModel) and value.model_fields
    ]
    words = {field.alias or "" for model in models for field in model.model_fields.values()}
    for enum in (schema.Action, schema.Place, schema.Changed, schema.Form):
        words.update(enum)
    for values in (ConflictKind, Standing, EvidenceClass):
        words.update(value.value for value in values)
    words -= {"package", "id", "reason", "example", "rules", "match", "action", "kind"}
    missing = sorted(word for word in words if not re.search(rf"\b{re.escape(word)}\b", REFERENCE))
    assert not missing


@pytest.mark.parametrize("document", ["rules.md", "nightly-sync.md"])
def test_examples_are_good_rule_files(document: str) -> None:
    """Every YAML block of the documents loads and passes its own cases."""
    from mergewright.rules.cases import run_cases

    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    blocks = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert blocks
    for block in blocks:
        assert all(result.passed for result in run_cases(load_text(block)))
