def load(ship, map):
    find(ship, map)
    start()
    move()
    return ship
