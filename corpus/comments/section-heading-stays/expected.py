def read():
    return 2


# -- writing -----------------------------------------------------

def append(value):
    return [value, None]
