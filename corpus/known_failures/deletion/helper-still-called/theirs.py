def dep(name):
    return f"dep-{name}"


def test_one():
    assert dep("a") == "dep-a"


def test_two():
    assert dep("b").endswith("b")
