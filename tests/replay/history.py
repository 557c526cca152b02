"""A small repository with one of every kind of merge."""

from dataclasses import dataclass, field
from pathlib import Path

from mergewright.testing import EPOCH, CommitSpec, build_repository, git

BASE = b"LIMIT = 1\n\n\ndef first():\n    return 1\n\n\ndef last():\n    return 1\n"
MARKED = b"<<<<<<< a\nLIMIT = 2\n=======\nLIMIT = 3\n>>>>>>> b\n"


def limit(value: int, text: bytes = BASE) -> bytes:
    return text.replace(b"LIMIT = 1", b"LIMIT = %d" % value)


def last(value: int, text: bytes = BASE) -> bytes:
    return text.replace(b"last():\n    return 1", b"last():\n    return %d" % value)


@dataclass
class History:
    """Commits are added one by one; each is a minute younger than the one before."""

    commits: list[CommitSpec] = field(default_factory=list)

    def add(self, name: str, parents: tuple[str, ...], code: bytes | None, **more: object) -> None:
        files: dict[str, bytes] = {} if code is None else {"a.py": code}
        files.update(more.pop("files", {}))  # type: ignore[call-overload]
        message = str(more.pop("message", name)) + "\n"
        time = EPOCH + 60 * len(self.commits)
        spec = CommitSpec(name=name, parents=parents, files=files, message=message, time=time)
        self.commits.append(spec)

    def build(self, folder: Path, tip: str) -> dict[str, str]:
        return build_repository(folder, self.commits, branches={"main": tip})


def merges(folder: Path) -> dict[str, str]:
    """Merge commits of every kind on ``main``; gives the ids by name."""
    history = History()
    history.add("root", (), BASE)
    tip = "root"
    sides: list[tuple[str, bytes | None, bytes | None, bytes | None]] = [
        # name, ours, theirs, accepted
        ("settled", limit(2), last(3, limit(3)), last(3, limit(2))),
        ("disjoint", limit(2), last(3), last(3, limit(2))),
        ("took-ours", limit(2), limit(3), limit(2)),
        ("marked", limit(2), limit(3), MARKED),
        ("broken", limit(2), limit(3), b"def (\n"),
        ("gone", limit(2), None, None),
        ("undone", limit(2), limit(3), limit(4)),
    ]
    for name, ours, theirs, accepted in sides:
        # Every merge starts from the same text again.
        history.add(f"{name}-base", (tip,), BASE, files={"other.txt": name.encode()})
        extra = {"other.txt": name.encode()}
        history.add(f"{name}-ours", (f"{name}-base",), ours, files=extra)
        history.add(f"{name}-theirs", (f"{name}-base",), theirs, files=extra)
        history.add(name, (f"{name}-ours", f"{name}-theirs"), accepted, files={**extra, "r": b"1"} if name != "took-ours" else extra)  # fmt: skip
        tip = name
    history.add("criss-ours", (tip,), limit(2))
    history.add("criss-theirs", (tip,), limit(3))
    history.add("criss-1", ("criss-ours", "criss-theirs"), limit(4))
    history.add("criss-2", ("criss-theirs", "criss-ours"), limit(5))
    history.add("criss", ("criss-1", "criss-2"), limit(6))
    history.add("stranger", (), limit(7))
    history.add("unrelated", ("criss", "stranger"), limit(8))
    history.add("arm-1", ("unrelated",), limit(9))
    history.add("arm-2", ("unrelated",), limit(10))
    history.add("octopus", ("unrelated", "arm-1", "arm-2"), limit(11))
    history.add("forward-theirs", ("octopus",), limit(12))
    history.add("forward", ("octopus", "forward-theirs"), limit(12))
    ids = history.build(folder, "forward")
    undone = f"Revert it\n\nThis reverts commit {ids['undone']}."
    history.add("revert", ("forward",), limit(1), message=undone)
    again = folder.with_name(folder.name + "-with-revert")
    ids = history.build(again, "revert")
    folder.rename(folder.with_name(folder.name + "-without"))
    again.rename(folder)
    return ids


def pulls(folder: Path) -> dict[str, str]:
    """Pull requests that landed as one commit on ``main``; gives the ids by name."""
    history = History()
    history.add("root", (), BASE)
    history.add("head-1", ("root",), last(2))
    history.add("moved-on", ("root",), limit(2))
    # Landed on a base that had moved on: a two-dot diff would show LIMIT as a change of the head.
    history.add("land-1", ("moved-on",), last(2, limit(2)), message="Second last (#1)")
    history.add("head-2", ("land-1",), last(3, limit(2)))
    history.add("land-2", ("land-1",), last(3, limit(2)), message="Third last (#2)")
    history.add("head-3", ("root",), last(9))
    history.add("land-3", ("land-2",), last(7, limit(2)), message="Seventh last (#3)")
    history.add("land-4", ("land-3",), last(8, limit(2)), message="Nobody knows the head (#4)")
    ids = history.build(folder, "land-4")
    for number in (1, 2, 3):
        git(folder, "update-ref", f"refs/pull/{number}/head", ids[f"head-{number}"])
    return ids
