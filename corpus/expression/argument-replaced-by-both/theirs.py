def load(path):
    return parse(path.read_text(), str(path))
