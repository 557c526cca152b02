class Settings:
    colour = True
    """Colours."""

    width = 80
    """Columns."""

    height = 24
    """Lines."""
