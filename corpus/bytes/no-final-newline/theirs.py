def one():
    return 1


def three():
    return 3