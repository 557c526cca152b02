def load(ship):
    route(ship, token={"a": 1})
    return ship
