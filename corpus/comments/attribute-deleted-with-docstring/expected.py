class Settings:
    width = 100
    """Columns."""

    colour = True
    """Whether output is coloured; off in a pipe."""
