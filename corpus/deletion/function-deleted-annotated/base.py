def keep():
    return 1


def legacy(path):
    return path.read_text().upper()
