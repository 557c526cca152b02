def keep():
    return 1


def legacy(path):
    data = path.read_text()
    return data.casefold()


def last():
    return 3
