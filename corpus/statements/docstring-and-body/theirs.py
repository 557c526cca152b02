def mean(values):
    return math.fsum(values) / len(values)
