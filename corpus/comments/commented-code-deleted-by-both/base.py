def go(ship):
    # trace(ship)
    # trace(ship.crew)
    # assert ship
    ship.start()
