def alpha():
    return 1


def mid():
    return 12 + 1


def zeta():
    return 26
