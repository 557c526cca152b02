def test_empty():
    assert parse("") == []


def test_one():
    assert parse("a") == ["a"]


def test_two():
    assert parse("a,b") == ["a", "b"]


def test_blank():
    assert parse(" ") == []
