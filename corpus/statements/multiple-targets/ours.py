def first(items):
    head = items[0]
    return head


def last(items):
    return items[-1]
