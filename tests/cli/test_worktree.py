"""``resolve``, ``undo``, ``explain`` and ``merge`` on real repositories: wiring and bad input."""

import json
import os
from pathlib import Path

import jsonschema
import pytest
from tests.cli.conftest import BASE, OURS, THEIRS, Command
from tests.support import SCHEMA

from mergewright.testing import Sandbox, SandboxRepository, executable, submodule, symlink


def state(repo: SandboxRepository) -> dict[str, bytes]:
    """Everything in the worktree, the index, and what git says."""
    files = {
        str(path.relative_to(repo.path)): os.fsencode(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        for path in sorted(repo.path.rglob("*"))
        if (path.is_symlink() or path.is_file()) and ".git" not in path.relative_to(repo.path).parts
    }
    files[".git/index"] = (repo.path / ".git" / "index").read_bytes()
    # Without a refresh of the index that is compared.
    files["status"] = repo.git("--no-optional-locks", "status", "--porcelain=v2")
    return files


def test_settled_is_staged_and_left_is_labelled(
    stopped: SandboxRepository, resolve: Command
) -> None:
    """One command: settled paths staged, the rest smaller, labelled, with its stages intact."""
    ran = resolve()
    assert ran.status == 1
    assert "resolved  app.py" in ran.stdout
    assert "left      gone.txt" in ran.stdout
    assert "1 path resolved, 2 left (2 places)" in ran.stdout
    assert "resolve undo" in ran.stderr
    status = stopped.git("status", "--porcelain").decode().splitlines()
    assert status == ["M  app.py", "DU gone.txt", "UU notes.txt"]
    text = stopped.read("notes.txt").decode()
    assert "<<<<<<< dev both sides changed these lines\nours\n|||||||" in text
    assert text.endswith("=======\ntheirs\n>>>>>>> main\nc\n")
    assert stopped.read("app.py").decode().startswith("import os\nimport re\nimport sys\n")


def test_undo_brings_everything_back(stopped: SandboxRepository, resolve: Command) -> None:
    """Files, index and git status are byte for byte as before."""
    before = state(stopped)
    resolve()
    assert state(stopped) != before
    ran = resolve("undo")
    assert ran.status == 0
    assert state(stopped) == before
    assert resolve("undo").status == 2


def test_dry_run_is_the_same_plan_not_written(stopped: SandboxRepository, resolve: Command) -> None:
    """A dry run reports what a run would do, and changes nothing, not even in the git folder."""
    before = state(stopped)
    names = set(stopped.path.rglob("*"))
    dry = resolve("--dry-run", "--json", "-")
    assert dry.status == 1
    assert state(stopped) == before
    assert set(stopped.path.rglob("*")) == names
    wet = resolve("--json", "-")
    jsonschema.validate(dry.report, SCHEMA)
    jsonschema.validate(wet.report, SCHEMA)
    assert (dry.report["dry_run"], dry.report["staged"]) == (True, False)
    assert (wet.report["dry_run"], wet.report["staged"]) == (False, True)
    for one, other in zip(dry.report["paths"], wet.report["paths"], strict=True):
        assert {**one, "seconds": 0} == {**other, "seconds": 0}


def test_diff_goes_to_stdout_and_talk_to_stderr(
    stopped: SandboxRepository, resolve: Command
) -> None:
    """--diff is data: from what the worktree holds to what is written."""
    ran = resolve("--dry-run", "--diff", "app.py")
    assert ran.stdout.startswith("--- a/app.py\n+++ b/app.py\n")
    assert "-<<<<<<< HEAD\n" in ran.stdout
    assert "1 path resolved" in ran.stderr
    both = resolve("--diff", "--json", "-")
    assert both.status == 2
    assert "both want stdout" in both.stderr


def test_no_stage_leaves_the_index(stopped: SandboxRepository, resolve: Command) -> None:
    """--no-stage writes files only."""
    index = (stopped.path / ".git" / "index").read_bytes()
    assert resolve("--no-stage").status == 1
    assert (stopped.path / ".git" / "index").read_bytes() == index
    assert b"<<<<<<<" not in stopped.read("app.py")


def test_paths_choose_what_is_settled(stopped: SandboxRepository, resolve: Command) -> None:
    """PATHS are files, folders or patterns, relative to the current folder."""
    assert resolve("app.py").status == 0
    assert stopped.git("status", "--porcelain").decode().splitlines()[0] == "M  app.py"
    ran = resolve("nothing.py")
    assert ran.status == 2
    assert "no conflicted path matches 'nothing.py'" in ran.stderr
    (stopped.path / "sub").mkdir()
    assert resolve("../*.txt", cwd=stopped.path / "sub").status == 1
    assert resolve(str(stopped.path.parent)).status == 2


def test_everything_settled_is_status_0_and_can_be_committed(
    repo: SandboxRepository, resolve: Command
) -> None:
    """Nothing left: status 0, and git commits the merge."""
    repo.three_way(
        {"app.py": BASE["app.py"]}, {"app.py": OURS["app.py"]}, {"app.py": THEIRS["app.py"]}
    )
    repo.checkout("dev")
    assert repo.merge("main") == 1
    ran = resolve()
    assert ran.status == 0
    assert "git commit" in ran.stderr
    repo.git("commit", "--quiet", "--no-edit")
    assert len(repo.git("log", "-1", "--format=%P").split()) == 2


def test_explain_says_why(stopped: SandboxRepository, resolve: Command) -> None:
    """Explain reads the last run: path, symbol, and helpful errors."""
    assert resolve("explain", "app.py").status == 2
    resolve()
    ran = resolve("explain", "notes.txt")
    assert ran.status == 0
    assert ran.stdout.startswith("notes.txt: left\n")
    assert "both sides changed these lines" in ran.stdout
    assert "gate parse: passed" in resolve("explain", "app.py").stdout
    wrong = resolve("explain", "note.txt")
    assert wrong.status == 2
    assert "Do you mean notes.txt" in wrong.stderr
    assert resolve("explain", "app.py::nope").status == 2


def test_pinned_path_is_ours_also_where_the_merge_is_clean(
    repo: SandboxRepository, resolve: Command
) -> None:
    """A pin speaks for a clean path, is staged, and is undone with the rest."""
    repo.three_way({**BASE, "OWNERS": "core\n"}, OURS, {**THEIRS, "OWNERS": "release\n"})
    repo.checkout("dev")
    repo.merge("main")
    assert repo.read("OWNERS") == b"release\n"
    before = state(repo)
    rules = repo.path.parent / "rules.yaml"
    rules.write_text(
        "version: 1\nrules:\n  - {id: owners, match: {path: OWNERS}, action: pinned, reason: Ours.}\n"
        "  - {id: idle, match: {path: none}, action: leave, reason: Never.}\n"
    )
    ran = resolve("--rules", str(rules))
    assert "resolved  OWNERS" in ran.stdout
    assert "rule owners" in ran.stdout
    assert "rule 'idle' matched nothing" in ran.stderr
    assert repo.read("OWNERS") == b"core\n"
    assert repo.git("diff", "--cached", "--name-only", "HEAD", "--", "OWNERS") == b""
    resolve("undo")
    assert state(repo) == before


def test_merge_in_memory(stopped: SandboxRepository, resolve: Command, tmp_path: Path) -> None:
    """Merge writes results below a folder and a report; the repository is untouched."""
    stopped.git("merge", "--abort")
    before = state(stopped)
    names = set(stopped.path.rglob("*"))
    out = tmp_path / "out"
    ran = resolve(
        "merge", "dev", "main", "-C", str(stopped.path), "--output", str(out), "--json", "-"
    )
    assert ran.status == 1
    jsonschema.validate(ran.report, SCHEMA)
    assert (out / "app.py").read_text().startswith("import os\nimport re\nimport sys\n")
    assert b"<<<<<<< dev" in (out / "notes.txt").read_bytes()
    assert "3 files written" in ran.stderr
    assert state(stopped) == before
    assert set(stopped.path.rglob("*")) == names
    assert resolve("merge", "dev", "nowhere").status == 2


# -- bad input -----------------------------------------------------------------------------------


def test_not_a_repository(sandbox: Sandbox, resolve: Command, tmp_path: Path) -> None:
    """A folder without a repository is an error with a hint."""
    (tmp_path / "plain").mkdir()
    ran = resolve(cwd=tmp_path / "plain")
    assert ran.status == 2
    assert "not a git repository" in ran.stderr


def test_no_conflict_and_unborn_branch(repo: SandboxRepository, resolve: Command) -> None:
    """Nothing to do is said plainly."""
    ran = resolve()
    assert ran.status == 2
    assert "no commit yet" in ran.stderr
    repo.commit("main", {"a": "a\n"})
    repo.checkout("main")
    ran = resolve()
    assert ran.status == 2
    assert "no conflict to resolve" in ran.stderr


def test_bare_repository_has_no_worktree(sandbox: Sandbox, resolve: Command) -> None:
    """The worktree command names the one that works in a bare repository."""
    bare = sandbox.repository("bare.git", bare=True)
    ran = resolve(cwd=bare.path)
    assert ran.status == 2
    assert "resolve merge" in ran.stderr


def test_locked_index_writes_nothing(stopped: SandboxRepository, resolve: Command) -> None:
    """Another process holds the index: an error, nothing changed, its lock kept."""
    before = state(stopped)
    lock = stopped.path / ".git" / "index.lock"
    lock.touch()
    ran = resolve()
    assert ran.status == 2
    assert "index" in ran.stderr
    assert "lock" in ran.stderr
    assert lock.exists()
    lock.unlink()
    assert state(stopped) == before


def test_file_edited_by_hand_is_left(stopped: SandboxRepository, resolve: Command) -> None:
    """A conflicted file that the user already worked on is not overwritten."""
    stopped.write("app.py", "my own work\n")
    ran = resolve("--json", "-")
    assert stopped.read("app.py") == b"my own work\n"
    entry = next(p for p in ran.report["paths"] if p["path"] == "app.py")
    assert entry["outcome"] == "deferred"
    assert "changed" in entry["reason"]


def test_deleted_by_hand_is_left(stopped: SandboxRepository, resolve: Command) -> None:
    """A conflicted file that the user deleted is not written again."""
    (stopped.path / "app.py").unlink()
    assert resolve().status == 1
    assert not (stopped.path / "app.py").exists()


def test_local_changes_elsewhere_stay(stopped: SandboxRepository, resolve: Command) -> None:
    """Files outside of the conflict are not touched."""
    stopped.write("untracked.txt", "mine\n")
    resolve()
    assert stopped.read("untracked.txt") == b"mine\n"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("unknown-key", "version: 1\nrule: []\n", "rules"),
        (
            "bad-action",
            "version: 1\nrules:\n  - {id: a, match: {path: a}, action: keep, reason: r}\n",
            ":3:",
        ),
        ("not-yaml", "version: [1\n", "rules.yaml:"),
    ],
)
def test_broken_rules_are_status_2(
    stopped: SandboxRepository, resolve: Command, name: str, text: str, words: str, tmp_path: Path
) -> None:
    """A rule file that cannot be used: its place, status 2, nothing written."""
    before = state(stopped)
    rules = tmp_path / "rules.yaml"
    rules.write_text(text)
    ran = resolve("--rules", str(rules))
    assert ran.status == 2
    assert words in ran.stderr
    assert state(stopped) == before


