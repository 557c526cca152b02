def sign(x):
    # Nothing is smaller.
    if x < 0:
        return -1
    # Nor is it zero.
    elif x == 0:
        return 0
    else:
        return 1
