"""Rule files: what is read, and where every error points to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mergewright.model.errors import RuleFileError
from mergewright.rules.book import RuleBook
from mergewright.rules.loading import load_rules, load_text, read_rule_file

GOOD = """\
version: 1
rules:
  - id: owners
    reason: the team's own owners
    match: {path: .github/CODEOWNERS}
    action: pinned
"""


def error_of(text: str) -> str:
    with pytest.raises(RuleFileError) as caught:
        load_text(text, "r.yaml")
    return caught.value.message


def test_a_good_file_is_read() -> None:
    """A rule keeps its id, its place and its reason."""
    (rule,) = load_text(GOOD, "r.yaml").rules
    assert (rule.id, rule.place) == ("owners", "r.yaml:3")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "action: pinned",
            "action: pined",
            "r.yaml:6:13: unknown value 'pined'; did you mean 'pinned'?",
        ),
        ("reason:", "raeson:", "r.yaml:4:5: unknown key 'raeson'; did you mean 'reason'?"),
        ("{path:", "{paht:", "r.yaml:5:13: unknown key 'paht'; did you mean 'path'?"),
        ("rules:", "rule:", "r.yaml:2:1: unknown key 'rule'; did you mean 'rules'?"),
        ("version: 1", "version: 2", "r.yaml:1:10: this version of mergewright reads"),
        ("version: 1", "version: '1'", "r.yaml:1:10: this version of mergewright reads"),
        ("version: 1\n", "", "r.yaml:1:1: the key 'version' is missing"),
        ("id: owners", "id: Owners!", "r.yaml:3:9: "),
        (
            "    action: pinned",
            "    action: pinned\n    action: leave",
            "r.yaml:7:5: the key 'action' stands here again (first in line 6)",
        ),
        ("{path: .github/CODEOWNERS}", "{path: /abs}", "r.yaml:5:19: paths are relative"),
        ("{path: .github/CODEOWNERS}", "{path: ../x}", "r.yaml:5:19: '.' and '..'"),
        ("{path: .github/CODEOWNERS}", "{path: 'a**b'}", "r.yaml:5:19: '**' stands for whole"),
        ("{path: .github/CODEOWNERS}", "{path: []}", "r.yaml:5:19: a list of patterns"),
        ("{path: .github/CODEOWNERS}", "{}", "r.yaml:5:12: a match needs"),
        ("{path: .github/CODEOWNERS}", "[", "r.yaml:7:1: "),
        ("{path: .github/CODEOWNERS}", "7", "r.yaml:5:12: expected a mapping"),
        ("{path: .github/CODEOWNERS}", "{kind: both-modifed}", "did you mean 'both-modified'?"),
        (
            "{path: .github/CODEOWNERS}",
            "{path: a, evidence: at-least title}",
            "'evidence' needs 'history'",
        ),
        (
            "{path: .github/CODEOWNERS}",
            "{history: twin, evidence: title}",
            "write 'at-least CLASS'",
        ),
        (
            "reason: the team's own owners",
            "reason: '  '",
            "r.yaml:4:13: a reason must say something",
        ),
        ("reason: the team's own owners", "reason: !!python/object:x y", "is not allowed"),
        ("  - id", "  - <<: {a: b}\n    id", "merge keys"),
        ("  - id", "  -\tid", "r.yaml:3:"),
    ],
)
def test_errors_are_located_and_name_the_nearest(old: str, new: str, expected: str) -> None:
    """Each fault gives file, line, column and the nearest valid name."""
    assert old in GOOD
    message = error_of(GOOD.replace(old, new, 1))
    assert message.startswith("r.yaml:")
    assert expected in message


def test_all_faults_are_listed() -> None:
    """Two faults in one file are told at once, in file order."""
    message = error_of(GOOD.replace("reason", "raeson").replace("path", "paht"))
    places = [line.split(": ")[0] for line in message.splitlines()]
    assert places == ["r.yaml:3:5", "r.yaml:4:5", "r.yaml:5:13"]


def test_a_rule_id_stands_once() -> None:
    """A repeated id is an error that names both lines."""
    doubled = GOOD + GOOD.split("rules:\n")[1]
    assert "r.yaml:7:9: the rule id 'owners' stands here again (first in line 3)" in error_of(
        doubled
    )


def test_faults_in_runners_and_actions() -> None:
    """Keys of a union's member are compared with that member's own keys."""
    runner = "version: 1\nrunners:\n  box:\n    kind: docker\n    imagse: {}\n    variant: dev\n"
    message = error_of(runner)
    assert "r.yaml:5:5: unknown key 'imagse'; did you mean 'images'?" in message
    assert "r.yaml:3:3" in message or "r.yaml:4:5: the key 'images' is missing" in message
    message = error_of(runner.replace("docker", "dokcer"))
    assert message == "r.yaml:4:11: unknown value 'dokcer'; did you mean 'docker'?"
    rename = GOOD.replace("pinned", "rename\n    form: attribute\n    from: a.b\n    to: a.c")
    assert "r.yaml:7:5: unknown key 'form'; did you mean 'forms'?" in error_of(rename)
    assert "did you mean 'from'" not in error_of(rename)


def test_aliases_that_explode_are_refused() -> None:
    """A few lines of aliases cannot become a billion values."""
    lines = ["version: 1", "a: &a [x, x, x, x, x, x, x, x, x, x]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 10)}]")
    assert "more than 50000 values" in error_of("\n".join(lines))


def test_recursive_aliases_and_towers_are_refused() -> None:
    """An alias inside itself and 5,000 brackets give an error, not a crash."""
    assert "alias stands inside" in error_of("version: 1\nrules: &r [*r]\n")
    assert "nested too deeply" in error_of("version: 1\nrules: " + "[" * 5000)


@pytest.mark.parametrize(
    "data", [b"", b"# only words\n", b"\xff\xfe", b"- 1\n", b"a: 1\n---\nb: 2\n"]
)
def test_files_that_are_no_rule_files(data: bytes) -> None:
    """Empty, undecodable, wrongly shaped and double documents are located errors."""
    with pytest.raises(RuleFileError, match=r"^r\.yaml:\d+:\d+: "):
        load_text(data, "r.yaml")


def test_wholesale_guard() -> None:
    """A side for files that are not named needs a name, a commit, history or 'wholesale'."""
    broad = GOOD.replace(".github/CODEOWNERS", "'src/**'").replace("pinned", "take-theirs")
    assert "wholesale: true" in error_of(broad)
    assert load_text(broad + "    wholesale: true\n").rules
    assert load_text(broad + "    commit: 0123456789abcdef\n").rules
    assert load_text(broad.replace("'src/**'", "'**/named.py'")).rules
    assert load_text(broad.replace("{path: 'src/**'}", "{history: ours-ahead}")).rules
    assert load_text(broad.replace("{path: 'src/**'}", "{symbol: Scheduler}")).rules
    assert "wholesale: true" in error_of(broad.replace("{path: 'src/**'}", "{symbol: '**'}"))


def test_places_that_are_no_files(tmp_path: Path) -> None:
    """A directory, a pipe, a huge file and a missing file are plain errors."""
    with pytest.raises(RuleFileError, match="directory"):
        load_rules([tmp_path])
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    with pytest.raises(RuleFileError, match="not a regular file"):
        load_rules([fifo])
    huge = tmp_path / "huge.yaml"
    with huge.open("wb") as stream:
        stream.truncate(1 << 30)
    with pytest.raises(RuleFileError, match="larger than"):
        read_rule_file(huge, "huge.yaml")
    with pytest.raises(RuleFileError, match="no such file") as caught:
        load_rules(["nightly-sink"])
    assert caught.value.hint is not None
    assert "nightly-sync" in caught.value.hint


def test_lookup(tmp_path: Path) -> None:
    """The file at the root holds, else the default; a link out of the repository is refused."""
    root = tmp_path / "repo"
    root.mkdir()
    assert load_rules(root=root).rules == ()
    (root / ".mergewright.yaml").write_text(GOOD, encoding="utf-8")
    assert [rule.id for rule in load_rules(root=root).rules] == ["owners"]
    outside = tmp_path / "outside.yaml"
    outside.write_text(GOOD, encoding="utf-8")
    (root / ".mergewright.yaml").unlink()
    (root / ".mergewright.yaml").symlink_to(outside)
    with pytest.raises(RuleFileError, match="points outside"):
        load_rules(root=root)
    (root / ".mergewright.yaml").unlink()
    (root / ".mergewright.yaml").symlink_to(root / ".mergewright.yaml")
    with pytest.raises(RuleFileError, match="cannot be read"):
        load_rules(root=root)


def test_extends_and_without(tmp_path: Path) -> None:
    """Own rules come first, an own id replaces the pack's, and rules can be left out."""
    text = (
        "version: 1\nextends: feature-branch\nwithout: [version-pins]\nrules:\n"
        "  - {id: deletions, reason: ours, match: {kind: deleted-by-ours}, action: leave}\n"
    )
    book = load_text(text)
    ids = [rule.id for rule in book.rules]
    assert ids[0] == "deletions"
    assert ids.count("deletions") == 1
    assert "python-locks" in ids
    assert "version-pins" not in ids
    message = error_of(text.replace("version-pins", "version-pin"))
    assert (
        message == "r.yaml:3:11: no rule 'version-pin' to leave out; did you mean 'version-pins'?"
    )
    message = error_of(text.replace("feature-branch", "feature-brunch"))
    assert "r.yaml:2:10: there is no shipped pack 'feature-brunch'; did you mean" in message


