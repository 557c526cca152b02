def read(path):
    return path.read_text(encoding="utf-8")


def size(path):
    return path.stat().st_size
