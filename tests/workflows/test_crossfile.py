"""Edits that follow a definition into another file of the same merge."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mergewright.git.repository import Repository
from mergewright.model.resolution import Deferred, EvidenceKind, Resolved
from mergewright.testing import Content, Sandbox, SandboxRepository
from mergewright.workflows.resolving import Settings, plan_merge, plan_worktree
from mergewright.workflows.writing import undo, write_plan

HEADS = [
    "def load(source, limit):\n    rows = source.read({a})\n    return rows[:limit]\n",
    "def save(target, rows):\n    for row in rows:\n        target.write(row, {a})\n    target.flush()\n",
    "class Report:\n    title = {a}\n\n    def lines(self, rows):\n        return [str(row) for row in rows if row]\n",
    "def merge(one, other):\n    found = dict(one)\n    found.update(other, key={a})\n    return found\n",
    "def check(value):\n    if value is None:\n        raise ValueError({a})\n    return value.strip()\n",
]


def module(bodies: dict[int, str], *, head: str = "") -> str:
    return head + "\n\n".join(bodies[n] for n in sorted(bodies))


@pytest.fixture
def repo(tmp_path: Path) -> SandboxRepository:
    return Sandbox(tmp_path).repository()


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    moved=st.sets(st.integers(0, 4), min_size=1, max_size=3),
    edited=st.sets(st.integers(0, 4), min_size=1, max_size=3),
    existing=st.booleans(),
    swap=st.booleans(),
)
def test_an_edit_and_a_move_to_another_file_commute(
    repo: SandboxRepository,
    moved: set[int],
    edited: set[int],
    existing: bool,
    swap: bool,
) -> None:
    """Whatever is moved and whatever is edited, each definition ends up edited, in its new file."""
    base = {n: text.format(a=n) for n, text in enumerate(HEADS)}
    after = {n: text.format(a=n + 100 * (n in edited)) for n, text in enumerate(HEADS)}
    there = 'PLACE = "other"\n\n\n' if existing else '"""New."""\n\n\n'
    shim = "from pkg.other import {}\n\n\n"
    names = ["load", "save", "Report", "merge", "check"]
    head = shim.format(", ".join(names[n] for n in sorted(moved)))

    def files(texts: dict[int, str], *, apart: bool) -> dict[str | bytes, Content]:
        found: dict[str | bytes, Content] = {}
        if not apart:
            found["pkg/one.py"] = module(texts)
            if existing:
                found["pkg/other.py"] = there.rstrip() + "\n"
            return found
        stay = {n: text for n, text in texts.items() if n not in moved}
        gone = {n: text for n, text in texts.items() if n in moved}
        found["pkg/one.py"] = module(stay, head=head)
        found["pkg/other.py"] = module(gone, head=there)
        return found

    mover, editor = files(base, apart=True), files(after, apart=False)
    ours, theirs = (editor, mover) if swap else (mover, editor)
    repo.three_way(files(base, apart=False), ours, theirs)
    wanted = files(after, apart=True)
    with plan_merge(Repository.open(repo.path), "dev", "main") as planned:
        # Left open is allowed only with the reason; an edit is never lost.
        assert all("moved" in left.reason for left in planned.plan.deferred)
        for path in ("pkg/one.py", "pkg/other.py"):
            found = planned.text(path)
            assert found is not None
            assert planned.plan.deferred or found.decode() == wanted[path]


BASE = "import os\n\n\ndef size(path):\n    return os.stat(path).st_size\n\n\ndef stem(path):\n    return path.split('/')[-1].split('.')[0]\n"
MOVED = "import os\n\n\ndef size(path):\n    return os.stat(path).st_size\n"
THERE = "def stem(path):\n    return path.split('/')[-1].split('.')[0]\n"
EDITED = BASE.replace("split('.')[0]", "rsplit('.', 1)[0].strip()")


def test_the_report_names_both_ends(repo: SandboxRepository) -> None:
    """Either file says where the definition came from or went to, with the commit that moved it."""
    repo.three_way({"a.py": BASE}, {"a.py": MOVED, "b.py": THERE}, {"a.py": EDITED})
    with plan_merge(Repository.open(repo.path), "dev", "main") as planned:
        a, b = planned.plan.resolved
        assert [d.strategy for d in (*a.decisions, *b.decisions)] == ["follow-move"] * 2
        assert "ours moved this definition to stem in b.py" in a.decisions[0].reason
        assert "ours moved this here from a.py" in b.decisions[0].reason
        commits = [e.commits for e in b.decisions[0].evidence if e.kind is EvidenceKind.COMMIT]
        assert commits == [(repo.oid("dev"),)]
        assert planned.plan.paths[1].conflict is None


def test_a_rule_for_the_new_file_keeps_the_edit_out(
    repo: SandboxRepository, tmp_path: Path
) -> None:
    """A pinned file takes no edit; the conflict stays and says where the code is."""
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "version: 1\nrules:\n  - id: pin\n    match: {path: b.py}\n    action: pinned\n    reason: Ours.\n"
    )
    repo.three_way({"a.py": BASE}, {"a.py": MOVED, "b.py": THERE}, {"a.py": EDITED})
    with plan_merge(
        Repository.open(repo.path), "dev", "main", settings=Settings(rules=(rules,))
    ) as planned:
        (left,) = planned.plan.deferred
        assert "ours moved stem to stem in b.py (commit" in left.reason
        assert planned.text("b.py") == THERE.encode()


def test_two_homes_are_none(repo: SandboxRepository) -> None:
    """A definition that now stands in two files has no one place for the edit."""
    repo.three_way({"a.py": BASE}, {"a.py": MOVED, "b.py": THERE, "c.py": THERE}, {"a.py": EDITED})
    with plan_merge(Repository.open(repo.path), "dev", "main") as planned:
        assert [left.path for left in planned.plan.deferred] == ["a.py"]


def test_a_worktree_gets_both_files_and_gives_them_back(repo: SandboxRepository) -> None:
    """Both files are written and staged; undo takes both back."""
    repo.three_way({"a.py": BASE}, {"a.py": MOVED, "b.py": THERE}, {"a.py": EDITED})
    repo.checkout("dev")
    assert repo.merge("main") == 1
    opened = Repository.open(repo.path)
    planned = plan_worktree(opened)
    assert all(isinstance(entry.outcome, Resolved) for entry in planned.plan.paths)
    write_plan(planned)
    assert b"rsplit('.', 1)[0].strip()" in repo.read("b.py")
    assert b"stem" not in repo.read("a.py")
    assert repo.git("diff", "--name-only", "--diff-filter=U") == b""
    undo(opened)
    assert repo.read("b.py") == THERE.encode()
    assert repo.git("diff", "--name-only", "--diff-filter=U") == b"a.py\n"


def test_single_paths_are_decided_alone(repo: SandboxRepository) -> None:
    """With paths given, no other file is touched."""
    repo.three_way({"a.py": BASE}, {"a.py": MOVED, "b.py": THERE}, {"a.py": EDITED})
    repo.checkout("dev")
    assert repo.merge("main") == 1
    planned = plan_worktree(Repository.open(repo.path), [str(repo.path / "a.py")])
    assert [type(entry.outcome) for entry in planned.plan.paths] == [Deferred]


# -- names that one side changed in the whole tree ------------------------------------------------


def package(name: str, *, extra: str = "") -> dict[str | bytes, Content]:
    return {
        "pkg/conn.py": f"class {name}:\n    def send(self, data):\n        return self.sock.sendall(data)\n",
        "pkg/pool.py": f"from pkg.conn import {name}\n\n\ndef pool(addresses):\n    return [{name}(address) for address in addresses]\n",
        "pkg/app.py": f"from pkg.conn import {name}\n\n\ndef main(address):\n    conn = {name}(address{extra})\n    return conn.send(b'hello')\n",
    }


@pytest.mark.parametrize("swap", [False, True])
def test_a_renaming_in_all_files_is_carried_into_contested_text(
    repo: SandboxRepository, *, swap: bool
) -> None:
    """The contested call gets the new name; the decision counts the places that prove it."""
    sides = [package("Connection"), package("Conn", extra=", timeout=5")]
    repo.three_way(package("Conn"), *(reversed(sides) if swap else sides))
    with plan_merge(Repository.open(repo.path), "dev", "main") as planned:
        (done,) = planned.plan.resolved
        assert done.data == package("Connection", extra=", timeout=5")["pkg/app.py"].encode()  # type: ignore[union-attr]
        assert any(d.strategy == "sweep" and "in 3 files" in d.reason for d in done.decisions)
        assert planned.plan.notes == ()


def test_an_old_name_in_a_clean_file_is_reported(repo: SandboxRepository) -> None:
    """New code of the other side that git merged cleanly is named, with its line, and not changed."""
    new = "# Conn is fine.\nfrom pkg.conn import Conn\n\nCONN = Conn('localhost')\n"
    theirs = {**package("Conn", extra=", timeout=5"), "pkg/new.py": new}
    repo.three_way(package("Conn"), package("Connection"), theirs)
    with plan_merge(Repository.open(repo.path), "dev", "main") as planned:
        (note,) = planned.plan.notes
        assert note == (
            "pkg/new.py:2: `Conn` is called `Connection` by ours, which renamed it in 3 files and left none"
        )
        assert planned.text("pkg/new.py") == new.encode()


@pytest.mark.parametrize(
    "change",
    [
        # The old name is still there in a file that the side did not touch.
        {"pkg/old.py": "def legacy(Conn):\n    return Conn\n"},
        # Base had the new name already, for something else.
        {"pkg/old.py": "class Connection:\n    pass\n"},
    ],
)
def test_a_renaming_that_is_none_is_not_carried(
    repo: SandboxRepository, change: dict[str | bytes, Content]
) -> None:
    """Without proof from the whole tree the conflict stays."""
    ours = package("Connection")
    if "class" in str(change["pkg/old.py"]):
        ours["pkg/old.py"] = "class Connection:\n    pass\n\n\nclass Other:\n    pass\n"
    repo.three_way({**package("Conn"), **change}, ours, package("Conn", extra=", timeout=5"))
    with plan_merge(Repository.open(repo.path), "dev", "main") as planned:
        assert not any(
            d.strategy == "sweep" for done in planned.plan.resolved for d in done.decisions
        )


def test_the_switch_of_sweeps_holds_for_whole_merges(
    repo: SandboxRepository, tmp_path: Path
) -> None:
    """``sweeps: false`` in a rule file leaves names alone."""
    rules = tmp_path / "rules.yaml"
    rules.write_text("version: 1\nengine: {sweeps: false}\n")
    repo.three_way(package("Conn"), package("Connection"), package("Conn", extra=", timeout=5"))
    with plan_merge(
        Repository.open(repo.path), "dev", "main", settings=Settings(rules=(rules,))
    ) as planned:
        assert not any(
            "left none" in d.reason for entry in planned.plan.paths for d in entry.outcome.decisions
        )


def test_a_rule_carries_renamings_into_clean_files(repo: SandboxRepository, tmp_path: Path) -> None:
    """``sweeps: everywhere`` changes the file that merged cleanly, and says so."""
    rules = tmp_path / "rules.yaml"
    rules.write_text("version: 1\nengine: {sweeps: everywhere}\n")
    new = "# Conn is fine.\nfrom pkg.conn import Conn\n\nCONN = Conn('localhost')\n"
    theirs = {**package("Conn", extra=", timeout=5"), "pkg/new.py": new}
    repo.three_way(package("Conn"), package("Connection"), theirs)
    with plan_merge(
        Repository.open(repo.path), "dev", "main", settings=Settings(rules=(rules,))
    ) as planned:
        assert planned.plan.notes == ()
        assert planned.text("pkg/new.py") == (
            b"# Conn is fine.\nfrom pkg.conn import Connection\n\nCONN = Connection('localhost')\n"
        )
        (entry,) = [entry for entry in planned.plan.paths if entry.path == "pkg/new.py"]
        assert entry.conflict is None
        assert [d.strategy for d in entry.outcome.decisions] == ["sweep"]


def test_a_strategy_that_is_off_for_a_path_is_off_across_files(
    repo: SandboxRepository, tmp_path: Path
) -> None:
    """``off`` with a path holds for the file that the edit would follow into."""
    rules = tmp_path / "rules.yaml"
    rules.write_text("version: 1\nengine:\n  off:\n    - {strategy: follow-move, path: b.py}\n")
    repo.three_way({"a.py": BASE}, {"a.py": MOVED, "b.py": THERE}, {"a.py": EDITED})
    with plan_merge(
        Repository.open(repo.path), "dev", "main", settings=Settings(rules=(rules,))
    ) as planned:
        assert [left.path for left in planned.plan.deferred] == ["a.py"]
        assert planned.text("b.py") == THERE.encode()


def test_a_renaming_leaves_other_things_of_the_name_alone(repo: SandboxRepository) -> None:
    """``os.path.exists`` is no ``store.exists``, although one side renamed the latter everywhere."""

    def files(name: str, use: str) -> dict[str | bytes, Content]:
        return {
            "pkg/store.py": f"class Store:\n    def {name}(self, key):\n        return key in self.rows\n\n"
            f"    def drop(self, key):\n        return self.{name}(key) and self.rows.pop(key)\n",
            "pkg/more.py": f"def known(s, key):\n    return s.{name}(key)\n",
            "pkg/use.py": use,
        }

    base = "def use(s, key):\n    setup(s)\n    if s.exists(key):\n        s.drop(key)\n"
    ours = base.replace("exists", "contains_key").replace("setup(s)", "setup(s, 1)")
    theirs = "import os\n\n\n" + base.replace(
        "s.exists(key):", "s.exists(key) and os.path.exists(key):"
    )
    repo.three_way(files("exists", base), files("contains_key", ours), files("exists", theirs))
    with plan_merge(Repository.open(repo.path), "dev", "main") as planned:
        for done in planned.plan.resolved:
            assert b"os.path.contains_key" not in done.data  # type: ignore[union-attr, operator]
        assert planned.plan.deferred
