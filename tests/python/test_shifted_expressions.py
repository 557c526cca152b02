"""Parts of expressions correspond by place, not by name alone."""

import pytest

from mergewright.model.threeway import ThreeWay
from mergewright.python.engine import merge_python


@pytest.mark.parametrize(
    ("base", "ours", "theirs"),
    [
        ("value * 6", "value * 6 - 4", "value * 6 - 6"),
        ("value * 6", "value * 6 - 6", "value * 7"),
        ("value * 4 - 4", "value * 4", "value * 4 - 5"),
        ("a.b", "a.b.c", "a.b.b"),
        ("f(x)", "f(x)(y)", "f(x)(x)"),
        ("-x", "--x", "-y"),
        ("a if b else c", "d if e else (a if b else c)", "a if b else f"),
    ],
)
def test_a_part_of_the_inner_expression_is_not_one_of_the_outer(
    base: str, ours: str, theirs: str
) -> None:
    """Where a side wraps an expression into a larger one, a change of the other stays contested."""
    texts = ThreeWay(base=base, ours=ours, theirs=theirs).map(lambda text: f"x = {text}\n".encode())
    for versions in (texts, texts.swapped()):
        merge = merge_python("a.py", versions.map(lambda data: data))
        assert not merge.clean


def test_a_longer_chain_of_one_operator_still_combines() -> None:
    """``a + b`` stands inside ``a + b + c`` too, but operands of a chain are matched by order."""
    texts = ThreeWay(base=b"x = a + b\n", ours=b"x = a + b + c\n", theirs=b"x = z + b\n")
    merge = merge_python("a.py", texts.map(lambda data: data))
    assert merge.text() == b"x = z + b + c\n"
