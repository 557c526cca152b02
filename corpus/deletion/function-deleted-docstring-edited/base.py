def keep():
    return 1


def legacy(path):
    """Read a file."""
    return path.read_text().upper()
