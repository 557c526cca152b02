"""What git would put into the worktree for a blob: line ends and ``$Id$``, but no outside program."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

import pygit2

_TEXT = {True: "text", False: "binary", "auto": "auto", "input": "text-input"}
_IDENT = re.compile(rb"\$Id(?::[^$\n]*)?\$")
# Control characters that git counts as printable: backspace, tab, escape, form feed.
_PRINTABLE_CONTROLS = frozenset(b"\b\t\x1b\x0c")


@dataclass(frozen=True, slots=True)
class Conversion:
    """How a path's content is converted on the way into the worktree.

    Attributes:
        crlf: Whether line feeds become CR LF.
        guess: Whether that only holds for content that looks like text without carriage returns.
        ident: Whether ``$Id$`` is expanded.
        filter: Name of a configured filter driver (never run here); ``None`` without one.
        encoding: A worktree encoding other than UTF-8; ``None`` without one.
    """

    crlf: bool
    guess: bool
    ident: bool
    filter: str | None
    encoding: str | None

    @property
    def obstacle(self) -> str | None:
        """Why the path cannot be written as git would; ``None`` when it can."""
        if self.filter is not None:
            return f"the path has the filter {self.filter!r}, an outside program that is never run"
        if self.encoding is not None:
            return f"the path has the worktree encoding {self.encoding}, which is not supported"
        return None

    def to_worktree(self, data: bytes, oid: str) -> bytes:
        """The bytes for the worktree.

        Args:
            data: The blob's content.
            oid: The blob's id, for ``$Id$``.
        """
        if self.ident and b"$Id" in data:
            data = _IDENT.sub(b"$Id: %s $" % oid.encode("ascii"), data)
        if not self.crlf or b"\n" not in data:
            return data
        if self.guess and (b"\r" in data or _looks_binary(data)):
            return data
        return re.sub(rb"(?<!\r)\n", b"\r\n", data)


def conversion(handle: pygit2.Repository, path: str) -> Conversion:
    """The conversion of a path, from attributes and ``core.autocrlf``, ``core.eol``.

    The rules are those of git's ``convert_attrs``.
    """
    raw = os.fsencode(path)

    def attribute(name: str) -> bool | str | None:
        return handle.get_attr(raw, name)

    text = attribute("text")
    action = _TEXT.get(text) if text is not None else None
    if action is None:
        old = attribute("crlf")
        action = _TEXT.get(old) if old is not None else None
    eol = attribute("eol")
    if action != "binary" and eol in ("lf", "crlf"):
        action = f"{'auto' if action == 'auto' else 'text'}-{'input' if eol == 'lf' else 'crlf'}"
    autocrlf = _setting(handle, "core.autocrlf").lower()
    if action is None:
        action = {"true": "auto-crlf", "input": "auto-input"}.get(_truth(autocrlf), "binary")
    native = _native_is_crlf(_truth(autocrlf), _setting(handle, "core.eol").lower())
    crlf = action.endswith("-crlf") or (action in ("text", "auto") and native)
    driver = attribute("filter")
    encoding = attribute("working-tree-encoding")
    return Conversion(
        crlf=crlf,
        guess=action.startswith("auto"),
        ident=attribute("ident") is True,
        filter=driver if isinstance(driver, str) and _configured(handle, driver) else None,
        encoding=(
            encoding
            if isinstance(encoding, str) and encoding.upper().replace("-", "") != "UTF8"
            else None
        ),
    )


def _setting(handle: pygit2.Repository, name: str) -> str:
    config = handle.config
    return str(config[name]) if name in config else ""


def _truth(value: str) -> str:
    return "true" if value in ("true", "yes", "on", "1") else value


def _native_is_crlf(autocrlf: str, eol: str) -> bool:
    if autocrlf in ("true", "input"):
        return autocrlf == "true"
    if eol in ("crlf", "lf"):
        return eol == "crlf"
    return os.linesep == "\r\n"


def _configured(handle: pygit2.Repository, driver: str) -> bool:
    return any(
        f"filter.{driver}.{command}" in handle.config for command in ("clean", "smudge", "process")
    )


def _looks_binary(data: bytes) -> bool:
    """Git's guess (``convert_is_binary``) for content without carriage returns."""
    if b"\0" in data:
        return True
    odd = sum(
        1 for byte in data if byte == 127 or (byte < 32 and byte not in _PRINTABLE_CONTROLS | {10})
    )
    # Line feeds count as neither, an end-of-file character at the end is forgiven.
    printable = len(data) - odd - data.count(b"\n")
    return (printable >> 7) < odd - data.endswith(b"\x1a")
