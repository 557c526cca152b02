def load(path):
    return parse(path.read_text(), path.name)
