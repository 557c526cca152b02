from crane import load_state


def first(dock):
    return dock.load_dict(1)


def second(dock):
    return dock.load_dict(2)


def third(crane):
    return crane.load_state(load_state("x"), load_state=1)
