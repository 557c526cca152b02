<<<<<<< ours
MAX_ITEMS = 10
||||||| base
MAX = 10
=======
MAX = 25
>>>>>>> theirs


def full(items):
    return len(items) >= MAX_ITEMS
