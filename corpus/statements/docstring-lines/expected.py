def interpolate(points, degree=1):
    """Interpolate between points.

    Args:
        points: Pairs of x and y, sorted by x.
        degree: Degree of the polynomial.

    Returns:
        A callable that takes x and gives y.
    """
    return _fit(points, degree)
