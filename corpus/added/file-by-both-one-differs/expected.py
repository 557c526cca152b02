<<<<<<< ours
def read(path):
    return path.read_text()
||||||| base
=======
def read(path):
    return path.read_text(encoding="utf-8")
>>>>>>> theirs


def size(path):
    return path.stat().st_size
