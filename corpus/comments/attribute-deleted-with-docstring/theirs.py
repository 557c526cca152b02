class Settings:
    width = 100
    """Columns."""

    height = 24
    """Lines."""

    colour = True
    """Whether output is coloured; off in a pipe."""
