def test_total(cart):
    assert cart.total == Decimal(12), f"wrong total: {cart.total}"
