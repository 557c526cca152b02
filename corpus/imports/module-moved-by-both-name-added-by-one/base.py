from depot.crane import lift

lift()
