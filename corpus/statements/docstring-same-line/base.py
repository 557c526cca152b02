def mean(values):
    """Mean of values."""
    return sum(values) / len(values)
