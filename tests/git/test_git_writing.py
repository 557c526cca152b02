"""Plans written to real worktrees: what changes, what is refused, and the way back."""

import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from git_shapes import SHAPES, text

from mergewright.git import writing
from mergewright.git.journal import runs
from mergewright.git.repository import Repository, WorktreeMerge
from mergewright.git.writing import interrupted_run, undo, write_plan
from mergewright.model.conflict import MODE_SYMLINK, Conflict
from mergewright.model.errors import RepositoryError
from mergewright.model.plan import MergePlan, PathPlan
from mergewright.model.resolution import Deferred, PathOutcome, Resolved
from mergewright.model.threeway import Side
from mergewright.testing import Changes, Sandbox, SandboxRepository, executable, symlink

Decide = Callable[[Conflict], PathOutcome | None]


def conflicted(
    sandbox: Sandbox, base: Changes, ours: Changes, theirs: Changes, *config: str
) -> SandboxRepository:
    repo = sandbox.repository()
    for setting in config:
        name, _, value = setting.partition("=")
        repo.git("config", name, value)
    repo.three_way(base, ours, theirs)
    repo.checkout("dev")
    assert repo.merge("main") == 1
    return repo


def taking(side: Side) -> Decide:
    """A whole side of each conflict, as a rule would."""

    def decide(conflict: Conflict) -> PathOutcome:
        version = conflict.versions.get(side)
        path = conflict.path if version is None else version.path
        own = {conflict.path, *conflict.related, *(v.path for v in conflict.versions if v)}
        return Resolved(
            path=path,
            data=None if version is None or version.mode == 0o160000 else version.data,
            mode=0o100644 if version is None else version.mode,
            strategy="take",
            oid=version.oid if version is not None and version.mode == 0o160000 else None,
            drop=tuple(sorted(own - {path})),
        )

    return decide


def with_text(data: bytes, mode: int = 0o100644) -> Decide:
    return lambda conflict: Resolved(path=conflict.path, data=data, mode=mode, strategy="merge")


def plan_of(merge: WorktreeMerge, decide: Decide) -> MergePlan:
    paths = []
    for conflict in merge.conflicts:
        outcome = decide(conflict)
        if outcome is not None:
            paths.append(PathPlan(conflict=conflict, outcome=outcome))
    return MergePlan(source=merge.source, paths=tuple(paths))


def run(repo: SandboxRepository, decide: Decide, *, stage: bool = True) -> MergePlan:
    repository = Repository.open(repo.path)
    merge = repository.worktree_merge()
    return write_plan(repository, merge, plan_of(merge, decide), stage=stage)


def state(repo: SandboxRepository) -> dict[str, object]:
    """The whole worktree, the index, and what git says."""
    found: dict[str, object] = {"status": repo.git("status", "--porcelain", "-z")}
    for folder, folders, files in os.walk(repo.path):
        if folder == str(repo.path):
            folders.remove(".git")
        for name in [*files, *folders]:
            place = Path(folder, name)
            mode = place.lstat().st_mode
            if stat.S_ISLNK(mode):
                found[str(place)] = place.readlink()
            elif stat.S_ISREG(mode):
                found[str(place)] = (stat.S_IMODE(mode), place.read_bytes())
            else:
                found[str(place)] = "folder"
    found["stages"] = repo.git("ls-files", "-z", "--stage")
    return found


def index_bytes(repo: SandboxRepository) -> bytes:
    return (repo.path / ".git" / "index").read_bytes()


#: Answers that cannot be written without more being decided.
REFUSED = {
    ("symlinks to different targets", Side.THEIRS): "out of the worktree",
    ("submodule and file", Side.THEIRS): "a directory stands",
    ("file replaced by a directory, edited by theirs", Side.THEIRS): "a directory stands",
    ("directory added by theirs, file by ours", Side.OURS): "a directory stands",
}


