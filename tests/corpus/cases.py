"""Golden cases as values: found by glob, checked by a schema, never guessed at.

The form of a case is described in ``corpus/README.md``.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from ruamel.yaml import YAML

from mergewright.model.history import EvidenceClass, Standing
from mergewright.model.threeway import ThreeWay
from mergewright.testing import EPOCH, CommitSpec

CORPUS = Path(__file__).parents[2] / "corpus"
KNOWN = "known_failures"
VERSIONS = ("base", "ours", "theirs")

Kind = Literal[
    "structure",
    "imports",
    "expression",
    "layout",
    "comments",
    "statements",
    "rename",
    "move",
    "version",
    "sweep",
    "deletion",
    "added",
    "order",
    "gate",
    "bytes",
    "syntax",
    "format",
    "policy",
    "history",
    "tree",
]


class Strict(BaseModel):
    """Unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Edit(Strict):
    """Replace one text, which stands exactly once, by another."""

    old: str
    new: str


class Commit(Strict):
    """One commit of a history case; see ``corpus/README.md``."""

    id: str
    side: Literal["start", "ours", "theirs"]
    subject: str
    body: str = ""
    author: str = "Ada Example <ada@example.org>"
    day: float
    take: tuple[str, ...] = ()
    revert: tuple[str, ...] = ()
    merge: str | None = None
    rename: dict[str, str] = Field(default_factory=dict)
    edit: dict[str, tuple[Edit, ...]] = Field(default_factory=dict)
    write: dict[str, str] = Field(default_factory=dict)
    delete: tuple[str, ...] = ()


class ExpectedPath(Strict):
    """What one path holds after the merge: a commit's state, edited, or a text, or nothing."""

    state: str | None = None
    path: str | None = None
    edit: tuple[Edit, ...] = ()
    text: str | None = None
    absent: bool = False
    open: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one(self) -> ExpectedPath:
        given = (self.state is not None) + (self.text is not None) + self.absent + bool(self.open)
        if given != 1 or (self.edit and self.state is None):
            raise ValueError("give exactly one of state (with edits), text, absent, open")
        return self


class ExpectedVerdict(Strict):
    """What history says of one contested symbol, the strongest class of evidence, its commits."""

    path: str
    symbol: str
    verdict: Standing
    evidence: EvidenceClass | None = None
    commits: tuple[str, ...] = ()


