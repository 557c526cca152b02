def dock(ship, tug=None):
<<<<<<< ours
    """Bring a ship to its berth.

    Ships are towed in by a tug.
    All of them do so.
    They pay at once.
    """
||||||| base
    """Bring a ship to its berth.

    Ships are brought in.
    All of them do so.
    They pay at once.
    """
=======
    """Bring a ship to its berth.

    Ships are brought in.
    All of them do so.
    They leave at once.
    """
>>>>>>> theirs
    berth = find(ship)
    pay(berth)
    return berth.number
