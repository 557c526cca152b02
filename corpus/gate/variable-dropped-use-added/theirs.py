def invoice(order):
    net = order.net()
    tax = net * order.rate
    print(order.label)
    print(order.currency, tax)
    return net