@pytest.mark.parametrize("side", [Side.OURS, Side.THEIRS])
@pytest.mark.parametrize("name", [name for name, shape in SHAPES.items() if shape.expected])
def test_one_side_of_every_kind_and_back(sandbox: Sandbox, name: str, side: Side) -> None:
    """Taking a whole side settles every kind of conflict; undo brings everything back."""
    shape = SHAPES[name]
    repo = conflicted(sandbox, shape.base, shape.ours, shape.theirs)
    before, index = state(repo), index_bytes(repo)
    done = run(repo, taking(side))
    refused = REFUSED.get((name, side))
    assert [refused in d.reason if refused else d.reason for d in done.deferred] == [True] * bool(
        refused
    )
    if not refused:
        assert repo.git("ls-files", "--unmerged") == b""
        assert repo.git("diff", "--name-only") == b""
        for outcome in done.resolved:
            entry = repo.git("ls-files", "-z", "--stage", "--", f":(literal){outcome.path}")
            if outcome.data is None and outcome.oid is None:
                assert entry == b""
            else:
                assert entry.startswith(f"{outcome.mode:o} ".encode())
        undo(Repository.open(repo.path))
    assert index_bytes(repo) == index
    assert state(repo) == before


def test_settled_text_is_staged(sandbox: Sandbox) -> None:
    """The file and its stage 0 hold the text; other changes of the worktree stay."""
    repo = conflicted(
        sandbox,
        {"f": text("a"), "g": "g\n", "h": "h\n"},
        {"f": text("a", at3="x")},
        {"f": text("a", at3="y"), "h": "theirs\n"},
    )
    repo.write("g", "local\n")
    repo.write("untracked", "u\n")
    run(repo, with_text(b"settled\n"))
    assert repo.read("f") == b"settled\n"
    assert repo.git("status", "--porcelain") == b"M  f\n M g\nM  h\n?? untracked\n"
    assert repo.git("show", ":f") == b"settled\n"


def test_no_stage(sandbox: Sandbox) -> None:
    """Without staging the file is written and the index left byte for byte."""
    repo = conflicted(sandbox, {"f": "1\n"}, {"f": "2\n"}, {"f": "3\n"})
    index = index_bytes(repo)
    run(repo, with_text(b"settled\n"), stage=False)
    assert (repo.read("f"), index_bytes(repo)) == (b"settled\n", index)
    undo(Repository.open(repo.path))
    assert b"<<<<<<<" in repo.read("f")


def test_deferred_keeps_stages(sandbox: Sandbox) -> None:
    """A deferred path gets its markers, keeps stages 1 to 3, and git's tools still work on it."""
    repo = conflicted(
        sandbox, {"f": "1\n", "g": "1\n"}, {"f": "2\n", "g": "2\n"}, {"f": "3\n", "g": "3\n"}
    )
    marked = b"<<<<<<< dev\n2\n||||||| base\n1\n=======\n3\n>>>>>>> main: both changed it\n"

    def decide(conflict: Conflict) -> PathOutcome:
        if conflict.path == "g":
            return Resolved(path="g", data=b"23\n", mode=0o100644, strategy="merge")
        return Deferred(path="f", data=marked, mode=0o100644, reason="both changed it")

    run(repo, decide)
    assert repo.read("f") == marked
    assert repo.git("ls-files", "--unmerged").count(b"\n") == 3
    # A second run knows its own markers and settles the rest.
    again = run(repo, with_text(b"settled\n"))
    assert not again.deferred
    assert repo.read("f") == b"settled\n"
    # Runs are undone one after the other.
    undo(Repository.open(repo.path))
    assert repo.read("f") == marked
    undo(Repository.open(repo.path))
    assert repo.read("f").startswith(b"<<<<<<< HEAD\n2\n=======\n")
    repo.git("checkout", "--merge", "--", "f")
    with pytest.raises(RepositoryError, match="no run to undo"):
        undo(Repository.open(repo.path))


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
@pytest.mark.parametrize("command", ["merge", "checkout --merge", "checkout --conflict"])
def test_any_marker_style_counts_as_untouched(sandbox: Sandbox, style: str, command: str) -> None:
    """Whatever style git wrote the conflict in, the file is known to be untouched."""
    lines = [f"{i}\n" for i in range(20)]

    def edit(**edits: str) -> str:
        return "".join(edits.get(f"n{i}", line) for i, line in enumerate(lines))

    repo = conflicted(
        sandbox,
        {"f": edit()},
        {"f": edit(n3="x\nsame\n}\nz\n", n9="o\n")},
        {"f": edit(n3="y\nsame\n}\nw\n", n9="t\n")},
        f"merge.conflictStyle={style}",
    )
    if command == "checkout --merge":
        repo.git("checkout", "--merge", "--", "f")
    elif command == "checkout --conflict":
        other = {"merge": "diff3", "diff3": "zdiff3", "zdiff3": "merge"}[style]
        repo.git("checkout", f"--conflict={other}", "--", "f")
    assert not run(repo, with_text(b"settled\n")).deferred


