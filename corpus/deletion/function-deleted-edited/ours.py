def keep():
    return 1


def last():
    return 3
