VALUE = 1


<<<<<<< ours
def clamp(x, low, high):
    return max(low, min(x, high))
||||||| base
=======
def clamp(x, low, high):
    if x < low:
        return low
    return high if x > high else x
>>>>>>> theirs
