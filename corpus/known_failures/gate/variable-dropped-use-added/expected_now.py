def invoice(order):
    net = order.net()
    print(order.label)
    print(order.currency, tax)
    return net
