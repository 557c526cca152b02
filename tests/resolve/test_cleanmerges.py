"""What git merges cleanly and the gates call broken is found without running the gates on all texts."""

from __future__ import annotations

import pytest

from mergewright.model.threeway import ThreeWay
from mergewright.python.gates import check
from mergewright.resolve.cleanmerges import BREAKING, broken_gates
from mergewright.text.merge import merge_lines

PARSER = """\
def build(sub):
    first = sub.add_parser('first')
    first.add_argument('path')

    second = sub.add_parser('second')
    second.add_argument('path')
    return first, second
"""
CLASS = """\
class Config:
    def outer(self):
        first = 1

        second = 2
        return first, second

    def last(self):
        return 3
"""


def between(text: str, above: str, added: str) -> str:
    """A text with lines above another line."""
    assert text.count(above) == 1
    return text.replace(above, added + above)


@pytest.mark.parametrize(
    ("base", "first", "last", "added", "gate"),
    [
        (
            PARSER,
            "    first = ",
            "    return",
            "    new = sub.add_parser('new')\n",
            "bound-twice",
        ),
        (
            PARSER,
            "    first = ",
            "    return",
            "    if sub:\n        sub.add_parser('new').add_argument('old')\n",
            "bound-twice",
        ),
        (
            PARSER,
            "    first = ",
            "    return",
            '    for one in [sub.add_parser("new")]:\n        pass\n',
            "bound-twice",
        ),
        (
            CLASS,
            "        first = ",
            "        return first",
            "        def inner():\n            return 1\n\n",
            "duplicate-definition",
        ),
        (
            CLASS,
            "    def outer",
            "    def last",
            "    if True:\n        x = 1\n    beta: int = 1\n\n",
            "duplicate-definition",
        ),
        ("import a\n\nx = 1\n\nimport d\n", "import a", "import d", "import b.c\n", "bound-twice"),
    ],
)
def test_what_both_sides_added_at_two_places(
    base: str, first: str, last: str, added: str, gate: str
) -> None:
    """Whatever a gate finds is found, whichever form of statement it stands in."""
    texts = base, between(base, first, added), between(base, last, added)
    before, ours, theirs = (text.encode() for text in texts)
    merge = merge_lines(ThreeWay(base=before, ours=ours, theirs=theirs))
    assert merge.clean
    versions: ThreeWay[bytes | None] = ThreeWay(base=before, ours=ours, theirs=theirs)
    found = [result.gate for result in broken_gates("a.py", merge.text(), versions)]
    assert found == [gate]
    everything = check("a.py", merge.text(), versions)
    assert found == [g.gate for g in everything if not g.passed and g.gate in BREAKING]


BINDERS = [
    "def gone():\n    return 1\n",
    "class gone:\n    pass\n",
    "import gone\n",
    "def other(x=(gone := 1)):\n    return x\n",
    "def other():\n    global gone\n    gone = 1\n",
    "for gone in range(3):\n    print(gone)\n",
]
KEEPERS = ["", "from elsewhere import gone\n\n"]


@pytest.mark.parametrize("binder", BINDERS)
@pytest.mark.parametrize("keeper", KEEPERS)
@pytest.mark.parametrize("mixed", [False, True])
def test_a_use_of_what_the_other_side_took_away(binder: str, keeper: str, *, mixed: bool) -> None:
    """However a name was bound, its use is found when nothing binds it any more; and only then."""
    base = (
        f"{keeper}{binder}\n\ndef use(a):\n    first = a\n    b = first\n    c = b\n    return c\n"
    )
    ours = base.replace("return c", "return gone(c)")
    theirs = base.replace(binder, "SIZE = 1\n")
    if mixed:
        theirs = theirs.replace("first = a", "first = [a]")
    texts = ThreeWay(base=base.encode(), ours=ours.encode(), theirs=theirs.encode())
    merge = merge_lines(texts)
    assert merge.clean
    versions: ThreeWay[bytes | None] = ThreeWay(
        base=texts.base, ours=texts.ours, theirs=texts.theirs
    )
    found = [result.gate for result in broken_gates("a.py", merge.text(), versions)]
    assert found == ([] if keeper else ["undefined-name"])
