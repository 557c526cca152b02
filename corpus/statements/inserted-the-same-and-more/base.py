def unload(ship):
    crane = find(ship)
    return crane
