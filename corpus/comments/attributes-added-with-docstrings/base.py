class Settings:
    width = 80
    """Columns."""