class Description(Strict):
    """The contents of ``case.yaml``."""

    title: str
    kind: Kind
    source: str | None = None
    outcome: Literal["resolved", "conflict", "deleted"]
    open: tuple[str, ...] = ()
    path: str | None = None
    rules: str | None = None
    notes: str = ""
    symmetric: bool = True
    pending: str | None = None
    now: Literal["open", "wrong", "order", "layout", "other-conflict"] | None = None
    start: dict[str, str] = Field(default_factory=dict)
    commits: tuple[Commit, ...] = ()
    contested: tuple[str, ...] = ()
    expected: dict[str, ExpectedPath] = Field(default_factory=dict)
    verdicts: tuple[ExpectedVerdict, ...] = ()

    @model_validator(mode="after")
    def _fits(self) -> Description:
        if self.source is not None and not self.source.startswith("https://"):
            raise ValueError("source is a public https link")
        if self.open and self.outcome != "conflict":
            raise ValueError("open symbols go with outcome: conflict")
        if bool(self.commits) != (self.kind == "history"):
            raise ValueError("commits go with kind: history")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One golden case.

    Attributes:
        folder: Where it lives.
        about: ``case.yaml``.
        form: ``file`` (three texts), ``tree`` (three folders) or ``history`` (commits).
        known: Whether it is a known failure.
    """

    folder: Path
    about: Description
    form: Literal["file", "tree", "history"]
    known: bool

    @property
    def name(self) -> str:
        """``topic/case``, the same in and out of the known failures."""
        parts = self.folder.relative_to(CORPUS).parts
        return "/".join(parts[1:] if self.known else parts)

    def file(self, stem: str) -> Path | None:
        """The file ``stem`` or ``stem.*`` of the folder; ``None`` when there is none."""
        found = [p for p in self.folder.iterdir() if p.is_file() and p.name.split(".")[0] == stem]
        if len(found) > 1:
            raise ValueError(f"{self.folder}: more than one {stem!r}")
        return found[0] if found else None

    def data(self, stem: str) -> bytes | None:
        """The bytes of the file ``stem``."""
        path = self.file(stem)
        return None if path is None else path.read_bytes()

    @property
    def versions(self) -> ThreeWay[bytes | None]:
        """The three texts."""
        base, ours, theirs = (self.data(stem) for stem in VERSIONS)
        return ThreeWay(base=base, ours=ours, theirs=theirs)

    @property
    def path(self) -> str:
        """The path that the file is merged under."""
        if self.about.path:
            return self.about.path
        given = self.file("ours") or self.file("theirs")
        assert given is not None
        return "module" + given.name.removeprefix(given.name.split(".")[0])

    @property
    def ideal_stem(self) -> str:
        """Name of the file with the right result."""
        return "expected_ideal" if self.known else "expected"

    def tree(self, stem: str) -> dict[str, bytes] | None:
        """The files of the folder ``stem`` by path."""
        root = self.folder / stem
        if not root.is_dir():
            return None
        return {
            p.relative_to(root).as_posix(): p.read_bytes()
            for p in sorted(root.rglob("*"))
            if p.is_file()
        }


def load(folder: Path) -> Case:
    """Read one case.

    Raises:
        ValueError: The case does not have the documented form; the message names the folder.
    """
    try:
        raw = YAML(typ="safe", pure=True).load((folder / "case.yaml").read_text(encoding="utf-8"))
        about = Description.model_validate(raw)
    except ValidationError as error:
        raise ValueError(f"{folder / 'case.yaml'}: {error}") from error
    known = folder.relative_to(CORPUS).parts[0] == KNOWN
    form: Literal["file", "tree", "history"] = "file"
    if about.commits:
        form = "history"
    elif (folder / "ours").is_dir():
        form = "tree"
    return Case(folder=folder, about=about, form=form, known=known)


def find() -> list[Case]:
    """All cases, sorted by folder."""
    return [load(path.parent) for path in sorted(CORPUS.glob("**/case.yaml"))]


# --- history cases ------------------------------------------------------------------------------


class HistoryError(ValueError):
    """A history case cannot be built as written."""


def apply_edits(text: str, edits: tuple[Edit, ...], *, where: str, undo: bool = False) -> str:
    """Apply edits in order (or undo them, last first).

    Raises:
        HistoryError: An edit's old text does not stand exactly once.
    """
    for edit in reversed(edits) if undo else edits:
        old, new = (edit.new, edit.old) if undo else (edit.old, edit.new)
        count = text.count(old)
        if count != 1:
            raise HistoryError(f"{where}: {old!r} stands {count} times")
        text = text.replace(old, new)
    return text


@dataclass(slots=True)
class _State:
    """A side's tree while it is built, and where base paths went on this side."""

    tip: str
    files: dict[str, str]
    moved: dict[str, str] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(self.tip, dict(self.files), dict(self.moved))

    def at(self, path: str) -> str:
        while path not in self.files and path in self.moved:
            path = self.moved[path]
        return path


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltHistory:
    """Commits of a history case, ready for :func:`mergewright.testing.build_repository`.

    Attributes:
        commits: All commits, parents before children; the first is ``start``.
        ours: Name of the tip of ours (branch ``dev``).
        theirs: Name of the tip of theirs (branch ``main``).
        trees: The tree after each commit.
        ids: The full id of each commit.
    """

    commits: tuple[CommitSpec, ...]
    ours: str
    theirs: str
    trees: dict[str, dict[str, str]]
    ids: dict[str, str]

    @property
    def branches(self) -> dict[str, str]:
        """Branches to build."""
        return {"dev": self.ours, "main": self.theirs}


def _change(state: _State, commit: Commit, done: dict[str, Commit]) -> None:
    where = f"commit {commit.id}"

    def edit(edits: dict[str, tuple[Edit, ...]], *, undo: bool, label: str) -> None:
        for path, steps in edits.items():
            here = state.at(path)
            if here not in state.files:
                raise HistoryError(f"{label}: no file {path}")
            state.files[here] = apply_edits(
                state.files[here], steps, where=f"{label}, {path}", undo=undo
            )

    for name in commit.take:
        other = done[name]
        for sub in other.take:
            _change(
                state, Commit(id=f"{name}/{sub}", side="ours", subject="", day=0, take=(sub,)), done
            )
        edit(other.edit, undo=False, label=f"{where} takes {name}")
        state.files.update(other.write)
        for path in other.delete:
            state.files.pop(state.at(path), None)
    for name in commit.revert:
        other = done[name]
        edit(other.edit, undo=True, label=f"{where} reverts {name}")
        for sub in reversed(other.take):
            edit(done[sub].edit, undo=True, label=f"{where} reverts {name}/{sub}")
        for path in other.write:
            state.files.pop(path, None)
    for old, new in commit.rename.items():
        state.files[new] = state.files.pop(state.at(old))
        state.moved[old] = new
    edit(commit.edit, undo=False, label=where)
    state.files.update(commit.write)
    for path in commit.delete:
        del state.files[path]


