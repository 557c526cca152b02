"""Formatter settings read from configuration as data."""

from collections.abc import Mapping

import pytest

from mergewright.model.threeway import ThreeWay
from mergewright.python.formatting import FormatSettings
from mergewright.resolve.formatsettings import Reader, read_settings, settings_of


def reader(files: Mapping[str, str]) -> Reader:
    return lambda path: files[path].encode() if path in files else None


HOOKS = """\
repos:
  - repo: https://example.org/mirror
    rev: "1"
    hooks:
      - id: {hook}
        args: {args}
"""


@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        ({}, ()),
        ({"pyproject.toml": "[tool.black]\n"}, (FormatSettings(),)),
        (
            {
                "pyproject.toml": "[tool.black]\nline-length = 100\nskip-string-normalization = true\n"
                "skip_magic_trailing_comma = true\ntarget-version = ['py311', 'py39']\n"
            },
            (
                FormatSettings(
                    line_length=100, quotes="preserve", magic_commas=False, target="py39"
                ),
            ),
        ),
        (
            {
                "pyproject.toml": "[tool.ruff]\nline-length = 120\nindent-width = 2\n"
                "[tool.ruff.format]\nquote-style = 'single'\nindent-style = 'tab'\n"
                "docstring-code-format = true\n"
            },
            (
                FormatSettings(
                    line_length=120,
                    quotes="single",
                    indent="tab",
                    indent_width=2,
                    docstring_code=True,
                ),
            ),
        ),
        ({"ruff.toml": "line-length = 99\n"}, (FormatSettings(line_length=99),)),
        # The nearest file speaks, and .ruff.toml before pyproject.toml.
        (
            {
                "pkg/.ruff.toml": "line-length = 70\n",
                "pkg/pyproject.toml": "[tool.ruff]\nline-length = 71\n",
                "pyproject.toml": "[tool.ruff]\nline-length = 72\n",
            },
            (FormatSettings(line_length=70),),
        ),
        (
            {
                "pkg/ruff.toml": "extend = '../base.toml'\n[format]\nquote-style = 'single'\n",
                "base.toml": "line-length = 77\n[format]\nskip-magic-trailing-comma = true\n",
            },
            (FormatSettings(line_length=77, quotes="single", magic_commas=False),),
        ),
        ({"pkg/ruff.toml": "extend = '../../outside.toml'\n"}, (FormatSettings(),)),
        (
            {".pre-commit-config.yaml": HOOKS.format(hook="black", args="[-l, '79', -S]")},
            (FormatSettings(line_length=79, quotes="preserve"),),
        ),
        (
            {
                ".pre-commit-config.yaml": HOOKS.format(hook="ruff-format", args="[]"),
                "pyproject.toml": "[tool.black]\nline-length = 90\n[tool.ruff]\nline-length = 91\n",
            },
            (FormatSettings(line_length=91), FormatSettings(line_length=90)),
        ),
        # Broken or senseless configuration proposes nothing, or the defaults.
        ({"pyproject.toml": "[tool.black\n"}, ()),
        ({".pre-commit-config.yaml": "repos: [{hooks: 7}, 3, {hooks: [x]}]\n"}, ()),
        ({".pre-commit-config.yaml": "repos: [\n"}, ()),
        ({"pyproject.toml": "[tool.black]\nline-length = 'wide'\n"}, (FormatSettings(),)),
        ({"pyproject.toml": "tool = 1\n"}, ()),
    ],
)
def test_settings_of_one_version(
    files: Mapping[str, str], wanted: tuple[FormatSettings, ...]
) -> None:
    """Each place that configures black or ruff is understood."""
    assert read_settings("pkg/mod.py", reader(files)) == wanted


def test_agreed_settings_come_first() -> None:
    """What the merged configuration says goes before what each side says."""
    old = {"pyproject.toml": "[tool.black]\nline-length = 79\n"}
    new = {"pyproject.toml": "[tool.black]\nline-length = 100\n"}
    versions: ThreeWay[Reader | None] = ThreeWay(
        base=reader(old), ours=reader(old), theirs=reader(new)
    )
    assert [s.line_length for s in settings_of("mod.py", versions)] == [100, 79]
    assert settings_of("mod.py", ThreeWay(base=None, ours=None, theirs=None)) == ()


def test_origin_is_named() -> None:
    """A report can say where the settings stand."""
    (found,) = read_settings("a/b.py", reader({"a/pyproject.toml": "[tool.black]\n"}))
    assert str(found) == "[tool.black] of a/pyproject.toml (line length 88)"
