from app.io import read_utf8


def load(path):
    return read_utf8(path)
