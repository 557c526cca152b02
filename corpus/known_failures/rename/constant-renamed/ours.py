MAX_ITEMS = 10


def full(items):
    return len(items) >= MAX_ITEMS
