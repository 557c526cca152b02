def first(dock):
    return dock.load_dict(1)


def second(dock):
    return dock.load_dict(2)
