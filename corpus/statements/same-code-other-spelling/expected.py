def area(r):
    r"""Area: $\pi r^2$."""
    return PI * r * r
