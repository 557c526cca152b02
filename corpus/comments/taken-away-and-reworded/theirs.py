def load(ship):
    start()
    # full holds show faults
    fill(ship)
    return ship
