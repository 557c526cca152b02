def size(path):
    return path.stat().st_size
