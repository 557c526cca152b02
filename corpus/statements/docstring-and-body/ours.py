def mean(values):
    """Arithmetic mean of a sized iterable."""
    return sum(values) / len(values)
