MAX_ITEMS = 25


def full(items):
    return len(items) >= MAX_ITEMS
