def load(ship):
    fill(ship)
    clean(ship)
    return ship
