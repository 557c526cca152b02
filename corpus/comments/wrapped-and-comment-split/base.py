def load(ship):
    # the hold first
    crane = find(ship)
    move(crane)
    return ship
