def load(path):
<<<<<<< ours
    return parse(path.read_text(), path.stem)
||||||| base
    return parse(path.read_text(), path.name)
=======
    return parse(path.read_text(), str(path))
>>>>>>> theirs
