def size(path):
    return 0 if path.is_dir() else path.stat().st_size
