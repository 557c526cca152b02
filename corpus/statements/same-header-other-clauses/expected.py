def load(ship):
<<<<<<< ours
    if ship.ready:
        fill(ship)
    else:
        clean(ship)
||||||| base
    fill(ship)
    clean(ship)
=======
    if ship.ready:
        fill(ship)
        clean(ship)
    else:
        report(ship)
>>>>>>> theirs
    return ship
