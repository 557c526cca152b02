<<<<<<< ours
def pad(batch, length, value=0, side="right"):
||||||| base
def pad(batch, length, value=0):
=======
def pad(batch, length, value=0, copy=True):
>>>>>>> theirs
    """Pad each row."""
    return [row + [value] * (length - len(row)) for row in batch]
