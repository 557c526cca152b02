import os


def read(path):
    return os.fspath(path)
