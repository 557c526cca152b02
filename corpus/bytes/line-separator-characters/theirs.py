TEXT = "a bc"


def size():
    return len(TEXT) + 1
