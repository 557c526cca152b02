"""``resolve audit`` and ``resolve hook`` on repositories: what is audited, outputs, repairs."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result
from tests.support import ROOT

import mergewright
from mergewright.audit.values import Tier
from mergewright.cli.main import cli
from mergewright.git.repository import Repository
from mergewright.model.errors import RepositoryError, UsageError
from mergewright.testing import CommitSpec, build_repository, git
from mergewright.workflows.planaudit import audit_plan
from mergewright.workflows.resolving import plan_merge

BASE = "import os\n\nA = os.sep\n"
OURS = "import os\nfrom pkg.enums import Scope\n\nA = os.sep\nB = Scope.full\n"
THEIRS = BASE + "C = 1\n"
MERGED = "import os\n\nA = os.sep\nB = Scope.full\nC = 1\n"
ENUMS = b"class Scope:\n    full = 1\n"


def tree(text: str, notes: str) -> dict[str, bytes | tuple[int, bytes]]:
    return {"pkg/plan.py": text.encode(), "pkg/enums.py": ENUMS, "notes.md": notes.encode()}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A merge that dropped an import of dev's and a note that main had removed on purpose."""
    monkeypatch.setenv("MERGEWRIGHT_NO_CACHE", "1")
    commits = [
        CommitSpec(name="base", files=tree(BASE, "# Notes\n\nold\n")),
        CommitSpec(
            name="dev",
            parents=("base",),
            files=tree(OURS, "# Notes\n\nold\nflag of dev\n"),
            message="use the scope (#12)\n",
        ),
        CommitSpec(
            name="twin", parents=("base",), files=tree(THEIRS, "# Notes\n\nold\nflag of dev\n")
        ),
        CommitSpec(
            name="main",
            parents=("twin",),
            files=tree(THEIRS, "# Notes\n\nolder\n"),
            message="the flag goes away (#13)\n",
        ),
        CommitSpec(name="merge", parents=("dev", "main"), files=tree(MERGED, "# Notes\n\nolder\n")),
    ]
    build_repository(
        tmp_path / "r", commits, branches={"dev": "merge", "main": "main", "old": "dev"}, head="dev"
    )
    git(tmp_path / "r", "reset", "--hard", "-q", "dev")
    return tmp_path / "r"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), standalone_mode=False, catch_exceptions=False)


def report(repo: Path, *arguments: str) -> dict[str, object]:
    result = run("audit", "-C", str(repo), "--json", "-", *arguments)
    document: dict[str, object] = json.loads(result.stdout)
    schema = json.loads((ROOT / "schemas" / "audit-v1.json").read_text(encoding="utf-8"))
    jsonschema.validate(document, schema)
    return document


def finding(document: dict[str, object], check: str) -> dict[str, object]:
    found = document["findings"]
    assert isinstance(found, list)
    (entry,) = [f for f in found if f["check"] == check]
    assert isinstance(entry, dict)
    return entry


def test_the_newest_merge_at_head_with_its_commits(repo: Path) -> None:
    """Cause, commit that added it, and repair are named; the report follows its schema."""
    entry = finding(report(repo), "undefined-name")
    assert entry["tier"] == "error"
    assert entry["repair"] == "from pkg.enums import Scope"
    assert entry["verdict"] == "accident"
    commits = entry["commits"]
    assert isinstance(commits, list)
    assert [(c["role"], c["summary"]) for c in commits] == [("added", "use the scope (#12)")]


def test_a_removal_is_intentional_only_with_its_commit(repo: Path) -> None:
    """Main's commit took dev's line, which main had as well, away."""
    entry = finding(report(repo), "lost-lines")
    assert entry["verdict"] == "intentional"
    assert entry["tier"] == "hint"
    assert "the flag goes away (#13)" in json.dumps(entry["commits"])


def test_strict_ends_with_three(repo: Path) -> None:
    """Advice otherwise."""
    assert run("audit", "-C", str(repo)).return_value == 0
    assert run("audit", "-C", str(repo), "--strict").return_value == 3


