def read(path):
    return path.read_text()


def size(path):
    return path.stat().st_size
