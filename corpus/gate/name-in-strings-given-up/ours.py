def test_backends():
    first = convert(A, backend="nx-loop")
    assert kind(first) == "nx-loop"
    second = convert(B)
    assert second is not first
    third = convert(C, backend="nx-loop")
    assert third is not second
    close()
