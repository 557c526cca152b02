def dock(ship):
    """Bring a ship to its berth.

    Ships are brought in.
    All of them do so.
    They pay at once.
    """
    berth = find(ship)
    pay(berth)
    return berth
