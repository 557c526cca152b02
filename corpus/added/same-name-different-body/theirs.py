VALUE = 1


def clamp(x, low, high):
    if x < low:
        return low
    return high if x > high else x
