def test_backends():
    first = convert(A, backend="nx_loop")
    assert kind(first) == "nx_loop"
    second = convert(B)
    assert second is not first
    close()