def edit_in_place(repo: SandboxRepository) -> None:
    repo.write("f", repo.read("f").replace(b"2\n", b"2, by hand\n"))


def delete_by_hand(repo: SandboxRepository) -> None:
    (repo.path / "f").unlink()


def take_ours_by_hand(repo: SandboxRepository) -> None:
    repo.git("checkout", "--ours", "--", "f")


def folder_in_place(repo: SandboxRepository) -> None:
    (repo.path / "f").unlink()
    repo.write("f/x", "mine")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (edit_in_place, "changed by hand"),
        (delete_by_hand, "deleted by hand"),
        (take_ours_by_hand, "changed by hand"),
        (folder_in_place, "a directory stands"),
    ],
)
def test_changed_by_hand(
    sandbox: Sandbox, change: Callable[[SandboxRepository], None], reason: str
) -> None:
    """A contested file that the user changed since is left alone, with the reason."""
    repo = conflicted(sandbox, {"f": "1\n"}, {"f": "2\n"}, {"f": "3\n"})
    change(repo)
    before, index = state(repo), index_bytes(repo)
    done = run(repo, with_text(b"settled\n"))
    assert reason in done.deferred[0].reason
    assert state(repo) == before
    assert index_bytes(repo) == index


def test_clean_path_of_a_rule(sandbox: Sandbox) -> None:
    """A rule may replace a path that merged cleanly; with local changes it is left alone."""
    repo = conflicted(
        sandbox,
        {"f": "1\n", "p": "1\n", "q": "1\n"},
        {"f": "2\n"},
        {"f": "3\n", "p": "2\n", "q": "2\n"},
    )
    repo.write("q", "local\n")
    repository = Repository.open(repo.path)
    merge = repository.worktree_merge()
    paths = tuple(
        PathPlan(
            conflict=None,
            outcome=Resolved(path=p, data=b"1\n", mode=0o100644, strategy="pinned"),
        )
        for p in ("p", "q")
    )
    done = write_plan(repository, merge, MergePlan(source=merge.source, paths=paths))
    assert [d.path for d in done.deferred] == ["q"]
    assert (repo.read("p"), repo.read("q")) == (b"1\n", b"local\n")
    assert repo.git("status", "--porcelain") == b"UU f\nMM q\n"
    undo(Repository.open(repo.path))
    assert repo.read("p") == b"2\n"


def test_line_ends_and_modes(sandbox: Sandbox) -> None:
    """The worktree file has the line ends and the mode that a checkout would give."""
    repo = conflicted(
        sandbox,
        {
            ".gitattributes": "f text eol=crlf\nl -text\n",
            "f": "1\n",
            "l": "1\n",
            "x": executable("1\n"),
        },
        {"f": "2\n", "l": "2\n", "x": executable("2\n")},
        {"f": "3\n", "l": "3\n", "x": executable("3\n")},
        "core.autocrlf=true",
    )
    run(repo, lambda c: with_text(b"a\nb\n", c.versions.ours.mode if c.versions.ours else 0)(c))
    assert repo.read("f") == b"a\r\nb\r\n"
    assert repo.read("l") == b"a\nb\n"
    assert repo.read("x") == b"a\r\nb\r\n"
    assert (repo.path / "x").stat().st_mode & 0o111 == 0o111
    assert repo.git("status", "--porcelain") == b"M  f\nM  l\nM  x\n"
    assert repo.git("show", ":f") == b"a\nb\n"


def test_filters_are_not_run(sandbox: Sandbox) -> None:
    """A path with a configured filter is deferred; the filter's program never runs."""
    repo = conflicted(
        sandbox,
        {".gitattributes": "f filter=evil\n", "f": "1\n"},
        {"f": "2\n"},
        {"f": "3\n"},
    )
    repo.git("config", "filter.evil.smudge", "touch ran; cat")
    repo.git("config", "filter.evil.clean", "touch ran; cat")
    done = run(repo, with_text(b"settled\n"))
    assert "filter 'evil'" in done.deferred[0].reason
    assert not (repo.path / "ran").exists()


