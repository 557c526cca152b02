def zeta():
    return 26


def alpha():
    return 1


def mid():
    return 12 + 1
