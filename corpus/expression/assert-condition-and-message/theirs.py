def test_total(cart):
    assert cart.total == 12, f"wrong total: {cart.total}"
