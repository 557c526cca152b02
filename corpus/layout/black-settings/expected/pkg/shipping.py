def ship(order):
    label = make_label(
        order.number,
        order.address,
        carrier='post',
        speed=1,
        insured=order.value,
        weight=order.grams,
    )
    return label
