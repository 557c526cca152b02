def load(ship):
    with ship.berth:
        # the hold first,
        # then the deck
        crane = find(ship)
    move(crane)
    return ship
