from app.io import read_bytes, read_utf8


def load(path):
<<<<<<< ours
    return read_utf8(path)
||||||| base
    return read_text(path)
=======
    return read_bytes(path)
>>>>>>> theirs
