def price(order):
    if order.member:
        rate = order.plan.rate
        note = "member"
    elif order.total > 100:
        rate = volume_rate(order.total, order.region)
        note = "volume"
    else:
        rate = 1.0
        note = ""
    return order.total * rate, note
