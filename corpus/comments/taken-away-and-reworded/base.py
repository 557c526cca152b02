def load(ship):
    start()
    # empty holds show faults
    fill(ship)
    return ship
