MAX = 10


def full(items):
    return len(items) >= MAX
