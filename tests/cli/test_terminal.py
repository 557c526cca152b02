"""Colour and progress: on terminals only."""

import io
import os
import pty
import re
import subprocess
import sys

import pytest
from tests.support import with_source

from mergewright.cli import terminal
from mergewright.testing import SandboxRepository

COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-9][0-9;]*m")


class Screen(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


def on_a_terminal(repo: SandboxRepository, **env: str) -> str:
    """Run ``resolve --dry-run`` with stdout and stderr on a terminal; what stands there."""
    main, side = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "mergewright", "--dry-run"],
        cwd=repo.path,
        env=with_source({**repo.sandbox.env, "TERM": "xterm", **env}),
        stdout=side,
        stderr=side,
    )
    os.close(side)
    seen = b""
    try:
        while chunk := os.read(main, 65536):
            seen += chunk
    except OSError:
        pass  # Linux says that the other end was closed by an error
    os.close(main)
    assert child.wait() == 1
    return seen.decode()


def test_colour_on_a_terminal(stopped: SandboxRepository) -> None:
    """On a terminal the outcomes are coloured; NO_COLOR and a dumb terminal are obeyed."""
    assert "\x1b[32mresolved" in on_a_terminal(stopped)
    assert not COLOUR.search(on_a_terminal(stopped, NO_COLOR="1"))
    assert "\x1b" not in on_a_terminal(stopped, TERM="dumb")


def test_progress_bar_comes_after_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar appears when the work takes longer than a second, not before."""
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    now = [0.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    with terminal.Progress("resolving") as progress:
        progress(1, 3, "a.py")
        assert screen.getvalue() == ""
        now[0] = 1.5
        progress(2, 3, "b[1].py")
    assert "resolving" in screen.getvalue()
    assert "2/3" in screen.getvalue()


def test_no_progress_where_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a pipe there is no bar, however long it takes."""
    monkeypatch.setattr(terminal.Progress, "PATIENCE", 0.0)
    with terminal.Progress("resolving") as progress:
        progress(1, 1, "a.py")
    assert capsys.readouterr().err == ""
