"""The pinned analysers, run as subprocesses on exported trees; their output as diagnostics.

Nothing of the repository is executed and none of its configuration is read: each analyser gets a
configuration of ours, no plugin, no ignore file, no interpreter to ask.
"""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from mergewright.audit.values import Tree

STUBS = Path(__file__).parent / "stubs"
PYTHON_SUFFIXES = (".py", ".pyi")

T = TypeVar("T")


class Diagnostic(NamedTuple):
    """One diagnostic of an analyser.

    Attributes:
        path: Path in the tree.
        line: 1-based line.
        rule: The analyser's rule name.
        message: First line of the message.
        tool: Name of the analyser.
    """

    path: str
    line: int
    rule: str
    message: str
    tool: str


class AnalyserError(Exception):
    """An analyser is missing, crashed, timed out or gave output that cannot be read."""


class Analyser(Protocol):
    """What the audit needs of an analyser."""

    @property
    def name(self) -> str:
        """Its name in the report."""
        ...

    def identity(self) -> str:
        """Version and configuration; part of the cache key.

        Raises:
            AnalyserError: The analyser is not there.
        """
        ...

    def run(self, folder: Path, tree: Tree, timeout: float) -> list[Diagnostic]:
        """Diagnostics of an exported tree.

        Raises:
            AnalyserError: It crashed, timed out or gave no readable output.
        """
        ...


@functools.cache
def executable(name: str) -> str:
    """Path of an analyser's program: beside our interpreter first, then on ``PATH``.

    Raises:
        AnalyserError: It is nowhere.
    """
    suffix = ".exe" if os.name == "nt" else ""
    for folder in (Path(sys.executable).parent, Path(sysconfig.get_path("scripts"))):
        candidate = folder / (name + suffix)
        if candidate.is_file():
            return str(candidate)
    found = shutil.which(name)
    if found is None:
        raise AnalyserError(f"{name} is not installed beside mergewright nor on PATH")
    return found


def _environment(home: Path) -> dict[str, str]:
    """A small environment: no user configuration, no colour, no cache outside the folder."""
    kept = {k: v for k, v in os.environ.items() if k in {"PATH", "SYSTEMROOT", "TMPDIR", "TEMP"}}
    return {**kept, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "NO_COLOR": "1"}


