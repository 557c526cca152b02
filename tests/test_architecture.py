"""The import direction, and who may touch the outside world."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "src" / "mergewright"
MODULES = sorted(PACKAGE.rglob("*.py"))

# What each package may import of the others; itself is always allowed.
CORE = {"model", "text", "python", "formats", "history", "rules", "resolve"}
ALLOWED = {
    "model": set(),
    "text": {"model"},
    "python": {"model", "text"},
    "formats": {"model", "text"},
    "history": {"model", "text", "python"},
    "rules": {"model", "text", "python", "formats", "history"},
    "resolve": CORE,
    "audit": {"model", "text"},
    "git": {"model", "text"},
    "workflows": CORE | {"git", "audit"},
    "cli": CORE | {"git", "audit", "workflows"},
}
# The core takes values and gives values.
PURE = {"model", "text", "python", "formats", "history", "resolve"}


def imported_names(tree: ast.AST) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "absolute imports only"
            names.add(node.module or "")
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_import_direction(path: Path) -> None:
    """A package imports only what stands below it; only ``git`` imports pygit2."""
    package = path.relative_to(PACKAGE).parts[0]
    names = imported_names(ast.parse(path.read_text(encoding="utf-8")))
    if package in ALLOWED:
        used = {n.split(".")[1] for n in names if n.startswith("mergewright.")}
        assert used - {package} <= ALLOWED[package] | (
            set() if package in PURE else {"__version__"}
        )
    if package != "git":
        assert not any(n == "pygit2" or n.startswith("pygit2.") for n in names)
    if package in PURE:
        assert not names & {
            "subprocess",
            "os",
            "pathlib",
            "tempfile",
            "shutil",
            "socket",
            "sqlite3",
        }


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_core_prints_and_opens_nothing(path: Path) -> None:
    """The core prints nothing and opens no file."""
    if path.relative_to(PACKAGE).parts[0] not in PURE:
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in {"print", "open", "input", "exec", "eval"}


def test_test_modules_of_plain_folders_have_names_of_their_own() -> None:
    """Pytest refuses the second module of one name, unless its folder is a package."""
    plain = [
        path.name
        for path in Path(__file__).parent.rglob("test_*.py")
        if not (path.parent / "__init__.py").exists()
    ]
    assert sorted(plain) == sorted(set(plain))
