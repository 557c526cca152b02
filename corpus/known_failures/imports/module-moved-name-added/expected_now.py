from app.files import read_bytes, read_text


def load(path):
    if path.suffix == ".bin":
        return read_bytes(path)
    return read_text(path)