def test_fix_writes_what_dry_run_shows(repo: Path) -> None:
    """Nothing is staged or committed; afterwards the worktree is clean of the finding."""
    dry = run("audit", "-C", str(repo), "--fix", "undefined-name", "--dry-run")
    assert "+from pkg.enums import Scope" in dry.stdout
    assert (repo / "pkg/plan.py").read_text(encoding="utf-8") == MERGED
    run("audit", "-C", str(repo), "--fix", "undefined-name")
    assert "from pkg.enums import Scope\n" in (repo / "pkg/plan.py").read_text(encoding="utf-8")
    git(repo, "commit", "-qam", "fix")
    after = run("audit", "-C", str(repo), "--strict")
    assert after.return_value == 0
    assert "is compared with the parents of merge" in after.stdout


def test_fix_refuses_another_commit_and_unknown_selections(repo: Path) -> None:
    """Repairs go into the worktree that was audited, or nowhere."""
    git(repo, "checkout", "-q", "old")
    with pytest.raises(UsageError, match="another commit was audited"):
        run("audit", "dev", "-C", str(repo), "--fix", "all")
    with pytest.raises(UsageError, match="no finding has this id"):
        run("audit", "dev", "-C", str(repo), "--fix", "nonsense")


def test_fix_leaves_a_file_that_changed_since(repo: Path) -> None:
    """Nothing at all is written then."""
    (repo / "pkg/plan.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(RepositoryError, match="has changed since it was audited"):
        run("audit", "HEAD", "-C", str(repo), "--fix", "undefined-name")
    assert (repo / "pkg/plan.py").read_text(encoding="utf-8") == "x = 1\n"


def test_a_merge_in_progress_is_audited_as_it_stands(repo: Path) -> None:
    """The worktree's files count, not the index."""
    git(repo, "checkout", "-q", "-B", "again", "old")
    git(repo, "merge", "--no-commit", "main", check=False)
    (repo / "pkg/plan.py").write_text(MERGED, encoding="utf-8")
    (repo / "notes.md").write_text("# Notes\n\nolder\n", encoding="utf-8")
    document = report(repo)
    assert document["labels"]["merged"] == "worktree"  # type: ignore[index]
    assert finding(document, "undefined-name")["tier"] == "error"


def test_any_three_trees_and_a_bare_repository(repo: Path, tmp_path: Path) -> None:
    """Ours, theirs, merged; the base is found or given."""
    git(tmp_path, "clone", "-q", "--bare", str(repo), "bare")
    document = report(tmp_path / "bare", "--trees", "old", "main", "dev")
    assert finding(document, "undefined-name")["had"] == "ours"
    swapped = report(tmp_path / "bare", "--trees", "main", "old", "dev", "--base", "old~1")
    assert finding(swapped, "undefined-name")["had"] == "theirs"


def test_a_decision_is_not_asked_again(repo: Path, tmp_path: Path) -> None:
    """Kept by id; a decision for nothing is noted, a bad one refused."""
    identifier = finding(report(repo), "undefined-name")["id"]
    decisions = tmp_path / "d.yaml"
    decisions.write_text(
        f'{identifier}: "accepted: set at run time"\n0123456789: "intentional: 1a2b3c4d"\n',
        encoding="utf-8",
    )
    document = report(repo, "--decisions", str(decisions), "--strict")
    assert finding(document, "undefined-name")["decision"] == "accepted: set at run time"
    assert document["counts"]["error"] == 0  # type: ignore[index]
    assert any("0123456789" in note for note in document["notes"])  # type: ignore[attr-defined]
    decisions.write_text(f"{identifier}: intentional\n", encoding="utf-8")
    with pytest.raises(UsageError, match="intentional: COMMIT"):
        run("audit", "-C", str(repo), "--decisions", str(decisions))


def test_sarif_and_markdown(repo: Path, tmp_path: Path) -> None:
    """For code hosts and for the body of a pull request."""
    run("audit", "-C", str(repo), "--sarif", str(tmp_path / "s"), "--markdown", str(tmp_path / "m"))
    sarif = json.loads((tmp_path / "s").read_text(encoding="utf-8"))
    results = sarif["runs"][0]["results"]
    assert sarif["version"] == "2.1.0"
    assert {r["level"] for r in results} >= {"error"}
    rules = sarif["runs"][0]["tool"]["driver"]["rules"]
    assert all(rules[r["ruleIndex"]]["id"] == r["ruleId"] for r in results)
    assert all(r["partialFingerprints"]["mergewrightId/v1"] for r in results)
    text = (tmp_path / "m").read_text(encoding="utf-8")
    assert "`Scope` is used but not defined" in text
    assert "<details>" in text


def test_policy_of_a_rule_file(repo: Path, tmp_path: Path) -> None:
    """A pinned file that is not dev's is an error with the command that restores it."""
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "version: 1\nrules:\n  - id: notes\n    reason: dev writes them\n"
        "    match: {path: notes.md}\n    action: pinned\n",
        encoding="utf-8",
    )
    entry = finding(report(repo, "--rules", str(rules)), "pinned-file")
    assert str(entry["repair"]).endswith("-- notes.md")
    assert entry["fixable"]


