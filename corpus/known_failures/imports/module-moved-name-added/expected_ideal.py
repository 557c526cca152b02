from app.files import read_text
from app.io import read_bytes


def load(path):
    if path.suffix == ".bin":
        return read_bytes(path)
    return read_text(path)
