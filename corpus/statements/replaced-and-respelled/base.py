def label(ship):
    text = "%s of %s" % (ship.name, ship.port)
    log(text)
    return text
