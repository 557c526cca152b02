MAX = 25


def full(items):
    return len(items) >= MAX
