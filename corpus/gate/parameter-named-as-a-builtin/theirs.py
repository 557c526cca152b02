def load(ship, map):
    find(ship, map)
    start()
    move()
    log(map)
    return ship