def test_the_hook_advises_and_lets_the_push_go_on(repo: Path, tmp_path: Path) -> None:
    """Exit status 0 with findings and their text for a pull request, and 0 when no audit can start."""
    text = tmp_path / "a b.md"
    run("hook", "install", "-C", str(repo), "--markdown", str(text))
    hook = repo / ".git/hooks/pre-push"
    said = []
    env = {**os.environ, "PYTHONPATH": str(Path(mergewright.__file__).parents[1])}
    for folder in (repo, tmp_path):
        done = subprocess.run(
            [str(hook), "origin", "url"],
            cwd=folder,
            env=env,
            capture_output=True,
            input=b"",
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert not done.stdout
        said.append(done.stderr.decode())
    assert text.read_text(encoding="utf-8") in said[0]
    assert "<details>" in said[0]
    assert "lines of Python" in said[0]
    assert "the audit itself failed" in said[1]
    assert all("push goes on" in part for part in said)
    run("hook", "install", "-C", str(repo))
    hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match="is not ours"):
        run("hook", "install", "-C", str(repo))
    with pytest.raises(UsageError, match="is not ours"):
        run("hook", "remove", "-C", str(repo))
    run("hook", "install", "-C", str(repo), "--force")
    run("hook", "remove", "-C", str(repo))
    assert not hook.exists()


def test_no_merge_to_be_found(repo: Path) -> None:
    """A clear error, not an empty report."""
    with pytest.raises(UsageError, match="is no merge and has none below it"):
        run("audit", "old", "-C", str(repo))


def test_a_plan_is_audited_before_it_is_written(repo: Path) -> None:
    """In memory and in the worktree; what is left open counts as ours and is said."""
    merged = run("merge", "old", "main", "-C", str(repo), "--audit")
    assert "lines of Python" in merged.stderr
    git(repo, "checkout", "-q", "-B", "again", "old")
    git(repo, "merge", "main", check=False)
    before = (repo / "pkg/plan.py").read_bytes()
    planned = run("worktree", "-C", str(repo), "--audit", "--dry-run", "--no-audit")
    assert "lines of Python" in planned.stderr
    assert "conflict-marker" not in planned.stderr
    assert (repo / "pkg/plan.py").read_bytes() == before


def test_a_mismatch_with_an_open_file_is_for_review(tmp_path: Path) -> None:
    """What is still a conflict counts as ours; that a caller of theirs does not fit it is no error yet."""
    lib = "def f(a):\n    return a\n"
    commits = [
        CommitSpec(name="base", files={"pkg/lib.py": lib.encode(), "pkg/use.py": b"x = 1\n"}),
        CommitSpec(
            name="dev",
            parents=("base",),
            files={"pkg/lib.py": b"def f(a):\n    return a + 1\n", "pkg/use.py": b"x = 1\n"},
        ),
        CommitSpec(
            name="main",
            parents=("base",),
            files={
                "pkg/lib.py": b"def f(a, b=2):\n    return a - b\n",
                "pkg/use.py": b"from pkg.lib import f\n\nx = f(1, b=3)\ny = nowhere\n",
            },
        ),
    ]
    build_repository(tmp_path / "r", commits, branches={"dev": "dev", "main": "main"}, head="dev")
    with plan_merge(Repository.open(tmp_path / "r"), "dev", "main") as planned:
        found = audit_plan(planned, planned.merge)
    (call,) = [f for f in found.findings if f.check == "call-mismatch"]
    assert call.tier is Tier.REVIEW
    assert call.advisory == "pkg/lib.py is still open and counts as ours here"


