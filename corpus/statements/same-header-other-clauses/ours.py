def load(ship):
    if ship.ready:
        fill(ship)
    else:
        clean(ship)
    return ship
