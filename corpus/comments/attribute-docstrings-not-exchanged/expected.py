class Settings:
    colour = True
    """Whether output is coloured."""

    width = 80
    """Columns."""

    height = 24
    """Lines."""
