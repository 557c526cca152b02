def go(ship):
    # trace(ship)
    # trace(ship.crew)
    ship.start()
