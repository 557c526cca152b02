def test_one():
    assert "dep-a"