def test_rules_that_are_a_folder_or_point_outside(
    stopped: SandboxRepository, resolve: Command, tmp_path: Path
) -> None:
    """A folder is no rule file; the repository's own must not lead out of it."""
    assert resolve("--rules", str(tmp_path)).status == 2
    assert resolve("--rules", str(tmp_path / "none.yaml")).status == 2
    outside = tmp_path / "outside.yaml"
    outside.write_text("version: 1\n")
    (stopped.path / ".mergewright.yaml").symlink_to(outside)
    assert resolve().status == 2


def test_unwritable_report_is_an_error(stopped: SandboxRepository, resolve: Command) -> None:
    """A report that cannot be written is said, status 2."""
    ran = resolve("--dry-run", "--json", "no/such/folder.json")
    assert ran.status == 2
    assert "cannot write" in ran.stderr


ODD = ["with space.py", 'quo"te.py', "line\nfeed.py", b"caf\xe9.py", "-dash.py"]


@pytest.mark.parametrize("name", ODD, ids=["space", "quote", "newline", "latin-1", "dash"])
def test_odd_names(repo: SandboxRepository, resolve: Command, name: str | bytes) -> None:
    """Any name git can hold is settled, reported, and explained."""
    repo.three_way({name: BASE["app.py"]}, {name: OURS["app.py"]}, {name: THEIRS["app.py"]})
    repo.checkout("dev")
    repo.merge("main")
    ran = resolve("--json", "-")
    assert ran.status == 0
    jsonschema.validate(ran.report, SCHEMA)
    assert b"import re\nimport sys\n" in repo.read(name)
    shown = ran.report["paths"][0]["path"]
    assert shown.isprintable()
    assert resolve("explain", "--", shown).status == 0


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        ("x = 1\n", executable("x = 2\n"), "x = 3\n"),
        (symlink("a"), symlink("b"), symlink("../../../etc/passwd")),
        (submodule("1" * 40), submodule("2" * 40), submodule("3" * 40)),
        (b"a\0b", b"a\0c", b"a\0d"),
        ("x = 1\n", None, "x = 2\n"),
        (None, "x = 1\n", executable("x = 2\n")),
        (None, "x = 1\n", symlink("elsewhere")),
        ("x = 1\n", symlink("elsewhere"), "x = 2\n"),
        ("x = 1\n", "", "x = 2\n"),
        (b"\xef\xbb\xbfx = 1\n", b"x = 2\n", b"\xef\xbb\xbfx = 3\n"),
        (b"x = 1\r\n", b"x = 2\n", b"x = 3\r\n"),
        (
            b"# coding: latin-1\nx = '\xe9'\n",
            b"# coding: latin-1\nx = '\xe8'\n",
            b"# coding: latin-1\nx = '\xea'\n",
        ),
        (b"x = '\xe9'\n", b"x = '\xe8'\n", b"x = '\xea'\n"),
        ("print 'a'\n", "print 'b'\n", "print 'c'\n"),
        ("x = (\n", "y = (\n", "z = (\n"),
    ],
    ids=[
        "mode",
        "symlink",
        "submodule",
        "nul",
        "deleted",
        "added-modes",
        "added-types",
        "type",
        "empty",
        "bom",
        "crlf",
        "cookie",
        "no-cookie",
        "python-2",
        "syntax",
    ],
)
def test_odd_conflicts_lose_nothing(
    repo: SandboxRepository, resolve: Command, base: object, ours: object, theirs: object
) -> None:
    """Every odd conflict is left with a reason, stages intact, and undo brings all back."""
    changes = [{"odd.py": value} if value is not None else {} for value in (base, ours, theirs)]
    root, _, _ = repo.three_way({"keep": "k\n", **changes[0]}, {"o": "o\n"}, {"t": "t\n"})
    repo.branch("dev", root)
    repo.branch("main", root)
    repo.commit("dev", {"odd.py": ours})  # type: ignore[dict-item]
    repo.commit("main", {"odd.py": theirs})  # type: ignore[dict-item]
    repo.checkout("dev")
    assert repo.merge("main") == 1
    before = state(repo)
    stages = repo.git("ls-files", "--unmerged")
    ran = resolve("--json", "-")
    assert ran.status == 1, ran.stderr
    assert ran.report["summary"]["failed"] == 0
    assert all(path["reason"] for path in ran.report["paths"])
    assert repo.git("ls-files", "--unmerged") == stages
    resolve("undo")
    assert state(repo) == before


