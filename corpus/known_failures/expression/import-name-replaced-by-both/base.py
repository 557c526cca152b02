from app.io import read_text


def load(path):
    return read_text(path)
