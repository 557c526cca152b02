def dock(ship, *, crew=0, at=None):
    """Bring a ship to its berth.

    Args:
        ship: What comes.
        crew: How many.
        at: When it comes.
    """
    berth = find(ship, at)
    pay(berth)
    return berth, crew
