def label(ship):
    text = f"{ship.name} of {ship.port}"
    log(text)
    return text
