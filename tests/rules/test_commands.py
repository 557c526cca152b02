"""Exact command lines of the runners."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mergewright.model.errors import UsageError
from mergewright.rules.commands import Command, Place, archive_name, archives_made, commands
from mergewright.rules.loading import load_rules, load_text
from mergewright.rules.schema import RegenerateRule

SCRIPT = (
    "pip install uv==0.7.2 && uv venv .venv --system-site-packages && "
    "uv sync --only-group build && uv lock"
)
PLACE = Place(root="/w t", scratch="/w t/.git/mergewright", owner="7:8")


def made(runner: str, variant: str | None = None, place: Place = PLACE) -> tuple[Command, ...]:
    book = load_rules(["nightly-sync"])
    found = book.find("uv-lock")
    assert found is not None
    rule = found.rule
    assert isinstance(rule, RegenerateRule)
    return commands(rule, ["uv.lock"], book.files[0].runners[runner], place, variant=variant)


def test_docker() -> None:
    """The worktree is mounted, all runs in one container, and a second one cleans up as root."""
    lock, clean = made("container")
    assert lock.argv == (
        *("docker", "run", "--rm", "-v", "/w t:/workspace", "-w", "/workspace"),
        *("nvcr.io/nvidia/pytorch:26.02-py3", "bash", "-c"),
        f"cd /workspace && {SCRIPT}",
    )
    assert clean.argv[-1] == "rm -rf /workspace/.venv; chown 7:8 /workspace/uv.lock"
    assert clean.always
    assert made("container", "lts")[0].argv[7] == "megatron-lm:local-lts"
    with pytest.raises(UsageError, match="no image 'nightly'"):
        made("container", "nightly")


def test_slurm() -> None:
    """An archive is made first where the cluster needs one and it is not there yet."""
    archive, srun = made("cluster")
    image = f"/w t/.git/mergewright/{archive_name('megatron-lm.sqsh', 'megatron-lm:local')}"
    assert archive.argv == ("enroot", "import", "-o", image, "dockerd://megatron-lm:local")
    assert srun.argv == (
        *("srun", "--nodes=1", "--gpus-per-node=8", "--container-image", image),
        *("--container-mounts", "/w t:/workspace", "--container-workdir", "/workspace"),
        *("bash", "-c"),
        SCRIPT,
    )
    there = replace(PLACE, archives=archives_made([archive]))
    assert [command.argv[0] for command in made("cluster", place=there)] == ["srun"]
    other, again = made("cluster", "lts", place=there)
    assert other.argv[4] == "dockerd://megatron-lm:local-lts"
    assert other.argv[3] != image, "an archive of the dev image is none of the lts image"
    assert other.argv[3] in again.argv


def test_local_runs_beside_each_file() -> None:
    """Without a container the commands run one by one in the folder of each file."""
    book = load_text(
        "version: 1\nrunners: {here: {kind: local}}\nrules:\n"
        "  - {id: l, reason: r, match: {path: '**/x.lock'}, action: regenerate, side: ours,\n"
        "     command: [make, lock], before: [[setup, a b]], directory: file, runner: here}\n"
    )
    rule = book.rules[0].rule
    assert isinstance(rule, RegenerateRule)
    runner = book.files[0].runners["here"]
    got = commands(rule, ["x.lock", "sub/x.lock"], runner, PLACE)
    assert [(c.argv, c.directory) for c in got] == [
        (("setup", "a b"), "/w t"),
        (("make", "lock"), "/w t"),
        (("setup", "a b"), "/w t/sub"),
        (("make", "lock"), "/w t/sub"),
    ]
