"""Where short-lived files of git go."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from mergewright.git import temporary
from mergewright.git.temporary import temporary_folder


@pytest.fixture(autouse=True)
def _asked_anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("TMPDIR", "TEMP", "TMP"):
        monkeypatch.delenv(name, raising=False)
    temporary_folder.cache_clear()
    yield
    temporary_folder.cache_clear()


def test_a_folder_that_the_user_named_is_obeyed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing goes into memory then."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert temporary_folder() is None


def test_the_folder_takes_new_folders() -> None:
    """Whatever the system offers."""
    with tempfile.TemporaryDirectory(dir=temporary_folder()) as folder:
        assert Path(folder).is_dir()


def test_a_system_without_memory_for_files_uses_its_disk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """No such folder, or little room in it."""
    monkeypatch.setattr(temporary, "_MEMORY", str(tmp_path / "none"))
    assert temporary_folder() is None
    temporary_folder.cache_clear()
    monkeypatch.setattr(temporary, "_MEMORY", str(tmp_path))
    monkeypatch.setattr(temporary, "_LEAST_FREE", 1 << 62)
    assert temporary_folder() is None
