from depot.lifting import lift

lift()
