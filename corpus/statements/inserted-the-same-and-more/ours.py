def unload(ship):
    crane = find(ship)
    check(crane)
    crane.lower(ship)
    return crane
