def dock(ship, *, at=None):
    """Bring a ship to its berth.

    Args:
        ship: What comes.
        at: When it comes.
    """
    berth = find(ship, at)
    pay(berth)
    return berth