def test_symlinked_folder(sandbox: Sandbox, tmp_path: Path) -> None:
    """Nothing is written through a symbolic link that stands in the place of a folder."""
    repo = conflicted(sandbox, {"d/f": "1\n"}, {"d/f": "2\n"}, {"d/f": "3\n"})
    (repo.path / "d").rename(tmp_path / "elsewhere")
    (repo.path / "d").symlink_to(tmp_path / "elsewhere")
    done = run(repo, with_text(b"settled\n"))
    assert "d is a symbolic link" in done.deferred[0].reason
    assert b"<<<<<<<" in (tmp_path / "elsewhere" / "f").read_bytes()


def test_escaping_symlink(sandbox: Sandbox) -> None:
    """A symbolic link that would lead out of the worktree is not made."""
    repo = conflicted(
        sandbox, {"d/l": symlink("a")}, {"d/l": symlink("b")}, {"d/l": symlink("../../etc")}
    )
    done = run(repo, with_text(b"../../etc", MODE_SYMLINK))
    assert "out of the worktree" in done.deferred[0].reason
    assert not run(repo, with_text(b"../c", MODE_SYMLINK)).deferred
    assert (repo.path / "d" / "l").readlink() == Path("../c")


ODD = ["with space", 'quo"te', "line\nfeed", b"latin-\xe9", "tab\t", "-dash", "a~b", "ünïcode"]


def test_odd_names(sandbox: Sandbox) -> None:
    """Names with spaces, quotes, line feeds and bytes that are no UTF-8 are written and undone."""
    repo = conflicted(
        sandbox, dict.fromkeys(ODD, "1\n"), dict.fromkeys(ODD, "2\n"), dict.fromkeys(ODD, "3\n")
    )
    before = state(repo)
    done = run(repo, with_text(b"settled\n"))
    assert not done.deferred
    assert all(repo.read(name) == b"settled\n" for name in ODD)
    assert repo.git("diff", "--name-only") == b""
    undo(Repository.open(repo.path))
    assert state(repo) == before


def test_locked_index(sandbox: Sandbox) -> None:
    """While another process holds the lock nothing is written; its lock stays."""
    repo = conflicted(sandbox, {"f": "1\n"}, {"f": "2\n"}, {"f": "3\n"})
    lock = repo.path / ".git" / "index.lock"
    lock.write_bytes(b"")
    with pytest.raises(RepositoryError, match="the index is locked"):
        run(repo, with_text(b"settled\n"))
    assert lock.exists()
    assert b"<<<<<<<" in repo.read("f")


def test_index_changed_meanwhile(sandbox: Sandbox) -> None:
    """A plan for other conflicts than those in the index is refused."""
    repo = conflicted(sandbox, {"f": "1\n"}, {"f": "2\n"}, {"f": "3\n"})
    repository = Repository.open(repo.path)
    merge = repository.worktree_merge()
    repo.git("add", "f")
    with pytest.raises(RepositoryError, match="have changed"):
        write_plan(repository, merge, plan_of(merge, with_text(b"settled\n")))


def failing_at(monkeypatch: pytest.MonkeyPatch, stop: Callable[[int, str], None]) -> list[str]:
    steps: list[str] = []

    def reached(step: str) -> None:
        steps.append(step)
        stop(len(steps), step)

    monkeypatch.setattr(writing, "reached", reached)
    return steps


BASE: Changes = {"f": "1\n", "d/g": "1\n", "h": text("h"), "k": "", "x": executable("1\n")}
OURS: Changes = {
    "f": "2\n",
    "d/g": "2\n",
    "h": None,
    "d/new": text("h", at3="x"),
    "x": executable("2\n"),
}
THEIRS: Changes = {"f": "3\n", "d/g": None, "h": text("h", at3="y"), "x": executable("3\n")}


def mixed(conflict: Conflict) -> PathOutcome:
    """A write, a deletion that empties a folder, a rename back, markers."""
    if conflict.path == "f":
        return Resolved(path="f", data=b"settled\n", mode=0o100755, strategy="merge")
    if conflict.path == "x":
        return Deferred(path="x", data=b"<<<<<<< marked\n", mode=0o100755, reason="open")
    return taking(Side.THEIRS)(conflict)


