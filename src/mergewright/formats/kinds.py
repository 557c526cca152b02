"""Which engine speaks for a path: by its name alone."""

from __future__ import annotations

import re
from enum import StrEnum


class FormatKind(StrEnum):
    """The formats with a merge of their own."""

    LOCK = "lock"
    GOLDEN = "golden"
    NOTEBOOK = "notebook"
    TOML = "toml"
    JSON = "json"
    YAML = "yaml"
    INI = "ini"
    REQUIREMENTS = "requirements"
    NAMES = "names"
    PATTERNS = "patterns"
    CHANGELOG = "changelog"
    MARKUP = "markup"


#: Lock files by name, each with the command that makes it anew.
LOCKS = {
    "uv.lock": "uv lock",
    "poetry.lock": "poetry lock",
    "pdm.lock": "pdm lock",
    "pipfile.lock": "pipenv lock",
    "pixi.lock": "pixi lock",
    "conda-lock.yml": "conda-lock",
    "package-lock.json": "npm install --package-lock-only",
    "npm-shrinkwrap.json": "npm shrinkwrap",
    "pnpm-lock.yaml": "pnpm install --lockfile-only",
    "yarn.lock": "yarn install --mode=update-lockfile",
    "bun.lock": "bun install --lockfile-only",
    "cargo.lock": "cargo generate-lockfile",
    "go.sum": "go mod tidy",
    "gemfile.lock": "bundle lock",
    "composer.lock": "composer update --lock",
    "flake.lock": "nix flake lock",
}

#: Methods that give or leave a file as a whole, whatever git's lines say of it.
WHOLE_FILE_METHODS = frozenset({"lock", "golden"})

#: Methods whose texts say the same however their lines break.
PROSE_METHODS = frozenset({"changelog", "markup"})

_PYLOCK = re.compile(r"pylock(?:\.[a-z0-9-]+)?\.toml", re.IGNORECASE)
_CHANGELOG = re.compile(
    r"(changelog|changes|history|news|release[-_ ]?notes|whats[-_]?new|deprecations|deprecated)"
    r"(\.(rst|md|txt|markdown|mdx))?",
    re.IGNORECASE,
)
_GOLDEN = re.compile(r"golden[-_]?values?.*\.json", re.IGNORECASE)
_SNAPSHOT = re.compile(r".*\.(?:ambr|snap|snapshot)", re.IGNORECASE)
_REQUIREMENTS = re.compile(
    r"(.*[-_.])?(requirements|constraints)([-_.].*)?\.(txt|in|pip)", re.IGNORECASE
)
_NAMES = re.compile(
    r"(authors|contributors|maintainers|thanks|credits|manifest|owners)(\.txt|\.in)?", re.IGNORECASE
)
_PATTERNS = re.compile(
    r"\.(git|docker|eslint|prettier|npm|hg|helm|cf|gcloud)ignore|codeowners|\.gitattributes|\.mailmap",
    re.IGNORECASE,
)
_INI = re.compile(
    r".*\.(?:ini|cfg)|\.(?:coveragerc|flake8|pylintrc|editorconfig|pydocstyle|isort\.cfg)|pylintrc",
    re.IGNORECASE,
)
_JSON = re.compile(r".*\.(?:json|jsonld|geojson|webmanifest)", re.IGNORECASE)
_YAML = re.compile(r".*\.(?:ya?ml)|\.clang-format|\.clang-tidy", re.IGNORECASE)


def kind_of(path: str) -> FormatKind | None:
    """The format of a path; ``None`` leaves it to the line merge."""
    folder, _, name = path.rpartition("/")
    lower = name.lower()
    if lower in LOCKS or _PYLOCK.fullmatch(name):
        return FormatKind.LOCK
    if _GOLDEN.fullmatch(name) or _SNAPSHOT.fullmatch(name):
        return FormatKind.GOLDEN
    if lower.endswith(".ipynb"):
        return FormatKind.NOTEBOOK
    if lower.endswith(".toml") or lower == "pipfile":
        return FormatKind.TOML
    if _JSON.fullmatch(name):
        return FormatKind.JSON
    if _YAML.fullmatch(name):
        return FormatKind.YAML
    if _INI.fullmatch(name):
        return FormatKind.INI
    in_requirements = folder.rpartition("/")[2].lower() in {"requirements", "reqs"}
    if (
        _REQUIREMENTS.fullmatch(name)
        or (in_requirements and lower.endswith((".txt", ".in")))
        or (lower == "vendor.txt")
    ):
        return FormatKind.REQUIREMENTS
    if _CHANGELOG.fullmatch(name):
        return FormatKind.CHANGELOG
    if _NAMES.fullmatch(name):
        return FormatKind.NAMES
    if _PATTERNS.fullmatch(name):
        return FormatKind.PATTERNS
    if lower.endswith((".md", ".markdown", ".mdx", ".rst")):
        return FormatKind.MARKUP
    return None


def regenerate_command(path: str) -> str:
    """The command that makes a lock file anew; empty for any other file."""
    name = path.rpartition("/")[2].lower()
    if _PYLOCK.fullmatch(name):
        return "uv export --format pylock.toml or pip lock"
    return LOCKS.get(name, "")
