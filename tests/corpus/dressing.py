"""Layout, line ends and encodings that a text can be given without becoming another program."""

from __future__ import annotations

import io
import tokenize
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from random import Random

import black

BOM = b"\xef\xbb\xbf"

#: Longer texts are not formatted: it would take longer than all the rest.
MOST_FORMATTED = 100

#: Columns of the formatter runs.
WIDTHS = {"black": 88, "black-narrow": 60, "black-wide": 120}


@dataclass(frozen=True, slots=True)
class Dress:
    """Names of the transformations that each text gets, in order; ``right`` is the right merge."""

    base: tuple[str, ...] = ()
    ours: tuple[str, ...] = ()
    theirs: tuple[str, ...] = ()
    right: tuple[str, ...] = ()

    @property
    def names(self) -> list[str]:
        """Each transformation with who has it, for reports."""
        found: list[str] = []
        for name in dict.fromkeys((*self.base, *self.ours, *self.theirs)):
            who = [side for side in ("ours", "theirs") if name in getattr(self, side)]
            found.append(f"dress:{name} {'all' if name in self.base else '+'.join(who)}")
        return found

    @property
    def formatted(self) -> bool:
        """Whether a formatter went over a text, which may strip docstrings."""
        return any(name in WIDTHS for name in (*self.base, *self.ours, *self.theirs))


PLAIN = Dress()


def dressed(data: bytes, names: tuple[str, ...]) -> bytes:
    """The text after all transformations.

    Raises:
        ValueError: One of them does not fit the text.
    """
    for name in names:
        data = MAKERS[name](data)
    return data


@lru_cache(maxsize=64)
def _black(data: bytes, width: int) -> bytes:
    try:
        return black.format_str(data.decode(), mode=black.Mode(line_length=width)).encode()
    except black.InvalidInput as error:
        raise ValueError("black cannot read the text") from error


def _indented(data: bytes, unit: bytes) -> bytes:
    """Every step of four blanks becomes another unit, outside of strings."""
    inside: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(data.decode()).readline):
        if token.type == tokenize.STRING:
            inside.update(range(token.start[0] + 1, token.end[0] + 1))
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if number not in inside:
            text = line.lstrip(b" ")
            steps, rest = divmod(len(line) - len(text), 4)
            lines[number - 1] = unit * steps + b" " * rest + text
    return b"\n".join(lines)


def _mixed(data: bytes) -> bytes:
    """A third of the lines ends in CRLF: the same ones in all versions, told by their text.

    Indentation does not count, so that a side that has another one has the same ends.
    """
    lines = data.split(b"\n")
    ends = [b"\r\n" if zlib.crc32(line.strip()) % 3 == 0 else b"\n" for line in lines[:-1]]
    return b"".join(a + b for a, b in zip(lines, ends, strict=False)) + lines[-1]


def _cookie(encoding: str, name: str) -> Callable[[bytes], bytes]:
    def give(data: bytes) -> bytes:
        if data.startswith(b"#!") or b"coding" in data[:200]:
            raise ValueError("the text has a head of its own")
        return f"# -*- coding: {name} -*- é\n{data.decode()}".encode(encoding)

    return give


MAKERS: dict[str, Callable[[bytes], bytes]] = {
    **{name: lambda data, width=width: _black(data, width) for name, width in WIDTHS.items()},
    "tabs": lambda data: _indented(data, b"\t"),
    "two blanks": lambda data: _indented(data, b"  "),
    "crlf": lambda data: data.replace(b"\n", b"\r\n"),
    "mixed ends": _mixed,
    "byte-order mark": lambda data: BOM + data,
    "utf-8 cookie": _cookie("utf-8", "utf-8"),
    "latin-1": _cookie("latin-1", "latin-1"),
}

#: Weight, transformation, who gets it.
LAYOUTS = [
    (60, "", ""),
    (6, "black-narrow", "one"),
    (3, "black", "one"),
    (2, "black-wide", "one"),
    (2, "black", "both"),
    (3, "black", "all"),
    (4, "tabs", "all"),
    (4, "two blanks", "all"),
    (3, "tabs", "one"),
    (3, "two blanks", "one"),
]
BYTES = [
    (80, "", ""),
    (6, "crlf", "all"),
    (3, "crlf", "one"),
    (4, "mixed ends", "all"),
    (2, "byte-order mark", "all"),
    (2, "byte-order mark", "one"),
    (2, "utf-8 cookie", "all"),
    (2, "latin-1", "all"),
]


def draw_dress(random: Random, lines: int) -> Dress:
    """A random dress for a text of so many lines; most texts get none."""
    base: tuple[str, ...] = ()
    sides: dict[str, tuple[str, ...]] = {"ours": (), "theirs": ()}
    right: tuple[str, ...] = ()
    for table in (LAYOUTS, BYTES):
        ((_, name, who),) = random.choices(table, [row[0] for row in table])
        if not name or (name in WIDTHS and lines > MOST_FORMATTED):
            continue
        chosen = {"one": [random.choice(["ours", "theirs"])]}.get(who, ["ours", "theirs"])
        for side in chosen:
            sides[side] += (name,)
        if who == "all":
            base += (name,)
        if name not in WIDTHS:
            # The right merge is compared as a program: it need not be formatted.
            right += (name,)
    return Dress(base=base, ours=sides["ours"], theirs=sides["theirs"], right=right)
