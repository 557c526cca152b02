"""Real repositories and the command as a user meets them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mergewright.cli.main import main
from mergewright.testing import Sandbox, SandboxRepository


@dataclass(frozen=True)
class Ran:
    """What a command did."""

    status: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict[str, Any]:
        """The JSON report on stdout."""
        value: dict[str, Any] = json.loads(self.stdout)
        return value


Command = Callable[..., Ran]


@pytest.fixture
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """A sealed place; the command under test sees the same sealed environment."""
    sandbox = Sandbox(tmp_path)
    for name, value in sandbox.env.items():
        monkeypatch.setenv(name, value)
    return sandbox


@pytest.fixture
def repo(sandbox: Sandbox) -> SandboxRepository:
    """An empty repository."""
    return sandbox.repository()


@pytest.fixture
def resolve(
    repo: SandboxRepository,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> Command:
    """Runs ``resolve …`` in the repository and gives status, stdout and stderr."""

    def run(*arguments: str, cwd: Path | None = None) -> Ran:
        monkeypatch.chdir(cwd or repo.path)
        capfdbinary.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([*arguments])
        out, err = capfdbinary.readouterr()
        status = ended.value.code
        assert isinstance(status, int)
        return Ran(status, out.decode(errors="replace"), err.decode(errors="replace"))

    return run


BASE = {
    "app.py": "import os\n\n\ndef one(value):\n    return value\n\n\ndef two(value):\n    return 2\n",
    "notes.txt": "a\nb\nc\n",
    "gone.txt": "here\n",
}
OURS = {
    "app.py": "import os\nimport re\n\n\ndef one(value):\n    return value + 1\n\n\ndef two(value):\n    return 2\n",
    "notes.txt": "a\nours\nc\n",
    "gone.txt": None,
}
THEIRS = {
    "app.py": "import os\nimport sys\n\n\ndef one(value):\n    return value\n\n\ndef two(value):\n    return 3\n",
    "notes.txt": "a\ntheirs\nc\n",
    "gone.txt": "there\n",
}


@pytest.fixture
def stopped(repo: SandboxRepository) -> SandboxRepository:
    """A merge of main into dev that stopped: one file settles, two stay."""
    repo.three_way(BASE, OURS, THEIRS)
    repo.checkout("dev")
    assert repo.merge("main") == 1
    return repo
