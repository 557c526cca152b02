"""Plans for real repositories: two commits in memory, and clean paths that rules speak for."""

import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support import SCHEMA, conflict_of, with_source

from mergewright.git.repository import Repository
from mergewright.model.errors import RepositoryError, RuleFileError
from mergewright.model.resolution import Deferred, Resolved
from mergewright.model.threeway import ThreeWay
from mergewright.resolve.cascade import Cascade
from mergewright.testing import Sandbox, SandboxRepository
from mergewright.text.markers import marker_size_for
from mergewright.workflows.planning import git_text, measured
from mergewright.workflows.resolving import Settings, plan_merge, plan_worktree

BASE = {"a.txt": "1\n2\n3\n", "b.txt": "x\n", "c.txt": "c\n", "OWNERS": "core\n"}
OURS = {"a.txt": "1\nours\n3\n", "b.txt": "x\nours\n"}
THEIRS = {"a.txt": "1\ntheirs\n3\n", "c.txt": "theirs\n", "OWNERS": "release\n"}


@pytest.fixture
def repo(tmp_path: Path) -> SandboxRepository:
    repo = Sandbox(tmp_path).repository()
    repo.three_way(BASE, OURS, THEIRS)
    return repo


def rules(folder: Path, text: str) -> Settings:
    file = folder / "rules.yaml"
    file.write_text(f"version: 1\nrules:\n{text}")
    return Settings(rules=(file,))


def objects(repo: SandboxRepository) -> set[Path]:
    return set(repo.path.rglob("*"))


def test_plan_of_two_commits_writes_nothing(repo: SandboxRepository) -> None:
    """The repository's files are the same before and after; the report fits its schema."""
    before = objects(repo)
    with plan_merge(Repository.open(repo.path), "dev", "main") as planned:
        assert [(p.path, type(p.outcome)) for p in planned.plan.paths] == [("a.txt", Deferred)]
        jsonschema.validate(planned.report(), SCHEMA)
        assert planned.report()["operation"] == "in-memory"
        text = planned.text("a.txt")
        assert text is not None
        assert text.startswith(b"1\n<<<<<<< dev")
        tree = planned.tree()
        assert planned.merge.objects.entries(tree).keys() == {*BASE}
        assert planned.merge.objects.blob(planned.merge.objects.entries(tree)["a.txt"].oid) == text
    assert objects(repo) == before


def test_pin_speaks_for_a_clean_path(repo: SandboxRepository, tmp_path: Path) -> None:
    """A pinned path is ours' verbatim although the merge is clean and took theirs."""
    settings = rules(
        tmp_path,
        "  - {id: owners, match: {path: OWNERS}, action: pinned, reason: Ours on purpose.}\n",
    )
    with plan_merge(Repository.open(repo.path), "dev", "main", settings=settings) as planned:
        entry = next(p for p in planned.plan.paths if p.path == "OWNERS")
        assert entry.conflict is None
        assert isinstance(entry.outcome, Resolved)
        assert entry.outcome.data == b"core\n"
        assert planned.plan.warnings == ()
        report = next(p for p in planned.report()["paths"] if p["path"] == "OWNERS")
        assert (report["kind"], report["decisions"][0]["rule"]) == ("clean", "owners")


def test_rule_that_changes_nothing_is_not_unused(repo: SandboxRepository, tmp_path: Path) -> None:
    """A rule that speaks for a clean path that already is as it wants has matched."""
    settings = rules(
        tmp_path,
        "  - {id: mine, match: {path: b.txt}, action: pinned, reason: Ours.}\n"
        "  - {id: none, match: {path: nowhere.txt}, action: pinned, reason: Ours.}\n",
    )
    with plan_merge(Repository.open(repo.path), "dev", "main", settings=settings) as planned:
        assert [p.path for p in planned.plan.paths] == ["a.txt"]
        (warning,) = planned.plan.warnings
        assert "rule 'none' matched nothing in this merge" in warning