def test_full_disk_rolls_back(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error at any step before the end leaves everything as it was, and says so."""
    repo = conflicted(sandbox, BASE, OURS, THEIRS)
    before, index = state(repo), index_bytes(repo)
    steps = failing_at(monkeypatch, lambda number, step: None)
    run(repo, mixed)
    undo(Repository.open(repo.path))
    writes = steps[: steps.index("end")]
    assert len(writes) > 6
    for target in writes:

        def stop(number: int, step: str, target: str = target) -> None:
            if step == target:
                raise OSError(28, "No space left on device")

        failing_at(monkeypatch, stop)
        with pytest.raises(RepositoryError, match="No space left"):
            run(repo, mixed)
        assert index_bytes(repo) == index, target
        assert state(repo) == before, target
        assert not interrupted_run(Repository.open(repo.path))


def test_killed_anywhere(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed at any step, the state is before or after, or undo restores it; undo itself too."""
    repo = conflicted(sandbox, BASE, OURS, THEIRS)
    before, index = state(repo), index_bytes(repo)
    steps = failing_at(monkeypatch, lambda number, step: None)
    run(repo, mixed)
    after = state(repo)
    undo(Repository.open(repo.path))
    assert (state(repo), index_bytes(repo)) == (before, index)
    for number in range(1, len(steps) + 1):
        child = os.fork()
        if child == 0:  # pragma: no cover - the child is killed
            failing_at(monkeypatch, lambda n, step, number=number: n == number and os._exit(9))
            try:
                run(repo, mixed)
                undo(Repository.open(repo.path))
            finally:
                os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
        now = state(repo)
        if now not in (before, after):
            with pytest.raises(RepositoryError, match="interrupted"):
                run(repo, mixed)
        if runs(repo.path / ".git"):
            undo(Repository.open(repo.path))
        else:
            assert now == before
            with pytest.raises(RepositoryError, match="no run to undo"):
                undo(Repository.open(repo.path))
        assert index_bytes(repo) == index, steps[number - 1]
        assert state(repo) == before, steps[number - 1]
        assert not (repo.path / ".git" / "index.lock").exists()


def test_undo_keeps_later_edits(sandbox: Sandbox) -> None:
    """Undo refuses to throw away what was changed since, unless it is forced."""
    repo = conflicted(sandbox, {"f": "1\n"}, {"f": "2\n"}, {"f": "3\n"})
    before = state(repo)
    run(repo, with_text(b"settled\n"))
    repo.write("f", "better\n")
    with pytest.raises(RepositoryError, match="1 files were changed"):
        undo(Repository.open(repo.path))
    assert repo.read("f") == b"better\n"
    repo.write("f", "settled\n")
    repo.write("new", "n\n")
    repo.git("add", "new")
    with pytest.raises(RepositoryError, match="index was changed"):
        undo(Repository.open(repo.path))
    undo(Repository.open(repo.path), force=True)
    (repo.path / "new").unlink()
    assert state(repo) == before


def test_undo_of_a_finished_merge(sandbox: Sandbox) -> None:
    """After the merge was committed there is nothing to undo."""
    repo = conflicted(sandbox, {"f": "1\n"}, {"f": "2\n"}, {"f": "3\n"})
    run(repo, with_text(b"settled\n"))
    repo.git("commit", "--no-edit", "--quiet")
    with pytest.raises(RepositoryError, match="is over"):
        undo(Repository.open(repo.path))


def test_linked_worktree(sandbox: Sandbox) -> None:
    """A linked worktree has its own index, state files and journal."""
    repo = sandbox.repository()
    repo.three_way({"f": "1\n"}, {"f": "2\n"}, {"f": "3\n"})
    repo.checkout("main")
    repo.git("worktree", "add", "--quiet", str(sandbox.root / "linked"), "dev")
    linked = SandboxRepository(sandbox, sandbox.root / "linked")
    assert linked.merge("main") == 1
    repository = Repository.open(linked.path)
    merge = repository.worktree_merge()
    assert (merge.source.operation, merge.source.labels.ours) == ("merge", "dev")
    write_plan(repository, merge, plan_of(merge, with_text(b"settled\n")))
    assert linked.read("f") == b"settled\n"
    undo(Repository.open(linked.path))
    assert b"<<<<<<<" in linked.read("f")
    assert repo.git("status", "--porcelain") == b""


def test_untracked_file_in_the_way(sandbox: Sandbox) -> None:
    """A file that git does not know is not overwritten by the end of a rename."""
    shape = SHAPES["directory renamed by ours, file added by theirs"]
    repo = conflicted(sandbox, shape.base, shape.ours, shape.theirs)
    repo.write("old/c", "mine\n")
    done = run(repo, taking(Side.THEIRS))
    assert "untracked file is in the way" in done.deferred[0].reason
    assert repo.read("old/c") == b"mine\n"
    (repo.path / "old" / "c").unlink()
    assert not run(repo, taking(Side.THEIRS)).deferred
    assert repo.read("old/c") == b"c\n"
    assert not (repo.path / "new" / "c").exists()


def test_one_path_twice(sandbox: Sandbox) -> None:
    """Of two outcomes that write one path the second is deferred."""
    repo = conflicted(
        sandbox, {"f": "1\n", "g": "1\n"}, {"f": "2\n", "g": "2\n"}, {"f": "3\n", "g": "3\n"}
    )
    done = run(
        repo, lambda c: Resolved(path="f", data=b"x\n", mode=0o100644, strategy="m", drop=(c.path,))
    )
    assert len(done.resolved) == len(done.deferred) == 1
    assert "another outcome" in done.deferred[0].reason


def test_names_that_cannot_stand_together(sandbox: Sandbox) -> None:
    """A file is not put where the index has a folder, nor below a file; nor beside its case twin."""
    repo = conflicted(
        sandbox, {"f": "1\n", "d/x": "1\n"}, {"f": "2\n"}, {"f": "3\n"}, "core.ignorecase=true"
    )
    for path, reason in (
        ("d", "a directory stands"),
        ("d/x/y", "is not a folder"),
        ("D/X", "differs only in upper"),
        ("../out", "no plain path"),
        (".git/hooks/x", "no plain path"),
        ("d/.GIT/config", "no plain path"),
    ):
        done = run(repo, lambda c, p=path: Resolved(path=p, data=b"", mode=0o100644, strategy="m"))
        assert reason in done.deferred[0].reason, path
    assert repo.git("status", "--porcelain") == b"UU f\n"


@pytest.mark.parametrize("side", [Side.OURS, Side.THEIRS])
def test_case_clash(sandbox: Sandbox, side: Side) -> None:
    """An answer to names that differ only in case keeps one and removes the other."""
    repo = conflicted(
        sandbox,
        {"f": "1\n"},
        {"f": "2\n", "readme": "ours\n"},
        {"f": "3\n", "README": "theirs\n"},
    )
    repository = Repository.open(repo.path)
    merge = repository.worktree_merge()
    (clash,) = repository.case_clashes(merge)
    plan = MergePlan(
        source=merge.source, paths=(PathPlan(conflict=clash, outcome=taking(side)(clash)),)
    )
    assert not write_plan(repository, merge, plan).deferred
    kept = "readme" if side is Side.OURS else "README"
    assert sorted(p.name for p in repo.path.iterdir() if p.name != ".git") == sorted(["f", kept])
    assert set(repo.git("ls-files").decode().split()) == {"f", kept}
    undo(Repository.open(repo.path))
    assert (repo.read("readme"), repo.read("README")) == (b"ours\n", b"theirs\n")


def test_split_index(sandbox: Sandbox) -> None:
    """A split index, which libgit2 cannot read, is a clear error."""
    repo = conflicted(sandbox, {"f": "1\n"}, {"f": "2\n"}, {"f": "3\n"})
    repo.git("update-index", "--split-index")
    with pytest.raises(RepositoryError, match="cannot be read") as caught:
        run(repo, with_text(b""))
    assert "--no-split-index" in str(caught.value.hint)


def test_lock_of_a_dead_run(sandbox: Sandbox) -> None:
    """A lock that a killed run of ours left is taken over; one of a living process is not."""
    repo = conflicted(sandbox, {"f": "1\n"}, {"f": "2\n"}, {"f": "3\n"})
    lock = repo.path / ".git" / "index.lock"
    child = os.fork()
    if child == 0:  # pragma: no cover - ends at once
        os._exit(0)
    os.waitpid(child, 0)
    lock.write_text(f"mergewright {os.getpid()} {socket.gethostname()}\n")
    with pytest.raises(RepositoryError, match="locked"):
        run(repo, with_text(b"settled\n"))
    lock.write_text(f"mergewright {child} {socket.gethostname()}\n")
    assert not run(repo, with_text(b"settled\n")).deferred
    assert not lock.exists()
