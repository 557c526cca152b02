"""Command lines that generate files again: on this machine, in a container, on a cluster."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from mergewright.model.errors import UsageError
from mergewright.rules.schema import DockerRunner, LocalRunner, RegenerateRule, Runner, SlurmRunner


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command line, run without a shell.

    Attributes:
        argv: The program and its arguments.
        directory: Folder it runs in, absolute.
        purpose: What it is for, a few words.
        always: Whether it also runs after an earlier one failed (cleaning up).
    """

    argv: tuple[str, ...]
    directory: str
    purpose: str
    always: bool = False

    def __str__(self) -> str:
        return shlex.join(self.argv)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where commands run.

    Attributes:
        root: The worktree, absolute.
        scratch: A folder for what must be made first (a container archive), absolute.
        owner: ``uid:gid`` that files in the worktree must have after a container wrote them.
        archives: The container archives that were made before, absolute.
    """

    root: str
    scratch: str
    owner: str
    archives: frozenset[str] = frozenset()


def commands(
    rule: RegenerateRule,
    paths: Sequence[str],
    runner: Runner,
    place: Place,
    *,
    variant: str | None = None,
) -> tuple[Command, ...]:
    """The commands that generate files again, in order.

    Args:
        rule: The rule of the files.
        paths: The files, relative to the root.
        runner: Where the commands run.
        place: The worktree and what is known of the machine.
        variant: Which image of the runner; its own choice when ``None``.

    Raises:
        UsageError: The runner has no image of the variant.
    """
    folders = [""]
    if rule.directory == "file":
        folders = sorted({str(PurePosixPath(path).parent) for path in paths})
    folders = ["" if folder == "." else folder for folder in folders]
    what = ", ".join(paths)
    if isinstance(runner, LocalRunner):
        found: list[Command] = []
        for folder in folders:
            directory = f"{place.root}/{folder}".rstrip("/")
            found.extend(
                Command(argv=before, directory=directory, purpose=f"prepare {what}")
                for before in rule.before
            )
            found.append(
                Command(argv=rule.command, directory=directory, purpose=f"generate {what}")
            )
        return tuple(found)
    image = _image(runner, variant)
    lines = [shlex.join(argv) for argv in (*rule.before, rule.command)]
    if isinstance(runner, DockerRunner):
        return _docker(runner, image, lines, folders, paths, place, what)
    return _slurm(runner, image, lines, folders, place, what)


def _image(runner: DockerRunner | SlurmRunner, variant: str | None) -> str:
    name = variant or runner.variant
    if name not in runner.images:
        known = ", ".join(sorted(runner.images))
        raise UsageError(f"the runner has no image '{name}'", hint=f"It has: {known}.")
    return runner.images[name]


def _script(lines: Sequence[str], workdir: str, folder: str) -> str:
    target = f"{workdir}/{folder}".rstrip("/")
    return " && ".join([f"cd {shlex.quote(target)}", *lines])


def _docker(
    runner: DockerRunner,
    image: str,
    lines: Sequence[str],
    folders: Sequence[str],
    paths: Sequence[str],
    place: Place,
    what: str,
) -> tuple[Command, ...]:
    gpus = () if runner.gpus is None else ("--gpus", runner.gpus)
    mount = ("-v", f"{place.root}:{runner.workdir}", "-w", runner.workdir)
    found = [
        Command(
            argv=(
                *("docker", "run", "--rm", *gpus, *runner.options, *mount, image),
                *("bash", "-c", _script(lines, runner.workdir, folder)),
            ),
            directory=place.root,
            purpose=f"generate {what}",
        )
        for folder in folders
    ]
    # The container runs as root: what it leaves behind is removed, what it wrote is given back.
    leftovers = [
        "/".join(part for part in (runner.workdir, folder, name) if part)
        for folder in folders
        for name in runner.leftovers
    ]
    written = [f"{runner.workdir}/{path}" for path in paths]
    clean = [f"chown {place.owner} {shlex.join(written)}"]
    if leftovers:
        clean.insert(0, f"rm -rf {shlex.join(leftovers)}")
    found.append(
        Command(
            argv=(*("docker", "run", "--rm", *mount, image, "bash", "-c", "; ".join(clean)),),
            directory=place.root,
            purpose="remove what the container left behind",
            always=True,
        )
    )
    return tuple(found)


def archive_name(name: str, image: str) -> str:
    """An archive's own name for each image: one of another variant must never be taken for it."""
    digest = hashlib.sha256(image.encode()).hexdigest()[:8]
    return f"{name.removesuffix('.sqsh')}-{digest}.sqsh"


def archives_made(commands: Sequence[Command]) -> frozenset[str]:
    """The archives that commands make."""
    return frozenset(
        command.argv[3] for command in commands if command.argv[:3] == ("enroot", "import", "-o")
    )


def _slurm(
    runner: SlurmRunner,
    image: str,
    lines: Sequence[str],
    folders: Sequence[str],
    place: Place,
    what: str,
) -> tuple[Command, ...]:
    found: list[Command] = []
    container = image
    if runner.enroot is not None:
        container = f"{place.scratch}/{archive_name(runner.enroot, image)}"
        if container not in place.archives:
            found.append(
                Command(
                    argv=("enroot", "import", "-o", container, f"dockerd://{image}"),
                    directory=place.root,
                    purpose=f"make an archive of {image}",
                )
            )
    gpus = () if runner.gpus_per_node is None else (f"--gpus-per-node={runner.gpus_per_node}",)
    for folder in folders:
        workdir = f"{runner.workdir}/{folder}".rstrip("/")
        found.append(
            Command(
                argv=(
                    *("srun", f"--nodes={runner.nodes}", *gpus),
                    *("--container-image", container),
                    *("--container-mounts", f"{place.root}:{runner.workdir}"),
                    *("--container-workdir", workdir, *runner.options),
                    *("bash", "-c", " && ".join(lines)),
                ),
                directory=place.root,
                purpose=f"generate {what}",
            )
        )
    return tuple(found)
