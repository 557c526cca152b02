def first(items):
    tmp = items[0]
    return tmp


def last(items):
    return items[-1]
