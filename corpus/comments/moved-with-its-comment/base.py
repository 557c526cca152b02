def first():
    return 1


# Doubles what it gets.
# Used by the reports.
def double(value):
    return value * 2


def last():
    return 9
