def load(ship):
    if ship.ready:
        fill(ship)
        clean(ship)
    else:
        report(ship)
    return ship
