def invoice(order):
    net = order.net()
    tax = net * order.rate
    print(order.label)
    return net
