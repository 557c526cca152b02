def go(ship):
    ship.start()
