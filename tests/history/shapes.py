"""Small repositories with two long-lived branches, and what history says of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mergewright.git.merging import merge_commits
from mergewright.git.repository import Repository
from mergewright.history.merge_history import MergeHistory
from mergewright.model.history import Verdict
from mergewright.model.merge import Question
from mergewright.model.threeway import ThreeWay
from mergewright.testing import EPOCH, CommitSpec, build_repository
from mergewright.workflows.history import conflict_paths, open_history

PATH = "pkg/core.py"


@dataclass
class Story:
    """A history told commit by commit; every commit starts from its first parent's files."""

    commits: list[CommitSpec] = field(default_factory=list)
    trees: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def commit(
        self,
        name: str,
        parents: Sequence[str] = (),
        files: Mapping[str, str | None] | None = None,
        message: str | None = None,
        author: str = "Ada Example <ada@example.org>",
    ) -> Story:
        """Add a commit; ``None`` as content removes the file."""
        tree = dict(self.trees[parents[0]]) if parents else {}
        for path, text in (files or {}).items():
            if text is None:
                tree.pop(path, None)
            else:
                tree[path] = text.encode()
        self.trees[name] = tree
        self.commits.append(
            CommitSpec(
                name=name,
                parents=tuple(parents),
                files=tree,
                message=(message or name) + "\n",
                author=author,
                time=EPOCH + 3600 * len(self.commits),
            )
        )
        return self

    def build(self, folder: Path, ours: str, theirs: str, *, bare: bool = True) -> Told:
        """Write the repository and open the history of its merge."""
        ids = build_repository(
            folder, self.commits, branches={"dev": ours, "main": theirs}, bare=bare
        )
        return Told(Repository.open(folder), ids, ids[ours], ids[theirs])


class Told:
    """A built story."""

    def __init__(self, repository: Repository, ids: dict[str, str], ours: str, theirs: str) -> None:
        self.repository = repository
        self.ids = ids
        self.ours = ours
        self.theirs = theirs
        self.names = {oid: name for name, oid in ids.items()}

    def history(self) -> MergeHistory:
        """History of the merge."""
        with merge_commits(self.repository, self.ours, self.theirs) as merge:
            paths = conflict_paths(merge.conflicts)
            return open_history(self.repository, merge.source, paths)

    def verdict(self, symbol: str, path: str = PATH) -> Verdict:
        """The verdict on a symbol."""
        return self.history().symbol_verdict(path, symbol)

    def ask(self, symbol: str, base: str, ours: str, theirs: str, path: str = PATH) -> Verdict:
        """The verdict on a place inside a symbol."""
        versions: ThreeWay[bytes | None] = ThreeWay(
            base=base.encode(), ours=ours.encode(), theirs=theirs.encode()
        )
        return self.history().verdict(
            Question(path=path, symbol=symbol, kind="both-changed", versions=versions)
        )

    def named(self, commits: Sequence[str]) -> list[str]:
        """Commit ids by the story's names."""
        return [self.names[oid] for oid in commits]


def body(*lines: str, name: str = "work") -> str:
    """A function of several statements."""
    return f"def {name}(data):\n" + "".join(f"    {line}\n" for line in lines)
