def area(r):
    """Area: pi r2."""
    return PI * r * r
