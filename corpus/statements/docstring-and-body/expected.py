def mean(values):
    """Arithmetic mean of a sized iterable."""
    return math.fsum(values) / len(values)
