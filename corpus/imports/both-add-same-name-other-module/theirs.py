import os
from json import loads


def read(path):
    return loads(os.fspath(path))
