def discount(order):
    if order.total >= 100:
        rate = 0.05
    else:
        rate = 0
    return order.total * rate
