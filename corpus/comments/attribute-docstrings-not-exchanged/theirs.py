class Settings:
    width = 80
    """Columns."""

    height = 24
    """Lines."""

    colour = True
    """Whether output is coloured."""
