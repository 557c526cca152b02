def load(ship):
    # not at night
    route(ship, token={"a": 1})
    return ship
