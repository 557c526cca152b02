import os
from app.fast import loads


def read(path):
    return loads(os.fspath(path))
