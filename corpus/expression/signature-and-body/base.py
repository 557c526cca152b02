def normalise(name):
    name = name.strip()
    return name.lower()
