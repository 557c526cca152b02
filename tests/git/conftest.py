"""A sandbox for every test."""

from pathlib import Path

import pytest

from mergewright.testing import Sandbox


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    return Sandbox(tmp_path)
