def invoice(order):
    net = order.net()
<<<<<<< ours
    print(order.label)
||||||| base
    tax = net * order.rate
    print(order.label)
=======
    tax = net * order.rate
    print(order.label)
    print(order.currency, tax)
>>>>>>> theirs
    return net
