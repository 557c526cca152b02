def load(ship):
    # the hold first,
    # then the deck
    crane = find(ship)
    move(crane)
    return ship