def _call(
    arguments: Sequence[str], folder: Path, timeout: float
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            arguments,
            cwd=folder,
            capture_output=True,
            timeout=timeout,
            check=False,
            env=_environment(folder.parent),
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired as error:
        raise AnalyserError(f"{arguments[0]} took longer than {timeout:.0f} s") from error
    except OSError as error:
        raise AnalyserError(f"{arguments[0]} cannot be run: {error}") from error


@functools.cache
def _version(program: str) -> str:
    result = _call([program, "--version"], Path(tempfile.gettempdir()), 30)
    if result.returncode != 0:
        raise AnalyserError(f"{program} --version ends with status {result.returncode}")
    return result.stdout.decode("utf-8", "replace").strip()


def _text(entry: Mapping[str, object], key: str) -> str:
    value = entry.get(key)
    return value if isinstance(value, str) else ""


def _number(entry: Mapping[str, object], key: str) -> int:
    value = entry.get(key)
    return value if isinstance(value, int) else 0


def import_roots(paths: Sequence[str]) -> list[str]:
    """Folders from which absolute imports are searched: the root, then ``src``-like folders.

    A ``src`` or ``lib`` folder counts when it has Python below it and no ``__init__.py`` of its own.
    """
    roots = {"."}
    folders: set[str] = set()
    for path in paths:
        parts = path.split("/")[:-1]
        folders.update("/".join(parts[: i + 1]) for i in range(min(len(parts), 3)))
    present = set(paths)
    for folder in folders:
        name = folder.rsplit("/", 1)[-1]
        if name in {"src", "lib", "python"} and f"{folder}/__init__.py" not in present:
            roots.add(folder)
    return sorted(roots, key=lambda root: (root != ".", root))


@dataclass(frozen=True, slots=True)
class _Tool:
    """What the analysers have in common: a program, its rules, how it is run and read."""

    name: str
    rules: tuple[str, ...]

    def identity(self) -> str:
        """See :class:`Analyser`."""
        return f"{_version(executable(self.name))} {','.join(self.rules)}"

    def call(
        self, folder: Path, timeout: float, *arguments: str, statuses: tuple[int, ...] = (0,)
    ) -> subprocess.CompletedProcess[bytes]:
        """Run the program in a folder.

        Raises:
            AnalyserError: It is not there, takes too long, or ends with another status.
        """
        result = _call([executable(self.name), *arguments], folder, timeout)
        if result.returncode not in statuses:
            raise AnalyserError(f"{self.name} ended with status {result.returncode}{_tail(result)}")
        return result

    def read(self, result: subprocess.CompletedProcess[bytes], kind: type[T]) -> T:
        """The JSON that it wrote, of the kind that is expected at its top.

        Raises:
            AnalyserError: It is something else.
        """
        try:
            document = json.loads(result.stdout)
        except ValueError as error:
            raise AnalyserError(
                f"{self.name} ended with status {result.returncode} and no readable output"
                f"{_tail(result)}"
            ) from error
        if not isinstance(document, kind):
            raise AnalyserError(f"{self.name} gave a {type(document).__name__} for its result")
        return document

    def diagnostic(self, folder: Path, path: str, line: int, rule: str, message: str) -> Diagnostic:
        """A diagnostic with its path relative to the folder and the first line of its message."""
        relative = path.removeprefix(str(folder.resolve()) + os.sep).removeprefix("./")
        return Diagnostic(
            relative.replace(os.sep, "/"), line, rule, message.split("\n", 1)[0], self.name
        )


def _tail(result: subprocess.CompletedProcess[bytes]) -> str:
    """The last thing that a program said, for messages."""
    said = result.stderr.decode("utf-8", "replace").strip().splitlines()
    return f": {said[-1][:200]}" if said else ""


@dataclass(frozen=True, slots=True)
class Ruff(_Tool):
    """ruff: names, redefinitions, doubled keys and fields, syntax."""

    name: str = "ruff"
    rules: tuple[str, ...] = (
        "F821",
        "F822",
        "F823",
        "F811",
        "F402",
        "F601",
        "F401",
        "PLE*",
        "PIE794",
        "invalid-syntax",
    )

    def run(self, folder: Path, tree: Tree, timeout: float) -> list[Diagnostic]:
        """See :class:`Analyser`."""
        del tree
        selected = ",".join(rule.rstrip("*") for rule in self.rules if rule != "invalid-syntax")
        result = self.call(
            folder,
            timeout,
            "check",
            "--isolated",
            "--no-cache",
            "--no-respect-gitignore",
            "--exit-zero",
            "--target-version=py313",
            "--exclude=.mergewright-none",
            f"--select={selected}",
            "--output-format=json",
            ".",
        )
        out = []
        for entry in self.read(result, list):
            location = entry.get("location") or {}
            rule = _text(entry, "code") or "invalid-syntax"
            # The message of a redefinition carries a line number, which moves between trees.
            message = re.sub(r" from line \d+|:\d+:\d+|on line \d+", "", _text(entry, "message"))
            line = _number(location, "row")
            out.append(self.diagnostic(folder, _text(entry, "filename"), line, rule, message))
        return out


_PYREFLY_CONFIG = """\
project-includes = ["**/*.py", "**/*.pyi"]
project-excludes = []
disable-project-excludes-heuristics = true
search-path = [{search}]
site-package-path = []
python-version = "3.13"
python-platform = "linux"
skip-interpreter-query = true
use-ignore-files = false
ignore-errors-in-generated-code = false
"""


@dataclass(frozen=True, slots=True)
class Pyrefly(_Tool):
    """pyrefly: names, attributes, calls and imports across modules."""

    name: str = "pyrefly"
    rules: tuple[str, ...] = (
        "unknown-name",
        "missing-attribute",
        "missing-argument",
        "unexpected-keyword",
        "bad-argument-count",
        "bad-keyword-argument",
        "missing-module-attribute",
        "missing-import",
        "parse-error",
        "invalid-syntax",
    )

    def identity(self) -> str:
        """See :class:`Analyser`."""
        digest = hashlib.sha256(_PYREFLY_CONFIG.encode())
        for path in sorted(STUBS.rglob("*.pyi")):
            digest.update(path.read_bytes())
        version = _version(executable("pyrefly"))
        return f"{version} {digest.hexdigest()[:16]} {','.join(self.rules)}"

    def run(self, folder: Path, tree: Tree, timeout: float) -> list[Diagnostic]:
        """See :class:`Analyser`."""
        paths = [path for path in tree.files if path.endswith(PYTHON_SUFFIXES)]
        if not paths:
            return []
        roots = import_roots(paths)
        search = [str(folder / root) if root != "." else str(folder) for root in roots]
        search.append(str(STUBS))
        text = _PYREFLY_CONFIG.format(search=", ".join(json.dumps(path) for path in search))
        # The configuration must stand at the root for its globs; a tree's own one is not exported.
        config = folder / "pyrefly.toml"
        config.write_text(text, encoding="utf-8")
        result = self.call(
            folder,
            timeout,
            "check",
            "--config=pyrefly.toml",
            "--output-format=json",
            "--summary=none",
            "--threads=2",
            statuses=(0, 1),
        )
        if b"No Python files matched" in result.stderr:
            raise AnalyserError("pyrefly saw no Python file")
        wanted = set(self.rules)
        return [
            self.diagnostic(
                folder,
                _text(entry, "path"),
                _number(entry, "line"),
                _text(entry, "name"),
                _text(entry, "concise_description"),
            )
            for entry in self.read(result, dict).get("errors", ())
            if _text(entry, "name") in wanted
        ]


@dataclass(frozen=True, slots=True)
class Ty(_Tool):
    """ty, as a second opinion; optional."""

    name: str = "ty"
    rules: tuple[str, ...] = (
        "unresolved-reference",
        "unresolved-attribute",
        "missing-argument",
        "unknown-argument",
        "too-many-positional-arguments",
        "unresolved-import",
    )

    def run(self, folder: Path, tree: Tree, timeout: float) -> list[Diagnostic]:
        """See :class:`Analyser`."""
        roots = import_roots([p for p in tree.files if p.endswith(PYTHON_SUFFIXES)])
        config = folder.parent / f"{folder.name}.ty.toml"
        paths = ", ".join(json.dumps(f"./{root}" if root != "." else ".") for root in roots)
        config.write_text(
            f"[environment]\nroot = [{paths}]\nextra-paths = [{json.dumps(str(STUBS))}]\n"
            'python-version = "3.13"\npython-platform = "linux"\n',
            encoding="utf-8",
        )
        result = self.call(
            folder,
            timeout,
            "check",
            f"--config-file={config}",
            "--no-respect-ignore-files",
            "--output-format=gitlab",
            "--exit-zero",
            "--no-progress",
            ".",
        )
        out = []
        for entry in self.read(result, list):
            rule = _text(entry, "check_name")
            location = entry.get("location") or {}
            if rule not in self.rules or not _text(location, "path"):
                continue
            begin = (location.get("positions") or {}).get("begin") or {}
            message = _text(entry, "description").removeprefix(f"{rule}: ")
            line = _number(begin, "line")
            out.append(self.diagnostic(folder, _text(location, "path"), line, rule, message))
        return out


@dataclass(frozen=True, slots=True)
class Vulture(_Tool):
    """vulture, for call sites that were dropped: what nobody calls any more; optional."""

    name: str = "vulture"
    rules: tuple[str, ...] = ("unused function", "unused method", "unused class")

    def run(self, folder: Path, tree: Tree, timeout: float) -> list[Diagnostic]:
        """See :class:`Analyser`."""
        del tree
        empty = folder.parent / "empty.toml"
        empty.write_text("", encoding="utf-8")
        # 0: nothing, 3: dead code, 1: some file does not parse (told on stderr; ruff tells it too).
        result = self.call(
            folder, timeout, f"--config={empty}", "--min-confidence=60", ".", statuses=(0, 1, 3)
        )
        pattern = re.compile(r"^(.*?):(\d+): (unused (?:function|method|class)) '([^']+)'")
        rows = result.stdout.decode("utf-8", "replace").splitlines()
        return [
            self.diagnostic(folder, match[1], int(match[2]), match[3], f"{match[3]} `{match[4]}`")
            for match in map(pattern.match, rows)
            if match is not None
        ]


def extra_analyser(name: str) -> Analyser:
    """An optional analyser by name, ``ty`` or ``vulture``."""
    analyser: Analyser = Ty() if name == "ty" else Vulture()
    return analyser


def export(tree: Tree, folder: Path, before: Tree | None = None) -> int:
    """Write the Python files of a tree into a folder; gives how many.

    Symlinks are not written: a dangling one ends pyrefly, and one that leaves the folder would
    read files that are not of the tree. Paths that do not stay below the folder are left out.

    Args:
        tree: What is to stand there.
        folder: The folder.
        before: What this function wrote there last; only what differs is written then.
    """
    wanted = _exported(tree)
    there = {} if before is None else _exported(before)
    for path in there.keys() - wanted.keys():
        (folder / path).unlink(missing_ok=True)
        # A folder may have to make room for a file of its name.
        for parent in (folder / path).parents:
            if parent == folder or any(parent.iterdir()):
                break
            parent.rmdir()
    made: set[Path] = set()
    for path, oid in wanted.items():
        if there.get(path) == oid:
            continue
        target = folder / path
        if target.parent not in made:
            target.parent.mkdir(parents=True, exist_ok=True)
            made.add(target.parent)
        target.write_bytes(tree.read(oid))
    return len(wanted)


def _exported(tree: Tree) -> dict[str, str]:
    return {
        path: oid
        for path, oid in tree.files.items()
        if path.endswith(PYTHON_SUFFIXES)
        and not (path.startswith("/") or ".." in path.split("/") or "\\" in path)
    }


def digest_of(tree: Tree) -> str:
    """Id of the Python part of a tree; equal for equal content."""
    digest = hashlib.sha256()
    for path, oid in sorted(tree.files.items()):
        if path.endswith(PYTHON_SUFFIXES):
            digest.update(path.encode("utf-8", "surrogateescape") + b"\0" + oid.encode() + b"\n")
    return digest.hexdigest()


class DiagnosticCache:
    """Diagnostics of whole trees on disk, by analyser identity and tree content.

    Args:
        folder: Where they are kept; ``None`` keeps nothing.
        limit: How many entries are kept; the least recently used go first.
    """

    def __init__(self, folder: Path | None, limit: int = 64) -> None:
        self.folder = folder
        self._limit = limit

    def _path(self, identity: str, tree: str) -> Path | None:
        if self.folder is None:
            return None
        key = hashlib.sha256(f"1\0{identity}\0{tree}".encode()).hexdigest()
        return self.folder / f"{key}.json.gz"

    def get(self, identity: str, tree: str) -> list[Diagnostic] | None:
        """The kept diagnostics; ``None`` when there are none or they cannot be read."""
        path = self._path(identity, tree)
        if path is None:
            return None
        try:
            raw = json.loads(gzip.decompress(path.read_bytes()))
            os.utime(path)
            return [Diagnostic(*row) for row in raw]
        except (OSError, ValueError, TypeError, EOFError):
            return None

    def put(self, identity: str, tree: str, found: Sequence[Diagnostic]) -> None:
        """Keep diagnostics; a disk that refuses is no error."""
        path = self._path(identity, tree)
        if path is None or self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            data = gzip.compress(json.dumps([list(d) for d in found]).encode(), 3)
            with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as stream:
                stream.write(data)
            Path(stream.name).replace(path)
            entries = sorted(self.folder.glob("*.json.gz"), key=lambda p: p.stat().st_mtime)
            for old in entries[: -self._limit]:
                old.unlink(missing_ok=True)
        except OSError:
            return


@dataclass(frozen=True, slots=True)
class Run:
    """Diagnostics by tree name, and what failed (analyser name to reason)."""

    found: dict[str, list[Diagnostic]]
    failed: dict[str, str]


def analyse(
    trees: Mapping[str, Tree],
    analysers: Sequence[Analyser],
    *,
    cache: DiagnosticCache,
    timeout: float = 300.0,
) -> Run:
    """Run every analyser on every tree.

    An analyser that fails on one tree is left out as a whole: a difference against a missing side
    would be noise. Its name and reason are in ``failed``.

    Args:
        trees: Name to tree.
        analysers: What to run.
        cache: Where diagnostics of a tree are kept.
        timeout: Seconds for one analyser on one tree.
    """
    found: dict[tuple[str, str], list[Diagnostic]] = {}
    failed: dict[str, str] = {}
    digests = {name: digest_of(tree) for name, tree in trees.items()}
    identities: dict[str, str] = {}
    todo: dict[str, list[Analyser]] = {}
    for analyser in analysers:
        try:
            identities[analyser.name] = analyser.identity()
        except AnalyserError as error:
            failed[analyser.name] = str(error)
            continue
        for name in trees:
            kept = cache.get(identities[analyser.name], digests[name])
            if kept is None:
                todo.setdefault(name, []).append(analyser)
            else:
                found[analyser.name, name] = kept
    # One tree at a time, in one folder: the analysers use both cores themselves, and of the second
    # and third tree only what differs is written.
    with tempfile.TemporaryDirectory(prefix="mergewright-audit-") as scratch:
        folder = Path(scratch).resolve() / "tree"
        folder.mkdir()
        before: Tree | None = None
        for name, waiting in todo.items():
            count = export(trees[name], folder, before)
            before = trees[name]
            for analyser in waiting:
                if analyser.name in failed:
                    continue
                try:
                    result = analyser.run(folder, trees[name], timeout) if count else []
                except AnalyserError as error:
                    failed[analyser.name] = f"{error} (tree {name})"
                    continue
                except Exception as error:  # noqa: BLE001 - output we did not foresee is a failure of the analyser
                    failed[analyser.name] = f"unreadable output: {error!r} (tree {name})"
                    continue
                found[analyser.name, name] = result
                cache.put(identities[analyser.name], digests[name], result)
    merged: dict[str, list[Diagnostic]] = {name: [] for name in trees}
    for analyser in analysers:
        if analyser.name in failed:
            continue
        for name in trees:
            merged[name].extend(found.get((analyser.name, name), ()))
    return Run(merged, failed)
