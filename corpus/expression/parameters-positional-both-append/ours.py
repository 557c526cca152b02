def pad(batch, length, value=0, side="right"):
    """Pad each row."""
    return [row + [value] * (length - len(row)) for row in batch]
