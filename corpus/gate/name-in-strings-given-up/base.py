def test_backends():
    first = convert(A, backend="nx-loop")
    assert kind(first) == "nx-loop"
    second = convert(B)
    assert second is not first
    close()
