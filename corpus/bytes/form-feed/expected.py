import os


def one():
    return 10


def two():
    return os.sep
