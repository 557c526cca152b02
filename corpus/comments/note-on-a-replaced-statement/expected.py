def load(ship):
<<<<<<< ours
    haul(1, 2)
||||||| base
    route(ship, token={"a": 1})
=======
    # not at night
    route(ship, token={"a": 1})
>>>>>>> theirs
    return ship
