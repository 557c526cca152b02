def read():
    return 1


# -- writing -----------------------------------------------------

def append(value):
    return [value]
