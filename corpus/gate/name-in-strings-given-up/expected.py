def test_backends():
<<<<<<< ours
    first = convert(A, backend="nx-loop")
    assert kind(first) == "nx-loop"
    second = convert(B)
    assert second is not first
    third = convert(C, backend="nx-loop")
    assert third is not second
||||||| base
    first = convert(A, backend="nx-loop")
    assert kind(first) == "nx-loop"
    second = convert(B)
    assert second is not first
=======
    first = convert(A, backend="nx_loop")
    assert kind(first) == "nx_loop"
    second = convert(B)
    assert second is not first
>>>>>>> theirs
    close()
