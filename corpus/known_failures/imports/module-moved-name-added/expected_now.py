<<<<<<< ours
from app.io import read_bytes, read_text
||||||| base
from app.io import read_text
=======
from app.files import read_text
>>>>>>> theirs


def load(path):
    if path.suffix == ".bin":
        return read_bytes(path)
    return read_text(path)
