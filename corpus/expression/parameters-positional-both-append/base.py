def pad(batch, length, value=0):
    """Pad each row."""
    return [row + [value] * (length - len(row)) for row in batch]
