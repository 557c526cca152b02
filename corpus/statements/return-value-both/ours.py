def size(path):
    return path.stat().st_blocks * 512
