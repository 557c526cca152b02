def test_one():
<<<<<<< ours
    assert "dep-a"
||||||| base
    assert dep("a") == "dep-a"
=======
    assert dep("a") == "dep-a"


def test_two():
    assert dep("b").endswith("b")
>>>>>>> theirs
