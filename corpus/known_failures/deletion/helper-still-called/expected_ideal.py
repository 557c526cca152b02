<<<<<<< ours
||||||| base
def dep(name):
    return f"dep-{name}"


=======
def dep(name):
    return f"dep-{name}"


>>>>>>> theirs
def test_one():
    assert "dep-a"


def test_two():
    assert dep("b").endswith("b")
