# café
A = 2


def f():
    return A
