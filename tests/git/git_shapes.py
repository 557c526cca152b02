"""One small merge for each kind of conflict: changes of base, ours and theirs."""

from typing import NamedTuple

from mergewright.model.conflict import ConflictKind as K
from mergewright.testing import Changes, executable, submodule, symlink


def text(name: str = "line", *, count: int = 30, **edits: str) -> str:
    """Thirty lines; ``at3="x"`` replaces line 3."""
    lines = [f"{name} {i}" for i in range(count)]
    for key, value in edits.items():
        lines[int(key.removeprefix("at"))] = value
    return "".join(f"{line}\n" for line in lines)


class Shape(NamedTuple):
    """A merge and the conflicts that it must give."""

    base: Changes
    ours: Changes
    theirs: Changes
    #: Path, kind, own paths of base, ours and theirs, related paths.
    expected: tuple[tuple[str, K, tuple[str | None, str | None, str | None], set[str]], ...]


A, B = text("a"), text("b")

SHAPES = {
    "both modified": Shape(
        {"f": A}, {"f": text("a", at3="x")}, {"f": text("a", at3="y")},
        (("f", K.BOTH_MODIFIED, ("f", "f", "f"), set()),),
    ),
    "both added": Shape(
        {"f": A}, {"g": "1\n"}, {"g": "2\n"},
        (("g", K.BOTH_ADDED, (None, "g", "g"), set()),),
    ),
    "deleted by ours": Shape(
        {"f": A, "k": ""}, {"f": None}, {"f": text("a", at3="y")},
        (("f", K.DELETED_BY_OURS, ("f", None, "f"), set()),),
    ),
    "deleted by theirs": Shape(
        {"f": A, "k": ""}, {"f": text("a", at3="x")}, {"f": None},
        (("f", K.DELETED_BY_THEIRS, ("f", "f", None), set()),),
    ),
    "renamed by ours, both edited": Shape(
        {"f": A}, {"f": None, "g": text("a", at3="x")}, {"f": text("a", at3="y")},
        (("g", K.RENAMED_BY_OURS, ("f", "g", "f"), {"f"}),),
    ),
    "renamed by theirs, both edited": Shape(
        {"f": A}, {"f": text("a", at29="x")}, {"f": None, "g": text("a", at29="y")},
        (("g", K.RENAMED_BY_THEIRS, ("f", "f", "g"), {"f"}),),
    ),
    "renamed by both to one name": Shape(
        {"f": A}, {"f": None, "g": text("a", at3="x")}, {"f": None, "g": text("a", at3="y")},
        (("g", K.BOTH_MODIFIED, ("f", "g", "g"), {"f"}),),
    ),
    "renamed by both to one name, edits apart": Shape(
        {"f": A}, {"f": None, "g": text("a", at3="x")}, {"f": None, "g": text("a", at25="y")}, (),
    ),
    "renamed by both to two names": Shape(
        {"f": A}, {"f": None, "g": text("a", at3="x")}, {"f": None, "h": text("a", at3="y")},
        (("g", K.RENAMED_BY_BOTH, ("f", "g", "h"), {"f", "h"}),),
    ),
    "renamed by both to two names, one of them taken": Shape(
        {"f": A}, {"f": None, "g": A}, {"f": None, "h": A, "g": text("new")},
        (
            ("f", K.RENAMED_BY_BOTH, ("f", None, None), set()),
            ("g", K.RENAME_COLLISION, (None, "g", "g"), {"f"}),
            ("h", K.RENAMED_BY_BOTH, (None, None, "h"), set()),
        ),
    ),
    "rename and delete": Shape(
        {"f": A, "k": ""}, {"f": None, "g": A}, {"f": None},
        (("g", K.RENAME_DELETE, ("f", "g", None), {"f"}),),
    ),
    "delete and rename with an edit": Shape(
        {"f": A, "k": ""}, {"f": None}, {"f": None, "g": text("a", at3="y")},
        (("g", K.RENAME_DELETE, ("f", None, "g"), {"f"}),),
    ),
    "two files renamed to one name": Shape(
        {"f": A, "g": B}, {"f": None, "h": A}, {"g": None, "h": B},
        (("h", K.RENAME_COLLISION, (None, "h", "h"), {"f", "g"}),),
    ),
    "two edited files renamed to one name": Shape(
        {"f": A, "g": B},
        {"f": None, "h": text("a", at3="x"), "g": text("b", at3="x")},
        {"g": None, "h": text("b", at3="y"), "f": text("a", at3="y")},
        (("h", K.RENAME_COLLISION, (None, "h", "h"), {"f", "g"}),),
    ),
    "renamed onto an added name": Shape(
        {"f": A}, {"f": None, "h": A}, {"h": "new\n"},
        (("h", K.RENAME_COLLISION, (None, "h", "h"), {"f"}),),
    ),
    "directory renamed by ours, file added by theirs": Shape(
        {"old/a": A, "old/b": B}, {"old/a": None, "old/b": None, "new/a": A, "new/b": B},
        {"old/c": "c\n"},
        (("new/c", K.DIRECTORY_RENAME, (None, None, "old/c"), {"old/c"}),),
    ),
    "directory renamed by theirs, file added by ours": Shape(
        {"old/a": A, "old/b": B}, {"old/c": "c\n"},
        {"old/a": None, "old/b": None, "new/a": A, "new/b": B},
        (("new/c", K.DIRECTORY_RENAME, (None, "old/c", None), {"old/c"}),),
    ),
    "directory renamed by ours, file moved into it by theirs": Shape(
        {"old/a": A, "old/b": B, "c": text("c")},
        {"old/a": None, "old/b": None, "new/a": A, "new/b": B},
        {"c": None, "old/c": text("c")},
        (("new/c", K.DIRECTORY_RENAME, (None, None, "old/c"), {"old/c"}),),
    ),
    "mode of a file that both added": Shape(
        {"f": A}, {"g": executable("1\n")}, {"g": "1\n"},
        (("g", K.MODE, (None, "g", "g"), set()),),
    ),
    "mode by ours, content by theirs": Shape(
        {"f": A}, {"f": executable(A)}, {"f": text("a", at3="y")}, (),
    ),
    "symlinks to different targets": Shape(
        {"l": symlink("a")}, {"l": symlink("b")}, {"l": symlink("../../c")},
        (("l", K.SYMLINK, ("l", "l", "l"), set()),),
    ),
    "symlink and file": Shape(
        {"f": A}, {"l": symlink("f")}, {"l": "text\n"},
        (("l", K.SYMLINK, (None, "l", "l"), {"l~theirs"}),),
    ),
    "file made a symlink by ours, edited by theirs": Shape(
        {"f": A, "g": ""}, {"f": symlink("g")}, {"f": text("a", at3="y")},
        (("f", K.SYMLINK, ("f", "f", "f"), {"f~theirs"}),),
    ),
    "submodule moved by both": Shape(
        {"s": submodule("1" * 40)}, {"s": submodule("2" * 40)}, {"s": submodule("3" * 40)},
        (("s", K.SUBMODULE, ("s", "s", "s"), set()),),
    ),
    "submodule and file": Shape(
        {"f": A}, {"s": submodule("2" * 40)}, {"s": "text\n"},
        (("s", K.SUBMODULE, (None, "s", "s"), {"s~theirs"}),),
    ),
    "file replaced by a directory, edited by theirs": Shape(
        {"d": A}, {"d": None, "d/x": "1\n"}, {"d": text("a", at3="y")},
        (("d~theirs", K.DIRECTORY_FILE, ("d", None, "d"), {"d"}),),
    ),
    "directory added by theirs, file by ours": Shape(
        {"f": A}, {"d": "1\n"}, {"d/x": "1\n"},
        (("d~ours", K.DIRECTORY_FILE, (None, "d", None), {"d"}),),
    ),
    "binary": Shape(
        {"f": b"\0a"}, {"f": b"\0b"}, {"f": b"\0c"},
        (("f", K.BINARY, ("f", "f", "f"), set()),),
    ),
    "moved by ours, kept and added by theirs": Shape(
        {"f": A}, {"f": None, "g": A}, {"g": A}, (),
    ),
    "many inexact renames": Shape(
        {f"old{i}": text(f"n{i}") for i in range(60)},
        {f"old{i}": None for i in range(60)}
        | {f"new{i}": text(f"n{i}", at5="x") for i in range(60)},
        {f"old{i}": text(f"n{i}", at20="y") for i in range(60)},
        (),
    ),
}  # fmt: skip
