def discount(order):
    if order.total >= 100:
        rate = 0.1
        order.flag("discount")
    else:
        rate = 0
    return order.total * rate
