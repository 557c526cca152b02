def dock(ship, *, crew=0, at=None, tug=None):
    """Bring a ship to its berth.

    Args:
        ship: What comes.
        crew: How many.
        at: When it comes.
        tug: Who tows it.
    """
    berth = find(ship, at)
    pay(berth, tug)
    return berth, crew
