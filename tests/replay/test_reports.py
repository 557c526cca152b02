"""Reports: the JSON document and its schema, Markdown, terminal, comparison, commands."""

import copy
import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from rich.console import Console
from tests.replay import history

from mergewright.cli.main import main
from mergewright.model.errors import UsageError
from mergewright.workflows.replay.compare import compare
from mergewright.workflows.replay.dump import classes, dump
from mergewright.workflows.replay.markdown import comparison_markdown, report_markdown
from mergewright.workflows.replay.request import Replayed, Request, replay
from mergewright.workflows.replay.scanning import Filter
from mergewright.workflows.replay.store import Store
from mergewright.workflows.replay.summary import effort_reduction, precision
from mergewright.workflows.replay.terminal import print_report

SCHEMA = Path(__file__).parents[2] / "schemas" / "replay-v1.json"


@pytest.fixture(scope="module")
def repo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("merged") / "example"
    history.merges(folder)
    return folder


@pytest.fixture(scope="module")
def replayed(repo: Path) -> Iterator[tuple[Replayed, Store]]:
    request = Request(
        repo=repo,
        revisions="main",
        wanted=Filter(both_changed=True),
        peers=("git", "weave", "ours", "theirs"),
        structure_only=True,
    )
    with Store(None) as store:
        yield replay(request, store), store


@pytest.fixture
def report(replayed: tuple[Replayed, Store]) -> dict[str, Any]:
    return copy.deepcopy(replayed[0].report)


def test_the_document_fits_its_schema(report: dict[str, Any]) -> None:
    """Version 1 of the schema, with no field that it does not know."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(json.loads(json.dumps(report)), schema)
    report["summary"]["git"]["surprise"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(report, schema)


def test_figures_add_up(report: dict[str, Any]) -> None:
    """Verdicts add up to the files, symbols to their total, and ER follows its definition."""
    for figures in report["summary"].values():
        verdicts = ("correct", "extra", "wrong", "open", "crash")
        assert sum(figures[v] for v in verdicts) == figures["files"] == len(report["files"])
        symbols = figures["symbols"]
        assert symbols["right"] + symbols["wrong"] + symbols["open"] == symbols["total"]
        lost = figures["open"] + figures["crash"] + figures["extra"]
        for k in (1, 3, 10):
            expected = 100 * (1 - (lost + k * figures["wrong"]) / figures["files"])
            assert figures[f"er{k}"] == round(expected, 1)
    assert report["absent"] in ([], ["weave"])


def test_no_files_no_division() -> None:
    """An empty replay has figures of zero."""
    from collections import Counter

    assert effort_reduction(Counter(), 0, 3) == 0.0
    assert precision([], "rule") == []


def test_precision_counts_right_against_wrong_and_damage() -> None:
    """Edits beyond both sides, open places and unknown symbols say nothing about a rule."""
    from mergewright.workflows.replay.attempts import Answer, DecisionRecord
    from mergewright.workflows.replay.peers import Attempt

    fates = ["right", "right", "right", "wrong", "extra", "open", "unknown"]
    decisions = tuple(
        DecisionRecord(
            symbol="f", outcome="resolved", strategy="s", side="ours", rule="r", fate=fate
        )
        for fate in fates
    )
    left = DecisionRecord(symbol="g", outcome="deferred", strategy="t", side="ours", fate="open")
    answer = Answer(attempt=Attempt(data=None), decisions=(*decisions, left))
    from mergewright.workflows.replay.store import Stored

    (row,) = precision([Stored(score=None, answer=answer)], "rule")
    assert (row["name"], row["decisions"], row["right"], row["precision"]) == ("r", 7, 3, 75.0)


def test_contradictory_answers_are_apart(tmp_path: Path) -> None:
    """The same three versions with two accepted results are reported on their own."""
    made = history.History()
    made.add("root", (), history.BASE)
    tip = "root"
    for value in (5, 6):
        made.add(f"base-{value}", (tip,), history.BASE)
        made.add(f"ours-{value}", (f"base-{value}",), history.limit(2))
        made.add(f"theirs-{value}", (f"base-{value}",), history.limit(3))
        made.add(f"m-{value}", (f"ours-{value}", f"theirs-{value}"), history.limit(value))
        tip = f"m-{value}"
    made.build(tmp_path / "r", tip)
    request = Request(repo=tmp_path / "r", revisions="main", peers=("ours",), structure_only=True)
    with Store(None) as store:
        report = replay(request, store).report
    clash = report["contradictory"]
    assert (clash["questions"], clash["files"]) == (1, 2)
    assert clash["summary"]["ours"]["files"] == 2
    assert clash["summary_without"]["ours"]["files"] == 0


def test_markdown_and_terminal_show_every_tool(report: dict[str, Any]) -> None:
    """Both forms have a line a tool and what was left out."""
    out = StringIO()
    print_report(report, Console(file=out, width=200))
    for text in (report_markdown(report), out.getvalue()):
        for word in ("mergewright", "git", "ours", "theirs", "several-merge-bases", "ER(10)"):
            assert word in text


def changed(report: dict[str, Any], index: int, verdict: str, **more: Any) -> dict[str, Any]:
    other = copy.deepcopy(report)
    other["files"][index]["results"]["mergewright"].update(verdict=verdict, **more)
    return other


@pytest.mark.parametrize(
    ("before", "after", "regression", "improvement"),
    [
        ("correct", "wrong", True, False),
        ("correct", "open", True, False),
        ("open", "wrong", True, False),
        ("wrong", "crash", True, False),
        ("wrong", "correct", False, True),
        ("open", "correct", False, True),
        ("open", "extra", False, False),
        ("open", "open", False, False),
    ],
)
def test_what_a_regression_is(
    report: dict[str, Any], before: str, after: str, regression: bool, improvement: bool
) -> None:
    """From correct to anything else, or from open to wrong, is worse; open and extra are equal."""
    found = compare(changed(report, 0, before), changed(report, 0, after))
    assert bool(found.regressions) is regression
    assert bool(found.improvements) is improvement


def test_a_regression_names_who_decided(report: dict[str, Any]) -> None:
    """The wrong decision's rule, or its strategy, stands beside the file and in the count."""
    decision = {
        "symbol": "LIMIT", "outcome": "resolved", "strategy": "take", "side": "ours",
        "rule": "mine", "reason": "", "evidence": [], "group": None, "fate": "wrong",
    }  # fmt: skip
    fine = {**decision, "rule": "other", "fate": "right"}
    found = compare(
        changed(report, 0, "correct"), changed(report, 0, "wrong", decisions=[fine, decision])
    )
    assert found.regressions[0].deciders == ("mine",)
    assert found.deciders["mine"] == (1, 0)
    assert "correct → wrong" in comparison_markdown(found)
    assert found.figures["wrong"][1] - found.figures["wrong"][0] == 1


