"""Version assignments and pins that both sides moved: the larger one, by the packaging rules.

Release branches merged forward move a version on both sides; measured on landed merges, the larger
one was kept. The strategy speaks only when both sides moved the same way from a common base, and it
can be turned round or switched off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from packaging.version import InvalidVersion, Version

from mergewright.formats.options import FormatOptions, VersionChoice
from mergewright.formats.tree import Choice, Leaf, Node
from mergewright.model.threeway import Side, ThreeWay

#: Last names of keys that hold the version of the project itself.
VERSION_KEYS = frozenset(
    {"version", "__version__", "current_version", "release", "target-version", "rev", "newversion"}
)

_VERSION = re.compile(
    r"""(?<![\w.])v?\d+(?:\.\d+)*(?:[-_.]?(?:a|b|c|rc|alpha|beta|pre|preview|dev|post|r|rev)[-_.]?\d*)*
    (?:\+[a-z0-9]+(?:[-_.][a-z0-9]+)*)?(?![\w])""",
    re.VERBOSE | re.IGNORECASE,
)


def parse(text: str) -> Version | None:
    """A version, with or without a leading ``v``; ``None`` when it is none."""
    try:
        return Version(text.strip().strip("\"'"))
    except InvalidVersion:
        return None


def pick(versions: ThreeWay[str | None], choice: VersionChoice) -> tuple[Side, str] | None:
    """The side whose version is kept, and why; ``None`` to leave it.

    Both sides must have moved forward from base (or, without a base, differ), by the ordering of
    `packaging <https://packaging.pypa.io>`_.
    """
    if choice == "off" or versions.ours is None or versions.theirs is None:
        return None
    ours, theirs = parse(versions.ours), parse(versions.theirs)
    if ours is None or theirs is None or ours == theirs:
        return None
    if versions.base is not None:
        base = parse(versions.base)
        if base is None or not (ours > base and theirs > base):
            return None
    else:
        return None
    larger = Side.OURS if ours > theirs else Side.THEIRS
    side = larger if choice == "larger" else larger.other
    reason = (
        f"both sides moved the version forward from {versions.base}: ours to {versions.ours}, "
        f"theirs to {versions.theirs}; the {choice} is kept"
    )
    return side, reason


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionStrategy:
    """A leaf strategy for keys that hold a version, and for pins inside values.

    Attributes:
        options: What the team switched.
        keys: Last names of keys that hold a version.
        pin_kinds: Kinds of leaves whose value is a requirement or a pin.
        sources: Whether the format has tables of git sources, whose revisions have no order.
    """

    options: FormatOptions
    keys: frozenset[str] = VERSION_KEYS
    pin_kinds: frozenset[str] = frozenset({"requirement"})
    sources: bool = False

    def __call__(self, leaf: Leaf) -> Choice | None:
        """The larger version when only the version differs in three otherwise equal values."""
        if any(node is None for node in leaf.nodes):
            return None
        name = next(node.name for node in leaf.nodes if node is not None)
        kind = next(node.kind for node in leaf.nodes if node is not None)
        is_version = name.lower() in self.keys
        is_pin = kind in self.pin_kinds
        if self.sources and "sources" in leaf.path.split("."):
            return None
        if not (is_version or is_pin):
            return None
        texts = leaf.nodes.map(_value_text)
        found = texts.map(lambda text: split_version(text or ""))
        if any(one is None for one in found):
            return None
        around = {(one[0], one[2]) for one in found if one is not None}
        if len(around) != 1:
            return None
        choice = self.options.versions if is_version else self.options.pins
        if name.lower() != "version" and any(one is None or "." not in one[1] for one in found):
            return None
        answer = pick(found.map(lambda one: None if one is None else one[1]), choice)
        if answer is None:
            return None
        side, reason = answer
        return Choice(
            side=side,
            strategy=f"{choice}-version" if is_version else f"{choice}-pin",
            reason=reason,
        )


def _value_text(node: Node | None) -> str | None:
    return None if node is None else node.parts[node.value_at].strip()


def split_version(text: str) -> tuple[str, str, str] | None:
    """Text before, the one version in it, and text after; ``None`` unless there is exactly one."""
    found = [match for match in _VERSION.finditer(text) if parse(match.group()) is not None]
    if len(found) != 1:
        return None
    match = found[0]
    return text[: match.start()], match.group(), text[match.end() :]
