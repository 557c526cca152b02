def dock(ship, tug=None):
    """Bring a ship to its berth.

    Ships are towed in by a tug.
    All of them do so.
    They pay at once.
    """
    berth = find(ship)
    pay(berth)
    return berth
