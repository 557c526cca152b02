"""Globs for paths and patterns for dotted symbol names."""

from __future__ import annotations

import re
from functools import lru_cache

_WILDCARDS = re.compile(r"[*?\[]")


def is_literal(pattern: str) -> bool:
    """Whether the pattern holds no wildcard, so that it names exactly one thing."""
    return _WILDCARDS.search(pattern) is None


def names_a_file(pattern: str) -> bool:
    """Whether a path glob names its file: the last segment holds no wildcard."""
    return is_literal(pattern.rsplit("/", 1)[-1])


def check_pattern(pattern: str, separator: str) -> str | None:
    """What is wrong with a pattern, or ``None``.

    Args:
        pattern: A path glob (separator ``/``) or a symbol pattern (separator ``.``).
        separator: The separator of its segments.
    """
    if not pattern:
        return "an empty pattern matches nothing"
    if pattern != pattern.strip():
        return "the pattern begins or ends with blanks"
    segments = pattern.split(separator)
    if separator == "/":
        if pattern.startswith("/"):
            return "paths are relative to the repository's root and do not begin with '/'"
        if "\\" in pattern:
            return "paths are separated by '/'"
        if any(segment in {".", ".."} for segment in segments):
            return "'.' and '..' are not allowed in a path"
    if any(not segment for segment in segments):
        return f"the pattern has an empty segment (a doubled or final {separator!r})"
    if any("**" in segment and segment != "**" for segment in segments):
        return "'**' stands for whole segments and must stand alone between separators"
    try:
        compile_pattern(pattern, separator)
    except re.error as error:
        return f"the pattern cannot be read: {error}"
    return None


def _segment(segment: str, separator: str) -> str:
    out: list[str] = []
    position = 0
    any_char = f"[^{re.escape(separator)}]"
    while position < len(segment):
        char = segment[position]
        position += 1
        if char == "*":
            # A run of stars is one: keeps the expression free of nested repetition.
            while segment[position : position + 1] == "*":
                position += 1
            out.append(f"{any_char}*")
        elif char == "?":
            out.append(any_char)
        elif char == "[":
            end = segment.find("]", position + 1)
            if end < 0:
                raise re.error("'[' without ']'")
            inside = segment[position:end]
            position = end + 1
            negate = inside[:1] in {"!", "^"}
            inside = (inside[1:] if negate else inside).replace("\\", r"\\").replace("[", r"\[")
            if not inside:
                raise re.error("an empty character class")
            out.append(f"(?!{re.escape(separator)})[{'^' if negate else ''}{inside}]")
        else:
            out.append(re.escape(char))
    return "".join(out)


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str, separator: str) -> re.Pattern[str]:
    """Translate a pattern into a regular expression for ``fullmatch``.

    ``*`` and ``?`` stay within a segment, ``[…]`` is a class of characters, and ``**`` alone
    stands for any number of segments, none included.

    Raises:
        re.error: The pattern cannot be read.
    """
    sep = re.escape(separator)
    segments = pattern.split(separator)
    while len(segments) > 1 and segments[-1] == segments[-2] == "**":
        segments.pop()
    out: list[str] = []
    for index, segment in enumerate(segments):
        last = index == len(segments) - 1
        if segment == "**":
            if not last and segments[index + 1] == "**":
                continue
            out.append(".*" if last else f"(?:.*{sep})?")
        else:
            out.append(_segment(segment, separator) + ("" if last else sep))
    text = "".join(out)
    if len(segments) > 1 and segments[-1] == "**" and separator == ".":
        # "Class.**" speaks for the class itself too: its header is part of it.
        text = "".join(out[:-1]).removesuffix(sep) + f"(?:{sep}.*)?"
    return re.compile(text, re.DOTALL)


def matches(patterns: tuple[str, ...], text: str, separator: str) -> bool:
    """Whether any of the patterns matches the whole text."""
    return any(compile_pattern(p, separator).fullmatch(text) is not None for p in patterns)
