def load(ship):
    with ship.berth:
        # the hold first
        crane = find(ship)
    move(crane)
    return ship