def test_bare_repository_is_enough(repo: SandboxRepository, tmp_path: Path) -> None:
    """A bare clone gives the same plan."""
    repo.git("clone", "--quiet", "--bare", str(repo.path), str(tmp_path / "bare.git"))
    with plan_merge(Repository.open(tmp_path / "bare.git"), "dev", "main") as planned:
        assert [p.path for p in planned.plan.paths] == ["a.txt"]


def test_unknown_revision_and_unrelated_histories(repo: SandboxRepository) -> None:
    """Wrong revisions are errors that a user can mend."""
    repository = Repository.open(repo.path)
    with pytest.raises(RepositoryError, match="nowhere"):
        plan_merge(repository, "dev", "nowhere")
    repo.commit("other", {"z": "z\n"}, parents=())
    with pytest.raises(RepositoryError, match="no common ancestor"):
        plan_merge(repository, "dev", "other")


def test_broken_rule_file_is_an_error_before_anything_else(
    repo: SandboxRepository, tmp_path: Path
) -> None:
    """A rule file that cannot be used ends the run with its place."""
    settings = rules(tmp_path, "  - {id: x, match: {path: a}, action: takes-ours, reason: r}\n")
    with pytest.raises(RuleFileError, match=r"rules\.yaml:3:"):
        plan_merge(Repository.open(repo.path), "dev", "main", settings=settings)
    with pytest.raises(RuleFileError):
        plan_merge(Repository.open(repo.path), "dev", "main", settings=Settings(rules=(tmp_path,)))


def test_gits_own_text_is_counted_between_its_markers() -> None:
    """Places and lines of ours and theirs are counted; marker-like lines of the text are not."""
    case = conflict_of("a\n=======\nb\n", "a\n=======\nB\nB2\n", "a\n=======\nX\n")
    text = git_text(case, ThreeWay(base="base", ours="o", theirs="t"))
    assert text is not None
    assert (text.open_places, text.contested_lines) == (1, 3)
    assert measured(b"no\n=======\n", 8).open_places == 0


def test_rules_of_the_worktree_are_found(repo: SandboxRepository) -> None:
    """Without --rules, .mergewright.yaml at the root of the worktree holds."""
    repo.checkout("dev")
    repo.write(
        ".mergewright.yaml",
        "version: 1\nrules:\n  - {id: a, match: {path: a.txt}, action: take-theirs, reason: r}\n",
    )
    with plan_merge(Repository.open(repo.path), "dev", "main") as planned:
        (entry,) = planned.plan.paths
        assert isinstance(entry.outcome, Resolved)
        assert entry.outcome.data == b"1\ntheirs\n3\n"


def test_names_that_differ_in_case_only(tmp_path: Path) -> None:
    """Names that clash on some file systems are left with a reason, and a rule may decide them."""
    repo = Sandbox(tmp_path).repository()
    repo.three_way({"f": ""}, {"readme": "ours\n"}, {"README": "theirs\n"})
    repository = Repository.open(repo.path)
    with plan_merge(repository, "dev", "main") as planned:
        (left,) = planned.plan.deferred
        assert "README, readme" in left.reason
        assert set(planned.merge.objects.entries(planned.tree())) == {"f", "readme", "README"}
    settings = rules(
        tmp_path,
        "  - {id: names, match: {kind: case-only, path: readme}, action: take-theirs, reason: Theirs is right.}\n",
    )
    with plan_merge(repository, "dev", "main", settings=settings) as planned:
        assert set(planned.merge.objects.entries(planned.tree())) == {"f", "README"}


TEXTS = st.lists(
    st.sampled_from(["a = 1\n", "b = 2\n", "def f():\n    return 1\n", "\n"]), max_size=5
)