def test_more_damage_is_a_regression(report: dict[str, Any]) -> None:
    """A file that stays open and damages a symbol is worse than before."""
    found = compare(report, changed(report, 0, "open", damaged=["first"]))
    assert found.regressions
    assert not found.improvements


def test_two_columns_of_one_report(report: dict[str, Any]) -> None:
    """A peer's column can be compared with ours; an unknown column or form is an error."""
    found = compare(report, report, tool_before="theirs", tool_after="ours")
    assert (found.before, found.after) == ("theirs", "ours")
    with pytest.raises(UsageError, match="no column diffy"):
        compare(report, report, tool_before="diffy")
    with pytest.raises(UsageError, match="Not a report"):
        compare({"schema": "else"}, report)


def test_dump_writes_the_chosen_files(replayed: tuple[Replayed, Store], tmp_path: Path) -> None:
    """Each chosen file gets a folder with its texts and decisions."""
    done, store = replayed
    ours = next(tool for tool in done.tools if tool.name == "ours")
    count = dump(done.rows, ours, store, done.repos, tmp_path, frozenset({"wrong"}))
    folders = sorted((tmp_path / "wrong").iterdir())
    assert count == len(folders) > 0
    names = [{path.name for path in folder.iterdir()} for folder in folders]
    full = {"base.py", "ours.py", "theirs.py", "result.py", "accepted.py", "about.json"}
    assert full in names
    assert full - {"theirs.py", "accepted.py"} in names  # deleted by theirs, and accepted so
    assert classes(done.rows, done.tools[0])


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["replay", *arguments])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_the_command(repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All outputs of one run, and compare's exit status: 0 when equal, 1 on a regression."""
    files = {kind: str(tmp_path / f"r.{kind}") for kind in ("json", "md", "html", "sqlite")}
    common = ["--repo", str(repo), "--range", "main", "--structure-only", "--db", files["sqlite"]]
    status = run(
        *common, "--peers", "ours", "--json", files["json"], "--markdown", files["md"],
        "--html", files["html"],
    )  # fmt: skip
    assert status == 0
    assert "mergewright" in capsys.readouterr().out
    assert run("compare", files["json"], files["json"]) == 0
    report = json.loads(Path(files["json"]).read_text(encoding="utf-8"))
    first = report["files"][0]["results"]["mergewright"]
    first["verdict"] = "crash"
    worse = tmp_path / "worse.json"
    worse.write_text(json.dumps(report), encoding="utf-8")
    assert run("compare", files["json"], str(worse)) == 1
    assert "1 files got worse" in capsys.readouterr().out
    assert run("compare", files["json"], str(worse), "--json", "-") == 1
    assert json.loads(capsys.readouterr().out)["regressions"][0]["after"] == "crash"
    assert run(*common, "--peers", "ours", "--json", "-") == 0
    assert json.loads(capsys.readouterr().out)["version"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Nothing to replay"),
        (["--peers", "diffy"], "No peer"),
        (["--executor", "dask", "--repo", ".", "--range", "x"], "scheduler"),
    ],
)
def test_usage_errors(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A call that does not fit together ends with status 2 and says why."""
    assert run(*arguments, "--db", str(tmp_path / "db.sqlite")) == 2
    assert message in capsys.readouterr().err
