def load(ship):
    start()
    # nothing at night
    if night:
        return None
<<<<<<< ours
||||||| base
    # empty holds show faults
=======
    # full holds show faults
>>>>>>> theirs
    fill(ship)
    return ship
