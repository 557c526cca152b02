def dep(name):
    return f"dep-{name}"


def test_one():
    assert dep("a") == "dep-a"
