def invoice(order):
    net = order.net()
    print(order.label)
    return net
