import os
<<<<<<< ours
from app.fast import loads
||||||| base
=======
from json import loads
>>>>>>> theirs


def read(path):
    return loads(os.fspath(path))
