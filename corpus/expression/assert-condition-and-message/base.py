def test_total(cart):
    assert cart.total == 12, "wrong total"
