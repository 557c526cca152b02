"""What both sides put at different places, or one moved and the other took away, is not clean."""

from __future__ import annotations

import pytest

from mergewright.formats.gates import check
from mergewright.model.threeway import ThreeWay
from mergewright.resolve.engines import merge_file


def clean(path: str, base: str, ours: str, theirs: str) -> bool:
    """Whether the merge is clean and believed, whichever side is ours."""
    found = []
    for mine, other in ((ours, theirs), (theirs, ours)):
        versions: ThreeWay[bytes | None] = ThreeWay(
            base=base.encode(), ours=mine.encode(), theirs=other.encode()
        )
        merge = merge_file(path, versions)
        gates = check(path, merge.text(), versions, merge.decisions) if merge.clean else ()
        found.append(merge.clean and all(gate.passed for gate in gates))
    assert found[0] == found[1]
    return found[0]


LISTS = {
    "a.json": ('{{"a": [{}]}}\n', ("1", "2", "3"), "9", ", "),
    "a.toml": ("a = [{}]\n", ("'one'", "'two'", "'three'"), "'new'", ", "),
    "a.yaml": ("{}\n", ("- one", "- two", "- three"), "- new", "\n"),
    "b.yaml": ("a:\n{}\n", ("- run: one", "- run: two", "- run: three"), "- run: new", "\n"),
    "setup.cfg": ("[a]\nx =\n{}\n", ("  one", "  two", "  three"), "  new", "\n"),
    "AUTHORS": ("{}\n", ("One", "Two", "Three"), "New", "\n"),
    ".gitignore": ("{}\n", ("one", "!two", "three"), "new", "\n"),
    "a.md": (
        "# A\n\n{}\n",
        ("- the first entry of it", "- the second entry of it", "- the third entry of it"),
        "- a new entry for all of it",
        "\n",
    ),
    "code.md": ("```\n{}\n```\n", ("one", "two", "three"), "new", "\n"),
}


@pytest.mark.parametrize("path", LISTS)
def test_one_element_added_at_two_places(path: str) -> None:
    """It would stand twice, though each side wants it once."""
    shape, (one, two, three), new, joint = LISTS[path]
    base, ours, theirs = (
        shape.format(joint.join(some))
        for some in ((one, two, three), (one, new, two, three), (one, two, three, new))
    )
    assert not clean(path, base, ours, theirs)
    assert clean(path, base, ours, base)


@pytest.mark.parametrize("path", LISTS.keys() - {"code.md"})
def test_an_element_moved_and_taken_away(path: str) -> None:
    """The side that took it away has said something, and the other too."""
    shape, (one, two, three), _, joint = LISTS[path]
    base, ours, theirs = (
        shape.format(joint.join(some))
        for some in ((one, two, three), (three, one, two), (one, two))
    )
    assert not clean(path, base, ours, theirs)


@pytest.mark.parametrize(
    ("path", "shape", "joint"),
    [
        ("pyproject.toml", "[project]\ndependencies = [{}]\n", "','"),
        ("setup.cfg", "[options]\ninstall_requires =\n  {}\n", "\n  "),
        ("environment.yml", "dependencies:\n- {}\n", "\n- "),
        ("requirements.txt", "{}\n", "\n"),
    ],
)
def test_one_package_required_in_two_ways(path: str, shape: str, joint: str) -> None:
    """Both sides need it anew, each its own version, at different places of the list."""
    quote = "'" if "'" in joint else ""
    base, ours, theirs = (
        shape.format(quote + joint.join(some) + quote)
        for some in (("a>=1", "b>=1"), ("New_c", "a>=1", "b>=1"), ("a>=1", "b>=1", "new-c>=2"))
    )
    assert not clean(path, base, ours, theirs)
