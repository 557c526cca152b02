class Settings:
    width = 80
    """Columns."""

    height = 24
    """Lines."""
