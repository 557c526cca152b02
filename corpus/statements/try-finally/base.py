def load(path):
    stream = open(path)
    try:
        return parse(stream)
    except ValueError:
        return None
