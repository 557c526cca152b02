def alpha():
    return 1


def mid():
    return 13


def zeta():
    return 26
