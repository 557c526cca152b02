def mean(values):
<<<<<<< ours
    """Arithmetic mean."""
||||||| base
    """Mean of values."""
=======
    """Mean of the values given."""
>>>>>>> theirs
    return sum(values) / len(values)