def test_an_argument_of_an_open_file_is_for_review(tmp_path: Path) -> None:
    """Theirs' argument stands in a file that is still a conflict and counts as ours."""
    add = "import argparse\n\n\ndef add(parser):\n    parser.add_argument('--size', default={})\n"
    wide = add.format(3) + "    parser.add_argument('--wide-enough')\n"
    use = b"def run(args):\n    return args.wide_enough\n"
    rest = {"use.py": b"x = 1\n"}
    commits = [
        CommitSpec(name="base", files={"arguments.py": add.format(1).encode(), **rest}),
        CommitSpec(
            name="dev", parents=("base",), files={"arguments.py": add.format(2).encode(), **rest}
        ),
        CommitSpec(
            name="main", parents=("base",), files={"arguments.py": wide.encode(), "use.py": use}
        ),
    ]
    build_repository(tmp_path / "r", commits, branches={"dev": "dev", "main": "main"}, head="dev")
    with plan_merge(Repository.open(tmp_path / "r"), "dev", "main") as planned:
        found = audit_plan(planned, planned.merge)
    (read,) = [f for f in found.findings if f.check == "unknown-argument"]
    assert read.tier is Tier.REVIEW
    assert read.advisory == "arguments.py is still open and counts as ours here"


def test_an_open_file_that_theirs_renamed_counts_as_ours_under_its_new_name(tmp_path: Path) -> None:
    """Who imports it by its new name finds it."""
    lib = "".join(f"def f{n}(a):\n    return a + {n}\n\n\n" for n in range(12))
    base = {"pkg/utils.py": lib.encode(), "use.py": b"x = 1\n"}
    main = lib.replace("a + 3\n", "a * 3\n").encode()
    commits = [
        CommitSpec(name="base", files=base),
        CommitSpec(
            name="dev",
            parents=("base",),
            files={**base, "pkg/utils.py": lib.replace("a + 3\n", "a - 3\n").encode()},
        ),
        CommitSpec(
            name="main",
            parents=("base",),
            files={
                "pkg/utils/common.py": main,
                "pkg/utils/__init__.py": b"from pkg.utils.common import f3\n",
                "use.py": b"import pkg.utils.common\n",
            },
        ),
    ]
    build_repository(tmp_path / "r", commits, branches={"dev": "dev", "main": "main"}, head="dev")
    with plan_merge(Repository.open(tmp_path / "r"), "dev", "main") as planned:
        found = audit_plan(planned, planned.merge)
    assert len(planned.plan.deferred) == 1
    assert not [f for f in found.findings if f.check == "missing-module"]


def test_the_commit_that_changed_a_signature_is_named(tmp_path: Path) -> None:
    """The name stands as often as before; the header is what changed."""
    lib = "def start(size):\n    return size\n"
    use = "from pkg.lib import start\n\nX = start(1)\n"
    wide = "def start(size, rank, least):\n    return size + rank + least\n"
    files = {"pkg/lib.py": lib.encode(), "pkg/use.py": b"X = 1\n"}
    commits = [
        CommitSpec(name="base", files=files),
        CommitSpec(
            name="dev",
            parents=("base",),
            files={**files, "pkg/lib.py": wide.encode()},
            message="start needs more (#7)\n",
        ),
        CommitSpec(name="main", parents=("base",), files={**files, "pkg/use.py": use.encode()}),
        CommitSpec(
            name="merge",
            parents=("dev", "main"),
            files={"pkg/lib.py": wide.encode(), "pkg/use.py": use.encode()},
        ),
    ]
    build_repository(tmp_path / "r", commits, branches={"dev": "merge"}, head="dev")
    entry = finding(report(tmp_path / "r"), "call-mismatch")
    commits_ = entry["commits"]
    assert isinstance(commits_, list)
    assert [(c["role"], c["summary"]) for c in commits_] == [
        ("signature by ours", "start needs more (#7)")
    ]
