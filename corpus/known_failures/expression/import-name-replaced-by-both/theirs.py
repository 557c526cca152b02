from app.io import read_bytes


def load(path):
    return read_bytes(path)
