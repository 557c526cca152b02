<<<<<<< ours
def total_of(values):
||||||| base
def calc(values):
=======
def sum_values(values):
>>>>>>> theirs
    total = 0
    for value in values:
        total += value
    return total
