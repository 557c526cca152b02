def keep():
    return 1


def legacy(path):
    """Read a file in upper case."""
    return path.read_text().upper()
