@pytest.mark.parametrize("size", [1, 2, 4, 8], ids=str)
def test_buffer(size):
    assert len(Buffer(size)) == size
