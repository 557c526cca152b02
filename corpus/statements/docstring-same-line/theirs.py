def mean(values):
    """Mean of the values given."""
    return sum(values) / len(values)
