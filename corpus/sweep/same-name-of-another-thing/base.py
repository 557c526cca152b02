def first(dock):
    return dock.load_state(1)


def second(dock):
    return dock.load_state(2)
