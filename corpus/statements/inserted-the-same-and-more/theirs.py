def unload(ship):
    crane = find(ship)
    check(crane)
    return crane
