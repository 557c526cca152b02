def pad(batch, length, value=0, copy=True):
    """Pad each row."""
    return [row + [value] * (length - len(row)) for row in batch]
