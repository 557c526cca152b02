def test_empty():
    assert parse("") == []
