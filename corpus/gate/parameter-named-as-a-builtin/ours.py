def load(ship, chart):
    find(ship, chart)
    start()
    move()
    return ship
