"""``resolve merge-file``: output, exit status and bad input, as a merge driver meets them."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.support import with_source

from mergewright.cli.main import cli

BASE, OURS, THEIRS = b"a\nb\nc\n", b"A\nb\nc\n", b"a\nb\nC\n"


def run(
    folder: Path, *args: str, base: bytes = BASE, ours: bytes = OURS, theirs: bytes = THEIRS
) -> Result:
    for name, data in (("base", base), ("ours", ours), ("theirs", theirs)):
        (folder / name).write_bytes(data)
    paths = [str(folder / name) for name in ("base", "ours", "theirs")]
    return CliRunner().invoke(cli, ["merge-file", *paths, *args], standalone_mode=False)


def test_clean_merge_goes_to_stdout(tmp_path: Path) -> None:
    """Without -o the result is data on stdout; nothing is written."""
    result = run(tmp_path)
    assert (result.return_value, result.stdout_bytes, result.stderr) == (0, b"A\nb\nC\n", "")
    assert (tmp_path / "ours").read_bytes() == OURS


def test_output_may_be_ours_and_keeps_its_mode(tmp_path: Path) -> None:
    """A merge driver writes over ours; the file keeps its mode."""
    (tmp_path / "ours").touch()
    (tmp_path / "ours").chmod(0o755)
    result = run(tmp_path, "-o", str(tmp_path / "ours"))
    assert (result.return_value, result.stdout) == (0, "")
    assert (tmp_path / "ours").read_bytes() == b"A\nb\nC\n"
    assert (tmp_path / "ours").stat().st_mode & 0o777 == 0o755
    assert sorted(p.name for p in tmp_path.iterdir()) == ["base", "ours", "theirs"]


def test_conflict_exits_one_with_markers_and_labels(tmp_path: Path) -> None:
    """A conflict left is status 1, the markers carry the labels in git's order."""
    result = run(
        tmp_path,
        "-L",
        "mine",
        "-L",
        "old",
        "-L",
        "yours",
        "--marker-size",
        "9",
        theirs=b"X\nb\nc\n",
    )
    assert result.return_value == 1
    assert result.stdout.startswith("<<<<<<<<< mine")
    assert "\n||||||||| old\na\n=========\nX\n>>>>>>>>> yours\nb\nc\n" in result.stdout


def test_missing_file_is_an_error_git_sees_as_failure(tmp_path: Path) -> None:
    """An unreadable file is status 255, as with git merge-file: git keeps its own result."""
    result = CliRunner().invoke(
        cli, ["merge-file", str(tmp_path / "none"), "x", "y"], standalone_mode=False
    )
    assert result.return_value == 255
    assert "cannot read" in result.stderr


@pytest.mark.parametrize("target", ["no/such/folder", "."])
def test_unwritable_output_is_an_error(tmp_path: Path, target: str) -> None:
    """A result that cannot be written is status 255 and leaves nothing behind."""
    result = run(tmp_path, "-o", str(tmp_path / target))
    assert result.return_value == 255
    assert "cannot write" in result.stderr
    assert sorted(p.name for p in tmp_path.iterdir()) == ["base", "ours", "theirs"]


def test_wrong_usage_is_status_129(tmp_path: Path) -> None:
    """A badly configured driver must not look like a conflict to git."""
    done = subprocess.run(
        [sys.executable, "-m", "mergewright", "merge-file", "only-one"],
        capture_output=True,
        check=False,
        env=with_source(),
    )
    assert done.returncode == 129
    assert b"Missing argument" in done.stderr


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        (b"a\0b", b"a\0c", b"a\0d"),
        (b"caf\xe9\n", b"caf\xe9 1\n", b"caf\xe9 2\n"),
        (b"\xef\xbb\xbfa\n", b"b\n", b"\xef\xbb\xbfc\n"),
        (b"a\r\nb\r\n", b"a\nb\n", b"a\r\nB\r\n"),
        (b"", b"x = 1\n", b"x = 2\n"),
        (b"x = 1\n", b"", b"x = 2\n"),
        (b"print 'two'\n", b"print 'ours'\n", b"print 'theirs'\n"),
        (b"def f(:\n", b"def f(x:\n", b"def f(y:\n"),
        (b"x = 1\n", b"x = (\n", b"x = 2\n"),
        (b"x = " + b"[" * 5000 + b"]" * 5000 + b"\n", b"x = 1\n", b"x = 2\n"),
        (b"<<<<<<< a\n=======\n", b"<<<<<<< b\n=======\n", b"<<<<<<< c\n=======\n"),
    ],
    ids=[
        "nul",
        "latin-1",
        "bom",
        "crlf",
        "empty-base",
        "empty-ours",
        "python-2",
        "syntax-all",
        "syntax-ours",
        "brackets",
        "markers",
    ],
)
@pytest.mark.parametrize("path", ["a.py", "a.txt", "a.toml", "a.json", "a.yaml", "a.md"])
def test_odd_texts_lose_nothing(
    tmp_path: Path, base: bytes, ours: bytes, theirs: bytes, path: str
) -> None:
    """Whatever the texts hold: clean or a conflict, and both sides' lines are in a conflict."""
    result = run(tmp_path, "-p", path, base=base, ours=ours, theirs=theirs)
    assert result.exception is None
    assert result.return_value in {0, 1}
    if result.return_value == 1 and b"\0" not in base:
        for line in [*ours.splitlines(), *theirs.splitlines()]:
            assert line.removeprefix(b"\xef\xbb\xbf").strip() in result.stdout_bytes
