"""What an edit of a docstring speaks about."""

from __future__ import annotations

import pytest

from mergewright.python.docstrings import changed_parameters, only_about


@pytest.mark.parametrize(
    ("base", "side", "names"),
    [
        (b"def f(a, b=1):\n", b"def f(a, b=2, *, c):\n", {"b", "c"}),
        (b"def f(a):\n", b"def f(a: int, *args, **more):\n", {"a", "args", "more"}),
        (b"    @kept\n    async def f(a):\n", b"    @new\n    async def f(a, /, b):\n", {"b"}),
        (b"\tdef f(a):  # why\n", b"\tdef f(a, b):  # why\n", {"b"}),
        (b"def f(a, b):\n", b"def f(a):\n", set()),
        (b"def f(a:\n", b"def f(a):\n", set()),
    ],
)
def test_parameters_that_a_side_changed(base: bytes, side: bytes, names: set[str]) -> None:
    """Added, annotated anew, with another default; not those only taken away."""
    assert changed_parameters(base, side) == names


_GOOGLE = b'"""Dock.\n\n    Args:\n        ship (Ship): The ship.\n        tug: Its tug.\n    """\n'
_NUMPY = (
    b'"""Dock.\n\n    Parameters\n    ----------\n    ship : Ship\n        The ship.\n    """\n'
)
_FIELDS = b'"""Dock.\n\n    :param ship: The ship.\n    :returns: berth\n    """\n'


@pytest.mark.parametrize(
    ("base", "side", "only"),
    [
        (_GOOGLE, _GOOGLE.replace(b"Its tug.", b"Its tug,\n            or two."), True),
        (_GOOGLE, _GOOGLE.replace(b"        tug", b"        pilot: Who.\n        tug"), False),
        (
            _GOOGLE,
            _GOOGLE.replace(b'tug.\n    """', b'tug.\n\n    Returns:\n        tug\n    """'),
            False,
        ),
        (_GOOGLE, _GOOGLE.replace(b"Dock.", b"Dock it."), False),
        (
            _NUMPY,
            _NUMPY.replace(b'ship.\n    """', b'ship.\n    tug : Tug\n        Its tug.\n    """'),
            True,
        ),
        (_NUMPY, _NUMPY.replace(b"The ship", b"A ship"), False),
        (
            _FIELDS,
            _FIELDS.replace(b"    :returns", b"    :param Tug tug: Its tug.\n    :returns"),
            True,
        ),
        (_FIELDS, _FIELDS.replace(b"berth", b"tug"), False),
    ],
)
def test_edit_within_the_entries_of_given_parameters(base: bytes, side: bytes, only: bool) -> None:
    """An entry is its line and what is indented below it."""
    assert only_about(base, side, frozenset({"tug"})) is only
