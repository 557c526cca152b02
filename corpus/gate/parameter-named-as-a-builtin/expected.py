<<<<<<< ours
def load(ship, chart):
    find(ship, chart)
    start()
    move()
||||||| base
def load(ship, map):
    find(ship, map)
    start()
    move()
=======
def load(ship, map):
    find(ship, map)
    start()
    move()
    log(map)
>>>>>>> theirs
    return ship