def build_history(about: Description) -> BuiltHistory:
    """Turn the description of a history case into commits with whole trees.

    Raises:
        HistoryError: A commit refers to an unknown one, or an edit does not apply.
    """
    day = 86400
    trees: dict[str, dict[str, str]] = {"start": dict(about.start)}
    specs = [CommitSpec(name="start", files=_bytes(about.start), message="Start\n", time=EPOCH)]
    known = {"start": _commit_id(specs[0], dict(about.start), [])}
    done: dict[str, Commit] = {}
    base = _State("start", dict(about.start))
    sides: dict[str, _State] = {}
    for commit in about.commits:
        unknown = {*commit.take, *commit.revert} - set(done)
        if unknown or commit.id in trees or (commit.merge and commit.merge not in trees):
            raise HistoryError(f"commit {commit.id}: unknown or repeated id {unknown or ''}")
        if commit.side == "start":
            if sides:
                raise HistoryError(f"commit {commit.id}: the sides have parted already")
            state = base
        else:
            state = sides.setdefault(commit.side, base.copy())
        parents = (state.tip, *([commit.merge] if commit.merge else []))
        _change(state, commit, done)
        state.tip = commit.id
        done[commit.id] = commit
        trees[commit.id] = dict(state.files)
        body = f"\n{commit.body.strip()}\n" if commit.body.strip() else ""
        for name, oid in known.items():
            body = body.replace(f"{{id:{name}}}", oid)
        spec = CommitSpec(
            name=commit.id,
            parents=parents,
            files=_bytes(state.files),
            message=f"{commit.subject}\n{body}",
            author=commit.author,
            time=EPOCH + round(commit.day * day),
        )
        specs.append(spec)
        known[commit.id] = _commit_id(spec, state.files, [known[name] for name in parents])
    if set(sides) != {"ours", "theirs"}:
        raise HistoryError("both sides need a commit")
    return BuiltHistory(
        commits=tuple(specs),
        ours=sides["ours"].tip,
        theirs=sides["theirs"].tip,
        trees=trees,
        ids=known,
    )


def _object_id(kind: str, data: bytes) -> str:
    head = f"{kind} {len(data)}\0".encode()
    return hashlib.sha1(head + data, usedforsecurity=False).hexdigest()


def _tree_id(files: dict[str, str]) -> str:
    entries: list[tuple[bytes, bytes]] = []
    folders: dict[str, dict[str, str]] = {}
    for path, text in files.items():
        head, slash, rest = path.partition("/")
        if slash:
            folders.setdefault(head, {})[rest] = text
        else:
            blob = bytes.fromhex(_object_id("blob", text.encode()))
            entries.append((head.encode(), b"100644 " + head.encode() + b"\0" + blob))
    for name, inner in folders.items():
        tree = bytes.fromhex(_tree_id(inner))
        entries.append((name.encode() + b"/", b"40000 " + name.encode() + b"\0" + tree))
    return _object_id("tree", b"".join(data for _, data in sorted(entries)))


def _commit_id(spec: CommitSpec, files: dict[str, str], parents: list[str]) -> str:
    """The id that git will give the commit, so that messages can name earlier commits."""
    who = f"{spec.author} {spec.time} +0000"
    lines = [f"tree {_tree_id(files)}", *(f"parent {oid}" for oid in parents)]
    lines += [f"author {who}", f"committer {who}", "", spec.message]
    return _object_id("commit", "\n".join(lines).encode())


def _bytes(files: dict[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items()}


def expected_text(built: BuiltHistory, path: str, wanted: ExpectedPath) -> bytes | None:
    """The bytes a history case expects at a path; ``None`` where it is to be absent.

    Raises:
        HistoryError: The named commit does not have the path, or an edit does not apply.
    """
    if wanted.absent:
        return None
    if wanted.text is not None:
        return wanted.text.encode()
    assert wanted.state is not None
    name = {"ours": built.ours, "theirs": built.theirs}.get(wanted.state, wanted.state)
    text = built.trees[name].get(wanted.path or path)
    if text is None:
        raise HistoryError(f"{name} has no {path}")
    return apply_edits(text, wanted.edit, where=f"expected {path}").encode()


def as_mapping(case: Case) -> dict[str, Any]:
    """The raw mapping of ``case.yaml``, for rewriting it."""
    loaded = YAML(typ="safe", pure=True).load(
        (case.folder / "case.yaml").read_text(encoding="utf-8")
    )
    assert isinstance(loaded, dict)
    return loaded