@settings(max_examples=12)
@given(base=TEXTS, ours=TEXTS, theirs=TEXTS, path=st.sampled_from(["a.py", "a.txt"]))
def test_never_worse_than_git(
    base: list[str], ours: list[str], theirs: list[str], path: str
) -> None:
    """Whatever the texts: the lines left open are never more than in git's own conflict."""
    case = conflict_of("".join(base), "".join(ours), "".join(theirs), path)
    labels = ThreeWay(base="base", ours="ours", theirs="theirs")
    git = git_text(case, labels)
    assert git is not None
    outcome = Cascade(labels=labels, git_text=lambda conflict: git_text(conflict, labels)).resolve(
        case
    )
    if isinstance(outcome, Deferred) and git.open_places:
        assert outcome.data is not None
        left = measured(outcome.data, marker_size_for(case.texts))
        assert left.contested_lines <= git.contested_lines
    else:
        assert isinstance(outcome, Resolved | Deferred)


FIELDS = "    {}: int = 1\n"
HEAD = 'class Config:\n    """Options."""\n\n'


def config(first: str, last: str) -> str:
    """A class with a field after its first and one after its last old field."""
    middle = "".join(FIELDS.format(f"m{n}") for n in range(8))
    return HEAD + FIELDS.format("a") + first + middle + FIELDS.format("z") + last


def test_a_field_that_git_doubles_without_a_conflict_is_merged_anew(tmp_path: Path) -> None:
    """Both sides added it at different places: git keeps both copies and sees no conflict."""
    repo = Sandbox(tmp_path).repository()
    added = "    beta: float = 0.5\n"
    other = {"o.py": "x = 1\n"}
    repo.three_way(
        {"c.py": config("", ""), **other},
        {"c.py": config(added, ""), "o.py": "x = 2\n"},
        {"c.py": config("", added + "    theirs: int = 2\n"), "o.py": "x = 3\n"},
    )
    with plan_merge(Repository.open(repo.path), "dev", "main") as planned:
        entry = next(p for p in planned.plan.paths if p.path == "c.py")
        assert entry.conflict is None
        assert isinstance(entry.outcome, Resolved)
        assert entry.outcome.data == config(added, "    theirs: int = 2\n").encode()
        assert "git merges cleanly" in entry.outcome.notes[-1]
        assert planned.plan.warnings == ()
    repo.checkout("dev")
    assert repo.merge("main") == 1
    plan = plan_worktree(Repository.open(repo.path)).plan
    assert [p.path for p in plan.paths] == ["c.py", "o.py"]


def test_a_doubled_field_with_two_values_is_told(tmp_path: Path) -> None:
    """Nobody knows which value is right: git's text stays, with a warning that names the field."""
    repo = Sandbox(tmp_path).repository()
    repo.three_way(
        {"c.py": config("", "")},
        {"c.py": config("    beta: float = 0.5\n", "")},
        {"c.py": config("", "    beta: float = 0.6\n")},
    )
    with plan_merge(Repository.open(repo.path), "dev", "main") as planned:
        assert planned.plan.paths == ()
        (warning,) = planned.plan.warnings
        assert "c.py" in warning
        assert "Config.beta" in warning


def test_a_clean_merge_that_is_sound_is_left_alone(tmp_path: Path) -> None:
    """Names that both parents repeat, or leave undefined, are no reason to merge anew."""
    repo = Sandbox(tmp_path).repository()
    odd = "def f(): ...\ndef f(): ...\n\n\nx = missing\n\n\ny = 1\n\n\n"
    repo.three_way({"c.py": odd}, {"c.py": "a = 1\n\n\n" + odd}, {"c.py": odd + "b = 1\n"})
    with plan_merge(Repository.open(repo.path), "dev", "main") as planned:
        assert (planned.plan.paths, planned.plan.warnings) == ((), ())


def test_without_a_rule_file_no_schema_is_loaded(repo: SandboxRepository) -> None:
    """A merge without rules does not wait for the schema of rule files."""
    code = (
        "import sys\n"
        "from mergewright import Repository, plan_merge\n"
        f"plan_merge(Repository.open({str(repo.path)!r}), 'dev', 'main').close()\n"
        "assert 'mergewright.workflows.planning' in sys.modules\n"
        "sys.exit('pydantic' in sys.modules)\n"
    )
    env = with_source()
    subprocess.run([sys.executable, "-c", code], check=True, env=env)
