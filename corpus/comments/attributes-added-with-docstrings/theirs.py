class Settings:
    width = 80
    """Columns."""

    colour = True
    """Whether output is coloured."""