def test_runners_must_be_defined() -> None:
    """A rule that names a runner which no file defines is located."""
    text = (
        "version: 1\nrunners: {here: {kind: local}}\nrules:\n"
        "  - {id: l, reason: r, match: {path: x}, action: regenerate, side: ours, command: [x],\n"
        "     runner: hree}\n"
    )
    assert error_of(text) == "r.yaml:5:14: no file defines the runner 'hree'; did you mean 'here'?"
    assert load_text(text.replace("hree", "here")).rules


def test_the_shipped_default_says_nothing() -> None:
    """So a merge without a rule file is planned with an empty book, and the schema is not loaded."""
    default, empty = load_rules([]), RuleBook()
    assert default.rules == ()
    assert default.engine_options() == empty.engine_options()
    assert default.format_options() == empty.format_options()
    assert default.memory == empty.memory
    assert default.sweeps_everywhere == empty.sweeps_everywhere


def test_a_list_is_short_only_where_nothing_else_is_wrong() -> None:
    """Entries with faults of their own are told; that they then do not count is not."""
    head = (
        "version: 1\nrules:\n  - {id: p, reason: r, match: {path: a.py}, action: patch-callers,\n"
    )
    for table, message in (
        ("[{call: a, becomes: a}]", "the row changes neither name nor arguments"),
        ("[]", "the list needs at least 1, and has nothing in it"),
        ("[{call: a, becomes: a, adds: [{name: x, from: 0}]}]", "needs a 'name' and a 'value'"),
        (
            "[{call: a, becomes: b, arguments: [], adds: [{name: x, value: y}]}]",
            "goes without 'arguments' and 'owner'",
        ),
    ):
        with pytest.raises(RuleFileError) as caught:
            load_text(f"{head}     interface: b.py, table: {table}}}\n", "a.yaml")
        assert caught.value.message.startswith("a.yaml:4:")
        assert message in caught.value.message
        assert "\n" not in caught.value.message
