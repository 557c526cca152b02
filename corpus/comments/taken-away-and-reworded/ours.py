def load(ship):
    start()
    # nothing at night
    if night:
        return None
    fill(ship)
    return ship
