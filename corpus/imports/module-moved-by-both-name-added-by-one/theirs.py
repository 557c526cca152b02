from depot.lifting import lift, lower

lift()
lower()