def test_read_only_folder_changes_nothing(
    stopped: SandboxRepository, resolve: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that refuses to be written: an error, everything as before."""
    before = state(stopped)

    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("mergewright.git.worktree.Worktree.put", refuse)
    ran = resolve()
    assert ran.status == 2
    assert "No space left" in ran.stderr
    monkeypatch.undo()
    assert state(stopped) == before


def test_missing_objects_are_an_error(stopped: SandboxRepository, resolve: Command) -> None:
    """A partial clone without a needed blob: an error that says what to fetch."""
    oid = stopped.git("rev-parse", ":3:app.py").decode().strip()
    loose = stopped.path / ".git" / "objects" / oid[:2] / oid[2:]
    if not loose.exists():
        for pack in (stopped.path / ".git" / "objects" / "pack").glob("*.pack"):
            data = pack.read_bytes()
            for part in pack.parent.glob(pack.stem + ".*"):
                part.unlink()
            stopped.git("unpack-objects", "-q", data=data)
    loose.unlink()
    ran = resolve()
    assert ran.status == 2
    assert "missing" in ran.stderr


def test_rebase_says_that_the_sides_are_swapped(repo: SandboxRepository, resolve: Command) -> None:
    """In a rebase ours and theirs are exchanged: the command says so, and the report too."""
    repo.three_way({"n.txt": "a\n"}, {"n.txt": "ours\n"}, {"n.txt": "theirs\n"})
    repo.checkout("dev")
    assert repo.try_git("rebase", "main").returncode != 0
    ran = resolve("--json", "-")
    assert ran.report["operation"] == "rebase"
    assert ran.report["swapped"] is True
    assert "swaps the sides" in ran.stderr


def test_our_own_fault_is_status_255_with_a_report(
    stopped: SandboxRepository, resolve: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crash outside of a path ends with 255, a report file, and nothing written."""
    before = state(stopped)

    def crash(*args: object, **kwargs: object) -> None:
        raise KeyError("oops")

    monkeypatch.setattr("mergewright.workflows.planning.plan_paths", crash)
    ran = resolve()
    assert ran.status == 255
    file = Path(next(word for word in ran.stderr.split() if "resolve-bug-" in word))
    assert "KeyError: 'oops'" in file.read_text()
    file.unlink()
    assert state(stopped) == before


def test_a_failed_path_does_not_stop_the_rest(
    stopped: SandboxRepository, resolve: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path on which we fail is left as git left it; the others are settled."""

    def crash(*args: object, **kwargs: object) -> None:
        raise RuntimeError("engine")

    monkeypatch.setattr("mergewright.text.merge.merge_lines", crash)
    ran = resolve("--json", "-")
    outcomes = {path["path"]: path["outcome"] for path in ran.report["paths"]}
    assert outcomes == {"app.py": "resolved", "gone.txt": "deferred", "notes.txt": "failed"}
    assert ran.status == 1
    assert "please send" in ran.stderr
    assert b"<<<<<<< HEAD" in stopped.read("notes.txt")


def test_output_is_plain_without_a_terminal(stopped: SandboxRepository, resolve: Command) -> None:
    """No colour and no progress where nobody looks."""
    ran = resolve()
    assert "\x1b" not in ran.stdout + ran.stderr


def test_last_run_is_kept_in_the_git_folder(stopped: SandboxRepository, resolve: Command) -> None:
    """The report of a run that wrote something is kept for explain."""
    resolve()
    kept = json.loads((stopped.path / ".git" / "mergewright" / "last-run.json").read_text())
    jsonschema.validate(kept, SCHEMA)


def test_huge_rule_file_is_refused(
    stopped: SandboxRepository, resolve: Command, tmp_path: Path
) -> None:
    """A rule file of many megabytes is an error, not a long wait."""
    rules = tmp_path / "rules.yaml"
    rules.write_text("version: 1\n" + "# filler\n" * 2_000_000)
    ran = resolve("--rules", str(rules))
    assert ran.status == 2
    assert "rules.yaml" in ran.stderr


def test_shallow_history_without_the_base(
    stopped: SandboxRepository, resolve: Command, tmp_path: Path
) -> None:
    """Two tips whose common ancestor was cut off: an error that says how to fetch it."""
    stopped.git(
        "clone",
        "--quiet",
        "--depth=1",
        "--no-single-branch",
        f"file://{stopped.path}",
        str(tmp_path / "s"),
    )
    ran = resolve("merge", "origin/dev", "origin/main", cwd=tmp_path / "s")
    assert ran.status == 2
    assert "no common ancestor" in ran.stderr
    assert "--unshallow" in ran.stderr


def test_directory_against_file_and_case_clash(repo: SandboxRepository, resolve: Command) -> None:
    """Tree conflicts are left with a reason that names what each side did."""
    repo.three_way(
        {"keep": "k\n", "both.txt": "b\n"},
        {"place": "a file\n", "Name.txt": "1\n", "both.txt": "o\n"},
        {"place/inside": "a folder\n", "name.txt": "2\n", "both.txt": "t\n"},
    )
    ran = resolve("merge", "dev", "main", "--json", "-")
    assert ran.status == 1
    kinds = {path["kind"] for path in ran.report["paths"]}
    assert "directory-file" in kinds
    assert all(path["reason"] for path in ran.report["paths"])
    assert ran.report["summary"]["failed"] == 0


def test_linked_worktree(stopped: SandboxRepository, resolve: Command, tmp_path: Path) -> None:
    """A linked worktree has a run, an explanation and an undo of its own."""
    stopped.git("merge", "--abort")
    linked = tmp_path / "linked"
    stopped.git("worktree", "add", "--quiet", "-b", "topic", str(linked), "dev")
    other = SandboxRepository(stopped.sandbox, linked)
    assert other.merge("main") == 1
    before = other.git("status", "--porcelain")
    assert resolve(cwd=linked).status == 1
    assert resolve("explain", "app.py", cwd=linked).status == 0
    assert resolve("explain", "app.py").status == 2
    assert resolve("undo", cwd=linked).status == 0
    assert other.git("status", "--porcelain") == before


@pytest.mark.slow
def test_a_file_of_fifty_thousand_lines(repo: SandboxRepository, resolve: Command) -> None:
    """A very long Python file is merged structurally, within its time limit."""

    def text(ours: int, theirs: int) -> str:
        parts = []
        for index in range(10_000):
            value = "a - 1" if index == ours else "a * 2" if index == theirs else "a + b"
            parts.append(f"def function_{index}(a, b):\n    c = {value}\n    return c\n\n\n")
        return "".join(parts) + ("" if ours == theirs else f"added = {max(ours, theirs)}\n")

    repo.three_way({"big.py": text(-1, -1)}, {"big.py": text(10, -1)}, {"big.py": text(-1, 5000)})
    ran = resolve("merge", "dev", "main", "--json", "-")
    (path,) = ran.report["paths"]
    assert path["outcome"] == "deferred", path  # `added` was added by both, differently
    assert path["strategy"] == "python"
    assert path["open_places"] == 1
